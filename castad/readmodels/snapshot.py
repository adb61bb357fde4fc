"""A snapshot of a request: everything that status pages and the live display show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import Pipeline
from resources.files.artifacts import media_type
from resources.ledger.admission import vendor_of_turn_queue
from resources.ledger.db.database import Database
from resources.ledger.queries.overview import Overview, StageView, overview_of
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings

SUBMISSION_UNKNOWN = "submission_unknown"


@dataclass(frozen=True)
class StageSummary:
    """One stage of the pipeline, started or not. `seconds` is until now or its end, `cost` in micro-dollars."""

    stage: str
    status: str
    generation: int = 1
    attempts: int = 0
    retry_count: int = 0
    seconds: float | None = None
    progress: float | None = None
    progress_note: str = ""
    cost: int = 0
    notes: Sequence[str] = ()
    error_code: str | None = None
    error_message: str | None = None


@dataclass(frozen=True)
class Snapshot:
    """A request at one moment of the database's clock."""

    overview: Overview
    artifacts: Path

    @property
    def request(self) -> Request:
        """The request's row."""
        return self.overview.request

    @property
    def views(self) -> Sequence[StageView]:
        """The stages that have been started."""
        return self.overview.stages

    @property
    def spent(self) -> Mapping[str, int]:
        """Micro-dollars by stage."""
        return self.overview.spent

    @property
    def at(self) -> datetime:
        """The moment, by the database's clock."""
        return self.overview.at

    @cached_property
    def stages(self) -> tuple[StageSummary, ...]:
        """Every stage of the pipeline in order."""
        known = {view.stage: view for view in self.views}
        return tuple(
            self._not_begun(stage)
            if stage not in known
            else _stage_summary(known[stage], self.spent.get(stage, 0), self.at)
            for stage in self._stage_names
        )

    @cached_property
    def pipeline(self) -> Pipeline | None:
        """The request's pipeline; None where its row names one that does not exist."""
        return catalog().find(self.request.pipeline)

    @property
    def _stage_names(self) -> Sequence[str]:
        """The stages of the pipeline; of an unknown one those that were begun."""
        if self.pipeline is None:
            return [view.stage for view in self.views]
        return self.pipeline.stage_names

    def _not_begun(self, stage: str) -> StageSummary:
        # It may have failed before it could start.
        counted = self.request.retry_count if stage == self.request.stage else 0
        return StageSummary(stage, "pending", retry_count=counted, cost=self.spent.get(stage, 0))

    @property
    def cost(self) -> int:
        """The cost so far in micro-dollars: everything that was or may have been charged."""
        return sum(self.spent.values())

    @property
    def notes(self) -> list[str]:
        """The notes of all stages for people."""
        return [note for summary in self.stages for note in summary.notes]

    @property
    def path(self) -> Path | None:
        """The main file of a completed request, where its pipeline makes one."""
        if self.request.status is not Status.COMPLETED or self.pipeline is None:
            return None
        main = self.pipeline.main_file
        found = [path for path in self.files if main and media_type(path) == main]
        return found[-1] if found else None

    @property
    def result(self) -> Any:
        """The result of a completed request as JSON, else None."""
        if self.request.status is not Status.COMPLETED or self.pipeline is None:
            return None
        made = {view.stage: view.result for view in self.views if view.result is not None}
        return self.pipeline.result_of(made)

    @property
    def files(self) -> list[Path]:
        """Every file of the finished stages, in order."""
        made = [file for view in self.views for file in (view.result or {}).get("files", [])]
        return [self.artifacts / str(file["where"]) for file in made]

    @property
    def before(self) -> int | None:
        """The number of requests ahead of it in the wait queue for a place or a turn; else None."""
        return self.overview.before

    @property
    def expected_wait(self) -> float | None:
        """The estimated seconds until its turn: submissions get at least a third of a vendor's rate window."""
        vendor = vendor_of_turn_queue(self.request.waits_for)
        if self.before is None or vendor is None or self.pipeline is None:
            return None
        stage = self.request.stage or self.pipeline.stage_names[0]
        provider = (
            catalog().provider(self.pipeline, stage, settings())
            if self.pipeline.find_stage(stage)
            else None
        )
        if provider is None or provider.name != vendor or provider.rate is None:
            return None
        return 3 * (self.before + 1) * provider.rate.seconds / provider.rate.calls

    @property
    def seconds(self) -> float:
        """Seconds from its creation until its end, or until now."""
        end = self.request.completed_at or self.at
        return max(0.0, (end - self.request.created_at).total_seconds())

    @property
    def seconds_until_retry(self) -> float:
        """Seconds until a failed request is retried, at least 0."""
        due = self.request.not_before
        return 0.0 if due is None else max(0.0, (due - self.at).total_seconds())

    @property
    def is_over(self) -> bool:
        """Whether the request is terminal, or an operator has to resolve a submission of unknown outcome."""
        unknown = (
            self.request.status is Status.FAILED and self.request.error_code == SUBMISSION_UNKNOWN
        )
        return self.request.is_terminal or unknown


def read_snapshot(db: Database, task_id: str, artifacts: Path) -> Snapshot:
    """The request's snapshot as of now; raises UnknownRequestError."""
    return Snapshot(overview_of(db, task_id), artifacts)


def _stage_summary(view: StageView, cost: int, now: datetime) -> StageSummary:
    result: Any = view.result or {}
    seconds = None
    if view.started_at is not None and view.status != "pending":
        seconds = max(0.0, ((view.completed_at or now) - view.started_at).total_seconds())
    return StageSummary(
        stage=view.stage,
        status=view.status,
        generation=view.generation,
        attempts=view.attempts,
        retry_count=view.retry_count,
        seconds=seconds,
        progress=1.0 if view.status == "completed" else view.progress,
        progress_note=view.progress_note,
        cost=cost,
        notes=tuple(str(note) for note in result.get("notes") or ()),
        error_code=view.error_code,
        error_message=view.error_message,
    )
