"""A storage of runs that asks once which columns its table has; the stock classes ask at every change of a run."""

from functools import cached_property

from dagster._core.storage.runs.sql_run_storage import SqlRunStorage


class KnowsItsColumns(SqlRunStorage):
    """Its tables are as this Dagster makes them, or migrated while no process is open."""

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
