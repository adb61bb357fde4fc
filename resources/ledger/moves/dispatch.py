"""Moves made by the sensors: hand out what is due, take back what nobody works on."""

from sqlalchemy import ColumnElement, Connection, and_, exists, func, or_, select

from resources.ledger.database import Database
from resources.ledger.moves.core import UNLEASED, end_attempts, lock, move
from resources.ledger.moves.orders import close_canceled
from resources.ledger.request import Request
from resources.ledger.rules import after_death
from resources.ledger.sqltime import after, now
from resources.ledger.tables import Status, providers, requests

_RESCUE_BATCH = 200
_DISPATCH_LOCK = 0x0CA57AE  # any number of its own, the same in every castad

_DUE = and_(
    # A failed one has no moment where an operator typed its status.
    or_(requests.c.not_before.is_(None), requests.c.not_before <= now()),
    ~exists().where(providers.c.name == requests.c.waits_for, providers.c.parked_until > now()),
    or_(
        requests.c.status == Status.PENDING,
        and_(
            requests.c.status == Status.FAILED,
            requests.c.retry_count <= requests.c.max_retries,
        ),
    ),
)


def dispatch_due(db: Database, places: int) -> list[Request]:
    """Due requests are dispatched, each with its next attempt number, as far as there are free places.

    Oldest first inside a priority, higher priority first. Two callers at once never get the same one.
    """
    with db.writing() as tx:
        if not db.is_sqlite:
            # Two dispatchers that count at the same moment would both fill the same places.
            tx.execute(select(func.pg_advisory_xact_lock(_DISPATCH_LOCK)))
        free = places - _busy(tx)
        if free <= 0:
            return []
        due = (
            select(requests)
            .where(_DUE)
            .order_by(requests.c.priority.desc(), requests.c.id)
            .limit(free)
            .with_for_update(skip_locked=True)
        )
        return [_dispatch(tx, Request.of(row)) for row in tx.execute(due).all()]


def _busy(tx: Connection) -> int:
    busy = requests.c.status.in_((Status.DISPATCHED, Status.PROCESSING))
    return tx.execute(select(func.count()).select_from(requests).where(busy)).scalar_one()


def _dispatch(tx: Connection, request: Request) -> Request:
    changes = {
        "status": Status.DISPATCHED,
        "attempt": request.attempt + 1,
        "dispatched_at": now(),
        "not_before": None,
    }
    return move(tx, request, "dispatched", changes, attempt=request.attempt + 1)


def recover_undelivered(db: Database, grace_seconds: float) -> list[Request]:
    """Dispatched requests that no run claimed within the grace are pending again."""
    late = and_(
        requests.c.status == Status.DISPATCHED,
        or_(requests.c.dispatched_at.is_(None), requests.c.dispatched_at <= after(-grace_seconds)),
    )
    with db.writing() as tx:
        changes = {"status": Status.PENDING}
        return [move(tx, request, "undelivered", changes) for request in _batch(tx, late)]


def rescue_lost(db: Database, poison_deaths: int) -> list[Request]:
    """Requests whose lease ran out are due again, dead as poison, or canceled where that was asked."""
    lost = and_(
        requests.c.status == Status.PROCESSING,
        or_(requests.c.lease_until.is_(None), requests.c.lease_until <= now()),
    )
    with db.writing() as tx:
        return [bury_worker(tx, request, poison_deaths) for request in _batch(tx, lost)]


def bury_worker(tx: Connection, request: Request, poison_deaths: int) -> Request:
    """The locked request has lost its worker: counted as a death, never as a retry."""
    if request.cancel_requested:
        return close_canceled(tx, request)
    outcome = after_death(request, poison_deaths)
    message = f"worker {request.lease_owner} was lost in {request.stage or 'the beginning'}"
    code = "poison" if outcome.status is Status.DEAD else "worker_lost"
    end_attempts(tx, request, "worker_lost", message)
    changes = {
        "status": outcome.status,
        "deaths": request.deaths + 1,
        "error_code": code,
        "error_message": message,
        **UNLEASED,
    }
    return move(tx, request, "worker_lost", changes, message=message)


def bury_spent(db: Database) -> list[Request]:
    """Failed requests whose max_retries was lowered below what they have used are dead."""
    spent = and_(
        requests.c.status == Status.FAILED, requests.c.retry_count > requests.c.max_retries
    )
    with db.writing() as tx:
        changes = {"status": Status.DEAD, "not_before": None}
        return [move(tx, request, "dead", changes) for request in _batch(tx, spent)]


def _batch(tx: Connection, condition: ColumnElement[bool]) -> list[Request]:
    rows = select(requests.c.id).where(condition).order_by(requests.c.id).limit(_RESCUE_BATCH)
    ids = tx.execute(rows.with_for_update(skip_locked=True)).scalars().all()
    return [found[0] for key in ids if (found := lock(tx, requests.c.id == key)) is not None]
