"""Dagster's tables, made as the stock storages make them, but whole or not at all.

The stock storages make one after the other: who dies in between leaves a database that counts as made. Besides,
they read all of Dagster's revisions several times for every database.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, text
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
    """What one of Dagster's storages keeps, and the migrations of data that an empty one has behind it."""

    metadata: MetaData
    migrations: Iterable[str]


RUNS = Tables(RunStorageSqlMetadata, [*REQUIRED_DATA_MIGRATIONS, *OPTIONAL_DATA_MIGRATIONS])
EVENTS = Tables(SqlEventLogStorageMetadata, [*EVENT_LOG_DATA_MIGRATIONS, *ASSET_DATA_MIGRATIONS])
TICKS = Tables(
    ScheduleStorageSqlMetadata,
    [*REQUIRED_SCHEDULE_DATA_MIGRATIONS, *OPTIONAL_SCHEDULE_DATA_MIGRATIONS],
)
# Not all of them: a database of an earlier Dagster is migrated by `dagster instance migrate`.
_EXPECTED_TABLES = ("runs", "instance_info", "event_logs", "jobs")


def ensure_tables(engine: Engine) -> None:
    """All of Dagster's tables are in this Postgres, made at once or not at all."""
    with engine.connect() as connection:
        if _has_tables(connection):
            return
        connection.exec_driver_sql("BEGIN")
        # Who makes them at the same time as another spoils them: "more than one head".
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:key)"), {"key": AdvisoryLock.DAGSTER_TABLES}
        )
        if not _has_tables(connection):
            make_tables(connection, RUNS, EVENTS, TICKS)
        connection.exec_driver_sql("COMMIT")


def _has_tables(connection: Connection) -> bool:
    found = " AND ".join(f"to_regclass('{table}') IS NOT NULL" for table in _EXPECTED_TABLES)
    return bool(connection.exec_driver_sql(f"SELECT {found}").scalar())


def make_tables(connection: Connection, *storages: Tables) -> None:
    """As the stock storages make them; where nothing is yet, no data has to migrate."""
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
    """Dagster's, which are read once: there are many files of them."""
    config = Config()
    config.set_main_option("script_location", ALEMBIC_SCRIPTS_LOCATION)
    revisions = ScriptDirectory.from_config(config)
    revisions.get_heads()  # reads them, before threads share them
    return revisions
