"""Decide which requests may be dispatched now, and in which order."""

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
    QueueCapacity,
    parse_permit_wait,
    parse_slot_wait,
)
from resources.ledger.db.database import Database
from resources.ledger.queries.limits import (
    EVERY_PIPELINE,
    IS_OPEN,
    IS_WAITING_FOR_LIMIT,
    LEASE_OWNER,
    MAY_BE_DUE,
    AdmissionLimits,
    Capacity,
    OpenPipelines,
    add_served,
    find_full_queues,
    find_open_in_queue,
    find_open_pipelines,
    find_starved_pipelines,
    find_unserved_queues,
    is_due,
    is_next_stage,
    is_working,
    read_queue_capacity,
    split_open_queues,
)
from resources.ledger.queries.waiters import (
    CANDIDATE_COLUMNS,
    AllWaiters,
    read_all_waiters,
    slots_held,
)
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, providers, requests, workers


@dataclass(frozen=True)
class DispatchSnapshot:
    """The requests that could be dispatched at one moment, and the limits that prevent more.

    `ready` counts the due requests with a free slot, up to the limit given. `changes_in` is the seconds until
    time alone may make another request due, None where it cannot. `queues` is None where all pipelines share the
    default queue; `unserved` are queues with a due request that no living worker serves, `full` those without a
    free slot.
    """

    ready: int
    offered: int
    free: int
    is_paused: bool
    changes_in: float | None
    queues: QueueCapacity | None = None
    unserved: tuple[str, ...] = ()
    full: tuple[str, ...] = ()


def read_dispatch_snapshot(db: Database, slots: Capacity, at_most: int) -> DispatchSnapshot:
    """Read the snapshot by one statement; queues and limits with waiters need further ones."""
    with db.reading() as tx:
        queues = read_queue_capacity(tx, slots)
        pipelines = find_open_pipelines(slots.limits, queues)
        row = tx.execute(_build_snapshot_query(slots, at_most, pipelines)).one()
        free, free_slots = _count_free_runs(row, queues), _count_slots_left(row, slots.limits)
        all_waiters = (
            _read_all_waiters(tx, row, slots.limits, free_slots, at_most, pipelines)
            if free > 0
            else AllWaiters()
        )
        unserved = find_unserved_queues(tx, slots.limits, queues)
    moments = [moment for moment in (row.later, row.resumes_at) if moment is not None]
    waits = [(min(moments) - row.at).total_seconds()] if moments else []
    waits += [] if all_waiters.next_permit_in is None else [all_waiters.next_permit_in]
    return DispatchSnapshot(
        ready=min(row.ready + all_waiters.count_ready(free_slots), free),
        offered=row.offered,
        free=free,
        is_paused=row.resumes_at is not None,
        changes_in=min(waits, default=None),
        queues=queues,
        unserved=unserved,
        full=find_full_queues(slots.limits, queues),
    )


def count_starved(
    db: Database, slots: Capacity, at_most: int, queues: frozenset[str] | None = None
) -> int:
    """Count the requests that lack only a worker's slot, up to `at_most`; 0 while a slot is free.

    With `queues` only requests of these queues are counted.
    """
    with db.reading() as tx:
        capacity = read_queue_capacity(tx, slots)
        starved = find_starved_pipelines(slots.limits, capacity, queues)
        row = tx.execute(_build_starved_query(slots, at_most, starved)).one()
        if row.free > 0 and capacity is None:
            return 0
        free_slots = _count_slots_left(row, slots.limits)
        all_waiters = _read_all_waiters(tx, row, slots.limits, free_slots, at_most, starved)
    return min(int(row.ready) + all_waiters.count_ready(free_slots), at_most)


def list_due_task_ids(db: Database, limit: int) -> list[str]:
    """List the first due requests, whether or not a slot is free for them."""
    query = select(requests.c.task_id).where(is_due())
    first = query.order_by(requests.c.priority.desc(), requests.c.id).limit(limit)
    with db.reading() as tx:
        return list(tx.execute(first).scalars())


def lock_candidates(
    tx: Connection, slots: Capacity, at_most: int, exclude: Collection[int] = ()
) -> tuple[FreeCapacity, list[Candidate]]:
    """Return the free capacity, and lock the requests that may use it; skip rows locked elsewhere."""
    row = tx.execute(_build_capacity_query(slots)).one()
    queues = read_queue_capacity(tx, slots)
    count = min(_count_free_runs(row, queues), at_most)
    if not count:
        return FreeCapacity(0, {}, {}), []
    pipelines = find_open_pipelines(slots.limits, queues)
    free_slots = _count_slots_left(row, slots.limits)
    all_waiters = _read_all_waiters(tx, row, slots.limits, free_slots, count, pipelines)
    queries = [
        *_build_due_queries(slots.limits, queues, free_slots, count),
        *all_waiters.build_queries(free_slots, count, split_open_queues(slots.limits, queues)),
    ]
    found = [each for query in queries for each in tx.execute(_exclude(query, exclude))]
    listed = [_make_candidate(each, slots.limits) for each in found]
    queues = add_served(tx, slots.limits, queues)
    return FreeCapacity(count, free_slots, all_waiters.permits, queues), listed


def _exclude(query: Select[Any], exclude: Collection[int]) -> Select[Any]:
    return query.where(requests.c.id.not_in(exclude)) if exclude else query


def _make_candidate(row: Row[Any], limits: AdmissionLimits) -> Candidate:
    slot = _get_next_stage(row, limits)
    return Candidate(
        id=row.id,
        priority=row.priority,
        asked=row.asked,
        slot=slot if slot in limits.limited else None,
        permit=parse_permit_wait(row.awaited_limit),
        queue=limits.get_queue(row.pipeline),
        pipeline=row.pipeline,
    )


def _get_next_stage(row: Row[Any], limits: AdmissionLimits) -> PipelineStage:
    """Get the request's next stage by the rule of the query that found it: else it would take others' slots."""
    if row.awaited_limit is None and row.stage is None:
        return PipelineStage(row.pipeline, dict(limits.first_stages).get(row.pipeline, ""))
    return PipelineStage(row.pipeline, parse_slot_wait(row.awaited_limit) or row.stage)


def _read_all_waiters(
    tx: Connection,
    row: Row[Any],
    limits: AdmissionLimits,
    free_slots: Mapping[PipelineStage, int],
    at_most: int,
    pipelines: OpenPipelines,
) -> AllWaiters:
    if not row.has_waiting:
        return AllWaiters()
    full = tuple(stage for stage, left in free_slots.items() if left <= 0)
    return read_all_waiters(tx, limits, full, at_most, pipelines)


def _count_free_runs(row: Row[Any], queues: QueueCapacity | None) -> int:
    """Count the runs that the workers could still take; a dispatched run loads only its own queue."""
    return max(row.free, 0) if queues is None else queues.free_runs


def _count_slots_left(row: Row[Any], limits: AdmissionLimits) -> Mapping[PipelineStage, int]:
    taken = row._mapping
    return {
        stage: limit - taken[f"at_{number}"]
        for number, (stage, limit) in enumerate(limits.limited.items())
    }


# Cached: building the statement takes longer than executing it, and it is executed often.
@lru_cache(maxsize=32)
def _build_snapshot_query(slots: Capacity, at_most: int, pipelines: OpenPipelines) -> Select[Any]:
    counted = _build_capacity_query(slots).cte("counted")
    ready: ColumnElement[int] = _count_ready(slots, at_most, pipelines)
    if not slots.limits.has_queues:
        ready = case((counted.c.free > 0, ready), else_=0)
    return select(
        counted,
        ready.label("ready"),
        _select_earliest(requests.c.not_before, MAY_BE_DUE).label("later"),
        _select_earliest(providers.c.paused_until).label("resumes_at"),
        now().label("at"),
    )


@lru_cache(maxsize=32)
def _build_starved_query(slots: Capacity, at_most: int, starved: OpenPipelines) -> Select[Any]:
    counted = _build_capacity_query(slots).cte("counted")
    ready: ColumnElement[int] = _count_ready(slots, at_most, starved)
    if not slots.limits.has_queues:
        ready = case((counted.c.free > 0, 0), else_=ready)
    return select(counted, ready.label("ready"))


def _count_ready(slots: Capacity, at_most: int, pipelines: OpenPipelines) -> ScalarSelect[int]:
    """Count the due requests that wait for no limit and have a free slot of their next stage."""
    full = [
        and_(is_next_stage(stage, slots.limits), slots_held(stage.stage, stage.pipeline) >= limit)
        for stage, limit in slots.limits.limited.items()
    ]
    due: Select[Any] = select(literal_column("1")).select_from(requests)
    due = due.where(is_due(), *pipelines.conditions)
    for stage_is_full in full:
        due = due.where(func.coalesce(not_(stage_is_full), True))
    return select(func.count()).select_from(due.limit(at_most).subquery()).scalar_subquery()


@lru_cache(maxsize=8)
def _build_capacity_query(slots: Capacity) -> Select[Any]:
    counted = select(
        _count_offered(slots).label("offered"), _count_busy(slots).label("busy")
    ).subquery()
    waiting: Select[Any] = (
        select(literal_column("1")).select_from(requests).where(IS_WAITING_FOR_LIMIT)
    )
    columns: list[ColumnElement[Any]] = [
        counted.c.offered,
        (counted.c.offered - counted.c.busy).label("free"),
        waiting.exists().label("has_waiting"),
        *(
            slots_held(each.stage, each.pipeline).label(f"at_{number}")
            for number, each in enumerate(slots.limits.limited)
        ),
    ]
    return select(*columns)


def _build_due_queries(
    limits: AdmissionLimits,
    capacity: QueueCapacity | None,
    free_slots: Mapping[PipelineStage, int],
    count: int,
) -> list[Select[Any]]:
    """Build a query for each queue, so that many requests of one queue do not hide those of another."""
    if capacity is None:
        return [_build_due_query(limits, free_slots, count, EVERY_PIPELINE)]
    free = {queue: min(capacity.free(queue), count) for queue in limits.queues}
    return [
        _build_due_query(limits, free_slots, left, find_open_in_queue(limits, capacity, queue))
        for queue, left in free.items()
        if left > 0
    ]


def _build_due_query(
    limits: AdmissionLimits,
    free_slots: Mapping[PipelineStage, int],
    count: int,
    pipelines: OpenPipelines,
) -> Select[Any]:
    due = select(*CANDIDATE_COLUMNS).where(is_due(), *pipelines.conditions)
    for stage, left in free_slots.items():
        if left <= 0:
            due = due.where(func.coalesce(not_(is_next_stage(stage, limits)), True))
    ordered = due.order_by(requests.c.priority.desc(), requests.c.id).limit(count)
    return ordered.with_for_update(skip_locked=True)


def _count_offered(slots: Capacity) -> ColumnElement[int]:
    living = select(func.sum(workers.c.slots)).where(is_working(slots.lease_seconds))
    return func.coalesce(living.scalar_subquery(), slots.on_demand)


def _count_busy(slots: Capacity) -> ColumnElement[int]:
    """Count the requests that living workers process, and those that are dispatched."""
    on_its_way = select(func.count()).where(IS_OPEN, requests.c.status == Status.DISPATCHED)
    at_work = select(func.count()).where(
        IS_OPEN,
        requests.c.status == Status.PROCESSING,
        exists().where(requests.c.lease_owner == LEASE_OWNER, is_working(slots.lease_seconds)),
    )
    return on_its_way.scalar_subquery() + at_work.scalar_subquery()


def _select_earliest(
    column: ColumnElement[datetime], *conditions: ColumnElement[bool]
) -> ScalarSelect[datetime]:
    return select(func.min(column)).where(*conditions, column > now()).scalar_subquery()
