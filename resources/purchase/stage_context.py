"""One execution of a stage: its surroundings, its maker and its progress."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.protocol import (
    InProgress,
    Product,
    Provider,
    StageInput,
    StageSettings,
    Work,
)
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.ledger.request import ProjectionChange, SettledKey
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.stages import StageEntry, save_progress
from resources.ledger.workers.attempt import Attempt
from resources.process.crash_points import crash_point


@dataclass(frozen=True)
class ProviderJob:
    """The job that a provider does for a stage; `pictures` are references to the pictures that it needs."""

    provider: Provider
    job_input: StageInput
    pictures: Sequence[Mapping[str, Any]] = ()


LocalWork = Callable[[Work], Product]
"""What this machine does for a stage."""


class ResultRules(Protocol):
    """What a pipeline demands of a stage's result, and reads from it."""

    def check(self, result: Mapping[str, Any]) -> None:
        """Raise PermanentError if the result must not be stored."""

    def settle_key(self, result: Mapping[str, Any]) -> SettledKey | None:
        """Return the request's unique key by the result; None keeps the present one."""


class Log(Protocol):
    """The log of a run."""

    def info(self, msg: str, /) -> None:
        """Write a line."""


@dataclass
class StageContext:
    """One execution of a stage.

    `lease` and `entry` are set when the stage begins. `projection` opens the request's projection with it.
    `defer_interrupts` delays interrupts between a job's intent and the saving of its id.
    """

    attempt: Attempt
    stage: StageSettings
    maker: ProviderJob | LocalWork
    store: ArtifactStore
    pictures: PictureSource
    rules: ResultRules
    log: Log
    defer_interrupts: Callable[[], AbstractContextManager[None]]
    projection: ProjectionChange | None = None
    lease: Lease = field(init=False)
    entry: StageEntry = field(init=False)
    _last_saved: InProgress = field(default_factory=InProgress, init=False)

    def pass_crash_point(self, name: str) -> None:
        """Let a fault test stop this stage at the point of this name."""
        crash_point(f"{self.stage.name}.{name}")

    def save_progress(self, report: InProgress, step: float) -> None:
        """Save the report if it has advanced by `step`; a `step` of 0 saves every change.

        The report is lost if the database does not answer.
        """
        report = _limit_report(report)
        if not has_advanced(report, self._last_saved, step):
            return
        self._last_saved = report
        with suppress(SQLAlchemyError):
            db = self.attempt.db.with_retry_budget(0)
            save_progress(db, self.lease, self.entry, report)


@dataclass(frozen=True)
class Finished:
    """A finished product; `token` names a submission whose cost became known only with the product."""

    product: Product
    cost: int = 0
    token: str | None = None


@dataclass(frozen=True)
class StageOutcome:
    """A completed stage's result.

    `result` is as stored; `reused` is whether it existed before this call; `cost` is in micro-dollars.
    """

    result: Mapping[str, Any]
    reused: bool
    cost: int


_LONGEST_NOTE = 300


def has_advanced(report: InProgress, before: InProgress, step: float) -> bool:
    """Return whether the progress grew by `step`; if that is 0 or a progress is unknown, whether it changed."""
    if step == 0 or report.progress is None or before.progress is None:
        return report != before
    return report.progress - before.progress >= step


def _limit_report(report: InProgress) -> InProgress:
    """Clamp the share to [0, 1], and shorten the note to text that every database takes."""
    share = None if report.progress is None else min(max(0.0, report.progress), 1.0)
    note = report.note.encode(errors="replace").decode().replace("\0", "")
    return InProgress(share, note[:_LONGEST_NOTE])
