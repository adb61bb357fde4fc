"""Dagster's Postgres storage on one connection pool per process.

The stock classes open a connection, and thus a server process, for every statement.
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

from castad.dagster_storage.event_log import (
    BulkDeleteEventLogStorage,
    BulkDeleteRunStorage,
    ClaimOnceRunStorage,
)
from castad.dagster_storage.tables import (
    JoinedStorage,
    RetryingStorage,
    SchemaCachedEventLogStorage,
    SchemaCachedRunStorage,
    SchemaCachedScheduleStorage,
    ensure_tables,
)
from resources.dagster.internals import EventLogStorage, RunStorage, ScheduleStorage
from resources.ledger.db.database import postgres_engine


class PooledPostgresStorage(JoinedStorage):
    """Runs, events and ticks in Postgres; missing tables are made."""

    def __init__(self, url: str) -> None:
        engine = _engine_of(url)
        ensure_tables(engine)
        super().__init__(_Events(url, engine), _Runs(url, engine), _Ticks(url, engine))


# A process uses one database; a test suite many, whose engines may be evicted.
@lru_cache(maxsize=4)
def _engine_of(url: str) -> Engine:
    return postgres_engine(url)


class _Pooled:
    """A storage that takes its connections from the process' pool."""

    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, should_autocreate_tables=False)  # type: ignore[call-arg] # the stock class
        self._engine = engine

    def connect(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        """A connection of the pool."""
        return self._engine.connect()

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """Nothing changes here: the run storage sets the statement timeout of the shared pool."""


class _Events(
    RetryingStorage,
    _Pooled,
    SchemaCachedEventLogStorage,
    BulkDeleteEventLogStorage,
    PostgresEventLogStorage,
    interface=EventLogStorage,
):
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, engine)
        self.warm_up()

    def _connect(self) -> AbstractContextManager[Connection]:
        return self.connect()

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """A connection of the pool, in one transaction."""
        return _transaction(self._engine)


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    """A connection in one transaction; the engine is in autocommit mode."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection
        connection.exec_driver_sql("COMMIT")


class _Runs(
    RetryingStorage,
    _Pooled,
    ClaimOnceRunStorage,
    SchemaCachedRunStorage,
    BulkDeleteRunStorage,
    PostgresRunStorage,
    interface=RunStorage,
):
    def __init__(self, url: str, engine: Engine) -> None:
        super().__init__(url, engine)
        self._thread_local = threading.local()

    def connect(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        """This thread's transaction, or a connection of the pool."""
        if hasattr(self._thread_local, "connection"):
            return nullcontext(self._thread_local.connection)
        return super().connect()

    @contextmanager
    def _atomic(self) -> Iterator[None]:
        with _transaction(self._engine) as connection:
            self._thread_local.connection = connection
            try:
                yield
            finally:
                del self._thread_local.connection

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """A connection of the pool, in one transaction."""
        return _transaction(self._engine)

    def add_run_tags(self, run_id: str, new_tags: Mapping[str, str]) -> None:
        """Both the run's body and the tag rows have the tags, or neither has."""
        with self._atomic():
            super().add_run_tags(run_id, new_tags)

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """Statements of this process time out; the pool stays."""
        _limit_statements(self._engine, statement_timeout)


class _Ticks(
    RetryingStorage,
    _Pooled,
    SchemaCachedScheduleStorage,
    PostgresScheduleStorage,
    interface=ScheduleStorage,
):
    pass


def _limit_statements(engine: Engine, milliseconds: int) -> None:
    """New connections abort statements that take longer."""

    def limit(connection: Any, record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET statement_timeout = {milliseconds:d}")

    event.listen(engine, "connect", limit)
    engine.dispose()
