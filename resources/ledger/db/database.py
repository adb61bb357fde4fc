"""Open the ledger's database and run transactions on it."""

import copy
import select
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Self, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, Executable, create_engine, event
from sqlalchemy.engine import ExceptionContext, make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.sql.selectable import TypedReturnsRows

from resources.contract.errors import StateUnavailableError
from resources.ledger.db.retry import (
    AdvisoryLock,
    CommitInDoubtError,
    Transaction,
    begin,
    retry_transient,
    sqlstate,
    was_committed,
)
from resources.ledger.db.sqlite_file import DatabaseFileError, SqliteFile
from resources.ledger.ledger_errors import DatabaseNewerError
from resources.ledger.schema import migrations
from resources.ledger.schema.baseline import TAKEN_OVER, make_ledger, take_over
from resources.ledger.schema.tables import VERSION_TABLE
from resources.process.file_locks import exclusive_file_lock, translate_state_folder_errors

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
_BUSY_SECONDS = 30
_SHORT_TIMEOUT_SECONDS = 3
# A starting stack migrates, dispatches and writes its first events at once: a file has one writer at a time.
_SHORT_TIMEOUT_OF_A_FILE = 12
_POOL = {"pool_size": 10, "max_overflow": 10, "pool_timeout": 10}
# The same on the server's side: it frees the locks of a vanished or stopped process after this time.
_SERVER_KEEPALIVE = (
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 3; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 15000; SET idle_in_transaction_session_timeout = 30000"
)
_READ_ONLY_TRANSACTION = "25006"
_IDLE = 0  # libpq's PQTRANS_IDLE: in no transaction
_MIGRATIONS = Path(migrations.__file__).parent
_MIN_COMMIT_CHECK_SECONDS = 1.0
_FAILURE_SECONDS = 0.5
T = TypeVar("T")


class Database:
    """A ledger's database, which runs transactions; thread-safe.

    The constructor brings the schema up to date. It raises StateUnavailableError if the database cannot be
    opened, and DatabaseNewerError if its schema is unknown. With `at_once` False the first transaction does
    that, and raises the driver's own error if it fails.
    """

    def __init__(self, url: str, *, at_once: bool = True) -> None:
        self.url = make_url(url)
        self.retry_budget = 0.0
        is_file = self.is_sqlite and self.url.database
        self.file = SqliteFile(Path(str(is_file)), may_create=True) if is_file else None
        self._engine = (
            make_sqlite_engine(url, self.file) if self.is_sqlite else make_postgres_engine(url)
        )
        self._writer = self._engine.execution_options(castad_writes=True)
        self._opening = _Opening(self._open)
        if at_once:
            self.ensure_open()

    def ensure_open(self) -> None:
        """Bring the schema up to date, unless that is done.

        Raises StateUnavailableError if the database cannot be opened, and DatabaseNewerError if its schema is
        unknown.
        """
        try:
            self._opening.ensure_done()
        except DatabaseFileError as error:
            raise StateUnavailableError(error.sentence, code=error.error_code) from error
        except (DatabaseError, OSError) as error:
            detail = error.orig if isinstance(error, DatabaseError) else error.strerror
            reason = str(detail).strip().splitlines()[0]
            raise StateUnavailableError(
                f"database: {self.address} cannot be opened: {reason}"
            ) from error

    def _open(self) -> None:
        """Bring the schema up to date; one process at a time makes a new SQLite file."""
        if self.file is None or self.file.is_made():
            self._migrate()
        else:
            # The switch to WAL does not wait for a lock, and fails if two processes make it at once.
            with exclusive_file_lock(Path(f"{self.file.path}.opening")):
                self._migrate()
        if self.file is not None:
            self.file.may_create = False

    @property
    def address(self) -> str:
        """The URL for display, without its password and its options, which may be secret."""
        return self.url.set(query={}).render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a SQLite file."""
        return self.url.get_backend_name() == "sqlite"

    def with_retry_budget(self, seconds: float) -> Self:
        """Return a copy that retries transitions and reads for this many seconds after a transient error.

        The copy shares the connections.
        """
        if seconds == self.retry_budget:
            return self
        view = copy.copy(self)
        view.retry_budget = seconds
        return view

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction for reading, which ends with the block; on SQLite its queries see one snapshot."""
        self._opening.ensure_done()
        with self._engine.begin() as connection:
            yield connection

    @retry_transient
    def fetch_all(self, query: Executable, /, **values: Any) -> Sequence[Any]:
        """Execute a query with these parameters; return all rows."""
        with self.reading() as tx:
            return tx.execute(query, values).all()

    def fetch_one(self, query: Executable, /, **values: Any) -> Any:
        """Execute a query with these parameters; return the first row, or None if there is none."""
        rows = self.fetch_all(query, **values)
        return rows[0] if rows else None

    def fetch_column(self, query: Executable, /, **values: Any) -> list[Any]:
        """Execute a query with these parameters; return the first value of each row."""
        return [row[0] for row in self.fetch_all(query, **values)]

    def fetch_value(self, query: TypedReturnsRows[T], /, **values: Any) -> T | None:
        """Execute a query with these parameters; return the first value of the first row, None without rows."""
        row = self.fetch_one(query, **values)
        return None if row is None else row[0]

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction, which the end of the block commits and any exception rolls back.

        If the connection is lost during the COMMIT, Postgres is asked if the transaction's transitions are
        stored, during the retry budget and at least for a second. If they are, the block ends normally. If
        they are not, or if the transaction made none, the original error is raised: then the block may be
        repeated. Raises CommitInDoubtError if Postgres gives no answer.
        """
        self._opening.ensure_done()
        if self.is_sqlite:
            with self._writer.begin() as connection:
                yield connection
            return
        transaction, sent = None, False
        try:
            with self._engine.connect() as connection:
                transaction = begin(connection)
                yield connection
                sent = True
                connection.exec_driver_sql("COMMIT")
        except DBAPIError as error:
            if not sent or transaction is None or not error.connection_invalidated:
                raise
            if not self._was_committed(transaction):
                raise

    def _was_committed(self, transaction: Transaction) -> bool:
        """Return whether the transaction was committed; raise CommitInDoubtError without an answer."""
        try:
            seconds = max(self.retry_budget, _MIN_COMMIT_CHECK_SECONDS)
            return was_committed(self._engine, transaction, seconds)
        except SQLAlchemyError as error:
            raise CommitInDoubtError(
                "database: the reply to a COMMIT was lost, and whether it took effect is unknown"
            ) from error

    def close(self) -> None:
        """Close all pooled connections."""
        self._engine.dispose()

    def _migrate(self) -> None:
        """Bring the schema up to date; raise DatabaseNewerError if its revision is unknown."""
        scripts = _scripts()
        with self.reading() as connection:
            revision = _make_migration_context(connection).get_current_revision()
        if revision == scripts.get_current_head():
            return
        known = {script.revision for script in scripts.walk_revisions()}
        if revision is not None and revision not in {*known, *TAKEN_OVER}:
            raise DatabaseNewerError(
                f"database: its schema is at {revision!r}, which this castad does not know; expected "
                f"{TAKEN_OVER[0]} to {scripts.get_current_head()}: a newer one needs a castad at least as new "
                "as the one that wrote it, an older one has to be opened by a release in between first"
            )
        with self._migrating() as connection:
            # Another process may have done it meanwhile.
            version = _make_migration_context(connection)
            revision = version.get_current_revision()
            if revision in known:
                config = Config(attributes={"connection": connection})
                config.set_main_option("script_location", str(_MIGRATIONS))
                command.upgrade(config, "head")
                return
            if revision is None:
                make_ledger(connection)
            else:
                take_over(connection)
            version.stamp(scripts, "head")

    @contextmanager
    def _migrating(self) -> Iterator[Connection]:
        """Begin a writing transaction that only one process may have; SQLite checks no foreign key in it."""
        if not self.is_sqlite:
            with self.writing() as connection:
                AdvisoryLock.MIGRATION.take(connection)
                yield connection
            return
        with self._writer.connect() as connection:
            # SQLite ignores this within a transaction.
            file = connection.connection.cursor()
            file.execute("PRAGMA foreign_keys = OFF")
            try:
                with connection.begin():
                    yield connection
            finally:
                file.execute("PRAGMA foreign_keys = ON")


def open_database(url: str, *, at_once: bool = True) -> Database:
    """Return the process' one Database for a URL, with an up-to-date schema unless `at_once` is False.

    Creates the folder of a SQLite file. Raises StateUnavailableError if the folder cannot be written to, and
    as the constructor of Database.
    """
    path = make_url(url).database
    if url.startswith("sqlite") and path:
        folder = Path(path).parent
        with translate_state_folder_errors(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            tempfile.TemporaryFile(dir=folder).close()
    database = database_of(url)
    if at_once:
        database.ensure_open()
    return database


@lru_cache(maxsize=4)
def database_of(url: str) -> Database:
    """Return the process' one Database for a URL, whose schema may not be up to date yet."""
    return Database(url, at_once=False)


def _make_migration_context(connection: Connection) -> MigrationContext:
    """Build the Alembic context that reads and writes the database's revision."""
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})


@lru_cache(maxsize=1)
def _scripts() -> ScriptDirectory:
    """Load the migration scripts, once per process."""
    scripts = ScriptDirectory(str(_MIGRATIONS))
    scripts.get_current_head()  # reads the scripts before threads share them
    return scripts


class _Opening:
    """The opening of a database, which happens once, in the first thread that needs it.

    After a failure, further calls raise the same error for a moment.
    """

    def __init__(self, open_now: Callable[[], None]) -> None:
        self._open_now = open_now
        self._lock = threading.RLock()
        self._is_done = self._is_under_way = False
        self._failure: tuple[float, Exception] | None = None

    def ensure_done(self) -> None:
        """Open the database unless that is done or under way in this thread; raise the error of the opening."""
        if self._is_done:
            return
        with self._lock:
            if self._is_done or self._is_under_way:
                return
            if self._failure is not None and time.monotonic() < self._failure[0]:
                raise self._failure[1]
            self._is_under_way = True
            try:
                self._open_now()
            except Exception as error:
                self._failure = (time.monotonic() + _FAILURE_SECONDS, error)
                raise
            finally:
                self._is_under_way = False
            self._is_done = True


def with_short_timeouts(url: str) -> str:
    """Return the database's URL with a limit of a few seconds on each wait for a lock.

    For callers that must answer soon. A limit in the URL stays.
    """
    given = make_url(url)
    limit = (
        {"timeout": str(_SHORT_TIMEOUT_OF_A_FILE)}
        if given.get_backend_name() == "sqlite"
        else {"options": f"-c lock_timeout={1000 * _SHORT_TIMEOUT_SECONDS}"}
    )
    chosen = {name: value for name, value in limit.items() if name not in given.query}
    return given.update_query_dict(chosen).render_as_string(hide_password=False)


def make_sqlite_engine(url: str, file: SqliteFile | None) -> Engine:
    """Create an engine on a SQLite file; with the option `castad_writes` BEGIN takes the write lock.

    With `file` every connection is checked to be to the file at that path.
    """
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
    """Set up a new connection: explicit transactions, lenient text, WAL and foreign keys."""
    # sqlite3's implicit transactions start too late to hold a lock over a read.
    connection.isolation_level = None
    # Invalid UTF-8 that an operator stored must not break every query; no order accepts it.
    connection.text_factory = lambda data: data.decode(errors="surrogateescape")
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction, which takes the write lock if the connection has the option `castad_writes`."""
    writes = connection.get_execution_options().get("castad_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def make_postgres_engine(url: str) -> Engine:
    """Create a pooled engine on Postgres in autocommit mode; time-outs in the URL take precedence."""
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
    """Roll back a transaction that a block has left open, before the connection returns to the pool."""
    if not connection.closed and connection.info.transaction_status != _IDLE:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


def _refuse_dead(connection: Any, record: Any, proxy: Any) -> None:
    """Raise DisconnectionError for a pooled connection that the server has closed, without a round trip."""
    poll = select.poll()
    if not connection.closed:
        poll.register(connection.fileno(), select.POLLIN)
    if connection.closed or poll.poll(0):
        raise DisconnectionError("the server has closed this connection")


def _invalidate_if_read_only(context: ExceptionContext) -> None:
    """Drop the pooled connections to a server that has become read-only.

    The next connection then reaches its successor.
    """
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and sqlstate(error) == _READ_ONLY_TRANSACTION:
        context.is_disconnect = True
