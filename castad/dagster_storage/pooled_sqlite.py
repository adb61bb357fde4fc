"""Dagster's SQLite storage on pooled connections, with one event log for all runs.

The stock classes make an engine and open the file for every statement, and make a database for every run, which
takes longer than storing the run's events.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine

from castad.dagster_storage.event_log import BulkEventLogStorage, BulkRunStorage
from castad.dagster_storage.mixins import RetryingStorage, SchemaCachedScheduleStorage
from resources.dagster.internals import (
    ConsolidatedSqliteEventLogStorage,
    SqlEventLogStorage,
    SqliteRunStorage,
    SqliteScheduleStorage,
    SqlPollingEventWatcher,
    SqlRunStorage,
    SqlScheduleStorage,
)
from resources.ledger.db.sqlite_file import SqliteFile

# As Dagster waits for a lock.
_BUSY_SECONDS = 30
_POOL = {"pool_size": 20, "max_overflow": 20}
_FILES = ("history/runs.db", "history/event_log.db", "schedules/schedules.db")


def open_sqlite(folder: Path) -> "tuple[SqliteEvents, SqliteRuns, SqliteTicks]":
    """Open the storages of events, runs and ticks in three files below a folder; missing files are made.

    One process at a time may call it: two that make the files would overwrite each other's.
    """
    _make_missing_files(folder)
    history, schedules = folder / "history", folder / "schedules"
    return (
        SqliteEvents(history),
        SqliteRuns(history / "runs.db"),
        SqliteTicks(schedules / "schedules.db"),
    )


def _make_missing_files(folder: Path) -> None:
    """Have Dagster make its files in a folder beside their own, and move each to its place when it is complete.

    A file that was left half made by a process that died counts as complete to Dagster.
    """
    missing = [name for name in _FILES if not (folder / name).exists()]
    if not missing:
        return
    made = folder / ".making"
    shutil.rmtree(made, ignore_errors=True)
    SqliteRunStorage.from_local(str(made / "history"))
    ConsolidatedSqliteEventLogStorage(str(made / "history"))
    SqliteScheduleStorage.from_local(str(made / "schedules"))
    for name in missing:
        (folder / name).parent.mkdir(exist_ok=True)
        (made / name).replace(folder / name)
    shutil.rmtree(made)


def _open_engine(file: Path) -> Engine:
    """Make an engine on an existing file: a file that was moved away is an error and not made again."""
    options = {"timeout": _BUSY_SECONDS, "check_same_thread": False}
    engine = create_engine(f"sqlite:///{file}", connect_args=options, **_POOL)
    SqliteFile(file).guard(engine)
    return engine


class SqliteEvents(
    RetryingStorage,
    BulkEventLogStorage,
    ConsolidatedSqliteEventLogStorage,
    interface=SqlEventLogStorage,
):
    """The event log of all runs. It is polled for new events: the stock watcher does not see a WAL's writes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._engine = _open_engine(folder / "event_log.db")
        self._poller = SqlPollingEventWatcher(self)
        self.warm_up()

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """Open a connection of the pool, in one transaction."""
        return self._connect()

    def watch(self, run_id: str, cursor: str | None, callback: Callable[..., Any]) -> None:
        """Call the callback with the run's events after they are written."""
        self._poller.watch_run(run_id, cursor, callback)

    def end_watch(self, run_id: str, handler: Callable[..., Any]) -> None:
        """Stop calling this callback."""
        self._poller.unwatch_run(run_id, handler)

    def dispose(self) -> None:
        """Stop watching and close all connections."""
        self._poller.close()
        self._engine.dispose()


class _PooledSqlite:
    def __init__(self, file: Path) -> None:
        super().__init__(f"sqlite:///{file}")  # type: ignore[call-arg]  # the stock class beside it
        self._engine = _open_engine(file)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Open a connection of the pool, in a transaction."""
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        """Close all connections."""
        self._engine.dispose()


class SqliteRuns(
    RetryingStorage,
    _PooledSqlite,
    BulkRunStorage,
    SqliteRunStorage,
    interface=SqlRunStorage,
):
    """The storage of runs."""

    def one_transaction(self) -> AbstractContextManager[Connection]:
        """Open a connection of the pool, in one transaction."""
        return self.connect()


class SqliteTicks(
    RetryingStorage,
    _PooledSqlite,
    SchemaCachedScheduleStorage,
    SqliteScheduleStorage,
    interface=SqlScheduleStorage,
):
    """The storage of ticks and cursors."""
