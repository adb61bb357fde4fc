"""Storages that find and delete the rows of many old runs at once.

Dagster deletes one run in about ten statements, and has nothing for observations without a run.
"""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from dagster import DagsterRunStatus
from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from castad.dagster_storage.batch_event_log import BatchEventLogStorage
from resources.dagster.internals import (
    AssetEventTagsTable,
    AssetKeyTable,
    RunsTable,
    RunTagsTable,
    SqlEventLogStorageTable,
    SqlRunStorage,
)
from resources.dagster.old_rows import OldObservation, OldRun
from resources.dagster.request_runs import TASK_ID_TAG

_events = SqlEventLogStorageTable.c


class BulkDeleteRunStorage(SqlRunStorage):
    """A run storage that deletes many runs in one transaction."""

    @abstractmethod
    def one_transaction(self) -> AbstractContextManager[Connection]:
        """All writes of the block are durable at its end, or none is."""

    def oldest_runs(self, *, after: int, limit: int) -> list[OldRun]:
        """The oldest runs after the one with this row id, each with the order that it was an attempt of."""
        tagged = RunTagsTable.c.run_id == RunsTable.c.run_id, RunTagsTable.c.key == TASK_ID_TAG
        task_id = select(RunTagsTable.c.value).where(*tagged).limit(1).scalar_subquery()
        columns = (RunsTable.c[name] for name in ("id", "run_id", "status", "end_time"))
        query = (
            select(*columns, RunsTable.c.create_timestamp, task_id.label("task_id"))
            .where(RunsTable.c.id > after)
            .order_by(RunsTable.c.id)
            .limit(limit)
        )
        with self.connect() as connection:
            return [
                OldRun.of(
                    row.id, row.run_id, DagsterRunStatus(row.status), row.task_id, row[3], row[4]
                )
                for row in connection.execute(query)
            ]

    def delete_runs(self, run_ids: Sequence[str]) -> int:
        """None of these runs is stored, and their events are deleted before; returns how many there were."""
        with self.one_transaction() as connection:
            # SQLite minds no foreign keys here, so nothing cascades.
            connection.execute(delete(RunTagsTable).where(RunTagsTable.c.run_id.in_(run_ids)))
            gone = connection.execute(delete(RunsTable).where(RunsTable.c.run_id.in_(run_ids)))
            return int(gone.rowcount)


class BulkDeleteEventLogStorage(BatchEventLogStorage):
    """An event log that deletes the events of many runs or partitions in one transaction."""

    def count_events_of(self, run_ids: Sequence[str]) -> int:
        """How many events these runs have."""
        return self._count(_events.run_id.in_(run_ids))

    def delete_events_of(self, run_ids: Sequence[str]) -> int:
        """These runs have no events; returns how many they had. Raises ValueError for a run without an id."""
        if "" in run_ids:
            raise ValueError("expected ids of runs: '' is that of events without one")
        shown = AssetKeyTable.c.last_run_id.in_(run_ids)
        nothing = {"last_materialization": None, "cached_status_data": None}
        with self.one_transaction() as connection:
            # The catalog has a copy of each asset's newest materialization.
            connection.execute(update(AssetKeyTable).where(shown).values(nothing))
            return _delete_events(connection, _events.run_id.in_(run_ids))

    def oldest_observations(
        self, asset_key: str, *, after: int, limit: int
    ) -> list[OldObservation]:
        """The oldest observations of this asset without a run, after the one with this row id."""
        query = (
            select(_events.id, _events.partition, _events.timestamp)
            .where(_events.run_id == "", _events.asset_key == asset_key, _events.id > after)
            .order_by(_events.id)
            .limit(limit)
        )
        with self.index_connection() as connection:
            return [OldObservation.of(*row) for row in connection.execute(query)]

    def count_observations_of(self, asset_key: str, partitions: Sequence[str]) -> int:
        """How many observations without a run this asset has in these partitions."""
        return self._count(*_unowned(asset_key, partitions))

    def delete_observations_of(self, asset_key: str, partitions: Sequence[str]) -> int:
        """The asset has no observations without a run in these partitions; returns how many it had."""
        with self.one_transaction() as connection:
            return _delete_events(connection, *_unowned(asset_key, partitions))

    def _count(self, *conditions: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(SqlEventLogStorageTable).where(*conditions)
        with self.index_connection() as connection:
            return int(connection.execute(query).scalar_one())


def _delete_events(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    """The events are gone, with what their assets were tagged by; returns how many they were."""
    gone = select(_events.id).where(*conditions)
    connection.execute(delete(AssetEventTagsTable).where(AssetEventTagsTable.c.event_id.in_(gone)))
    return int(connection.execute(delete(SqlEventLogStorageTable).where(*conditions)).rowcount)


def _unowned(asset_key: str, partitions: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        _events.asset_key == asset_key,
        _events.dagster_event_type == "ASSET_OBSERVATION",
        _events.partition.in_(partitions),
        _events.run_id == "",
    )
