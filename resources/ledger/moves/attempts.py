"""Moves of an attempt as a whole: claim, fail, release, cancel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
    update,
)

from resources.ledger.admission import is_wait_queue, vendor_of_verdict_queue
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.errors import ClaimRefusedError, ConflictError, DuplicateOrderError
from resources.ledger.moves.core import (
    NO_ERROR,
    NO_PLACE_OR_TURN,
    NO_PROGRESS,
    NOT_WAITING,
    UNLEASED,
    Lease,
    end_attempts,
    lock,
    lock_leased,
    lock_task,
    move,
)
from resources.ledger.moves.dispatch import fail_lost_worker
from resources.ledger.moves.orders import (
    SameOrder,
    close_canceled,
    is_replaceable,
    is_same_order,
    replace_order,
)
from resources.ledger.moves.unusable_rows import ROW_ERRORS, dead_letter_row, describe_row_error
from resources.ledger.moves.upsert import upsert
from resources.ledger.queries.unique_keys import key_holder
from resources.ledger.request import Request, payload_text
from resources.ledger.rules import Failure, Outcome, Refuse, Replay, decide_claim
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    StageStatus,
    Status,
    attempts,
    provider_jobs,
    requests,
    stages,
)

DecideOutcome = Callable[[Request, float], Outcome]
_EVENT_TYPES = {Status.PENDING: "waiting", Status.FAILED: "failed", Status.DEAD: "dead"}


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


@retry_transient
def release(db: Database, lease: Lease) -> bool:
    """The request is pending again, and nothing is counted; False where the lease is void."""
    with db.writing() as tx:
        found = lock(tx, requests.c.id == lease.request_id)
        if found is None or found[0].fence != lease.fence:
            return False
        request = found[0]
        if request.status is not Status.PROCESSING:
            return False
        if request.cancel_requested:
            close_canceled(tx, request)
            return True
        end_attempts(tx, request, "released", "the worker stopped before it was done")
        move(tx, request, "released", {"status": Status.PENDING, **UNLEASED})
        return True


@retry_transient
def confirm_cancel(db: Database, lease: Lease) -> Request:
    """The attempt has stopped and its request is canceled. Raises LeaseLostError."""
    with db.writing() as tx:
        request, _ = lock_leased(tx, lease)
        return close_canceled(tx, request)


@retry_transient
def fail(
    db: Database, lease: Lease, stage: str, failure: Failure, decide_outcome: DecideOutcome
) -> tuple[Request, Outcome]:
    """The attempt has failed, and its request is retried later or dead. Raises LeaseLostError.

    Where the order is not at fault, the request is pending again and nothing is counted. Where a cancel was
    requested, it is canceled. `decide_outcome` gets the locked row, and the seconds since the intent of a
    submission that is in doubt.
    """
    with db.writing() as tx:
        request, _ = lock_leased(tx, lease)
        outcome = decide_outcome(request, _unknown_for(tx, request, stage))
        if outcome.status is not Status.PENDING:
            _fail_stage(tx, request, stage, failure, outcome.retry_count)
        elif vendor_of_verdict_queue(failure.waits_for) is None:
            tx.execute(_ATTEMPT_UNCOUNTED, {"of_id": request.id})
        end_attempts(tx, request, failure.code, failure.message)
        if request.cancel_requested:
            return close_canceled(tx, request), Outcome(Status.CANCELED, request.retry_count, None)
        changes = {
            "status": outcome.status,
            "stage": stage,
            "retry_count": outcome.retry_count,
            "not_before": None if outcome.wait is None else after(outcome.wait),
            "error_code": failure.code,
            "error_message": failure.message,
            **UNLEASED,
            **_changes_for_wait(request, failure.waits_for),
        }
        event_type = _EVENT_TYPES[outcome.status]
        if event_type != "waiting":
            changes["last_failed_at"] = now()
        wait = None if outcome.wait is None else round(outcome.wait, 1)
        detail = {"stage": stage, "message": failure.message, "wait": wait}
        request = move(tx, request, event_type, changes, **detail, waits_for=failure.waits_for)
        return request, outcome


def _changes_for_wait(request: Request, waits_for: str | None) -> Mapping[str, Any]:
    """What the request waits for. In a wait queue it keeps its first asking time and has no error."""
    if not is_wait_queue(waits_for):
        return {"waits_for": waits_for, "asked_at": None}
    asked = now() if request.asked_at is None else request.asked_at
    return {"waits_for": waits_for, "asked_at": asked, **NO_ERROR}


def _fail_stage(
    tx: Connection, request: Request, stage: str, failure: Failure, retry_count: int
) -> None:
    tx.execute(
        update(stages)
        .where(
            stages.c.request_id == request.id,
            stages.c.stage == stage,
            stages.c.status == StageStatus.PROCESSING,
        )
        .values(
            status=StageStatus.FAILED,
            retry_count=retry_count,
            error_code=failure.code,
            error_message=failure.message,
            **NO_PROGRESS,
        )
    )


def _unknown_for(tx: Connection, request: Request, stage: str) -> float:
    newest = select(func.max(provider_jobs.c.created_at), now()).where(
        provider_jobs.c.request_id == request.id,
        provider_jobs.c.stage == stage,
        or_(provider_jobs.c.status == "unknown", provider_jobs.c.status == "intent"),
        provider_jobs.c.heard_id.is_(None),
    )
    created, at = tx.execute(newest).one()
    return 0.0 if created is None else float((at - created).total_seconds())


# Built once: building such a statement takes longer than executing it.
_KEY_OF_TASK = select(requests.c.id).where(requests.c.task_id == bindparam("task_id"))
_NEWEST_NUMBER = select(func.max(attempts.c.number)).where(
    attempts.c.request_id == bindparam("of_id")
)
# An attempt that had to wait before it sent anything is not counted.
_ATTEMPT_UNCOUNTED = (
    update(stages)
    .where(stages.c.request_id == bindparam("of_id"), stages.c.status == StageStatus.PROCESSING)
    .values(
        attempts=stages.c.attempts - 1,
        started_at=case((stages.c.attempts > 1, stages.c.started_at)),
    )
)
_INSERT_ATTEMPT = insert(attempts).values(started_at=now()).inline()
