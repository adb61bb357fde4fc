"""Requests by filter, page by page, each page in three statements. Read-only."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    func,
    select,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.batches import in_batch
from resources.ledger.queries.groups import Group, in_group
from resources.ledger.queries.overview import ArtifactView
from resources.ledger.queries.reads import columns_of
from resources.ledger.queries.shared_access import is_readable_by
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, artifacts, provider_jobs, requests, stages


@dataclass(frozen=True)
class RequestFilter:
    """The filter; None matches any value.

    `before` matches requests whose last change is older, `completed_from` those that are completed since then.
    """

    owner: str | None = None
    pipeline: str | None = None
    status: Status | None = None
    stage: str | None = None
    code: str | None = None
    source: str | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    before: datetime | None = None
    completed_from: datetime | None = None
    cancel_requested: bool | None = None
    group: Group | None = None
    batch: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """The filter as conditions on `requests`."""
        same = {
            requests.c.owner: self.owner,
            requests.c.pipeline: self.pipeline,
            requests.c.status: self.status,
            requests.c.stage: self.stage,
            requests.c.error_code: self.code,
            requests.c.source: self.source,
            requests.c.cancel_requested: self.cancel_requested,
        }
        conditions = [column == value for column, value in same.items() if value is not None]
        if self.created_from is not None:
            conditions.append(requests.c.created_at >= self.created_from)
        if self.created_until is not None:
            conditions.append(requests.c.created_at < self.created_until)
        if self.before is not None:
            conditions.append(requests.c.updated_at < self.before)
        if self.completed_from is not None:
            conditions.append(requests.c.completed_at >= self.completed_from)
        if self.group is not None:
            conditions.append(in_group(self.group))
        if self.batch is not None:
            conditions.append(in_batch(self.batch))
        return conditions


@dataclass(frozen=True)
class ListedRow:
    """A request, the database's clock, and what all its submissions cost or may have cost, in micro-dollars."""

    request: Request
    at: datetime
    cost: int

    @classmethod
    def of(cls, row: Row[Any]) -> Self:
        """The entry in a row of `listed_rows`."""
        return cls(Request.of(row), row.at, int(row.spent or 0))


@dataclass(frozen=True)
class StageState:
    """The newest generation of a stage; `progress` in [0, 1] as it was last reported."""

    status: str
    progress: float | None


@dataclass(frozen=True)
class Picture:
    """An artifact that is a picture."""

    stage: str
    generation: int
    name: str


@dataclass(frozen=True)
class ListDetails:
    """What a list shows of requests beyond their rows, by their ids; pictures in the order of their making."""

    stages: Mapping[int, Mapping[str, StageState]]
    pictures: Mapping[int, Sequence[Picture]]


@retry_transient
def requests_page(
    db: Database, wanted: RequestFilter, *, after: int | None, limit: int
) -> list[ListedRow]:
    """The newest matching requests, older than the one with the id `after`."""
    query = listed_rows(wanted, after).limit(limit)
    with db.reading() as tx:
        return [ListedRow.of(row) for row in tx.execute(query)]


@retry_transient
def rows_of(db: Database, request_ids: Sequence[int]) -> list[ListedRow]:
    """Those of these requests that there are, the newest first."""
    query = listed_rows(RequestFilter(), None).where(requests.c.id.in_(request_ids))
    with db.reading() as tx:
        return [ListedRow.of(row) for row in tx.execute(query)]


def listed_rows(wanted: RequestFilter, after: int | None) -> Select[Any]:
    """Rows of `ListedRow`: the matching requests older than the one with the id `after`, the newest first."""
    spent = select(func.sum(provider_jobs.c.cost)).where(
        provider_jobs.c.request_id == requests.c.id
    )
    query = select(requests, now().label("at"), spent.scalar_subquery().label("spent"))
    return older(query, wanted, after)


def older(query: Select[Any], wanted: RequestFilter, after: int | None) -> Select[Any]:
    """The query for the matching requests older than the one with the id `after`, the newest first."""
    query = query.where(*wanted.conditions())
    if after is not None:
        query = query.where(requests.c.id < after)
    return query.order_by(requests.c.id.desc())


@retry_transient
def list_details(db: Database, request_ids: Sequence[int]) -> ListDetails:
    """The details of these requests."""
    with db.reading() as tx:
        return ListDetails(_stage_states(tx, request_ids), _pictures(tx, request_ids))


def _stage_states(tx: Connection, ids: Sequence[int]) -> Mapping[int, Mapping[str, StageState]]:
    found: dict[int, dict[str, StageState]] = defaultdict(dict)
    for row in tx.execute(_STATES, {"ids": ids}):
        found[row.request_id][row.stage] = StageState(row.status, row.progress)
    return found


def _pictures(tx: Connection, ids: Sequence[int]) -> Mapping[int, Sequence[Picture]]:
    found: dict[int, list[Picture]] = defaultdict(list)
    for row in tx.execute(_PICTURES, {"ids": ids}):
        found[row.request_id].append(Picture(row.stage, row.generation, row.name))
    return found


@retry_transient
def oldest_task_ids(db: Database, wanted: RequestFilter, limit: int) -> Sequence[str]:
    """The task_ids of the oldest matching requests."""
    query = select(requests.c.task_id).where(*wanted.conditions())
    with db.reading() as tx:
        return tx.execute(query.order_by(requests.c.id).limit(limit)).scalars().all()


@retry_transient
def count_requests(db: Database, wanted: RequestFilter) -> int:
    """How many requests match."""
    query = select(func.count()).select_from(requests).where(*wanted.conditions())
    with db.reading() as tx:
        return int(tx.execute(query).scalar_one())


@retry_transient
def find_artifact(
    db: Database, task_id: str, name: str, reader: str | None = None
) -> ArtifactView | None:
    """An artifact of this request; None where there is none, or this owner, if one is given, may not read it."""
    may_read = () if reader is None else (is_readable_by(reader),)
    query = (
        select(*columns_of(artifacts, ArtifactView))
        .join(requests)
        .where(requests.c.task_id == task_id, artifacts.c.name == name, *may_read)
    )
    with db.reading() as tx:
        row = tx.execute(query).one_or_none()
    return None if row is None else ArtifactView(*row)


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_STATES = (
    select(stages.c.request_id, stages.c.stage, stages.c.status, stages.c.progress)
    .where(stages.c.request_id.in_(_IDS))
    .order_by(stages.c.generation)
)
_PICTURES = (
    select(*(artifacts.c[name] for name in ("request_id", "stage", "generation", "name")))
    .where(artifacts.c.request_id.in_(_IDS), artifacts.c.media_type.startswith("image/"))
    .order_by(artifacts.c.id)
)
