"""Read a request: its row, its stages, its events and its readers."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.exc import IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import DuplicateOrderError, UnknownRequestError
from resources.ledger.request import Request, parse_json_object
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    HOLDS_KEY,
    IS_OPEN,
    WITHOUT_KEY,
    JobStatus,
    StageStatus,
    Status,
    attempts,
    events,
    provider_jobs,
    requests,
    shared_access,
    stages,
)

# SQLite uses a partial index only where the query repeats the index's condition verbatim.
_HOLDS_KEY: ColumnElement[bool] = literal_column(HOLDS_KEY)
# Postgres names the index, SQLite its columns.
_IN_ERRORS = ("requests_unique_key", "requests.unique_key")
_BY_PEOPLE = (
    *("created", "corrected", "edited", "redriven", "retried", "redone", "resolved"),
    *("canceled", "cancel_requested", "approved", "revised", "chosen", "rejected"),
)


@dataclass(frozen=True)
class EventView:
    """One event of a request; `before` and `after` are the request's statuses, `data` what the event recorded."""

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
    """The columns of a request that decide whether its attempt may continue."""

    status: Status
    attempt: int
    fence: int
    cancel_requested: bool
    callbacks: int


@retry_transient
def read_clock(db: Database) -> datetime:
    """Read the database's current time."""
    with db.reading() as tx:
        return tx.execute(select(now())).scalar_one()


def get_request(db: Database, task_id: str) -> Request:
    """Return the request with this task_id; raise UnknownRequestError if there is none."""
    row = db.fetch_one(_OF_TASK, task_id=task_id)
    if row is None:
        raise UnknownRequestError(task_id)
    return Request.of(row)


def get_request_by_id(db: Database, request_id: int) -> Request | None:
    """Return the request with this row id; None if it was deleted."""
    row = db.fetch_one(_OF_KEY, request_id=request_id)
    return None if row is None else Request.of(row)


def read_request_state(db: Database, request_id: int) -> RequestState | None:
    """Read the state of the request with this row id; None if it was deleted."""
    row = db.fetch_one(_STATE, request_id=request_id)
    return None if row is None else RequestState(Status(row[0]), *row[1:])


def list_requests(db: Database, status: Status | None = None, limit: int = 50) -> list[Request]:
    """List up to `limit` requests, the newest first; `status` limits them to one status."""
    query = select(requests).order_by(requests.c.id.desc()).limit(limit)
    if status is not None:
        query = query.where(requests.c.status == status)
    return [Request.of(row) for row in db.fetch_all(query)]


def find_task_id_of_run(db: Database, run_id: str) -> str | None:
    """Find the task_id of the request that this Dagster run was an attempt of; None if it was of none."""
    query = select(requests.c.task_id).join(attempts).where(attempts.c.run_id == run_id)
    return db.fetch_value(query)


def read_stage_result(db: Database, task_id: str, stage: str) -> Mapping[str, Any] | None:
    """Read the result of a stage's newest generation; None if that generation is not completed."""
    found = find_newest_result(db, task_id, stage)
    return None if found is None else found[1]


def find_newest_result(
    db: Database, task_id: str, stage: str
) -> tuple[int, Mapping[str, Any]] | None:
    """Read a stage's newest generation number and its result; None if that generation is not completed."""
    row = db.fetch_one(_RESULT, task_id=task_id, stage=stage)
    return None if row is None or row.result is None else (row.generation, json.loads(row.result))


def read_stage_generations(db: Database, request_id: int) -> Mapping[str, int]:
    """Read the number of each stage's newest generation; stages that were never begun are left out."""
    newest = (
        select(stages.c.stage, func.max(stages.c.generation))
        .where(stages.c.request_id == request_id)
        .group_by(stages.c.stage)
    )
    return {row[0]: row[1] for row in db.fetch_all(newest)}


def list_event_views(db: Database, request: Request, newest: int | None = None) -> list[EventView]:
    """List the request's events in order of seq: the `newest` ones, or all if that is None."""
    query = build_events_query().where(events.c.request_id == request.id)
    rows = db.fetch_all(query.order_by(events.c.seq.desc()).limit(newest))
    return [make_event_view(row._mapping) for row in reversed(rows)]


@retry_transient
def list_events_after(db: Database, request_id: int, seq: int) -> tuple[list[EventView], bool]:
    """List the request's events with a seq above `seq`, in order, and return whether the request exists."""
    query = build_events_query().where(events.c.request_id == request_id, events.c.seq > seq)
    with db.reading() as tx:
        is_there = tx.execute(_OF_KEY, {"request_id": request_id}).one_or_none() is not None
        rows = tx.execute(query.order_by(events.c.seq))
        return [make_event_view(row._mapping) for row in rows], is_there


def list_columns(table: Table, view: type) -> list[Column[Any]]:
    """Return the table's columns that are named as the fields of a dataclass, in the order of the fields."""
    return [table.c[field.name] for field in fields(view)]


def build_events_query() -> Any:
    """Build the SELECT of events with their request's task_id, pipeline and owner."""
    of_request = (requests.c.task_id, requests.c.pipeline, requests.c.owner)
    return select(events, *of_request).join(requests)


def make_event_view(row: Any) -> EventView:
    """Build an EventView from a mapping of a row of the events' query.

    Data that are no JSON object become empty.
    """
    data = parse_object(row["data"])
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


def parse_object(text: str) -> Mapping[str, Any]:
    """Parse a stored JSON object; return an empty mapping if the text is no JSON object."""
    return parse_json_object(text) or {}


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


def is_readable_by(owner: str) -> ColumnElement[bool]:
    """Build the SQL condition on `requests` that this owner may read a request: its own, or one shared with it."""
    another = exists().where(
        shared_access.c.request_id == requests.c.id, shared_access.c.owner == owner
    )
    return or_(requests.c.owner == owner, another)


def may_read(db: Database, request_id: int, owner: str) -> bool:
    """Return whether the owner may read the request with this row id; False if it does not exist."""
    query = select(requests.c.id).where(requests.c.id == request_id, is_readable_by(owner))
    return db.fetch_one(query) is not None


_HOLDER = select(requests).where(
    _HOLDS_KEY,
    requests.c.pipeline == bindparam("of_pipeline"),
    requests.c.unique_key == bindparam("of_key"),
)


def find_key_holder(tx: Connection, pipeline: str, key: str) -> Request | None:
    """Find the pipeline's request that holds this unique key; None if none holds it."""
    row = tx.execute(_HOLDER, {"of_pipeline": pipeline, "of_key": key}).one_or_none()
    return None if row is None else Request.of(row)


def is_held_elsewhere(tx: Connection, request: Request, key: str | None) -> bool:
    """Return whether a request other than this one holds the unique key; False for the key None."""
    holder = None if key is None else find_key_holder(tx, request.pipeline, key)
    return holder is not None and holder.id != request.id


def is_superseded(tx: Connection, request: Request) -> bool:
    """Return whether another request has taken over the unique key since this one died or was canceled."""
    if request.status not in WITHOUT_KEY or request.unique_key is None:
        return False
    return find_key_holder(tx, request.pipeline, request.unique_key) is not None


def make_duplicate_error(
    tx: Connection, holder: Request | None, owner: str | None
) -> DuplicateOrderError:
    """Make the error for an order that the request `holder` already fulfills.

    It names that request only if the owner may read it, or if the order has no owner. `holder` is None if the
    request is no longer known; then the error names none.
    """
    if holder is None:
        return DuplicateOrderError()
    readable = () if owner is None else (is_readable_by(owner),)
    query = select(requests.c.task_id).where(requests.c.id == holder.id, *readable)
    return DuplicateOrderError(tx.execute(query).scalar())


def is_key_taken(error: IntegrityError) -> bool:
    """Return whether a statement failed because another request holds the unique key."""
    return any(name in str(error.orig) for name in _IN_ERRORS)


@dataclass(frozen=True)
class RunningStage:
    """The stage that a request is executing.

    `progress` in [0, 1] and `note` are the last report, None and "" without one. `provider` works on the
    current submission, "" without one. `seconds` have passed since the submission, or since the stage began.
    """

    request_id: int
    task_id: str
    pipeline: str
    owner: str | None
    stage: str
    progress: float | None
    note: str
    provider: str
    seconds: float


_JOB = and_(
    provider_jobs.c.request_id == stages.c.request_id,
    provider_jobs.c.stage == stages.c.stage,
    provider_jobs.c.generation == stages.c.generation,
    provider_jobs.c.status == JobStatus.SUBMITTED.value,
)
_RUNNING = (
    select(
        *(requests.c.id, requests.c.task_id, requests.c.pipeline, requests.c.owner),
        stages.c.stage,
        stages.c.progress,
        func.coalesce(stages.c.progress_note, ""),
        func.coalesce(provider_jobs.c.provider, ""),
        func.coalesce(provider_jobs.c.submitted_at, stages.c.started_at).label("since"),
        now().label("at"),
    )
    .join(stages, and_(stages.c.request_id == requests.c.id, stages.c.stage == requests.c.stage))
    .outerjoin(provider_jobs, _JOB)
    .where(stages.c.status == StageStatus.PROCESSING.value)
)
_AT_WORK = requests.alias("at_work")
_RUNNING_OF = _RUNNING.where(requests.c.id.in_(bindparam("ids", expanding=True)))
_ALL_RUNNING = _RUNNING.where(
    requests.c.id.in_(
        select(_AT_WORK.c.id).where(IS_OPEN, _AT_WORK.c.status == Status.PROCESSING.value)
    )
)


def read_progress(db: Database, request_ids: Collection[int] | None) -> list[RunningStage]:
    """Read the running stages of the requests with these ids; of all processing requests if it is None.

    Requests without a running stage are left out.
    """
    if request_ids is None:
        rows = db.fetch_all(_ALL_RUNNING)
    else:
        rows = db.fetch_all(_RUNNING_OF, ids=sorted(request_ids))
    return [
        RunningStage(*[*row[:-2], max(0.0, (row.at - row.since).total_seconds())]) for row in rows
    ]


def find_last_decision(db: Database, request_id: int) -> int:
    """Return the seq of the request's last event that a person caused; 0 if there is none."""
    query = select(func.max(events.c.seq)).where(
        events.c.request_id == request_id, events.c.type.in_(_BY_PEOPLE)
    )
    return db.fetch_value(query) or 0


def count_current_statuses(db: Database, event_type: str, after: int, until: int) -> dict[str, int]:
    """Count, by their present status, the requests that had an event of this type.

    Only events with ids above `after` and up to `until` count.
    """
    concerned = select(events.c.request_id).where(
        events.c.id > after, events.c.id <= until, events.c.type == event_type
    )
    query = (
        select(requests.c.status, func.count())
        .where(requests.c.id.in_(concerned))
        .group_by(requests.c.status)
    )
    return {str(status): int(count) for status, count in db.fetch_all(query)}
