"""Conditions for due requests, and the capacity that the limits leave for them."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from resources.contract.protocol import Rate
from resources.ledger.admission import (
    DEFAULT_QUEUE,
    ORDER_PREFIX,
    PipelineLimit,
    PipelineStage,
    QueueCapacity,
    WorkerGroup,
    after_dispatched,
    parse_queues,
)
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    AT_WORK,
    DUE,
    ENDED,
    OPEN,
    TERMINAL,
    WAITING_FOR_LIMIT,
    Status,
    events,
    providers,
    requests,
    workers,
)

# SQLite uses a partial index only where the query repeats the index's condition verbatim.
IS_OPEN: ColumnElement[bool] = literal_column(OPEN)
IS_WAITING_FOR_LIMIT: ColumnElement[bool] = literal_column(WAITING_FOR_LIMIT)
IS_ENDED: ColumnElement[bool] = literal_column(ENDED)
MAY_BE_DUE: ColumnElement[bool] = literal_column(DUE)
LEASE_OWNER = workers.c.name + ":" + workers.c.nonce
"""The `lease_owner` of the requests that a worker processes."""
# The last dispatch of each queue is searched among this many events: a queue without one was served long ago.
_MOST_EVENTS = 200
_OTHER = requests.alias("other")


@dataclass(frozen=True)
class AdmissionLimits:
    """The limits that a request needs capacity of, beyond a worker's slot.

    `slots` is the limit of each stage, None without one; `first_stages` the first stage of each pipeline; `rates`
    the rate limit of each vendor, None where it is unknown; `pipelines` the queue and the limit of each pipeline.
    """

    slots: tuple[tuple[PipelineStage, int | None], ...] = ()
    first_stages: tuple[tuple[str, str], ...] = ()
    rates: tuple[tuple[str, Rate | None], ...] = ()
    pipelines: tuple[PipelineLimit, ...] = ()

    @property
    def queues(self) -> tuple[str, ...]:
        """All queues, the default one first."""
        return tuple(dict.fromkeys((DEFAULT_QUEUE, *(each.queue for each in self.pipelines))))

    @property
    def has_queues(self) -> bool:
        """Whether there is more than one queue, or a pipeline with a limit."""
        return len(self.queues) > 1 or any(each.slots is not None for each in self.pipelines)

    def get_queue(self, pipeline: str) -> str:
        """Get the queue of a pipeline; the default one where it is unknown, since SQL can write any name."""
        return next((e.queue for e in self.pipelines if e.name == pipeline), DEFAULT_QUEUE)

    @property
    def limited(self) -> Mapping[PipelineStage, int]:
        """The stages with a limited number of slots."""
        return {stage: limit for stage, limit in self.slots if limit is not None}


@dataclass(frozen=True)
class Capacity:
    """The slots for runs: those of living workers, or of a worker that is started on demand.

    `on_demand` slots count while no worker is alive; 0 where none would be started.
    """

    on_demand: int
    lease_seconds: float
    limits: AdmissionLimits = field(default_factory=AdmissionLimits)


def is_working(lease_seconds: float) -> ColumnElement[bool]:
    """Build the condition on `workers` that a worker is alive and offers slots."""
    return and_(workers.c.slots > 0, workers.c.beat_at > after(-lease_seconds))


def is_due() -> ColumnElement[bool]:
    """Build the condition on `requests` that a request lacks only capacity and waits for no limit."""
    return and_(
        MAY_BE_DUE,
        is_past_not_before(),
        ~exists().where(providers.c.name == requests.c.waits_for, providers.c.paused_until > now()),
        _waits_for_no_request(),
        or_(requests.c.status == Status.PENDING, requests.c.retry_count <= requests.c.max_retries),
    )


def _waits_for_no_request() -> ColumnElement[bool]:
    """Build the condition on `requests` that a request does not wait for another one's result."""
    # A scalar subquery: Postgres would read the whole table for a NOT EXISTS.
    status = select(_OTHER.c.status).where(
        _OTHER.c.task_id == func.substr(requests.c.waits_for, len(ORDER_PREFIX) + 1)
    )
    return or_(
        requests.c.waits_for.is_(None),
        func.substr(requests.c.waits_for, 1, len(ORDER_PREFIX)) != ORDER_PREFIX,
        func.coalesce(status.scalar_subquery(), Status.DEAD).in_(TERMINAL),
    )


def is_past_not_before() -> ColumnElement[bool]:
    """Build the condition on `requests` that `not_before` is over or not set."""
    return or_(requests.c.not_before.is_(None), requests.c.not_before <= now())


def is_next_stage(of: PipelineStage, limits: AdmissionLimits) -> ColumnElement[bool]:
    """Build the condition on `requests` that this is the next stage, as far as the row shows."""
    if of not in limits.first_stages:
        return is_at(of)
    return or_(is_at(of), and_(requests.c.pipeline == of.pipeline, requests.c.stage.is_(None)))


def is_at(of: PipelineStage) -> ColumnElement[bool]:
    """Build the condition on `requests` that the row names this stage."""
    return and_(requests.c.pipeline == of.pipeline, requests.c.stage == of.stage)


@dataclass(frozen=True)
class OpenPipelines:
    """The pipelines whose requests are considered: all but `names`, or `only` these."""

    names: tuple[str, ...] = ()
    only: bool = False

    @property
    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        """The conditions on `requests`; none where every request is considered."""
        if self.only:
            return (requests.c.pipeline.in_(self.names),)
        return (requests.c.pipeline.not_in(self.names),) if self.names else ()


EVERY_PIPELINE = OpenPipelines()


def read_queue_capacity(tx: Connection, slots: Capacity) -> QueueCapacity | None:
    """Read the capacity of the queues; None where all pipelines share the default queue without limits."""
    limits = slots.limits
    if not limits.has_queues:
        return None
    counted: dict[str, Counter[str]] = {status: Counter() for status in AT_WORK}
    at_work: Counter[str] = Counter()
    for pipeline, status, count in tx.execute(_BY_PIPELINE):
        counted[status][limits.get_queue(pipeline)] += count
        at_work[pipeline] += count
    return QueueCapacity(
        workers=after_dispatched(_group_workers(tx, slots), counted[Status.DISPATCHED]),
        slots_left={
            each.name: each.slots - at_work[each.name]
            for each in limits.pipelines
            if each.slots is not None
        },
        at_work=sum(counted.values(), Counter()),
    )


def others_at_work(tx: Connection, request: Request) -> int:
    """Count the other requests of this one's pipeline that are dispatched or processing."""
    count = select(func.count()).where(
        IS_OPEN,
        requests.c.status.in_(AT_WORK),
        requests.c.pipeline == request.pipeline,
        requests.c.id != request.id,
    )
    return tx.execute(count).scalar_one()


def _group_workers(tx: Connection, slots: Capacity) -> list[WorkerGroup]:
    """Group the living workers by the queues that they serve, or return the worker started on demand."""
    busy = (
        select(func.count())
        .where(
            IS_OPEN, requests.c.status == Status.PROCESSING, requests.c.lease_owner == LEASE_OWNER
        )
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


def add_served(
    tx: Connection, limits: AdmissionLimits, capacity: QueueCapacity | None
) -> QueueCapacity | None:
    """Add to the capacity which queues were served lately."""
    if capacity is None:
        return None
    queues = (limits.get_queue(pipeline) for pipeline in tx.execute(_LAST_DISPATCHED).scalars())
    return replace(capacity, served=tuple(dict.fromkeys(queues)))


def find_open_pipelines(limits: AdmissionLimits, capacity: QueueCapacity | None) -> OpenPipelines:
    """Find the pipelines with a free slot in their queue and within their own limit."""
    if capacity is None:
        return EVERY_PIPELINE
    return _select_pipelines(limits, capacity.is_open, unknown=capacity.free(DEFAULT_QUEUE) > 0)


def find_starved_pipelines(
    limits: AdmissionLimits, capacity: QueueCapacity | None, queues: frozenset[str] | None
) -> OpenPipelines:
    """Find the pipelines of these queues (None: of all) that lack only a worker's slot."""
    if capacity is None:
        return EVERY_PIPELINE

    def is_starved(each: PipelineLimit) -> bool:
        is_ours = queues is None or each.queue in queues
        has_slot = capacity.slots_left.get(each.name, 1) > 0
        return is_ours and has_slot and capacity.free(each.queue) <= 0

    return _select_pipelines(limits, is_starved, unknown=is_starved(PipelineLimit("")))


def split_open_queues(
    limits: AdmissionLimits, capacity: QueueCapacity | None
) -> tuple[OpenPipelines, ...]:
    """Find the open pipelines of each queue with a free slot, queue by queue."""
    if capacity is None:
        return (EVERY_PIPELINE,)
    free = (queue for queue in limits.queues if capacity.free(queue) > 0)
    return tuple(find_open_in_queue(limits, capacity, queue) for queue in free)


def find_open_in_queue(
    limits: AdmissionLimits, capacity: QueueCapacity, queue: str
) -> OpenPipelines:
    """Find the open pipelines of one queue."""

    def is_open(each: PipelineLimit) -> bool:
        return each.queue == queue and capacity.is_open(each)

    return _select_pipelines(limits, is_open, unknown=queue == DEFAULT_QUEUE)


def _select_pipelines(
    limits: AdmissionLimits, are: Callable[[PipelineLimit], bool], *, unknown: bool
) -> OpenPipelines:
    """Select the pipelines that fulfill `are`; `unknown` decides for those that are not known."""
    names = tuple(each.name for each in limits.pipelines if are(each) != unknown)
    return OpenPipelines(names, only=not unknown)


def find_unserved_queues(
    tx: Connection, limits: AdmissionLimits, capacity: QueueCapacity | None
) -> tuple[str, ...]:
    """Find the queues with a due request that no living worker serves."""
    queues = _list_queues_without_worker(limits, capacity)
    return tuple(queue for queue in queues if tx.execute(_select_due_in(limits, queue)).first())


def find_full_queues(limits: AdmissionLimits, capacity: QueueCapacity | None) -> tuple[str, ...]:
    """Find the queues whose workers have no free slot."""
    if capacity is None:
        return ()
    served = (queue for queue in limits.queues if capacity.is_served(queue))
    return tuple(queue for queue in served if not capacity.free(queue))


def _list_queues_without_worker(
    limits: AdmissionLimits, capacity: QueueCapacity | None
) -> list[str]:
    """List the queues that no living worker serves; none where no worker is alive at all."""
    if capacity is None or not capacity.workers:
        return []
    return [queue for queue in limits.queues if not capacity.is_served(queue)]


@retry_transient
def queues_without_worker(db: Database, slots: Capacity) -> dict[str, bool]:
    """Find the queues that no living worker serves, and whether a request is due in each.

    The result is empty where no worker is alive at all.
    """
    with db.reading() as tx:
        capacity = read_queue_capacity(tx, slots)
        waited_in = find_unserved_queues(tx, slots.limits, capacity)
    queues = _list_queues_without_worker(slots.limits, capacity)
    return {queue: queue in waited_in for queue in queues}


def _select_due_in(limits: AdmissionLimits, queue: str) -> Select[tuple[int]]:
    of_queue = _select_pipelines(
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
