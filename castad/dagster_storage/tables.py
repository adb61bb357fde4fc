"""Make and read Dagster's tables.

Dagster's tables, made like the stock storages' but in one transaction.

The stock storages make one table after the other, so a process that dies in between leaves a database that seems
complete. They also read all of Dagster's revisions several times per database.

Storages that inspect their schema once; the stock classes do so at every change of a run or a sensor.

The schema is this Dagster version's, or is migrated while no process is running.
"""

import inspect
import logging
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import UTC, datetime
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, NullPool, create_engine
from sqlalchemy.dialects import postgresql, sqlite
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from resources.dagster.internals import (
    ALEMBIC_SCRIPTS_LOCATION,
    ASSET_DATA_MIGRATIONS,
    ASSET_KEY_INDEX_COLS,
    EVENT_LOG_DATA_MIGRATIONS,
    OPTIONAL_DATA_MIGRATIONS,
    OPTIONAL_SCHEDULE_DATA_MIGRATIONS,
    REQUIRED_DATA_MIGRATIONS,
    REQUIRED_SCHEDULE_DATA_MIGRATIONS,
    AssetEventTagsTable,
    DagsterStorage,
    EventLogStorage,
    RunStorage,
    RunStorageSqlMetadata,
    ScheduleStorage,
    ScheduleStorageSqlMetadata,
    SecondaryIndexMigrationTable,
    SqlEventLogStorage,
    SqlEventLogStorageMetadata,
    SqlRunStorage,
    SqlScheduleStorage,
)
from resources.ledger.db.retry import AdvisoryLock, retry_for


class Tables(NamedTuple):
    """The tables of one Dagster storage, and the data migrations that are marked as done for an empty one."""

    metadata: MetaData
    migrations: Iterable[str]


RUNS = Tables(RunStorageSqlMetadata, [*REQUIRED_DATA_MIGRATIONS, *OPTIONAL_DATA_MIGRATIONS])
EVENTS = Tables(SqlEventLogStorageMetadata, [*EVENT_LOG_DATA_MIGRATIONS, *ASSET_DATA_MIGRATIONS])
TICKS = Tables(
    ScheduleStorageSqlMetadata,
    [*REQUIRED_SCHEDULE_DATA_MIGRATIONS, *OPTIONAL_SCHEDULE_DATA_MIGRATIONS],
)
# A subset: a database of an earlier Dagster lacks some and is migrated by `dagster instance migrate`.
_EXPECTED_TABLES = ("runs", "instance_info", "event_logs", "jobs")


def ensure_tables(engine: Engine) -> None:
    """All of Dagster's tables exist in this Postgres, made in one transaction."""
    with engine.connect() as connection:
        if _has_tables(connection):
            return
        connection.exec_driver_sql("BEGIN")
        # Concurrent creation would stamp the revision twice ("more than one head").
        AdvisoryLock.DAGSTER_TABLES.take(connection)
        if not _has_tables(connection):
            make_tables(connection, RUNS, EVENTS, TICKS)
        connection.exec_driver_sql("COMMIT")


def _has_tables(connection: Connection) -> bool:
    found = " AND ".join(f"to_regclass('{table}') IS NOT NULL" for table in _EXPECTED_TABLES)
    return bool(connection.exec_driver_sql(f"SELECT {found}").scalar())


def make_tables(connection: Connection, *storages: Tables) -> None:
    """The storages' tables exist, stamped with the newest revision, all data migrations marked as done."""
    for storage in storages:
        storage.metadata.create_all(connection)
    MigrationContext.configure(connection).stamp(_revisions(), "head")
    migrated = [
        {"name": name, "migration_completed": datetime.now(UTC)}
        for storage in storages
        for name in storage.migrations
    ]
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    done = dialect.insert(SecondaryIndexMigrationTable).on_conflict_do_nothing()
    connection.execute(done, migrated)


@cache
def _revisions() -> ScriptDirectory:
    """Dagster's revisions, read once per process: there are many files."""
    config = Config()
    config.set_main_option("script_location", ALEMBIC_SCRIPTS_LOCATION)
    revisions = ScriptDirectory.from_config(config)
    revisions.get_heads()  # loads them before threads share the object
    return revisions


class _CachesOnceTrue:
    """A check that was true once stays true; it is repeated until then."""

    @cached_property
    def _true_names(self) -> set[str]:
        return set()

    def _is_true_by_now(self, name: str, check: Callable[[], bool]) -> bool:
        if name not in self._true_names and check():
            self._true_names.add(name)
        return name in self._true_names


class SchemaCachedRunStorage(_CachesOnceTrue, SqlRunStorage):
    """A run storage. The checks saved 9 to 18 % of Dagster's CPU for a run on Postgres (at least 4.5 of 53 ms)."""

    def has_run_stats_index_cols(self) -> bool:
        """Whether the runs table has columns for the times."""
        return self._is_true_by_now("run stats", super().has_run_stats_index_cols)

    def has_backfill_id_column(self) -> bool:
        """Whether the runs table has a column for the backfill."""
        return self._is_true_by_now("backfill id", super().has_backfill_id_column)


class SchemaCachedEventLogStorage(_CachesOnceTrue, SqlEventLogStorage):
    """An event log with its asset catalog, which asks for no second connection inside a transaction."""

    def has_table(self, table_name: str) -> bool:
        """Whether this table exists."""
        check = super().has_table  # type: ignore[safe-super]
        return self._is_true_by_now(f"table {table_name}", lambda: check(table_name))

    def warm_up(self) -> None:
        """The checks made inside transactions are cached: there they would need a second connection."""
        self.has_secondary_index(ASSET_KEY_INDEX_COLS)
        self.has_table(AssetEventTagsTable.name)


class SchemaCachedScheduleStorage(_CachesOnceTrue, SqlScheduleStorage):
    """A schedule storage: ticks and cursors. The checks saved 60 % of a tick's CPU on Postgres (20 of 34 ms)."""

    def has_built_index(self, migration_name: str) -> bool:
        """Whether this data migration is done."""
        check = super().has_built_index
        return self._is_true_by_now(f"index {migration_name}", lambda: check(migration_name))

    def _has_instigators_table(self, conn: Connection) -> bool:
        check = super()._has_instigators_table
        return self._is_true_by_now("instigators", lambda: check(conn))


_MAKING = ".making-"


class _FileContents(NamedTuple):
    """A file's tables, and the number of rows in its `alembic_version`."""

    tables: set[str]
    revisions: int


_NOTHING = _FileContents(set(), 0)


def ensure_file(file: Path, tables: Tables, stock: Callable[[str], object]) -> None:
    """The file exists with its tables; `stock` completes a file that lacks some of them.

    A left-over write-ahead log is removed first: SQLite would replay it into a new file of that name.
    """
    if not file.exists():
        for left in ("wal", "shm"):
            file.with_name(f"{file.name}-{left}").unlink(missing_ok=True)
        _make_at_once(file, tables)
        return
    contents = _contents_of(file)
    if contents == _NOTHING:
        # The stock event log treats every existing file as complete.
        _make(file, tables)
    elif (
        contents is None
        or not contents.tables >= set(tables.metadata.tables)
        or contents.revisions != 1
    ):
        stock(str(file.parent))


def _make_at_once(file: Path, tables: Tables) -> None:
    """The complete file appears by a rename; remains of a process that died here are removed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for left in file.parent.glob(f"{_MAKING}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=_MAKING) as folder:
        made = Path(folder) / file.name
        _make(made, tables)
        made.replace(file)


def _make(file: Path, tables: Tables) -> None:
    engine = create_engine(f"sqlite:///{file}", poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.exec_driver_sql("BEGIN")
        make_tables(connection, tables)
        connection.commit()


def _contents_of(file: Path) -> _FileContents | None:
    """The file's contents; None where it cannot be read."""
    uri = f"file:{quote(str(file))}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = {name for (name,) in found}
            if "alembic_version" not in names:
                return _FileContents(names, 0)
            [revisions] = connection.execute("SELECT count(*) FROM alembic_version").fetchone()
            return _FileContents(names, revisions)
    except sqlite3.Error:
        return None


_log = logging.getLogger("castad.engine")
# A write is visible to others only after its fsync, for which file systems have no notification.
_NOTIFY_AFTER_SECONDS = (0.05, 0.2, 1.0, 4.0)


class WalWatcher(FileSystemEventHandler):
    """Calls `on_change` after each write to the write-ahead log, repeatedly until the write must be visible."""

    def __init__(self, database: Path, on_change: Callable[[], None]) -> None:
        self._folder = database.parent
        self._written = f"{database}-wal"
        self._on_change = on_change
        self._observer = Observer()
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._start_once = threading.Lock()
        self._thread = threading.Thread(target=self._follow, name="castad-log-watch", daemon=True)

    def start(self) -> None:
        """Start watching. Idempotent."""
        if not self._start_once.acquire(blocking=False):
            return
        self._observer.schedule(self, str(self._folder))
        self._observer.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        if not self._start_once.locked():
            return
        self._stopped.set()
        self._changed.set()
        self._observer.stop()
        self._observer.join()

    def on_modified(self, event: FileSystemEvent) -> None:
        """Handle the observer's event of any file in the folder."""
        if event.src_path == self._written:
            self._changed.set()

    def _follow(self) -> None:
        while not self._stopped.is_set():
            self._changed.wait()
            self._changed.clear()
            for pause in _NOTIFY_AFTER_SECONDS:
                if self._stopped.wait(pause):
                    return
                self._notify()
                if self._changed.is_set():
                    break

    def _notify(self) -> None:
        try:
            self._on_change()
        except Exception:  # noqa: BLE001 - watchers of other runs still need the next call
            # Dagster's list of watchers is not safe against one that is removed meanwhile.
            _log.exception("event log callback failed")


class JoinedStorage(DagsterStorage[Any]):
    """The storage that consists of these three."""

    def __init__(
        self,
        events: EventLogStorage[Any],
        runs: RunStorage[Any],
        ticks: ScheduleStorage[Any],
    ) -> None:
        self._events, self._runs, self._ticks = events, runs, ticks
        super().__init__()  # type: ignore[no-untyped-call] # the library has no types

    @property
    def event_log_storage(self) -> EventLogStorage[Any]:
        """The storage of events."""
        return self._events

    @property
    def run_storage(self) -> RunStorage[Any]:
        """The storage of runs."""
        return self._runs

    @property
    def schedule_storage(self) -> ScheduleStorage[Any]:
        """The storage of ticks and cursors."""
        return self._ticks


_NOT_RETRIED = frozenset(
    {
        "dispose",
        "end_watch",
        "optimize_for_webserver",
        "register_instance",
        # A worker's events go through a buffer, which writes them by `store_event_batch`.
        "store_event",
        "watch",
    }
)
_retrying = threading.local()


class RetryingStorage:
    """A storage that repeats the calls of Dagster's `interface` after transient database errors.

    A call whose reply was lost is repeated: Dagster's event log may then hold an event twice, and its readers
    tolerate that; it never lacks one.
    """

    retry_seconds = 0.0
    """How long a call is repeated; 0 for not at all."""

    def __init_subclass__(cls, *, interface: type, **known: Any) -> None:
        super().__init_subclass__(**known)
        for name, _ in inspect.getmembers(interface, inspect.isfunction):
            if not name.startswith("_") and name not in _NOT_RETRIED:
                setattr(cls, name, _with_retries(getattr(cls, name)))


def _with_retries(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call with retries; calls that a storage makes of itself inside one are not retried separately."""

    @wraps(call)
    def retried(self: RetryingStorage, *args: Any, **kwargs: Any) -> Any:
        if not self.retry_seconds or getattr(_retrying, "is_active", False):
            return call(self, *args, **kwargs)
        _retrying.is_active = True
        try:
            return retry_for(lambda: call(self, *args, **kwargs), self.retry_seconds)
        finally:
            _retrying.is_active = False

    return retried
