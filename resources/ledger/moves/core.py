"""The one way a request moves: lock its row, decide, one guarded UPDATE with seq + 1, one event."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select, update

from resources.ledger.errors import IllegalMoveError, LeaseLostError, UnknownRequestError
from resources.ledger.request import Request
from resources.ledger.sqltime import now
from resources.ledger.tables import (
    FOLDED,
    StageStatus,
    Status,
    attempts,
    events,
    requests,
    stages,
)


@dataclass(frozen=True)
class Lease:
    """The right to work on a request as one attempt; worth nothing once the row's fence has risen."""

    request_id: int
    task_id: str
    attempt: int
    fence: int
    owner: str


def lock(tx: Connection, condition: ColumnElement[bool]) -> tuple[Request, datetime] | None:
    """The row that matches, locked until the transaction ends, and the database's clock."""
    query = select(requests, now().label("db_now")).where(condition).with_for_update()
    row = tx.execute(query).one_or_none()
    return None if row is None else (Request.of(row), row.db_now)


def lock_task(tx: Connection, task_id: str) -> tuple[Request, datetime]:
    """The request of this name, locked; raises UnknownRequestError."""
    found = lock(tx, requests.c.task_id == task_id)
    if found is None:
        raise UnknownRequestError(task_id)
    return found


def lock_held(tx: Connection, lease: Lease) -> tuple[Request, datetime]:
    """The leased request, locked; raises LeaseLostError where the lease is worth nothing any more."""
    found = lock(tx, requests.c.id == lease.request_id)
    if found is None:
        raise LeaseLostError(f"request {lease.task_id} was deleted while it was worked on")
    request, at = found
    ensure_held(request, lease)
    return request, at


def ensure_held(request: Request, lease: Lease) -> None:
    """Return where the lease still stands; raise LeaseLostError with the reason where it does not."""
    if request.fence != lease.fence or request.status is not Status.PROCESSING:
        raise LeaseLostError(
            f"superseded: request {lease.task_id} is now {request.status} "
            f"at attempt {request.attempt}, this was attempt {lease.attempt}"
        )


def move(
    tx: Connection,
    request: Request,
    event_type: str,
    changes: Mapping[str, Any] | None = None,
    **detail: Any,
) -> Request:
    """Write one move and its event. Raises IllegalMoveError where the row is not as it was read."""
    guarded = (
        update(requests)
        .where(
            requests.c.id == request.id,
            requests.c.seq == request.seq,
            requests.c.status == request.status,
            requests.c.fence == request.fence,
        )
        .values({"seq": request.seq + 1, "updated_at": now(), **(changes or {})})
        .returning(requests)
    )
    row = tx.execute(guarded).one_or_none()
    if row is None:
        raise IllegalMoveError(f"task_id: {request.task_id!r} changed while it was {event_type}")
    moved = Request.of(row)
    tx.execute(insert(events).values(_event(request, moved, event_type, changes or {}, detail)))
    return moved


def _event(
    before: Request,
    moved: Request,
    event_type: str,
    changes: Mapping[str, Any],
    detail: Mapping[str, Any],
) -> dict[str, Any]:
    in_run = Status.PROCESSING in (before.status, moved.status)
    data = {
        **{key: value for key, value in detail.items() if value is not None},
        **({"run_id": moved.run_id} if in_run else {}),
        "set": {name: getattr(moved, name) for name in FOLDED if name in changes},
    }
    return {
        "request_id": moved.id,
        "seq": moved.seq,
        "type": event_type,
        "from": before.status,
        "to": moved.status,
        "data": json.dumps(data, ensure_ascii=False),
        "at": now(),
        "mirrored": False,
    }


def end_attempts(
    tx: Connection, request: Request, code: str | None = None, message: str | None = None
) -> None:
    """No attempt of the request is open any more, and no stage is being worked on."""
    tx.execute(
        update(stages)
        .where(stages.c.request_id == request.id, stages.c.status == StageStatus.PROCESSING)
        .values(status=StageStatus.PENDING)
    )
    tx.execute(
        update(attempts)
        .where(attempts.c.request_id == request.id, attempts.c.ended_at.is_(None))
        .values(ended_at=now(), error_code=code, error_message=message)
    )


UNLEASED: Mapping[str, Any] = {"lease_owner": None, "lease_until": None}
NO_ERROR: Mapping[str, Any] = {"error_code": None, "error_message": None}
