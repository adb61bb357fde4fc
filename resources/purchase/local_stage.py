"""A stage that this machine makes: no intent and no submission, and its result is kept like a bought one."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

from resources.contract.protocol import InProgress, Product, Work
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.ledger.request import ProjectionChange
from resources.ledger.transitions.core import Lease
from resources.ledger.workers.attempt import Attempt
from resources.purchase.polling import StageProgress
from resources.purchase.stage_run import (
    CheckResult,
    Finished,
    SettleKey,
    StageOutcome,
    any_result,
    check_not_paused,
    no_key,
    pause_on_refusal,
    run_stage_once,
    timeout_error,
)

Clock = Callable[[], float]
_EVERY_CHANGE = 0.0


def run_local_stage(
    attempt: Attempt,
    stage: str,
    work: Callable[[Work], Product],
    *,
    store: ArtifactStore,
    pictures: PictureSource,
    check: CheckResult = any_result,
    settle_key: SettleKey = no_key,
    projection: ProjectionChange | None = None,
    clock: Clock = time.monotonic,
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one.

    After a crash the work is done again from its beginning. The request holds the unique key that `settle_key`
    gives the result, and its projection is opened with `projection`.

    Raises DuplicateOrderError where another request holds that key, what `work` and `check` raise, TransientError
    `stage_timeout` from the work's next call after the stage's deadline, and LeaseLostError, CancelRequestedError
    and WorkerStoppingError where this attempt has to stop.
    """

    @contextmanager
    def calling(lease: Lease, vendor: str) -> Iterator[None]:
        check_not_paused(attempt, lease, vendor)
        with pause_on_refusal(attempt.db, vendor, attempt.settings.credit_pause):
            yield

    def make(lease: Lease, progress: StageProgress, folder: Path) -> Finished:
        supervision = _Supervision(progress, clock)
        surroundings = Work(
            task_id=attempt.task_id,
            folder=folder,
            open=store.open,
            picture=pictures.open,
            check=supervision.check,
            report=supervision.report,
            calling=partial(calling, lease),
        )
        with supervision.keeping_the_last_report():
            return Finished(work(surroundings))

    return run_stage_once(
        attempt,
        stage,
        store,
        lambda lease, entry: nullcontext(
            partial(make, lease, StageProgress(attempt, lease, entry, _EVERY_CHANGE))
        ),
        check,
        settle_key,
        projection,
    )


class _Supervision:
    """Stops work whose attempt has to stop or whose deadline is over, and saves its progress.

    The newest report is saved once in CASTAD_WATCH_SECONDS, by the report or check that comes after them. The
    request's row is read with it, and with every check.
    """

    def __init__(self, progress: StageProgress, clock: Clock) -> None:
        self._progress = progress
        self._attempt = progress.attempt
        self._stage = self._attempt.stage(progress.entry.stage)
        self._clock = clock
        self._started = clock()
        self._saved_at = float("-inf")
        self._newest = InProgress()

    def check(self) -> None:
        self._ensure_in_time()
        if self._is_due:
            self._save()
        self._attempt.ensure_may_continue()

    def report(self, progress: float | None, note: str = "") -> None:
        self._newest = InProgress(progress, note)
        if self._is_due:
            self.check()
        else:
            self._attempt.ensure_worker_running()
            self._ensure_in_time()

    @contextmanager
    def keeping_the_last_report(self) -> Iterator[None]:
        """Where the block fails, the newest report is stored."""
        try:
            yield
        except BaseException:
            self._save()
            raise

    @property
    def _is_due(self) -> bool:
        return self._clock() - self._saved_at >= self._attempt.settings.watch_seconds

    def _save(self) -> None:
        self._saved_at = self._clock()
        self._progress.save(self._newest)

    def _ensure_in_time(self) -> None:
        if self._clock() - self._started >= self._stage.deadline:
            raise timeout_error(self._stage, "its work")
