"""Submit a job to a provider at most once."""

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import Provider, Receipt, StageInput
from resources.ledger.ledger_errors import (
    CancelRequestedError,
    LeaseLostError,
    LedgerError,
    TakenIdError,
    WorkerStoppingError,
)
from resources.ledger.queries.money import ORDER_CHANGED, PROVIDER_CHANGED, SUBMISSION_LOST
from resources.ledger.rules import limit_resubmissions, make_unknown_submission_error
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.jobs import Job
from resources.process.configure_logging import LOG_FIELDS
from resources.purchase.stage_context import FinishedStage, ProviderJob, StageContext

_log = logging.getLogger("castad.providers")

_USD = 1_000_000
_MAX_REPEATED_ID = 180


class Submission:
    """The submission of one stage and generation to a provider.

    `job` is set once the provider has accepted it. The submissions that it abandons automatically cost less
    than CASTAD_RESUBMIT_BELOW in all. An operator's decision to continue starts that count again.
    """

    def __init__(self, context: StageContext, ordered: ProviderJob) -> None:
        self.context = context
        self.ledger = context.ledger
        self.provider = ordered.provider
        self.job_input = seed_generation(ordered.job_input, context.ledger.generation)
        self.job: Job | None = None
        self._pictures = ordered.pictures
        self._stage = context.ledger.stage.name
        self._resubmit_below = context.settings.resubmit_below * _USD
        self._refusal: LedgerError | None = None

    @contextmanager
    def stop_and_pause_on_errors(self) -> Iterator[None]:
        """Pause the vendor, or give up the submitted job, where an error of the block requires it; raise it again.

        A refusal that holds for all jobs pauses the vendor. At CancelRequestedError, LeaseLostError and
        WorkerStoppingError a free job is canceled at the vendor; a paid one is left to the next attempt.
        """
        try:
            with self.ledger.pausing(self.provider):
                yield
        except (CancelRequestedError, LeaseLostError, WorkerStoppingError):
            self._stop()
            raise

    def _stop(self) -> None:
        """Cancel the job at the vendor if it is free; leave a paid one to the next attempt or the operator.

        If no attempt can continue it, it is saved as an orphan. Does nothing before the job is accepted.
        """
        job = self.job
        if job is None:
            return
        if job.cost == 0 and job.status is JobStatus.SUBMITTED:
            self.provider.cancel(str(job.external_id))
        self.ledger.save_if_orphaned(job)

    def find_live_job(self) -> Job | None:
        """Return the job that is in flight or has succeeded; None if there is none or it was abandoned here.

        A job is abandoned if it is another provider's or for another payload. Raises PermanentError if it is
        too dear.
        """
        job = self.ledger.find_job()
        return None if job is None or self._abandon_if_superseded(job) else job

    def fetch_pictures(self) -> None:
        """Fetch the pictures that the job needs into the store of pictures.

        Raises what `PictureSource.open` raises.
        """
        for reference in self._pictures:
            self.ledger.ensure_running()
            self.context.pictures.open(reference)

    def _abandon_if_superseded(self, job: Job) -> bool:
        """Abandon the job if it is another provider's or for another payload; return whether it was.

        Raises PermanentError if it is too dear to abandon.
        """
        if job.provider != self.provider.name:
            code, changed = PROVIDER_CHANGED, f"{self.provider.name} is set now"
        elif job.request_hash != self.ledger.request_hash:
            code, changed = ORDER_CHANGED, "the order has changed since"
        else:
            return False
        stage, job_name = self._stage, f"{job.provider} (job {job.external_id or 'unknown'})"
        if not self._may_resubmit(job):
            raise PermanentError(
                f"{stage}: it was submitted from {job_name}, and {changed}; "
                f"undo that change, or redo {stage} to buy it again",
                code=code,
            )
        self.ledger.save_outcome(job, JobStatus.FAILED, code=code, message=changed)
        return True

    def reconcile(self, job: Job | None) -> Job | None:
        """Find out what became of a job whose submission has no answer.

        Return the job, None if there is none to continue. The vendor's callback or a search at the provider
        finds it. If neither does and it is cheap, it is abandoned. Raises UnknownSubmissionError if it is not
        cheap. A job with an answer is returned unchanged.
        """
        if job is None or job.status not in (JobStatus.INTENT, JobStatus.UNKNOWN):
            return job
        if job.heard_id is not None:
            return self._adopt_callback_id(job)
        external_id = self.provider.find(job.token)
        why = f"only {self.provider.name}'s own account shows it"
        if external_id is not None:
            try:
                return self.ledger.save_outcome(job, JobStatus.SUBMITTED, external_id=external_id)
            except TakenIdError as taken:
                why = taken.message
        if self._may_resubmit(job):
            message = "lost, and cheap enough to be sent again"
            self.ledger.save_outcome(job, JobStatus.FAILED, code=SUBMISSION_LOST, message=message)
            return None
        error = self._make_unknown_error(job, why)
        if job.status is JobStatus.INTENT:
            self.ledger.save_outcome(job, JobStatus.UNKNOWN, code=error.code, message=error.message)
        raise error

    def prepare(self) -> None:
        """Make the provider's free checks, and take a permit of the vendor's rate window.

        Raises ProviderPausedError or NoPermitError if the vendor takes no job soon.
        """
        self.ledger.ensure_available(self.provider)
        self.provider.prepare(self.job_input)
        self.ledger.acquire_permit(self.provider)
        self.ledger.ensure_running()
        self.context.pass_crash_point("before_intent")

    def save_intent(self) -> Job:
        """Commit the intent with a token and the expected cost, within the budgets; return the job."""
        cost = self.provider.price(self.job_input)
        intent = self.ledger.save_intent(self.provider, _make_token(self.provider), cost)
        self.context.pass_crash_point("after_intent")
        return intent

    def submit(self, job: Job) -> Job:
        """Send the job once, and commit the id that the vendor gives it; return the job.

        Raises a ProviderError if it failed or its outcome is unknown, and what `_ensure_may_send` raises if
        nothing was sent.
        """
        try:
            receipt = self.provider.submit(self.job_input, job.token, self._ensure_may_send)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, it may have been accepted
            if self._refusal is not None:
                self._save_never_sent(job, self._refusal)
                raise self._refusal from None
            called_back = self._find_job_confirmed_by_callback()
            if called_back is None:
                cause = None if isinstance(error, ProviderError) else error
                raise self._save_send_error(job, error) from cause
            return self._adopt_callback_id(called_back)
        self.context.pass_crash_point("after_post")
        try:
            return self._save_receipt(job, receipt)
        except TakenIdError as error:
            called_back = self._find_job_confirmed_by_callback()
            if called_back is not None:
                return self._adopt_callback_id(called_back)
            if receipt.answer is None or self.provider.unique_ids:
                raise self._save_unknown(job, error.message) from None
            own_name = f"{receipt.external_id[:_MAX_REPEATED_ID]}#{job.id}"
            return self._save_receipt(job, replace(receipt, external_id=own_name))

    def _ensure_may_send(self) -> None:
        """Raise as `Attempt.ensure_may_continue` does; LeaseLostError if another attempt can have the request.

        Once refused, the job is refused at every later call, as for the vendor's next address.
        """
        if self._refusal is None:
            self._refusal = self._find_refusal()
        if self._refusal is not None:
            raise self._refusal

    def _find_refusal(self) -> LedgerError | None:
        """Return the error that forbids to send the job now; None if it may be sent."""
        try:
            self.ledger.ensure_may_continue()
        except LedgerError as error:
            return error
        self.context.pass_crash_point("before_send")
        if self.ledger.is_still_held():
            return None
        return LeaseLostError(
            f"the worker was suspended right before it would have sent the job, and its lease on request "
            f"{self.ledger.task_id} has expired; nothing was sent"
        )

    def _find_job_confirmed_by_callback(self) -> Job | None:
        """Return the job if the vendor has called back about it, and so has accepted it; None otherwise."""
        job = self.ledger.find_job()
        return None if job is None or job.heard_id is None else job

    def _adopt_callback_id(self, job: Job) -> Job:
        """Save the job as submitted, with the id that the vendor's callback named."""
        self.context.log.info(
            f"{self._stage}: {job.provider} has called back about job {job.heard_id}"
        )
        return self.ledger.save_outcome(job, JobStatus.SUBMITTED, external_id=job.heard_id)

    def _save_send_error(self, job: Job, error: Exception) -> ProviderError:
        """Save the job as failed or unknown after an error of `Provider.submit`; return the error to raise."""
        if isinstance(error, UnknownSubmissionError):
            return self._save_unknown(job, error.message)
        if isinstance(error, ProviderError):
            return self.save_failure(job, error, error.cost or 0)
        fields = {"task_id": self.ledger.task_id, "stage": self._stage}
        _log.error("submission ended in a bug", exc_info=error, extra={LOG_FIELDS: fields})
        return self._save_unknown(job, f"the call ended with {type(error).__name__}")

    def _save_never_sent(self, job: Job, refusal: LedgerError) -> None:
        """Save the job as failed without cost, because it was refused before it was sent."""
        with suppress(LeaseLostError):
            self.ledger.save_outcome(
                job, JobStatus.FAILED, cost=0, code=refusal.code, message="never sent"
            )

    def _save_unknown(self, job: Job, why: str) -> ProviderError:
        """Save the submission as unknown; return the error to raise: a TransientError if it is cheap."""
        error = self._make_unknown_error(job, why)
        self.ledger.save_outcome(job, JobStatus.UNKNOWN, code=error.code, message=error.message)
        if not self._may_resubmit(job):
            return error
        return TransientError(
            f"{self._stage}: the submission to {self.provider.name} may or may not have been accepted "
            f"({why}); it is cheap enough to be searched for and sent again",
            code=SUBMISSION_LOST,
        )

    def _save_receipt(self, job: Job, receipt: Receipt) -> Job:
        """Save the provider's id, and the final status if the receipt has it; return the job.

        Repeats the write during a database outage, for at most CASTAD_UNKNOWN_GRACE.
        """
        self.context.log.info(
            f"{self._stage}: sent to {self.provider.name} as job {receipt.external_id}"
        )
        status = JobStatus.SUBMITTED if receipt.answer is None else JobStatus.SUCCEEDED
        deadline = time.monotonic() + self.context.settings.unknown_grace
        while True:
            try:
                return self.ledger.save_outcome(
                    job,
                    status,
                    external_id=receipt.external_id,
                    answer=receipt.answer,
                    cost=receipt.cost,
                )
            except SQLAlchemyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(self.context.settings.watch_seconds)

    def save_failure(self, job: Job, error: ProviderError, cost: int | None) -> ProviderError:
        """Save the submission as failed; return the error to raise, a final one after too many of its kind.

        `cost` is the charged cost in micro-dollars; None leaves the expected one.
        """
        self.ledger.save_outcome(
            job, JobStatus.FAILED, cost=cost, code=error.code, message=error.message
        )
        if not isinstance(error, SubmissionFailedError):
            return error
        seen = self.ledger.read_failures(error.code)
        return limit_resubmissions(error, seen, self.ledger.task_id)

    def _make_unknown_error(self, job: Job, why: str) -> UnknownSubmissionError:
        """Make the error of a submission whose outcome is unknown; `why` is the reason."""
        used_up = self._find_exhausted_reason(job)
        reason = why if used_up is None else f"{why}; {used_up}"
        return make_unknown_submission_error(self._stage, self.provider.name, reason)

    def _may_resubmit(self, job: Job) -> bool:
        """Return whether the submission may be abandoned for a new one: it is repeatable and cheap enough."""
        is_repeatable = self.provider.repeatable or job.provider != self.provider.name
        return is_repeatable and job.cost + self.ledger.abandoned_cost < self._resubmit_below

    def _find_exhausted_reason(self, job: Job) -> str | None:
        """Explain why a submission that is cheap by itself needs the operator's decision.

        None if that is not so.
        """
        limit = self._resubmit_below
        if not self.provider.repeatable or job.cost >= limit or self._may_resubmit(job):
            return None
        return (
            f"lost jobs for {self.ledger.abandoned_cost / _USD:.4f} USD were sent again already, and "
            f"CASTAD_RESUBMIT_BELOW allows less than {limit / _USD:.4f} USD in all; "
            f"`castad retry {self.ledger.task_id}` allows as much again"
        )

    def fetch(self, folder: Path) -> FinishedStage:
        """Fetch the product of the succeeded job, with its files in `folder`."""
        job = self.job
        assert job is not None  # noqa: S101 - it has succeeded
        product = self.provider.fetch(self.job_input, job.answer or {}, folder)
        cost = job.cost if product.cost is None else product.cost
        return FinishedStage(product, cost, None if cost == job.cost else job.token)


def _make_token(provider: Provider) -> str:
    """Make the token that identifies a submission at the provider."""
    return str(uuid4()) if provider.token_is_id else secrets.token_urlsafe(24)


SEED = "seed"


def seed_generation(job_input: StageInput, generation: int) -> StageInput:
    """Return the input of a generation: from the second on its seed differs, so that the product differs.

    A seed that is no text is left unchanged, because its maker expects its type.
    """
    seed = job_input.get(SEED)
    if generation == 1 or not isinstance(seed, str):
        return job_input
    return {**job_input, SEED: f"{seed}#{generation}"}
