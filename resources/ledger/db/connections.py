"""Engines for SQLite and Postgres that notice a lost server and never hand out a dead connection."""

import select
import sqlite3
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext, make_url
from sqlalchemy.exc import DBAPIError, DisconnectionError

from resources.ledger.db.sqlite_file import SqliteFile
from resources.ledger.db.transient import sqlstate

_BUSY_SECONDS = 30
_SHORT_TIMEOUT_SECONDS = 3
# A starting stack migrates, dispatches and writes its first events at once: a file has one writer at a time.
_SHORT_TIMEOUT_OF_A_FILE = 12
_POOL = {"pool_size": 10, "max_overflow": 10, "pool_timeout": 10}

# A vanished host is noticed after 5 + 3 * 3 s without traffic, or 15 s after something was sent to it. A
# statement that waits for a lock is not cut off: the host's kernel still answers the probes.
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
KEEPALIVE_OPTIONS = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
# The same on the server's side: it frees the locks of a vanished or stopped process after this time.
_SERVER_KEEPALIVE = (
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 3; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 15000; SET idle_in_transaction_session_timeout = 30000"
)
_READ_ONLY_TRANSACTION = "25006"
_IDLE = 0  # libpq's PQTRANS_IDLE: in no transaction


def with_short_timeouts(url: str) -> str:
    """The URL of the same database for callers that must answer soon: a lock wait ends after a few seconds."""
    given = make_url(url)
    limit = (
        {"timeout": str(_SHORT_TIMEOUT_OF_A_FILE)}
        if given.get_backend_name() == "sqlite"
        else {"options": f"-c lock_timeout={1000 * _SHORT_TIMEOUT_SECONDS}"}
    )
    chosen = {name: value for name, value in limit.items() if name not in given.query}
    return given.update_query_dict(chosen).render_as_string(hide_password=False)


def sqlite_engine(url: str, file: SqliteFile | None) -> Engine:
    """An engine on a SQLite file; with the option `castad_writes` a transaction takes the write lock at BEGIN."""
    given = make_url(url)
    busy_timeout = {} if "timeout" in given.query else {"timeout": _BUSY_SECONDS}
    engine = create_engine(
        given, connect_args={**busy_timeout, "check_same_thread": False}, **_POOL
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    if file is not None:
        file.guard(engine)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, record: Any) -> None:
    # sqlite3's implicit transactions start too late to hold a lock over a read.
    connection.isolation_level = None
    # Invalid UTF-8 that an operator stored must not break every query; no order accepts it.
    connection.text_factory = _tolerant_text
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _tolerant_text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("castad_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def postgres_engine(url: str) -> Engine:
    """A pooled engine on Postgres in autocommit mode. Time-outs given in the URL take precedence."""
    given = make_url(url)
    keepalive_options = {
        name: value for name, value in KEEPALIVE_OPTIONS.items() if name not in given.query
    }
    # Without autocommit psycopg2 sends a BEGIN and a ROLLBACK around every read.
    engine = create_engine(
        given, isolation_level="AUTOCOMMIT", connect_args=keepalive_options, **_POOL
    )
    event.listen(engine, "connect", _prepare_postgres)
    event.listen(engine, "checkout", _refuse_dead)
    event.listen(engine, "reset", _end_transaction)
    event.listen(engine, "handle_error", _invalidate_if_read_only)
    return engine


def _prepare_postgres(connection: Any, record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SERVER_KEEPALIVE)


def _end_transaction(connection: Any, record: Any, state: Any) -> None:
    """Roll back a transaction that a block has left open before the pool takes the connection back."""
    if not connection.closed and connection.info.transaction_status != _IDLE:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


def _refuse_dead(connection: Any, record: Any, proxy: Any) -> None:
    """Pending input on an idle connection means that the server closed it. Costs no round trip."""
    if connection.closed or _has_pending_input(connection.fileno()):
        raise DisconnectionError("the server has closed this connection")


def _has_pending_input(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def _invalidate_if_read_only(context: ExceptionContext) -> None:
    """Drop the connections to a server that has become read-only, so that the next one reaches its successor."""
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and sqlstate(error) == _READ_ONLY_TRANSACTION:
        context.is_disconnect = True
