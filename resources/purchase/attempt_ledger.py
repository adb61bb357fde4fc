"""Read and write the rows of a request's stage under the lease of its attempt."""

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import RATE_LIMITED, PermanentError, TransientError
from resources.contract.protocol import InProgress, Provider, StageSettings
from resources.files.artifacts import (
    ArtifactStore,
    MissingArtifactError,
    StoredArtifact,
    format_generation_name,
)
from resources.ledger.ledger_errors import (
    DailyBudgetError,
    IllegalTransitionError,
    NoPermitError,
    ProviderPausedError,
)
from resources.ledger.limits import FINAL_STATUS_PREFIX, parse_wait
from resources.ledger.queries.listing import find_artifact
from resources.ledger.queries.money import (
    compute_usual_seconds,
    count_polled_jobs,
    read_failure_history,
    sum_abandoned_cost,
)
from resources.ledger.queries.status import (
    find_newest_result,
    read_stage_generations,
    read_stage_result,
)
from resources.ledger.request import ProjectionChange, Request, SettledKey
from resources.ledger.rules import FailureHistory
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.dispatch import acquire_permit, read_vendor_availability
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.jobs import (
    Budget,
    Job,
    find_live_submission,
    save_intent,
    save_orphan_if_deleted,
    save_outcome,
)
from resources.ledger.transitions.source_checks import schedule_check
from resources.ledger.transitions.stages import (
    StageEntry,
    begin_stage,
    complete_request,
    complete_stage,
    complete_with_other_results,
    find_reusable_request,
    save_progress,
)
from resources.ledger.workers.attempt import Attempt
from resources.process.crash_points import trigger_crash_point
from resources.process.file_locks import translate_disk_errors
from resources.process.settings import Settings
from resources.providers.background_jobs import use_sleep_in_rate_gates
from resources.purchase.failures import pause_on_refusal
from resources.purchase.stage_context import FinishedStage, StageLedger, StageOutcome

_USD = 1_000_000
# A run is launched shortly before its permit is due; where that is later, the request is requeued.
_MAX_PERMIT_WAIT = 5.0


class AttemptLedger(StageLedger):
    """The stored submissions and results of one stage, as one attempt of its request reads and writes them.

    Every write raises LeaseLostError if the lease is no longer valid.
    """

    def __init__(self, attempt: Attempt, stage: StageSettings) -> None:
        super().__init__(attempt.task_id, attempt.order, stage)
        self._attempt = attempt
        self._db = attempt.db
        self._lease: Lease
        self._entry: StageEntry

    def take_over(
        self, store: ArtifactStore, key: str, projection_table: str | None
    ) -> StageOutcome | None:
        """Complete the request with the results of the request that holds this shared key, from this stage on.

        Returns the stage's result. Returns None if the attempt has to make it: no other request has it, the
        request has results already, or a redo from a later stage makes it again. A request that died and was
        retried keeps its own results. Raises SameOrderError while the other request makes the result, and
        MissingArtifactError if one of its files is gone.
        """
        attempt, stage = self._attempt, self.stage.name
        if attempt.lease is None or attempt.is_closed:
            return None
        generations = read_stage_generations(self._db, attempt.request.id)
        names = [
            name
            for name in attempt.stage_names[attempt.stage_names.index(stage) :]
            if find_newest_result(self._db, self.task_id, name) is None
        ]
        if not names or generations.get(names[0], 1) > generations.get(stage, 1):
            return None
        attempt.ensure_worker_running()
        same = find_reusable_request(self._db, attempt.lease, key)
        if same is None:
            return None
        taken = _copy_results(attempt, same, names, generations, store)
        if len(taken) < len(names):
            return None
        trigger_crash_point(f"{stage}.after_keep")
        request = complete_with_other_results(
            self._db, attempt.lease, taken, attempt.stage_names, same.task_id, projection_table
        )
        attempt.is_closed = request.status is Status.COMPLETED
        return StageOutcome(taken[stage][0], reused=True, cost=0) if stage in taken else None

    def begin(self, projection: ProjectionChange | None) -> Mapping[str, Any] | None:
        """Begin the stage and open its projection; return the result if it was completed before, None otherwise.

        The last stage, if completed before, completes the request. A completed request only reads the result
        back: Dagster may begin the ops of a graph with branches in another order than the stages'. Raises
        PermanentError `stage_missing` if it has no result then.
        """
        attempt, stage = self._attempt, self.stage
        if attempt.lease is None or attempt.is_closed:
            return self._read_completed()
        attempt.ensure_worker_running()
        names = attempt.stage_names
        entry = begin_stage(self._db, attempt.lease, stage.name, names, stage.slots, projection)
        if entry.result is not None and stage.name == names[-1]:
            request = complete_request(self._db, attempt.lease, names)
            attempt.is_closed = request.status is Status.COMPLETED
        self._lease, self._entry, self.generation = attempt.lease, entry, entry.generation
        return entry.result

    def read_result(self, stage: str) -> Mapping[str, Any] | None:
        """Read the newest result of a stage of the request; None if its newest generation is not completed."""
        return read_stage_result(self._db, self.task_id, stage)

    def _read_completed(self) -> Mapping[str, Any]:
        """Read this stage's result; raise PermanentError `stage_missing` if it is not completed."""
        stage = self.stage.name
        result = self.read_result(stage)
        if result is None:
            raise PermanentError(
                f"{stage}: request {self.task_id} is completed but has no {stage}; "
                "`castad redo` makes it again",
                code="stage_missing",
            )
        return result

    def find_job(self) -> Job | None:
        """Return the submission of this stage and generation that may still deliver; None if there is none."""
        return find_live_submission(self._db, self._lease, self._entry)

    def ensure_available(self, provider: Provider) -> None:
        """Raise ProviderPausedError or NoPermitError if the vendor takes no job soon."""
        availability = read_vendor_availability(self._db, self._lease, provider.name, provider.rate)
        if availability.pause_reason is not None:
            raise ProviderPausedError(provider.name, availability.pause_reason)
        if availability.wait is None:
            raise NoPermitError(self.stage.name, provider.name)

    def acquire_permit(self, provider: Provider) -> None:
        """Take a permit of the vendor's rate window, waiting up to 5 s.

        Raise NoPermitError if none is free by then.
        """
        if provider.rate is None:
            return
        deadline = time.monotonic() + _MAX_PERMIT_WAIT
        while wait := acquire_permit(self._db, self._lease, provider.name, provider.rate):
            if time.monotonic() + wait > deadline:
                raise NoPermitError(self.stage.name, provider.name)
            self.sleep(wait)
        if wait is None:
            raise NoPermitError(self.stage.name, provider.name)

    def save_intent(self, provider: Provider, token: str, cost: int) -> Job:
        """Commit the submission before anything is sent, within the budgets of the request and of the day."""
        return save_intent(
            self._db,
            self._lease,
            self._entry,
            provider=provider.name,
            token=token,
            request_hash=self.request_hash,
            cost=cost,
            budget=_read_budget(self._attempt.settings),
        )

    def save_outcome(self, job: Job, status: JobStatus, **known: Any) -> Job:
        """Commit the submission's outcome, and return the changed job.

        `known` are the ledger's `save_outcome` arguments. Raises TransientError `submission_changed` if
        another attempt has saved more.
        """
        try:
            return save_outcome(self._db, self._lease, self._entry, job, status, **known)
        except IllegalTransitionError as error:
            # Another attempt, or an earlier process of this one, has saved more: read it again.
            raise TransientError(error.message, code="submission_changed") from error

    def save_if_orphaned(self, job: Job) -> None:
        """Store the submission as an orphan if it or its request was deleted; ignore an unavailable database."""
        with suppress(SQLAlchemyError):
            save_orphan_if_deleted(self._db, self._lease, self._entry, job)

    @property
    def abandoned_cost(self) -> int:
        """The possible cost of the replaced submissions since a person last made the request due."""
        return sum_abandoned_cost(
            self._db, self._lease.request_id, self.stage.name, self.generation
        )

    def read_failures(self, code: str) -> FailureHistory:
        """Count the stage's submissions that failed with this error code."""
        return read_failure_history(
            self._db, self._lease.request_id, self.stage.name, self.generation, code
        )

    @contextmanager
    def pausing(self, provider: Provider) -> Iterator[None]:
        """Pause the vendor if the block raises a refusal that holds for all jobs.

        A daily budget that is spent pauses all purchases. A refused rate with a wait within the vendor's
        window becomes NoPermitError and pauses nothing: the calls only came too close together. Calls in the
        block wait for the vendor's rate as `sleep` does.
        """
        rate = provider.rate
        with (
            pause_on_refusal(self._db, provider.name, self._attempt.settings.credit_pause),
            use_sleep_in_rate_gates(self._attempt.interruptible_sleep),
        ):
            try:
                yield
            except TransientError as error:
                wait = error.retry_after
                if error.code != RATE_LIMITED or not wait or rate is None or wait > rate.seconds:
                    raise
                raise NoPermitError(self.stage.name, provider.name, wait) from None
            except DailyBudgetError as error:
                pause_provider(self._db, error.waits_for, error.message, error.wait)
                raise

    @contextmanager
    def calling(self, vendor: str) -> Iterator[None]:
        """Raise ProviderPausedError if the vendor is paused.

        Pause it if the block raises a refusal that holds for all jobs.
        """
        availability = read_vendor_availability(self._db, self._lease, vendor, None)
        if availability.pause_reason is not None:
            raise ProviderPausedError(vendor, availability.pause_reason)
        with pause_on_refusal(self._db, vendor, self._attempt.settings.credit_pause):
            yield

    def resumed_wait(self, provider: Provider) -> float | None:
        """Return the seconds for which the request waited for the provider's final status without a run.

        None if it did not wait for this stage and provider.
        """
        request = self._attempt.request
        waited_for = (request.stage, parse_wait(FINAL_STATUS_PREFIX, request.waits_for))
        if waited_for != (self.stage.name, provider.name) or request.asked_at is None:
            return None
        return max((request.updated_at - request.asked_at).total_seconds(), 0.0)

    def usual_seconds(self, provider: Provider) -> float:
        """Return the median seconds of such a submission; the provider's own figure until three have succeeded."""
        pipeline = self._attempt.request.pipeline
        known = compute_usual_seconds(self._db, pipeline, self.stage.name, provider.name)
        return provider.usual_seconds if known is None else known

    def count_in_flight(self, provider: Provider) -> int:
        """Count the vendor's submissions that are polled; 1 for a provider on this machine."""
        return 1 if provider.rate is None else count_polled_jobs(self._db, provider.name)

    def sleep(self, seconds: float, *, at_least: float = 0.0, yields: bool = False) -> float:
        """Sleep as `Attempt.interruptible_sleep` does."""
        return self._attempt.interruptible_sleep(seconds, at_least=at_least, yields=yields)

    def ensure_running(self) -> None:
        """Raise WorkerStoppingError if the worker drains."""
        self._attempt.ensure_worker_running()

    def ensure_may_continue(self) -> None:
        """Raise LeaseLostError, CancelRequestedError or WorkerStoppingError if the attempt has to stop."""
        self._attempt.ensure_may_continue()

    def is_still_held(self) -> bool:
        """Return whether the lease certainly has not expired, even if the process was suspended."""
        return self._attempt.is_still_held()

    def save_progress(self, report: InProgress) -> None:
        """Store the progress for display; the report is lost if the database does not answer."""
        with suppress(SQLAlchemyError):
            save_progress(self._db.with_retry_budget(0), self._lease, self._entry, report)

    def schedule_check(self, subject: str, part: str, found: str) -> None:
        """Schedule the checks of the request's source, `part` of `subject`.

        `found` is the unique key it came to.
        """
        attempt = self._attempt
        of = (attempt.request.pipeline, subject, part)
        schedule_check(self._db, *of, payload=self.payload, found=found)

    def find_file_stage(self, name: str) -> str | None:
        """Return the stage that has made the request's file of this name; None if no stage has."""
        artifact = find_artifact(self._db, self.task_id, name)
        return None if artifact is None else artifact.stage

    def complete(
        self,
        result: Mapping[str, Any],
        files: Sequence[StoredArtifact],
        finished: FinishedStage,
        settled: SettledKey | None,
    ) -> None:
        """Complete the stage for good, and the request with its last stage."""
        request = complete_stage(
            self._db,
            self._lease,
            self._entry,
            result=result,
            cost=finished.cost,
            token=finished.token,
            files=files,
            pipeline_stages=self._attempt.stage_names,
            settled=settled,
        )
        self._attempt.is_closed = request.status is Status.COMPLETED


def _read_budget(settings: Settings) -> Budget:
    """Return the budgets of the settings in micro-dollars."""
    return Budget(_to_micro_dollars(settings.max_cost), _to_micro_dollars(settings.daily_budget))


def _to_micro_dollars(usd: float | None) -> int | None:
    """Convert dollars to micro-dollars; None stays None."""
    return None if usd is None else round(usd * _USD)


def _copy_results(
    attempt: Attempt,
    same: Request,
    stages: Sequence[str],
    generations: Mapping[str, int],
    store: ArtifactStore,
) -> Mapping[str, tuple[Mapping[str, Any], Sequence[StoredArtifact]]]:
    """Copy the other request's results of these stages, with its files linked into this request's folder.

    `same` is the other request, `generations` this request's newest generation by stage. Stages that the other
    request is making again are left out. Returns result and files by stage.
    """
    taken = {}
    for stage in stages:
        found = find_newest_result(attempt.db, same.task_id, stage)
        if found is None:
            continue
        of_same, result = found
        files = [
            _link_file(
                store, StoredArtifact(**each), attempt, of_same, generations.get(stage, 1), same
            )
            for each in result.get("files", ())
        ]
        taken[stage] = ({**result, "files": [asdict(file) for file in files]}, files)
    return taken


def _link_file(
    store: ArtifactStore,
    file: StoredArtifact,
    attempt: Attempt,
    from_generation: int,
    to_generation: int,
    same: Request,
) -> StoredArtifact:
    """Link or copy a file of the request `same` into this request's folder, and return its new description.

    So each request's file can be deleted without the other's. Raises MissingArtifactError if the file is gone.
    """
    name = Path(file.name)
    if from_generation != 1:
        name = Path(f"{name.stem.removesuffix(f'.{from_generation}')}{name.suffix}")
    named = format_generation_name(name, to_generation)
    linked = replace(file, name=named, where=f"{attempt.task_id}/{named}")
    try:
        source = store.open(vars(file))
    except MissingArtifactError as error:
        raise MissingArtifactError(error.name, f"castad redo {same.task_id}") from None
    with translate_disk_errors(), store.workspace() as folder:
        copy = folder / named
        with suppress(OSError):
            os.link(source, copy)
        if not copy.exists():
            shutil.copyfile(source, copy)
        store.move_into_store(copy, linked)
    return linked
