"""A stage that this machine makes: no intent and no submission, and its result is kept like a bought one."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from resources.contract.protocol import InProgress, Product
from resources.contract.work import Work
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.ledger.workers.attempt import Attempt
from resources.purchase.stage_progress import StageProgress
from resources.purchase.stage_run import (
    CheckResult,
    Finished,
    StageOutcome,
    any_result,
    run_stage_once,
)

_RECORD_STEP = 0.02
_CHECK_SECONDS = 1.0


def run_local_stage(
    attempt: Attempt,
    stage: str,
    work: Callable[[Work], Product],
    *,
    store: ArtifactStore,
    pictures: PictureSource,
    check: CheckResult = any_result,
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one.

    After a crash the work is done again from its beginning. Raises what `work` and `check` raise, and
    LeaseLostError, CancelRequestedError and WorkerStoppingError where this attempt has to stop.
    """

    def make(progress: StageProgress, folder: Path) -> Finished:
        surroundings = Work(
            task_id=attempt.task_id,
            folder=folder,
            open=store.open,
            picture=pictures.open,
            check=attempt.ensure_may_continue,
            report=_Reporter(progress),
        )
        return Finished(work(surroundings))

    return run_stage_once(
        attempt,
        stage,
        store,
        lambda lease, entry: nullcontext(
            partial(make, StageProgress(attempt, lease, entry, _RECORD_STEP))
        ),
        check,
    )


class _Reporter:
    """Records the progress; reads the request's row with every recorded report, and at least each second."""

    def __init__(self, progress: StageProgress) -> None:
        self._progress = progress
        self._checked_at = time.monotonic()

    def __call__(self, progress: float | None, note: str = "") -> None:
        self._progress.attempt.ensure_worker_running()
        was_recorded = self._progress.record(InProgress(progress, note))
        if was_recorded or time.monotonic() - self._checked_at >= _CHECK_SECONDS:
            self._progress.attempt.ensure_may_continue()
            self._checked_at = time.monotonic()
