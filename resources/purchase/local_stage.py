"""Do the work of a stage that this machine makes: it has no intent and no submission."""

from pathlib import Path
from time import monotonic

from resources.contract.protocol import InProgress, Work
from resources.purchase.failures import make_timeout_error
from resources.purchase.stage_context import Finished, ProviderJob, StageContext

_EVERY_CHANGE = 0.0


def do_local_work(context: StageContext, folder: Path) -> Finished:
    """Do the stage's work, with its files in `folder`, and save its progress.

    Raises what the work raises, TransientError `stage_timeout` from the work's next call after the deadline, and
    LeaseLostError, CancelRequestedError and WorkerStoppingError if this attempt has to stop.
    """
    assert not isinstance(context.maker, ProviderJob)  # noqa: S101 - such a stage has a submission
    supervisor = _Supervisor(context)
    surroundings = Work(
        task_id=context.ledger.task_id,
        folder=folder,
        open=context.store.open,
        picture=context.pictures.open,
        check=supervisor.check,
        report=supervisor.report,
        calling=context.ledger.calling,
    )
    try:
        return Finished(context.maker(surroundings))
    except BaseException:
        supervisor.save()
        raise


class _Supervisor:
    """Stops work if its attempt has to stop or its deadline is over, and saves its progress.

    The newest report is saved once in CASTAD_WATCH_SECONDS, by the report or check that comes after them. The
    request's row is read with it, and with every check.
    """

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._ledger = context.ledger
        self._started = monotonic()
        self._saved_at = float("-inf")
        self._newest = InProgress()

    def check(self) -> None:
        """Raise if the work has to stop; save a report that is due."""
        self._ensure_in_time()
        if self._is_due:
            self.save()
        self._ledger.ensure_may_continue()

    def report(self, progress: float | None, note: str = "") -> None:
        """Take a report, and raise if the work has to stop."""
        self._newest = InProgress(progress, note)
        if self._is_due:
            self.check()
        else:
            self._ledger.ensure_running()
            self._ensure_in_time()

    def save(self) -> None:
        """Save the newest report."""
        self._saved_at = monotonic()
        self._context.save_progress(self._newest, _EVERY_CHANGE)

    @property
    def _is_due(self) -> bool:
        return monotonic() - self._saved_at >= self._context.settings.watch_seconds

    def _ensure_in_time(self) -> None:
        if monotonic() - self._started >= self._context.stage.deadline:
            raise make_timeout_error(self._context.stage, "its work")
