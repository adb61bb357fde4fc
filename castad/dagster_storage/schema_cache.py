"""Storages that inspect their schema once; the stock classes do so at every change of a run or a sensor.

The schema is this Dagster version's, or is migrated while no process is running.
"""

from collections.abc import Callable, Sequence
from datetime import UTC
from functools import cached_property

from dagster import DagsterRun, RunRecord, RunsFilter
from sqlalchemy import Connection, bindparam, select

from resources.dagster.internals import (
    ASSET_KEY_INDEX_COLS,
    AssetEventTagsTable,
    JobBucket,
    RunsTable,
    SnapshotsTable,
    SqlEventLogStorage,
    SqlRunStorage,
    SqlScheduleStorage,
    TagBucket,
)

_RECORD = select(
    RunsTable.c.id,
    RunsTable.c.run_body,
    RunsTable.c.status,
    RunsTable.c.create_timestamp,
    RunsTable.c.update_timestamp,
    RunsTable.c.start_time,
    RunsTable.c.end_time,
).where(RunsTable.c.run_id == bindparam("run_id"))
_SNAPSHOT = select(SnapshotsTable.c.id).where(
    SnapshotsTable.c.snapshot_id == bindparam("snapshot_id")
)


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
    """A run storage."""

    def get_run_records(
        self,
        filters: RunsFilter | None = None,
        limit: int | None = None,
        order_by: str | None = None,
        ascending: bool = False,
        cursor: str | None = None,
        bucket_by: JobBucket | TagBucket | None = None,
    ) -> Sequence[RunRecord]:
        """The matching runs; a filter by one run id uses a statement that is built once."""
        run_id = _only_id(filters)
        if run_id is not None and (order_by, cursor, bucket_by) == (None, None, None):
            return self._records_of(run_id)[:limit]
        return super().get_run_records(filters, limit, order_by, ascending, cursor, bucket_by)

    def _get_run_by_id(self, run_id: str) -> DagsterRun | None:
        return next((record.dagster_run for record in self._records_of(run_id)), None)

    def _records_of(self, run_id: str) -> list[RunRecord]:
        """The run's record, if there is one; called a dozen times per run."""
        with self.connect() as connection:
            rows = connection.execute(_RECORD, {"run_id": run_id}).mappings().all()
        return [
            RunRecord(
                storage_id=row["id"],
                dagster_run=self._row_to_run(dict(row)),
                create_timestamp=row["create_timestamp"].replace(tzinfo=UTC),
                update_timestamp=row["update_timestamp"].replace(tzinfo=UTC),
                start_time=row["start_time"],
                end_time=row["end_time"],
            )
            for row in rows
        ]

    def has_execution_plan_snapshot(self, execution_plan_snapshot_id: str) -> bool:
        """Whether this plan is stored, without reading it."""
        with self.connect() as connection:
            named = {"snapshot_id": execution_plan_snapshot_id}
            return connection.execute(_SNAPSHOT, named).first() is not None

    def has_run_stats_index_cols(self) -> bool:
        """Whether the runs table has columns for the times."""
        return self._is_true_by_now("run stats", super().has_run_stats_index_cols)

    def has_backfill_id_column(self) -> bool:
        """Whether the runs table has a column for the backfill."""
        return self._is_true_by_now("backfill id", super().has_backfill_id_column)


def _only_id(filters: RunsFilter | None) -> str | None:
    """The run id, if it is the only filter."""
    ids = filters.run_ids if filters else None
    return ids[0] if ids and filters == RunsFilter(run_ids=ids[:1]) else None


class SchemaCachedEventLogStorage(_CachesOnceTrue, SqlEventLogStorage):
    """An event log with its asset catalog."""

    def has_table(self, table_name: str) -> bool:
        """Whether this table exists."""
        check = super().has_table  # type: ignore[safe-super]
        return self._is_true_by_now(f"table {table_name}", lambda: check(table_name))

    def warm_up(self) -> None:
        """The checks made inside transactions are cached: there they would need a second connection."""
        self.has_secondary_index(ASSET_KEY_INDEX_COLS)
        self.has_table(AssetEventTagsTable.name)

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        check = super()._has_asset_key_index_cols_on_connection
        return self._is_true_by_now("asset columns", lambda: check(conn))


class SchemaCachedScheduleStorage(_CachesOnceTrue, SqlScheduleStorage):
    """A schedule storage: ticks and cursors."""

    def has_built_index(self, migration_name: str) -> bool:
        """Whether this data migration is done."""
        check = super().has_built_index
        return self._is_true_by_now(f"index {migration_name}", lambda: check(migration_name))

    def _has_instigators_table(self, conn: Connection) -> bool:
        check = super()._has_instigators_table
        return self._is_true_by_now("instigators", lambda: check(conn))
