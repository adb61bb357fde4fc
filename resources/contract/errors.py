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
    """The state folder or the database cannot be used."""

    code = "state_unavailable"


class InvalidInputError(CastadError):
    """Input from outside cannot be used; the message names the field and what was expected."""

    code = "invalid_input"

    def __init__(self, field: str, expected: str, *, code: str | None = None) -> None:
        super().__init__(f"{field}: {expected}", code=code)
        self.field = field


class ProviderError(CastadError):
    """A provider did not deliver."""

    code = "provider_error"

    def __init__(self, message: str, *, code: str | None = None, cost: int | None = None) -> None:
        """`cost` is what was charged all the same, in micro-dollars; None where that is not reported."""
        super().__init__(message, code=code)
        self.cost = cost


class TransientError(ProviderError):
    """The same call may be made again, after `retry_after` seconds where the provider set them."""

    code = "provider_unavailable"

    def __init__(
        self, message: str, *, code: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class PermanentError(ProviderError):
    """The same order will fail again."""

    code = "provider_refused"


class SubmissionFailedError(ProviderError):
    """The provider reports that this job failed; a later attempt may submit a new one.

    `resubmissions`, where set, limits how many are submitted automatically. An operator's retry and a raised
    max_retries are not limited by it.
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
    """The account cannot pay or is locked; no order is at fault."""

    code = "out_of_credits"


class UnknownSubmissionError(ProviderError):
    """The job was sent and no answer came back: it may or may not have been accepted."""

    code = "submission_unknown"


_SENTENCES: Mapping[str, str] = {
    "missing": "expected a value, got none",
    "string_type": "expected text",
    "string_unicode": "expected plain text, got half a character",
    "string_too_short": "expected at least {min_length} character",
    "string_too_long": "expected at most {max_length} characters",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "finite_number": "expected a finite number",
    "int_parsing_size": "expected a whole number of ordinary size",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "multiple_of": "expected a multiple of {multiple_of}",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "literal_error": "expected {expected}",
    "enum": "expected {expected}",
    "date_type": "expected a date such as 2030-01-31",
    "date_parsing": "expected a date such as 2030-01-31",
    "date_from_datetime_parsing": "expected a date such as 2030-01-31",
    "datetime_type": "expected a timestamp such as 2030-01-31T09:00:00+09:00",
    "datetime_parsing": "expected a timestamp such as 2030-01-31T09:00:00+09:00",
    "datetime_from_date_parsing": "expected a timestamp such as 2030-01-31T09:00:00+09:00",
    "list_type": "expected a list",
    "dict_type": "expected a JSON object",
    "model_type": "expected a JSON object",
    "model_attributes_type": "expected a JSON object",
    "too_short": "expected at least {min_length} entries",
    "too_long": "expected at most {max_length} entries",
    "value_error": "{error}",
}


def expected_of(error: Mapping[str, Any]) -> str:
    """Describe the expected value of a validation error, without repeating the value."""
    template = _SENTENCES.get(error["type"], "expected a value of another type")
    context: Mapping[str, Any] = error.get("ctx", {})
    return template.format(**{name: _shorten_number(value) for name, value in context.items()})


def _shorten_number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
