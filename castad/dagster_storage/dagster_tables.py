"""Dagster's tables, made like the stock storages' but in one transaction.

The stock storages make one table after the other, so a process that dies in between leaves a database that seems
complete. They also read all of Dagster's revisions several times per database.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData
from sqlalchemy.dialects import postgresql, sqlite

from resources.dagster.internals import (
    ALEMBIC_SCRIPTS_LOCATION,
    ASSET_DATA_MIGRATIONS,
    EVENT_LOG_DATA_MIGRATIONS,
    OPTIONAL_DATA_MIGRATIONS,
    OPTIONAL_SCHEDULE_DATA_MIGRATIONS,
    REQUIRED_DATA_MIGRATIONS,
    REQUIRED_SCHEDULE_DATA_MIGRATIONS,
    RunStorageSqlMetadata,
    ScheduleStorageSqlMetadata,
    SecondaryIndexMigrationTable,
    SqlEventLogStorageMetadata,
)
from resources.ledger.db.advisory_locks import AdvisoryLock


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
