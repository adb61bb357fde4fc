"""Polls a provider for its final status of a submission, no more often than is useful."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

from resources.contract.errors import (
    RATE_LIMITED,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Provider, StageInput, Succeeded
from resources.ledger.ledger_errors import NoFinalStatusError
from resources.ledger.queries.spending import in_flight, usual_seconds
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.jobs import Job
from resources.ledger.transitions.stages import StageEntry
from resources.ledger.workers.attempt import Attempt
from resources.purchase.deadline import timeout_error
from resources.purchase.poll_interval import next_poll_delay
from resources.purchase.stage_progress import StageProgress, has_advanced

_MAX_CONSECUTIVE_FAILURES = 5
_SAVE_STEP = 0.01
_LOG_STEP = 0.1


class PolledSubmission(Protocol):
    """What the poller needs of a submission."""

    attempt: Attempt
    entry: StageEntry
    lease: Lease
    provider: Provider
    job_input: StageInput
    log: Callable[[str], None]

    @property
    def resumed_wait(self) -> float | None:
        """How many seconds the request waited without a run; None for a wait that begins here."""

    def pass_crash_point(self, name: str) -> None:
        """Lets a fault test stop this stage at the point of this name."""

    def save_outcome(self, job: Job, status: JobStatus, **known: Any) -> Job:
        """The submission's outcome is stored; returns the submission as saved."""

    def save_failure(self, job: Job, error: ProviderError, cost: int | None) -> ProviderError:
        """The submission is saved as failed; returns the error to raise."""


def poll_until_done(call: PolledSubmission, job: Job) -> Job:
    """The submission is saved as succeeded, with everything that is needed to fetch its result.

    Raises:
        SubmissionFailedError, PermanentError: the provider's final status is failure.
        TransientError: no final status in time; the submission stays live, and the next attempt polls it again.
        NoFinalStatusError: other requests can use the run's slot meanwhile.
    """
    return JobPoller(call, job).run()


class JobPoller:
    """Polls the provider about one submission until there is a final status."""

    def __init__(self, call: PolledSubmission, job: Job) -> None:
        self._call = call
        self._job = job
        self._attempt = call.attempt
        self._settings = call.attempt.settings
        self._stage = call.attempt.stage(call.entry.stage)
        self._resumed_wait = call.resumed_wait
        self._started = time.monotonic() - (self._resumed_wait or 0.0)
        self._failures = 0
        self._progress = StageProgress(call.attempt, call.lease, call.entry, _SAVE_STEP)
        self._last_logged = InProgress()

    @cached_property
    def _usual_seconds(self) -> float:
        """How many seconds such a submission takes; read from the ledger when first needed."""
        stage = (self._attempt.request.pipeline, self._stage.name)
        known = usual_seconds(self._attempt.db, *stage, self._call.provider.name)
        return self._call.provider.usual_seconds if known is None else known

    def run(self) -> Job:
        """The submission is saved as succeeded. Raises as `poll_until_done` does."""
        self._attempt.ensure_worker_running()
        if self._call.provider.rate is not None and self._is_just_submitted:
            self._sleep_until_next_poll(0.0)
        while True:
            report, asked_to_wait = self._poll_once()
            if isinstance(report, Succeeded):
                self._call.pass_crash_point("after_poll")
                return self._call.save_outcome(self._job, JobStatus.SUCCEEDED, answer=report.answer)
            if report is not None:
                self._report_progress(report)
            if self._seconds_until_deadline() <= 0:
                job = f"job {self._job.external_id} of {self._call.provider.name}"
                raise timeout_error(self._stage, job)
            self._sleep_until_next_poll(asked_to_wait)

    @property
    def _is_just_submitted(self) -> bool:
        """Whether the provider cannot have a final status of the submission yet."""
        return self._resumed_wait is None and self._job.heard_id is None

    def _poll_once(self) -> tuple[InProgress | Succeeded | None, float]:
        """The provider's report, or None and how many seconds it asked to wait."""
        try:
            report = self._call.provider.poll(self._call.job_input, str(self._job.external_id))
        except (SubmissionFailedError, PermanentError) as error:
            raise self._call.save_failure(self._job, error, error.cost) from None
        except TransientError as error:
            if error.code == RATE_LIMITED:
                # The job and the vendor are all right: this is no failure to count.
                return None, error.retry_after or 0.0
            self._failures += 1
            if self._failures == _MAX_CONSECUTIVE_FAILURES:
                raise
            return None, error.retry_after or 0.0
        self._failures = 0
        return report, 0.0

    def _sleep_until_next_poll(self, asked_to_wait: float) -> None:
        provider = self._call.provider
        pause = next_poll_delay(
            self._job.age + self._seconds_waited(),
            self._usual_seconds,
            shortest=self._settings.poll_seconds,
            longest=self._settings.poll_longest,
            rate=provider.rate,
            in_flight=in_flight(self._attempt.db, provider.name) if provider.rate else 1,
        )
        left = max(self._seconds_until_deadline(), 0.0)
        wanted_after = self._attempt.interruptible_sleep(
            min(max(pause, asked_to_wait), left),
            at_least=min(asked_to_wait, left),
            yields=self._may_requeue,
        )
        if wanted_after > 0:
            raise NoFinalStatusError(self._call.entry.stage, provider.name, wanted_after)

    @property
    def _may_requeue(self) -> bool:
        """Whether the vendor works on without this run, and no other request would take its slot at the stage."""
        return self._call.provider.rate is not None and self._stage.slots is None

    def _seconds_until_deadline(self) -> float:
        return self._stage.deadline - self._seconds_waited()

    def _seconds_waited(self) -> float:
        return time.monotonic() - self._started

    def _report_progress(self, report: InProgress) -> None:
        """The progress is stored and in the run's log, each where it has advanced enough."""
        self._progress.save(report)
        if report.note and has_advanced(report, self._last_logged, _LOG_STEP):
            self._last_logged = report
            self._call.log(f"{self._call.entry.stage}: {report.note}")
