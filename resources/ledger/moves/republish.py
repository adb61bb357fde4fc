"""Moves of a dispatched request whose run does not claim it: published again, or requeued."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, or_, select

from resources.ledger.db.database import Database
from resources.ledger.moves.core import NO_PLACE_OR_TURN, move
from resources.ledger.moves.unusable_rows import move_each
from resources.ledger.queries.due import IS_OPEN
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, requests

_BATCH = 200


def lock_unclaimed(db: Database, grace_seconds: float) -> list[Request]:
    """Requests dispatched longer ago than the grace period that no run has claimed, oldest first."""
    unclaimed = and_(
        IS_OPEN,
        requests.c.status == Status.DISPATCHED,
        or_(requests.c.dispatched_at.is_(None), requests.c.dispatched_at <= after(-grace_seconds)),
    )
    query = select(requests.c.id).where(unclaimed).order_by(requests.c.id).limit(_BATCH)
    with db.reading() as tx:
        if tx.execute(query).first() is None:
            return []
    with db.writing() as tx:
        # Queried again under a lock: a run may have claimed some of them.
        keys = tx.execute(query.with_for_update(skip_locked=True)).scalars().all()
        return move_each(tx, keys, lambda request: request)


def record_redelivery(db: Database, unclaimed: Request) -> Request | None:
    """The run has another grace period to claim its request; None if the request has moved meanwhile."""
    return _move_unclaimed(db, unclaimed, "redelivered", {"dispatched_at": now()})


def requeue(db: Database, unclaimed: Request) -> Request | None:
    """The request is pending again, to be dispatched to another run; None if it has moved meanwhile."""
    return _move_unclaimed(
        db, unclaimed, "undelivered", {"status": Status.PENDING, **NO_PLACE_OR_TURN}
    )


def _move_unclaimed(
    db: Database, unclaimed: Request, event_type: str, changes: Mapping[str, Any]
) -> Request | None:
    as_read = and_(
        requests.c.id == unclaimed.id,
        requests.c.seq == unclaimed.seq,
        requests.c.status == Status.DISPATCHED,
    )
    with db.writing() as tx:
        keys = tx.execute(select(requests.c.id).where(as_read).with_for_update()).scalars().all()
        moved = move_each(
            tx,
            keys,
            lambda request: move(tx, request, event_type, changes, attempt=unclaimed.attempt),
        )
    return moved[0] if moved else None
