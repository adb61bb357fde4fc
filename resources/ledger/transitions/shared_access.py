"""Shared access: owners other than the submitter who may read a request, since they ordered the same."""

from collections.abc import Collection

from sqlalchemy import Connection, insert, literal, select

from resources.ledger.request import Request
from resources.ledger.schema.tables import requests, shared_access
from resources.ledger.transitions.upsert import upsert


def grant_shared_access(tx: Connection, request: Request, owner: str | None) -> None:
    """Let the owner of an order that the request serves read it; its own owner does already."""
    if owner is not None and owner != request.owner:
        access = {"request_id": request.id, "owner": owner}
        tx.execute(upsert(tx, shared_access).values(access).on_conflict_do_nothing())


def copy_shared_access(tx: Connection, request_id: int, others: Collection[int]) -> None:
    """Whoever may read one of these other requests may read the request."""
    owners = (
        select(requests.c.owner)
        .where(requests.c.id.in_(others), requests.c.owner.is_not(None))
        .union(select(shared_access.c.owner).where(shared_access.c.request_id.in_(others)))
        .subquery()
    )
    known = select(shared_access.c.owner).where(shared_access.c.request_id == request_id)
    new = select(literal(request_id), owners.c.owner).where(owners.c.owner.not_in(known))
    tx.execute(insert(shared_access).from_select(["request_id", "owner"], new))
