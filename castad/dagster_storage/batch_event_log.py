"""An event log that takes all events of a group in one transaction."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from dagster import AssetKey, DagsterEventType, EventLogEntry
from sqlalchemy import Connection

from resources.dagster.internals import (
    ASSET_CHECK_EVENTS,
    ASSET_EVENTS,
    SqlEventLogStorage,
    SqlEventLogStorageTable,
)

_INSERT = SqlEventLogStorageTable.insert()
_INSERT_RETURNING_ID = _INSERT.returning(SqlEventLogStorageTable.c.id, sort_by_parameter_order=True)


class BatchEventLogStorage(SqlEventLogStorage):
    """All runs' events in one database, so that one transaction is enough for what belongs together."""

    @abstractmethod
    def one_transaction(self) -> AbstractContextManager[Connection]:
        """All that is written in the block is durable at its end, or nothing is."""

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """All of these events are durable in their order, or none is; among asset checks, one after the other.

        The rows are those of `store_event`, which takes a transaction or two for each event, and on Postgres
        notifies a channel besides to which no Dagster of today listens.
        """
        if any(entry.dagster_event_type in ASSET_CHECK_EVENTS for entry in events):
            for entry in events:
                # The class' own: the object's may be what brought the events here.
                type(self).store_event(self, entry)
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
            # The catalog shows the last event of each kind about an asset, and none before it.
            newest = {_asset_event(events[index]): index for index in of_assets}
            for index in sorted(newest.values()):
                self._store_asset_event(connection, events[index], keys[index])


def _asset_event(entry: EventLogEntry) -> tuple[AssetKey, DagsterEventType] | None:
    """The asset that it is about and what it tells; None for other events."""
    event = entry.dagster_event
    if event is None or event.event_type not in ASSET_EVENTS or event.asset_key is None:
        return None
    return event.asset_key, event.event_type
