"""Storages that ask once how their tables look; the stock classes ask at every change of a run or a sensor.

The tables are as this Dagster makes them, or are migrated while no process is open.
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
    """What is there once stays there: it is asked for until it is."""

    @cached_property
    def _true_names(self) -> set[str]:
        return set()

    def _is_true_by_now(self, name: str, ask: Callable[[], bool]) -> bool:
        if name not in self._true_names and ask():
            self._true_names.add(name)
        return name in self._true_names


class SchemaCachedRunStorage(_CachesOnceTrue, SqlRunStorage):
    """A storage of runs."""

    def get_run_records(
        self,
        filters: RunsFilter | None = None,
        limit: int | None = None,
        order_by: str | None = None,
        ascending: bool = False,
        cursor: str | None = None,
        bucket_by: JobBucket | TagBucket | None = None,
    ) -> Sequence[RunRecord]:
        """The runs that match; one that is asked for by its id alone, by a statement that is made once."""
        run_id = _only_id(filters)
        if run_id is not None and (order_by, cursor, bucket_by) == (None, None, None):
            return self._records_of(run_id)[:limit]
        return super().get_run_records(filters, limit, order_by, ascending, cursor, bucket_by)

    def _get_run_by_id(self, run_id: str) -> DagsterRun | None:
        return next((record.dagster_run for record in self._records_of(run_id)), None)

    def _records_of(self, run_id: str) -> list[RunRecord]:
        """None, or one: a dozen times a run somebody asks."""
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
        """Whether this plan is kept; it is not read for that."""
        with self.connect() as connection:
            named = {"snapshot_id": execution_plan_snapshot_id}
            return connection.execute(_SNAPSHOT, named).first() is not None

    def has_run_stats_index_cols(self) -> bool:
        """Whether runs have their times in columns."""
        return self._is_true_by_now("run stats", super().has_run_stats_index_cols)

    def has_backfill_id_column(self) -> bool:
        """Whether runs have their backfill in a column."""
        return self._is_true_by_now("backfill id", super().has_backfill_id_column)


def _only_id(filters: RunsFilter | None) -> str | None:
    """The id that is asked for, where nothing else is."""
    ids = filters.run_ids if filters else None
    return ids[0] if ids and filters == RunsFilter(run_ids=ids[:1]) else None


class SchemaCachedEventLogStorage(_CachesOnceTrue, SqlEventLogStorage):
    """An event log and its catalog of assets."""

    def has_table(self, table_name: str) -> bool:
        """Whether this table is there."""
        ask = super().has_table  # type: ignore[safe-super]
        return self._is_true_by_now(f"table {table_name}", lambda: ask(table_name))

    def warm_up(self) -> None:
        """What is asked inside transactions is known: asked there, it would take a second connection."""
        self.has_secondary_index(ASSET_KEY_INDEX_COLS)
        self.has_table(AssetEventTagsTable.name)

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        ask = super()._has_asset_key_index_cols_on_connection
        return self._is_true_by_now("asset columns", lambda: ask(conn))


class SchemaCachedScheduleStorage(_CachesOnceTrue, SqlScheduleStorage):
    """A storage of ticks and cursors."""

    def has_built_index(self, migration_name: str) -> bool:
        """Whether this index is there."""
        ask = super().has_built_index
        return self._is_true_by_now(f"index {migration_name}", lambda: ask(migration_name))

    def _has_instigators_table(self, conn: Connection) -> bool:
        ask = super()._has_instigators_table
        return self._is_true_by_now("instigators", lambda: ask(conn))
