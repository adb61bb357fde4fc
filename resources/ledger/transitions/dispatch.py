"""Transitions made by the sensors: dispatch due requests, rescue expired leases, discard exhausted requests."""

from collections.abc import Callable, Mapping
from functools import partial

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from resources.ledger.admission import Candidate, admit
from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.queries.dispatch_snapshot import lock_candidates
from resources.ledger.queries.due import IS_OPEN, Capacity
from resources.ledger.request import Request
from resources.ledger.rules import decide_worker_loss
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, requests
from resources.ledger.transitions.core import UNLEASED, end_attempts, transition
from resources.ledger.transitions.orders import close_canceled
from resources.ledger.transitions.stage_capacity import lock_stage_capacity
from resources.ledger.transitions.unusable_rows import transition_each

_MAX_RESCUED = 200
DISPATCH_BATCH = 50


def dispatch_due(db: Database, slots: Capacity, at_most: int = DISPATCH_BATCH) -> list[Request]:
    """Due requests are dispatched, each with its next attempt number, as far as capacity allows.

    Higher priority first, then oldest first. Two concurrent callers never dispatch the same request. Locks out
    every other dispatcher, so a caller reads the dispatch snapshot first.
    """
    with db.writing() as tx:
        # Two concurrent dispatchers would both fill the same slots.
        AdvisoryLock.DISPATCH.take(tx)
        lock_stage_capacity(tx, (each.stage for each in slots.limits.limited))
        return _dispatch_batch(tx, slots, at_most)


def _dispatch_batch(tx: Connection, slots: Capacity, at_most: int) -> list[Request]:
    """Dispatch what is admitted; a request that cannot be changed makes room for the next one."""
    dispatched: list[Request] = []
    tried: set[int] = set()
    while True:
        free_capacity, waiting = lock_candidates(tx, slots, at_most - len(dispatched), tried)
        admitted = {each.id: each for each in admit(waiting, free_capacity)}
        changed = transition_each(tx, list(admitted), partial(_dispatch, tx, admitted))
        dispatched += changed
        tried.update(admitted)
        if len(changed) == len(admitted):
            return dispatched


def _dispatch(tx: Connection, admitted: Mapping[int, Candidate], request: Request) -> Request:
    """Dispatch the request; it holds the slot and the permit that it was admitted to."""
    candidate = admitted[request.id]
    slot = None if candidate.slot is None else candidate.slot.stage
    changes = {
        "status": Status.DISPATCHED,
        "attempt": request.attempt + 1,
        "dispatched_at": now(),
        "not_before": None,
        "slot": slot,
        "permit": candidate.permit,
    }
    return transition(tx, request, "dispatched", changes, attempt=request.attempt + 1, slot=slot)


def rescue_expired_leases(db: Database, poison_deaths: int) -> list[Request]:
    """Requests with an expired lease are due again, dead as poison, or canceled if that was requested."""
    expired = and_(
        requests.c.status == Status.PROCESSING,
        or_(requests.c.lease_until.is_(None), requests.c.lease_until <= now()),
    )
    with db.writing() as tx:
        return _transition_oldest(
            tx, expired, lambda request: fail_lost_worker(tx, request, poison_deaths)
        )


def fail_lost_worker(tx: Connection, request: Request, poison_deaths: int) -> Request:
    """The locked request has lost its worker: counted as a death, never as a retry."""
    if request.cancel_requested:
        return close_canceled(tx, request)
    outcome = decide_worker_loss(request, poison_deaths)
    message = f"worker {request.lease_owner} was lost in {request.stage or 'the beginning'}"
    code = "poison" if outcome.status is Status.DEAD else "worker_lost"
    end_attempts(tx, request.id, "worker_lost", message)
    changes = {
        "status": outcome.status,
        "deaths": request.deaths + 1,
        "error_code": code,
        "error_message": message,
        **UNLEASED,
    }
    return transition(tx, request, "worker_lost", changes, stage=request.stage, message=message)


def discard_exhausted(db: Database) -> list[Request]:
    """Failed requests whose max_retries was lowered below their retry_count are dead."""
    exhausted = and_(
        requests.c.status == Status.FAILED, requests.c.retry_count > requests.c.max_retries
    )
    changes = {"status": Status.DEAD, "not_before": None}
    with db.writing() as tx:
        return _transition_oldest(
            tx, exhausted, lambda request: transition(tx, request, "dead", changes)
        )


def _transition_oldest(
    tx: Connection, condition: ColumnElement[bool], work: Callable[[Request], Request]
) -> list[Request]:
    """Change the oldest matching requests up to a limit; one that cannot be changed makes room for the next."""
    changed: list[Request] = []
    tried: set[int] = set()
    while (wanted := _MAX_RESCUED - len(changed)) > 0:
        query = select(requests.c.id).where(IS_OPEN, condition, requests.c.id.not_in(tried))
        locked = query.order_by(requests.c.id).limit(wanted).with_for_update(skip_locked=True)
        keys = tx.execute(locked).scalars().all()
        changed += transition_each(tx, keys, work) if keys else []
        tried.update(keys)
        if len(keys) < wanted:
            break
    return changed
