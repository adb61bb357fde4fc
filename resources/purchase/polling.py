"""Poll a submitted job until it ends."""

import time
from functools import cached_property

from resources.contract.errors import (
    RATE_LIMITED,
    PermanentError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Rate, Succeeded
from resources.ledger.ledger_errors import NoFinalStatusError
from resources.ledger.schema.tables import JobStatus
from resources.ledger.transitions.jobs import Job
from resources.purchase.failures import make_timeout_error
from resources.purchase.stage_context import has_advanced
from resources.purchase.submission import Submission

_SHARE_OF_DISTANCE = 1 / 3
_SHARE_OF_RATE = 1 / 2
_SHARE_OF_AGE = 1 / 20
_SOONEST = 0.02


def compute_poll_delay(
    age: float,
    usual: float,
    *,
    shortest: float,
    longest: float,
    rate: Rate | None,
    in_flight: int,
) -> float:
    """Return the seconds until the next poll: long at first, short around the job's usual end, longer after it.

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


_MAX_CONSECUTIVE_FAILURES = 5
_SAVE_STEP = 0.01
_LOG_STEP = 0.1


def poll_until_done(submission: Submission, job: Job) -> None:
    """Poll the job until it has succeeded, and save what is needed to fetch its result; set `submission.job`.

    Raises:
        SubmissionFailedError, PermanentError: the provider's final status is failure.
        TransientError: no final status in time; the submission stays live, and the next attempt polls it again.
        NoFinalStatusError: other requests can use the run's slot meanwhile.
    """
    submission.job = job
    if job.status is JobStatus.SUBMITTED:
        submission.job = _JobPoller(submission, job).run()


class _JobPoller:
    """Polls a provider about one submission until there is a final status."""

    def __init__(self, submission: Submission, job: Job) -> None:
        self._submission = submission
        self._job = job
        self._provider = submission.provider
        self._ledger = submission.ledger
        self._context = submission.context
        self._stage = submission.ledger.stage
        self._resumed_wait = submission.ledger.resumed_wait(submission.provider)
        self._started = time.monotonic() - (self._resumed_wait or 0.0)
        self._failures = 0
        self._last_logged = InProgress()

    @cached_property
    def _usual_seconds(self) -> float:
        """The usual seconds of such a submission; read from the ledger when first needed."""
        return self._ledger.usual_seconds(self._provider)

    def run(self) -> Job:
        """Poll until the submission is saved as succeeded, and return it. Raises as `poll_until_done` does."""
        self._ledger.ensure_running()
        if self._provider.rate is not None and self._is_just_submitted:
            self._sleep_until_next_poll(0.0)
        while True:
            report, asked_to_wait = self._poll_once()
            if isinstance(report, Succeeded):
                self._context.pass_crash_point("after_poll")
                return self._ledger.save_outcome(
                    self._job, JobStatus.SUCCEEDED, answer=report.answer
                )
            if report is not None:
                self._report_progress(report)
            if self._count_seconds_left() <= 0:
                job = f"job {self._job.external_id} of {self._provider.name}"
                raise make_timeout_error(self._stage, job)
            self._sleep_until_next_poll(asked_to_wait)

    @property
    def _is_just_submitted(self) -> bool:
        """Whether the provider cannot have a final status of the submission yet."""
        return self._resumed_wait is None and self._job.heard_id is None

    def _poll_once(self) -> tuple[InProgress | Succeeded | None, float]:
        """Ask the provider once; return its report, None if it gave none, and the seconds that it asked to wait.

        Raises the failure of the job, or the fifth TransientError in a row. A refused rate is no error.
        """
        try:
            report = self._provider.poll(self._submission.job_input, str(self._job.external_id))
        except (SubmissionFailedError, PermanentError) as error:
            raise self._submission.save_failure(self._job, error, error.cost) from None
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
        """Sleep at least `asked_to_wait` seconds, up to the stage's deadline.

        Raises NoFinalStatusError if another request can use the run's slot.
        """
        provider, settings = self._provider, self._context.settings
        pause = compute_poll_delay(
            self._job.age + self._count_seconds_waited(),
            self._usual_seconds,
            shortest=settings.poll_seconds,
            longest=settings.poll_longest,
            rate=provider.rate,
            in_flight=self._ledger.count_in_flight(provider),
        )
        left = max(self._count_seconds_left(), 0.0)
        wanted_after = self._ledger.sleep(
            min(max(pause, asked_to_wait), left),
            at_least=min(asked_to_wait, left),
            yields=self._may_requeue,
        )
        if wanted_after > 0:
            raise NoFinalStatusError(self._stage.name, provider.name, wanted_after)

    @property
    def _may_requeue(self) -> bool:
        """Whether the run may give up its slot: the vendor needs no run, and the stage has no limit of slots."""
        return self._provider.rate is not None and self._stage.slots is None

    def _count_seconds_left(self) -> float:
        """Return the seconds until the stage's deadline, negative after it."""
        return self._stage.deadline - self._count_seconds_waited()

    def _count_seconds_waited(self) -> float:
        """Return the seconds since polling began, with those that the request waited without a run."""
        return time.monotonic() - self._started

    def _report_progress(self, report: InProgress) -> None:
        """Store and log the progress, each if it has advanced enough."""
        self._context.save_progress(report, _SAVE_STEP)
        if report.note and has_advanced(report, self._last_logged, _LOG_STEP):
            self._last_logged = report
            self._context.log.info(f"{self._stage.name}: {report.note}")
