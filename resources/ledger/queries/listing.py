"""Requests by filter, page by page. Read-only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.overview import ArtifactView
from resources.ledger.queries.readers import is_reader
from resources.ledger.queries.reads import columns_of
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status, artifacts, requests


@dataclass(frozen=True)
class RequestFilter:
    """The filter; None matches any value. `before` matches requests whose last change is older."""

    owner: str | None = None
    pipeline: str | None = None
    status: Status | None = None
    stage: str | None = None
    code: str | None = None
    source: str | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    before: datetime | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """The filter as conditions on `requests`."""
        same = {
            requests.c.owner: self.owner,
            requests.c.pipeline: self.pipeline,
            requests.c.status: self.status,
            requests.c.stage: self.stage,
            requests.c.error_code: self.code,
            requests.c.source: self.source,
        }
        conditions = [column == value for column, value in same.items() if value is not None]
        if self.created_from is not None:
            conditions.append(requests.c.created_at >= self.created_from)
        if self.created_until is not None:
            conditions.append(requests.c.created_at < self.created_until)
        if self.before is not None:
            conditions.append(requests.c.updated_at < self.before)
        return conditions


@retry_transient
def requests_page(
    db: Database, wanted: RequestFilter, *, after: int | None, limit: int
) -> list[Request]:
    """The newest matching requests, older than the one with the id `after`."""
    query = select(requests).where(*wanted.conditions())
    if after is not None:
        query = query.where(requests.c.id < after)
    with db.reading() as tx:
        rows = tx.execute(query.order_by(requests.c.id.desc()).limit(limit))
        return [Request.of(row) for row in rows]


@retry_transient
def oldest_task_ids(db: Database, wanted: RequestFilter, limit: int) -> Sequence[str]:
    """The task_ids of the oldest matching requests."""
    query = select(requests.c.task_id).where(*wanted.conditions())
    with db.reading() as tx:
        return tx.execute(query.order_by(requests.c.id).limit(limit)).scalars().all()


@retry_transient
def find_artifact(
    db: Database, task_id: str, name: str, reader: str | None = None
) -> ArtifactView | None:
    """An artifact of this request; None where there is none, or this owner, if one is given, may not read it."""
    may_read = () if reader is None else (is_reader(reader),)
    query = (
        select(*columns_of(artifacts, ArtifactView))
        .join(requests)
        .where(requests.c.task_id == task_id, artifacts.c.name == name, *may_read)
    )
    with db.reading() as tx:
        row = tx.execute(query).one_or_none()
    return None if row is None else ArtifactView(*row)
