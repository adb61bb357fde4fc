"""How a request changes: one guarded UPDATE that raises seq by 1, and one event."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    Connection,
    Executable,
    Update,
    bindparam,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from resources.ledger.db.commits import Transition, note_transition
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    IllegalTransitionError,
    LeaseLostError,
    UnknownRequestError,
)
from resources.ledger.queries.key_holders import duplicate_of, is_key_taken, key_holder
from resources.ledger.request import Request
from resources.ledger.rules import TRANSITIONS, keep_schedule
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    FOLDED,
    WITHOUT_KEY,
    StageStatus,
    Status,
    attempts,
    events,
    requests,
    stages,
)


@dataclass(frozen=True)
class Lease:
    """The right to process a request as one attempt, void once the row's fence has risen."""

    request_id: int
    task_id: str
    attempt: int
    fence: int
    owner: str


def lock(tx: Connection, condition: ColumnElement[bool]) -> tuple[Request, datetime] | None:
    """The matching row, locked until the transaction ends, and the database's clock."""
    return _fetch_locked(tx, _LOCKED.where(condition))


def lock_task(tx: Connection, task_id: str) -> tuple[Request, datetime]:
    """The request with this task_id, locked; raises UnknownRequestError."""
    found = _fetch_locked(tx, _LOCKED_TASK, task_id=task_id)
    if found is None:
        raise UnknownRequestError(task_id)
    return found


def lock_leased(tx: Connection, lease: Lease) -> tuple[Request, datetime]:
    """The leased request, locked; raises LeaseLostError where the lease is void."""
    found = _fetch_locked(tx, _LOCKED_KEY, request_id=lease.request_id)
    if found is None:
        raise LeaseLostError(f"request {lease.task_id} was deleted while it was processing")
    request, at = found
    ensure_leased(request.status, request.attempt, request.fence, lease)
    return request, at


def _fetch_locked(
    tx: Connection, query: Executable, **named: Any
) -> tuple[Request, datetime] | None:
    row = tx.execute(query, named).one_or_none()
    return None if row is None else (Request.of(row), row.db_now)


def ensure_leased(status: Status, attempt: int, fence: int, lease: Lease) -> None:
    """Return if the lease still holds; raise LeaseLostError with the reason otherwise."""
    if fence != lease.fence or status is not Status.PROCESSING:
        raise LeaseLostError(
            f"superseded: request {lease.task_id} is now {status} "
            f"at attempt {attempt}, this was attempt {lease.attempt}"
        )


def transition(
    tx: Connection,
    request: Request,
    event_type: str,
    changes: Mapping[str, Any] | None = None,
    **detail: Any,
) -> Request:
    """Write one transition and its event.

    Raises IllegalTransitionError if the row has changed since it was read, and DuplicateOrderError where the
    request comes back or changes its order while another one holds its unique key.
    """
    if request.status in WITHOUT_KEY or "unique_key" in (changes or {}):
        refuse_taken_key(tx, request, changes or {})
    read = {"of_id": request.id, "of_fence": request.fence, "of_seq": request.seq}
    changes = keep_schedule(request, changes or {})
    updated = _update(tx, _TRANSITION_AS_READ, changes, read)
    if updated is None:
        raise IllegalTransitionError(
            f"task_id: {request.task_id!r} changed while it was {event_type}"
        )
    _write_event(tx, request.status, updated, event_type, changes, detail)
    return updated


def refuse_taken_key(tx: Connection, request: Request, changes: Mapping[str, Any]) -> None:
    """Return if no other request holds the key of the changed request; raises DuplicateOrderError."""
    key = changes.get("unique_key", request.unique_key)
    if key is None or changes.get("status", request.status) in WITHOUT_KEY:
        return
    holder = key_holder(tx, changes.get("pipeline", request.pipeline), key)
    if holder is not None and holder.id != request.id:
        raise duplicate_of(tx, holder, request.owner)


def transition_leased(
    tx: Connection,
    lease: Lease,
    event_type: str,
    changes: Mapping[str, Any] | None = None,
    **detail: Any,
) -> Request:
    """Write one transition of the leased request and its event without reading it first. Raises LeaseLostError."""
    updated = _update(
        tx, _TRANSITION_LEASED, changes or {}, {"of_id": lease.request_id, "of_fence": lease.fence}
    )
    if updated is None:
        request, _ = lock_leased(tx, lease)
        return transition(tx, request, event_type, changes, **detail)
    _write_event(tx, Status.PROCESSING, updated, event_type, changes or {}, detail)
    return updated


def _update(
    tx: Connection, guarded: Update, changes: Mapping[str, Any], named: Mapping[str, Any]
) -> Request | None:
    """Execute one prepared statement for all transitions; only values that the database computes need another."""
    computed = {key: value for key, value in changes.items() if isinstance(value, ClauseElement)}
    plain = {key: value for key, value in changes.items() if key not in computed}
    statement = guarded.values(computed) if computed else guarded
    try:
        row = tx.execute(statement, {**named, **plain}).one_or_none()
    except IntegrityError as error:
        # Another request took the key since it was looked up.
        if is_key_taken(error):
            raise DuplicateOrderError from None
        raise
    return None if row is None else Request.of(row)


def _write_event(
    tx: Connection,
    before: Status,
    updated: Request,
    event_type: str,
    changes: Mapping[str, Any],
    detail: Mapping[str, Any],
) -> None:
    """Raises IllegalTransitionError, which rolls the transition back, if TRANSITIONS does not contain it."""
    if (before, updated.status) not in TRANSITIONS[event_type]:
        raise IllegalTransitionError(
            f"task_id: {updated.task_id!r} may not change from {before} to {updated.status} by {event_type}"
        )
    in_run = Status.PROCESSING in (before, updated.status)
    data = {
        **{key: value for key, value in detail.items() if value is not None},
        **({"run_id": updated.run_id} if in_run else {}),
        "set": {name: getattr(updated, name) for name in FOLDED if name in changes},
    }
    made = Transition(updated.id, updated.seq, updated.updated_at)
    insert_event(tx, made, event_type, before, updated.status, data)


def insert_event(
    tx: Connection,
    made: Transition,
    event_type: str,
    before: str,
    after: str,
    data: Mapping[str, Any],
) -> None:
    """The event of the transition is stored, and proves that its transaction was committed."""
    event = {
        "request_id": made.request_id,
        "seq": made.seq,
        "type": event_type,
        "from": before,
        "to": after,
        "data": json.dumps(data, ensure_ascii=False),
        "at": made.at,
        "mirrored": False,
    }
    tx.execute(_EVENT, event)
    note_transition(tx, made)


def end_attempts(
    tx: Connection, request_id: int, code: str | None = None, message: str | None = None
) -> None:
    """The request's open attempt has ended, and its stage is no longer processing."""
    tx.execute(_STAGES_STOPPED, {"of_id": request_id})
    tx.execute(_ATTEMPTS_ENDED, {"of_id": request_id, "error_code": code, "error_message": message})


_LOCKED = select(requests, now().label("db_now")).with_for_update()
_LOCKED_TASK = _LOCKED.where(requests.c.task_id == bindparam("task_id"))
_LOCKED_KEY = _LOCKED.where(requests.c.id == bindparam("request_id"))
_TRANSITION = (
    update(requests)
    .where(requests.c.id == bindparam("of_id"), requests.c.fence == bindparam("of_fence"))
    .values(seq=requests.c.seq + 1, updated_at=now())
    .returning(requests)
)
# Whatever changes the status raises seq, an operator's SQL too.
_TRANSITION_AS_READ = _TRANSITION.where(requests.c.seq == bindparam("of_seq"))
_TRANSITION_LEASED = _TRANSITION.where(requests.c.status == Status.PROCESSING)
_EVENT = insert(events).inline()
_STAGES_STOPPED = (
    update(stages)
    .where(stages.c.request_id == bindparam("of_id"), stages.c.status == StageStatus.PROCESSING)
    .values(status=StageStatus.PENDING)
)
_ATTEMPTS_ENDED = (
    update(attempts)
    .where(attempts.c.request_id == bindparam("of_id"), attempts.c.ended_at.is_(None))
    .values(ended_at=now())
)

NO_SLOT_OR_PERMIT: Mapping[str, Any] = {"slot": None, "permit": None}
"""The request holds no slot of a stage and no permit at a vendor."""
UNLEASED: Mapping[str, Any] = {"lease_owner": None, "lease_until": None, **NO_SLOT_OR_PERMIT}
NOT_WAITING: Mapping[str, Any] = {"waits_for": None, "asked_at": None}
NO_ERROR: Mapping[str, Any] = {"error_code": None, "error_message": None}
DUE_NOW: Mapping[str, Any] = {
    "status": Status.PENDING,
    "not_before": None,
    **NOT_WAITING,
    **NO_ERROR,
}
NO_PROGRESS: Mapping[str, Any] = {"progress": None, "progress_note": None}
