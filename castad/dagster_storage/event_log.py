"""Store Dagster's events in batches, delete runs and events in bulk, and start each run once.

The events of a step become durable with the step's end. One statement and one commit per event took 43 % of
Dagster's CPU for a run of three empty steps on Postgres (32 of 73 ms). A worker buffers deferrable events (inputs,
outputs, resources, log lines) and writes them, in order, with the next event that is not deferrable, or after
0.2 s. The rows are the same; a killed worker may lose events of a step that it did not finish.

Dagster deletes one run in about ten statements, and has nothing for observations without a run.
"""

import logging
import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from dagster import (
    AssetKey,
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DagsterRunStatus,
    EventLogEntry,
)
from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, select, update

from castad.dagster_storage.mixins import SchemaCachedEventLogStorage, SchemaCachedRunStorage
from resources.dagster.internals import (
    ASSET_CHECK_EVENTS,
    ASSET_EVENTS,
    AssetEventTagsTable,
    AssetKeyTable,
    RunsTable,
    RunTagsTable,
    SqlEventLogStorageTable,
    SqlRunStorage,
)
from resources.dagster.request_resource import TASK_ID_TAG, WAITING_STATUSES
from resources.dagster.run_log import OldObservation, OldRun
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.worker")
_MAX_DELAY_SECONDS = 0.2
_MAX_BUFFERED = 50
_DEFERRABLE = frozenset(
    {
        DagsterEventType.ENGINE_EVENT,
        DagsterEventType.RUN_START,
        DagsterEventType.RESOURCE_INIT_STARTED,
        DagsterEventType.RESOURCE_INIT_SUCCESS,
        DagsterEventType.STEP_START,
        DagsterEventType.LOADED_INPUT,
        DagsterEventType.STEP_INPUT,
        DagsterEventType.STEP_OUTPUT,
        DagsterEventType.HANDLED_OUTPUT,
        DagsterEventType.ASSET_MATERIALIZATION,
        DagsterEventType.LOGS_CAPTURED,
    }
)
Write = Callable[[Sequence[EventLogEntry]], None]


def is_deferrable(kind: DagsterEventType | None) -> bool:
    """Return whether the event may wait: no reader acts on it before the run's next event. None is a log line."""
    return kind is None or kind in _DEFERRABLE


class EventBuffer:
    """One buffer of events per run; `write` makes a batch durable, in its order."""

    def __init__(self, write: Write, delay_seconds: float = _MAX_DELAY_SECONDS) -> None:
        self._write = write
        self._delay_seconds = delay_seconds
        self._lock = threading.Lock()
        self._buffers: dict[str, _RunBuffer] = {}
        self._waiting = threading.Event()
        threading.Thread(target=self._flush_late, name="castad-events", daemon=True).start()

    def put(self, event: EventLogEntry) -> None:
        """Buffer the event, or write it with all buffered events of its run."""
        with self._lock:
            buffer = self._buffers.setdefault(event.run_id, _RunBuffer())
            buffer.events.append(event)
            stays = is_deferrable(event.dagster_event_type) and len(buffer.events) < _MAX_BUFFERED
        if stays:
            self._waiting.set()
        else:
            self.flush(event.run_id)

    def flush(self, run_id: str) -> None:
        """Write the run's buffered events; if that fails they stay buffered and the error is raised."""
        with self._lock:
            buffer = self._buffers.get(run_id)
        if buffer is None:
            return
        with buffer.writing:
            count = len(buffer.events)
            if count:
                self._write(buffer.events[:count])
            with self._lock:
                del buffer.events[:count]
                if not buffer.events and self._buffers.get(run_id) is buffer:
                    del self._buffers[run_id]

    def _flush_late(self) -> None:
        while True:
            self._waiting.wait()
            self._waiting.clear()
            threading.Event().wait(self._delay_seconds)
            with self._lock:
                pending = list(self._buffers)
            for run_id in pending:
                try:
                    self.flush(run_id)
                except Exception as error:  # noqa: BLE001 - the events stay buffered after any error
                    fields = {"run_id": run_id, "error": type(error).__name__}
                    _log.warning("event flush failed, retrying", extra={LOG_FIELDS: fields})
                    self._waiting.set()


class _RunBuffer:
    def __init__(self) -> None:
        self.events: list[EventLogEntry] = []
        self.writing = threading.Lock()


_events = SqlEventLogStorageTable.c
_INSERT = SqlEventLogStorageTable.insert()
_INSERT_RETURNING_ID = _INSERT.returning(SqlEventLogStorageTable.c.id, sort_by_parameter_order=True)


class BulkEventLogStorage(SchemaCachedEventLogStorage):
    """An event log with all runs' events in one database: one transaction stores a batch or deletes many."""

    _buffer: EventBuffer | None = None

    def buffer_events(self) -> None:
        """Write events in batches from now on."""
        self._buffer = EventBuffer(self.store_event_batch)

    def store_event(self, event: EventLogEntry) -> None:
        """Store the event, at once or, with a buffer, soon."""
        if self._buffer is None:
            super().store_event(event)
        else:
            self._buffer.put(event)

    @abstractmethod
    def one_transaction(self) -> AbstractContextManager[Connection]:
        """Open a connection whose writes are committed at the end of the block, or none is."""

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Store all events in their order, or none; a batch with asset checks is stored one by one.

        The rows are those of `store_event`, which takes one or two transactions per event and, on Postgres, also
        notifies a channel that Dagster 1.13 does not listen to.
        """
        if any(entry.dagster_event_type in ASSET_CHECK_EVENTS for entry in events):
            for entry in events:
                super().store_event(entry)
            return
        rows = [self._event_to_row(entry) for entry in events]
        of_assets = [index for index, entry in enumerate(events) if _get_asset_event(entry)]
        with self.one_transaction() as connection:
            if not of_assets:
                connection.execute(_INSERT, rows)
                return
            keys = connection.execute(_INSERT_RETURNING_ID, rows).scalars().all()
            self._store_asset_event_tags(
                connection,
                [events[index] for index in of_assets],
                [keys[index] for index in of_assets],
            )
            # The catalog shows only the newest event of each type about an asset.
            newest = {_get_asset_event(events[index]): index for index in of_assets}
            for index in sorted(newest.values()):
                self._store_asset_event(connection, events[index], keys[index])

    def count_events_of(self, run_ids: Sequence[str]) -> int:
        """Count the events of these runs."""
        return self._count(_events.run_id.in_(run_ids))

    def delete_events_of(self, run_ids: Sequence[str]) -> int:
        """Delete the events of these runs and return their number. Raises ValueError for a run without an id."""
        if "" in run_ids:
            raise ValueError("expected ids of runs: '' is that of events without one")
        shown = AssetKeyTable.c.last_run_id.in_(run_ids)
        nothing = {"last_materialization": None, "cached_status_data": None}
        with self.one_transaction() as connection:
            # The catalog has a copy of each asset's newest materialization.
            connection.execute(update(AssetKeyTable).where(shown).values(nothing))
            return _delete_events(connection, _events.run_id.in_(run_ids))

    def list_oldest_observations(
        self, asset_key: str, *, after: int, limit: int
    ) -> list[OldObservation]:
        """Return the oldest observations of this asset without a run, after the one with this row id."""
        query = (
            select(_events.id, _events.partition, _events.timestamp)
            .where(_events.run_id == "", _events.asset_key == asset_key, _events.id > after)
            .order_by(_events.id)
            .limit(limit)
        )
        with self.index_connection() as connection:
            return [OldObservation.of(*row) for row in connection.execute(query)]

    def count_observations_of(self, asset_key: str, partitions: Sequence[str]) -> int:
        """Count the observations without a run that this asset has in these partitions."""
        return self._count(*_select_unowned(asset_key, partitions))

    def delete_observations_of(self, asset_key: str, partitions: Sequence[str]) -> int:
        """Delete the observations without a run of this asset in these partitions; return their number."""
        with self.one_transaction() as connection:
            return _delete_events(connection, *_select_unowned(asset_key, partitions))

    def _count(self, *conditions: ColumnElement[bool]) -> int:
        query = select(func.count()).select_from(SqlEventLogStorageTable).where(*conditions)
        with self.index_connection() as connection:
            return int(connection.execute(query).scalar_one())


def _get_asset_event(entry: EventLogEntry) -> tuple[AssetKey, DagsterEventType] | None:
    """Return the asset and the type of an asset event; None for other events."""
    event = entry.dagster_event
    if event is None or event.event_type not in ASSET_EVENTS or event.asset_key is None:
        return None
    return event.asset_key, event.event_type


def _delete_events(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    gone = select(_events.id).where(*conditions)
    connection.execute(delete(AssetEventTagsTable).where(AssetEventTagsTable.c.event_id.in_(gone)))
    return int(connection.execute(delete(SqlEventLogStorageTable).where(*conditions)).rowcount)


def _select_unowned(asset_key: str, partitions: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        _events.asset_key == asset_key,
        _events.dagster_event_type == "ASSET_OBSERVATION",
        _events.partition.in_(partitions),
        _events.run_id == "",
    )


_CLAIM_RUN = (
    update(RunsTable)
    .where(
        RunsTable.c.run_id == bindparam("of_id"),
        RunsTable.c.status.in_([status.value for status in WAITING_STATUSES]),
        RunsTable.c.start_time.is_(None),
    )
    .values(
        status=DagsterRunStatus.STARTED.value,
        start_time=bindparam("start_time"),
        update_timestamp=bindparam("update_timestamp"),
    )
)


def claim_run(instance: DagsterInstance, run_id: str) -> bool:
    """Set a waiting run to STARTED, with a start time, and return whether this caller did it.

    Stock Dagster reads the status and writes it later, so two workers with the same run would both execute it.
    The start time makes the claim final: a daemon that was killed before it launched the run launches it after
    its restart and overwrites the status.
    """
    storage = instance.run_storage
    if not isinstance(storage, SqlRunStorage):
        raise TypeError(
            f"expected an SQL run storage in dagster.yaml, got {type(storage).__name__}"
        )
    now = datetime.now(UTC)
    values = {"of_id": run_id, "start_time": now.timestamp(), "update_timestamp": now}
    with storage.connect() as connection:
        return connection.execute(_CLAIM_RUN, values).rowcount == 1


class BulkRunStorage(SchemaCachedRunStorage):
    """A run storage in which a run starts once, and which deletes many runs in one transaction."""

    @abstractmethod
    def one_transaction(self) -> AbstractContextManager[Connection]:
        """Open a connection whose writes are committed at the end of the block, or none is."""

    def list_oldest_runs(self, *, after: int, limit: int) -> list[OldRun]:
        """Return the oldest runs after the one with this row id, each with the task_id of its order."""
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
        """Delete these runs and return their number; their events have to be deleted before."""
        with self.one_transaction() as connection:
            # SQLite minds no foreign keys here, so nothing cascades.
            connection.execute(delete(RunTagsTable).where(RunTagsTable.c.run_id.in_(run_ids)))
            gone = connection.execute(delete(RunsTable).where(RunsTable.c.run_id.in_(run_ids)))
            return int(gone.rowcount)

    def handle_run_event(
        self, run_id: str, event: DagsterEvent, update_timestamp: datetime | None = None
    ) -> None:
        """Write the event's status to the run's row; a RUN_START changes only an unclaimed run.

        The claim has set the status already, and the run may have been terminated since.
        """
        if event.event_type is DagsterEventType.RUN_START:
            run = self._get_run_by_id(run_id)
            if run is not None and run.status not in WAITING_STATUSES:
                return
        super().handle_run_event(run_id, event, update_timestamp)
