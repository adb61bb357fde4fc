"""Dagster's Postgres storage on one pool of connections for the whole process.

The stock classes open a connection, and so a server process, for every statement.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any

import dagster_postgres
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log.migration import (
    ASSET_DATA_MIGRATIONS,
    EVENT_LOG_DATA_MIGRATIONS,
)
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from dagster._core.storage.runs.migration import OPTIONAL_DATA_MIGRATIONS, REQUIRED_DATA_MIGRATIONS
from dagster._core.storage.runs.schema import RunStorageSqlMetadata, SecondaryIndexMigrationTable
from dagster._core.storage.schedules.migration import REQUIRED_SCHEDULE_DATA_MIGRATIONS
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from dagster._core.storage.sql import stamp_alembic_rev
from dagster._time import get_current_datetime
from dagster_postgres.event_log import PostgresEventLogStorage
from dagster_postgres.run_storage import PostgresRunStorage
from dagster_postgres.schedule_storage import PostgresScheduleStorage
from dagster_postgres.utils import pg_alembic_config
from sqlalchemy import Connection, Engine, event, insert, text

from castad.engine.known_schema import KnownAssets, KnownRuns, KnownTicks
from castad.engine.taken_runs import TakenRuns
from castad.engine.together import StoresTogether
from resources.ledger.connections import postgres_engine

_CREATION_LOCK = 0x0CA57B0  # any number of its own, the same in every castad
_METADATA = (RunStorageSqlMetadata, SqlEventLogStorageMetadata, ScheduleStorageSqlMetadata)
_MIGRATIONS = [
    *REQUIRED_DATA_MIGRATIONS,
    *OPTIONAL_DATA_MIGRATIONS,
    *EVENT_LOG_DATA_MIGRATIONS,
    *ASSET_DATA_MIGRATIONS,
    *REQUIRED_SCHEDULE_DATA_MIGRATIONS,
]
_TABLES = sorted({"alembic_version", *(table for each in _METADATA for table in each.tables)})


class PooledPostgresStorage(DagsterStorage[Any]):
    """Runs, events and ticks in Postgres, their tables made where they are missing."""

    def __init__(self, url: str) -> None:
        engine = _engine_of(url)
        _ensure_tables(engine)
        self._events = _Events(url, engine)
        self._runs = _Runs(url, engine)
        self._ticks = _Ticks(url, engine)
        super().__init__()

    @property
    def event_log_storage(self) -> StoresTogether:
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


def _ensure_tables(engine: Engine) -> None:
    """All of Dagster's tables are there, made at once or not at all."""
    with engine.connect() as connection:
        if _has_tables(connection):
            return
        # Who makes them at the same time as another spoils them: "more than one head".
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _CREATION_LOCK})
        try:
            if not _has_tables(connection):
                _make_tables(connection)
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _CREATION_LOCK})


def _has_tables(connection: Connection) -> bool:
    found = " AND ".join(f"to_regclass('{table}') IS NOT NULL" for table in _TABLES)
    return bool(connection.exec_driver_sql(f"SELECT {found}").scalar())


def _make_tables(connection: Connection) -> None:
    """As the stock storages make them, but in one transaction; where nothing is yet, no data has to migrate."""
    connection.exec_driver_sql("BEGIN")
    for metadata in _METADATA:
        metadata.create_all(connection)
    stamp_alembic_rev(pg_alembic_config(dagster_postgres.__file__), connection)
    migrated = [
        {"name": name, "migration_completed": get_current_datetime()} for name in _MIGRATIONS
    ]
    connection.execute(insert(SecondaryIndexMigrationTable), migrated)
    connection.exec_driver_sql("COMMIT")


class _Events(KnownAssets, StoresTogether, PostgresEventLogStorage):
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)
        self._engine = engine
        self.warm_up()

    def _connect(self) -> AbstractContextManager[Connection]:
        return self._engine.connect()

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """The pool stays; the storage of runs limits its statements."""

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """A connection of the pool; all of it is written, or nothing."""
        return _transaction(self._engine)


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    """All of it is written, or nothing: by itself every statement is a transaction."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection
        connection.exec_driver_sql("COMMIT")


class _Runs(TakenRuns, KnownRuns, PostgresRunStorage):
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)
        self._engine = engine
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

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """No statement of this process takes longer; the pool stays."""
        _limit_statements(self._engine, statement_timeout)


class _Ticks(KnownTicks, PostgresScheduleStorage):
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
