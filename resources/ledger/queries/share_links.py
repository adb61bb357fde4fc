"""Links by which anybody sees one request's result. Read-only."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import UnknownShareLinkError
from resources.ledger.queries.reads import columns_of
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, requests, share_links
from resources.ledger.tokens import Token


@dataclass(frozen=True)
class ShareLink:
    """A link without its token, which nobody but its maker was told."""

    id: str
    created_by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


@retry_transient
def share_links_of(db: Database, request_id: int) -> list[ShareLink]:
    """The links of the request that have not expired, revoked ones too, the newest first."""
    query = (
        select(*columns_of(share_links, ShareLink))
        .where(share_links.c.request_id == request_id, share_links.c.expires_at > now())
        .order_by(share_links.c.created_at.desc(), share_links.c.id)
    )
    with db.reading() as tx:
        return [ShareLink(*row) for row in tx.execute(query)]


@retry_transient
def shared_request(db: Database, token: Token) -> Request:
    """The request that the link shows; raises UnknownShareLinkError where it shows none, or none any more.

    A request that is made anew has no result to show until it is completed again.
    """
    query = (
        select(requests)
        .join(share_links, share_links.c.request_id == requests.c.id)
        .where(
            share_links.c.token_hash == token.hash,
            share_links.c.expires_at > now(),
            share_links.c.revoked_at.is_(None),
            requests.c.status == Status.COMPLETED,
        )
    )
    with db.reading() as tx:
        row = tx.execute(query).one_or_none()
    if row is None:
        raise UnknownShareLinkError
    return Request.of(row)
