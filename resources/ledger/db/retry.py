"""Run a transaction again after a transient error of the database.

After a COMMIT without a reply, stored events of the transaction's transitions prove that it was committed. A
transaction without a transition leaves no such proof and is repeated: a new order, progress, a heartbeat, an API
key, a paused vendor and a rate window are stored once, or hold the same values if they are written twice.
"""

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, unique
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine, func, select, text, tuple_
from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    InvalidRequestError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resources.ledger.db.sqlite_file import DatabaseFileError
from resources.ledger.schema.tables import events, requests

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
_FIRST_DELAY = 0.1
# No longer: once the database answers again, work resumes at once.
_MAX_DELAY = 1.0
_TRANSITIONS = "castad_transitions"
_log = logging.getLogger("castad.ledger")


class RetriedDatabase(Protocol):
    """The first parameter of a function with `retry_transient`: a database with a retry budget."""

    @property
    def retry_budget(self) -> float:
        """Seconds from the first transient error during which the function is repeated."""


D = TypeVar("D", bound=RetriedDatabase)
T = TypeVar("T")
P = ParamSpec("P")


def retry_transient(work: Callable[Concatenate[D, P], T]) -> Callable[Concatenate[D, P], T]:
    """Decorate a function so that it is repeated after transient errors, within its database's retry budget.

    For functions of one transaction, or of several that may each be repeated. A transaction that failed
    transiently was rolled back, or made no transition and may be written twice (see `Database.writing`).
    """

    @wraps(work)
    def retrying(db: D, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return retry_for(lambda: work(db, *args, **kwargs), db.retry_budget)

    return retrying


def retry_for(work: Callable[[], T], seconds: float) -> T:
    """Call `work` until it succeeds, and return its result; repeat it after transient errors only.

    Raises the last transient error `seconds` after the first one, and any other error at once.
    """
    deadline: float | None = None
    delays = _compute_backoff_delays()
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            if not is_transient_db_error(error):
                raise
            if deadline is None:
                deadline = time.monotonic() + seconds
                if seconds:
                    why = describe_db_error(error)
                    _log.warning(
                        "database unavailable, retrying: error=%s retry_seconds=%g", why, seconds
                    )
            pause = next(delays)
            if time.monotonic() + pause > deadline:
                raise
        time.sleep(pause)


def _compute_backoff_delays() -> Iterator[float]:
    """Yield the seconds between tries without end: exponential with full jitter.

    After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    longest = _FIRST_DELAY
    while True:
        yield random.uniform(0, longest)  # noqa: S311 - jitter needs no secrecy
        longest = min(2 * longest, _MAX_DELAY)


def is_transient_db_error(error: BaseException) -> bool:
    """Return whether the error is one of the database that may be over if the statement is repeated later."""
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
    """Return the SQLSTATE that Postgres reported with the error, or None."""
    code = getattr(error.orig, "pgcode", None)
    return code if isinstance(code, str) else None


def describe_db_error(error: BaseException) -> str:
    """Format the cause of a database error for logs: its type only, because messages may hold parameters."""
    if isinstance(error, DatabaseFileError):
        return error.sentence
    return type(getattr(error, "orig", None) or error).__name__


class CommitInDoubtError(SQLAlchemyError):
    """The reply to a COMMIT was lost, and the database did not say whether it took effect.

    Not transient: the transaction may have been committed, so it is not repeated.
    """


@dataclass(frozen=True)
class Transition:
    """The identity of a written transition: the request, the seq of its event, and its time.

    Another transaction can write the same seq only after this one, hence at a later time.
    """

    request_id: int
    seq: int
    at: datetime


@dataclass(frozen=True)
class Transaction:
    """An open transaction on Postgres: its server process' pid as `backend`, and its transitions so far."""

    backend: int
    transitions: list[Transition]


def begin(connection: Connection) -> Transaction:
    """Begin a transaction on a Postgres connection, and return it; one round trip, like a plain BEGIN."""
    connection.exec_driver_sql("BEGIN")
    transitions: list[Transition] = []
    connection.info[_TRANSITIONS] = transitions
    driver: Any = connection.connection.driver_connection
    return Transaction(driver.info.backend_pid, transitions)


def note_transition(tx: Connection, transition: Transition) -> None:
    """Remember the transition in this process, as a later proof that its transaction was committed."""
    transitions = tx.info.get(_TRANSITIONS)
    if transitions is not None:
        transitions.append(transition)


def was_committed(engine: Engine, transaction: Transaction, seconds: float) -> bool:
    """Return whether the ended transaction was committed, as its stored transitions show; False if it made none.

    Raises the database's error if it does not answer for this many seconds.
    """
    if not transaction.transitions:
        return False
    return retry_for(lambda: _is_stored(engine, transaction), seconds)


def _is_stored(engine: Engine, transaction: Transaction) -> bool:
    transitions = [(each.request_id, each.seq, each.at) for each in transaction.transitions]
    changed = select(requests.c.id).where(requests.c.id.in_({key for key, _, _ in transitions}))
    made = tuple_(events.c.request_id, events.c.seq, events.c.at).in_(transitions)
    with engine.connect() as connection:
        lost = {"backend": transaction.backend, "changed_at": transaction.transitions[0].at}
        connection.execute(_END_LOST, lost)
        # Waits for the transaction's end: it has locked these rows.
        connection.execute(changed.order_by(requests.c.id).with_for_update()).all()
        return connection.execute(select(events.c.id).where(made).limit(1)).first() is not None


# A server process whose client is gone may not notice, and keeps its locks. Processes that have the number of one
# that has ended began their transactions later.
_END_LOST = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :backend AND xact_start < :changed_at"
)


@unique
class AdvisoryLock(IntEnum):
    """The locks of work that only one process may do at a time."""

    MIGRATION = 0x0CA57AD
    DISPATCH = 0x0CA57AE
    BUDGET = 0x0CA57AF
    DAGSTER_TABLES = 0x0CA57B0
    EXTERNAL_ID = 0x0CA57B1
    SLOTS = 0x0CA57B2
    REPORT = 0x0CA57B3
    RETENTION = 0x0CA57B4
    PROFILES = 0x0CA57B5

    def take(self, tx: Connection, name: str | None = None) -> None:
        """Take the lock, or the one of this `name`, until the transaction ends.

        Does nothing on SQLite, which has only one writer.
        """
        if tx.dialect.name != "sqlite":
            of_name = () if name is None else (func.hashtext(name),)
            tx.execute(select(func.pg_advisory_xact_lock(self, *of_name)))
