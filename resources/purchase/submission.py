"""Submit a job to a provider at most once."""

import hashlib
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Provider, Rate, Receipt, StageInput
from resources.ledger.admission import parse_final_status_wait
from resources.ledger.ledger_errors import (
    IllegalTransitionError,
    LeaseLostError,
    LedgerError,
    NoPermitError,
    ProviderPausedError,
    TakenIdError,
)
from resources.ledger.queries.money import (
    ORDER_CHANGED,
    PROVIDER_CHANGED,
    SUBMISSION_LOST,
    abandoned_cost,
    read_failure_history,
)
from resources.ledger.rules import limit_resubmissions, unknown_submission_error
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.dispatch import acquire_permit, vendor_availability
from resources.ledger.transitions.jobs import (
    Budget,
    Job,
    live_job,
    save_if_orphaned,
    save_intent,
    save_outcome,
)
from resources.ledger.transitions.stages import StageEntry
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.process.crash_points import crash_point
from resources.process.settings import Settings
from resources.purchase.polling import poll_until_done


class SendGuard:
    """Lets a job be sent only while no other attempt can have claimed its request.

    Once it has refused, it refuses every later call, as for the vendor's next address; `refusal` is the reason.
    """

    def __init__(self, attempt: Attempt, pass_crash_point: Callable[[str], None]) -> None:
        """`pass_crash_point` lets a fault test stop the stage."""
        self._attempt = attempt
        self._pass_crash_point = pass_crash_point
        self.refusal: LedgerError | None = None

    def ensure_may_continue(self) -> None:
        """Return where the job may be sent at this moment. Raises as `Attempt.ensure_may_continue` does."""
        if self.refusal is None:
            self.refusal = self._find_refusal()
        if self.refusal is not None:
            raise self.refusal

    def _find_refusal(self) -> LedgerError | None:
        try:
            self._attempt.ensure_may_continue()
        except LedgerError as error:
            return error
        self._pass_crash_point("before_send")
        if self._attempt.is_still_held():
            return None
        return LeaseLostError(
            f"the worker was suspended right before it would have sent the job, and its lease on request "
            f"{self._attempt.task_id} has expired; nothing was sent"
        )


_USD = 1_000_000


class ResubmitBudget:
    """The submissions that one stage and generation abandons automatically cost less than CASTAD_RESUBMIT_BELOW.

    Counting starts again at an operator's last decision to continue. Nothing is allowed where the provider is
    not repeatable.
    """

    def __init__(self, attempt: Attempt, stage: tuple[int, str, int], provider: Provider) -> None:
        """`stage` is the request's id, the stage and its generation."""
        self._attempt = attempt
        self._stage = stage
        self._provider = provider
        self._limit = attempt.settings.resubmit_below * _USD

    def allows(self, job: Job) -> bool:
        """Whether this submission may be abandoned for a new one."""
        is_repeatable = self._provider.repeatable or job.provider != self._provider.name
        return is_repeatable and job.cost + self._abandoned_cost() < self._limit

    def exhausted_reason(self, job: Job) -> str | None:
        """Why a submission that is cheap enough still needs the operator's decision; None where it does not."""
        if not self._provider.repeatable or job.cost >= self._limit or self.allows(job):
            return None
        return (
            f"lost jobs for {self._abandoned_cost() / _USD:.4f} USD were sent again already, and "
            f"CASTAD_RESUBMIT_BELOW allows less than {self._limit / _USD:.4f} USD in all; "
            f"`castad retry {self._attempt.task_id}` allows as much again"
        )

    def _abandoned_cost(self) -> int:
        return abandoned_cost(self._attempt.db, *self._stage)


_log = logging.getLogger("castad.providers")

_MAX_REPEATED_ID = 180
# A run is launched shortly before its permit is due; where that is later, the request is requeued.
_MAX_PERMIT_WAIT = 5.0
Log = Callable[[str], None]
DeferInterrupts = Callable[[], AbstractContextManager[None]]


class Submission:
    """The purchase of one stage and generation, until the provider's final status is success."""

    def __init__(
        self,
        attempt: Attempt,
        lease: Lease,
        entry: StageEntry,
        provider: Provider,
        job_input: StageInput,
        log: Log,
        defer_interrupts: DeferInterrupts,
    ) -> None:
        self.attempt = attempt
        self.lease = lease
        self.entry = entry
        self.provider = provider
        self.job_input = job_input
        self.log = log
        self._defer_interrupts = defer_interrupts
        self._job: Job | None = None
        self._stage = (lease.request_id, entry.stage, entry.generation)
        self._resubmit_budget = ResubmitBudget(attempt, self._stage, provider)

    def has_live_job(self) -> bool:
        """Whether a submission is stored that is in flight or has succeeded."""
        return live_job(self.attempt.db, self.lease, self.entry) is not None

    @property
    def resumed_wait(self) -> float | None:
        """How many seconds the request waited for this final status without a run; None where it did not."""
        request = self.attempt.request
        waited_for = (request.stage, parse_final_status_wait(request.waits_for))
        if waited_for != (self.entry.stage, self.provider.name) or request.asked_at is None:
            return None
        return max((request.updated_at - request.asked_at).total_seconds(), 0.0)

    def resolve_job(self) -> tuple[Job, Mapping[str, Any]]:
        """The succeeded submission and what is needed to fetch its result."""
        job = live_job(self.attempt.db, self.lease, self.entry)
        if job is not None and self._abandon_if_superseded(job):
            job = None
        if job is not None and job.status in (JobStatus.INTENT, JobStatus.UNKNOWN):
            job = self._reconcile(job)
        if job is None:
            self._prepare()
            with self._defer_interrupts():
                job = self._submit()
            self.pass_crash_point("after_save")
        self._job = job
        if job.status is JobStatus.SUBMITTED:
            self._job = job = poll_until_done(self, job)
        self.pass_crash_point("after_answer")
        return job, job.answer or {}

    def stop(self) -> None:
        """A free job is canceled; a paid one is left for the next attempt or the operator.

        Where no attempt can continue it any more, it is saved as an orphan.
        """
        job = self._job
        if job is None:
            return
        if job.cost == 0 and job.status is JobStatus.SUBMITTED:
            self.provider.cancel(str(job.external_id))
        with suppress(SQLAlchemyError):
            save_if_orphaned(self.attempt.db, self.lease, self.entry, job)

    def _abandon_if_superseded(self, job: Job) -> bool:
        """Whether the live job is another provider's or for another payload, and was cheap enough to abandon.

        Raises PermanentError where it was not.
        """
        if job.provider != self.provider.name:
            code, changed = PROVIDER_CHANGED, f"{self.provider.name} is set now"
        elif job.request_hash != payload_hash(self.attempt.order):
            code, changed = ORDER_CHANGED, "the order has changed since"
        else:
            return False
        stage, job_name = self.entry.stage, f"{job.provider} (job {job.external_id or 'unknown'})"
        if not self._resubmit_budget.allows(job):
            raise PermanentError(
                f"{stage}: it was submitted from {job_name}, and {changed}; "
                f"undo that change, or redo {stage} to buy it again",
                code=code,
            )
        self.save_outcome(job, JobStatus.FAILED, code=code, message=changed)
        return True

    def _reconcile(self, job: Job) -> Job | None:
        """A submission without an answer: found, abandoned (None) where it is cheap, or still unknown."""
        if job.heard_id is not None:
            return self._adopt_callback_id(job)
        why, external_id = "no trace of it was found at the provider", self.provider.find(job.token)
        if external_id is not None:
            try:
                return self.save_outcome(job, JobStatus.SUBMITTED, external_id=external_id)
            except TakenIdError as taken:
                why = taken.message
        if self._resubmit_budget.allows(job):
            message = "lost, and cheap enough to be sent again"
            self.save_outcome(job, JobStatus.FAILED, code=SUBMISSION_LOST, message=message)
            return None
        error = self._unknown_error(job, why)
        if job.status is JobStatus.INTENT:
            self.save_outcome(job, JobStatus.UNKNOWN, code=error.code, message=error.message)
        raise error

    def _prepare(self) -> None:
        """The job has passed its free checks, and has a permit of the vendor's rate window."""
        vendor, rate = self.provider.name, self.provider.rate
        availability = vendor_availability(self.attempt.db, self.lease, vendor, rate)
        if availability.pause_reason is not None:
            raise ProviderPausedError(vendor, availability.pause_reason)
        if availability.wait is None:
            raise NoPermitError(self.entry.stage, vendor)
        self.provider.prepare(self.job_input)
        if rate is not None:
            self._wait_for_permit(rate)
        self.attempt.ensure_worker_running()
        self.pass_crash_point("before_intent")

    def _wait_for_permit(self, rate: Rate) -> None:
        """The job's permit is taken. Raises NoPermitError where it does not come soon."""
        deadline = time.monotonic() + _MAX_PERMIT_WAIT
        while wait := acquire_permit(self.attempt.db, self.lease, self.provider.name, rate):
            if time.monotonic() + wait > deadline:
                raise NoPermitError(self.entry.stage, self.provider.name)
            self.attempt.interruptible_sleep(wait)
        if wait is None:
            raise NoPermitError(self.entry.stage, self.provider.name)

    def _submit(self) -> Job:
        job = save_intent(
            self.attempt.db,
            self.lease,
            self.entry,
            provider=self.provider.name,
            token=_new_token(self.provider),
            request_hash=payload_hash(self.attempt.order),
            cost=self.provider.price(self.job_input),
            budget=_budget_of(self.attempt.settings),
        )
        self.pass_crash_point("after_intent")
        guard = SendGuard(self.attempt, self.pass_crash_point)
        try:
            receipt = self.provider.submit(self.job_input, job.token, guard.ensure_may_continue)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, it may have been accepted
            if guard.refusal is not None:
                self._save_never_sent(job, guard.refusal)
                raise guard.refusal from None
            called_back = self._job_confirmed_by_callback()
            if called_back is None:
                cause = None if isinstance(error, ProviderError) else error
                raise self._save_send_error(job, error) from cause
            return self._adopt_callback_id(called_back)
        self.pass_crash_point("after_post")
        try:
            return self._save_receipt(job, receipt)
        except TakenIdError as error:
            called_back = self._job_confirmed_by_callback()
            if called_back is not None:
                return self._adopt_callback_id(called_back)
            if receipt.answer is None or self.provider.unique_ids:
                raise self._save_unknown(job, error.message) from None
            own_name = f"{receipt.external_id[:_MAX_REPEATED_ID]}#{job.id}"
            return self._save_receipt(job, replace(receipt, external_id=own_name))

    def _job_confirmed_by_callback(self) -> Job | None:
        """The submission where the vendor has called back about it, and so has accepted it; else None."""
        job = live_job(self.attempt.db, self.lease, self.entry)
        return None if job is None or job.heard_id is None else job

    def _adopt_callback_id(self, job: Job) -> Job:
        """The submission has the id that the vendor's callback named."""
        self.log(f"{self.entry.stage}: {job.provider} has called back about job {job.heard_id}")
        return self.save_outcome(job, JobStatus.SUBMITTED, external_id=job.heard_id)

    def _save_send_error(self, job: Job, error: Exception) -> ProviderError:
        if isinstance(error, UnknownSubmissionError):
            return self._save_unknown(job, error.message)
        if isinstance(error, ProviderError):
            return self.save_failure(job, error, error.cost or 0)
        fields = {"task_id": self.attempt.task_id, "stage": self.entry.stage}
        _log.error("submission ended in a bug", exc_info=error, extra={LOG_FIELDS: fields})
        return self._save_unknown(job, f"the call ended with {type(error).__name__}")

    def _save_never_sent(self, job: Job, refusal: LedgerError) -> None:
        with suppress(LeaseLostError):
            self.save_outcome(
                job, JobStatus.FAILED, cost=0, code=refusal.code, message="never sent"
            )

    def _save_unknown(self, job: Job, why: str) -> ProviderError:
        """The submission without an answer is saved as unknown; returns a TransientError where it is cheap."""
        error = self._unknown_error(job, why)
        self.save_outcome(job, JobStatus.UNKNOWN, code=error.code, message=error.message)
        if not self._resubmit_budget.allows(job):
            return error
        return TransientError(
            f"{self.entry.stage}: the submission to {self.provider.name} may or may not have been accepted "
            f"({why}); it is cheap enough to be searched for and sent again",
            code=SUBMISSION_LOST,
        )

    def _save_receipt(self, job: Job, receipt: Receipt) -> Job:
        """The provider's id is stored; a database outage within the grace is waited out."""
        self.log(f"{self.entry.stage}: sent to {self.provider.name} as job {receipt.external_id}")
        status = JobStatus.SUBMITTED if receipt.answer is None else JobStatus.SUCCEEDED
        deadline = time.monotonic() + self.attempt.settings.unknown_grace
        while True:
            try:
                return self.save_outcome(
                    job,
                    status,
                    external_id=receipt.external_id,
                    answer=receipt.answer,
                    cost=receipt.cost,
                )
            except SQLAlchemyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(self.attempt.settings.watch_seconds)

    def save_failure(self, job: Job, error: ProviderError, cost: int | None) -> ProviderError:
        """The submission is saved as failed; returns the error, a final one after too many of its kind."""
        self.save_outcome(job, JobStatus.FAILED, cost=cost, code=error.code, message=error.message)
        if not isinstance(error, SubmissionFailedError):
            return error
        seen = read_failure_history(self.attempt.db, *self._stage, error.code)
        return limit_resubmissions(error, seen, self.attempt.task_id)

    def save_outcome(self, job: Job, status: JobStatus, **known: Any) -> Job:
        """The submission's outcome is stored; see the ledger's `save_outcome`."""
        try:
            return save_outcome(self.attempt.db, self.lease, self.entry, job, status, **known)
        except IllegalTransitionError as error:
            # Another attempt, or an earlier process of this one, has saved more: read it again.
            raise TransientError(error.message, code="submission_changed") from error

    def _unknown_error(self, job: Job, why: str) -> UnknownSubmissionError:
        used_up = self._resubmit_budget.exhausted_reason(job)
        reason = why if used_up is None else f"{why}; {used_up}"
        return unknown_submission_error(self.entry.stage, self.provider.name, reason)

    def pass_crash_point(self, name: str) -> None:
        """Lets a fault test stop this stage at the point of this name."""
        crash_point(f"{self.entry.stage}.{name}")


def _new_token(provider: Provider) -> str:
    return str(uuid4()) if provider.token_is_id else secrets.token_urlsafe(24)


def _budget_of(settings: Settings) -> Budget:
    return Budget(_micro_dollars(settings.max_cost), _micro_dollars(settings.daily_budget))


def _micro_dollars(usd: float | None) -> int | None:
    return None if usd is None else round(usd * 1_000_000)


def payload_hash(payload: StageInput) -> str:
    """The sha256 of a request's payload, the same for the same content.

    It covers the customer's payload and not the vendor's request body, which may change with a release while the
    purchase stays valid.
    """
    text = json.dumps(payload, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
