"""A run claims its request: at most one attempt holds it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, insert, select

from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.admission import is_waiting_for_limit
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.failures import order_error_code
from resources.ledger.ledger_errors import (
    ClaimRefusedError,
    DuplicateOrderError,
    IllegalTransitionError,
)
from resources.ledger.queries.reads import event_data, get_request
from resources.ledger.request import Request
from resources.ledger.rules import Refuse, Replay, decide_claim
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, attempts, events
from resources.ledger.transitions.core import (
    NO_ERROR,
    NO_SLOT_OR_PERMIT,
    NOT_WAITING,
    Lease,
    end_attempts,
    transition,
)
from resources.ledger.transitions.dispatch import fail_lost_worker
from resources.ledger.transitions.orders import DAGSTER, reject, reset_of
from resources.ledger.transitions.pipeline_capacity import (
    lock_pipeline_capacity,
    refusal_without_slot,
)
from resources.ledger.transitions.run_orders import RunOrder, id_of_task, lock_order
from resources.ledger.transitions.unique_keys import KeyOf, key_to_begin_with, key_to_hold
from resources.ledger.transitions.unusable_rows import (
    ROW_ERRORS,
    dead_letter_row,
    describe_row_error,
)


@dataclass(frozen=True)
class Claimant:
    """A run that claims a request.

    `owner` is the worker's name and its process' nonce, `name:nonce`. `dispatched_as` is the attempt that the
    sensor dispatched the run for, None for a run started by hand. `pipeline` is the job's, None for any; no more
    than `slots` of its requests are at work at once, None without a limit. With `takes_over` a request whose key
    another one holds begins without it: a stage finds that out (`transitions/same_order.py`). `reexecuted_at` is
    when a person had a run executed again in Dagster, as this run; None for any other run.
    """

    run_id: str
    owner: str
    dispatched_as: int | None
    pipeline: str | None = None
    slots: int | None = None
    takes_over: bool = False
    reexecuted_at: datetime | None = None


@retry_transient
def claim(
    db: Database,
    task_id: str,
    claimant: Claimant,
    *,
    lease_seconds: float,
    poison_deaths: int,
    order: RunOrder | None = None,
    key_of: KeyOf | None = None,
) -> tuple[Request, Lease | None]:
    """The run holds the request's lease, or may replay a completed one (then the lease is None).

    A claimed request holds the unique key that `key_of` gives its payload, which may have come by SQL. The
    order of a run that finds every slot of its pipeline taken is registered nevertheless, and due.

    Raises ClaimRefusedError with one sentence where the run may not work, ConflictError where its order is not the
    row's, DuplicateOrderError where another request holds its unique key, InvalidInputError where its payload has
    none, UnknownRequestError where there is neither row nor order. A request whose row, payload or key cannot be
    used becomes a dead letter.
    """
    try:
        return _claim(db, task_id, claimant, lease_seconds, poison_deaths, order, key_of)
    except (DuplicateOrderError, InvalidInputError) as error:
        if order is None:
            _reject_unbegun(db, task_id, error)
        raise
    except ROW_ERRORS as error:
        with db.writing() as tx:
            key = id_of_task(tx, task_id)
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
    key_of: KeyOf | None,
) -> tuple[Request, Lease | None]:
    with db.writing() as tx:
        lock_pipeline_capacity(tx, claimant.slots)
        request, at = lock_order(tx, task_id, order)
        if claimant.pipeline not in (None, request.pipeline):
            raise ClaimRefusedError(
                f"request {task_id} is an order of {request.pipeline}, not of {claimant.pipeline}"
            )
        if _is_brought_back(tx, request, claimant):
            reset = reset_of(tx, request, takes_over=claimant.takes_over)
            request = transition(tx, request, "retried", reset, by=DAGSTER)
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
        key = _key_to_hold(request, order, key_of)
        key = key_to_begin_with(tx, request, key, takes_over=claimant.takes_over)
        refusal = refusal_without_slot(tx, request, claimant.slots)
        if refusal is None:
            return _grant_lease(tx, request, claimant, number, lease_seconds, key)
    # After the commit: the order that was registered is dispatched when a slot is free.
    raise refusal


def _is_brought_back(tx: Connection, request: Request, claimant: Claimant) -> bool:
    """Whether Dagster's UI canceled the request by terminating a run, and then had one executed again."""
    if claimant.reexecuted_at is None or request.status is not Status.CANCELED:
        return False
    return _was_terminated(tx, request, claimant.reexecuted_at)


def _was_terminated(tx: Connection, request: Request, before: datetime) -> bool:
    """Return whether the canceled request was canceled by terminating its run, before this moment."""
    ended, asked = (
        tx.execute(query, {"of_id": request.id}).one_or_none()
        for query in (_LAST_CANCELED, _LAST_CANCEL_REQUESTED)
    )
    if ended is None or ended.at >= before:
        return False
    # An operator's SQL cancels too: the event says so there.
    by = event_data(ended.data).get("by") or (asked and event_data(asked.data).get("by"))
    return bool(by == DAGSTER)


def _key_to_hold(request: Request, order: RunOrder | None, key_of: KeyOf | None) -> str | None:
    if order is not None:
        return key_to_hold(request, order.unique_key)
    return (
        request.unique_key
        if key_of is None
        else key_to_hold(request, key_of(request.order() or {}))
    )


def _reject_unbegun(db: Database, task_id: str, error: CastadError) -> None:
    """The request is dead because of its order, unless it was dead before or another run has it."""
    request = get_request(db, task_id)
    if request.status in (Status.PENDING, Status.DISPATCHED, Status.FAILED):
        with suppress(IllegalTransitionError):
            reject(db, request, order_error_code(error), error.message)


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
    end_attempts(tx, request.id, "superseded", "another attempt took over")
    changes = {
        "status": Status.PROCESSING,
        "attempt": number,
        "run_id": claimant.run_id,
        "lease_owner": claimant.owner,
        "lease_until": after(lease_seconds),
        "fence": request.fence + 1,
        # A run by hand that meets the hold again does not make the wait longer.
        "not_before": None if request.held_stage is None else request.not_before,
        **({} if is_waiting_for_limit(request.waits_for) else NOT_WAITING),
        **({} if request.status is Status.DISPATCHED else NO_SLOT_OR_PERMIT),
        **({} if unique_key == request.unique_key else {"unique_key": unique_key}),
        **NO_ERROR,
    }
    request = transition(tx, request, "claimed", changes, worker=claimant.owner)
    _begin_attempt(tx, request, claimant)
    lease = Lease(request.id, request.task_id, number, request.fence, claimant.owner)
    return request, lease


def _replay(tx: Connection, request: Request, claimant: Claimant, number: int) -> Request:
    changes = {"attempt": number, "run_id": claimant.run_id}
    request = transition(tx, request, "replayed", changes, worker=claimant.owner)
    _begin_attempt(tx, request, claimant)
    end_attempts(tx, request.id)
    return request


def _begin_attempt(tx: Connection, request: Request, claimant: Claimant) -> None:
    attempt = {
        "request_id": request.id,
        "number": request.attempt,
        "run_id": claimant.run_id,
        "worker": claimant.owner,
    }
    tx.execute(_INSERT_ATTEMPT, attempt)


_LAST_EVENT = (
    select(events.c.data, events.c.at)
    .where(events.c.request_id == bindparam("of_id"))
    .order_by(events.c.seq.desc())
    .limit(1)
)
# Of a canceled request: every later event finds it canceled, and leaves it so.
_LAST_CANCELED = _LAST_EVENT.where(events.c["from"].is_distinct_from(Status.CANCELED))
_LAST_CANCEL_REQUESTED = _LAST_EVENT.where(events.c.type == "cancel_requested")
_NEWEST_NUMBER = select(func.max(attempts.c.number)).where(
    attempts.c.request_id == bindparam("of_id")
)


_INSERT_ATTEMPT = insert(attempts).values(started_at=now()).inline()
