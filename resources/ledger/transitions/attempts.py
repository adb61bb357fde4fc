"""The ends of an attempt: fail, release, cancel."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, case, func, or_, select, update

from resources.ledger.admission import (
    is_waiting_for_limit,
    order_waited_for,
    parse_final_status_wait,
    stage_of_approval,
)
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.request import Request
from resources.ledger.rules import Failure, Outcome
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import StageStatus, Status, provider_jobs, stages
from resources.ledger.transitions.core import (
    NO_ERROR,
    NO_PROGRESS,
    UNLEASED,
    Lease,
    end_attempts,
    lock_leased,
    transition,
)
from resources.ledger.transitions.orders import close_canceled

DecideOutcome = Callable[[Request, float], Outcome]
_EVENT_TYPES = {Status.PENDING: "waiting", Status.FAILED: "failed", Status.DEAD: "dead"}


@retry_transient
def release(db: Database, lease: Lease) -> bool:
    """The request is pending again, and nothing is counted; False where the lease is void."""
    with db.writing() as tx:
        try:
            request, _ = lock_leased(tx, lease)
        except LeaseLostError:
            return False
        if request.cancel_requested:
            close_canceled(tx, request)
            return True
        end_attempts(tx, request.id, "released", "the worker stopped before it was done")
        transition(tx, request, "released", {"status": Status.PENDING, **UNLEASED})
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
        request, at = lock_leased(tx, lease)
        outcome = decide_outcome(request, _unknown_for(tx, request, stage))
        if outcome.status is not Status.PENDING:
            _fail_stage(tx, request, stage, failure, outcome.retry_count)
        elif parse_final_status_wait(failure.waits_for) is None:
            tx.execute(_ATTEMPT_UNCOUNTED, {"of_id": request.id})
        end_attempts(tx, request.id, failure.code, failure.message)
        if request.cancel_requested:
            return close_canceled(tx, request), Outcome(Status.CANCELED, request.retry_count, None)
        changes = {
            "status": outcome.status,
            "stage": stage,
            "retry_count": outcome.retry_count,
            "not_before": _due_at(request, outcome.wait, failure.waits_for, at),
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
        request = transition(
            tx, request, event_type, changes, **detail, waits_for=failure.waits_for
        )
        return request, outcome


def _due_at(request: Request, wait: float | None, waits_for: str | None, at: datetime) -> Any:
    """When it is due again; a wait for a person that a run by hand has interrupted ends when it would have."""
    if wait is None:
        return None
    if request.not_before is None or stage_of_approval(waits_for) is None:
        return after(wait)
    return min(request.not_before, at + timedelta(seconds=wait))


def _changes_for_wait(request: Request, waits_for: str | None) -> Mapping[str, Any]:
    """What the request waits for. At a limit it keeps its first asking time and has no error.

    Nor has it one where it waits for a person or for another request: it is not due by time alone.
    """
    if order_waited_for(waits_for) is not None:
        return {"waits_for": waits_for, "asked_at": None, **NO_ERROR}
    if stage_of_approval(waits_for) is not None:
        return {"waits_for": waits_for, "asked_at": now(), **NO_ERROR}
    if not is_waiting_for_limit(waits_for):
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


# An attempt that had to wait before it sent anything is not counted.
_ATTEMPT_UNCOUNTED = (
    update(stages)
    .where(stages.c.request_id == bindparam("of_id"), stages.c.status == StageStatus.PROCESSING)
    .values(
        attempts=stages.c.attempts - 1,
        started_at=case((stages.c.attempts > 1, stages.c.started_at)),
    )
)
