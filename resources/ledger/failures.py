"""Which failure an exception is, and what the ledger does about it."""

from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.ledger.ledger_errors import DailyBudgetError, ProviderPausedError, WaitsError
from resources.ledger.rules import Failure, FailureAction
from resources.process.disk_errors import DISK_FULL, is_disk_full

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
"""The codes of what is no order's fault and may be over in an hour."""

_ACTIONS = (
    (UnknownSubmissionError, FailureAction.LOOK_UP),
    (OutOfCreditsError, FailureAction.RETRY),
    (PermanentError, FailureAction.DEAD_LETTER),
    (SubmissionFailedError, FailureAction.RETRY),
    (TransientError, FailureAction.RETRY),
    (CastadError, FailureAction.DEAD_LETTER),
)


def order_error_code(error: CastadError) -> str:
    """The error code of a request whose order is invalid; a field's own code becomes `invalid_payload`."""
    return INVALID_PAYLOAD if error.code == InvalidInputError.code else error.code


def classify_failure(error: BaseException, stage: str) -> Failure:
    """The failure that an exception means; a bug is retried, and only its type is named."""
    if isinstance(error, ProviderPausedError):
        return Failure(error.code, error.message, FailureAction.WAIT, waits_for=error.provider)
    if isinstance(error, DailyBudgetError | WaitsError):
        requested_delay = getattr(error, "retry_after", 0.0)
        return Failure(
            error.code, error.message, FailureAction.WAIT, error.waits_for, requested_delay
        )
    for kind, action in _ACTIONS:
        if isinstance(error, kind):
            requested_delay = getattr(error, "retry_after", None) or 0.0
            return Failure(
                order_error_code(error), error.message, action, retry_after=requested_delay
            )
    if is_disk_full(error):
        return Failure(DISK_FULL, f"{stage}: the disk is full", FailureAction.RETRY)
    where = "the traceback is in logs/castad.log of the worker's CASTAD_HOME"
    message = f"{stage}: unexpected {type(error).__name__}; {where}"
    return Failure(INTERNAL_ERROR, message, FailureAction.RETRY)
