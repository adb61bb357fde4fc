"""Dagster's Postgres storage on one pool of connections for the whole process.

The stock classes open a connection, and so a server process, for every statement.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any

from dagster import EventLogEntry
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log.migration import ASSET_KEY_INDEX_COLS
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster_postgres import DagsterPostgresStorage
from dagster_postgres.event_log import PostgresEventLogStorage
from dagster_postgres.run_storage import PostgresRunStorage
from dagster_postgres.schedule_storage import PostgresScheduleStorage
from sqlalchemy import Connection, Engine, event, insert, text

from resources.ledger.connections import postgres_engine

_CREATION_LOCK = 0x0CA57B0  # any number of its own, the same in every castad
_STORED = insert(SqlEventLogStorageTable)
_STORED_AS = _STORED.returning(SqlEventLogStorageTable.c.id, sort_by_parameter_order=True)
_MAIN_TABLES = ("runs", "instance_info", "event_logs", "jobs")


class PooledPostgresStorage(DagsterStorage[Any]):
    """Runs, events and ticks in Postgres, their tables made where they are missing."""

    def __init__(self, url: str) -> None:
        engine = _engine_of(url)
        _ensure_tables(url, engine)
        self._events = PooledEvents(url, engine)
        self._runs = _Runs(url, engine)
        self._ticks = _Ticks(url, engine)
        super().__init__()

    @property
    def event_log_storage(self) -> "PooledEvents":
        """Where events are kept."""
        return self._events

    @property
    def run_storage(self) -> PostgresRunStorage:
        """Where runs are kept."""
        return self._runs

    @property
    def schedule_storage(self) -> PostgresScheduleStorage:
        """Where ticks and cursors are kept."""
        return self._ticks


# A process talks to one database; a suite of tests to many, whose engines may go when they are done.
@lru_cache(maxsize=4)
def _engine_of(url: str) -> Engine:
    return postgres_engine(url)


def _ensure_tables(url: str, engine: Engine) -> None:
    with engine.connect() as connection:
        if _has_tables(connection):
            return
        # Who makes Dagster's tables at the same time as another spoils them: "more than one head".
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _CREATION_LOCK})
        try:
            if not _has_tables(connection):
                DagsterPostgresStorage(url, should_autocreate_tables=True)
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _CREATION_LOCK})


def _has_tables(connection: Connection) -> bool:
    found = " AND ".join(f"to_regclass('{table}') IS NOT NULL" for table in _MAIN_TABLES)
    return bool(connection.exec_driver_sql(f"SELECT {found}").scalar())


class PooledEvents(PostgresEventLogStorage):
    """The event log on the process' pool."""

    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)
        self._engine = engine
        # Asked for later, it would be inside a transaction: a second connection for who holds one.
        self.has_secondary_index(ASSET_KEY_INDEX_COLS)

    def _connect(self) -> AbstractContextManager[Connection]:
        return self._engine.connect()

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """The pool stays; the storage of runs limits its statements."""

    def store_events(self, events: Sequence[EventLogEntry]) -> None:
        """All of these events of one run are durable, in their order, or none is.

        The rows are those of `store_event`, which also notifies a channel that nobody has listened to since
        Dagster 0.15, and takes a transaction or two for each event.
        """
        if any(entry.dagster_event_type in ASSET_CHECK_EVENTS for entry in events):
            for entry in events:
                self.store_event(entry)
            return
        rows = [self._event_to_row(entry) for entry in events]
        of_assets = [index for index, entry in enumerate(events) if _is_of_asset(entry)]
        with _transaction(self._engine) as connection:
            if not of_assets:
                connection.execute(_STORED, rows)
                return
            keys = connection.execute(_STORED_AS, rows).scalars().all()
            for index in of_assets:
                self._store_asset_event_tags(connection, [events[index]], [keys[index]])
                self._store_asset_event(connection, events[index], keys[index])


def _is_of_asset(entry: EventLogEntry) -> bool:
    told = entry.dagster_event
    return told is not None and told.event_type in ASSET_EVENTS and told.asset_key is not None


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    """All of it is written, or nothing: by itself every statement is a transaction."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection
        connection.exec_driver_sql("COMMIT")


class _Runs(PostgresRunStorage):
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)
        self._engine = engine
        self._columns: dict[str, bool] = {}
        self._own = threading.local()

    def connect(self) -> AbstractContextManager[Connection]:
        """A connection of the pool, or this thread's transaction."""
        return self._joined() if hasattr(self._own, "connection") else self._engine.connect()

    @contextmanager
    def _joined(self) -> Iterator[Connection]:
        yield self._own.connection

    @contextmanager
    def _atomic(self) -> Iterator[None]:
        with _transaction(self._engine) as connection:
            self._own.connection = connection
            try:
                yield
            finally:
                del self._own.connection

    def add_run_tags(self, run_id: str, new_tags: Mapping[str, str]) -> None:
        """The run's body and the rows by which runs are found have the tags, or neither has."""
        with self._atomic():
            super().add_run_tags(run_id, new_tags)

    def has_run_stats_index_cols(self) -> bool:
        """Whether runs have their times in columns; asked once."""
        if not self._columns.get("run_stats"):
            self._columns["run_stats"] = super().has_run_stats_index_cols()
        return self._columns["run_stats"]

    def has_backfill_id_column(self) -> bool:
        """Whether runs have their backfill in a column; asked once."""
        if not self._columns.get("backfill_id"):
            self._columns["backfill_id"] = super().has_backfill_id_column()
        return self._columns["backfill_id"]

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """No statement of this process takes longer; the pool stays."""
        _limit_statements(self._engine, statement_timeout)


class _Ticks(PostgresScheduleStorage):
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)
        self._engine = engine

    def connect(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        """A connection of the pool."""
        return self._engine.connect()

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """The pool stays; the storage of runs limits its statements."""


def _limit_statements(engine: Engine, milliseconds: int) -> None:
    """Every connection from now on cuts a statement that takes longer."""

    def limit(connection: Any, record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET statement_timeout = {milliseconds:d}")

    event.listen(engine, "connect", limit)
    engine.dispose()
