"""The outbox: which events are not yet in the Dagster event log."""

from collections.abc import Sequence

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.reads import EventView, event_of, events_query
from resources.ledger.schema.tables import events


@retry_transient
def unmirrored_events(db: Database, limit: int) -> Sequence[EventView]:
    """The oldest events that are not yet in the Dagster event log."""
    query = events_query().where(~events.c.mirrored).order_by(events.c.id).limit(limit)
    with db.reading() as tx:
        return [event_of(row._mapping) for row in tx.execute(query)]
