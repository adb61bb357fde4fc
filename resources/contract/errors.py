"""Define the errors that castad raises on purpose, and those that a provider may raise.

CastadError                     code, message
├── resources.ledger.ledger_errors     what the ledger refuses
├── InvalidInputError           input from outside cannot be used
├── StateUnavailableError       the state folder or the database cannot be used
└── ProviderError               subclassed by what has to be done next
    ├── TransientError          nothing was accepted or nothing is lost: the same call may be made again
    ├── PermanentError          the same order will fail again: do not retry
    ├── SubmissionFailedError   the provider's own final status: this job failed; a retry may submit a new one
    ├── OutOfCreditsError       the account is empty or locked: the provider is paused, no retry is used up
    └── UnknownSubmissionError  the job may have been accepted: never submit it again on a guess
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

RATE_LIMITED = "rate_limited"
"""The code of the TransientError for a vendor that was called too often."""
VENDOR_DOWN = "vendor_down"
"""The code of the TransientError for a vendor that takes no job now, whichever it is."""
KEY_REFUSED = "key_refused"
"""The code of the OutOfCreditsError for a key that the vendor refuses."""


class CastadError(Exception):
    """A refusal or failure that a user can act on: `code` is stable, `message` is one sentence."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class StateUnavailableError(CastadError):
    """Raised when the state folder or the database cannot be used."""

    code = "state_unavailable"


class InvalidInputError(CastadError):
    """Raised when input from outside cannot be used; the message names the field and what was expected."""

    code = "invalid_input"

    def __init__(self, field: str, expected: str, *, code: str | None = None) -> None:
        super().__init__(f"{field}: {expected}", code=code)
        self.field = field


class ProviderError(CastadError):
    """The base of the errors that a provider raises when it does not deliver."""

    code = "provider_error"

    def __init__(self, message: str, *, code: str | None = None, cost: int | None = None) -> None:
        """Store message and code; `cost` is the amount charged anyway, in micro-dollars, None if unknown."""
        super().__init__(message, code=code)
        self.cost = cost


class TransientError(ProviderError):
    """Raised when the same call may be repeated, after `retry_after` seconds if the provider set them."""

    code = "provider_unavailable"

    def __init__(
        self, message: str, *, code: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class PermanentError(ProviderError):
    """Raised when the same order would fail again, so that a retry is useless."""

    code = "provider_refused"


class SubmissionFailedError(ProviderError):
    """Raised when the provider reports that this job failed; a later attempt may submit a new one.

    `resubmissions` limits how many new jobs are submitted automatically; None means no such limit. An
    operator's retry and a raised max_retries are not subject to it.
    """

    code = "provider_failed"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        cost: int | None = None,
        resubmissions: int | None = None,
    ) -> None:
        super().__init__(message, code=code, cost=cost)
        self.resubmissions = resubmissions


class OutOfCreditsError(ProviderError):
    """Raised when the account cannot pay, is locked or its key is refused; the order is not at fault."""

    code = "out_of_credits"


class UnknownSubmissionError(ProviderError):
    """Raised when a job was sent and it is unknown whether the provider accepted it."""

    code = "submission_unknown"


@cache
def load_expectation_templates() -> Mapping[str, str]:
    """Load the "expected …" sentences by the type of pydantic's validation error."""
    # Most processes describe no input.
    import tomllib

    return tomllib.loads(Path(__file__).with_name("expected.toml").read_text("utf-8"))


def describe_expected(error: Mapping[str, Any]) -> str:
    """Describe the expected value of a validation error, without repeating the value."""
    template = load_expectation_templates().get(error["type"], "expected a value of another type")
    context: Mapping[str, Any] = error.get("ctx", {})
    return template.format(**{name: _shorten_number(value) for name, value in context.items()})


def _shorten_number(value: Any) -> Any:
    """Return a float without decimals as an int; any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
