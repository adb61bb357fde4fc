"""What the command line says of an error."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError, StatementError

from castad.orders.batch import RefusedOrdersError
from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.db.sqlite_file import DatabaseFileError
from resources.ledger.ledger_errors import (
    ConflictError,
    SecretExistsError,
    SeveralKeysError,
    TakenIdError,
    UnknownDeliveryError,
    UnknownKeyError,
    UnknownRequestError,
    UnknownShareLinkError,
)
from resources.process.configure_logging import log_traceback

_USAGE_ERRORS = (
    InvalidInputError,
    ConflictError,
    SecretExistsError,
    SeveralKeysError,
    TakenIdError,
    UnknownDeliveryError,
    UnknownKeyError,
    UnknownRequestError,
    UnknownShareLinkError,
)


@dataclass(frozen=True)
class ErrorReport:
    """One sentence and a stable code; `is_usage` where the call itself was wrong.

    `details` are sentences that stand before it, a line each.
    """

    sentence: str
    code: str
    is_usage: bool = False
    details: Sequence[str] = ()


def describe_error(error: Exception) -> ErrorReport:
    """Describe any error; write the traceback of an unexpected one to castad's log."""
    if isinstance(error, RefusedOrdersError) and len(error.refused) > 1:
        details = [f"{each.location}: {each.detail}" for each in error.refused]
        sentence = f"{len(details)} orders are refused, so none is submitted"
        return ErrorReport(sentence, error.code, is_usage=True, details=details)
    if isinstance(error, CastadError):
        return ErrorReport(error.message, error.code, isinstance(error, _USAGE_ERRORS))
    if isinstance(error, DatabaseFileError):
        return ErrorReport(error.sentence, error.error_code)
    if isinstance(error, SQLAlchemyError):
        # The driver's message, or SQLAlchemy's own if no driver was involved.
        cause = error.orig if isinstance(error, StatementError) else (error.args or ("",))[0]
        reason = next(iter(str(cause).strip().splitlines()), type(error).__name__)
        return ErrorReport(f"the database reported an error: {reason}", "state_unavailable")
    sentence = f"{_describe_unexpected(error)}; the details are in {log_traceback(error)}"
    return ErrorReport(sentence, "internal_error")


def _describe_unexpected(error: Exception) -> str:
    """Name the error's type; for a file that cannot be loaded, also what is wrong with it, and where."""
    kind = type(error).__name__
    if isinstance(error, SyntaxError):
        return f"{error.filename}: {kind}: {error.msg} in line {error.lineno}"
    if isinstance(error, ImportError):
        return f"{kind}: {' '.join(str(error).split())}"
    return f"unexpected {kind}"
