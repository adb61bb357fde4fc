"""Records how far a stage is, wherever it has advanced enough to be seen."""

from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.protocol import InProgress
from resources.ledger.moves.core import Lease
from resources.ledger.moves.stages import StageEntry, record_progress
from resources.ledger.workers.attempt import Attempt

_LONGEST_NOTE = 300


@dataclass
class StageProgress:
    """The progress of one execution of a stage; a report that advances by less than `step` is not recorded."""

    attempt: Attempt
    lease: Lease
    entry: StageEntry
    step: float
    _last: InProgress = field(default_factory=InProgress, init=False)

    def record(self, report: InProgress) -> bool:
        """Whether the report was worth recording. A database that does not answer loses it, and fails nothing."""
        report = _as_stored(report)
        if not has_advanced(report, self._last, self.step):
            return False
        self._last = report
        with suppress(SQLAlchemyError):
            db = self.attempt.db.with_retry_budget(0)
            record_progress(db, self.lease, self.entry, report)
        return True


def has_advanced(report: InProgress, before: InProgress, step: float) -> bool:
    """Whether the progress grew by at least `step`, or the report changed where the progress is unknown."""
    if report.progress is None or before.progress is None:
        return (report.progress, report.note) != (before.progress, before.note)
    return report.progress - before.progress >= step


def _as_stored(report: InProgress) -> InProgress:
    """The report as every database takes it: a share of the whole, and a short text."""
    share = None if report.progress is None else min(max(0.0, report.progress), 1.0)
    note = report.note.encode(errors="replace").decode().replace("\0", "")
    return InProgress(share, note[:_LONGEST_NOTE])
