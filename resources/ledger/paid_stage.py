"""The one call in which money is spent: memo, intent, submit, record, poll, fetch, store, done.

Whatever dies between two of these steps, the next attempt finds in the ledger how far it came, and goes
on from there. Between intent and record nobody knows: that is `submission_unknown`, and it is never sent
again by guess.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from resources.artifacts import ArtifactStore, generation_name
from resources.ledger.errors import CancelRequestedError, LeaseLostError
from resources.ledger.lease import Attempt
from resources.ledger.moves.core import Lease
from resources.ledger.moves.stages import (
    Job,
    StageEntry,
    begin_stage,
    complete_request,
    complete_stage,
    intend,
    live_job,
    note_progress,
    settle_job,
)
from resources.ledger.reads import stage_result
from resources.ledger.tables import JobStatus
from resources.providers.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.providers.protocol import Finished, Order, Provider

_POLL_FAILURES_IN_A_ROW = 5
_PROGRESS_STEP = 0.01
Say = Callable[[str], None]


@dataclass(frozen=True)
class Made:
    """What a stage has to show. `result` as stored, `reused` where it was there before; cost in micro-dollars."""

    result: Mapping[str, Any]
    reused: bool
    cost: int


def make(
    attempt: Attempt,
    stage: str,
    provider: Provider,
    order: Order,
    *,
    pipeline_stages: Sequence[str],
    store: ArtifactStore,
    say: Say,
) -> Made:
    """The stage is completed, by this call or by an earlier one, and was bought at most once.

    Raises the errors of `resources.providers.errors` where it could not be made, LeaseLostError or
    CancelRequestedError where this attempt has to stop. No database connection is held while the
    provider is asked.
    """
    if attempt.lease is None:
        return Made(_completed_result(attempt, stage), reused=True, cost=0)
    entry = begin_stage(attempt.db, attempt.lease, stage)
    if entry.result is not None:
        if stage == pipeline_stages[-1]:
            complete_request(attempt.db, attempt.lease)
        return Made(entry.result, reused=True, cost=0)
    call = _PaidStage(attempt, attempt.lease, entry, provider, order, say)
    try:
        job, answer = call.job_with_answer()
        return _deliver(call, job, answer, store, pipeline_stages)
    except (CancelRequestedError, LeaseLostError):
        call.stop()
        raise


def _completed_result(attempt: Attempt, stage: str) -> Mapping[str, Any]:
    result = stage_result(attempt.db, attempt.task_id, stage)
    if result is None:
        raise PermanentError(
            f"{stage}: request {attempt.task_id} is completed but has no {stage}; "
            "`castad redo` makes it anew",
            code="stage_missing",
        )
    return result


def _deliver(
    call: "_PaidStage",
    job: Job,
    answer: Mapping[str, Any],
    store: ArtifactStore,
    pipeline_stages: Sequence[str],
) -> Made:
    with store.workspace() as folder:
        product = call.provider.fetch(call.order, answer, folder)
        files = [
            store.keep(file, call.attempt.task_id, generation_name(file, call.entry.generation))
            for file in product.files
        ]
    cost = job.cost if product.cost is None else product.cost
    result = {**product.result, "files": [asdict(file) for file in files]}
    complete_stage(
        call.attempt.db,
        call.lease,
        call.entry,
        result=result,
        cost=cost,
        files=files,
        pipeline_stages=pipeline_stages,
    )
    return Made(result, reused=False, cost=cost)


class _PaidStage:
    """One stage on its way to the provider's verdict of success."""

    def __init__(
        self,
        attempt: Attempt,
        lease: Lease,
        entry: StageEntry,
        provider: Provider,
        order: Order,
        say: Say,
    ) -> None:
        self.attempt = attempt
        self.lease = lease
        self.entry = entry
        self.provider = provider
        self.order = order
        self._say = say
        self._running: Job | None = None
        self._progress = 0.0

    def job_with_answer(self) -> tuple[Job, Mapping[str, Any]]:
        """The succeeded submission and what is needed to fetch its result."""
        job = live_job(self.attempt.db, self.lease, self.entry)
        if job is not None and job.provider != self.provider.name:
            self._leave_other_provider(job)
            job = None
        if job is not None and job.status in (JobStatus.INTENT, JobStatus.UNKNOWN):
            job = self._find(job)
        if job is None:
            job = self._submit()
        if job.status is JobStatus.SUBMITTED:
            job = self._await(job)
        return job, job.answer or {}

    def stop(self) -> None:
        """What runs for free is stopped; what was paid for is left for the next attempt or a person."""
        if self._running is not None and self._running.cost == 0:
            self.provider.cancel(str(self._running.external_id))

    def _leave_other_provider(self, job: Job) -> None:
        if not self._is_cheap(job):
            raise PermanentError(
                f"{self.entry.stage}: it was ordered from {job.provider} "
                f"(job {job.external_id or 'unknown'}), and {self.provider.name} is set now; "
                f"set {job.provider} again, or redo {self.entry.stage} to buy it anew",
                code="provider_changed",
            )
        message = f"left for {self.provider.name}"
        self._settle(job, JobStatus.FAILED, code="provider_changed", message=message)

    def _find(self, job: Job) -> Job | None:
        """A submission that nobody heard of again: found, given up where it is cheap, or still unknown."""
        external_id = self.provider.find(job.token)
        if external_id is not None:
            return self._settle(job, JobStatus.SUBMITTED, external_id=external_id)
        if self._is_cheap(job):
            message = "lost, and cheap enough to be sent again"
            self._settle(job, JobStatus.FAILED, code="submission_lost", message=message)
            return None
        error = self._unknown("no trace of it was found at the provider")
        if job.status is JobStatus.INTENT:
            self._settle(job, JobStatus.UNKNOWN, code=error.code, message=error.message)
        raise error

    def _submit(self) -> Job:
        self.attempt.check()
        job = intend(
            self.attempt.db,
            self.lease,
            self.entry,
            provider=self.provider.name,
            token=secrets.token_urlsafe(24),
            request_hash=order_hash(self.order),
            cost=self.provider.price(self.order),
        )
        try:
            external_id = self.provider.submit(self.order, job.token)
        except UnknownSubmissionError as error:
            self._settle(job, JobStatus.UNKNOWN, code=error.code, message=error.message)
            raise
        except ProviderError as error:
            self._settle(job, JobStatus.FAILED, code=error.code, message=error.message)
            raise
        except Exception as error:
            # Whatever went wrong in between, the order may have been accepted.
            unknown = self._unknown(f"sending it ended in {type(error).__name__}")
            self._settle(job, JobStatus.UNKNOWN, code=unknown.code, message=unknown.message)
            raise unknown from error
        self._say(f"{self.entry.stage}: sent to {self.provider.name} as {external_id}")
        return self._settle(job, JobStatus.SUBMITTED, external_id=external_id)

    def _await(self, job: Job) -> Job:
        self._running = job
        deadline = time.monotonic() + self.attempt.settings.stage_deadline
        failures = 0
        while time.monotonic() < deadline:
            self.attempt.check()
            try:
                report = self.provider.poll(self.order, str(job.external_id))
                failures = 0
            except SubmissionFailedError as error:
                self._settle(job, JobStatus.FAILED, code=error.code, message=error.message)
                raise
            except TransientError:
                failures += 1
                if failures == _POLL_FAILURES_IN_A_ROW:
                    raise
                report = None
            if isinstance(report, Finished):
                return self._settle(job, JobStatus.SUCCEEDED, answer=report.answer)
            if report is not None:
                self._note(job, report.progress)
            self.attempt.pause(self.attempt.settings.poll_seconds)
        raise TransientError(
            f"{self.entry.stage}: {self.provider.name} was not done with {job.external_id} "
            f"after {self.attempt.settings.stage_deadline:g} s",
            code="stage_timeout",
        )

    def _note(self, job: Job, progress: float | None) -> None:
        if progress is not None and progress - self._progress >= _PROGRESS_STEP:
            self._progress = progress
            note_progress(self.attempt.db, job, progress)

    def _settle(self, job: Job, status: JobStatus, **known: Any) -> Job:
        return settle_job(self.attempt.db, self.lease, self.entry, job, status, **known)

    def _is_cheap(self, job: Job) -> bool:
        return job.cost < self.attempt.settings.resubmit_below * 1_000_000

    def _unknown(self, why: str) -> UnknownSubmissionError:
        return UnknownSubmissionError(
            f"{self.entry.stage}: the order to {self.provider.name} may or may not have been "
            f"accepted ({why}); it is not sent again"
        )


def order_hash(order: Order) -> str:
    """The sha256 of an order, the same for the same content."""
    text = json.dumps(order, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
