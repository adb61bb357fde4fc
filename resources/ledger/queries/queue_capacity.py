"""The capacity of each queue, and which pipelines have some. Read-only."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, Select, func, literal_column, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.due import IS_OPEN, AdmissionLimits, Capacity, is_due, is_working
from resources.ledger.request import Request
from resources.ledger.schema.tables import AT_WORK, Status, events, requests, workers
from resources.ledger.worker_queues import (
    DEFAULT_QUEUE,
    PipelineLimit,
    QueueCapacity,
    WorkerGroup,
    after_dispatched,
    parse_queues,
)

# Only among so many is looked for what was dispatched last: a queue that is not there was served long ago.
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


def read_queue_capacity(tx: Connection, slots: Capacity) -> QueueCapacity | None:
    """The capacity of the queues; None, and nothing is read, where all share the default queue without limits."""
    limits = slots.limits
    if not limits.has_queues:
        return None
    counted: dict[str, Counter[str]] = {status: Counter() for status in AT_WORK}
    at_work: Counter[str] = Counter()
    for pipeline, status, count in tx.execute(_BY_PIPELINE):
        counted[status][limits.get_queue(pipeline)] += count
        at_work[pipeline] += count
    return QueueCapacity(
        workers=after_dispatched(_workers(tx, slots), counted[Status.DISPATCHED]),
        slots_left={
            each.name: each.slots - at_work[each.name]
            for each in limits.pipelines
            if each.slots is not None
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


def _workers(tx: Connection, slots: Capacity) -> list[WorkerGroup]:
    """The living workers by the queues that they serve, or the one that is started on demand."""
    owner = workers.c.name + ":" + workers.c.nonce
    busy = (
        select(func.count())
        .where(IS_OPEN, requests.c.status == Status.PROCESSING, requests.c.lease_owner == owner)
        .scalar_subquery()
    )
    each = select(workers.c.queues, (workers.c.slots - busy).label("free")).where(
        is_working(slots.lease_seconds)
    )
    free: Counter[str | None] = Counter()
    for queues, count in tx.execute(each):
        free[queues] += max(count, 0)
    groups = [WorkerGroup(parse_queues(queues), count) for queues, count in free.items()]
    return groups or ([WorkerGroup(None, slots.on_demand)] if slots.on_demand else [])


def with_served(
    tx: Connection, limits: AdmissionLimits, capacity: QueueCapacity | None
) -> QueueCapacity | None:
    """The capacity, and which queues were served lately."""
    if capacity is None:
        return None
    queues = (limits.get_queue(pipeline) for pipeline in tx.execute(_LAST_DISPATCHED).scalars())
    return replace(capacity, served=tuple(dict.fromkeys(queues)))


def open_pipelines(limits: AdmissionLimits, capacity: QueueCapacity | None) -> OpenPipelines:
    """The pipelines with a free slot in their queue and of their own."""
    if capacity is None:
        return EVERY_PIPELINE
    return _pipelines_where(limits, capacity.is_open, unknown=capacity.free(DEFAULT_QUEUE) > 0)


def starved_pipelines(
    limits: AdmissionLimits, capacity: QueueCapacity | None, queues: frozenset[str] | None
) -> OpenPipelines:
    """The pipelines of these queues that lack nothing but a worker's slot; None for all queues."""
    if capacity is None:
        return EVERY_PIPELINE

    def is_starved(each: PipelineLimit) -> bool:
        is_ours = queues is None or each.queue in queues
        has_slot = capacity.slots_left.get(each.name, 1) > 0
        return is_ours and has_slot and capacity.free(each.queue) <= 0

    return _pipelines_where(limits, is_starved, unknown=is_starved(PipelineLimit("")))


def open_queues(
    limits: AdmissionLimits, capacity: QueueCapacity | None
) -> tuple[OpenPipelines, ...]:
    """As `open_pipelines`, apart for each queue with a free slot."""
    if capacity is None:
        return (EVERY_PIPELINE,)
    free = (queue for queue in limits.queues if capacity.free(queue) > 0)
    return tuple(open_in_queue(limits, capacity, queue) for queue in free)


def open_in_queue(limits: AdmissionLimits, capacity: QueueCapacity, queue: str) -> OpenPipelines:
    """As `open_pipelines`, of one queue."""

    def is_open(each: PipelineLimit) -> bool:
        return each.queue == queue and capacity.is_open(each)

    return _pipelines_where(limits, is_open, unknown=queue == DEFAULT_QUEUE)


def _pipelines_where(
    limits: AdmissionLimits, are: Callable[[PipelineLimit], bool], *, unknown: bool
) -> OpenPipelines:
    """The pipelines that are so; `unknown` says whether one that is not known is: it is in the default queue."""
    names = tuple(each.name for each in limits.pipelines if are(each) != unknown)
    return OpenPipelines(names, only=not unknown)


def unserved_queues(
    tx: Connection, limits: AdmissionLimits, capacity: QueueCapacity | None
) -> tuple[str, ...]:
    """The queues with a due request that no living worker serves."""
    queues = _queues_without_worker(limits, capacity)
    return tuple(queue for queue in queues if tx.execute(_due_in(limits, queue)).first())


def full_queues(limits: AdmissionLimits, capacity: QueueCapacity | None) -> tuple[str, ...]:
    """The queues whose workers have no free slot."""
    if capacity is None:
        return ()
    served = (queue for queue in limits.queues if capacity.is_served(queue))
    return tuple(queue for queue in served if not capacity.free(queue))


def _queues_without_worker(limits: AdmissionLimits, capacity: QueueCapacity | None) -> list[str]:
    """The queues that no living worker serves; none where no worker is alive at all."""
    if capacity is None or not capacity.workers:
        return []
    return [queue for queue in limits.queues if not capacity.is_served(queue)]


@retry_transient
def queues_without_worker(db: Database, slots: Capacity) -> dict[str, bool]:
    """The queues that no living worker serves, and whether a request is due in each.

    None where no worker is alive at all.
    """
    with db.reading() as tx:
        capacity = read_queue_capacity(tx, slots)
        waited_in = unserved_queues(tx, slots.limits, capacity)
    queues = _queues_without_worker(slots.limits, capacity)
    return {queue: queue in waited_in for queue in queues}


def _due_in(limits: AdmissionLimits, queue: str) -> Select[tuple[int]]:
    of_queue = _pipelines_where(
        limits, lambda each: each.queue == queue, unknown=queue == DEFAULT_QUEUE
    )
    return select(literal_column("1")).where(is_due(), *of_queue.conditions).limit(1)


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
