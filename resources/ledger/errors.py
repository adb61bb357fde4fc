"""What the ledger refuses, and why.

LedgerError
├── UnknownRequestError      no request with this task_id
├── ConflictError            the task_id is taken by another order
├── IllegalMoveError         the request is not in a state that allows this
├── ClaimRefusedError        this run may not work on the request
├── LeaseLostError           another attempt, or an operator, has taken the request from this one
├── CancelRequestedError     somebody asked to stop this request
└── DatabaseNewerError       the schema is of a later castad
"""

from resources.errors import CastadError


class LedgerError(CastadError):
    """The ledger did not do it, and nothing changed."""

    code = "ledger_error"


class UnknownRequestError(LedgerError):
    """No request with this task_id."""

    code = "unknown_task_id"

    def __init__(self, task_id: str) -> None:
        super().__init__(f"task_id: no request is called {task_id!r}")


class ConflictError(LedgerError):
    """The task_id is taken by another order."""

    code = "conflict"

    def __init__(self, task_id: str) -> None:
        super().__init__(
            f"task_id: {task_id!r} is already the order of something else; "
            "expected the same order again or a new task_id"
        )


class IllegalMoveError(LedgerError):
    """The request is not in a state that allows this."""

    code = "illegal_move"


class ClaimRefusedError(LedgerError):
    """This run may not work on the request; it ends without having touched anything."""

    code = "claim_refused"


class LeaseLostError(LedgerError):
    """The request was taken from this attempt: it writes nothing and buys nothing more."""

    code = "lease_lost"


class CancelRequestedError(LedgerError):
    """Somebody asked to stop this request."""

    code = "cancel_requested"


class DatabaseNewerError(LedgerError):
    """The database has been migrated by a castad that is newer than this one."""

    code = "database_newer"
