"""The wait queues for places, for turns at a vendor, and for its verdicts. Read-only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    ScalarSelect,
    Select,
    String,
    and_,
    case,
    cast,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
    tuple_,
)

from resources.ledger.admission import (
    APPROVAL_PREFIX,
    PLACE_PREFIX,
    VERDICT_PREFIX,
    PipelineStage,
    WaitQueue,
    stage_of_place_queue,
    turn_queue,
    vendor_of_turn_queue,
    verdict_queue,
)
from resources.ledger.queries.due import (
    IS_IN_WAIT_QUEUE,
    AdmissionLimits,
    is_at,
    not_before_passed,
)
from resources.ledger.queries.lane_capacity import EVERY_PIPELINE, OpenPipelines
from resources.ledger.rate_window import RateWindow
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import AT_WORK, Status, providers, requests

LEAD_SECONDS = 2.0
"""A run is started this long before its turn, so that it is ready in time."""
_RECHECK_SECONDS = 0.25
_MAX_UNKNOWN_QUEUES = 10
# An alias copies every column, so these are made once.
_AHEAD = requests.alias("ahead")
_BEFORE = requests.alias("before")
_HOLDING = requests.alias("holding")

# Only the columns that decide admission, as text: an operator may have written invalid values into others.
CANDIDATE_COLUMNS: tuple[ColumnElement[Any], ...] = (
    requests.c.id,
    cast(requests.c.priority, BigInteger).label("priority"),
    cast(func.coalesce(requests.c.asked_at, requests.c.created_at), String).label("asked"),
    cast(requests.c.stage, String).label("stage"),
    cast(requests.c.pipeline, String).label("pipeline"),
    case((IS_IN_WAIT_QUEUE, cast(requests.c.waits_for, String))).label("wait_queue"),
)


@dataclass(frozen=True)
class WaitQueues:
    """The length of each wait queue, and the number of free turns per vendor.

    `full` are the stages without a free place; `next_turn_in` is the seconds until the next turn is free.
    """

    waiting: Mapping[WaitQueue, int] = field(default_factory=dict)
    turns: Mapping[str, int] = field(default_factory=dict)
    full: tuple[PipelineStage, ...] = ()
    next_turn_in: float | None = None

    def ready(self, places: Mapping[PipelineStage, int]) -> int:
        """How many waiting requests could be admitted, with these free places per limited stage."""
        return sum(
            min(count, self._free_in(queue, places, count)) for queue, count in self.waiting.items()
        )

    def queries(
        self,
        places: Mapping[PipelineStage, int],
        at_most: int,
        lanes: Sequence[OpenPipelines] = (EVERY_PIPELINE,),
    ) -> Iterator[Select[Any]]:
        """A query for each queue with free capacity: its first requests in the order of asking, locked.

        One for each of the lanes, where a queue is of all pipelines: many requests of one lane hide no other's.
        """
        for queue, count in self.waiting.items():
            free = min(count, self._free_in(queue, places, count), at_most)
            for lane in lanes if queue.pipeline is None else (EVERY_PIPELINE,):
                if free > 0:
                    yield _first_in_queue(queue, self.full, lane, free)

    def _free_in(self, queue: WaitQueue, places: Mapping[PipelineStage, int], default: int) -> int:
        stage, vendor = stage_of_place_queue(queue.name), vendor_of_turn_queue(queue.name)
        if stage is not None and queue.pipeline is not None:
            return max(places.get(PipelineStage(queue.pipeline, stage), default), 0)
        return max(self.turns.get(vendor or "", default), 0)


def read_wait_queues(
    tx: Connection,
    limits: AdmissionLimits,
    full: tuple[PipelineStage, ...],
    at_most: int,
    pipelines: OpenPipelines = EVERY_PIPELINE,
) -> WaitQueues:
    """The wait queues as they are now; the requests of these pipelines are counted, up to `at_most` in each."""
    queues = _known_queues(limits)
    queues += _unknown_queues(tx, queues)
    if not queues:
        return WaitQueues()
    counts = [_count_in_queue(queue, full, pipelines, at_most) for queue in queues]
    row = tx.execute(select(now().label("at"), *counts))
    at, *counted = row.one()
    waiting = {queue: count for queue, count in zip(queues, counted, strict=True) if count}
    rates = {
        vendor: rate for vendor, rate in limits.rates if WaitQueue(turn_queue(vendor)) in waiting
    }
    turns: dict[str, int] = {}
    next_turns: list[float] = []
    for vendor, rate in rates.items():
        if rate is None:
            continue
        parked, text, held = tx.execute(_vendor_window(vendor)).one()
        window = RateWindow.read(text, rate, at.timestamp())
        left = window.room_for_orders(at.timestamp() + LEAD_SECONDS) - held
        turns[vendor] = 0 if parked else left
        if left <= 0:
            wait = window.next_order_at(at.timestamp(), held + 1) - at.timestamp() - LEAD_SECONDS
            next_turns.append(max(wait, _RECHECK_SECONDS))
    return WaitQueues(waiting, turns, full, min(next_turns, default=None))


def _known_queues(limits: AdmissionLimits) -> list[WaitQueue]:
    of_vendors = [
        WaitQueue(queue(vendor))
        for vendor, _ in limits.rates
        for queue in (turn_queue, verdict_queue)
    ]
    return [*(stage.wait_queue for stage, _ in limits.places), *of_vendors]


def _unknown_queues(tx: Connection, known: Sequence[WaitQueue]) -> list[WaitQueue]:
    """Wait queues of stages and vendors that no longer exist: their requests are admitted without limit."""
    of_one = [queue for queue in known if queue.pipeline is not None]
    others = select(requests.c.waits_for, requests.c.pipeline).where(
        IS_IN_WAIT_QUEUE,
        requests.c.waits_for.not_in([queue.name for queue in known if queue.pipeline is None]),
        tuple_(requests.c.waits_for, requests.c.pipeline).not_in(of_one),
    )
    rows = tx.execute(others.distinct().limit(_MAX_UNKNOWN_QUEUES))
    return [WaitQueue(name, pipeline) for name, pipeline in rows]


def _count_in_queue(
    queue: WaitQueue, full: tuple[PipelineStage, ...], pipelines: OpenPipelines, at_most: int
) -> ScalarSelect[int]:
    conditions = _is_in_queue(queue, full, pipelines)
    rows: Select[Any] = select(literal_column("1")).select_from(requests).where(*conditions)
    return select(func.count()).select_from(rows.limit(at_most).subquery()).scalar_subquery()


def _first_in_queue(
    queue: WaitQueue, full: tuple[PipelineStage, ...], pipelines: OpenPipelines, count: int
) -> Select[Any]:
    in_queue = select(*CANDIDATE_COLUMNS).where(*_is_in_queue(queue, full, pipelines))
    ordered = in_queue.order_by(requests.c.priority.desc(), requests.c.asked_at, requests.c.id)
    return ordered.limit(count).with_for_update(skip_locked=True)


def _is_in_queue(
    queue: WaitQueue, full: tuple[PipelineStage, ...], pipelines: OpenPipelines
) -> tuple[ColumnElement[bool], ...]:
    of_queue = (IS_IN_WAIT_QUEUE, requests.c.waits_for == queue.name, not_before_passed())
    here = (*of_queue, *pipelines.conditions)
    if queue.pipeline is not None:
        here = (*here, requests.c.pipeline == queue.pipeline)
    if stage_of_place_queue(queue.name) is not None:
        return here
    return (*here, *(func.coalesce(not_(is_at(stage)), True) for stage in full))


def _vendor_window(vendor: str) -> Select[Any]:
    """Whether the vendor is parked, its rate window, and how many turns at it are held and unused."""
    row = select((providers.c.parked_until > now()).label("parked"), providers.c.bucket).where(
        providers.c.name == vendor
    )
    of = row.subquery()
    one = select(literal_column("1").label("one")).subquery()
    return select(of.c.parked, of.c.bucket, turns_held(vendor)).select_from(
        one.outerjoin(of, literal_column("1") == literal_column("1"))
    )


def has_others_ahead(queue: str) -> ColumnElement[bool]:
    """Whether other requests of the same or a higher priority are in the queue; a condition on `requests`.

    Those of other lanes count: the queue is served by lanes in turn, and a request that passed it would have more.
    """
    return exists().where(
        IS_IN_WAIT_QUEUE,
        _is_in_same_queue(_AHEAD, queue),
        or_(_AHEAD.c.not_before.is_(None), _AHEAD.c.not_before <= now()),
        _AHEAD.c.priority >= requests.c.priority,
        _AHEAD.c.id != requests.c.id,
    )


def has_waiting(queue: str) -> ColumnElement[bool]:
    """Whether a request in this queue is due."""
    return exists().where(IS_IN_WAIT_QUEUE, requests.c.waits_for == queue, not_before_passed())


def is_in_ordered_queue() -> ColumnElement[bool]:
    """The request is in a wait queue that is served in the order of asking; a condition on `requests`."""
    return and_(
        requests.c.status == Status.PENDING,
        requests.c.asked_at.is_not(None),
        requests.c.waits_for.is_not(None),
        requests.c.waits_for.not_like(f"{VERDICT_PREFIX}%"),
        requests.c.waits_for.not_like(f"{APPROVAL_PREFIX}%"),
    )


def count_ahead() -> ScalarSelect[int]:
    """How many requests are ahead of a request in its queue; a column for queries on `requests`."""
    asked_before = or_(
        _BEFORE.c.asked_at < requests.c.asked_at,
        and_(_BEFORE.c.asked_at == requests.c.asked_at, _BEFORE.c.id < requests.c.id),
    )
    goes_first = or_(
        _BEFORE.c.priority > requests.c.priority,
        and_(_BEFORE.c.priority == requests.c.priority, asked_before),
    )
    return (
        select(func.count(_BEFORE.c.id))
        .where(IS_IN_WAIT_QUEUE, _is_in_same_queue(_BEFORE, requests.c.waits_for), goes_first)
        .correlate(requests)
        .scalar_subquery()
    )


def _is_in_same_queue(
    other: FromClause, waits_for: str | ColumnElement[str]
) -> ColumnElement[bool]:
    """The `other` request would be in one queue with a request that has this `waits_for`."""
    is_of_all_pipelines = other.c.waits_for.not_like(f"{PLACE_PREFIX}%")
    return and_(
        other.c.waits_for == waits_for,
        or_(is_of_all_pipelines, other.c.pipeline == requests.c.pipeline),
    )


def turns_held(vendor: str) -> ScalarSelect[int]:
    """How many dispatched or processing requests hold an unused turn at the vendor."""
    held = select(func.count()).where(requests.c.turn == vendor, requests.c.status.in_(AT_WORK))
    return held.scalar_subquery()


def places_held(stage: str, pipeline: str | ColumnElement[str]) -> ScalarSelect[int]:
    """How many dispatched or processing requests of the pipeline hold a place of the stage."""
    held = select(func.count(_HOLDING.c.id)).where(
        _HOLDING.c.place == stage,
        _HOLDING.c.pipeline == pipeline,
        _HOLDING.c.status.in_(AT_WORK),
    )
    return held.correlate(requests).scalar_subquery()
