"""Links to one request's result are made and revoked."""

import secrets

from sqlalchemy import delete, func, select, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ManyShareLinksError,
    NotCompletedError,
    UnknownShareLinkError,
)
from resources.ledger.queries.reads import columns_of
from resources.ledger.queries.shared_overview import ShareLink
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, share_links
from resources.ledger.tokens import Token
from resources.ledger.transitions.core import lock_task
from resources.ledger.transitions.upsert import upsert

MOST_DAYS = 90
USUAL_DAYS = 7
_MOST_PER_REQUEST = 100
_DAY = 86_400


def share_request(
    db: Database, task_id: str, token: Token, *, days: int, created_by: str
) -> ShareLink:
    """Whoever has the token sees the request's result for so many days.

    Raises UnknownRequestError, NotCompletedError and ManyShareLinksError.
    """
    return _share(db, task_id, token, secrets.token_hex(6), days, created_by)


@retry_transient
def _share(
    db: Database, task_id: str, token: Token, link_id: str, days: int, created_by: str
) -> ShareLink:
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if request.status != Status.COMPLETED:
            raise NotCompletedError(task_id, request.status)
        tx.execute(delete(share_links).where(share_links.c.expires_at <= now()))
        links = select(func.count()).where(share_links.c.request_id == request.id)
        if tx.execute(links).scalar_one() >= _MOST_PER_REQUEST:
            raise ManyShareLinksError(task_id, _MOST_PER_REQUEST)
        row = upsert(tx, share_links).values(
            id=link_id,
            token_hash=token.hash,
            request_id=request.id,
            created_by=created_by,
            created_at=now(),
            expires_at=after(days * _DAY),
        )
        tx.execute(row.on_conflict_do_nothing())
        made = select(*columns_of(share_links, ShareLink)).where(share_links.c.id == link_id)
        return ShareLink(*tx.execute(made).one())


@retry_transient
def revoke_share_link(db: Database, request_id: int, link_id: str) -> ShareLink:
    """The link of this request shows nothing any more; a second revocation changes nothing.

    Raises UnknownShareLinkError.
    """
    revoked = (
        update(share_links)
        .where(share_links.c.id == link_id, share_links.c.request_id == request_id)
        .values(revoked_at=func.coalesce(share_links.c.revoked_at, now()))
        .returning(*columns_of(share_links, ShareLink))
    )
    with db.writing() as tx:
        row = tx.execute(revoked).one_or_none()
    if row is None:
        raise UnknownShareLinkError
    return ShareLink(*row)
