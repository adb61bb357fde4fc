"""Storages that ask once how their tables look; the stock classes ask at every change of a run or a sensor.

The tables are as this Dagster makes them, or are migrated while no process is open.
"""

from collections.abc import Callable
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


class _AsksUntilTrue:
    """What is there once stays there: it is asked for until it is."""

    @cached_property
    def _known(self) -> set[str]:
        return set()

    def _knows(self, name: str, ask: Callable[[], bool]) -> bool:
        if name not in self._known and ask():
            self._known.add(name)
        return name in self._known


class KnownRuns(_AsksUntilTrue, SqlRunStorage):
    """A storage of runs."""

    def _get_run_by_id(self, run_id: str) -> DagsterRun | None:
        # Asked a dozen times a run, by a statement that is made once.
        with self.connect() as connection:
            row = connection.execute(_RUN, {"run_id": run_id}).one_or_none()
        return None if row is None else self._row_to_run(dict(row._mapping))

    def has_run_stats_index_cols(self) -> bool:
        """Whether runs have their times in columns."""
        return self._knows("run stats", super().has_run_stats_index_cols)

    def has_backfill_id_column(self) -> bool:
        """Whether runs have their backfill in a column."""
        return self._knows("backfill id", super().has_backfill_id_column)


class KnownAssets(_AsksUntilTrue, SqlEventLogStorage):
    """An event log and its catalog of assets."""

    def has_table(self, table_name: str) -> bool:
        """Whether this table is there."""
        ask = super().has_table  # type: ignore[safe-super]
        return self._knows(f"table {table_name}", lambda: ask(table_name))

    def warm_up(self) -> None:
        """What is asked inside transactions is known: asked there, it would take a second connection."""
        self.has_secondary_index(ASSET_KEY_INDEX_COLS)
        self.has_table(AssetEventTagsTable.name)

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        ask = super()._has_asset_key_index_cols_on_connection
        return self._knows("asset columns", lambda: ask(conn))


class KnownTicks(_AsksUntilTrue, SqlScheduleStorage):
    """A storage of ticks and cursors."""

    def has_built_index(self, migration_name: str) -> bool:
        """Whether this index is there."""
        ask = super().has_built_index
        return self._knows(f"index {migration_name}", lambda: ask(migration_name))

    def _has_instigators_table(self, conn: Connection) -> bool:
        ask = super()._has_instigators_table
        return self._knows("instigators", lambda: ask(conn))
