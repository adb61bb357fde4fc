"""The capacity of each lane, and which pipelines have some. Read-only."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, Select, func, literal_column, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.lanes import (
    DEFAULT_LANE,
    LaneCapacity,
    PipelineLimit,
    WorkerGroup,
    after_dispatched,
    read_lanes,
)
from resources.ledger.queries.due import IS_OPEN, AdmissionLimits, Capacity, is_due, is_working
from resources.ledger.request import Request
from resources.ledger.schema.tables import AT_WORK, Status, events, requests, workers

# Only among so many is looked for what was dispatched last: a lane that is not there was served long ago.
_MOST_EVENTS = 200


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
    counted: dict[str, Counter[str]] = {status: Counter() for status in AT_WORK}
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


def others_at_work(tx: Connection, request: Request) -> int:
    """How many other requests of this one's pipeline are dispatched or processing."""
    count = select(func.count()).where(
        IS_OPEN,
        requests.c.status.in_(AT_WORK),
        requests.c.pipeline == request.pipeline,
        requests.c.id != request.id,
    )
    return tx.execute(count).scalar_one()


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


def with_served(
    tx: Connection, limits: AdmissionLimits, capacity: LaneCapacity | None
) -> LaneCapacity | None:
    """The capacity, and which lanes were served lately."""
    if capacity is None:
        return None
    lanes = (limits.lane_of(pipeline) for pipeline in tx.execute(_LAST_DISPATCHED).scalars())
    return replace(capacity, served=tuple(dict.fromkeys(lanes)))


def open_pipelines(limits: AdmissionLimits, capacity: LaneCapacity | None) -> OpenPipelines:
    """The pipelines with a free place in their lane and of their own."""
    if capacity is None:
        return EVERY_PIPELINE
    return _pipelines_where(limits, capacity.is_open, unknown=capacity.free(DEFAULT_LANE) > 0)


def starved_pipelines(
    limits: AdmissionLimits, capacity: LaneCapacity | None, lanes: frozenset[str] | None
) -> OpenPipelines:
    """The pipelines of these lanes that lack nothing but a worker's place; None for all lanes."""
    if capacity is None:
        return EVERY_PIPELINE

    def is_starved(each: PipelineLimit) -> bool:
        is_ours = lanes is None or each.lane in lanes
        has_place = capacity.places_left.get(each.name, 1) > 0
        return is_ours and has_place and capacity.free(each.lane) <= 0

    return _pipelines_where(limits, is_starved, unknown=is_starved(PipelineLimit("")))


def open_lanes(limits: AdmissionLimits, capacity: LaneCapacity | None) -> tuple[OpenPipelines, ...]:
    """As `open_pipelines`, apart for each lane with a free place."""
    if capacity is None:
        return (EVERY_PIPELINE,)
    free = (lane for lane in limits.lanes if capacity.free(lane) > 0)
    return tuple(open_in_lane(limits, capacity, lane) for lane in free)


def open_in_lane(limits: AdmissionLimits, capacity: LaneCapacity, lane: str) -> OpenPipelines:
    """As `open_pipelines`, of one lane."""

    def is_open(each: PipelineLimit) -> bool:
        return each.lane == lane and capacity.is_open(each)

    return _pipelines_where(limits, is_open, unknown=lane == DEFAULT_LANE)


def _pipelines_where(
    limits: AdmissionLimits, are: Callable[[PipelineLimit], bool], *, unknown: bool
) -> OpenPipelines:
    """The pipelines that are so; `unknown` says whether one that is not known is: it is in the default lane."""
    names = tuple(each.name for each in limits.pipelines if are(each) != unknown)
    return OpenPipelines(names, only=not unknown)


def unserved_lanes(
    tx: Connection, limits: AdmissionLimits, capacity: LaneCapacity | None
) -> tuple[str, ...]:
    """The lanes with a due request that no living worker serves."""
    lanes = _lanes_without_worker(limits, capacity)
    return tuple(lane for lane in lanes if tx.execute(_due_in(limits, lane)).first())


def full_lanes(limits: AdmissionLimits, capacity: LaneCapacity | None) -> tuple[str, ...]:
    """The lanes whose workers have no free place."""
    if capacity is None:
        return ()
    served = (lane for lane in limits.lanes if capacity.is_served(lane))
    return tuple(lane for lane in served if not capacity.free(lane))


def _lanes_without_worker(limits: AdmissionLimits, capacity: LaneCapacity | None) -> list[str]:
    """The lanes that no living worker serves; none where no worker is alive at all."""
    if capacity is None or not capacity.workers:
        return []
    return [lane for lane in limits.lanes if not capacity.is_served(lane)]


@retry_transient
def lanes_without_worker(db: Database, places: Capacity) -> dict[str, bool]:
    """The lanes that no living worker serves, and whether a request is due in each.

    None where no worker is alive at all.
    """
    with db.reading() as tx:
        capacity = read_lane_capacity(tx, places)
        waited_in = unserved_lanes(tx, places.limits, capacity)
    lanes = _lanes_without_worker(places.limits, capacity)
    return {lane: lane in waited_in for lane in lanes}


def _due_in(limits: AdmissionLimits, lane: str) -> Select[tuple[int]]:
    of_lane = _pipelines_where(limits, lambda each: each.lane == lane, unknown=lane == DEFAULT_LANE)
    return select(literal_column("1")).where(is_due(), *of_lane.conditions).limit(1)


_LAST_EVENTS = (
    select(events.c.id, events.c.request_id, events.c.type)
    .order_by(events.c.id.desc())
    .limit(_MOST_EVENTS)
    .subquery()
)
_LAST_DISPATCHED = (
    select(requests.c.pipeline)
    .join(_LAST_EVENTS, _LAST_EVENTS.c.request_id == requests.c.id)
    .where(_LAST_EVENTS.c.type == "dispatched")
    .order_by(_LAST_EVENTS.c.id.desc())
)
_BY_PIPELINE = (
    select(requests.c.pipeline, requests.c.status, func.count())
    .where(IS_OPEN, requests.c.status.in_(AT_WORK))
    .group_by(requests.c.pipeline, requests.c.status)
)
