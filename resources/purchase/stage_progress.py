"""Saves how far a stage is, wherever it has advanced enough to be seen."""

from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.protocol import InProgress
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.stages import StageEntry, save_progress
from resources.ledger.workers.attempt import Attempt

_LONGEST_NOTE = 300


@dataclass
class StageProgress:
    """The progress of one execution of a stage; a report that advances by less than `step` is not saved.

    A `step` of 0 saves every change.
    """

    attempt: Attempt
    lease: Lease
    entry: StageEntry
    step: float
    _last: InProgress = field(default_factory=InProgress, init=False)

    def save(self, report: InProgress) -> None:
        """The report is stored if it has advanced. A database that does not answer loses it, no more."""
        report = _as_stored(report)
        if not has_advanced(report, self._last, self.step):
            return
        self._last = report
        with suppress(SQLAlchemyError):
            db = self.attempt.db.with_retry_budget(0)
            save_progress(db, self.lease, self.entry, report)


def has_advanced(report: InProgress, before: InProgress, step: float) -> bool:
    """Whether the progress grew by `step`; where that is 0 or a progress is unknown, whether anything changed."""
    if step == 0 or report.progress is None or before.progress is None:
        return report != before
    return report.progress - before.progress >= step


def _as_stored(report: InProgress) -> InProgress:
    """The report as every database takes it: a share of the whole, and a short text."""
    share = None if report.progress is None else min(max(0.0, report.progress), 1.0)
    note = report.note.encode(errors="replace").decode().replace("\0", "")
    return InProgress(share, note[:_LONGEST_NOTE])
