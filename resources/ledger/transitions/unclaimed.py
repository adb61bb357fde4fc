"""Transitions of a dispatched request that no run has claimed: published again, requeued, or canceled."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, or_, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.due import IS_OPEN
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, requests
from resources.ledger.transitions.core import NO_SLOT_OR_PERMIT, lock, transition
from resources.ledger.transitions.orders import close_canceled
from resources.ledger.transitions.unusable_rows import transition_each

_BATCH = 200
_REQUEUED: Mapping[str, Any] = {"status": Status.PENDING, **NO_SLOT_OR_PERMIT}


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
        return transition_each(tx, keys, lambda request: request)


def save_redelivery(db: Database, unclaimed: Request) -> Request | None:
    """The run has another grace period to claim its request; None if the request has changed meanwhile."""
    return _transition_unclaimed(db, unclaimed, "redelivered", {"dispatched_at": now()})


def requeue(db: Database, unclaimed: Request) -> Request | None:
    """The request is pending again, to be dispatched to another run; None if it has changed meanwhile."""
    return _transition_unclaimed(db, unclaimed, "undelivered", _REQUEUED)


def _transition_unclaimed(
    db: Database, unclaimed: Request, event_type: str, changes: Mapping[str, Any]
) -> Request | None:
    as_read = and_(
        requests.c.id == unclaimed.id,
        requests.c.seq == unclaimed.seq,
        requests.c.status == Status.DISPATCHED,
    )
    with db.writing() as tx:
        keys = tx.execute(select(requests.c.id).where(as_read).with_for_update()).scalars().all()
        changed = transition_each(
            tx,
            keys,
            lambda request: transition(tx, request, event_type, changes, attempt=unclaimed.attempt),
        )
    return changed[0] if changed else None


@retry_transient
def leave_unclaimed(db: Database, task_id: str, attempt: int, *, canceled: bool) -> None:
    """If the request is dispatched as this attempt, it is canceled, or else pending again."""
    is_it = and_(
        requests.c.task_id == task_id,
        requests.c.status == Status.DISPATCHED,
        requests.c.attempt == attempt,
    )
    with db.writing() as tx:
        request, _ = lock(tx, is_it) or (None, None)
        if request is not None and canceled:
            close_canceled(tx, request)
        elif request is not None:
            transition(tx, request, "undelivered", _REQUEUED, attempt=attempt)
