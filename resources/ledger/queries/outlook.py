"""How much room there is, who could go on, and when that may change by itself. Nothing here writes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    Select,
    and_,
    case,
    exists,
    func,
    literal_column,
    not_,
    select,
)

from resources.ledger.admission import Candidate, Room, place_in, turn_in
from resources.ledger.db.database import Database
from resources.ledger.queries.due import (
    IS_IN_LINE,
    IS_OPEN,
    MAY_BE_DUE,
    Limits,
    Places,
    goes_on_in,
    is_due,
)
from resources.ledger.queries.lines import CANDIDATE, Lines, lines_of, places_held
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import Status, providers, requests, workers


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


def look(db: Database, places: Places, at_most: int) -> Outlook:
    """One look at the ledger, by one statement, and by a second one where anybody stands in a line."""
    with db.reading() as tx:
        row = tx.execute(_outlook(places, at_most)).one()
        lefts = _places_left(row, places.limits)
        lines = _lines(tx, row, places.limits, lefts, at_most) if row.free > 0 else Lines()
    moments = [moment for moment in (row.later, row.unparked) if moment is not None]
    waits = [(min(moments) - row.at).total_seconds()] if moments else []
    waits += [] if lines.opens_in is None else [lines.opens_in]
    return Outlook(
        ready=max(min(row.ready + lines.ready(lefts), row.free), 0),
        offered=row.offered,
        free=max(row.free, 0),
        is_parked=row.unparked is not None,
        changes_in=min(waits, default=None),
    )


def lacking(db: Database, places: Places, at_most: int) -> int:
    """How many could go on but for a worker's place, counted up to the limit asked for; 0 while one is free."""
    with db.reading() as tx:
        row = tx.execute(_crowd(places, at_most)).one()
        if row.free > 0:
            return 0
        lefts = _places_left(row, places.limits)
        lines = _lines(tx, row, places.limits, lefts, at_most)
    return min(int(row.ready) + lines.ready(lefts), at_most)


def due_names(db: Database, limit: int) -> list[str]:
    """The first requests that are due, whether or not there is a place for them."""
    query = select(requests.c.task_id).where(is_due())
    first = query.order_by(requests.c.priority.desc(), requests.c.id).limit(limit)
    with db.reading() as tx:
        return list(tx.execute(first).scalars())


def candidates(
    tx: Connection, places: Places, at_most: int, but: Collection[int] = ()
) -> tuple[Room, list[Candidate]]:
    """The room there is and who may fill it, each locked; what somebody else holds locked is passed over."""
    row = tx.execute(_room(places)).one()
    count = min(max(row.free, 0), at_most)
    if not count:
        return Room(0, {}, {}), []
    lefts = _places_left(row, places.limits)
    lines = _lines(tx, row, places.limits, lefts, count)
    queries = [_due(places.limits, lefts, count), *lines.queries(lefts, count)]
    found = [each for query in queries for each in tx.execute(_besides(query, but))]
    listed = [_candidate(each, places.limits) for each in found]
    return Room(count, lefts, lines.turns), listed


def _besides(query: Select[Any], but: Collection[int]) -> Select[Any]:
    return query.where(requests.c.id.not_in(but)) if but else query


def _candidate(row: Row[Any], limits: Limits) -> Candidate:
    stage = _next_stage(row, limits)
    return Candidate(
        id=row.id,
        priority=row.priority,
        asked=row.asked,
        place=stage if stage in limits.limited else None,
        turn=turn_in(row.line),
    )


def _next_stage(row: Row[Any], limits: Limits) -> str | None:
    """Where it goes on, by the same rule as the query that found it: else it would keep others from theirs."""
    if row.line is None and row.stage is None:
        return dict(limits.first_stages).get(row.pipeline)
    return place_in(row.line) or row.stage


def _lines(
    tx: Connection, row: Row[Any], limits: Limits, lefts: Mapping[str, int], at_most: int
) -> Lines:
    if not row.in_line:
        return Lines()
    full = tuple(stage for stage, left in lefts.items() if left <= 0)
    return lines_of(tx, limits, full, at_most)


def _places_left(row: Row[Any], limits: Limits) -> Mapping[str, int]:
    taken = row._mapping
    return {stage: limit - taken[f"at_{stage}"] for stage, limit in limits.limited.items()}


# Building the statement takes longer than running it, and who waits asks often.
@lru_cache(maxsize=8)
def _outlook(places: Places, at_most: int) -> Select[Any]:
    counted = _room(places).cte("counted")
    ready = _ready(places, at_most)
    return select(
        counted,
        case((counted.c.free > 0, ready), else_=0).label("ready"),
        _earliest(requests.c.not_before, MAY_BE_DUE).label("later"),
        _earliest(providers.c.parked_until).label("unparked"),
        now().label("at"),
    )


@lru_cache(maxsize=8)
def _crowd(places: Places, at_most: int) -> Select[Any]:
    counted = _room(places).cte("counted")
    ready = _ready(places, at_most)
    return select(counted, case((counted.c.free > 0, 0), else_=ready).label("ready"))


def _ready(places: Places, at_most: int) -> ScalarSelect[int]:
    """How many are due, in no line, and find a place of their next stage."""
    full = [
        and_(goes_on_in(stage, places.limits), places_held(stage) >= limit)
        for stage, limit in places.limits.limited.items()
    ]
    due: Select[Any] = select(literal_column("1")).select_from(requests).where(is_due())
    for stage_is_full in full:
        due = due.where(func.coalesce(not_(stage_is_full), True))
    return select(func.count()).select_from(due.limit(at_most).subquery()).scalar_subquery()


@lru_cache(maxsize=8)
def _room(places: Places) -> Select[Any]:
    counted = select(_offered(places).label("offered"), _busy(places).label("busy")).subquery()
    anybody: Select[Any] = select(literal_column("1")).select_from(requests).where(IS_IN_LINE)
    columns: list[ColumnElement[Any]] = [
        counted.c.offered,
        (counted.c.offered - counted.c.busy).label("free"),
        anybody.exists().label("in_line"),
        *(places_held(stage).label(f"at_{stage}") for stage in places.limits.limited),
    ]
    return select(*columns)


def _due(limits: Limits, lefts: Mapping[str, int], count: int) -> Select[Any]:
    due = select(*CANDIDATE).where(is_due())
    for stage, left in lefts.items():
        if left <= 0:
            due = due.where(func.coalesce(not_(goes_on_in(stage, limits)), True))
    ordered = due.order_by(requests.c.priority.desc(), requests.c.id).limit(count)
    return ordered.with_for_update(skip_locked=True)


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
