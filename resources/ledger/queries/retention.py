"""Read what retention may remove, and which orders come again."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.limits import IS_OPEN
from resources.ledger.retention_rules import EndedRequest
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    ENDED,
    IN_DOUBT,
    OPEN_STATUSES,
    DeliveryStatus,
    Status,
    artifacts,
    deleted_requests,
    events,
    profiles,
    provider_jobs,
    pruned,
    requests,
    source_checks,
    webhook_deliveries,
)

_UPLOAD = re.compile("upload:([0-9a-f]{64})")
_IS_IN_DOUBT = exists().where(
    provider_jobs.c.request_id == requests.c.id, provider_jobs.c.status.in_(IN_DOUBT)
)
_UNMIRRORED = exists().where(events.c.request_id == requests.c.id, ~events.c.mirrored)
_UNDELIVERED = exists().where(
    webhook_deliveries.c.request_id == requests.c.id,
    webhook_deliveries.c.status == DeliveryStatus.PENDING,
)


@retry_transient
def ended_page(db: Database, status: Status, *, after: int, limit: int) -> list[EndedRequest]:
    """The oldest requests that ended so, after the one with this id."""
    is_ended: ColumnElement[bool] = literal_column(ENDED)
    wanted = (is_ended, requests.c.status == status, requests.c.id > after)
    with db.reading() as tx:
        rows = tx.execute(_query().where(*wanted).order_by(requests.c.id).limit(limit))
        return [_ended(row) for row in rows]


@retry_transient
def requests_with_files(
    db: Database, *, after: int, limit: int
) -> tuple[list[EndedRequest], int | None]:
    """The requests of the oldest files after the one with this id, and the id of the last of these files."""
    files = (
        select(artifacts.c.id, artifacts.c.request_id)
        .where(artifacts.c.id > after)
        .order_by(artifacts.c.id)
        .limit(limit)
    )
    with db.reading() as tx:
        found = tx.execute(files).all()
        if not found:
            return [], None
        return ended_by_id(tx, {row.request_id for row in found}), int(found[-1].id)


@retry_transient
def ended_by_task(db: Database, task_ids: Collection[str]) -> dict[str, EndedRequest]:
    """Those of the requests that exist, ended or not, by task_id."""
    with db.reading() as tx:
        rows = tx.execute(_query().where(requests.c.task_id.in_(task_ids)))
        return {row.task_id: _ended(row) for row in rows}


@retry_transient
def log_pruned_at(db: Database, request_id: int) -> datetime | None:
    """When Dagster's rows of this request were deleted, None where they were not."""
    query = select(pruned.c.log_at).where(pruned.c.request_id == request_id)
    with db.reading() as tx:
        return tx.execute(query).scalar()


@retry_transient
def owner_of_deleted(db: Database, task_id: str) -> str | None:
    """The owner of the newest request of this name that a person deleted, "" without one; None where none was."""
    query = (
        select(func.coalesce(deleted_requests.c.owner, ""))
        .where(deleted_requests.c.task_id == task_id)
        .order_by(deleted_requests.c.request_id.desc())
        .limit(1)
    )
    with db.reading() as tx:
        return tx.execute(query).scalar()


@retry_transient
def names_deleted(db: Database, task_ids: Collection[str]) -> set[str]:
    """Those of the names under which a person deleted a request."""
    query = select(deleted_requests.c.task_id).where(deleted_requests.c.task_id.in_(task_ids))
    with db.reading() as tx:
        return set(tx.execute(query).scalars())


@retry_transient
def known_files(db: Database, wheres: Collection[str]) -> set[str]:
    """Those of the files that a request lists."""
    query = select(artifacts.c.where).where(artifacts.c.where.in_(wheres))
    with db.reading() as tx:
        return set(tx.execute(query).scalars())


@retry_transient
def uploads_in_use(db: Database) -> set[str]:
    """The digests of all uploads that a profile names, or an order that has not ended."""
    queries = (
        select(requests.c.payload).where(IS_OPEN, requests.c.payload.contains("upload:")),
        select(profiles.c.fields).where(profiles.c.fields.contains("upload:")),
    )
    with db.reading() as tx:
        texts = [text for query in queries for text in tx.execute(query).scalars()]
    return {digest for text in texts for digest in _UPLOAD.findall(text)}


@retry_transient
def uploads_of_orders(db: Database) -> set[str]:
    """Return the digests of all uploads that any order names, ended ones too. Reads all orders."""
    query = select(requests.c.payload).where(requests.c.payload.contains("upload:"))
    with db.reading() as tx:
        found = tx.execute(query).scalars()
        return {digest for text in found for digest in _UPLOAD.findall(text)}


@retry_transient
def is_mentioned(db: Database, text: str) -> bool:
    """Whether the order of any request, or any profile, has this text. Reads all of them."""
    query = select(
        or_(
            exists().where(requests.c.payload.contains(text, autoescape=True)),
            exists().where(profiles.c.fields.contains(text, autoescape=True)),
        )
    )
    with db.reading() as tx:
        return bool(tx.execute(query).scalar())


def in_doubt() -> ColumnElement[bool]:
    """Whether a submission of the request has no final status."""
    return _IS_IN_DOUBT


def ended_by_id(tx: Connection, ids: Collection[int]) -> list[EndedRequest]:
    """Those of the requests that exist, ended or not, the oldest first."""
    rows = tx.execute(_query().where(requests.c.id.in_(ids)).order_by(requests.c.id))
    return [_ended(row) for row in rows]


def files_of(tx: Connection, ids: Collection[int]) -> list[tuple[str, int]]:
    """The files of these requests that belong to no other request: `where` and `bytes`."""
    others = artifacts.alias("others")
    shared = exists().where(others.c.where == artifacts.c.where, others.c.request_id.not_in(ids))
    query = select(artifacts.c.where, artifacts.c.bytes).where(
        artifacts.c.request_id.in_(ids), ~shared
    )
    return [(row.where, row.bytes) for row in tx.execute(query)]


def _query() -> Select[Any]:
    return select(
        requests.c.id,
        requests.c.task_id,
        requests.c.pipeline,
        requests.c.status,
        requests.c.created_at,
        requests.c.updated_at,
        _IS_IN_DOUBT.label("is_in_doubt"),
        or_(_UNMIRRORED, _UNDELIVERED).label("is_untold"),
    )


def _ended(row: Row[Any]) -> EndedRequest:
    values = {**row._mapping, "status": Status(row.status)}
    return EndedRequest(
        **{
            **values,
            "is_in_doubt": bool(row.is_in_doubt),
            "is_untold": bool(row.is_untold),
        }
    )


is_due = source_checks.c.due_at <= now()
is_open = requests.c.status.in_(OPEN_STATUSES)


@dataclass(frozen=True)
class DueCheck:
    """One that is due: the order as text, what it last came to, and the time since the last use.

    `is_dead` is whether the last request that was made of it has failed for good.
    """

    id: int
    payload: str
    found: str
    mark: str
    failures: int
    idle: timedelta
    task_id: str | None
    is_dead: bool

    @classmethod
    def of(cls, row: Any, status: str | None) -> "DueCheck":
        """By its row, and the status of its last request."""
        return cls(
            id=row.id,
            payload=row.payload,
            found=row.found,
            mark=row.mark,
            failures=row.failures,
            idle=row.at - row.used_at,
            task_id=row.task_id,
            is_dead=status == Status.DEAD,
        )


@retry_transient
def due_pipelines(db: Database) -> set[str]:
    """The pipelines of which something is due, and no request is open that was made of the like."""
    other = source_checks.alias()
    at_work = exists().where(
        other.c.pipeline == source_checks.c.pipeline,
        other.c.task_id == requests.c.task_id,
        is_open,
    )
    query = select(source_checks.c.pipeline).where(is_due, ~at_work).distinct()
    with db.reading() as tx:
        return set(tx.execute(query).scalars())
