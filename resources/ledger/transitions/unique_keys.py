"""The unique key of an order that came without one, as by SQL."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.key_holders import (
    duplicate_of,
    is_held_elsewhere,
    is_key_taken,
    key_holder,
)
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, requests
from resources.ledger.transitions.bookkeeping import set_bookkeeping

KeyOf = Callable[[Mapping[str, Any]], str | None]
"""The unique key of an order, None where it has none; raises InvalidInputError."""


def key_to_hold(request: Request, key: str | None) -> str | None:
    """The request's unique key, where its order has this one: a stage may have settled what that left open."""
    return request.unique_key if key is None and request.stage is not None else key


def key_to_begin_with(
    tx: Connection, request: Request, key: str | None, *, takes_over: bool
) -> str | None:
    """Return the key; None where another request holds it and this one takes over (`Claimant.takes_over`)."""
    return None if takes_over and is_held_elsewhere(tx, request, key) else key


@retry_transient
def keep_unique_key(
    db: Database, request: Request, key: str | None, *, takes_over: bool = False
) -> None:
    """The dispatched request holds its order's key; no transition and no event: it follows from the payload.

    A request that has changed meanwhile is left as it is. Raises DuplicateOrderError where another request
    holds the key; with `takes_over` the request goes without it (`Claimant.takes_over`).
    """
    key = key_to_hold(request, key)
    if key == request.unique_key:
        return
    is_as_read = (
        requests.c.id == request.id,
        requests.c.seq == request.seq,
        requests.c.status == Status.DISPATCHED,
    )
    try:
        with db.writing() as tx:
            set_bookkeeping(tx, *is_as_read, unique_key=key)
    except IntegrityError as error:
        if not is_key_taken(error) or key is None:
            raise
        if takes_over:
            return
        with db.reading() as tx:
            holder = key_holder(tx, request.pipeline, key)
            raise duplicate_of(tx, holder, request.owner) from None
