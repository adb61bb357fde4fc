"""A snapshot of a request: everything that status pages, share links and the live display show."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pipeline_defs.capabilities import MainFile, is_main_file
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Cover, Pipeline
from resources.contract.errors import UnknownSubmissionError
from resources.files.artifacts import get_media_type
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.limits import PERMIT_PREFIX, parse_wait
from resources.ledger.queries.access import read_shared_overview
from resources.ledger.queries.health import (
    ArtifactView,
    AttemptView,
    Overview,
    StageView,
    build_overview,
)
from resources.ledger.request import Request, Token
from resources.ledger.schema.tables import StageStatus, Status
from resources.process.settings import settings
from resources.views.order_body import measure_seconds


@dataclass(frozen=True)
class StageSummary(StageView):
    """One stage of the pipeline, started or not. `seconds` is until now or its end, `cost` all it has cost."""

    seconds: float | None = None

    @property
    def notes(self) -> list[str]:
        """The notes of its result for people."""
        return [str(note) for note in (self.result or {}).get("notes") or ()]


@dataclass(frozen=True)
class Snapshot:
    """A request at one moment of the database's clock."""

    overview: Overview
    artifacts: Path

    @property
    def request(self) -> Request:
        """The request's row."""
        return self.overview.request

    @cached_property
    def stages(self) -> tuple[StageSummary, ...]:
        """Every stage of the pipeline in order."""
        known = {view.stage: view for view in self.overview.stages}
        names = self._stage_names
        return tuple(self._summary(known.get(name) or self._not_begun(name)) for name in names)

    @cached_property
    def pipeline(self) -> Pipeline | None:
        """The request's pipeline; None where its row names one that does not exist."""
        return get_catalog().find_pipeline(self.request.pipeline)

    @property
    def _stage_names(self) -> Sequence[str]:
        """The stages of the pipeline; of an unknown one those that were begun."""
        if self.pipeline is None:
            return [view.stage for view in self.overview.stages]
        return self.pipeline.stage_names

    def _summary(self, view: StageView) -> StageSummary:
        seconds = None
        if view.started_at is not None and view.status != StageStatus.PENDING:
            end = stage_end(view, self.overview.attempts) or self.overview.at
            seconds = max(0.0, (end - view.started_at).total_seconds())
        progress = 1.0 if view.status == StageStatus.COMPLETED else view.progress
        cost = self.overview.spent.get(view.stage, 0)
        return StageSummary(**{**vars(view), "cost": cost, "progress": progress}, seconds=seconds)

    def _not_begun(self, stage: str) -> StageView:
        # It may have failed before it could start.
        counted = self.request.retry_count if stage == self.request.stage else 0
        return StageView(stage, retry_count=counted)

    @property
    def cost(self) -> int:
        """The cost so far in micro-dollars: everything that was or may have been charged."""
        return sum(self.overview.spent.values())

    @property
    def notes(self) -> list[str]:
        """For people: why the pipeline is unknown, where it is, and the notes of all stages."""
        unknown = get_catalog().make_unknown_pipeline_error(self.request.pipeline).message
        notes = [note for summary in self.stages for note in summary.notes]
        return notes if self.pipeline is not None else [unknown, *notes]

    @property
    def path(self) -> Path | None:
        """The main file of a completed request, where its pipeline makes one."""
        return None if self.main_file is None else self.main_file[1]

    @property
    def main_paths(self) -> list[Path]:
        """All main files of the stage that made the last one, in order."""
        last = self.main_file
        if last is None or self.pipeline is None:
            return []
        made = [path for stage, path in self._made if stage == last[0]]
        return [path for path in made if is_main_file(self.pipeline, get_media_type(path))]

    @property
    def main_file(self) -> tuple[str, Path] | None:
        """The stage and the path of a completed request's main file, where its pipeline makes one."""
        if self.request.status is not Status.COMPLETED or self.pipeline is None:
            return None
        found = [
            made for made in self._made if is_main_file(self.pipeline, get_media_type(made[1]))
        ]
        return found[-1] if found else None

    @property
    def result(self) -> Any:
        """The result of a completed request as JSON, else None."""
        if self.request.status is not Status.COMPLETED or self.pipeline is None:
            return None
        return self.pipeline.build_result(self._results)

    @property
    def words(self) -> str | None:
        """The text of its products that people read, None where there is none yet."""
        if self.pipeline is None:
            return None
        return self.pipeline.join_words(self._results) or None

    @property
    def _results(self) -> Mapping[str, Mapping[str, Any]]:
        return {view.stage: view.result for view in self.overview.stages if view.result is not None}

    @property
    def files(self) -> list[Path]:
        """Every file of the finished stages, in order."""
        return [path for _, path in self._made]

    @property
    def _made(self) -> list[tuple[str, Path]]:
        return [
            (view.stage, self.artifacts / str(file["where"]))
            for view in self.overview.stages
            for file in (view.result or {}).get("files", [])
        ]

    @property
    def expected_wait(self) -> float | None:
        """The estimated seconds until its permit: submissions get at least a third of a vendor's rate window."""
        vendor = parse_wait(PERMIT_PREFIX, self.request.waits_for)
        if self.overview.before is None or vendor is None or self.pipeline is None:
            return None
        stage = self.request.stage or self.pipeline.stage_names[0]
        provider = (
            get_catalog().make_stage_provider(self.pipeline, stage, settings())
            if self.pipeline.find_stage(stage)
            else None
        )
        if provider is None or provider.name != vendor or provider.rate is None:
            return None
        return 3 * (self.overview.before + 1) * provider.rate.seconds / provider.rate.calls

    @property
    def seconds(self) -> float:
        """Seconds from its creation until its end, or until now."""
        return measure_seconds(self.request, self.overview.at)

    @property
    def seconds_until_retry(self) -> float:
        """Seconds until a failed request is retried, at least 0."""
        due = self.request.not_before
        return 0.0 if due is None else max(0.0, (due - self.overview.at).total_seconds())

    @property
    def is_over(self) -> bool:
        """Whether the request is terminal or waits for a person.

        A person has to approve what a stage has made, or an operator to resolve a submission of unknown outcome.
        """
        unknown = (
            self.request.status is Status.FAILED
            and self.request.error_code == UnknownSubmissionError.code
        )
        return self.request.is_terminal or unknown or self.request.held_stage is not None


def read_snapshot(db: Database, task_id: str, artifacts: Path) -> Snapshot:
    """The request's snapshot as of now; raises UnknownRequestError."""
    return Snapshot(build_overview(db, task_id), artifacts)


def stage_end(view: StageView, attempts: Sequence[AttemptView]) -> datetime | None:
    """When the stage was completed, or the last attempt that worked on it ended; None while one does. Pure."""
    if view.completed_at is not None:
        return view.completed_at
    ended = [each for each in attempts if each.ended_at is not None]
    if view.status == StageStatus.PROCESSING and len(ended) < len(attempts):
        return None
    error = (view.error_code, view.error_message)
    failed = [each for each in ended if (each.error_code, each.error_message) == error]
    return max((each.ended_at for each in failed or ended if each.ended_at), default=None)


_BASE = re.compile(r"^[^.-]+")


class _File(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def generation(self) -> int: ...


File = TypeVar("File", bound=_File)


def newest_files(files: Iterable[File], cover: Cover | None) -> list[File]:
    """The files of the newest generation of each stage that has files, in the order given.

    Of covers in one size, which begin with one name, there is only the newest.
    """
    found = list(files)
    newest = {each.stage: each.generation for each in sorted(found, key=lambda f: f.generation)}
    latest = {
        (each.stage, _one_name(each.name, cover)): each
        for each in found
        if each.generation == newest[each.stage]
    }
    return list(latest.values())


def is_cover(name: str, cover: Cover | None) -> bool:
    """Return whether a file of this name is a cover, the first one or one that was chosen."""
    base = _BASE.match(name)
    return cover is not None and base is not None and base[0] in vars(cover).values()


def _one_name(name: str, cover: Cover | None) -> str:
    """The name, by which a cover takes the place of the one before."""
    base = _BASE.match(name)
    return base[0] if base and is_cover(name, cover) else name


_CAPTIONS = "text/vtt"
"""Not offered, but shown by a player with the film."""


def shared_snapshot(db: Database, token: str, artifacts: Path) -> Snapshot:
    """Return the snapshot of the order as it was shared, with the files that the link shows and no others.

    Raises UnknownShareLinkError where the link shows nothing, or the result's files are not there any more.
    """
    given = Token.read(token)
    if given is None:
        raise UnknownShareLinkError
    whole = Snapshot(read_shared_overview(db, given), artifacts)
    shown = shared_files(whole)
    if shown is None or any(not (artifacts / each.where).is_file() for each in shown):
        raise UnknownShareLinkError
    return Snapshot(replace(whole.overview, artifacts=shown), artifacts)


def shared_files(snapshot: Snapshot) -> list[ArtifactView] | None:
    """Return the main files of the result with their cover and captions, or all of it where its pipeline has none.

    None where the main files have been removed. Never what was made before or after, nor what was not chosen.
    """
    pipeline, made = snapshot.pipeline, _made_of(snapshot)
    wanted = None if pipeline is None else pipeline.find_extra(MainFile)
    if pipeline is None or wanted is None:
        return made
    main = [each for each in made if wanted.matches(each.media_type)]
    if not main:
        return None
    return [
        each
        for each in made
        if each.stage == main[-1].stage
        and (each in main or each.media_type == _CAPTIONS or is_cover(each.name, pipeline.cover))
    ]


def _made_of(snapshot: Snapshot) -> list[ArtifactView]:
    """Return the files of each stage; a product that a person has changed has those of the generation before."""
    of_stage = {view.stage: view.generation for view in snapshot.overview.stages}
    files = [
        each
        for each in snapshot.overview.artifacts
        if each.generation <= of_stage.get(each.stage, 0)
    ]
    newest = {
        each.stage: each.generation for each in sorted(files, key=lambda file: file.generation)
    }
    return [each for each in files if each.generation == newest[each.stage]]
