"""Which database errors are transient: nothing was written, and a later retry may succeed."""

from sqlalchemy.exc import DBAPIError, InterfaceError, InvalidRequestError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resources.ledger.db.file_errors import DatabaseFileError

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_TRANSIENT_SQLSTATES = (
    "08",  # the connection
    "53",  # no disk, memory or connection left
    "57P01",  # shut down by its administrator
    "57P02",  # shut down by a crash
    "57P03",  # still starting up
    "57P05",  # idle for too long
    "25P03",  # idle inside a transaction for too long: this process was suspended
    "25006",  # read-only: another server has taken over
    "40001",  # could not serialize
    "40P01",  # deadlock
    "55P03",  # a lock is not available
)
# https://www.sqlite.org/rescode.html; PROTOCOL is a lost race for a lock of the WAL
_TRANSIENT_SQLITE_CODES = (
    "SQLITE_BUSY",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_PROTOCOL",
)


# The pool's message where two fresh connections in a row died before their first use.
_POOL_CONNECTION_DIED = "This connection is closed"


def is_transient_db_error(error: BaseException) -> bool:
    """Whether the same statement may succeed later."""
    if isinstance(error, PoolTimeoutError | DatabaseFileError):
        return True
    if isinstance(error, InvalidRequestError):
        return str(error) == _POOL_CONNECTION_DIED
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return str(name).startswith(_TRANSIENT_SQLITE_CODES)
    code = sqlstate(error)
    if code is not None:
        return code.startswith(_TRANSIENT_SQLSTATES)
    # A failed connection attempt has no SQLSTATE: libpq gives only a message.
    return hasattr(error.orig, "pgcode") and isinstance(error, OperationalError | InterfaceError)


def sqlstate(error: DBAPIError) -> str | None:
    """The SQLSTATE that Postgres reported, None where it reported none."""
    code = getattr(error.orig, "pgcode", None)
    return code if isinstance(code, str) else None
