"""Dagster's tables in Postgres, made in one transaction.

The stock storages make one after the other: who dies in between leaves a database that counts as made.
"""

import dagster_postgres
from dagster._core.storage.event_log.migration import (
    ASSET_DATA_MIGRATIONS,
    EVENT_LOG_DATA_MIGRATIONS,
)
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from dagster._core.storage.runs.migration import OPTIONAL_DATA_MIGRATIONS, REQUIRED_DATA_MIGRATIONS
from dagster._core.storage.runs.schema import RunStorageSqlMetadata, SecondaryIndexMigrationTable
from dagster._core.storage.schedules.migration import (
    OPTIONAL_SCHEDULE_DATA_MIGRATIONS,
    REQUIRED_SCHEDULE_DATA_MIGRATIONS,
)
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from dagster._core.storage.sql import stamp_alembic_rev
from dagster._time import get_current_datetime
from dagster_postgres.utils import pg_alembic_config
from sqlalchemy import Connection, Engine, text
from sqlalchemy.dialects.postgresql import insert

from resources.ledger.advisory_locks import AdvisoryLock

_METADATA = (RunStorageSqlMetadata, SqlEventLogStorageMetadata, ScheduleStorageSqlMetadata)
_MIGRATIONS = [
    *REQUIRED_DATA_MIGRATIONS,
    *OPTIONAL_DATA_MIGRATIONS,
    *EVENT_LOG_DATA_MIGRATIONS,
    *ASSET_DATA_MIGRATIONS,
    *REQUIRED_SCHEDULE_DATA_MIGRATIONS,
    *OPTIONAL_SCHEDULE_DATA_MIGRATIONS,
]
# Not all of them: a database of an earlier Dagster is migrated by `dagster instance migrate`.
_TABLES = ("runs", "instance_info", "event_logs", "jobs")


def ensure_tables(engine: Engine) -> None:
    """All of Dagster's tables are there, made at once or not at all."""
    with engine.connect() as connection:
        if _has_tables(connection):
            return
        connection.exec_driver_sql("BEGIN")
        # Who makes them at the same time as another spoils them: "more than one head".
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:key)"), {"key": AdvisoryLock.DAGSTER_TABLES}
        )
        if not _has_tables(connection):
            _make_tables(connection)
        connection.exec_driver_sql("COMMIT")


def _has_tables(connection: Connection) -> bool:
    found = " AND ".join(f"to_regclass('{table}') IS NOT NULL" for table in _TABLES)
    return bool(connection.exec_driver_sql(f"SELECT {found}").scalar())


def _make_tables(connection: Connection) -> None:
    """As the stock storages make them; where nothing is yet, no data has to migrate."""
    for metadata in _METADATA:
        metadata.create_all(connection)
    stamp_alembic_rev(pg_alembic_config(dagster_postgres.__file__), connection)
    migrated = [
        {"name": name, "migration_completed": get_current_datetime()} for name in _MIGRATIONS
    ]
    done = insert(SecondaryIndexMigrationTable).on_conflict_do_nothing()
    connection.execute(done, migrated)
