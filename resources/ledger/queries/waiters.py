"""Read the requests that wait for slots, for a vendor's permits and for its final statuses."""

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
    FINAL_STATUS_PREFIX,
    SLOT_PREFIX,
    PipelineStage,
    RateWindow,
    Waiters,
    format_final_status_wait,
    format_permit_wait,
    parse_permit_wait,
    parse_slot_wait,
)
from resources.ledger.queries.limits import (
    EVERY_PIPELINE,
    IS_WAITING_FOR_LIMIT,
    AdmissionLimits,
    OpenPipelines,
    is_at,
    is_past_not_before,
)
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import AT_WORK, Status, providers, requests

LEAD_SECONDS = 2.0
"""A run is started this long before a permit is free for it, so that it is ready in time."""
_RECHECK_SECONDS = 0.25
_MAX_UNKNOWN_LIMITS = 10
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
    case((IS_WAITING_FOR_LIMIT, cast(requests.c.waits_for, String))).label("awaited_limit"),
)


@dataclass(frozen=True)
class AllWaiters:
    """The number of waiters at each limit, and of free permits per vendor.

    `full` are the stages without a free slot; `next_permit_in` is the seconds until the next permit is free.
    """

    waiting: Mapping[Waiters, int] = field(default_factory=dict)
    permits: Mapping[str, int] = field(default_factory=dict)
    full: tuple[PipelineStage, ...] = ()
    next_permit_in: float | None = None

    def count_ready(self, slots: Mapping[PipelineStage, int]) -> int:
        """Count the waiting requests that could be admitted, with these free slots per limited stage."""
        return sum(
            min(count, self._count_free(waiters, slots, count))
            for waiters, count in self.waiting.items()
        )

    def build_queries(
        self,
        slots: Mapping[PipelineStage, int],
        at_most: int,
        queues: Sequence[OpenPipelines],
    ) -> Iterator[Select[Any]]:
        """Build a query for each limit with free capacity, which locks its first waiters in the order of asking.

        A limit of all pipelines has one for each queue, so that many requests of one queue hide no other's.
        """
        for waiters, count in self.waiting.items():
            free = min(count, self._count_free(waiters, slots, count), at_most)
            for queue in queues if waiters.pipeline is None else (EVERY_PIPELINE,):
                if free > 0:
                    yield _select_first(waiters, self.full, queue, free)

    def _count_free(
        self, waiters: Waiters, slots: Mapping[PipelineStage, int], default: int
    ) -> int:
        stage, vendor = parse_slot_wait(waiters.name), parse_permit_wait(waiters.name)
        if stage is not None and waiters.pipeline is not None:
            return max(slots.get(PipelineStage(waiters.pipeline, stage), default), 0)
        return max(self.permits.get(vendor or "", default), 0)


def read_all_waiters(
    tx: Connection,
    limits: AdmissionLimits,
    full: tuple[PipelineStage, ...],
    at_most: int,
    pipelines: OpenPipelines,
) -> AllWaiters:
    """Count the waiters of these pipelines at each limit, up to `at_most` at each."""
    listed = _list_known(limits)
    listed += _find_unknown(tx, listed)
    if not listed:
        return AllWaiters()
    counts = [_count_waiters(waiters, full, pipelines, at_most) for waiters in listed]
    row = tx.execute(select(now().label("at"), *counts))
    at, *counted = row.one()
    waiting = {waiters: count for waiters, count in zip(listed, counted, strict=True) if count}
    rates = {
        vendor: rate
        for vendor, rate in limits.rates
        if Waiters(format_permit_wait(vendor)) in waiting
    }
    permits: dict[str, int] = {}
    next_permits: list[float] = []
    for vendor, rate in rates.items():
        if rate is None:
            continue
        paused, text, held = tx.execute(_select_vendor_window(vendor)).one()
        window = RateWindow.read(text, rate, at.timestamp())
        left = window.room_for_submissions(at.timestamp() + LEAD_SECONDS) - held
        permits[vendor] = 0 if paused else left
        if left <= 0:
            wait = (
                window.next_submission_at(at.timestamp(), held + 1) - at.timestamp() - LEAD_SECONDS
            )
            next_permits.append(max(wait, _RECHECK_SECONDS))
    return AllWaiters(waiting, permits, full, min(next_permits, default=None))


def _list_known(limits: AdmissionLimits) -> list[Waiters]:
    of_vendors = [
        Waiters(format_wait(vendor))
        for vendor, _ in limits.rates
        for format_wait in (format_permit_wait, format_final_status_wait)
    ]
    return [*(stage.waiters for stage, _ in limits.slots), *of_vendors]


def _find_unknown(tx: Connection, known: Sequence[Waiters]) -> list[Waiters]:
    """Find waiters of stages and vendors that no longer exist: they are admitted without limit."""
    of_one = [waiters for waiters in known if waiters.pipeline is not None]
    others = select(requests.c.waits_for, requests.c.pipeline).where(
        IS_WAITING_FOR_LIMIT,
        requests.c.waits_for.not_in(
            [waiters.name for waiters in known if waiters.pipeline is None]
        ),
        tuple_(requests.c.waits_for, requests.c.pipeline).not_in(of_one),
    )
    rows = tx.execute(others.distinct().limit(_MAX_UNKNOWN_LIMITS))
    return [Waiters(name, pipeline) for name, pipeline in rows]


def _count_waiters(
    waiters: Waiters, full: tuple[PipelineStage, ...], pipelines: OpenPipelines, at_most: int
) -> ScalarSelect[int]:
    conditions = _build_conditions(waiters, full, pipelines)
    rows: Select[Any] = select(literal_column("1")).select_from(requests).where(*conditions)
    return select(func.count()).select_from(rows.limit(at_most).subquery()).scalar_subquery()


def _select_first(
    waiters: Waiters, full: tuple[PipelineStage, ...], pipelines: OpenPipelines, count: int
) -> Select[Any]:
    found = select(*CANDIDATE_COLUMNS).where(*_build_conditions(waiters, full, pipelines))
    ordered = found.order_by(requests.c.priority.desc(), requests.c.asked_at, requests.c.id)
    return ordered.limit(count).with_for_update(skip_locked=True)


def _build_conditions(
    waiters: Waiters, full: tuple[PipelineStage, ...], pipelines: OpenPipelines
) -> tuple[ColumnElement[bool], ...]:
    waiting = (IS_WAITING_FOR_LIMIT, requests.c.waits_for == waiters.name, is_past_not_before())
    here = (*waiting, *pipelines.conditions)
    if waiters.pipeline is not None:
        here = (*here, requests.c.pipeline == waiters.pipeline)
    if parse_slot_wait(waiters.name) is not None:
        return here
    return (*here, *(func.coalesce(not_(is_at(stage)), True) for stage in full))


def _select_vendor_window(vendor: str) -> Select[Any]:
    """Select whether the vendor is paused, its rate window, and how many permits are held and unused."""
    row = select((providers.c.paused_until > now()).label("paused"), providers.c.bucket).where(
        providers.c.name == vendor
    )
    of = row.subquery()
    one = select(literal_column("1").label("one")).subquery()
    return select(of.c.paused, of.c.bucket, permits_held(vendor)).select_from(
        one.outerjoin(of, literal_column("1") == literal_column("1"))
    )


def has_others_ahead(waits_for: str) -> ColumnElement[bool]:
    """Check whether others of the same or a higher priority wait for the same; a condition on `requests`.

    Those of other queues count: the queues are served in rotation, and one that overtook would get more.
    """
    return exists().where(
        IS_WAITING_FOR_LIMIT,
        _is_same_wait(_AHEAD, waits_for),
        or_(_AHEAD.c.not_before.is_(None), _AHEAD.c.not_before <= now()),
        _AHEAD.c.priority >= requests.c.priority,
        _AHEAD.c.id != requests.c.id,
    )


def has_waiting(waits_for: str) -> ColumnElement[bool]:
    """Check whether a request that waits for this is due."""
    return exists().where(
        IS_WAITING_FOR_LIMIT, requests.c.waits_for == waits_for, is_past_not_before()
    )


def is_waiting_in_order() -> ColumnElement[bool]:
    """Build the condition on `requests` that a request waits for a limit given in the order of asking."""
    return and_(
        requests.c.status == Status.PENDING,
        requests.c.asked_at.is_not(None),
        requests.c.waits_for.is_not(None),
        requests.c.waits_for.not_like(f"{FINAL_STATUS_PREFIX}%"),
        requests.c.waits_for.not_like(f"{APPROVAL_PREFIX}%"),
    )


def count_ahead() -> ScalarSelect[int]:
    """Count the requests ahead of one that waits; a column for queries on `requests`."""
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
        .where(IS_WAITING_FOR_LIMIT, _is_same_wait(_BEFORE, requests.c.waits_for), goes_first)
        .correlate(requests)
        .scalar_subquery()
    )


def _is_same_wait(other: FromClause, waits_for: str | ColumnElement[str]) -> ColumnElement[bool]:
    """Check that the `other` request waits for the same as one with this `waits_for`."""
    is_of_all_pipelines = other.c.waits_for.not_like(f"{SLOT_PREFIX}%")
    return and_(
        other.c.waits_for == waits_for,
        or_(is_of_all_pipelines, other.c.pipeline == requests.c.pipeline),
    )


def permits_held(vendor: str) -> ScalarSelect[int]:
    """Count the dispatched or processing requests that hold an unused permit at the vendor."""
    held = select(func.count()).where(requests.c.permit == vendor, requests.c.status.in_(AT_WORK))
    return held.scalar_subquery()


def slots_held(stage: str, pipeline: str | ColumnElement[str]) -> ScalarSelect[int]:
    """Count the dispatched or processing requests of the pipeline that hold a slot of the stage."""
    held = select(func.count(_HOLDING.c.id)).where(
        _HOLDING.c.slot == stage,
        _HOLDING.c.pipeline == pipeline,
        _HOLDING.c.status.in_(AT_WORK),
    )
    return held.correlate(requests).scalar_subquery()
