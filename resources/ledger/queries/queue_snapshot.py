"""The free capacity, the requests that could use it, and when time alone may change that. Read-only."""

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

from resources.ledger.admission import (
    Candidate,
    FreeCapacity,
    PipelineStage,
    stage_of_place_queue,
    vendor_of_turn_queue,
)
from resources.ledger.db.database import Database
from resources.ledger.lanes import LaneCapacity
from resources.ledger.queries.due import (
    IS_IN_WAIT_QUEUE,
    IS_OPEN,
    MAY_BE_DUE,
    AdmissionLimits,
    Capacity,
    is_due,
    is_next_stage,
    is_working,
)
from resources.ledger.queries.lane_capacity import (
    EVERY_PIPELINE,
    OpenPipelines,
    full_lanes,
    open_in_lane,
    open_lanes,
    open_pipelines,
    read_lane_capacity,
    starved_pipelines,
    unserved_lanes,
    with_served,
)
from resources.ledger.queries.wait_queues import (
    CANDIDATE_COLUMNS,
    WaitQueues,
    places_held,
    read_wait_queues,
)
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests, workers


@dataclass(frozen=True)
class QueueSnapshot:
    """What could be dispatched at one moment, and what prevents more.

    `ready` counts the due requests with a free place, up to the limit given. `changes_in` is the seconds until
    time alone may make another request due, None where it cannot. `lanes` is None where all pipelines share the
    default lane; `unserved` are lanes with a due request that no living worker serves, `full` those without a
    free place.
    """

    ready: int
    offered: int
    free: int
    is_parked: bool
    changes_in: float | None
    lanes: LaneCapacity | None = None
    unserved: tuple[str, ...] = ()
    full: tuple[str, ...] = ()


def read_queue_snapshot(db: Database, places: Capacity, at_most: int) -> QueueSnapshot:
    """The snapshot of the ledger, by one statement; with lanes or a wait queue that is not empty, by some more."""
    with db.reading() as tx:
        lanes = read_lane_capacity(tx, places)
        pipelines = open_pipelines(places.limits, lanes)
        row = tx.execute(_snapshot_query(places, at_most, pipelines)).one()
        free, free_places = _free_runs(row, lanes), _places_left(row, places.limits)
        wait_queues = (
            _read_wait_queues(tx, row, places.limits, free_places, at_most, pipelines)
            if free > 0
            else WaitQueues()
        )
        unserved = unserved_lanes(tx, places.limits, lanes)
    moments = [moment for moment in (row.later, row.unparked) if moment is not None]
    waits = [(min(moments) - row.at).total_seconds()] if moments else []
    waits += [] if wait_queues.next_turn_in is None else [wait_queues.next_turn_in]
    return QueueSnapshot(
        ready=min(row.ready + wait_queues.ready(free_places), free),
        offered=row.offered,
        free=free,
        is_parked=row.unparked is not None,
        changes_in=min(waits, default=None),
        lanes=lanes,
        unserved=unserved,
        full=full_lanes(places.limits, lanes),
    )


def count_starved(
    db: Database, places: Capacity, at_most: int, lanes: frozenset[str] | None = None
) -> int:
    """How many requests lack nothing but a worker's place, up to `at_most`; 0 while a place is free.

    With `lanes` only requests of these lanes are counted.
    """
    with db.reading() as tx:
        capacity = read_lane_capacity(tx, places)
        starved = starved_pipelines(places.limits, capacity, lanes)
        row = tx.execute(_starved_query(places, at_most, starved)).one()
        if row.free > 0 and capacity is None:
            return 0
        free_places = _places_left(row, places.limits)
        wait_queues = _read_wait_queues(tx, row, places.limits, free_places, at_most, starved)
    return min(int(row.ready) + wait_queues.ready(free_places), at_most)


def due_task_ids(db: Database, limit: int) -> list[str]:
    """The first due requests, whether or not there is a place for them."""
    query = select(requests.c.task_id).where(is_due())
    first = query.order_by(requests.c.priority.desc(), requests.c.id).limit(limit)
    with db.reading() as tx:
        return list(tx.execute(first).scalars())


def lock_candidates(
    tx: Connection, places: Capacity, at_most: int, exclude: Collection[int] = ()
) -> tuple[FreeCapacity, list[Candidate]]:
    """The free capacity, and the requests that may use it, locked; rows locked elsewhere are skipped."""
    row = tx.execute(_capacity_query(places)).one()
    lanes = read_lane_capacity(tx, places)
    count = min(_free_runs(row, lanes), at_most)
    if not count:
        return FreeCapacity(0, {}, {}), []
    pipelines = open_pipelines(places.limits, lanes)
    free_places = _places_left(row, places.limits)
    wait_queues = _read_wait_queues(tx, row, places.limits, free_places, count, pipelines)
    queries = [
        *_due_queries(places.limits, lanes, free_places, count),
        *wait_queues.queries(free_places, count, open_lanes(places.limits, lanes)),
    ]
    found = [each for query in queries for each in tx.execute(_excluding(query, exclude))]
    listed = [_candidate(each, places.limits) for each in found]
    lanes = with_served(tx, places.limits, lanes)
    return FreeCapacity(count, free_places, wait_queues.turns, lanes), listed


def _excluding(query: Select[Any], exclude: Collection[int]) -> Select[Any]:
    return query.where(requests.c.id.not_in(exclude)) if exclude else query


def _candidate(row: Row[Any], limits: AdmissionLimits) -> Candidate:
    place = _next_stage(row, limits)
    return Candidate(
        id=row.id,
        priority=row.priority,
        asked=row.asked,
        place=place if place in limits.limited else None,
        turn=vendor_of_turn_queue(row.wait_queue),
        lane=limits.lane_of(row.pipeline),
        pipeline=row.pipeline,
    )


def _next_stage(row: Row[Any], limits: AdmissionLimits) -> PipelineStage:
    """The request's next stage, by the rule of the query that found it: else it would take others' places."""
    if row.wait_queue is None and row.stage is None:
        return PipelineStage(row.pipeline, dict(limits.first_stages).get(row.pipeline, ""))
    return PipelineStage(row.pipeline, stage_of_place_queue(row.wait_queue) or row.stage)


def _read_wait_queues(
    tx: Connection,
    row: Row[Any],
    limits: AdmissionLimits,
    free_places: Mapping[PipelineStage, int],
    at_most: int,
    pipelines: OpenPipelines,
) -> WaitQueues:
    if not row.has_waiting:
        return WaitQueues()
    full = tuple(stage for stage, left in free_places.items() if left <= 0)
    return read_wait_queues(tx, limits, full, at_most, pipelines)


def _free_runs(row: Row[Any], lanes: LaneCapacity | None) -> int:
    """How many more runs the workers could take; what is dispatched into a lane is no load of another."""
    return max(row.free, 0) if lanes is None else lanes.free_runs


def _places_left(row: Row[Any], limits: AdmissionLimits) -> Mapping[PipelineStage, int]:
    taken = row._mapping
    return {
        stage: limit - taken[f"at_{number}"]
        for number, (stage, limit) in enumerate(limits.limited.items())
    }


# Cached: building the statement takes longer than executing it, and it is executed often.
@lru_cache(maxsize=32)
def _snapshot_query(places: Capacity, at_most: int, pipelines: OpenPipelines) -> Select[Any]:
    counted = _capacity_query(places).cte("counted")
    ready: ColumnElement[int] = _ready_query(places, at_most, pipelines)
    if not places.limits.has_lanes:
        ready = case((counted.c.free > 0, ready), else_=0)
    return select(
        counted,
        ready.label("ready"),
        _earliest(requests.c.not_before, MAY_BE_DUE).label("later"),
        _earliest(providers.c.parked_until).label("unparked"),
        now().label("at"),
    )


@lru_cache(maxsize=32)
def _starved_query(places: Capacity, at_most: int, starved: OpenPipelines) -> Select[Any]:
    counted = _capacity_query(places).cte("counted")
    ready: ColumnElement[int] = _ready_query(places, at_most, starved)
    if not places.limits.has_lanes:
        ready = case((counted.c.free > 0, 0), else_=ready)
    return select(counted, ready.label("ready"))


def _ready_query(places: Capacity, at_most: int, pipelines: OpenPipelines) -> ScalarSelect[int]:
    """How many requests outside wait queues are due, and have a free place of their next stage."""
    full = [
        and_(is_next_stage(stage, places.limits), places_held(stage.stage, stage.pipeline) >= limit)
        for stage, limit in places.limits.limited.items()
    ]
    due: Select[Any] = select(literal_column("1")).select_from(requests)
    due = due.where(is_due(), *pipelines.conditions)
    for stage_is_full in full:
        due = due.where(func.coalesce(not_(stage_is_full), True))
    return select(func.count()).select_from(due.limit(at_most).subquery()).scalar_subquery()


@lru_cache(maxsize=8)
def _capacity_query(places: Capacity) -> Select[Any]:
    counted = select(_offered(places).label("offered"), _busy(places).label("busy")).subquery()
    queued: Select[Any] = select(literal_column("1")).select_from(requests).where(IS_IN_WAIT_QUEUE)
    columns: list[ColumnElement[Any]] = [
        counted.c.offered,
        (counted.c.offered - counted.c.busy).label("free"),
        queued.exists().label("has_waiting"),
        *(
            places_held(each.stage, each.pipeline).label(f"at_{number}")
            for number, each in enumerate(places.limits.limited)
        ),
    ]
    return select(*columns)


def _due_queries(
    limits: AdmissionLimits,
    capacity: LaneCapacity | None,
    free_places: Mapping[PipelineStage, int],
    count: int,
) -> list[Select[Any]]:
    """One for each lane: the many requests of one lane do not hide those of another."""
    if capacity is None:
        return [_due_query(limits, free_places, count, EVERY_PIPELINE)]
    free = {lane: min(capacity.free(lane), count) for lane in limits.lanes}
    return [
        _due_query(limits, free_places, left, open_in_lane(limits, capacity, lane))
        for lane, left in free.items()
        if left > 0
    ]


def _due_query(
    limits: AdmissionLimits,
    free_places: Mapping[PipelineStage, int],
    count: int,
    pipelines: OpenPipelines,
) -> Select[Any]:
    due = select(*CANDIDATE_COLUMNS).where(is_due(), *pipelines.conditions)
    for stage, left in free_places.items():
        if left <= 0:
            due = due.where(func.coalesce(not_(is_next_stage(stage, limits)), True))
    ordered = due.order_by(requests.c.priority.desc(), requests.c.id).limit(count)
    return ordered.with_for_update(skip_locked=True)


def _offered(places: Capacity) -> ColumnElement[int]:
    living = select(func.sum(workers.c.places)).where(is_working(places.lease_seconds))
    return func.coalesce(living.scalar_subquery(), places.on_demand)


def _busy(places: Capacity) -> ColumnElement[int]:
    """The requests that living workers process, and those that are dispatched."""
    on_its_way = select(func.count()).where(IS_OPEN, requests.c.status == Status.DISPATCHED)
    owner = workers.c.name + ":" + workers.c.nonce
    at_work = select(func.count()).where(
        IS_OPEN,
        requests.c.status == Status.PROCESSING,
        exists().where(requests.c.lease_owner == owner, is_working(places.lease_seconds)),
    )
    return on_its_way.scalar_subquery() + at_work.scalar_subquery()


def _earliest(
    column: ColumnElement[datetime], *conditions: ColumnElement[bool]
) -> ScalarSelect[datetime]:
    return select(func.min(column)).where(*conditions, column > now()).scalar_subquery()
