"""Moves of users and clients: order, cancel, retry, redo; and the rejection of an invalid order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import (
    ConflictError,
    IllegalMoveError,
    NothingToRetryError,
    UnknownRequestError,
)
from resources.ledger.failures import INVALID_PAYLOAD
from resources.ledger.moves.core import (
    NO_ERROR,
    NOT_WAITING,
    UNLEASED,
    end_attempts,
    lock_task,
    move,
)
from resources.ledger.moves.unusable_rows import move_each
from resources.ledger.request import Request, payload_text
from resources.ledger.schema.tables import StageStatus, Status, requests, stages

SameOrder = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
_NOT_AT_WORK = (Status.PENDING, Status.DISPATCHED, Status.DEAD, Status.CANCELED)
_KEPT_COLUMNS = ("task_id", "owner", "source")


@dataclass(frozen=True)
class NewRequest:
    """An order to be submitted; a field that is None takes the ledger's default.

    `same_order(stored, given)` is whether two payloads mean the same; an unreadable payload is not even the same
    as itself. An order without an `owner` matches a request of any owner.
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


@retry_transient
def submit_orders(db: Database, orders: Sequence[NewRequest]) -> list[tuple[Request, bool]]:
    """Every order is in the ledger once, however often it is submitted, or none was added by this call.

    An order replaces an unreadable one with its task_id. Returns, in the order given, each order's request, and
    whether this call created or replaced it. Raises ConflictError for the first task_id that belongs to another
    order or another owner.
    """
    submitted: dict[int, tuple[Request, bool]] = {}
    with db.writing() as tx:
        # In a fixed order, so that two concurrent callers cannot deadlock.
        for index in sorted(range(len(orders)), key=lambda index: orders[index].task_id):
            submitted[index] = _submit(db, tx, orders[index])
        for index, order in enumerate(orders):
            request, created = submitted[index]
            if not created and not can_serve_order(request, order):
                raise ConflictError(order.task_id)
    return [submitted[index] for index in range(len(orders))]


def can_serve_order(request: Request, order: NewRequest) -> bool:
    """Whether the request is this order, or may be replaced by it; an owner's request never serves another's."""
    owned = order.owner is None or request.owner == order.owner
    return owned and (
        is_same_order(request, order.pipeline, order.payload, order.same_order)
        or is_replaceable(request, order.pipeline, order.same_order)
    )


def is_replaceable(request: Request, pipeline: str, same_order: SameOrder) -> bool:
    """Whether the request's order is unreadable, and nothing was begun with it."""
    if request.stage is not None or request.status not in _NOT_AT_WORK:
        return False
    if request.pipeline != pipeline:
        return request.error_code == INVALID_PAYLOAD
    stored = request.order()
    return stored is None or not same_order(stored, stored)


def _submit(db: Database, tx: Connection, order: NewRequest) -> tuple[Request, bool]:
    dialect = sqlite if db.is_sqlite else postgresql
    statement = dialect.insert(requests).values(_values(order)).on_conflict_do_nothing()
    row = tx.execute(statement.returning(requests)).one_or_none()
    if row is not None:
        return Request.of(row), True
    # Not locked: the row stays as it is, and its attempt must not wait for a file's other orders.
    row = tx.execute(select(requests).where(requests.c.task_id == order.task_id)).one_or_none()
    if row is None:
        raise UnknownRequestError(order.task_id)
    stored = Request.of(row)
    if can_serve_order(stored, order) and is_replaceable(stored, order.pipeline, order.same_order):
        return _replace_order(tx, order)
    return stored, False


def _replace_order(tx: Connection, order: NewRequest) -> tuple[Request, bool]:
    request, _ = lock_task(tx, order.task_id)
    if not is_replaceable(request, order.pipeline, order.same_order):
        return request, False
    given = {name: value for name, value in _values(order).items() if name not in _KEPT_COLUMNS}
    return replace_order(tx, request, given), True


def replace_order(tx: Connection, request: Request, order: Mapping[str, Any]) -> Request:
    """The locked request holds this order from now on, and is due; nothing was begun with its former one."""
    return move(tx, request, "corrected", {**_RESET, **order})


def _values(order: NewRequest) -> dict[str, Any]:
    chosen = {
        "max_retries": order.max_retries,
        "priority": order.priority,
        "not_before": order.not_before,
        "owner": order.owner,
        "callback_url": order.callback_url,
    }
    return {
        "task_id": order.task_id,
        "payload": payload_text(order.payload),
        "pipeline": order.pipeline,
        "source": order.source,
        **{name: value for name, value in chosen.items() if value is not None},
    }


def is_same_order(
    request: Request, pipeline: str, payload: Mapping[str, Any], same_order: SameOrder
) -> bool:
    """Whether the request is an order of this payload for this pipeline."""
    stored = request.order()
    return request.pipeline == pipeline and stored is not None and same_order(stored, payload)


@retry_transient
def reject(db: Database, request: Request, code: str, message: str) -> None:
    """A dispatched request whose order is invalid is dead, with the reason. Raises IllegalMoveError."""
    changes = {"status": Status.DEAD, "error_code": code, "error_message": message}
    with db.writing() as tx:
        move_each(
            tx,
            [request.id],
            lambda row: move(tx, request, "dead", changes, stage=request.stage, message=message),
        )


@retry_transient
def cancel(db: Database, task_id: str) -> Request:
    """The request is canceled, or its running attempt is asked to stop.

    Canceling a canceled request changes nothing. Raises IllegalMoveError where there is nothing to cancel.
    """
    with db.writing() as tx:
        request, now = lock_task(tx, task_id)
        is_stopping = request.cancel_requested and request.lease_holds(now)
        if request.status is Status.CANCELED or is_stopping:
            return request
        if request.is_terminal:
            raise IllegalMoveError(f"task_id: {task_id!r} is {request.status}; nothing to cancel")
        if request.lease_holds(now):
            return move(tx, request, "cancel_requested", {"cancel_requested": True})
        return close_canceled(tx, request)


def close_canceled(tx: Connection, request: Request) -> Request:
    """The locked request is canceled, and no attempt holds it."""
    end_attempts(tx, request, "canceled", "stopped on request")
    changes = {"status": Status.CANCELED, "cancel_requested": False, **UNLEASED}
    return move(tx, request, "canceled", changes)


_RESET = {
    "status": Status.PENDING,
    "retry_count": 0,
    "deaths": 0,
    "not_before": None,
    **NOT_WAITING,
    **NO_ERROR,
    "cancel_requested": False,
}


@retry_transient
def retry(db: Database, task_id: str, before: datetime | None = None) -> Request:
    """A failed, dead or canceled request is pending again with no retry counted; completed stages stay.

    Raises UnknownRequestError and NothingToRetryError; the latter also for a request that has changed since
    `before`.
    """
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        is_newer = before is not None and request.updated_at >= before
        if is_newer or request.status not in (Status.FAILED, Status.DEAD, Status.CANCELED):
            raise NothingToRetryError(task_id, request.status)
        return move(tx, request, "retried", _RESET)


@retry_transient
def redo(
    db: Database,
    task_id: str,
    from_stage: str,
    pipeline_stages: Sequence[str],
    change: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> Request:
    """`from_stage` and the stages after it are pending again, as a new generation that is bought again.

    `change` makes the new order from the old one; stages before `from_stage` are kept. Artifacts of the former
    order are kept beside the new ones.

    Raises IllegalMoveError for a stage that the pipeline does not have or that was never begun, and for a request
    that is pending, dispatched or processing.
    """
    if from_stage not in pipeline_stages:
        raise IllegalMoveError(
            f"from: {from_stage!r} is not a stage; expected one of {', '.join(pipeline_stages)}"
        )
    follows = pipeline_stages[pipeline_stages.index(from_stage) :]
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if not request.is_terminal and request.status is not Status.FAILED:
            raise IllegalMoveError(
                f"task_id: {task_id!r} is {request.status}; cancel it before redoing a stage"
            )
        generations = {stage: _generation(tx, request, stage) for stage in follows}
        if generations[from_stage] == 0:
            raise IllegalMoveError(
                f"from: {from_stage!r} of {task_id!r} was never begun; retry it instead"
            )
        order, detail = _changed_order(request, change)
        for stage, generation in generations.items():
            if generation:
                _open_generation(tx, request, stage, generation + 1)
        changes = {**_RESET, **order, "stage": from_stage, "completed_at": None}
        return move(tx, request, "redone", changes, stage=from_stage, changed=detail)


def _changed_order(
    request: Request, change: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None
) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The column to write, and the changed fields with their new values."""
    if change is None:
        return {}, None
    before = request.order() or {}
    after = change(before)
    different = {name: value for name, value in after.items() if before.get(name) != value}
    return {"payload": payload_text(after)}, different or None


def _generation(tx: Connection, request: Request, stage: str) -> int:
    newest = select(func.max(stages.c.generation)).where(
        stages.c.request_id == request.id, stages.c.stage == stage
    )
    return tx.execute(newest).scalar() or 0


def _open_generation(tx: Connection, request: Request, stage: str, generation: int) -> None:
    tx.execute(
        insert(stages).values(
            request_id=request.id,
            stage=stage,
            generation=generation,
            status=StageStatus.PENDING,
            attempts=0,
            retry_count=0,
            cost=0,
        )
    )
