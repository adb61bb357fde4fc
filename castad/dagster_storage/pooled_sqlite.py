"""Dagster's SQLite storage on pooled connections, with one event log for all runs.

The stock classes make an engine and open the file for every statement, and make a database for every run, which
takes longer than storing the run's events.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine

from castad.dagster_storage.event_log import (
    BulkDeleteEventLogStorage,
    BulkDeleteRunStorage,
    ClaimOnceRunStorage,
)
from castad.dagster_storage.tables import (
    EVENTS,
    RUNS,
    TICKS,
    JoinedStorage,
    RetryingStorage,
    SchemaCachedEventLogStorage,
    SchemaCachedRunStorage,
    SchemaCachedScheduleStorage,
    WalWatcher,
    ensure_file,
)
from resources.dagster.internals import (
    SQLITE_BUSY_TIMEOUT_SECONDS,
    ConfigurableClassData,
    ConsolidatedSqliteEventLogStorage,
    EventLogStorage,
    RunStorage,
    ScheduleStorage,
    SqliteRunStorage,
    SqliteScheduleStorage,
    create_db_conn_string,
)
from resources.ledger.db.sqlite_file import SqliteFile

_POOL = {"pool_size": 20, "max_overflow": 20}


class PooledSqliteStorage(JoinedStorage):
    """Runs, events and ticks in three files below a folder; missing files are made."""

    def __init__(self, folder: Path) -> None:
        history = folder / "history"
        schedules = folder / "schedules"
        ensure_file(history / "runs.db", RUNS, SqliteRunStorage.from_local)
        ensure_file(history / "event_log.db", EVENTS, ConsolidatedSqliteEventLogStorage)
        ensure_file(schedules / "schedules.db", TICKS, SqliteScheduleStorage.from_local)
        super().__init__(
            _Events(history),
            _Runs(create_db_conn_string(str(history), "runs")),
            _Ticks(create_db_conn_string(str(schedules), "schedules")),
        )


def _engine_of(url: str) -> Engine:
    """An engine on an existing file: a file that was moved away is an error and not made again."""
    options = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False}
    engine = create_engine(url, connect_args=options, **_POOL)
    SqliteFile(Path(str(engine.url.database)), identity=0).guard(engine)
    return engine


class _Events(
    RetryingStorage,
    SchemaCachedEventLogStorage,
    BulkDeleteEventLogStorage,
    ConsolidatedSqliteEventLogStorage,
    interface=EventLogStorage,
):
    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._engine = _engine_of(self._conn_string)
        self._wal_watcher = WalWatcher(Path(self.get_db_path()), self.on_modified)  # type: ignore[no-untyped-call] # the library has no types
        self.warm_up()

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """A connection of the pool, in one transaction."""
        return self._connect()

    def watch(self, run_id: str, cursor: str | None, callback: Callable[..., Any]) -> None:
        """The callback is called with the run's events soon after they are written."""
        self._watchers[run_id][callback] = cursor
        self._wal_watcher.start()

    def dispose(self) -> None:
        """No callback is called any more, and no connection is open."""
        self._wal_watcher.stop()
        self._engine.dispose()


class _Pooled:
    """A storage that takes its connections from a pool."""

    def __init__(self, url: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(url, inst_data)  # type: ignore[call-arg]  # the stock class beside it
        self._engine = _engine_of(url)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection of the pool, in a transaction."""
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        """No connection is open."""
        self._engine.dispose()


class _Runs(
    RetryingStorage,
    _Pooled,
    ClaimOnceRunStorage,
    SchemaCachedRunStorage,
    BulkDeleteRunStorage,
    SqliteRunStorage,
    interface=RunStorage,
):
    def one_transaction(self) -> AbstractContextManager[Connection]:
        """A connection of the pool, in one transaction."""
        return self.connect()


class _Ticks(
    RetryingStorage,
    _Pooled,
    SchemaCachedScheduleStorage,
    SqliteScheduleStorage,
    interface=ScheduleStorage,
):
    pass
