"""Poll a submitted job until it ends."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
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
from resources.contract.protocol import InProgress, Provider, Rate, StageInput, Succeeded
from resources.ledger.ledger_errors import NoFinalStatusError
from resources.ledger.queries.money import in_flight, usual_seconds
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.jobs import Job
from resources.ledger.transitions.stages import StageEntry, save_progress
from resources.ledger.workers.attempt import Attempt
from resources.purchase.stage_run import timeout_error

_SHARE_OF_DISTANCE = 1 / 3
_SHARE_OF_RATE = 1 / 2
_SHARE_OF_AGE = 1 / 20
_SOONEST = 0.02


def next_poll_delay(
    age: float,
    usual: float,
    *,
    shortest: float,
    longest: float,
    rate: Rate | None,
    in_flight: int,
) -> float:
    """Seconds until the next poll: long at first, short around the job's usual end, longer again after it.

    All jobs in flight together use at most half of the vendor's rate; the other half is left for new submissions.

    Args:
        age: seconds since the job was accepted.
        usual: seconds that such a job usually takes.
        shortest: the shortest delay; on this machine, where a poll costs nothing, the longest.
        longest: the longest delay, unless the rate requires a longer one.
        rate: how often the vendor may be called; None on this machine.
        in_flight: number of submitted jobs at the vendor, including this one.
    """
    if rate is None:
        return min(max(age * _SHARE_OF_AGE, _SOONEST), shortest)
    wanted = min(max(abs(usual - age) * _SHARE_OF_DISTANCE, shortest), longest)
    fair = max(in_flight, 1) * rate.seconds / (rate.calls * _SHARE_OF_RATE)
    return max(wanted, fair)


_LONGEST_NOTE = 300


@dataclass
class StageProgress:
    """The progress of one execution of a stage; a report that advances by less than `step` is not saved.

    A `step` of 0 saves every change.
    """

    attempt: Attempt
    lease: Lease
    entry: StageEntry
    step: float
    _last: InProgress = field(default_factory=InProgress, init=False)

    def save(self, report: InProgress) -> None:
        """The report is stored if it has advanced. A database that does not answer loses it, no more."""
        report = _as_stored(report)
        if not has_advanced(report, self._last, self.step):
            return
        self._last = report
        with suppress(SQLAlchemyError):
            db = self.attempt.db.with_retry_budget(0)
            save_progress(db, self.lease, self.entry, report)


def has_advanced(report: InProgress, before: InProgress, step: float) -> bool:
    """Whether the progress grew by `step`; where that is 0 or a progress is unknown, whether anything changed."""
    if step == 0 or report.progress is None or before.progress is None:
        return report != before
    return report.progress - before.progress >= step


def _as_stored(report: InProgress) -> InProgress:
    """The report as every database takes it: a share of the whole, and a short text."""
    share = None if report.progress is None else min(max(0.0, report.progress), 1.0)
    note = report.note.encode(errors="replace").decode().replace("\0", "")
    return InProgress(share, note[:_LONGEST_NOTE])


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
