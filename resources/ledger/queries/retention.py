"""Read which ended requests and files retention may remove, and which orders are due for a check."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, exists, func, or_, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.retention_rules import EndedRequest
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    IN_DOUBT,
    IS_ENDED,
    IS_OPEN,
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
HAS_DOUBT = exists().where(
    provider_jobs.c.request_id == requests.c.id, provider_jobs.c.status.in_(IN_DOUBT)
)
"""Whether a submission of the request has no final status."""
IS_CHECK_DUE = source_checks.c.due_at <= now()
IS_REQUEST_OPEN = requests.c.status.in_(OPEN_STATUSES)
_UNMIRRORED = exists().where(events.c.request_id == requests.c.id, ~events.c.mirrored)
_UNDELIVERED = exists().where(
    webhook_deliveries.c.request_id == requests.c.id,
    webhook_deliveries.c.status == DeliveryStatus.PENDING,
)


def list_ended_requests(
    db: Database, status: Status, *, after: int, limit: int
) -> list[EndedRequest]:
    """List the oldest requests that ended with this status; only those with row ids above `after`."""
    wanted = (IS_ENDED, requests.c.status == status, requests.c.id > after)
    rows = db.fetch_all(
        _select_retention_rows().where(*wanted).order_by(requests.c.id).limit(limit)
    )
    return [_make_ended_request(row) for row in rows]


@retry_transient
def list_requests_with_files(
    db: Database, *, after: int, limit: int
) -> tuple[list[EndedRequest], int | None]:
    """List the requests, ended or not, of the next artifacts after the artifact id `after`.

    Returns also the id of the last of these artifacts: the next call's `after`. It is None, and the list
    empty, if there are no more.
    """
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
        return list_ended_by_id(tx, {row.request_id for row in found}), int(found[-1].id)


def read_requests_by_task_id(db: Database, task_ids: Collection[str]) -> dict[str, EndedRequest]:
    """Read the requests with these task_ids, by task_id, ended or not; unknown task_ids are left out."""
    rows = db.fetch_all(_select_retention_rows().where(requests.c.task_id.in_(task_ids)))
    return {row.task_id: _make_ended_request(row) for row in rows}


def read_log_pruned_at(db: Database, request_id: int) -> datetime | None:
    """Read when Dagster's rows of this request were deleted; None if they were not."""
    query = select(pruned.c.log_at).where(pruned.c.request_id == request_id)
    return db.fetch_value(query)


def find_owner_of_deleted(db: Database, task_id: str) -> str | None:
    """Find the owner of the last deleted request of this task_id; "" if it had none, None if no such request."""
    query = (
        select(func.coalesce(deleted_requests.c.owner, ""))
        .where(deleted_requests.c.task_id == task_id)
        .order_by(deleted_requests.c.request_id.desc())
        .limit(1)
    )
    return db.fetch_value(query)


def find_deleted_names(db: Database, task_ids: Collection[str]) -> set[str]:
    """Return those of the task_ids under which a request was deleted."""
    query = select(deleted_requests.c.task_id).where(deleted_requests.c.task_id.in_(task_ids))
    return set(db.fetch_column(query))


def find_known_files(db: Database, wheres: Collection[str]) -> set[str]:
    """Return those of the paths that belong to an artifact of a request.

    `wheres` are relative to the artifact folder.
    """
    query = select(artifacts.c.where).where(artifacts.c.where.in_(wheres))
    return set(db.fetch_column(query))


def collect_uploads_in_use(db: Database) -> set[str]:
    """Collect the SHA-256 digests of all uploads that a profile or an open order names."""
    queries = (
        select(requests.c.payload).where(IS_OPEN, requests.c.payload.contains("upload:")),
        select(profiles.c.fields).where(profiles.c.fields.contains("upload:")),
    )
    texts = [text for query in queries for text in db.fetch_column(query)]
    return {digest for text in texts for digest in _UPLOAD.findall(text)}


@retry_transient
def collect_uploads_of_orders(db: Database) -> set[str]:
    """Collect the SHA-256 digests of all uploads that any order names, open or ended. Reads all orders."""
    query = select(requests.c.payload).where(requests.c.payload.contains("upload:"))
    with db.reading() as tx:
        texts = tx.execute(query).scalars()
        return {digest for text in texts for digest in _UPLOAD.findall(text)}


def is_mentioned(db: Database, text: str) -> bool:
    """Return whether any order's payload or any profile contains this text. Reads all of them."""
    query = select(
        or_(
            exists().where(requests.c.payload.contains(text, autoescape=True)),
            exists().where(profiles.c.fields.contains(text, autoescape=True)),
        )
    )
    return bool(db.fetch_value(query))


def list_ended_by_id(tx: Connection, ids: Collection[int]) -> list[EndedRequest]:
    """Read the requests with these row ids, ended or not, the oldest first; unknown ids are left out."""
    rows = tx.execute(
        _select_retention_rows().where(requests.c.id.in_(ids)).order_by(requests.c.id)
    )
    return [_make_ended_request(row) for row in rows]


def list_files_of(tx: Connection, ids: Collection[int]) -> list[tuple[str, int]]:
    """List the path and size in bytes of the files that belong to these requests and to no other."""
    others = artifacts.alias("others")
    shared = exists().where(others.c.where == artifacts.c.where, others.c.request_id.not_in(ids))
    query = select(artifacts.c.where, artifacts.c.bytes).where(
        artifacts.c.request_id.in_(ids), ~shared
    )
    return [(row.where, row.bytes) for row in tx.execute(query)]


def _select_retention_rows() -> Select[Any]:
    """Build the SELECT of what retention must know of requests: the columns of `EndedRequest`."""
    return select(
        requests.c.id,
        requests.c.task_id,
        requests.c.pipeline,
        requests.c.status,
        requests.c.created_at,
        requests.c.updated_at,
        HAS_DOUBT.label("is_in_doubt"),
        or_(_UNMIRRORED, _UNDELIVERED).label("is_untold"),
    )


def _make_ended_request(row: Row[Any]) -> EndedRequest:
    """Build an EndedRequest from a row of `_select_retention_rows`."""
    return EndedRequest(**{**row._mapping, "status": Status(row.status)})


@dataclass(frozen=True)
class DueCheck:
    """A check of a source that is due.

    `payload` is the order as JSON text, `found` the unique key that the last check came to, `idle` the time
    since the source was last used. `task_id` is the last request that a check submitted, None without one;
    `is_dead` is whether that request is dead.
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
        """Build the check from a row of `source_checks` and the status of its last request, None without one."""
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


def find_due_pipelines(db: Database) -> set[str]:
    """Return the pipelines with a due source check, except those with an open request of an earlier check."""
    other = source_checks.alias()
    at_work = exists().where(
        other.c.pipeline == source_checks.c.pipeline,
        other.c.task_id == requests.c.task_id,
        IS_REQUEST_OPEN,
    )
    query = select(source_checks.c.pipeline).where(IS_CHECK_DUE, ~at_work).distinct()
    return set(db.fetch_column(query))
