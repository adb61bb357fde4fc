"""Turns at a vendor: no more calls than it allows, over all workers, and the orders in the order of asking.

The window of its calls lies in the provider's row, timed by the database. A turn is kept for a request that is
dispatched or processing with `turn`, and used when its order is about to be sent.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from resources.contract.protocol import Rate
from resources.ledger.admission import turn_at
from resources.ledger.db.database import Database
from resources.ledger.db.retry import steady
from resources.ledger.errors import LeaseLostError
from resources.ledger.moves.core import WAITS_FOR_NOTHING, Lease
from resources.ledger.queries.lines import is_anybody_ahead, is_anybody_waiting, turns_held
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests
from resources.ledger.window import Window

NEAR_SECONDS = 1.0
"""Who has to wait no longer for its turn, with nobody before it, waits where it is."""
_SOONEST = 0.02
_NOTED_SECONDS = 0.5


@dataclass(frozen=True)
class Standing:
    """How a request stands with a vendor before it orders; `wait` as `take_turn` tells it."""

    parked_why: str | None
    wait: float | None


@steady
def standing_with(db: Database, lease: Lease, vendor: str, rate: Rate | None) -> Standing:
    """Whether the vendor is parked, and how long the request's turn at it will take. Writes nothing."""
    is_parked = (providers.c.parked_until > now()).label("is_parked")
    query = (
        select(*_asker(vendor), is_parked, providers.c.parked_why, providers.c.bucket)
        .select_from(requests.outerjoin(providers, providers.c.name == vendor))
        .where(requests.c.id == lease.request_id)
    )
    with db.reading() as tx:
        row = tx.execute(query).one_or_none()
    if row is None:
        raise LeaseLostError(f"request {lease.task_id} was deleted while it was worked on")
    parked_why = (row.parked_why or "") if row.is_parked else None
    if rate is None:
        return Standing(parked_why, 0.0)
    at = row.at.timestamp()
    return Standing(parked_why, _wait(row, Window.read(row.bucket, rate, at), at))


@steady
def take_turn(db: Database, lease: Lease, vendor: str, rate: Rate) -> float | None:
    """0 where the order may be sent now: it is counted. Else the seconds until it may, with its turn kept.

    None where it has to stand in line: others asked before, or it would take longer than NEAR_SECONDS.
    Raises LeaseLostError.
    """
    with db.writing() as tx:
        bucket = _locked(db, tx, vendor)
        row = tx.execute(
            select(*_asker(vendor)).where(
                requests.c.id == lease.request_id,
                requests.c.fence == lease.fence,
                requests.c.status == Status.PROCESSING,
            )
        ).one_or_none()
        if row is None:
            raise LeaseLostError(f"request {lease.task_id} was taken from this attempt")
        at = row.at.timestamp()
        window = Window.read(bucket, rate, at)
        wait = _wait(row, window, at)
        if wait is None:
            return None
        mine = requests.c.id == lease.request_id
        if wait > 0:
            if not row.has_turn:
                tx.execute(update(requests).where(mine).values(turn=vendor))
            return wait
        _write(tx, vendor, window.with_order(at))
        if row.has_turn or row.waits_for is not None:
            tx.execute(update(requests).where(mine).values(turn=None, **WAITS_FOR_NOTHING))
        return 0.0


@steady
def take_call(db: Database, vendor: str, rate: Rate) -> float:
    """0 where a question may be asked now: it is counted. Else the seconds after which it may be tried again."""
    wanted = or_(is_anybody_waiting(turn_at(vendor)), turns_held(vendor) > 0)
    with db.writing() as tx:
        bucket = _locked(db, tx, vendor)
        orders_wait, moment = tx.execute(select(wanted, now())).one()
        at = moment.timestamp()
        window = Window.read(bucket, rate, at)
        if window.room_for_questions(at, orders_wait=bool(orders_wait)):
            _write(tx, vendor, window.with_question(at))
            return 0.0
        if at - window.refused_at > _NOTED_SECONDS:
            _write(tx, vendor, window.refusing(at))
        return max(window.questions_from(at) - at, rate.seconds / rate.calls, _SOONEST)


def _asker(vendor: str) -> tuple[Any, ...]:
    return (
        now().label("at"),
        requests.c.waits_for,
        func.coalesce(requests.c.turn == vendor, False).label("has_turn"),
        turns_held(vendor).label("held"),
        is_anybody_ahead(turn_at(vendor)).label("others"),
    )


def _wait(row: Any, window: Window, at: float) -> float | None:
    """See `take_turn`."""
    kept = row.held - 1 if row.has_turn else row.held
    if row.has_turn:
        if window.room_for_orders(at) > 0:
            return 0.0
        return max(window.orders_from(at) - at, _SOONEST)
    if row.others:
        return None
    if window.room_for_orders(at) > kept:
        return 0.0
    wait = max(window.orders_from(at, kept + 1) - at, _SOONEST)
    return wait if wait <= NEAR_SECONDS else None


def _locked(db: Database, tx: Connection, vendor: str) -> str | None:
    """The vendor's window, which nobody else changes until the transaction ends."""
    bucket = select(providers.c.bucket).where(providers.c.name == vendor).with_for_update()
    row = tx.execute(bucket).one_or_none()
    if row is None:
        dialect = sqlite if db.is_sqlite else postgresql
        tx.execute(dialect.insert(providers).values(name=vendor).on_conflict_do_nothing())
        row = tx.execute(bucket).one()
    return None if row.bucket is None else str(row.bucket)


def _write(tx: Connection, vendor: str, window: Window) -> None:
    tx.execute(update(providers).where(providers.c.name == vendor).values(bucket=window.text()))
