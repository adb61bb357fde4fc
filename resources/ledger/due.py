"""What is due, how many places are free for it, and when that may change by itself. Nothing here writes."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    and_,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from resources.ledger.database import Database
from resources.ledger.sqltime import after, now
from resources.ledger.tables import DUE, OPEN, Status, providers, requests, workers

# SQLite uses a partial index only where the query repeats the index's own condition, word for word.
IS_OPEN: ColumnElement[bool] = literal_column(OPEN)
_MAY_BE_DUE: ColumnElement[bool] = literal_column(DUE)


@dataclass(frozen=True)
class Places:
    """Where runs can go: to the workers that are alive, or else to one that is started on demand.

    `on_demand` places count while no worker lives; 0 where nobody would start one.
    """

    on_demand: int
    lease_seconds: float


@dataclass(frozen=True)
class Outlook:
    """What could be handed out at this moment, and what stands against it.

    `ready` requests are due and have a place each (counted up to the limit asked for). `changes_in`
    is the seconds until time alone may make a request due, None where it cannot.
    """

    ready: int
    offered: int
    free: int
    is_parked: bool
    changes_in: float | None


def is_due() -> ColumnElement[bool]:
    """The condition on `requests`: nothing but a place is missing."""
    return and_(
        _MAY_BE_DUE,
        # A failed one has no moment where an operator typed its status.
        or_(requests.c.not_before.is_(None), requests.c.not_before <= now()),
        ~exists().where(providers.c.name == requests.c.waits_for, providers.c.parked_until > now()),
        or_(requests.c.status == Status.PENDING, requests.c.retry_count <= requests.c.max_retries),
    )


def look(db: Database, places: Places, at_most: int) -> Outlook:
    """One look at the ledger, by one statement."""
    with db.reading() as tx:
        row = tx.execute(_outlook(places, at_most)).one()
    moments = [moment for moment in (row.later, row.unparked) if moment is not None]
    return Outlook(
        ready=max(min(row.ready, row.free), 0),
        offered=row.offered,
        free=max(row.free, 0),
        is_parked=row.unparked is not None,
        changes_in=(min(moments) - row.at).total_seconds() if moments else None,
    )


# Building the statement takes longer than running it, and who waits asks often.
@lru_cache(maxsize=8)
def _outlook(places: Places, at_most: int) -> Select[Any]:
    counted = select(_offered(places).label("offered"), _busy(places).label("busy")).cte("counted")
    free = counted.c.offered - counted.c.busy
    due: Select[Any] = select(literal_column("1")).select_from(requests).where(is_due())
    ready = select(func.count()).select_from(due.limit(at_most).subquery()).scalar_subquery()
    return select(
        counted.c.offered,
        free.label("free"),
        case((free > 0, ready), else_=0).label("ready"),
        _earliest(requests.c.not_before, _MAY_BE_DUE).label("later"),
        _earliest(providers.c.parked_until).label("unparked"),
        now().label("at"),
    )


def free_places(tx: Connection, places: Places) -> int:
    """How many runs more there is room for."""
    return int(tx.execute(select(_offered(places) - _busy(places))).scalar_one())


def _offered(places: Places) -> ColumnElement[int]:
    living = select(func.sum(workers.c.places)).where(_is_working(places)).scalar_subquery()
    return func.coalesce(living, places.on_demand)


def _busy(places: Places) -> ColumnElement[int]:
    """What workers that are alive work on, and what is on its way to one."""
    on_its_way = select(func.count()).where(IS_OPEN, requests.c.status == Status.DISPATCHED)
    owner = workers.c.name + ":" + workers.c.nonce
    at_work = select(func.count()).where(
        IS_OPEN,
        requests.c.status == Status.PROCESSING,
        exists().where(requests.c.lease_owner == owner, _is_working(places)),
    )
    return on_its_way.scalar_subquery() + at_work.scalar_subquery()


def _is_working(places: Places) -> ColumnElement[bool]:
    """The condition on `workers`: alive, and offering places at all."""
    return and_(workers.c.places > 0, workers.c.beat_at > after(-places.lease_seconds))


def _earliest(
    column: ColumnElement[datetime], *conditions: ColumnElement[bool]
) -> ScalarSelect[datetime]:
    return select(func.min(column)).where(*conditions, column > now()).scalar_subquery()
