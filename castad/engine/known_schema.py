"""Storages that ask once how their tables look; the stock classes ask at every change of a run or a sensor.

The tables are as this Dagster makes them, or are migrated while no process is open.
"""

from functools import cached_property

from dagster._core.storage.dagster_run import DagsterRun
from dagster._core.storage.event_log.migration import ASSET_KEY_INDEX_COLS
from dagster._core.storage.event_log.schema import AssetEventTagsTable
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.runs.schema import RunsTable
from dagster._core.storage.runs.sql_run_storage import SqlRunStorage
from dagster._core.storage.schedules.sql_schedule_storage import SqlScheduleStorage
from sqlalchemy import Connection, bindparam, select

_RUN = select(RunsTable.c.run_body, RunsTable.c.status).where(
    RunsTable.c.run_id == bindparam("run_id")
)


class KnownRuns(SqlRunStorage):
    """A storage of runs."""

    def _get_run_by_id(self, run_id: str) -> DagsterRun | None:
        # Asked a dozen times a run, by a statement that is made once.
        with self.connect() as connection:
            row = connection.execute(_RUN, {"run_id": run_id}).one_or_none()
        return None if row is None else self._row_to_run(dict(row._mapping))

    @cached_property
    def _has_run_stats(self) -> bool:
        return super().has_run_stats_index_cols()

    @cached_property
    def _has_backfill_id(self) -> bool:
        return super().has_backfill_id_column()

    def has_run_stats_index_cols(self) -> bool:
        """Whether runs have their times in columns; asked once."""
        return self._has_run_stats

    def has_backfill_id_column(self) -> bool:
        """Whether runs have their backfill in a column; asked once."""
        return self._has_backfill_id


class KnownAssets(SqlEventLogStorage):
    """An event log and its catalog of assets."""

    _has_index_columns = False

    @cached_property
    def _found(self) -> set[str]:
        return set()

    def has_table(self, table_name: str) -> bool:
        """Whether this table is there; asked until it is."""
        if table_name not in self._found and super().has_table(table_name):  # type: ignore[safe-super]
            self._found.add(table_name)
        return table_name in self._found

    def warm_up(self) -> None:
        """What is asked inside transactions is known: asked there, it would take a second connection."""
        self.has_secondary_index(ASSET_KEY_INDEX_COLS)
        self.has_table(AssetEventTagsTable.name)

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        if not self._has_index_columns:
            self._has_index_columns = super()._has_asset_key_index_cols_on_connection(conn)
        return self._has_index_columns


class KnownTicks(SqlScheduleStorage):
    """A storage of ticks and cursors."""

    _has_instigators = False

    @cached_property
    def _built(self) -> set[str]:
        return set()

    def has_built_index(self, migration_name: str) -> bool:
        """Whether this index is there; asked until it is."""
        if migration_name not in self._built and super().has_built_index(migration_name):
            self._built.add(migration_name)
        return migration_name in self._built

    def _has_instigators_table(self, conn: Connection) -> bool:
        if not self._has_instigators:
            self._has_instigators = super()._has_instigators_table(conn)
        return self._has_instigators
