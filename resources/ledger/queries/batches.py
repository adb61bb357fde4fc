"""How far the orders of a batch are. Read-only."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, and_, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import Status, requests


def in_batch(name: str) -> ColumnElement[bool]:
    """The request's task_id is the batch's name and a number; a condition that the index on task_id serves."""
    # Locales sort punctuation in many ways, and some ignore it; digits after the same text are sorted alike.
    numbered = requests.c.task_id.between(f"{name}-00000", f"{name}-99999")
    return and_(numbered, requests.c.task_id.startswith(f"{name}-", autoescape=True))


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
