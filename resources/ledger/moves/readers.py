"""Who else may read a request: an owner whose order it is too."""

from collections.abc import Collection

from sqlalchemy import Connection, insert, literal, select

from resources.ledger.moves.upsert import upsert
from resources.ledger.request import Request
from resources.ledger.schema.tables import readers, requests


def add_reader(tx: Connection, request: Request, owner: str | None) -> None:
    """Let the owner of an order that the request serves read it; its own owner does already."""
    if owner is not None and owner != request.owner:
        reader = {"request_id": request.id, "owner": owner}
        tx.execute(upsert(tx, readers).values(reader).on_conflict_do_nothing())


def add_readers_of(tx: Connection, request_id: int, others: Collection[int]) -> None:
    """Whoever may read one of these other requests may read the request."""
    owners = (
        select(requests.c.owner)
        .where(requests.c.id.in_(others), requests.c.owner.is_not(None))
        .union(select(readers.c.owner).where(readers.c.request_id.in_(others)))
        .subquery()
    )
    known = select(readers.c.owner).where(readers.c.request_id == request_id)
    new = select(literal(request_id), owners.c.owner).where(owners.c.owner.not_in(known))
    tx.execute(insert(readers).from_select(["request_id", "owner"], new))
