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
from resources.ledger.queries.overview import (
    ArtifactView,
    AttemptView,
    Overview,
    StageView,
    build_overview,
)
from resources.ledger.request import Request, Token
from resources.ledger.schema.tables import StageStatus, Status
from resources.process.settings import settings


@dataclass(frozen=True)
class StageSummary(StageView):
    """One stage of the pipeline, started or not.

    `seconds` is the time until its end or now, `cost` all that it has cost.
    """

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
        """Every stage of the pipeline in order; of an unknown pipeline those that were begun."""
        known = {view.stage: view for view in self.overview.stages}
        names = known if self.pipeline is None else self.pipeline.stage_names
        return tuple(self._summarize(name, known.get(name)) for name in names)

    @cached_property
    def pipeline(self) -> Pipeline | None:
        """The request's pipeline; None if its row names one that does not exist."""
        return get_catalog().find_pipeline(self.request.pipeline)

    def _summarize(self, stage: str, view: StageView | None) -> StageSummary:
        if view is None:
            # It may have failed before it could start.
            counted = self.request.retry_count if stage == self.request.stage else 0
            view = StageView(stage, retry_count=counted)
        seconds = None
        if view.started_at is not None and view.status != StageStatus.PENDING:
            end = find_stage_end(view, self.overview.attempts) or self.overview.at
            seconds = max(0.0, (end - view.started_at).total_seconds())
        progress = 1.0 if view.status == StageStatus.COMPLETED else view.progress
        cost = self.overview.spent.get(view.stage, 0)
        return StageSummary(**{**vars(view), "cost": cost, "progress": progress}, seconds=seconds)

    @property
    def notes(self) -> list[str]:
        """The notes of all stages for people, after the reason why the pipeline is unknown, if it is."""
        notes = [note for summary in self.stages for note in summary.notes]
        if self.pipeline is not None:
            return notes
        return [get_catalog().make_unknown_pipeline_error(self.request.pipeline).message, *notes]

    @property
    def files(self) -> list[tuple[str, Path]]:
        """Every file of the finished stages with its stage, in order."""
        return [
            (view.stage, self.artifacts / str(file["where"]))
            for view in self.overview.stages
            for file in (view.result or {}).get("files", [])
        ]

    @property
    def main_files(self) -> list[tuple[str, Path]]:
        """A completed request's main files with their stage: those of the last stage that made any, in order."""
        if self.request.status is not Status.COMPLETED or self.pipeline is None:
            return []
        found = [
            (stage, path)
            for stage, path in self.files
            if is_main_file(self.pipeline, get_media_type(path))
        ]
        return [made for made in found if made[0] == found[-1][0]]

    @property
    def path(self) -> Path | None:
        """The last main file of a completed request; None if there is none."""
        return self.main_files[-1][1] if self.main_files else None

    @property
    def result(self) -> Any:
        """The result of a completed request as JSON, else None."""
        if self.request.status is not Status.COMPLETED or self.pipeline is None:
            return None
        return self.pipeline.build_result(self._results)

    @property
    def words(self) -> str | None:
        """The text of its products that people read; None if there is none yet."""
        if self.pipeline is None:
            return None
        return self.pipeline.join_words(self._results) or None

    @property
    def _results(self) -> Mapping[str, Mapping[str, Any]]:
        return {view.stage: view.result for view in self.overview.stages if view.result is not None}

    @property
    def expected_wait(self) -> float | None:
        """The estimated seconds until its permit; None if it waits for none, or the rate is not known.

        Submissions get at least a third of a vendor's rate window.
        """
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
    def seconds_until_retry(self) -> float:
        """Seconds until a failed request is retried, at least 0."""
        due = self.request.not_before
        return 0.0 if due is None else max(0.0, (due - self.overview.at).total_seconds())

    @property
    def is_over(self) -> bool:
        """Whether the request is terminal, or waits for an approval or for an operator to resolve a submission."""
        unknown = (
            self.request.status is Status.FAILED
            and self.request.error_code == UnknownSubmissionError.code
        )
        return self.request.is_terminal or unknown or self.request.held_stage is not None


def read_snapshot(db: Database, task_id: str, artifacts: Path) -> Snapshot:
    """Read the request's snapshot as of now; raise UnknownRequestError if there is no such request."""
    return Snapshot(build_overview(db, task_id), artifacts)


def find_stage_end(view: StageView, attempts: Sequence[AttemptView]) -> datetime | None:
    """Find when the stage was completed or its last attempt ended; None while one works on it. Pure."""
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


def select_newest_files(files: Iterable[File], cover: Cover | None) -> list[File]:
    """Select the files of the newest generation of each stage, in the order given.

    Of covers in one size, which share a prefix, only the newest is selected.
    """
    found = list(files)
    newest = {each.stage: each.generation for each in sorted(found, key=lambda f: f.generation)}
    latest = {
        (each.stage, _get_cover_prefix(each.name, cover) or each.name): each
        for each in found
        if each.generation == newest[each.stage]
    }
    return list(latest.values())


def _get_cover_prefix(name: str, cover: Cover | None) -> str | None:
    """Return the prefix of a file name that is a cover's, the first one or one that was chosen; else None."""
    base = _BASE.match(name)
    is_prefix = cover is not None and base is not None and base[0] in vars(cover).values()
    return base[0] if base and is_prefix else None


_CAPTIONS = "text/vtt"
"""Not offered as a file, but shown by a player with the film."""


def read_shared_snapshot(db: Database, token: str, artifacts: Path) -> Snapshot:
    """Read the order's snapshot as it was shared, with only the files that the link shows.

    Raises UnknownShareLinkError if the link shows nothing or the result's files no longer exist.
    """
    given = Token.read(token)
    if given is None:
        raise UnknownShareLinkError
    whole = Snapshot(read_shared_overview(db, given), artifacts)
    shown = select_shared_files(whole)
    if shown is None or any(not (artifacts / each.where).is_file() for each in shown):
        raise UnknownShareLinkError
    return Snapshot(replace(whole.overview, artifacts=shown), artifacts)


def select_shared_files(snapshot: Snapshot) -> list[ArtifactView] | None:
    """Select the result's main files with their cover and captions, or all files if the pipeline has no main file.

    Return None if the main files were removed. Files of earlier or later generations and choices that were not
    taken are never selected. A product that a person has edited has the files of the generation before.
    """
    pipeline = snapshot.pipeline
    of_stage = {view.stage: view.generation for view in snapshot.overview.stages}
    made = select_newest_files(
        (
            each
            for each in snapshot.overview.artifacts
            if each.generation <= of_stage.get(each.stage, 0)
        ),
        None,
    )
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
        and (
            each in main
            or each.media_type == _CAPTIONS
            or _get_cover_prefix(each.name, pipeline.cover)
        )
    ]
