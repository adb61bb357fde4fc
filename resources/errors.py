"""The root of every error castad raises on purpose.

CastadError                 code, message
├── resources.ledger.errors     what the ledger refuses
└── resources.providers.errors  what a provider did not do
"""


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
