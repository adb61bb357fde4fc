"""Queries for requests, their events and results. Read-only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Table, bindparam, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, attempts, events, requests, stages


@dataclass(frozen=True)
class EventView:
    """One event of a request; `before` and `after` are statuses."""

    id: int
    request_id: int
    task_id: str
    pipeline: str
    seq: int
    type: str
    before: str | None
    after: str
    data: Mapping[str, Any]
    at: datetime
    run_id: str | None
    owner: str | None = None


@dataclass(frozen=True)
class RequestState:
    """What decides whether an attempt may continue."""

    status: Status
    attempt: int
    fence: int
    cancel_requested: bool
    callbacks: int


@retry_transient
def clock(db: Database) -> datetime:
    """The database's time."""
    with db.reading() as tx:
        return tx.execute(select(now())).scalar_one()


@retry_transient
def get_request(db: Database, task_id: str) -> Request:
    """The request with this task_id; raises UnknownRequestError."""
    with db.reading() as tx:
        row = tx.execute(_OF_TASK, {"task_id": task_id}).one_or_none()
    if row is None:
        raise UnknownRequestError(task_id)
    return Request.of(row)


@retry_transient
def get_request_by_id(db: Database, request_id: int) -> Request | None:
    """The request with this id, None where it was deleted."""
    with db.reading() as tx:
        row = tx.execute(_OF_KEY, {"request_id": request_id}).one_or_none()
    return None if row is None else Request.of(row)


@retry_transient
def request_state(db: Database, request_id: int) -> RequestState | None:
    """The state of the request with this id, None where it was deleted."""
    with db.reading() as tx:
        row = tx.execute(_STATE, {"request_id": request_id}).one_or_none()
    return None if row is None else RequestState(Status(row[0]), *row[1:])


@retry_transient
def list_requests(db: Database, status: Status | None = None, limit: int = 50) -> list[Request]:
    """The newest requests, of one status or all."""
    query = select(requests).order_by(requests.c.id.desc()).limit(limit)
    if status is not None:
        query = query.where(requests.c.status == status)
    with db.reading() as tx:
        return [Request.of(row) for row in tx.execute(query)]


@retry_transient
def task_id_of_run(db: Database, run_id: str) -> str | None:
    """The task_id of the request that this Dagster run was an attempt of."""
    query = select(requests.c.task_id).join(attempts).where(attempts.c.run_id == run_id)
    with db.reading() as tx:
        return tx.execute(query).scalar()


@retry_transient
def stage_result(db: Database, task_id: str, stage: str) -> Mapping[str, Any] | None:
    """The result of a stage's newest generation, None where that is not completed."""
    found = _newest_result(db, task_id, stage)
    return None if found is None else found[1]


@retry_transient
def newest_result(db: Database, task_id: str, stage: str) -> tuple[int, Mapping[str, Any]] | None:
    """A stage's newest generation and its result, None where that is not completed."""
    return _newest_result(db, task_id, stage)


@retry_transient
def stage_generations(db: Database, request_id: int) -> Mapping[str, int]:
    """The newest generation of each stage that was begun."""
    newest = (
        select(stages.c.stage, func.max(stages.c.generation))
        .where(stages.c.request_id == request_id)
        .group_by(stages.c.stage)
    )
    with db.reading() as tx:
        return {row[0]: row[1] for row in tx.execute(newest)}


def _newest_result(db: Database, task_id: str, stage: str) -> tuple[int, Mapping[str, Any]] | None:
    with db.reading() as tx:
        row = tx.execute(_RESULT, {"task_id": task_id, "stage": stage}).one_or_none()
    if row is None or row.result is None:
        return None
    return row.generation, json.loads(row.result)


@retry_transient
def event_views(db: Database, request: Request, newest: int | None = None) -> list[EventView]:
    """The events of a request in order of seq: all, or so many of the newest."""
    query = events_query().where(events.c.request_id == request.id)
    with db.reading() as tx:
        rows = tx.execute(query.order_by(events.c.seq.desc()).limit(newest)).all()
    return [event_of(row._mapping) for row in reversed(rows)]


@retry_transient
def events_after(db: Database, request_id: int, seq: int) -> tuple[list[EventView], bool]:
    """The events of a request after its event `seq`, in order, and whether the request exists."""
    query = events_query().where(events.c.request_id == request_id, events.c.seq > seq)
    with db.reading() as tx:
        is_there = tx.execute(_OF_KEY, {"request_id": request_id}).one_or_none() is not None
        rows = tx.execute(query.order_by(events.c.seq))
        return [event_of(row._mapping) for row in rows], is_there


def columns_of(table: Table, view: type) -> list[Column[Any]]:
    """The columns that a dataclass has as its fields, in their order."""
    return [table.c[field.name] for field in fields(view)]


def events_query() -> Any:
    """Events with their request's task_id, pipeline and owner."""
    of_request = (requests.c.task_id, requests.c.pipeline, requests.c.owner)
    return select(events, *of_request).join(requests)


def event_of(row: Any) -> EventView:
    """The event in a row of `events_query`; data that an operator has made invalid become empty."""
    data = event_data(row["data"])
    return EventView(
        id=row["id"],
        request_id=row["request_id"],
        task_id=row["task_id"],
        pipeline=row["pipeline"],
        seq=row["seq"],
        type=row["type"],
        before=row["from"],
        after=row["to"],
        data=data,
        at=row["at"],
        run_id=str(data["run_id"]) if data.get("run_id") else None,
        owner=row["owner"],
    )


def event_data(text: str) -> Mapping[str, Any]:
    """An event's data; empty where an operator has made them invalid."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


_OF_TASK = select(requests).where(requests.c.task_id == bindparam("task_id"))
_OF_KEY = select(requests).where(requests.c.id == bindparam("request_id"))
_STATE = select(
    requests.c.status,
    requests.c.attempt,
    requests.c.fence,
    requests.c.cancel_requested,
    requests.c.callbacks,
).where(requests.c.id == bindparam("request_id"))
_RESULT = (
    select(stages.c.generation, stages.c.result)
    .join(requests)
    .where(requests.c.task_id == bindparam("task_id"), stages.c.stage == bindparam("stage"))
    .order_by(stages.c.generation.desc())
    .limit(1)
)
