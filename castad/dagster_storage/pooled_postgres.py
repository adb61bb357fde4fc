"""Dagster's Postgres storage on one connection pool per process.

The stock classes open a connection, and thus a server process, for every statement. Their
`optimize_for_webserver` keeps one connection a storage and opens every further one again: for five calls in each
of 4 or 16 threads that took 1.7 to 1.9 times the processor time of this pool, and 6 times that of the server.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

from dagster_postgres.event_log import PostgresEventLogStorage
from dagster_postgres.run_storage import PostgresRunStorage
from dagster_postgres.schedule_storage import PostgresScheduleStorage
from sqlalchemy import Connection, Engine, event

from castad.dagster_storage.event_log import BulkEventLogStorage, BulkRunStorage
from castad.dagster_storage.mixins import RetryingStorage, SchemaCachedScheduleStorage
from resources.dagster.internals import SqlEventLogStorage, SqlRunStorage, SqlScheduleStorage
from resources.ledger.db.database import make_postgres_engine
from resources.ledger.db.retry import AdvisoryLock

# The last thing that Dagster writes when its tables are made.
_LAST_MARK = "SELECT 1 FROM secondary_indexes WHERE name = 'schedule_ticks_selector_id'"


def open_postgres(url: str) -> "tuple[PostgresEvents, PostgresRuns, PostgresTicks]":
    """Open the storages of events, runs and ticks; missing tables are made."""
    engine = _open_engine(url)
    events = PostgresEvents(url, engine)
    runs, ticks = PostgresRuns(url, engine), PostgresTicks(url, engine)
    with engine.connect() as connection:
        has_tables = _has_tables(connection)
    if not has_tables:
        _make_tables(engine, events, runs, ticks)
        # That took more connections than a process needs.
        engine.dispose()
    events.warm_up()
    return events, runs, ticks


def _has_tables(connection: Connection) -> bool:
    marks = connection.exec_driver_sql("SELECT to_regclass('secondary_indexes')").scalar()
    return marks is not None and connection.exec_driver_sql(_LAST_MARK).first() is not None


def _make_tables(
    engine: Engine, events: "PostgresEvents", runs: "PostgresRuns", ticks: "PostgresTicks"
) -> None:
    """Have Dagster make its tables, in one process at a time; after a death in between, the next one continues.

    Concurrent creation would stamp the revision twice ("more than one head").
    """
    with _transaction(engine) as connection:
        AdvisoryLock.DAGSTER_TABLES.take(connection)
        if _has_tables(connection):
            return
        runs._init_db()
        runs.migrate()
        runs.optimize()
        events._init_db()
        events.reindex_events()
        events.reindex_assets()
        ticks._init_db()


# A process uses one database; a test suite many, whose engines may be evicted.
_open_engine = lru_cache(maxsize=4)(make_postgres_engine)


class _PooledPostgres:
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)  # type: ignore[call-arg] # the stock class
        self._engine = engine

    def connect(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        """Open a connection of the pool."""
        return self._engine.connect()

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """Change nothing: the run storage sets the statement timeout of the shared pool."""


class PostgresEvents(
    RetryingStorage,
    _PooledPostgres,
    BulkEventLogStorage,
    PostgresEventLogStorage,
    interface=SqlEventLogStorage,
):
    """The event log of all runs."""

    def _connect(self) -> AbstractContextManager[Connection]:
        return self.connect()

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """Open a connection of the pool, in one transaction."""
        return _transaction(self._engine)


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    """Open a connection in one transaction; the engine is in autocommit mode."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection
        connection.exec_driver_sql("COMMIT")


class PostgresRuns(
    RetryingStorage,
    _PooledPostgres,
    BulkRunStorage,
    PostgresRunStorage,
    interface=SqlRunStorage,
):
    """The storage of runs."""

    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, engine)
        self._thread_local = threading.local()

    def connect(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        """Return this thread's transaction, or open a connection of the pool."""
        if hasattr(self._thread_local, "connection"):
            return nullcontext(self._thread_local.connection)
        return super().connect()

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """Open a connection of the pool, in one transaction."""
        return _transaction(self._engine)

    def add_run_tags(self, run_id: str, new_tags: Mapping[str, str]) -> None:
        """Add the tags to both the run's body and the tag rows, or to neither."""
        with _transaction(self._engine) as connection:
            self._thread_local.connection = connection
            try:
                super().add_run_tags(run_id, new_tags)
            finally:
                del self._thread_local.connection

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """Make new connections of this process abort statements that take longer; the pool stays."""

        def limit(connection: Any, record: Any) -> None:
            with connection.cursor() as cursor:
                cursor.execute(f"SET statement_timeout = {statement_timeout:d}")

        event.listen(self._engine, "connect", limit)
        self._engine.dispose()


class PostgresTicks(
    RetryingStorage,
    _PooledPostgres,
    SchemaCachedScheduleStorage,
    PostgresScheduleStorage,
    interface=SqlScheduleStorage,
):
    """The storage of ticks and cursors."""
