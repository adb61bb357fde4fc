"""One submission to a provider, from intent to verdict, and what to make of one that is found half way."""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from resources.ledger.errors import IllegalMoveError
from resources.ledger.lease import Attempt
from resources.ledger.moves.core import Lease
from resources.ledger.moves.jobs import Job, intend, live_job, note_progress, settle_job
from resources.ledger.moves.stages import StageEntry
from resources.ledger.tables import JobStatus
from resources.providers.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.providers.protocol import Finished, Order, Provider

STAGE_TIMEOUT = "stage_timeout"
_POLL_FAILURES_IN_A_ROW = 5
_PROGRESS_STEP = 0.01
Say = Callable[[str], None]
Shield = Callable[[], AbstractContextManager[None]]


class Submission:
    """One stage of one generation on its way to the provider's verdict of success."""

    def __init__(
        self,
        attempt: Attempt,
        lease: Lease,
        entry: StageEntry,
        provider: Provider,
        order: Order,
        say: Say,
        shield: Shield,
    ) -> None:
        self.attempt = attempt
        self.lease = lease
        self.entry = entry
        self.provider = provider
        self.order = order
        self._say = say
        self._shield = shield
        self._running: Job | None = None
        self._progress = 0.0

    def job_with_answer(self) -> tuple[Job, Mapping[str, Any]]:
        """The succeeded submission and what is needed to fetch its result."""
        job = live_job(self.attempt.db, self.lease, self.entry)
        if job is not None and self._is_of_other_order(job):
            job = None
        if job is not None and job.status in (JobStatus.INTENT, JobStatus.UNKNOWN):
            job = self._find(job)
        if job is None:
            with self._shield():
                job = self._submit()
        if job.status is JobStatus.SUBMITTED:
            job = self._await(job)
        return job, job.answer or {}

    def stop(self) -> None:
        """What runs for free is stopped; what was paid for is left for the next attempt or a person."""
        if self._running is not None and self._running.cost == 0:
            self.provider.cancel(str(self._running.external_id))

    def _is_of_other_order(self, job: Job) -> bool:
        """Whether the live job was ordered elsewhere or for other content, and could be left for free."""
        if job.provider != self.provider.name:
            code, changed = "provider_changed", f"{self.provider.name} is set now"
        elif job.request_hash != order_hash(self.order):
            code, changed = "order_changed", "the order has changed since"
        else:
            return False
        stage, job_name = self.entry.stage, f"{job.provider} (job {job.external_id or 'unknown'})"
        if not self._is_cheap(job):
            raise PermanentError(
                f"{stage}: it was ordered from {job_name}, and {changed}; "
                f"put that back, or redo {stage} to buy it anew",
                code=code,
            )
        self._settle(job, JobStatus.FAILED, code=code, message=changed)
        return True

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
        return self._record(job, external_id)

    def _record(self, job: Job, external_id: str) -> Job:
        """The provider's id is on record, however long the database takes within the grace."""
        self._say(f"{self.entry.stage}: sent to {self.provider.name} as {external_id}")
        deadline = time.monotonic() + self.attempt.settings.unknown_grace
        while True:
            try:
                return self._settle(job, JobStatus.SUBMITTED, external_id=external_id)
            except SQLAlchemyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(self.attempt.settings.watch_seconds)

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
            code=STAGE_TIMEOUT,
        )

    def _note(self, job: Job, progress: float | None) -> None:
        if progress is not None and progress - self._progress >= _PROGRESS_STEP:
            self._progress = progress
            with suppress(SQLAlchemyError):
                note_progress(self.attempt.db, job, progress)

    def _settle(self, job: Job, status: JobStatus, **known: Any) -> Job:
        try:
            return settle_job(self.attempt.db, self.lease, self.entry, job, status, **known)
        except IllegalMoveError as error:
            # Another attempt, or a zombie of this one, knew more: look again.
            raise TransientError(error.message, code="submission_moved") from error

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
