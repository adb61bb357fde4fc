"""Decide purely what becomes of a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import product
from typing import Any

from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.ledger.ledger_errors import WaitsError
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.file_locks import DISK_FULL, is_disk_full_error

PENDING, DISPATCHED, PROCESSING, COMPLETED, FAILED, DEAD, CANCELED = Status
_STAY = frozenset({(PROCESSING, PROCESSING)})
_LEARNED = frozenset({(FAILED, PENDING), (DEAD, PENDING)})
"""The changes by an outcome that an attempt saves after it has lost its lease."""
_WAIT_ON = frozenset({(PENDING, PENDING)})
_STAY_ANYWHERE = frozenset((status, status) for status in Status)
TRANSITIONS: Mapping[str, frozenset[tuple[Status, Status]]] = {
    "dispatched": frozenset({(PENDING, DISPATCHED), (FAILED, DISPATCHED)}),
    "redelivered": frozenset({(DISPATCHED, DISPATCHED)}),
    "undelivered": frozenset({(DISPATCHED, PENDING)}),
    "claimed": frozenset(
        {(PENDING, PROCESSING), (DISPATCHED, PROCESSING), (FAILED, PROCESSING), (DEAD, PROCESSING)}
    ),
    "replayed": frozenset({(COMPLETED, COMPLETED)}),
    "cover_chosen": frozenset({(COMPLETED, COMPLETED)}),
    "released": frozenset({(PROCESSING, PENDING)}),
    "worker_lost": frozenset({(PROCESSING, PENDING), (PROCESSING, DEAD)}),
    "stage_started": _STAY,
    "submission_intended": _STAY,
    "submitted": _STAY | _LEARNED,
    "submission_unknown": _STAY,
    "submission_failed": _STAY | _LEARNED,
    "submission_succeeded": _STAY | _LEARNED,
    "callback_heard": _STAY_ANYWHERE | {(FAILED, PENDING), (DEAD, PENDING)},
    "stage_completed": _STAY,
    "completed": frozenset({(PROCESSING, COMPLETED)}),
    "failed": frozenset({(PROCESSING, FAILED)}),
    "waiting": frozenset({(PROCESSING, PENDING), (DISPATCHED, PENDING)}),
    "dead": frozenset({(PENDING, DEAD), (PROCESSING, DEAD), (DISPATCHED, DEAD), (FAILED, DEAD)}),
    "resolved": frozenset(product((PENDING, FAILED, DEAD, CANCELED), (PENDING, DEAD)))
    | {(CANCELED, CANCELED)},
    "cancel_requested": _STAY,
    "canceled": frozenset(
        {(PENDING, CANCELED), (DISPATCHED, CANCELED), (FAILED, CANCELED), (PROCESSING, CANCELED)}
    ),
    "retried": frozenset({(FAILED, PENDING), (DEAD, PENDING), (CANCELED, PENDING)}),
    "redriven": frozenset({(DEAD, PENDING)}),
    "corrected": frozenset(
        {(PENDING, PENDING), (DISPATCHED, PENDING), (DEAD, PENDING), (CANCELED, PENDING)}
    ),
    "redone": frozenset(
        product((PENDING, COMPLETED, FAILED, DEAD, CANCELED), (PENDING,)),
    ),
    "updated": frozenset((status, status) for status in (PENDING, DISPATCHED, PROCESSING, FAILED)),
    "approved": _WAIT_ON,
    "revised": _WAIT_ON,
    "chosen": _WAIT_ON,
    "rejected": frozenset({(PENDING, CANCELED)}),
}
"""Every event type and the status changes it may have; `created` and `edited` may have any."""
INVALID_PAYLOAD = "invalid_payload"
INTERNAL_ERROR = "internal_error"
"""The error code of an unexpected exception: a bug."""
STAGE_TIMEOUT = "stage_timeout"
"""The error code of a stage whose deadline is over; its submission may still be fulfilled."""
PASSING_CODES = frozenset(
    (
        *(TransientError.code, "rate_limited", "state_unavailable", DISK_FULL, "disk_error"),
        *("studio_lost", "studio_memory", "local_lost", "local_memory", "vendor_down"),
    )
)
"""The codes of failures that no order caused and that may be over in an hour."""
MAX_RETRIES = 3
"""The default of the column `max_retries`."""
_LONGEST_SETTINGS_WAIT = 3600.0


@dataclass(frozen=True)
class Grant:
    """The decision that the run may process the request, as this attempt."""

    attempt: int


@dataclass(frozen=True)
class Replay:
    """The decision that the run may only read the results of a completed request, as this attempt."""

    attempt: int


@dataclass(frozen=True)
class Refuse:
    """The decision that the run must end without changing anything; `reason` is for users."""

    reason: str


def decide_claim(
    request: Request, *, dispatched_as: int | None, now: datetime
) -> Grant | Replay | Refuse:
    """Decide whether a run may work on a request.

    Args:
        request: the row, locked.
        dispatched_as: the attempt that the sensor dispatched the run for; None for a run started by hand.
        now: the database's clock.
    """
    name = f"request {request.task_id}"
    if request.lease_holds(now):
        return Refuse(f"superseded: {name} is being worked on by run {request.run_id}")
    if request.status is Status.CANCELED:
        return Refuse(
            f"{name} was canceled, and not by terminating its run before this one was launched; "
            f"`castad retry {request.task_id}` brings it back"
        )
    if dispatched_as is not None and (
        dispatched_as != request.attempt or request.status not in (PENDING, DISPATCHED)
    ):
        return Refuse(
            f"superseded: this run is attempt {dispatched_as}, "
            f"{name} is {request.status} at attempt {request.attempt}"
        )
    if dispatched_as is not None and request.not_before is not None and now < request.not_before:
        return Refuse(
            f"superseded: {name} is not due before {request.not_before:%Y-%m-%d %H:%M:%S} UTC"
        )
    if request.status is Status.COMPLETED:
        return Replay(request.attempt + 1)
    if dispatched_as is not None and request.status is Status.DISPATCHED:
        return Grant(request.attempt)
    return Grant(request.attempt + 1)


class FailureAction(Enum):
    """The action of the ledger after a failure."""

    RETRY = "retry"
    """Counts as a retry, due after the stage's delay, which doubles with each retry."""
    DEAD_LETTER = "none"
    """The same order would fail again: the request is dead."""
    WAIT = "wait"
    """The order is not at fault: pending until what it waits for is available; nothing is counted."""
    LOOK_UP = "look_up"
    """A submission may be lost: look for it until the grace period is over; nothing is counted."""


@dataclass(frozen=True)
class Failure:
    """The failure of an attempt, with its error code and message.

    `waits_for` (a provider, the budget or a limit) is set only for FailureAction.WAIT. The next attempt is
    due after `retry_after` seconds at the earliest.
    """

    code: str
    message: str
    action: FailureAction
    waits_for: str | None = None
    retry_after: float = 0.0


@dataclass(frozen=True)
class RetryDelays:
    """The delays of a stage, in seconds.

    `retry` is the one before the first retry; `unknown_grace` is how long a lost submission is looked for.
    """

    retry: float
    unknown_grace: float


@dataclass(frozen=True)
class Outcome:
    """The request's state after a failed attempt.

    `wait` is the seconds until it is due; None if it is not due by time alone.
    """

    status: Status
    retry_count: int
    wait: float | None


def decide_failure(
    request: Request,
    failure: Failure,
    delays: RetryDelays,
    *,
    jitter: float,
    unknown_for: float = 0,
) -> Outcome:
    """Decide the state of a request after a failed attempt.

    Args:
        request: the row, which is processing.
        failure: why the attempt failed.
        delays: the stage's retry delays.
        jitter: see `retry_backoff`.
        unknown_for: seconds since the intent of the submission in doubt was saved.
    """
    count = request.retry_count
    if failure.action is FailureAction.WAIT:
        return Outcome(Status.PENDING, count, failure.retry_after or None)
    if failure.action is FailureAction.LOOK_UP and unknown_for < delays.unknown_grace:
        grace = delays.unknown_grace
        return Outcome(Status.FAILED, count, min(max(grace / 30, unknown_for), grace / 3))
    if failure.action is FailureAction.RETRY and count < request.max_retries:
        wait = max(retry_backoff(delays.retry, count, jitter), failure.retry_after)
        return Outcome(Status.FAILED, count + 1, wait)
    return Outcome(Status.DEAD, count, None)


def retry_backoff(base: float, retries: int, jitter: float) -> float:
    """Compute the seconds before the next retry: `base`, doubled for each earlier retry, plus or minus a tenth.

    `base` is the wait before the first retry, `retries` the number of earlier retries (the doubling stops at
    the tenth). `jitter` is a random number in [0, 1), which spreads simultaneous failures.
    """
    return float(base * 2 ** min(retries, 10) * (0.9 + 0.2 * jitter))


def compute_settings_backoff(request: Request, pause: float) -> float:
    """Compute the seconds until a request that waits for other settings is tried again, at least `pause`.

    The wait grows with the age of the request, up to an hour, so that many such requests cost little.
    """
    age = (request.updated_at - request.created_at).total_seconds()
    return max(pause, min(age, _LONGEST_SETTINGS_WAIT))


def decide_after_worker_loss(request: Request, poison_deaths: int) -> Outcome:
    """Decide the state of a request whose worker is lost: due at once, or dead.

    It is dead if it has lost its worker `poison_deaths` times, this one included.
    """
    poison = request.deaths + 1 >= poison_deaths
    status = Status.DEAD if poison else Status.PENDING
    return Outcome(status, request.retry_count, None if poison else 0)


def keep_schedule(request: Request, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the changes; keep a `not_before` that they clear as `scheduled_at` if the request has not begun."""
    is_cleared = "not_before" in changes and "scheduled_at" not in changes
    if not is_cleared or request.not_before is None or request.has_begun:
        return changes
    return {**changes, "scheduled_at": request.not_before}


def retry_policy(request: Request) -> str:
    """Format the text of the tag `castad/retry`: the number of retries, and the time of the next one, if any."""
    counted = f"{request.retry_count} of {request.max_retries}"
    if request.status is not Status.FAILED or request.not_before is None:
        return counted
    return f"{counted}, next at {request.not_before:%Y-%m-%d %H:%M:%S} UTC"


_ACTIONS = (
    (UnknownSubmissionError, FailureAction.LOOK_UP),
    # Only where no pause caught it: a vendor's call turns it into ProviderPausedError first.
    (OutOfCreditsError, FailureAction.RETRY),
    (PermanentError, FailureAction.DEAD_LETTER),
    (SubmissionFailedError, FailureAction.RETRY),
    (TransientError, FailureAction.RETRY),
    (CastadError, FailureAction.DEAD_LETTER),
)


def classify_failure(error: BaseException, stage: str) -> Failure:
    """Build the failure for an exception of a stage.

    A bug is retried; the failure's message then names only the exception's type.
    """
    if isinstance(error, WaitsError):
        wait = FailureAction.WAIT
        return Failure(error.code, error.message, wait, error.waits_for, error.retry_after)
    for kind, action in _ACTIONS:
        if isinstance(error, kind):
            requested_delay = getattr(error, "retry_after", None) or 0.0
            return Failure(
                get_order_error_code(error), error.message, action, retry_after=requested_delay
            )
    if is_disk_full_error(error):
        return Failure(DISK_FULL, f"{stage}: the disk is full", FailureAction.RETRY)
    where = "the traceback is in logs/castad.log of the worker's CASTAD_HOME"
    message = f"{stage}: unexpected {type(error).__name__}; {where}"
    return Failure(INTERNAL_ERROR, message, FailureAction.RETRY)


def get_order_error_code(error: CastadError) -> str:
    """Return the error code of a request whose order has failed with this error.

    The code of an invalid field becomes `invalid_payload`.
    """
    return INVALID_PAYLOAD if error.code == InvalidInputError.code else error.code


def make_unknown_submission_error(stage: str, provider: str, why: str) -> UnknownSubmissionError:
    """Build the error of a submission in doubt, with the reason `why`.

    Its request waits for a callback, a look-up or an operator.
    """
    return UnknownSubmissionError(
        f"{stage}: the submission to {provider} may or may not have been accepted ({why}); "
        "it is not sent again"
    )


@dataclass(frozen=True)
class FailureHistory:
    """The number of times that a stage has had the same failure, this one included.

    `retries_requested` is True if a person asked for more tries, by a retry or by a raised max_retries.
    """

    times: int
    retries_requested: bool


STEP_RETRIES = 2
"""How often a step is retried before the attempt ends."""


def is_retried_in_step(error: BaseException, retries: int, longest_wait: float) -> bool:
    """Return whether to run the Dagster step again after this error and `retries` earlier retries.

    Only for a transient error that may be over within `longest_wait` seconds, and not for a stage timeout.
    """
    return (
        retries < STEP_RETRIES
        and isinstance(error, TransientError)
        and error.code != STAGE_TIMEOUT
        and (error.retry_after or 0) <= longest_wait
    )


def limit_resubmissions(
    error: SubmissionFailedError, seen: FailureHistory, task_id: str
) -> ProviderError:
    """Return the error with its count in the message; a PermanentError if no further submission is allowed."""
    again = f" [the same failure for the {ordinal(seen.times)} time]" if seen.times > 1 else ""
    message = f"{error.message}{again}"
    most = error.resubmissions
    if most is None or seen.times <= most or seen.retries_requested:
        return SubmissionFailedError(message, code=error.code, cost=error.cost, resubmissions=most)
    hint = f"`castad retry {task_id}` submits it again, as often as it has retries"
    return PermanentError(f"{message}; castad does not submit it again: {hint}", code=error.code)


def ordinal(number: int) -> str:
    """Format a number as English ordinal, such as 1st, 2nd, 3rd, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"
