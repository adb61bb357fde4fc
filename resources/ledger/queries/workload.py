"""Count the workload, and the workers and slots that serve it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, select, true

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.limits import (
    ORDER_PREFIX,
    SAME_ORDER,
    SLOT_PREFIX,
    Limits,
    Room,
    format_wait,
    parse_wait,
)
from resources.ledger.queries.dispatch import build_due_condition, read_dispatch_snapshot
from resources.ledger.queries.money import (
    OrphanList,
    ProviderPause,
    get_midnight,
    list_orphans,
    read_pauses,
    select_deleted_costs,
    select_orphan_costs,
)
from resources.ledger.queries.status import list_columns
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    AT_WORK,
    IS_ENDED,
    IS_OPEN,
    Status,
    attempts,
    orphans,
    provider_jobs,
    providers,
    requests,
    spent_days,
    workers,
)


@dataclass(frozen=True)
class WorkerPool:
    """The living workers and the slots that they offer for runs.

    `workers` is their number, `slots` the number of all slots, `room` the free capacity. `unserved` are the
    queues that have a due request but no living worker.
    """

    workers: int
    slots: int
    room: Room
    unserved: tuple[str, ...] = ()

    @property
    def free(self) -> int:
        """The number of free slots of all workers."""
        return self.room.free_run_count

    def serves(self, queue: str) -> bool:
        """Return whether a living worker serves the queue."""
        return self.room.is_served(queue)

    def count_free(self, queue: str) -> int:
        """Count the free slots for requests of the queue."""
        return self.room.count_free(queue)


@dataclass(frozen=True)
class WorkerView:
    """A living worker.

    `queues` names the queues that it serves, None for all of them. `beat_at` is its last heartbeat.
    """

    name: str
    slots: int
    beat_at: datetime
    queues: str | None


def list_living_workers(db: Database, lease_seconds: float) -> list[WorkerView]:
    """List the workers whose last heartbeat is less than `lease_seconds` old, by name."""
    query = select(*list_columns(workers, WorkerView)).where(
        workers.c.beat_at > after(-lease_seconds)
    )
    return [WorkerView(*row) for row in db.fetch_all(query.order_by(workers.c.name))]


def read_worker_pool(db: Database, limits: Limits) -> WorkerPool:
    """Read the number of living workers, their slots, and the queues that none of them serves."""
    alive = select(func.count()).where(workers.c.beat_at > after(-limits.lease_seconds))
    count = db.fetch_value(alive) or 0
    snapshot = read_dispatch_snapshot(db, limits, at_most=1)
    return WorkerPool(count, snapshot.offered, snapshot.room, snapshot.unserved)


_paused = providers.alias("paused")
_ByStage = Mapping[tuple[Status, str | None], int]


@dataclass(frozen=True)
class WorkloadScope:
    """The requests that are counted, and what the counts need to know of the pipelines.

    `first_stages` is each pipeline's first stage, `queues` each pipeline's queue. `stage_names` has the name
    under which a pipeline's stage is counted, where that is not its own name. With an `owner` only that
    owner's requests are counted, and workers and providers are left out.
    """

    first_stages: Mapping[str, str]
    lease_seconds: float
    owner: str | None = None
    queues: tuple[tuple[str, str], ...] = ()
    stage_names: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def limits(self) -> Limits:
        """Limits for counting the living workers' slots; no other limit is set."""
        return Limits(lease_seconds=self.lease_seconds, queues=self.queues)

    def get_stage(self, pipeline: str, stage: str | None) -> str | None:
        """Return the stage, or the pipeline's first one if it is None; None if the pipeline is unknown."""
        return stage or self.first_stages.get(pipeline)

    def get_counted_name(self, pipeline: str, stage: str | None) -> str | None:
        """Return the name under which the stage is counted: two pipelines may have a stage of the same name.

        Returns None for the stage None.
        """
        return None if stage is None else self.stage_names.get((pipeline, stage), stage)


@dataclass(frozen=True)
class Backlog:
    """The due requests of one stage: their number, and how long the oldest has been due in seconds."""

    count: int
    oldest: float


@dataclass(frozen=True)
class Workload:
    """The workload at one moment.

    `requests` counts by status and stage; the stage is None for completed and canceled requests, and for a
    dead letter that never began one. `due` is by stage. `waiting` counts pending requests by what they wait
    for: `slot:<stage>`, `permit:<vendor>`, `final_status:<vendor>`, a provider, or the budget. `dead_letters`
    is by error code. `spent_today` (UTC) was or may have been charged, in micro-dollars by provider and stage.
    Ages are in seconds, None if there is no such request. Workers and orphans are None if only one owner is
    counted.
    """

    at: datetime
    requests: _ByStage
    due: Mapping[str | None, Backlog]
    oldest_running: float | None
    dead_letters: Mapping[str, int]
    spent_today: Mapping[tuple[str, str], int]
    worker_pool: WorkerPool | None
    paused: tuple[ProviderPause, ...]
    orphans: OrphanList | None
    waiting: Mapping[str, int] = field(default_factory=dict)

    @property
    def in_progress(self) -> int:
        """The number of requests that are dispatched or processing."""
        return sum(count for (status, _), count in self.requests.items() if status in AT_WORK)

    @property
    def oldest_due(self) -> float | None:
        """The seconds for which the longest waiting due request has been due; None if none is due."""
        return max((backlog.oldest for backlog in self.due.values()), default=None)


@retry_transient
def read_workload(db: Database, scope: WorkloadScope) -> Workload:
    """Read the workload of this scope."""
    is_global = scope.owner is None
    worker_pool = read_worker_pool(db.with_retry_budget(0), scope.limits) if is_global else None
    paused = tuple(read_pauses(db.with_retry_budget(0))) if is_global else ()
    with db.reading() as tx:
        at = tx.execute(select(now())).scalar_one()
        (open_, waiting), (dead, letters) = _count_open(tx, scope), _count_dead(tx, scope)
        return Workload(
            at=at,
            requests={**open_, **dead, **_count_ended(tx, scope)},
            due=_count_due(tx, scope, at),
            oldest_running=_measure_oldest_running(tx, scope, at),
            dead_letters=letters,
            spent_today=_sum_spent_today(tx, scope, at),
            worker_pool=worker_pool,
            paused=paused,
            orphans=list_orphans(tx) if is_global else None,
            waiting=waiting,
        )


def build_scope_condition(scope: WorkloadScope) -> ColumnElement[bool]:
    """Build the SQL condition on `requests` that a request is in the scope, for queries on open or ended requests.

    It hides the column `owner` from the planner, which would otherwise read all ended requests of the owner's
    index.
    """
    if scope.owner is None:
        return true()
    return func.coalesce(requests.c.owner, "") == scope.owner


def compute_due_since() -> ColumnElement[datetime]:
    """Build the SQL expression of the time since which a request is due, for queries on `join_paused_providers()`.

    It is the latest of the last change, of `not_before`, and of the end of the pause that the request waited
    for.
    """
    return _choose_later(
        _choose_later(requests.c.updated_at, requests.c.not_before), _paused.c.paused_until
    )


def join_paused_providers() -> Any:
    """Build the outer join of `requests` with the paused provider that each request waits for."""
    return requests.outerjoin(_paused, _paused.c.name == requests.c.waits_for)


def _choose_later(
    one: ColumnElement[datetime], other: ColumnElement[datetime]
) -> ColumnElement[datetime]:
    """Build the SQL expression of the later of two times; `one` if `other` is NULL."""
    return case((other > one, other), else_=one)


def _count_open(tx: Connection, scope: WorkloadScope) -> tuple[_ByStage, Mapping[str, int]]:
    """Count the open requests by status and stage, and the pending ones among them by what they wait for."""
    kind = (requests.c.status, requests.c.pipeline, requests.c.stage, requests.c.waits_for)
    query = select(*kind, func.count()).where(IS_OPEN, build_scope_condition(scope)).group_by(*kind)
    by_stage: Counter[tuple[Status, str | None]] = Counter()
    waiting: Counter[str] = Counter()
    for status, pipeline, stage, waits_for, count in tx.execute(query):
        at_stage = scope.get_counted_name(pipeline, scope.get_stage(pipeline, stage))
        by_stage[Status(status), at_stage] += count
        if status == Status.PENDING and waits_for is not None:
            waiting[_name_wait(scope, pipeline, str(waits_for))] += count
    return by_stage, waiting


def _name_wait(scope: WorkloadScope, pipeline: str, waits_for: str) -> str:
    """Return the name under which requests with this `waits_for` are counted."""
    if parse_wait(ORDER_PREFIX, waits_for) is not None:
        return SAME_ORDER
    stage = scope.get_counted_name(pipeline, parse_wait(SLOT_PREFIX, waits_for))
    return waits_for if stage is None else format_wait(SLOT_PREFIX, stage)


def _count_dead(tx: Connection, scope: WorkloadScope) -> tuple[_ByStage, Mapping[str, int]]:
    """Count the dead letters by stage, and by error code ("no_code" without one)."""
    kind = (requests.c.pipeline, requests.c.stage, requests.c.error_code)
    query = (
        select(*kind, func.count())
        .where(IS_ENDED, requests.c.status == Status.DEAD, build_scope_condition(scope))
        .group_by(*kind)
    )
    stages: Counter[tuple[Status, str | None]] = Counter()
    letters: Counter[str] = Counter()
    for pipeline, stage, code, count in tx.execute(query):
        stages[Status.DEAD, scope.get_counted_name(pipeline, stage)] += count
        letters[str(code or "no_code")] += count
    return stages, letters


def _count_ended(tx: Connection, scope: WorkloadScope) -> _ByStage:
    """Count the completed and canceled requests, not by stage: that would read all their rows."""
    query = select(requests.c.status, func.count()).where(
        IS_ENDED, requests.c.status.in_((Status.COMPLETED, Status.CANCELED))
    )
    if scope.owner is not None:
        query = query.where(requests.c.owner == scope.owner)
    rows = tx.execute(query.group_by(requests.c.status))
    return {(Status(status), None): count for status, count in rows}


def _count_due(tx: Connection, scope: WorkloadScope, at: datetime) -> Mapping[str | None, Backlog]:
    """Count the due requests by stage, with the time for which the oldest has been due."""
    kind = (requests.c.pipeline, requests.c.stage)
    query = (
        select(*kind, func.count(), func.min(compute_due_since()))
        .select_from(join_paused_providers())
        .where(build_due_condition(), build_scope_condition(scope))
        .group_by(*kind)
    )
    backlogs: dict[str | None, Backlog] = {}
    for pipeline, stage, count, since in tx.execute(query):
        name = scope.get_counted_name(pipeline, scope.get_stage(pipeline, stage))
        known = backlogs.get(name, Backlog(0, 0.0))
        age = max(known.oldest, (at - since).total_seconds())
        backlogs[name] = Backlog(known.count + count, age)
    return backlogs


def _measure_oldest_running(tx: Connection, scope: WorkloadScope, at: datetime) -> float | None:
    """Measure the seconds since the start of the longest running attempt; return None if none runs."""
    this_attempt = and_(
        attempts.c.request_id == requests.c.id, attempts.c.number == requests.c.attempt
    )
    query = (
        select(func.min(attempts.c.started_at))
        .select_from(requests.join(attempts, this_attempt))
        .where(IS_OPEN, requests.c.status == Status.PROCESSING, build_scope_condition(scope))
    )
    since = tx.execute(query).scalar()
    return None if since is None else max(0.0, float((at - since).total_seconds()))


def _sum_spent_today(
    tx: Connection, scope: WorkloadScope, at: datetime
) -> Mapping[tuple[str, str], int]:
    """Sum today's cost (UTC) in micro-dollars by provider and stage."""
    midnight = get_midnight(at)
    of_job = (provider_jobs.c.provider, requests.c.pipeline, provider_jobs.c.stage)
    query = (
        select(*of_job, func.sum(provider_jobs.c.cost))
        .select_from(provider_jobs.join(requests))
        .where(
            provider_jobs.c.created_at >= midnight,
            provider_jobs.c.cost > 0,
            build_scope_condition(scope),
        )
    )
    spent: Counter[tuple[str, str]] = Counter()
    of_day = (spent_days.c.provider, spent_days.c.pipeline, spent_days.c.stage)
    deleted = select_deleted_costs(*of_day, since=midnight, owner=scope.owner)
    for rows in (tx.execute(query.group_by(*of_job)), tx.execute(deleted)):
        for provider, pipeline, stage, cost in rows:
            spent[provider, scope.get_counted_name(pipeline, stage) or stage] += int(cost)
    if scope.owner is None:
        today = select_orphan_costs(orphans.c.provider, orphans.c.stage).where(
            orphans.c.at >= midnight
        )
        for provider, stage, cost in tx.execute(today):
            spent[provider, stage] += int(cost)
    return dict(sorted(spent.items()))
