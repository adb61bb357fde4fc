"""An event log that stores a batch of events in one transaction."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from dagster import AssetKey, DagsterEventType, EventLogEntry
from sqlalchemy import Connection

from castad.dagster_storage.event_buffer import EventBuffer
from resources.dagster.internals import (
    ASSET_CHECK_EVENTS,
    ASSET_EVENTS,
    SqlEventLogStorage,
    SqlEventLogStorageTable,
)

_INSERT = SqlEventLogStorageTable.insert()
_INSERT_RETURNING_ID = _INSERT.returning(SqlEventLogStorageTable.c.id, sort_by_parameter_order=True)


class BatchEventLogStorage(SqlEventLogStorage):
    """An event log with all runs' events in one database, so that one transaction can store a batch."""

    _buffer: EventBuffer | None = None

    def buffer_events(self) -> None:
        """From now on events are written in batches; see `event_buffer`."""
        self._buffer = EventBuffer(self.store_event_batch)

    def store_event(self, event: EventLogEntry) -> None:
        """The event is durable, or is so soon where events are buffered."""
        if self._buffer is None:
            super().store_event(event)
        else:
            self._buffer.put(event)

    @abstractmethod
    def one_transaction(self) -> AbstractContextManager[Connection]:
        """All writes of the block are durable at its end, or none is."""

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """All events are durable in their order, or none is; a batch with asset checks is stored one by one.

        The rows are those of `store_event`, which takes one or two transactions per event and, on Postgres, also
        notifies a channel that Dagster 1.13 does not listen to.
        """
        if any(entry.dagster_event_type in ASSET_CHECK_EVENTS for entry in events):
            for entry in events:
                super().store_event(entry)
            return
        rows = [self._event_to_row(entry) for entry in events]
        of_assets = [index for index, entry in enumerate(events) if _asset_event(entry)]
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
            newest = {_asset_event(events[index]): index for index in of_assets}
            for index in sorted(newest.values()):
                self._store_asset_event(connection, events[index], keys[index])


def _asset_event(entry: EventLogEntry) -> tuple[AssetKey, DagsterEventType] | None:
    """The asset and the type of an asset event; None for other events."""
    event = entry.dagster_event
    if event is None or event.event_type not in ASSET_EVENTS or event.asset_key is None:
        return None
    return event.asset_key, event.event_type
