"""The wait queues for places, for turns at a vendor, and for its verdicts. Read-only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    String,
    and_,
    case,
    cast,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from resources.ledger.admission import (
    PLACE_PREFIX,
    TURN_PREFIX,
    VERDICT_PREFIX,
    place_queue,
    turn_queue,
    verdict_queue,
)
from resources.ledger.queries.due import IS_IN_WAIT_QUEUE, AdmissionLimits, not_before_passed
from resources.ledger.queries.lane_capacity import EVERY_PIPELINE, OpenPipelines
from resources.ledger.rate_window import RateWindow
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests

LEAD_SECONDS = 2.0
"""A run is started this long before its turn, so that it is ready in time."""
_RECHECK_SECONDS = 0.25
_MAX_UNKNOWN_QUEUES = 10
_AT_WORK = (Status.DISPATCHED, Status.PROCESSING)

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

    `full` are the stages without a free place; `next_turn_in` is the seconds until the next turn is free. Only
    requests of the `open` pipelines are counted.
    """

    waiting: Mapping[str, int] = field(default_factory=dict)
    turns: Mapping[str, int] = field(default_factory=dict)
    full: tuple[str, ...] = ()
    next_turn_in: float | None = None
    open: OpenPipelines = EVERY_PIPELINE

    def ready(self, places: Mapping[str, int]) -> int:
        """How many waiting requests could be admitted, with these free places per limited stage."""
        return sum(
            min(count, self._free_in(queue, places, count)) for queue, count in self.waiting.items()
        )

    def queries(self, places: Mapping[str, int], at_most: int) -> Iterator[Select[Any]]:
        """A query for each queue with free capacity: its first requests in the order of asking, locked."""
        for queue, count in self.waiting.items():
            free = min(count, self._free_in(queue, places, count), at_most)
            if free > 0:
                ordered = (requests.c.priority.desc(), requests.c.asked_at, requests.c.id)
                query = (
                    select(*CANDIDATE_COLUMNS)
                    .where(*_is_in_queue(queue, self.full, self.open))
                    .order_by(*ordered)
                )
                yield query.limit(free).with_for_update(skip_locked=True)

    def _free_in(self, queue: str, places: Mapping[str, int], default: int) -> int:
        kind, _, name = queue.partition(":")
        free = {PLACE_PREFIX: places, TURN_PREFIX: self.turns}.get(f"{kind}:", {})
        return max(free.get(name, default), 0)


def read_wait_queues(
    tx: Connection,
    limits: AdmissionLimits,
    full: tuple[str, ...],
    at_most: int,
    pipelines: OpenPipelines = EVERY_PIPELINE,
) -> WaitQueues:
    """The wait queues as they are now, each counted up to `at_most`."""
    names = [place_queue(stage) for stage, _ in limits.places]
    names += [queue(vendor) for vendor, _ in limits.rates for queue in (turn_queue, verdict_queue)]
    names += _unknown_queues(tx, names)
    if not names:
        return WaitQueues()
    counts = [_count_in_queue(name, full, pipelines, at_most).label(name) for name in names]
    row = tx.execute(select(now().label("at"), *counts))
    at, *counted = row.one()
    waiting = {name: count for name, count in zip(names, counted, strict=True) if count}
    rates = {vendor: rate for vendor, rate in limits.rates if turn_queue(vendor) in waiting}
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
    return WaitQueues(waiting, turns, full, min(next_turns, default=None), pipelines)


def _unknown_queues(tx: Connection, names: Sequence[str]) -> list[str]:
    """Wait queues of stages and vendors that no longer exist: their requests are admitted without limit."""
    others = select(requests.c.waits_for).where(
        IS_IN_WAIT_QUEUE, requests.c.waits_for.not_in(names)
    )
    return list(tx.execute(others.distinct().limit(_MAX_UNKNOWN_QUEUES)).scalars())


def _count_in_queue(
    queue: str, full: tuple[str, ...], pipelines: OpenPipelines, at_most: int
) -> ScalarSelect[int]:
    conditions = _is_in_queue(queue, full, pipelines)
    rows: Select[Any] = select(literal_column("1")).select_from(requests).where(*conditions)
    return select(func.count()).select_from(rows.limit(at_most).subquery()).scalar_subquery()


def _is_in_queue(
    queue: str, full: tuple[str, ...], pipelines: OpenPipelines
) -> tuple[ColumnElement[bool], ...]:
    of_queue = (IS_IN_WAIT_QUEUE, requests.c.waits_for == queue, not_before_passed())
    here = (*of_queue, *pipelines.conditions)
    if not queue.startswith(PLACE_PREFIX) and full:
        return (*here, func.coalesce(requests.c.stage, "").not_in(full))
    return here


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
    """Whether other requests of the same or a higher priority are in the queue; a condition on `requests`."""
    ahead = requests.alias("ahead")
    return exists().where(
        IS_IN_WAIT_QUEUE,
        ahead.c.waits_for == queue,
        or_(ahead.c.not_before.is_(None), ahead.c.not_before <= now()),
        ahead.c.priority >= requests.c.priority,
        ahead.c.id != requests.c.id,
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
    )


def count_ahead() -> ScalarSelect[int]:
    """How many requests are ahead of a request in its queue; a column for queries on `requests`."""
    before = requests.alias("before")
    asked_before = or_(
        before.c.asked_at < requests.c.asked_at,
        and_(before.c.asked_at == requests.c.asked_at, before.c.id < requests.c.id),
    )
    goes_first = or_(
        before.c.priority > requests.c.priority,
        and_(before.c.priority == requests.c.priority, asked_before),
    )
    is_ahead_in_queue = (IS_IN_WAIT_QUEUE, before.c.waits_for == requests.c.waits_for, goes_first)
    return (
        select(func.count(before.c.id))
        .where(*is_ahead_in_queue)
        .correlate(requests)
        .scalar_subquery()
    )


def turns_held(vendor: str) -> ScalarSelect[int]:
    """How many dispatched or processing requests hold an unused turn at the vendor."""
    held = select(func.count()).where(requests.c.turn == vendor, requests.c.status.in_(_AT_WORK))
    return held.scalar_subquery()


def places_held(stage: str) -> ScalarSelect[int]:
    """How many dispatched or processing requests hold a place of the stage."""
    held = select(func.count()).where(requests.c.place == stage, requests.c.status.in_(_AT_WORK))
    return held.scalar_subquery()
