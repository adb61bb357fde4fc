"""The capacity of each lane, and which pipelines have some. Read-only."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Select, func, literal_column, select

from resources.ledger.lanes import (
    DEFAULT_LANE,
    LaneCapacity,
    WorkerGroup,
    after_dispatched,
    read_lanes,
)
from resources.ledger.queries.due import IS_OPEN, AdmissionLimits, Capacity, is_due, is_working
from resources.ledger.schema.tables import Status, requests, workers

_AT_WORK = (Status.DISPATCHED, Status.PROCESSING)


@dataclass(frozen=True)
class OpenPipelines:
    """The pipelines whose requests are looked at: all but `names`, or `only` these."""

    names: tuple[str, ...] = ()
    only: bool = False

    @property
    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        """As conditions on `requests`; none where every request is looked at."""
        if self.only:
            return (requests.c.pipeline.in_(self.names),)
        return (requests.c.pipeline.not_in(self.names),) if self.names else ()


EVERY_PIPELINE = OpenPipelines()


def read_lane_capacity(tx: Connection, places: Capacity) -> LaneCapacity | None:
    """The capacity of the lanes; None, and nothing is read, where all share the default lane without limits."""
    limits = places.limits
    if not limits.has_lanes:
        return None
    counted: dict[str, Counter[str]] = {status: Counter() for status in _AT_WORK}
    at_work: Counter[str] = Counter()
    for pipeline, status, count in tx.execute(_BY_PIPELINE):
        counted[status][limits.lane_of(pipeline)] += count
        at_work[pipeline] += count
    return LaneCapacity(
        workers=after_dispatched(_workers(tx, places), counted[Status.DISPATCHED]),
        places_left={
            each.name: each.places - at_work[each.name]
            for each in limits.pipelines
            if each.places is not None
        },
        at_work=sum(counted.values(), Counter()),
    )


def _workers(tx: Connection, places: Capacity) -> list[WorkerGroup]:
    """The living workers by the lanes that they serve, or the one that is started on demand."""
    owner = workers.c.name + ":" + workers.c.nonce
    busy = (
        select(func.count())
        .where(IS_OPEN, requests.c.status == Status.PROCESSING, requests.c.lease_owner == owner)
        .scalar_subquery()
    )
    each = select(workers.c.lanes, (workers.c.places - busy).label("free")).where(
        is_working(places.lease_seconds)
    )
    free: Counter[str | None] = Counter()
    for lanes, count in tx.execute(each):
        free[lanes] += max(count, 0)
    groups = [WorkerGroup(read_lanes(lanes), count) for lanes, count in free.items()]
    return groups or ([WorkerGroup(None, places.on_demand)] if places.on_demand else [])


def open_pipelines(limits: AdmissionLimits, capacity: LaneCapacity | None) -> OpenPipelines:
    """The pipelines with a free place in their lane and of their own."""
    if capacity is None:
        return EVERY_PIPELINE
    is_open = {each.name: capacity.is_open(each) for each in limits.pipelines}
    if capacity.free(DEFAULT_LANE) > 0:
        return OpenPipelines(tuple(name for name, free in is_open.items() if not free))
    # A pipeline that is not known is in the default lane.
    return OpenPipelines(tuple(name for name, free in is_open.items() if free), only=True)


def starved_pipelines(
    limits: AdmissionLimits, capacity: LaneCapacity | None, lanes: frozenset[str] | None
) -> OpenPipelines:
    """The pipelines of these lanes that lack nothing but a worker's place; None for all lanes."""
    if capacity is None:
        return EVERY_PIPELINE
    left = capacity.places_left

    def is_starved(lane: str, name: str = "") -> bool:
        is_ours = lanes is None or lane in lanes
        return is_ours and capacity.free(lane) <= 0 and left.get(name, 1) > 0

    starved = {each.name: is_starved(each.lane, each.name) for each in limits.pipelines}
    only = not is_starved(DEFAULT_LANE)
    return OpenPipelines(tuple(name for name, lacks in starved.items() if lacks is only), only)


def open_in_lane(limits: AdmissionLimits, capacity: LaneCapacity, lane: str) -> OpenPipelines:
    """As `open_pipelines`, of one lane."""
    if lane != DEFAULT_LANE:
        names = [e.name for e in limits.pipelines if e.lane == lane and capacity.is_open(e)]
        return OpenPipelines(tuple(names), only=True)
    others = [e.name for e in limits.pipelines if e.lane != lane or not capacity.is_open(e)]
    return OpenPipelines(tuple(others))


def unserved_lanes(
    tx: Connection, limits: AdmissionLimits, capacity: LaneCapacity | None
) -> tuple[str, ...]:
    """The lanes with a due request that no living worker serves."""
    if capacity is None or not capacity.workers:
        return ()
    lanes = [lane for lane in limits.lanes if not capacity.is_served(lane)]
    return tuple(lane for lane in lanes if tx.execute(_due_in(limits, lane)).first())


def _due_in(limits: AdmissionLimits, lane: str) -> Select[tuple[int]]:
    names = tuple(e.name for e in limits.pipelines if (e.lane == lane) == (lane != DEFAULT_LANE))
    of_lane = OpenPipelines(names, only=lane != DEFAULT_LANE)
    return select(literal_column("1")).where(is_due(), *of_lane.conditions).limit(1)


# Built once: building such a statement takes longer than executing it.
_BY_PIPELINE = (
    select(requests.c.pipeline, requests.c.status, func.count())
    .where(IS_OPEN, requests.c.status.in_(_AT_WORK))
    .group_by(requests.c.pipeline, requests.c.status)
)
