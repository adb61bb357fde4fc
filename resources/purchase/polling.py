"""Wait for a provider's verdict on a submission, without asking more often than is of use."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import (
    RATE_LIMITED,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import Finished, Order, Provider, Working
from resources.ledger.errors import NoVerdictError
from resources.ledger.moves.core import Lease
from resources.ledger.moves.jobs import Job, note_progress
from resources.ledger.moves.stages import StageEntry
from resources.ledger.queries.spending import in_flight, usual_seconds
from resources.ledger.schema.tables import JobStatus
from resources.ledger.workers.lease import Attempt
from resources.purchase.poll_interval import pause_before_poll

STAGE_TIMEOUT = "stage_timeout"
_POLL_FAILURES_IN_A_ROW = 5
_PROGRESS_STEP = 0.01
_TOLD_STEP = 0.1


class Settle(Protocol):
    """Puts on record what is known of a submission; returns it as it stands then."""

    def __call__(self, job: Job, status: JobStatus, **known: Any) -> Job:
        """See `settle_job`."""


@dataclass(frozen=True)
class PollContext:
    """A submission as the one sees it who waits for its verdict.

    `resumed` is how many seconds were waited without a run already; None for a wait that begins here.
    """

    attempt: Attempt
    lease: Lease
    entry: StageEntry
    provider: Provider
    order: Order
    resumed: float | None
    say: Callable[[str], None]
    point: Callable[[str], None]
    settle: Settle
    failed: Callable[[Job, ProviderError, int | None], ProviderError]


def wait_for_verdict(call: PollContext, job: Job) -> Job:
    """The submission is settled as succeeded, with all that is needed to fetch its result.

    Raises SubmissionFailedError or PermanentError on the provider's verdict of failure, TransientError
    where there was none in time: the job is kept, and the next attempt asks on. Raises NoVerdictError where others
    can use the run's place meanwhile.
    """
    return _Watch(call, job).until_done()


class _Watch:
    def __init__(self, call: PollContext, job: Job) -> None:
        self._call = call
        self._job = job
        self._attempt = call.attempt
        self._settings = call.attempt.settings
        self._resumed = call.resumed
        self._began = time.monotonic() - (self._resumed or 0.0)
        self._failures = 0
        self._noted = Working()
        self._told = Working()

    @cached_property
    def _usual(self) -> float:
        """How many seconds such a submission takes; not asked for where the provider is done at once."""
        known = usual_seconds(self._attempt.db, self._call.provider.name)
        return self._call.provider.usual_seconds if known is None else known

    def until_done(self) -> Job:
        self._attempt.check_worker()
        if self._call.provider.rate is not None and self._is_new:
            self._pause(0.0)
        while True:
            report, asked_to_wait = self._ask()
            if isinstance(report, Finished):
                self._call.point("after_poll")
                return self._call.settle(self._job, JobStatus.SUCCEEDED, answer=report.answer)
            if report is not None:
                self._note(report)
            if self._left() <= 0:
                raise self._late()
            self._pause(asked_to_wait)

    @property
    def _is_new(self) -> bool:
        """Whether nothing can be known of the submission yet."""
        return self._resumed is None and self._job.heard_id is None

    def _late(self) -> TransientError:
        return TransientError(
            f"{self._call.entry.stage}: {self._call.provider.name} was not done with "
            f"{self._job.external_id} after {self._settings.stage_deadline:g} s",
            code=STAGE_TIMEOUT,
        )

    def _ask(self) -> tuple[Working | Finished | None, float]:
        """What the provider reports, or nothing and how many seconds it asked to be left alone."""
        try:
            report = self._call.provider.poll(self._call.order, str(self._job.external_id))
        except (SubmissionFailedError, PermanentError) as error:
            raise self._call.failed(self._job, error, error.cost) from None
        except TransientError as error:
            if error.code == RATE_LIMITED:
                # Nothing is wrong with the job, nor with the vendor.
                return None, error.retry_after or 0.0
            self._failures += 1
            if self._failures == _POLL_FAILURES_IN_A_ROW:
                raise
            return None, error.retry_after or 0.0
        self._failures = 0
        return report, 0.0

    def _pause(self, asked_to_wait: float) -> None:
        provider = self._call.provider
        pause = pause_before_poll(
            self._job.age + self._waited(),
            self._usual,
            shortest=self._settings.poll_seconds,
            longest=self._settings.poll_longest,
            rate=provider.rate,
            in_flight=in_flight(self._attempt.db, provider.name) if provider.rate else 1,
        )
        left = max(self._left(), 0.0)
        wanted_after = self._attempt.pause(
            min(max(pause, asked_to_wait), left),
            at_least=min(asked_to_wait, left),
            yields=self._yields,
        )
        if wanted_after > 0:
            raise NoVerdictError(self._call.entry.stage, provider.name, wanted_after)

    @property
    def _yields(self) -> bool:
        """Whether the work goes on without this run, and nobody else begins the stage in its stead."""
        is_limited = self._settings.places(self._call.entry.stage) is not None
        return self._call.provider.rate is not None and not is_limited

    def _left(self) -> float:
        return self._settings.stage_deadline - self._waited()

    def _waited(self) -> float:
        return time.monotonic() - self._began

    def _note(self, report: Working) -> None:
        """Put on record how far it is, and say so in the run's log, each where there is news enough."""
        if _is_news(report, self._noted, _PROGRESS_STEP):
            self._noted = report
            with suppress(SQLAlchemyError):
                call = self._call
                note_progress(call.attempt.db, call.lease, call.entry, self._job, report)
        if report.note and _is_news(report, self._told, _TOLD_STEP):
            self._told = report
            self._call.say(f"{self._call.entry.stage}: {report.note}")


def _is_news(report: Working, before: Working, step: float) -> bool:
    """Whether it is further by at least `step`, or says other words of an unknown distance."""
    if report.progress is None or before.progress is None:
        return (report.progress, report.note) != (before.progress, before.note)
    return report.progress - before.progress >= step
