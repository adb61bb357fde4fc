"""From what was raised to what it calls for."""

import errno

from resources.contract.errors import (
    CastadError,
    InvalidInputError,
    OutOfCreditsError,
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.ledger.errors import DailyBudgetError, ProviderParkedError, WaitsError
from resources.ledger.rules import Failure, Remedy, Waits
from resources.process.settings import Settings

INVALID_PAYLOAD = "invalid_payload"
INTERNAL_ERROR = "internal_error"
"""The code of what nobody expected: a bug."""

_REMEDIES = (
    (UnknownSubmissionError, Remedy.LOOK_UP),
    (OutOfCreditsError, Remedy.RETRY),
    (PermanentError, Remedy.NONE),
    (SubmissionFailedError, Remedy.RETRY),
    (TransientError, Remedy.RETRY),
    (CastadError, Remedy.NONE),
)


def code_of_order(error: CastadError) -> str:
    """The code of a request that dies of its order; a field that cannot be used is `invalid_payload`."""
    return INVALID_PAYLOAD if error.code == InvalidInputError.code else error.code


def failure_of(error: BaseException, stage: str) -> Failure:
    """What an exception means for the attempt; a bug counts as worth a retry and names only its type."""
    if isinstance(error, ProviderParkedError):
        return Failure(error.code, error.message, Remedy.WAIT, waits_for=error.provider)
    if isinstance(error, DailyBudgetError | WaitsError):
        asked = getattr(error, "retry_after", 0.0)
        return Failure(error.code, error.message, Remedy.WAIT, error.waits_for, asked)
    for kind, remedy in _REMEDIES:
        if isinstance(error, kind):
            asked = getattr(error, "retry_after", None) or 0.0
            return Failure(code_of_order(error), error.message, remedy, retry_after=asked)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure("disk_full", f"{stage}: the disk is full", Remedy.RETRY)
    message = f"{stage}: unexpected {type(error).__name__}; the run's log has the details"
    return Failure(INTERNAL_ERROR, message, Remedy.RETRY)


def waits_of(settings: Settings, stage: str) -> Waits:
    """The waits of a stage."""
    return Waits(settings.retry_seconds(stage), settings.unknown_grace)
