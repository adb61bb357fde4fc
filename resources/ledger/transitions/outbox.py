"""The outbox: which events were copied to the Dagster event log."""

from collections.abc import Sequence

from sqlalchemy import update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import events


@retry_transient
def mark_mirrored(db: Database, event_ids: Sequence[int]) -> None:
    """These events are not mirrored again."""
    with db.writing() as tx:
        tx.execute(update(events).where(events.c.id.in_(event_ids)).values(mirrored=True))
