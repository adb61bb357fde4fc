"""Moves of a dispatched request whose run ends before it has claimed anything."""

from sqlalchemy import Connection, and_

from resources.ledger.db.database import Database
from resources.ledger.db.retry import steady
from resources.ledger.moves.core import NOTHING_GIVEN, lock, move
from resources.ledger.moves.orders import close_canceled
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, requests


@steady
def cancel_unclaimed(db: Database, task_id: str, attempt: int) -> bool:
    """Whether the request was dispatched as this attempt; then it is canceled."""
    with db.writing() as tx:
        request = _dispatched(tx, task_id, attempt)
        if request is not None:
            close_canceled(tx, request)
        return request is not None


@steady
def give_back_unclaimed(db: Database, task_id: str, attempt: int) -> bool:
    """Whether the request was dispatched as this attempt; then it is pending again."""
    with db.writing() as tx:
        request = _dispatched(tx, task_id, attempt)
        if request is not None:
            move(
                tx,
                request,
                "undelivered",
                {"status": Status.PENDING, **NOTHING_GIVEN},
                attempt=attempt,
            )
        return request is not None


def _dispatched(tx: Connection, task_id: str, attempt: int) -> Request | None:
    found = lock(
        tx,
        and_(
            requests.c.task_id == task_id,
            requests.c.status == Status.DISPATCHED,
            requests.c.attempt == attempt,
        ),
    )
    return None if found is None else found[0]
