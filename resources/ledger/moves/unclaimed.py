"""Moves of a dispatched request whose run ends before its claim."""

from sqlalchemy import Connection, and_

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.moves.core import NO_PLACE_OR_TURN, lock, move
from resources.ledger.moves.orders import close_canceled
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, requests


@retry_transient
def cancel_unclaimed(db: Database, task_id: str, attempt: int) -> bool:
    """Cancel the request if it is dispatched as this attempt; whether it was."""
    with db.writing() as tx:
        request = _lock_dispatched(tx, task_id, attempt)
        if request is not None:
            close_canceled(tx, request)
        return request is not None


@retry_transient
def requeue_unclaimed(db: Database, task_id: str, attempt: int) -> bool:
    """Requeue the request if it is dispatched as this attempt; whether it was."""
    with db.writing() as tx:
        request = _lock_dispatched(tx, task_id, attempt)
        if request is not None:
            move(
                tx,
                request,
                "undelivered",
                {"status": Status.PENDING, **NO_PLACE_OR_TURN},
                attempt=attempt,
            )
        return request is not None


def _lock_dispatched(tx: Connection, task_id: str, attempt: int) -> Request | None:
    found = lock(
        tx,
        and_(
            requests.c.task_id == task_id,
            requests.c.status == Status.DISPATCHED,
            requests.c.attempt == attempt,
        ),
    )
    return None if found is None else found[0]
