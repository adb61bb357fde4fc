"""Who may read a request: the owner of every order that it is. Read-only."""

from sqlalchemy import ColumnElement, exists, or_, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.tables import requests, shared_access


def is_readable_by(owner: str) -> ColumnElement[bool]:
    """The owner may read the request; a condition on `requests`."""
    another = exists().where(
        shared_access.c.request_id == requests.c.id, shared_access.c.owner == owner
    )
    return or_(requests.c.owner == owner, another)


@retry_transient
def may_read(db: Database, request_id: int, owner: str) -> bool:
    """Whether the owner may read the request with this id."""
    query = select(requests.c.id).where(requests.c.id == request_id, is_readable_by(owner))
    with db.reading() as tx:
        return tx.execute(query).first() is not None
