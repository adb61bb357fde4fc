"""A run claims its request: at most one attempt holds it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    bindparam,
    func,
    insert,
    select,
)

from resources.ledger.admission import is_wait_queue
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import ClaimRefusedError, ConflictError, DuplicateOrderError
from resources.ledger.moves.core import (
    NO_ERROR,
    NO_PLACE_OR_TURN,
    NOT_WAITING,
    Lease,
    end_attempts,
    lock_task,
    move,
)
from resources.ledger.moves.dispatch import fail_lost_worker
from resources.ledger.moves.orders import (
    SameOrder,
    is_replaceable,
    is_same_order,
    replace_order,
)
from resources.ledger.moves.unusable_rows import ROW_ERRORS, dead_letter_row, describe_row_error
from resources.ledger.moves.upsert import upsert
from resources.ledger.queries.unique_keys import key_holder
from resources.ledger.request import Request, payload_text
from resources.ledger.rules import Refuse, Replay, decide_claim
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    Status,
    attempts,
    requests,
)


@dataclass(frozen=True)
class Claimant:
    """A run that claims a request.

    `owner` is the worker's name and its process' nonce, `name:nonce`. `dispatched_as` is the attempt that the
    sensor dispatched the run for, None for a run started by hand. `pipeline` is the job's, None for any.
    """

    run_id: str
    owner: str
    dispatched_as: int | None
    pipeline: str | None = None


@dataclass(frozen=True)
class RunOrder:
    """The order in a run's config, for a request that has no row yet."""

    pipeline: str
    payload: Mapping[str, Any]
    same_order: SameOrder
    unique_key: str | None = None


@retry_transient
def claim(
    db: Database,
    task_id: str,
    claimant: Claimant,
    *,
    lease_seconds: float,
    poison_deaths: int,
    order: RunOrder | None = None,
) -> tuple[Request, Lease | None]:
    """The run holds the request's lease, or may replay a completed one (then the lease is None).

    Raises ClaimRefusedError with one sentence where the run may not work, ConflictError where its order is not the
    row's, DuplicateOrderError where another request holds its unique key, UnknownRequestError where there is
    neither row nor order. A request whose row cannot be used becomes a dead letter.
    """
    try:
        return _claim(db, task_id, claimant, lease_seconds, poison_deaths, order)
    except ROW_ERRORS as error:
        with db.writing() as tx:
            key = tx.execute(_KEY_OF_TASK, {"task_id": task_id}).scalar()
            if key is None or not dead_letter_row(tx, key, error):
                raise
        raise ClaimRefusedError(
            f"request {task_id} is dead, because its row cannot be used: {describe_row_error(error)}"
        ) from error


def _claim(
    db: Database,
    task_id: str,
    claimant: Claimant,
    lease_seconds: float,
    poison_deaths: int,
    order: RunOrder | None,
) -> tuple[Request, Lease | None]:
    with db.writing() as tx:
        if order is not None:
            _register(tx, task_id, order)
        request, at = lock_task(tx, task_id)
        if order is not None:
            request = _ensure_same_order(tx, request, order)
        if claimant.pipeline not in (None, request.pipeline):
            raise ClaimRefusedError(
                f"request {task_id} is an order of {request.pipeline}, not of {claimant.pipeline}"
            )
        decision = decide_claim(request, dispatched_as=claimant.dispatched_as, now=at)
        if isinstance(decision, Refuse):
            raise ClaimRefusedError(decision.reason)
        if request.status is Status.PROCESSING:
            request = fail_lost_worker(tx, request, poison_deaths)
            if request.status is not Status.PENDING:
                raise ClaimRefusedError(f"request {task_id} is {request.status}")
        # An operator may have edited status or attempt so that this number is in the past.
        number = max(decision.attempt, _newest_attempt(tx, request) + 1)
        if isinstance(decision, Replay):
            return _replay(tx, request, claimant, number), None
        key = request.unique_key if order is None else order.unique_key
        return _grant_lease(tx, request, claimant, number, lease_seconds, key)


def _register(tx: Connection, task_id: str, order: RunOrder) -> None:
    values = {
        "task_id": task_id,
        "pipeline": order.pipeline,
        "payload": payload_text(order.payload),
        "source": "dagster",
        "unique_key": order.unique_key,
    }
    inserted = tx.execute(upsert(tx, requests).values(values).on_conflict_do_nothing())
    if inserted.rowcount or tx.execute(_KEY_OF_TASK, {"task_id": task_id}).scalar() is not None:
        return
    holder = key_holder(tx, order.pipeline, order.unique_key) if order.unique_key else None
    raise DuplicateOrderError(holder.task_id if holder else None)


def _ensure_same_order(tx: Connection, request: Request, order: RunOrder) -> Request:
    """The locked request with the run's order, which replaces a stored order that is unreadable."""
    if is_same_order(request, order.pipeline, order.payload, order.same_order):
        return request
    if not is_replaceable(request, order.pipeline, order.same_order):
        raise ConflictError(request.task_id)
    return replace_order(
        tx,
        request,
        {
            "pipeline": order.pipeline,
            "payload": payload_text(order.payload),
            "unique_key": order.unique_key,
        },
    )


def _newest_attempt(tx: Connection, request: Request) -> int:
    return tx.execute(_NEWEST_NUMBER, {"of_id": request.id}).scalar() or 0


def _grant_lease(
    tx: Connection,
    request: Request,
    claimant: Claimant,
    number: int,
    lease_seconds: float,
    unique_key: str | None,
) -> tuple[Request, Lease]:
    end_attempts(tx, request, "superseded", "another attempt took over")
    changes = {
        "status": Status.PROCESSING,
        "attempt": number,
        "run_id": claimant.run_id,
        "lease_owner": claimant.owner,
        "lease_until": after(lease_seconds),
        "fence": request.fence + 1,
        "not_before": None,
        **({} if is_wait_queue(request.waits_for) else NOT_WAITING),
        **({} if request.status is Status.DISPATCHED else NO_PLACE_OR_TURN),
        **({} if unique_key == request.unique_key else {"unique_key": unique_key}),
        **NO_ERROR,
    }
    request = move(tx, request, "claimed", changes, worker=claimant.owner)
    _begin_attempt(tx, request, claimant)
    lease = Lease(request.id, request.task_id, number, request.fence, claimant.owner)
    return request, lease


def _replay(tx: Connection, request: Request, claimant: Claimant, number: int) -> Request:
    changes = {"attempt": number, "run_id": claimant.run_id}
    request = move(tx, request, "replayed", changes, worker=claimant.owner)
    _begin_attempt(tx, request, claimant)
    end_attempts(tx, request)
    return request


def _begin_attempt(tx: Connection, request: Request, claimant: Claimant) -> None:
    attempt = {
        "request_id": request.id,
        "number": request.attempt,
        "run_id": claimant.run_id,
        "worker": claimant.owner,
    }
    tx.execute(_INSERT_ATTEMPT, attempt)


# Built once: building such a statement takes longer than executing it.
_KEY_OF_TASK = select(requests.c.id).where(requests.c.task_id == bindparam("task_id"))


_NEWEST_NUMBER = select(func.max(attempts.c.number)).where(
    attempts.c.request_id == bindparam("of_id")
)


_INSERT_ATTEMPT = insert(attempts).values(started_at=now()).inline()
