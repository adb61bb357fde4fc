"""Stuck requests: without a worker for too long. Read-only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, or_, select

from resources.ledger.admission import SETTINGS
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.due import IS_OPEN, is_due
from resources.ledger.queries.worker_pool import WorkerPool
from resources.ledger.queries.workload import (
    WorkloadScope,
    due_since,
    in_scope,
    join_paused_providers,
)
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, requests

_MOST_LISTED = 100


@dataclass(frozen=True)
class Stuck:
    """One stuck request; `code` is that of its last error, if it had one."""

    task_id: str
    status: Status
    stage: str | None
    since: datetime
    why: str
    code: str | None


@dataclass(frozen=True)
class StuckList:
    """The oldest stuck requests, and the count of all."""

    count: int
    oldest: tuple[Stuck, ...]


@retry_transient
def stuck_requests(
    db: Database, scope: WorkloadScope, seconds: float, worker_pool: WorkerPool | None = None
) -> StuckList:
    """Requests dispatched but not claimed, without a living worker, due, or waiting for settings for `seconds`.

    A request that a living attempt processes is never stuck. The `worker_pool` explains why a due request was not
    dispatched.
    """
    with db.reading() as tx:
        rows = tx.execute(_stuck(scope, seconds)).all()
        count = rows[0].in_all if rows else 0
    return StuckList(count, tuple(_stuck_of(row, scope, worker_pool) for row in rows))


def _stuck(scope: WorkloadScope, seconds: float) -> Select[Any]:
    since = _since()
    return (
        select(
            requests.c.task_id,
            requests.c.status,
            requests.c.pipeline,
            requests.c.stage,
            requests.c.error_code,
            case((_waits_for_settings(), requests.c.error_message)).label("settings"),
            since.label("since"),
            func.count().over().label("in_all"),
        )
        .select_from(join_paused_providers())
        .where(IS_OPEN, _has_no_worker(), since <= after(-seconds), in_scope(scope))
        .order_by(since, requests.c.id)
        .limit(_MOST_LISTED)
    )


def _has_no_worker() -> ColumnElement[bool]:
    no_lease = or_(requests.c.lease_until.is_(None), requests.c.lease_until <= now())
    return or_(
        requests.c.status == Status.DISPATCHED,
        and_(requests.c.status == Status.PROCESSING, no_lease),
        is_due(),
        _waits_for_settings(),
    )


def _waits_for_settings() -> ColumnElement[bool]:
    """The request has not begun, because the settings cannot fulfill its order."""
    return and_(requests.c.status == Status.PENDING, requests.c.waits_for == SETTINGS)


def _since() -> ColumnElement[datetime]:
    """Since when; `updated_at` where an operator has set a status without its time."""
    dispatched = func.coalesce(requests.c.dispatched_at, requests.c.updated_at)
    lost = func.coalesce(requests.c.lease_until, requests.c.updated_at)
    return case(
        (requests.c.status == Status.DISPATCHED, dispatched),
        (requests.c.status == Status.PROCESSING, lost),
        (_waits_for_settings(), requests.c.created_at),
        else_=due_since(),
    )


def _stuck_of(row: Row[Any], scope: WorkloadScope, worker_pool: WorkerPool | None) -> Stuck:
    return Stuck(
        task_id=row.task_id,
        status=Status(row.status),
        stage=scope.stage_of(row.pipeline, row.stage),
        since=row.since,
        why=_why(row, scope, worker_pool),
        code=row.error_code,
    )


def _why(row: Row[Any], scope: WorkloadScope, worker_pool: WorkerPool | None) -> str:
    if row.settings is not None:
        return f"waits for settings: {row.settings}"
    if row.status == Status.DISPATCHED:
        return "no run has claimed it"
    if row.status == Status.PROCESSING:
        return "its lease has expired, and no sensor has rescued it"
    if worker_pool is None:
        return "due, and not dispatched"
    return f"due, and {_why_due(scope.capacity.limits.get_queue(row.pipeline), worker_pool)}"


def _why_due(queue: str, worker_pool: WorkerPool) -> str:
    if worker_pool.slots == 0:
        return "no worker is alive"
    if not worker_pool.serves(queue):
        return f"no worker serves queue {queue}"
    return "no sensor dispatches it" if worker_pool.free_in(queue) else "every slot is taken"
