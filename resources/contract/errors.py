"""What castad raises on purpose: the root of every such error, and what a provider may raise.

CastadError                     code, message
├── resources.ledger.errors     what the ledger refuses
├── InvalidInputError           something given from outside
├── StateUnavailableError       the state folder or the database
└── ProviderError               by what has to be done next
    ├── TransientError          nothing was accepted or nothing is lost: the same call may be made again
    ├── PermanentError          the same order will fail again: do not repeat
    ├── SubmissionFailedError   the provider's own verdict: this job failed; a retry may submit a new one
    ├── OutOfCreditsError       the account is empty or locked: the provider is parked, no retry is burned
    └── UnknownSubmissionError  the order may have been accepted: never submit again by guess
"""

RATE_LIMITED = "rate_limited"
"""The code of a TransientError of a vendor that was called too often."""


class CastadError(Exception):
    """A refusal or failure that a person can act on: `code` is stable, `message` is one sentence."""

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
    """Something given from outside cannot be used; the message names the field and what was expected."""

    code = "invalid_input"

    def __init__(self, field: str, expected: str, *, code: str | None = None) -> None:
        super().__init__(f"{field}: {expected}", code=code)
        self.field = field


class ProviderError(CastadError):
    """A provider did not deliver."""

    code = "provider_error"

    def __init__(self, message: str, *, code: str | None = None, cost: int | None = None) -> None:
        """`cost` is what was charged all the same, in micro-dollars, where the provider tells."""
        super().__init__(message, code=code)
        self.cost = cost


class TransientError(ProviderError):
    """The same call may be made again, after `retry_after` seconds where the provider said so."""

    code = "provider_unavailable"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        cost: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, code=code, cost=cost)
        self.retry_after = retry_after


class PermanentError(ProviderError):
    """The same order will fail again."""

    code = "provider_refused"


class SubmissionFailedError(ProviderError):
    """The provider says that this job failed; a later attempt may submit a new one.

    By itself at most `resubmissions` new ones where that is set, as long as nobody has asked for more tries than
    usual: a person's retry and a raised max_retries always get theirs.
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
    """The account cannot pay or was locked; nobody's order is at fault."""

    code = "out_of_credits"


class UnknownSubmissionError(ProviderError):
    """The order was sent and no answer came back: it may or may not have been accepted."""

    code = "submission_unknown"
