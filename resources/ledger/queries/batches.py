"""How far the orders of a batch are. Read-only."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, and_, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import Status, requests


def in_batch(name: str) -> ColumnElement[bool]:
    """The request's task_id begins with the batch's name; a condition that the index on task_id serves."""
    return and_(requests.c.task_id >= f"{name}-", requests.c.task_id < f"{name}.")


@retry_transient
def batch_counts(db: Database, name: str, owner: str | None) -> Mapping[Status, int]:
    """How many requests of the batch have each status; of this owner only, if one is given."""
    own = () if owner is None else (requests.c.owner == owner,)
    query = (
        select(requests.c.status, func.count())
        .where(in_batch(name), *own)
        .group_by(requests.c.status)
    )
    with db.reading() as tx:
        return {Status(status): count for status, count in tx.execute(query)}
