"""Links by which anybody sees one request's result. Read-only."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.queries.overview import Overview, StageView, overview_of
from resources.ledger.queries.reads import columns_of
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import StageStatus, Status, requests, share_links, stages
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
def shared_overview(db: Database, token: Token) -> Overview:
    """Return the overview of the completed request as it was when the link was made, whatever became of it since.

    Its stages have the generation of that moment, and all artifacts are there. Raises UnknownShareLinkError where
    the link shows nothing, or nothing any more.
    """
    with db.reading() as tx:
        link = tx.execute(_LINK, {"token_hash": token.hash}).one_or_none()
        if link is None:
            raise UnknownShareLinkError
        made = tx.execute(
            _MADE, {"request_id": link.request_id, "shared_at": link.created_at}
        ).all()
    then = {row.stage: row for row in made}
    now_shown = overview_of(db, link.task_id)
    if not then or any(view.stage not in then for view in now_shown.stages):
        raise UnknownShareLinkError
    return replace(
        now_shown,
        request=replace(now_shown.request, status=Status.COMPLETED),
        stages=[_as_shared(view, then[view.stage]) for view in now_shown.stages],
    )


def _as_shared(view: StageView, row: Any) -> StageView:
    return replace(
        view,
        generation=row.generation,
        status=StageStatus.COMPLETED,
        result=json.loads(row.result),
        completed_at=row.completed_at,
    )


_LINK = (
    select(share_links.c.request_id, share_links.c.created_at, requests.c.task_id)
    .join(requests, share_links.c.request_id == requests.c.id)
    .where(
        share_links.c.token_hash == bindparam("token_hash"),
        share_links.c.expires_at > now(),
        share_links.c.revoked_at.is_(None),
    )
)
# A link is made of a completed request: its result is what was done by then, the newest of each stage last.
_MADE = (
    select(stages.c.stage, stages.c.generation, stages.c.result, stages.c.completed_at)
    .where(
        stages.c.request_id == bindparam("request_id"),
        stages.c.completed_at <= bindparam("shared_at"),
        stages.c.result.is_not(None),
    )
    .order_by(stages.c.generation)
)
