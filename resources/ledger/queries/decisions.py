"""What people have decided about a request, so that a form that was sent twice is one decision. Read-only."""

from sqlalchemy import func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import events, requests

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


@retry_transient
def newest_event(db: Database) -> int:
    """Return the id of the newest event; 0 where there is none."""
    with db.reading() as tx:
        return tx.execute(select(func.max(events.c.id))).scalar() or 0


@retry_transient
def became_of(db: Database, event_type: str, after: int, until: int) -> dict[str, int]:
    """Return how many of the requests with an event of this type among these are in each status now."""
    concerned = select(events.c.request_id).where(
        events.c.id > after, events.c.id <= until, events.c.type == event_type
    )
    query = (
        select(requests.c.status, func.count())
        .where(requests.c.id.in_(concerned))
        .group_by(requests.c.status)
    )
    with db.reading() as tx:
        return {str(status): int(count) for status, count in tx.execute(query)}
