"""Submit, reject, cancel and retry orders."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ChangedMeanwhileError,
    ConflictError,
    DuplicateOrderError,
    IllegalTransitionError,
    NothingToRetryError,
    OtherOptionError,
    UnknownRequestError,
)
from resources.ledger.limits import SETTINGS
from resources.ledger.queries.status import find_key_holder
from resources.ledger.request import Request, format_payload, list_stages_to_approve
from resources.ledger.rules import INVALID_PAYLOAD
from resources.ledger.schema.sqltime import after
from resources.ledger.schema.tables import WITHOUT_KEY, Status, requests
from resources.ledger.transitions.access import grant_shared_access
from resources.ledger.transitions.approval import CANCEL, Act, ensure_no_paid_repeat, is_act_done
from resources.ledger.transitions.core import (
    DUE_NOW,
    NO_SLOT_OR_PERMIT,
    UNLEASED,
    build_upsert,
    drop_taken_unique_key,
    end_open_attempt,
    lock_request,
    transition,
    transition_each_request,
)

SameOrder = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
DAGSTER = "dagster"
"""The `by` of events that follow from Dagster's UI: a terminated or re-executed run."""
RESET: Mapping[str, Any] = {
    **DUE_NOW,
    "retry_count": 0,
    "deaths": 0,
    "cancel_requested": False,
}
"""The columns of a request that is due like a new order, with no retry counted."""
_MOST_TRIES = 3
_NOT_AT_WORK = (Status.PENDING, Status.DISPATCHED, Status.DEAD, Status.CANCELED)
_NO_HOLD: Mapping[str, Any] = {"hold": None, "hold_seconds": None, "hold_then": None}
_KEPT_COLUMNS = ("task_id", "owner", "source")
_SHOWN_OPTIONS = ("priority", "max_retries", "not_before")
"""Options whose values an event may show; a callback link may hold a secret."""


@dataclass(frozen=True)
class NewRequest:
    """An order to submit; a field that is None takes the ledger's default.

    `same_order(stored, given)` compares two payloads; an unreadable payload does not even equal itself. An
    order without an `owner` matches a request of any owner. An order with a `unique_key` matches the request
    that holds the key, whatever its task_id. If it is `shared`, it also matches a request of another owner,
    and its owner may then read that request. `hold` names the stages to approve, separated by commas; empty
    means no approval. `fixed` names the options that the submitter may not change.
    """

    task_id: str
    payload: Mapping[str, Any]
    pipeline: str
    source: str
    same_order: SameOrder
    max_retries: int | None = None
    priority: int | None = None
    not_before: datetime | None = None
    owner: str | None = None
    callback_url: str | None = None
    unique_key: str | None = None
    shared: bool = False
    hold: str | None = None
    hold_seconds: int | None = None
    hold_then: str | None = None
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submitted:
    """The request that a submitted order has led to.

    `created` is True if the submission inserted the request or replaced an unreadable order. `updated` names
    the options that the submission has changed in an existing request.
    """

    request: Request
    created: bool
    updated: tuple[str, ...] = ()


@retry_transient
def submit_orders(db: Database, orders: Sequence[NewRequest]) -> list[Submitted]:
    """Add the orders to the ledger, all or none; return the request of each, in the order given.

    An order that was submitted before adds nothing, but its request takes the options sent with it. An order
    replaces an unreadable one with the same task_id. Raises ConflictError for the first task_id that belongs
    to another order or owner, OtherOptionError for the first option that would not take effect, and
    DuplicateOrderError for the first unique key that another owner's request holds.
    """
    submitted: dict[int, Submitted] = {}
    with db.writing() as tx:
        # A fixed order keeps two concurrent callers from a deadlock.
        for index in sorted(range(len(orders)), key=lambda index: _get_lock_key(orders[index])):
            submitted[index] = submit_order(tx, orders[index])
        for index, order in enumerate(orders):
            each = submitted[index]
            error = None if each.created else find_order_conflict(each.request, order)
            if error is not None:
                raise error
    return [submitted[index] for index in range(len(orders))]


def _get_lock_key(order: NewRequest) -> tuple[str, str]:
    """Return the key that sorts orders for insertion; orders with the same unique key stay in the order given."""
    key = order.unique_key
    return ("", order.task_id) if key is None else (key, order.pipeline)


def submit_order(tx: Connection, order: NewRequest) -> Submitted:
    """Insert the order; if a request has its task_id or unique key, update the options of that request instead.

    An existing request that conflicts with the order is returned unchanged (see `find_order_conflict`). Raises
    UnknownRequestError if the request that holds the task_id or key vanishes in each of several tries.
    """
    statement = (
        build_upsert(tx, requests).values(_build_request_row(order)).on_conflict_do_nothing()
    )
    for _ in range(_MOST_TRIES):
        row = tx.execute(statement.returning(requests)).one_or_none()
        if row is not None:
            return Submitted(Request.of(row), created=True)
        # Not locked: the row stays as it is, and its attempt must not wait for a file's other orders.
        stored = _find_matching_request(tx, order)
        if stored is not None:
            return _update_or_replace_order(tx, stored, order)
        # The request that held the key or the task_id has died or was deleted since the INSERT.
    raise UnknownRequestError(order.task_id)


def _update_or_replace_order(tx: Connection, stored: Request, order: NewRequest) -> Submitted:
    """Apply an order to the stored request that it matches: replace an unreadable order, or update the options.

    Does nothing if the two conflict.
    """
    if find_order_conflict(stored, order) is not None:
        return Submitted(stored, created=False)
    is_named = stored.task_id == order.task_id
    if is_named and is_replaceable(stored, order.pipeline, order.same_order):
        return _replace_unreadable_order(tx, order)
    grant_shared_access(tx, stored, order.owner)
    if _find_changed_options(stored, order):
        return _update_options(tx, stored, order)
    return Submitted(stored, created=False)


def _replace_unreadable_order(tx: Connection, order: NewRequest) -> Submitted:
    """Replace the unreadable order of the request with this task_id, unless it is readable or begun by now."""
    request, _ = lock_request(tx, order.task_id)
    if not is_replaceable(request, order.pipeline, order.same_order):
        return Submitted(request, created=False)
    given = {
        name: value
        for name, value in _build_request_row(order).items()
        if name not in _KEPT_COLUMNS
    }
    request = replace_order(tx, request, {**_NO_HOLD, "scheduled_at": None, **given})
    return Submitted(request, created=True)


def replace_order(tx: Connection, request: Request, order: Mapping[str, Any]) -> Request:
    """Replace the order of a locked request that has not begun, make it due, and return it.

    `order` are the values of the order's columns.
    """
    return transition(tx, request, "corrected", {**RESET, **order})


def _update_options(tx: Connection, stored: Request, order: NewRequest) -> Submitted:
    """Set the options of the request to those of the order, unless it has changed and may not take them."""
    request, _ = lock_request(tx, stored.task_id)
    changes = _find_changed_options(request, order)
    if not changes or find_order_conflict(request, order) is not None:
        return Submitted(request, created=False)
    if "not_before" in changes:
        changes["scheduled_at"] = order.not_before
    shown = {name: str(value) for name, value in changes.items() if name in _SHOWN_OPTIONS}
    updated = tuple(sorted(set(changes) - {"scheduled_at"}))
    by = order.owner or order.source
    request = transition(
        tx, request, "updated", changes, changed=shown, message=", ".join(updated), by=by
    )
    return Submitted(request, created=False, updated=updated)


def _build_request_row(order: NewRequest) -> dict[str, Any]:
    """Build the column values of a new request, without those for which the ledger's default applies."""
    chosen = {
        "max_retries": order.max_retries,
        "priority": order.priority,
        "not_before": order.not_before,
        "scheduled_at": order.not_before,
        "owner": order.owner,
        "callback_url": order.callback_url,
        "unique_key": order.unique_key,
        "hold": order.hold or None,
        "hold_seconds": order.hold_seconds,
        "hold_then": order.hold_then,
    }
    return {
        "task_id": order.task_id,
        "payload": format_payload(order.payload),
        "pipeline": order.pipeline,
        "source": order.source,
        **{name: value for name, value in chosen.items() if value is not None},
    }


def find_order_conflict(request: Request, order: NewRequest) -> ConflictError | None:
    """Return the error that says why the request cannot serve the order; None if it can or may be replaced.

    Another owner's request serves the order only if the order is shared. A different approval gate is a
    conflict: the stored order would buy what the caller wanted to approve first.
    """
    owned = order.owner is None or request.owner == order.owner
    if _has_key_of_order(request, order):
        if not (owned or order.shared):
            return DuplicateOrderError()
    elif not owned:
        return ConflictError(order.task_id)
    elif not is_same_order(request, order.pipeline, order.payload, order.same_order):
        is_replaced = is_replaceable(request, order.pipeline, order.same_order)
        return None if is_replaced else ConflictError(order.task_id)
    for name in _find_changed_options(request, order):
        why = _explain_unchangeable_option(request, order, name)
        if why is not None:
            return OtherOptionError(request.task_id, name, why)
    return None


def _has_key_of_order(request: Request, order: NewRequest) -> bool:
    """Return whether the request holds the order's unique key; False for an order without a key."""
    key = (request.pipeline, request.unique_key)
    return (
        order.unique_key is not None
        and request.status not in WITHOUT_KEY
        and key == (order.pipeline, order.unique_key)
    )


def _find_changed_options(request: Request, order: NewRequest) -> dict[str, Any]:
    """Return the options that the order sets to another value than the request has, by name."""
    has = {
        "callback_url": request.callback_url,
        "priority": request.priority,
        "max_retries": request.max_retries,
        "not_before": request.scheduled_for,
    }
    given = {name: getattr(order, name) for name in has}
    other = {name: value for name, value in given.items() if value not in (None, has[name])}
    if order.hold is not None and _parse_approval_gate(request) != _parse_approval_gate(order):
        other["hold"] = order.hold
    return other


def _explain_unchangeable_option(request: Request, order: NewRequest, name: str) -> str | None:
    """Return the clause that says why this option of the request cannot change; None if it can."""
    if name == "hold":
        return "has another hold or none"
    if order.owner not in (None, request.owner):
        return "is another owner's too"
    if name == "callback_url" and order.owner != request.owner:
        return "is another owner's, who is called back"
    if name in order.fixed:
        return "has another one, which only an operator may change"
    if request.is_terminal:
        return f"is {request.status}"
    return "has begun" if name == "not_before" and request.has_begun else None


def _parse_approval_gate(
    order: Request | NewRequest,
) -> tuple[frozenset[str], int | None, str | None]:
    """Return the approval gate in a comparable form: stages, seconds, and what follows when they are over."""
    then = order.hold_then or CANCEL if order.hold_seconds is not None else None
    return frozenset(list_stages_to_approve(order.hold)), order.hold_seconds, then


def is_replaceable(request: Request, pipeline: str, same_order: SameOrder) -> bool:
    """Return whether another order may replace the request's: its own is unreadable, and no stage was begun."""
    if request.stage is not None or request.status not in _NOT_AT_WORK:
        return False
    if request.pipeline != pipeline:
        return request.error_code == INVALID_PAYLOAD
    stored = request.order()
    return stored is None or not same_order(stored, stored)


def is_same_order(
    request: Request, pipeline: str, payload: Mapping[str, Any], same_order: SameOrder
) -> bool:
    """Return whether the request is of this pipeline and `same_order(stored, given)` finds the payloads equal."""
    stored = request.order()
    return request.pipeline == pipeline and stored is not None and same_order(stored, payload)


@retry_transient
def find_stored_request(db: Database, order: NewRequest) -> Request | None:
    """Return the request that has the order's task_id or holds its unique key, or None."""
    with db.reading() as tx:
        return _find_matching_request(tx, order)


def _find_matching_request(tx: Connection, order: NewRequest) -> Request | None:
    """Return the request that matches the order, or None.

    That is the request with the task_id if it is the same order; else the holder of the unique key; else the
    request with the task_id.
    """
    row = tx.execute(select(requests).where(requests.c.task_id == order.task_id)).one_or_none()
    named = None if row is None else Request.of(row)
    if order.unique_key is None:
        return named
    if named and is_same_order(named, order.pipeline, order.payload, order.same_order):
        return named
    return find_key_holder(tx, order.pipeline, order.unique_key) or named


@retry_transient
def reject_order(db: Database, request: Request, code: str, message: str) -> None:
    """Set a request with an invalid order `dead`, with this error code and message.

    Raises IllegalTransitionError if the request has changed since it was read.
    """
    changes = {"status": Status.DEAD, "error_code": code, "error_message": message}
    with db.writing() as tx:
        transition_each_request(
            tx,
            [request.id],
            lambda row: transition(
                tx, request, "dead", changes, stage=request.stage, message=message
            ),
        )


@retry_transient
def set_waiting_for_settings(
    db: Database, request: Request, code: str, message: str, seconds: float
) -> None:
    """Set a dispatched request that the settings cannot fulfill back to pending, due again after `seconds`.

    `code` and `message` say what is missing. Raises IllegalTransitionError if the request has changed since
    it was read.
    """
    waits = {"waits_for": SETTINGS, "asked_at": None, "not_before": after(seconds)}
    error = {"error_code": code, "error_message": message}
    changes = {"status": Status.PENDING, **waits, **error, **NO_SLOT_OR_PERMIT}
    detail = {"message": message, "wait": seconds, "waits_for": SETTINGS}
    with db.writing() as tx:
        transition_each_request(
            tx, [request.id], lambda row: transition(tx, request, "waiting", changes, **detail)
        )


@retry_transient
def cancel_request(db: Database, task_id: str, by: str | None = None) -> Request:
    """Cancel the request, or request the cancel if an attempt is processing it; return the request.

    `by` is the person whom the event names. Canceling a canceled request changes nothing. Raises
    UnknownRequestError, and IllegalTransitionError if the request is completed or dead.
    """
    with db.writing() as tx:
        request, now = lock_request(tx, task_id)
        is_stopping = request.cancel_requested and request.lease_holds(now)
        if request.status is Status.CANCELED or is_stopping:
            return request
        if request.is_terminal:
            raise IllegalTransitionError(
                f"task_id: {task_id!r} is {request.status}; nothing to cancel"
            )
        if request.lease_holds(now):
            return transition(tx, request, "cancel_requested", {"cancel_requested": True}, by=by)
        return cancel_locked_request(tx, request, by)


def cancel_locked_request(tx: Connection, request: Request, by: str | None = None) -> Request:
    """Set the locked request canceled, end its attempt and release its lease; return it.

    `by` is the person whom the event names.
    """
    end_open_attempt(tx, request.id, "canceled", "stopped on request")
    changes = {"status": Status.CANCELED, "cancel_requested": False, **UNLEASED}
    return transition(tx, request, "canceled", changes, by=by)


@retry_transient
def retry_request(
    db: Database,
    task_id: str,
    before: datetime | None = None,
    *,
    by: str | None = None,
    attempt: int | None = None,
    taking_over: Collection[str] = (),
) -> Request:
    """Set a failed, dead or canceled request pending again, with no retry counted; completed stages stay.

    `attempt` is the last one that the person has seen: repeating the same retry changes nothing. `before`
    refuses a request that changed at that time or later. `by` is the person whom the event names. If another
    request holds the unique key, a pipeline in `taking_over` continues without the key (see `Claimant`).

    Raises:
        UnknownRequestError: no request has this task_id.
        NothingToRetryError: it has not failed, died or been canceled, or has changed since `before`.
        ChangedMeanwhileError: another attempt is the last, or none is named and an earlier retry has cost
            money.
        DuplicateOrderError: another request holds its unique key.
    """
    act = Act("retried", attempt)
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        is_newer = before is not None and request.updated_at >= before
        may_be_retried = request.status in (Status.FAILED, Status.DEAD, Status.CANCELED)
        is_seen = attempt in (None, request.attempt)
        if (
            attempt is not None
            and not (is_seen and may_be_retried)
            and is_act_done(tx, request, act)
        ):
            return request
        if not is_seen:
            raise ChangedMeanwhileError("order", request.attempt, attempt, "attempt")
        if is_newer or not may_be_retried:
            raise NothingToRetryError(task_id, request.status)
        if before is None:
            ensure_no_paid_repeat(
                tx, request, act, of="order", newest=request.attempt, number="attempt"
            )
        reset = build_reset_columns(tx, request, takes_over=request.pipeline in taking_over)
        return transition(tx, request, "retried", reset, by=by, act=None if before else act.key)


def build_reset_columns(tx: Connection, request: Request, *, takes_over: bool) -> Mapping[str, Any]:
    """Build the column values that make a request due like a new order, with its unique key if that may stay.

    Without the key if another request holds it and this one `takes_over` (see `Claimant`).
    """
    key = drop_taken_unique_key(tx, request, request.unique_key, takes_over=takes_over)
    return {**RESET, "unique_key": key}
