"""One execution of a stage: its surroundings, its maker, and what it stores."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from resources.contract.errors import UnknownSubmissionError
from resources.contract.protocol import (
    InProgress,
    Product,
    Provider,
    StageInput,
    StageSettings,
    Work,
)
from resources.files.artifacts import ArtifactStore, StoredArtifact
from resources.files.pictures import PictureSource
from resources.ledger.request import ProjectionChange, SettledKey
from resources.ledger.rules import FailureHistory
from resources.ledger.schema.tables import LIVE_JOBS, JobStatus
from resources.ledger.transitions.jobs import Job
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import Settings


@dataclass(frozen=True)
class ProviderJob:
    """The job that a provider does for a stage; `pictures` are references to the pictures that it needs."""

    provider: Provider
    job_input: StageInput
    pictures: Sequence[Mapping[str, Any]] = ()


LocalWork = Callable[[Work], Product]
"""What this machine does for a stage."""


@dataclass(frozen=True)
class FinishedStage:
    """A finished product and its cost in micro-dollars.

    `token` names the submission whose cost became known only with the product; None if it was known before.
    """

    product: Product
    cost: int = 0
    token: str | None = None


@dataclass(frozen=True)
class StageOutcome:
    """The result of a completed stage.

    `result` is as stored. `reused` is whether the result existed before this call; `cost` is in micro-dollars.
    """

    result: Mapping[str, Any]
    reused: bool
    cost: int


def hash_payload(payload: StageInput) -> str:
    """Return the SHA-256 of a request's payload, the same for the same content.

    The vendor's request body is not hashed: it may change with a release while the purchase stays valid.
    """
    text = json.dumps(payload, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class StageLedger:
    """The submissions of one stage in memory, without a database: a direct answer uses it.

    Nothing stops the execution or counts a vendor's rate. `AttemptLedger`, a subclass, stores the submissions
    of a request. `payload` is the request's.
    """

    generation = 1

    def __init__(self, task_id: str, payload: StageInput, stage: StageSettings) -> None:
        self.task_id = task_id
        self.payload = payload
        self.stage = stage
        self.jobs: dict[int, Job] = {}
        self.codes: dict[int, str] = {}
        """The first error code of each failed submission."""

    @cached_property
    def request_hash(self) -> str:
        """The hash of the request's payload, which has to be valid."""
        return hash_payload(self.payload)

    def begin(self, projection: ProjectionChange | None) -> Mapping[str, Any] | None:
        """Begin the stage and open its projection.

        Return the result if it was completed before, None otherwise.
        """
        return None

    def find_job(self) -> Job | None:
        """Return the submission that may still deliver; None if there is none."""
        return next((job for job in self.jobs.values() if job.status in LIVE_JOBS), None)

    def ensure_available(self, provider: Provider) -> None:
        """Raise ProviderPausedError or NoPermitError if the vendor takes no job soon."""

    def acquire_permit(self, provider: Provider) -> None:
        """Take a permit of the vendor's rate window; raise NoPermitError if none is free soon."""

    def save_intent(self, provider: Provider, token: str, cost: int) -> Job:
        """Store the submission before anything is sent, within the budgets.

        `cost` is expected, in micro-dollars.
        """
        key = len(self.jobs) + 1
        job = Job(key, provider.name, JobStatus.INTENT, token, None, self.request_hash, None, cost)
        self.jobs[key] = job
        return job

    def save_outcome(
        self,
        job: Job,
        status: JobStatus,
        *,
        external_id: str | None = None,
        answer: Mapping[str, Any] | None = None,
        cost: int | None = None,
        code: str | None = None,
        message: str | None = None,
    ) -> Job:
        """Store the submission's outcome, and return the changed job; None leaves a value unchanged.

        Args:
            answer: the provider's final answer.
            cost: the charged cost in micro-dollars, which replaces the expected one.
            code: the error code of a failed or unknown submission, with its `message`.
        """
        known = external_id or job.external_id
        paid = job.cost if cost is None else cost
        saved = replace(job, status=status, external_id=known, answer=answer, cost=paid)
        self.jobs[job.id] = saved
        if code is not None:
            self.codes.setdefault(job.id, code)
        return saved

    def save_if_orphaned(self, job: Job) -> None:
        """Store the submission as an orphan if its row was deleted before it was settled."""

    @property
    def abandoned_cost(self) -> int:
        """The possible cost of the lost submissions that another one replaced, in micro-dollars."""
        return sum(
            job.cost
            for job in self.jobs.values()
            if job.status is JobStatus.FAILED
            and self.codes.get(job.id) == UnknownSubmissionError.code
        )

    def read_failures(self, code: str) -> FailureHistory:
        """Count the submissions that failed with this error code."""
        return FailureHistory(list(self.codes.values()).count(code), retries_requested=False)

    def pausing(self, provider: Provider) -> AbstractContextManager[None]:
        """Pause the vendor if the block raises a refusal that holds for all jobs."""
        return nullcontext()

    def calling(self, vendor: str) -> AbstractContextManager[None]:
        """Allow free calls to a vendor in the block, as `Work.calling` describes."""
        return nullcontext()

    def resumed_wait(self, provider: Provider) -> float | None:
        """Return the seconds for which the request waited for the provider's final status without a run.

        None if it did not wait so.
        """
        return None

    def usual_seconds(self, provider: Provider) -> float:
        """Return the seconds that such a submission usually takes."""
        return provider.usual_seconds

    def count_in_flight(self, provider: Provider) -> int:
        """Count the vendor's submissions that are polled now, including this one."""
        return 1

    def sleep(self, seconds: float, *, at_least: float = 0.0, yields: bool = False) -> float:
        """Sleep for `seconds` and return 0.0, the seconds that are left.

        Nothing ends this sleep early: `at_least` and `yields` matter only to a stage of a request.
        """
        time.sleep(seconds)
        return 0.0

    def ensure_running(self) -> None:
        """Raise WorkerStoppingError if the worker is stopping."""

    def ensure_may_continue(self) -> None:
        """Raise LeaseLostError, CancelRequestedError or WorkerStoppingError if the execution has to stop."""

    def is_still_held(self) -> bool:
        """Return whether no other attempt can have claimed the request."""
        return True

    def save_progress(self, report: InProgress) -> None:
        """Store the progress for display."""

    def find_file_stage(self, name: str) -> str | None:
        """Return the stage that has made the request's file of this name; None if no stage has."""
        return None

    def complete(
        self,
        result: Mapping[str, Any],
        files: Sequence[StoredArtifact],
        finished: FinishedStage,
        settled: SettledKey | None,
    ) -> None:
        """Complete the stage for good, and the request with its last stage.

        Args:
            result: the result as it is stored.
            files: the files, already moved into the store.
            finished: the product's cost.
            settled: the unique key that follows from the result; None keeps the present one.
        """
        job = self.find_job()
        if job is not None:
            self.jobs[job.id] = replace(job, cost=finished.cost)


class ResultRules:
    """What a pipeline requires of a stage's result, and reads from it; this base class requires nothing."""

    def check(self, result: Mapping[str, Any]) -> None:
        """Raise PermanentError if the result must not be stored."""

    def settle_key(self, result: Mapping[str, Any]) -> SettledKey | None:
        """Return the unique key that follows from the result; None keeps the present one."""
        return None


class Log(Protocol):
    """The log of a run."""

    def info(self, msg: str, /) -> None:
        """Write a line."""


@dataclass
class StageContext:
    """What one execution of a stage needs: its ledger, its maker and where its files are stored.

    `projection` is written when the stage begins. `defer_interrupts` makes the block that delays interrupts
    between a job's intent and the saving of its id.
    """

    ledger: StageLedger
    maker: ProviderJob | LocalWork
    settings: Settings
    store: ArtifactStore
    pictures: PictureSource
    log: Log
    rules: ResultRules = field(default_factory=ResultRules)
    projection: ProjectionChange | None = None
    defer_interrupts: Callable[[], AbstractContextManager[None]] = nullcontext
    _last_saved: InProgress = field(default_factory=InProgress, init=False)

    def pass_crash_point(self, name: str) -> None:
        """Let a fault test stop this stage at the crash point of this name; do nothing otherwise."""
        trigger_crash_point(f"{self.ledger.stage.name}.{name}")

    def save_progress(self, report: InProgress, step: float) -> None:
        """Save the report if its progress has grown by `step`, in [0, 1]; a `step` of 0 saves every change."""
        report = _make_report_storable(report)
        if has_advanced(report, self._last_saved, step):
            self._last_saved = report
            self.ledger.save_progress(report)


_LONGEST_NOTE = 300


def has_advanced(report: InProgress, before: InProgress, step: float) -> bool:
    """Return whether the progress grew by `step`.

    If that is 0 or a progress is unknown, whether the report changed.
    """
    if step == 0 or report.progress is None or before.progress is None:
        return report != before
    return report.progress - before.progress >= step


def _make_report_storable(report: InProgress) -> InProgress:
    """Clamp the progress to [0, 1], and shorten the note to text that every database can store."""
    share = None if report.progress is None else min(max(0.0, report.progress), 1.0)
    note = report.note.encode(errors="replace").decode().replace("\0", "")
    return InProgress(share, note[:_LONGEST_NOTE])
