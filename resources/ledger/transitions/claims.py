"""Claim requests for runs, and end their attempts."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, case, func, insert, select, update

from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ClaimRefusedError,
    ConflictError,
    DuplicateOrderError,
    IllegalTransitionError,
    LeaseLostError,
    format_slots_taken,
)
from resources.ledger.limits import (
    APPROVAL_PREFIX,
    FINAL_STATUS_PREFIX,
    ORDER_PREFIX,
    is_waiting_for_limit,
    parse_wait,
)
from resources.ledger.queries.status import (
    find_key_holder,
    get_request,
    make_duplicate_error,
    parse_object,
)
from resources.ledger.request import Request, format_payload
from resources.ledger.rules import (
    Failure,
    Outcome,
    Refuse,
    Replay,
    decide_claim,
    get_order_error_code,
)
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    WITHOUT_ID,
    StageStatus,
    Status,
    attempts,
    events,
    provider_jobs,
    requests,
    stages,
)
from resources.ledger.transitions.core import (
    NO_ERROR,
    NO_PROGRESS,
    NO_SLOT_OR_PERMIT,
    NOT_WAITING,
    ROW_ERRORS,
    UNLEASED,
    KeyOf,
    Lease,
    build_upsert,
    choose_unique_key,
    dead_letter_unusable_request,
    describe_row_error,
    drop_taken_unique_key,
    end_open_attempt,
    lock_leased_request,
    lock_request,
    transition,
)
from resources.ledger.transitions.dispatch import has_room, lock_limit
from resources.ledger.transitions.orders import (
    DAGSTER,
    SameOrder,
    build_reset_columns,
    cancel_locked_request,
    is_replaceable,
    is_same_order,
    reject_order,
    replace_order,
)
from resources.ledger.transitions.rescue import end_lost_attempt

DecideOutcome = Callable[[Request, float], Outcome]
_EVENT_TYPES = {Status.PENDING: "waiting", Status.FAILED: "failed", Status.DEAD: "dead"}


@dataclass(frozen=True)
class RunOrder:
    """The order in the config of a run; the ledger may have no request for it yet.

    `same_order(stored, given)` compares two payloads.
    """

    pipeline: str
    payload: Mapping[str, Any]
    same_order: SameOrder
    unique_key: str | None = None

    @property
    def columns(self) -> Mapping[str, Any]:
        """The values of the columns `pipeline`, `payload` and `unique_key` of a request with this order."""
        text = format_payload(self.payload)
        return {"pipeline": self.pipeline, "payload": text, "unique_key": self.unique_key}


@dataclass(frozen=True)
class Claimant:
    """A run that claims a request.

    `owner` is the worker's name and its process' nonce, `name:nonce`. `dispatched_as` is the attempt for
    which the sensor dispatched the run, None for a run started by hand. `pipeline` is that of the run's job,
    None if it accepts any. `slots` limits the requests of the pipeline that are processed at once, None for
    no limit. With `takes_over` the request begins without its unique key if another request holds that; a
    stage looks for the holder later (`stages.find_reusable_request`). `reexecuted_at` is when a person re-
    executed the run in Dagster, None for any other run.
    """

    run_id: str
    owner: str
    dispatched_as: int | None
    pipeline: str | None = None
    slots: int | None = None
    takes_over: bool = False
    reexecuted_at: datetime | None = None


@retry_transient
def claim_request(
    db: Database,
    task_id: str,
    claimant: Claimant,
    *,
    lease_seconds: float,
    poison_deaths: int,
    order: RunOrder | None = None,
    key_of: KeyOf | None = None,
) -> tuple[Request, Lease | None]:
    """Give the run the request's lease, or let it replay a completed request (then the lease is None).

    With `order` the request is stored first if it does not exist. It then gets the unique key of the order,
    otherwise the key that `key_of` derives from the stored payload. If all slots of the pipeline are taken,
    the order stays stored and due. A request whose row, payload or key cannot be used becomes a dead letter.

    Raises:
        ClaimRefusedError: the run may not process the request; the message is one sentence.
        ConflictError: the stored request has another order than the run.
        DuplicateOrderError: another request holds its unique key.
        InvalidInputError: no valid unique key follows from its payload.
        UnknownRequestError: there is neither a request nor an `order`.
    """
    try:
        return _claim_in_transaction(
            db, task_id, claimant, lease_seconds, poison_deaths, order, key_of
        )
    except (DuplicateOrderError, InvalidInputError) as error:
        if order is None:
            _reject_unbegun_request(db, task_id, error)
        raise
    except ROW_ERRORS as error:
        with db.writing() as tx:
            key = find_request_id(tx, task_id)
            if key is None or not dead_letter_unusable_request(tx, key, error):
                raise
        raise ClaimRefusedError(
            f"request {task_id} is dead, because its row cannot be used: {describe_row_error(error)}"
        ) from error


def _claim_in_transaction(
    db: Database,
    task_id: str,
    claimant: Claimant,
    lease_seconds: float,
    poison_deaths: int,
    order: RunOrder | None,
    key_of: KeyOf | None,
) -> tuple[Request, Lease | None]:
    """Claim the request in one transaction, with the results and the errors of `claim_request`."""
    with db.writing() as tx:
        if claimant.slots is not None:
            # All pipelines have one lock, so that the request's own need not be known yet.
            lock_limit(tx, "pipeline:")
        request, at = lock_or_create_request(tx, task_id, order)
        if claimant.pipeline not in (None, request.pipeline):
            raise ClaimRefusedError(
                f"request {task_id} is an order of {request.pipeline}, not of {claimant.pipeline}"
            )
        if _is_revived_by_reexecution(tx, request, claimant):
            reset = build_reset_columns(tx, request, takes_over=claimant.takes_over)
            request = transition(tx, request, "retried", reset, by=DAGSTER)
        decision = decide_claim(request, dispatched_as=claimant.dispatched_as, now=at)
        if isinstance(decision, Refuse):
            raise ClaimRefusedError(decision.reason)
        if request.status is Status.PROCESSING:
            request = end_lost_attempt(tx, request, poison_deaths)
            if request.status is not Status.PENDING:
                raise ClaimRefusedError(f"request {task_id} is {request.status}")
        # An operator may have edited status or attempt so that this number is in the past.
        newest = tx.execute(_NEWEST_NUMBER, {"of_id": request.id}).scalar() or 0
        number = max(decision.attempt, newest + 1)
        if isinstance(decision, Replay):
            return _replay_request(tx, request, claimant, number), None
        key = _derive_unique_key(request, order, key_of)
        key = drop_taken_unique_key(tx, request, key, takes_over=claimant.takes_over)
        slots, limit = claimant.slots, f"pipeline:{request.pipeline}"
        if slots is None or has_room(tx, request.id, limit, slots):
            return _grant_lease(tx, request, claimant, number, lease_seconds, key)
    # After the commit: the order that was registered is dispatched when a slot is free.
    raise ClaimRefusedError(
        f"{request.pipeline}: {format_slots_taken(slots)}; request {request.task_id} is {request.status}"
    )


def lock_or_create_request(
    tx: Connection, task_id: str, order: RunOrder | None
) -> tuple[Request, datetime]:
    """Lock the request and return it with the database's current time.

    With an `order` a missing request is inserted first, and an existing one must have the same order; an
    unreadable stored order is replaced. Raises ConflictError for another order, DuplicateOrderError if
    another request holds the order's unique key, and UnknownRequestError if there is neither a request nor an
    order.
    """
    if order is not None:
        _insert_run_order(tx, task_id, order)
    request, at = lock_request(tx, task_id)
    return (request if order is None else _ensure_run_order(tx, request, order)), at


def find_request_id(tx: Connection, task_id: str) -> int | None:
    """Return the id of the request with this task_id, or None."""
    return tx.execute(_ID_OF_TASK, {"task_id": task_id}).scalar()


def _insert_run_order(tx: Connection, task_id: str, order: RunOrder) -> None:
    """Insert a request with the run's order, unless the task_id exists.

    Raises DuplicateOrderError if another request holds the order's unique key.
    """
    row = {"task_id": task_id, "source": DAGSTER, **order.columns}
    tx.execute(build_upsert(tx, requests).values(row).on_conflict_do_nothing())
    if find_request_id(tx, task_id) is not None:
        return
    holder = find_key_holder(tx, order.pipeline, order.unique_key) if order.unique_key else None
    raise make_duplicate_error(tx, holder, owner=None)


def _ensure_run_order(tx: Connection, request: Request, order: RunOrder) -> Request:
    """Return the locked request if it has the run's order; replace an unreadable stored order by it.

    Raises ConflictError if the request has another order.
    """
    if is_same_order(request, order.pipeline, order.payload, order.same_order):
        return request
    if not is_replaceable(request, order.pipeline, order.same_order):
        raise ConflictError(request.task_id)
    return replace_order(tx, request, order.columns)


def _is_revived_by_reexecution(tx: Connection, request: Request, claimant: Claimant) -> bool:
    """Return whether the run is to revive a canceled request.

    True if terminating a run in Dagster's UI canceled the request, and a person re-executed this run there
    later.
    """
    if claimant.reexecuted_at is None or request.status is not Status.CANCELED:
        return False
    ended, asked = (
        tx.execute(query, {"of_id": request.id}).one_or_none()
        for query in (_LAST_CANCELED, _LAST_CANCEL_REQUESTED)
    )
    if ended is None or ended.at >= claimant.reexecuted_at:
        return False
    # An operator's SQL cancels too: the event says so there.
    by = parse_object(ended.data).get("by") or (asked and parse_object(asked.data).get("by"))
    return bool(by == DAGSTER)


def _derive_unique_key(
    request: Request, order: RunOrder | None, key_of: KeyOf | None
) -> str | None:
    """Return the unique key for the claimed request: the order's, else that of `key_of`, else the stored one."""
    if order is not None:
        return choose_unique_key(request, order.unique_key)
    if key_of is None:
        return request.unique_key
    return choose_unique_key(request, key_of(request.order() or {}))


def _reject_unbegun_request(db: Database, task_id: str, error: CastadError) -> None:
    """Set the request `dead` because its order is invalid, if it is pending, dispatched or failed.

    Does nothing if it changes meanwhile.
    """
    request = get_request(db, task_id)
    if request.status in (Status.PENDING, Status.DISPATCHED, Status.FAILED):
        with suppress(IllegalTransitionError):
            reject_order(db, request, get_order_error_code(error), error.message)


def _grant_lease(
    tx: Connection,
    request: Request,
    claimant: Claimant,
    number: int,
    lease_seconds: float,
    unique_key: str | None,
) -> tuple[Request, Lease]:
    """Set the request processing as attempt `number` of the claimant; return it with the lease."""
    end_open_attempt(tx, request.id, "superseded", "another attempt took over")
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
    _insert_attempt(tx, request, claimant)
    lease = Lease(request.id, request.task_id, number, request.fence, claimant.owner)
    return request, lease


def _replay_request(tx: Connection, request: Request, claimant: Claimant, number: int) -> Request:
    """Store attempt `number`, which only reads the results of the completed request; return the request."""
    changes = {"attempt": number, "run_id": claimant.run_id}
    request = transition(tx, request, "replayed", changes, worker=claimant.owner)
    _insert_attempt(tx, request, claimant)
    end_open_attempt(tx, request.id)
    return request


def _insert_attempt(tx: Connection, request: Request, claimant: Claimant) -> None:
    attempt = {
        "request_id": request.id,
        "number": request.attempt,
        "run_id": claimant.run_id,
        "worker": claimant.owner,
    }
    tx.execute(_INSERT_ATTEMPT, attempt)


@retry_transient
def release_request(db: Database, lease: Lease) -> bool:
    """Set the leased request back to pending, without counting a retry or a death.

    A request whose cancel was requested is canceled instead. Returns False, without a change, if the lease is
    void.
    """
    with db.writing() as tx:
        try:
            request, _ = lock_leased_request(tx, lease)
        except LeaseLostError:
            return False
        if request.cancel_requested:
            cancel_locked_request(tx, request)
            return True
        end_open_attempt(tx, request.id, "released", "the worker stopped before it was done")
        transition(tx, request, "released", {"status": Status.PENDING, **UNLEASED})
        return True


@retry_transient
def confirm_cancel(db: Database, lease: Lease) -> Request:
    """Set the leased request canceled, after its attempt has stopped; return it. Raises LeaseLostError."""
    with db.writing() as tx:
        request, _ = lock_leased_request(tx, lease)
        return cancel_locked_request(tx, request)


@retry_transient
def fail_attempt(
    db: Database, lease: Lease, stage: str, failure: Failure, decide_outcome: DecideOutcome
) -> tuple[Request, Outcome]:
    """End the attempt as failed; return the request and the outcome that was stored.

    `decide_outcome` gets the locked request, and the seconds since the intent of a submission in doubt was
    saved (0 without one). Its outcome is stored: pending, failed (due again later) or dead. If a cancel was
    requested, the request is canceled instead. Raises LeaseLostError.
    """
    with db.writing() as tx:
        request, at = lock_leased_request(tx, lease)
        outcome = decide_outcome(request, _measure_seconds_in_doubt(tx, request, stage))
        error = {"error_code": failure.code, "error_message": failure.message}
        if outcome.status is not Status.PENDING:
            of_stage = {"of_id": request.id, "of_stage": stage}
            tx.execute(_FAIL_STAGE, {**of_stage, "retry_count": outcome.retry_count, **error})
        elif parse_wait(FINAL_STATUS_PREFIX, failure.waits_for) is None:
            tx.execute(_UNCOUNT_ATTEMPT, {"of_id": request.id})
        end_open_attempt(tx, request.id, failure.code, failure.message)
        if request.cancel_requested:
            return cancel_locked_request(tx, request), Outcome(
                Status.CANCELED, request.retry_count, None
            )
        changes = {
            "status": outcome.status,
            "stage": stage,
            "retry_count": outcome.retry_count,
            "not_before": _compute_due_at(request, outcome.wait, failure.waits_for, at),
            **error,
            **UNLEASED,
            **_build_wait_columns(request, failure.waits_for),
        }
        event_type = _EVENT_TYPES[outcome.status]
        if event_type != "waiting":
            changes["last_failed_at"] = now()
        wait = None if outcome.wait is None else round(outcome.wait, 1)
        detail = {"stage": stage, "message": failure.message, "wait": wait}
        request = transition(
            tx, request, event_type, changes, **detail, waits_for=failure.waits_for
        )
        return request, outcome


def _compute_due_at(
    request: Request, wait: float | None, waits_for: str | None, at: datetime
) -> Any:
    """Compute the value of `not_before`: an SQL expression or a time; None if it is not due by time alone.

    `wait` is in seconds. A request that waits for an approval keeps an earlier time, so that a run by hand
    does not prolong its wait.
    """
    if wait is None:
        return None
    if request.not_before is None or parse_wait(APPROVAL_PREFIX, waits_for) is None:
        return after(wait)
    return min(request.not_before, at + timedelta(seconds=wait))


def _build_wait_columns(request: Request, waits_for: str | None) -> Mapping[str, Any]:
    """Build the columns that say what the request waits for.

    Only a request that waits for a limit keeps the time at which it first asked. One that waits for a limit,
    an approval or another request has no error.
    """
    if parse_wait(ORDER_PREFIX, waits_for) is not None:
        return {"waits_for": waits_for, "asked_at": None, **NO_ERROR}
    if parse_wait(APPROVAL_PREFIX, waits_for) is not None:
        return {"waits_for": waits_for, "asked_at": now(), **NO_ERROR}
    if not is_waiting_for_limit(waits_for):
        return {"waits_for": waits_for, "asked_at": None}
    asked = now() if request.asked_at is None else request.asked_at
    return {"waits_for": waits_for, "asked_at": asked, **NO_ERROR}


def _measure_seconds_in_doubt(tx: Connection, request: Request, stage: str) -> float:
    """Return the seconds since the newest intent of a submission in doubt of this stage; 0 if there is none."""
    newest = select(func.max(provider_jobs.c.created_at), now()).where(
        provider_jobs.c.request_id == request.id,
        provider_jobs.c.stage == stage,
        provider_jobs.c.status.in_(WITHOUT_ID),
        provider_jobs.c.heard_id.is_(None),
    )
    created, at = tx.execute(newest).one()
    return 0.0 if created is None else float((at - created).total_seconds())


_ID_OF_TASK = select(requests.c.id).where(requests.c.task_id == bindparam("task_id"))
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
_AT_WORK = update(stages).where(
    stages.c.request_id == bindparam("of_id"), stages.c.status == StageStatus.PROCESSING
)
_FAIL_STAGE = _AT_WORK.where(stages.c.stage == bindparam("of_stage")).values(
    status=StageStatus.FAILED, **NO_PROGRESS
)
# An attempt that had to wait before it sent anything is not counted.
_UNCOUNT_ATTEMPT = _AT_WORK.values(
    attempts=stages.c.attempts - 1, started_at=case((stages.c.attempts > 1, stages.c.started_at))
)
