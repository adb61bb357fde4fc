"""Change one request: lock its row, write one UPDATE and its event.

Every other module of this folder writes through this one. It also keeps unique keys and sets unusable rows
aside.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    Connection,
    Executable,
    Table,
    Update,
    bindparam,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, IntegrityError

from resources.ledger.db.database import Database
from resources.ledger.db.retry import Transition, note_transition, retry_transient
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    IllegalTransitionError,
    LeaseLostError,
    UnknownRequestError,
)
from resources.ledger.queries.status import (
    find_key_holder,
    is_held_elsewhere,
    is_key_taken,
    make_duplicate_error,
)
from resources.ledger.request import Request
from resources.ledger.rules import TRANSITIONS, keep_schedule
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    FOLDED,
    OPEN_STATUSES,
    WITHOUT_KEY,
    StageStatus,
    Status,
    artifacts,
    attempts,
    events,
    requests,
    stages,
)

NO_SLOT_OR_PERMIT: Mapping[str, Any] = {"slot": None, "permit": None}
"""The columns of a request that holds no slot of a stage and no permit of a vendor."""
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
BOOKKEEPING = frozenset(
    {"lease_until", "callbacks", "permit", "waits_for", "asked_at", "unique_key"},
)
"""Columns that change without an event: no event folds back to them, and the trigger does not watch them.

Renewed leases, callbacks counted to wake an attempt, held permits, waits, and the key of the payload."""
ROW_UNUSABLE = "row_unusable"
ROW_ERRORS = (IntegrityError, DataError, ValueError, TypeError, OverflowError)
"""Errors of one row's own values; any other error concerns the whole database."""
_LONGEST_REASON = 300
KeyOf = Callable[[Mapping[str, Any]], str | None]
"""Derives the unique key from a payload, None if it has none; raises InvalidInputError."""
T = TypeVar("T")
_log = logging.getLogger("castad.ledger")


@dataclass(frozen=True)
class Lease:
    """The right of one attempt to process a request.

    It is void as soon as the request's `fence` is higher than this one. `owner` is the worker and its
    process, `name:nonce`.
    """

    request_id: int
    task_id: str
    attempt: int
    fence: int
    owner: str


def transition(
    tx: Connection,
    request: Request,
    event_type: str,
    changes: Mapping[str, Any] | None = None,
    **detail: Any,
) -> Request:
    """Change a request and write the event; return the changed request.

    `changes` are new column values, `detail` goes into the event's data. Raises IllegalTransitionError if the
    row has changed since `request` was read, or if `event_type` does not allow this change of status. Raises
    DuplicateOrderError if the request would get a unique key that another request holds.
    """
    if request.status in WITHOUT_KEY or "unique_key" in (changes or {}):
        ensure_unique_key_free(tx, request, changes or {})
    read = {"of_id": request.id, "of_fence": request.fence, "of_seq": request.seq}
    changes = keep_schedule(request, changes or {})
    updated = _execute_update(tx, _TRANSITION_AS_READ, changes, read)
    if updated is None:
        raise IllegalTransitionError(
            f"task_id: {request.task_id!r} changed while it was {event_type}"
        )
    _write_event(tx, request.status, updated, event_type, changes, detail)
    return updated


def transition_leased_request(
    tx: Connection,
    lease: Lease,
    event_type: str,
    changes: Mapping[str, Any] | None = None,
    **detail: Any,
) -> Request:
    """Change the leased request and write the event; return the changed request.

    The request is not read first, which saves a query. Raises LeaseLostError if the lease is void, else as
    `transition`.
    """
    updated = _execute_update(
        tx, _TRANSITION_LEASED, changes or {}, {"of_id": lease.request_id, "of_fence": lease.fence}
    )
    if updated is None:
        request, _ = lock_leased_request(tx, lease)
        return transition(tx, request, event_type, changes, **detail)
    _write_event(tx, Status.PROCESSING, updated, event_type, changes or {}, detail)
    return updated


def _execute_update(
    tx: Connection, guarded: Update, changes: Mapping[str, Any], named: Mapping[str, Any]
) -> Request | None:
    """Execute the prepared UPDATE; return the changed request, or None if its WHERE clause matched no row.

    One prepared statement serves all transitions; only values that the database computes need another one.
    Raises DuplicateOrderError if another request holds the new unique key.
    """
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
    """Write the event of a change of status from `before`.

    Raises IllegalTransitionError, which rolls the change back, if TRANSITIONS does not allow it for the event
    type.
    """
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
    """Insert the event of a transition, with the statuses before and after it.

    A stored event proves later that the transaction was committed.
    """
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


def lock_matching_request(
    tx: Connection, condition: ColumnElement[bool]
) -> tuple[Request, datetime] | None:
    """Lock the one request that matches the condition until the transaction ends.

    Returns the request and the database's current time; None if no request matches.
    """
    return _fetch_locked_request(tx, _LOCKED.where(condition))


def lock_request(tx: Connection, task_id: str) -> tuple[Request, datetime]:
    """Lock the request with this task_id until the transaction ends.

    Returns the request and the database's current time. Raises UnknownRequestError if there is no such
    request.
    """
    found = _fetch_locked_request(tx, _LOCKED_TASK, task_id=task_id)
    if found is None:
        raise UnknownRequestError(task_id)
    return found


def lock_leased_request(tx: Connection, lease: Lease) -> tuple[Request, datetime]:
    """Lock the leased request until the transaction ends.

    Returns the request and the database's current time. Raises LeaseLostError if the lease is void or the
    request deleted.
    """
    found = _fetch_locked_request(tx, _LOCKED_KEY, request_id=lease.request_id)
    if found is None:
        raise LeaseLostError(f"request {lease.task_id} was deleted while it was processing")
    request, at = found
    ensure_lease_holds(request.status, request.attempt, request.fence, lease)
    return request, at


def _fetch_locked_request(
    tx: Connection, query: Executable, **named: Any
) -> tuple[Request, datetime] | None:
    row = tx.execute(query, named).one_or_none()
    return None if row is None else (Request.of(row), row.db_now)


def ensure_lease_holds(status: Status, attempt: int, fence: int, lease: Lease) -> None:
    """Raise LeaseLostError if the lease is void.

    `status`, `attempt` and `fence` are the present values of the leased request.
    """
    if fence != lease.fence or status is not Status.PROCESSING:
        raise LeaseLostError(
            f"superseded: request {lease.task_id} is now {status} "
            f"at attempt {attempt}, this was attempt {lease.attempt}"
        )


def end_open_attempt(
    tx: Connection, request_id: int, code: str | None = None, message: str | None = None
) -> None:
    """End the request's open attempt, and set its processing stage back to pending.

    `code` and `message` are the attempt's error; None for an attempt that succeeded.
    """
    tx.execute(_STAGES_STOPPED, {"of_id": request_id})
    tx.execute(_ATTEMPTS_ENDED, {"of_id": request_id, "error_code": code, "error_message": message})


def set_bookkeeping_columns(tx: Connection, *where: ColumnElement[bool], **values: object) -> int:
    """Set columns of all requests that match, without an event; return the number of changed requests.

    `where` are conditions, `values` the columns. Raises IllegalTransitionError for a column outside
    BOOKKEEPING.
    """
    if not BOOKKEEPING.issuperset(values):
        raise IllegalTransitionError(
            f"{', '.join(sorted(values))}: only a transition may change these"
        )
    return tx.execute(update(requests).where(*where).values(values)).rowcount


def build_upsert(tx: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Build an INSERT in the database's own dialect, to which the caller adds an ON CONFLICT clause."""
    if tx.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)


def ensure_unique_key_free(tx: Connection, request: Request, changes: Mapping[str, Any]) -> None:
    """Raise DuplicateOrderError if another request holds the unique key that the changed request would have.

    `changes` are the column values that the request is about to get.
    """
    key = changes.get("unique_key", request.unique_key)
    if key is None or changes.get("status", request.status) in WITHOUT_KEY:
        return
    holder = find_key_holder(tx, changes.get("pipeline", request.pipeline), key)
    if holder is not None and holder.id != request.id:
        raise make_duplicate_error(tx, holder, request.owner)


def choose_unique_key(request: Request, key: str | None) -> str | None:
    """Choose the unique key of a request: the derived `key`, or the stored one if a stage may have settled that.

    The stored key is chosen if `key` is None and the request has begun a stage.
    """
    return request.unique_key if key is None and request.stage is not None else key


def drop_taken_unique_key(
    tx: Connection, request: Request, key: str | None, *, takes_over: bool
) -> str | None:
    """Return the key, or None if another request holds it and this request `takes_over` (see `Claimant`)."""
    return None if takes_over and is_held_elsewhere(tx, request, key) else key


@retry_transient
def save_unique_key(
    db: Database, request: Request, key: str | None, *, takes_over: bool = False
) -> None:
    """Store the unique key of a dispatched request, without an event, because the key follows from the payload.

    Does nothing if the request has changed since it was read. Raises DuplicateOrderError if another request
    holds the key; with `takes_over` the request then continues without a key (see `Claimant`).
    """
    key = choose_unique_key(request, key)
    if key == request.unique_key:
        return
    is_as_read = (
        requests.c.id == request.id,
        requests.c.seq == request.seq,
        requests.c.status == Status.DISPATCHED,
    )
    try:
        with db.writing() as tx:
            set_bookkeeping_columns(tx, *is_as_read, unique_key=key)
    except IntegrityError as error:
        if not is_key_taken(error) or key is None:
            raise
        if takes_over:
            return
        with db.reading() as tx:
            holder = find_key_holder(tx, request.pipeline, key)
            raise make_duplicate_error(tx, holder, request.owner) from None


def transition_each_request(
    tx: Connection, keys: Sequence[int], work: Callable[[Request], T]
) -> list[T]:
    """Call `work` for each request with one of these ids, and return the results in the order of `keys`.

    The caller has locked the rows. An id without a request is skipped. A request whose row cannot be used
    becomes a dead letter and has no result; the others still change.
    """
    try:
        with tx.begin_nested():
            return _transition_requests(tx, keys, work)
    except ROW_ERRORS:
        return [made for key in keys for made in _transition_single_request(tx, key, work)]


def _transition_requests(
    tx: Connection, keys: Sequence[int], work: Callable[[Request], T]
) -> list[T]:
    rows = tx.execute(select(requests).where(requests.c.id.in_(keys))).all()
    found = {row.id: Request.of(row) for row in rows}
    return [work(found[key]) for key in keys if key in found]


def _transition_single_request(tx: Connection, key: int, work: Callable[[Request], T]) -> list[T]:
    try:
        with tx.begin_nested():
            return _transition_requests(tx, [key], work)
    except ROW_ERRORS as error:
        dead_letter_unusable_request(tx, key, error)
        return []


def dead_letter_unusable_request(tx: Connection, key: int, error: Exception) -> bool:
    """Set a request whose row cannot be used `dead`; return whether it was changed.

    Only single columns are read and written. Returns False, and logs the error, if the row cannot be written;
    also returns False if the request has ended. `key` is the request's id, `error` the reason.
    """
    reason = describe_row_error(error)
    try:
        with tx.begin_nested():
            is_dead = _write_dead_letter(tx, key, f"its row cannot be used: {reason}")
    except ROW_ERRORS as refusal:
        _log_unwritable_row_once(key, describe_row_error(refusal), reason)
        return False
    if is_dead:
        _log.warning("row dead-lettered: request_id=%d reason=%s", key, reason)
    return is_dead


@lru_cache(maxsize=256)
def _log_unwritable_row_once(key: int, error: str, reason: str) -> None:
    """Log the row once: every dispatch meets it again, several times a second."""
    _log.error("row not dead-lettered: request_id=%d error=%s reason=%s", key, error, reason)


def describe_row_error(error: Exception) -> str:
    """Format an error of the database or of a row's value in one line, without the statement and its values."""
    text = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return text.splitlines()[0].encode(errors="replace").decode()[:_LONGEST_REASON]


def _write_dead_letter(tx: Connection, key: int, message: str) -> bool:
    query = select(requests.c.status, requests.c.seq).where(
        requests.c.id == key, requests.c.status.in_(OPEN_STATUSES)
    )
    row = tx.execute(query.with_for_update()).one_or_none()
    if row is None:
        return False
    changes: dict[str, Any] = {
        "status": Status.DEAD,
        "not_before": None,
        **NOT_WAITING,
        "cancel_requested": False,
        "error_code": ROW_UNUSABLE,
        "error_message": message,
        **UNLEASED,
    }
    seq = _find_free_seq(tx, key, row.seq)
    end_open_attempt(tx, key, ROW_UNUSABLE, message)
    dead = update(requests).where(requests.c.id == key).values(seq=seq, updated_at=now(), **changes)
    at = tx.execute(dead.returning(requests.c.updated_at)).scalar_one()
    folded = ("status", "cancel_requested", "error_code", "lease_owner")
    data = {"message": message, "set": {name: changes[name] for name in folded}}
    insert_event(tx, Transition(key, seq, at), "dead", row.status, Status.DEAD, data)
    return True


def _find_free_seq(tx: Connection, key: int, seq: int) -> int:
    """Find the first seq above the row's own without an event; an operator may have inserted events."""
    taken = select(events.c.seq).where(events.c.request_id == key, events.c.seq > seq)
    numbers = set(tx.execute(taken).scalars())
    free = seq + 1
    while free in numbers:
        free += 1
    return free


_LOCKED = select(requests, now().label("db_now")).with_for_update()
_LOCKED_TASK = _LOCKED.where(requests.c.task_id == bindparam("task_id"))
_LOCKED_KEY = _LOCKED.where(requests.c.id == bindparam("request_id"))
_TRANSITION = (
    update(requests)
    .where(requests.c.id == bindparam("of_id"), requests.c.fence == bindparam("of_fence"))
    .values(seq=requests.c.seq + 1, updated_at=now())
    .returning(requests)
)
# Every change of the status raises seq, also an operator's SQL.
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
INSERT_ARTIFACT = insert(artifacts).values(created_at=now()).inline()
