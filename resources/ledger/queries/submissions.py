"""The submissions of one request to providers. Read-only."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.reads import columns_of
from resources.ledger.queries.spending import newest_in_doubt
from resources.ledger.request import Request
from resources.ledger.schema.tables import AT_WORK, JobStatus, provider_jobs


@dataclass(frozen=True)
class SubmissionView:
    """One submission; `cost` in micro-dollars is what was or may have been charged.

    `external_id` is the provider's id of the job, `heard_id` the one that a callback named.
    """

    id: int
    stage: str
    generation: int
    provider: str
    status: str
    token: str
    external_id: str | None
    heard_id: str | None
    cost: int
    error_code: str | None
    error_message: str | None
    created_at: datetime
    submitted_at: datetime | None
    settled_at: datetime | None


@dataclass(frozen=True)
class Submissions:
    """All submissions of a request, oldest first, and the one that waits for an operator, if one does."""

    views: tuple[SubmissionView, ...]
    in_doubt: SubmissionView | None


@retry_transient
def submissions_of(db: Database, request: Request) -> Submissions:
    """The submissions of this request."""
    columns = columns_of(provider_jobs, SubmissionView)
    query = select(*columns).where(provider_jobs.c.request_id == request.id)
    with db.reading() as tx:
        rows = tx.execute(query.order_by(provider_jobs.c.id)).mappings()
        views = tuple(SubmissionView(**row) for row in rows)
        doubt = tx.execute(newest_in_doubt(request.id)).one_or_none()
    lost = None if doubt is None else next(each for each in views if each.id == doubt.id)
    return Submissions(views, lost if _needs_decision(request, lost) else None)


def _needs_decision(request: Request, doubt: SubmissionView | None) -> bool:
    is_lost = doubt is not None and doubt.status == JobStatus.UNKNOWN and doubt.heard_id is None
    return is_lost and request.status not in AT_WORK
