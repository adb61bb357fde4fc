"""Moves made by the sensors: dispatch due requests, rescue expired leases, discard exhausted requests."""

from collections.abc import Callable, Mapping
from functools import partial

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from resources.ledger.admission import Candidate, admit
from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.moves.core import UNLEASED, end_attempts, move
from resources.ledger.moves.orders import close_canceled
from resources.ledger.moves.stage_capacity import lock_stage_capacity
from resources.ledger.moves.unusable_rows import move_each
from resources.ledger.queries.due import IS_OPEN, Capacity
from resources.ledger.queries.queue_snapshot import lock_candidates
from resources.ledger.request import Request
from resources.ledger.rules import decide_worker_loss
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, requests

_MAX_RESCUED = 200
DISPATCH_BATCH = 50


def dispatch_due(db: Database, places: Capacity, at_most: int = DISPATCH_BATCH) -> list[Request]:
    """Due requests are dispatched, each with its next attempt number, as far as capacity allows.

    Higher priority first, then oldest first. Two concurrent callers never dispatch the same request. Locks out
    every other dispatcher, so a caller reads the queue snapshot first.
    """
    with db.writing() as tx:
        # Two concurrent dispatchers would both fill the same places.
        AdvisoryLock.DISPATCH.take(tx)
        lock_stage_capacity(tx, (each.stage for each in places.limits.limited))
        return _dispatch_batch(tx, places, at_most)


def _dispatch_batch(tx: Connection, places: Capacity, at_most: int) -> list[Request]:
    """Dispatch what is admitted; a request that cannot be moved makes room for the next one."""
    dispatched: list[Request] = []
    tried: set[int] = set()
    while True:
        free_capacity, waiting = lock_candidates(tx, places, at_most - len(dispatched), tried)
        admitted = {each.id: each for each in admit(waiting, free_capacity)}
        moved = move_each(tx, list(admitted), partial(_dispatch, tx, admitted))
        dispatched += moved
        tried.update(admitted)
        if len(moved) == len(admitted):
            return dispatched


def _dispatch(tx: Connection, admitted: Mapping[int, Candidate], request: Request) -> Request:
    """Dispatch the request; it holds the place and the turn that it was admitted to."""
    candidate = admitted[request.id]
    place = None if candidate.place is None else candidate.place.stage
    changes = {
        "status": Status.DISPATCHED,
        "attempt": request.attempt + 1,
        "dispatched_at": now(),
        "not_before": None,
        "place": place,
        "turn": candidate.turn,
    }
    return move(tx, request, "dispatched", changes, attempt=request.attempt + 1, place=place)


def rescue_expired_leases(db: Database, poison_deaths: int) -> list[Request]:
    """Requests with an expired lease are due again, dead as poison, or canceled if that was requested."""
    expired = and_(
        requests.c.status == Status.PROCESSING,
        or_(requests.c.lease_until.is_(None), requests.c.lease_until <= now()),
    )
    with db.writing() as tx:
        return _move_oldest(
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
    return move(tx, request, "worker_lost", changes, stage=request.stage, message=message)


def discard_exhausted(db: Database) -> list[Request]:
    """Failed requests whose max_retries was lowered below their retry_count are dead."""
    exhausted = and_(
        requests.c.status == Status.FAILED, requests.c.retry_count > requests.c.max_retries
    )
    changes = {"status": Status.DEAD, "not_before": None}
    with db.writing() as tx:
        return _move_oldest(tx, exhausted, lambda request: move(tx, request, "dead", changes))


def _move_oldest(
    tx: Connection, condition: ColumnElement[bool], work: Callable[[Request], Request]
) -> list[Request]:
    """Move matching requests, oldest first, up to a limit; one that cannot be moved makes room for the next."""
    moved: list[Request] = []
    tried: set[int] = set()
    while (wanted := _MAX_RESCUED - len(moved)) > 0:
        query = select(requests.c.id).where(IS_OPEN, condition, requests.c.id.not_in(tried))
        locked = query.order_by(requests.c.id).limit(wanted).with_for_update(skip_locked=True)
        keys = tx.execute(locked).scalars().all()
        moved += move_each(tx, keys, work) if keys else []
        tried.update(keys)
        if len(keys) < wanted:
            break
    return moved
