"""What people have decided about a request, so that a form that was sent twice is one decision. Read-only."""

from sqlalchemy import func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import events

_BY_PEOPLE = (
    *("created", "corrected", "edited", "redriven", "retried", "redone", "resolved"),
    *("canceled", "cancel_requested", "approved", "revised", "chosen", "rejected"),
)


@retry_transient
def last_decision(db: Database, request_id: int) -> int:
    """Return the seq of the last event that a person has caused; 0 where there is none."""
    query = select(func.max(events.c.seq)).where(
        events.c.request_id == request_id, events.c.type.in_(_BY_PEOPLE)
    )
    with db.reading() as tx:
        return tx.execute(query).scalar() or 0
