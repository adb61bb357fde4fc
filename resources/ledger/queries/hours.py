"""Read the statistics of the last hour and of all time, and the stored reports of single hours.

Completed stages and failures are found through their events. Event ids rise with time, so that an hour is a range
of ids, and no index on a time is needed.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Label,
    Table,
    Text,
    bindparam,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.health import FAILURE_EVENTS, StuckList, get_failure, list_stuck
from resources.ledger.queries.money import select_deleted_costs, select_orphan_costs
from resources.ledger.queries.status import parse_object
from resources.ledger.queries.workload import Workload, WorkloadScope, read_workload
from resources.ledger.schema.sqltime import Moment, now
from resources.ledger.schema.tables import events, provider_jobs, reports, requests, stages

HOUR = 3600.0
STUCK_AFTER = 900.0
"""Seconds without a worker after which a request counts as stuck."""
COMPLETED, FAILED, CHARGED = "completed", "failed", "charged"
_CLOCK_TICK = timedelta(milliseconds=1)
"""The precision of SQLite's clock."""
_NO_ID = 2**62
_FIRST_STEP = 256
_LATE_COMMIT = timedelta(minutes=5)
"""How far ids may be out of order in time: as long as a transaction lasts."""


@dataclass(frozen=True)
class Durations:
    """The mean, median and 95th percentile of some time spans, in seconds."""

    mean: float
    p50: float
    p95: float


@dataclass(frozen=True)
class StageHour:
    """The completions and failed attempts of one stage in the last hour.

    `seconds` are the durations of the completed stages from their first begin, including waits between
    attempts; None if none completed.
    """

    completed: int
    failed: int
    seconds: Durations | None

    @property
    def failure_rate(self) -> float | None:
        """The share of failed attempts among those that completed or failed; None if there are none.

        Attempts that were canceled, released or lost with their worker, or that had to wait, are not counted.
        """
        ended = self.completed + self.failed
        return self.failed / ended if ended else None


@dataclass(frozen=True)
class HourFigures:
    """The last hour's figures by stage, and its failures by error code.

    The stage name None stands for failures before the first stage.
    """

    stages: Mapping[str | None, StageHour]
    failures: Mapping[str, int]


@retry_transient
def read_last_hour(db: Database, scope: WorkloadScope) -> HourFigures:
    """Read the stages that completed and the attempts that failed within the last hour."""
    with db.reading() as tx:
        at = tx.execute(select(now())).scalar_one()
        since, until = at - timedelta(seconds=HOUR), at + _CLOCK_TICK
        low, high = _find_ids_around(tx, since)[0], _NO_ID
        values = {"since": since, "until": until, "low": low, "high": high, "owner": scope.owner}
        rows = tx.execute(_EXECUTIONS, values).all()
    spans: dict[str | None, list[float]] = {}
    failures: list[tuple[str | None, str]] = []
    for row in rows:
        if row.outcome == COMPLETED and row.started_at is not None:
            stage = scope.get_counted_name(row.pipeline, row.stage)
            seconds = max(0.0, (row.completed_at - row.started_at).total_seconds())
            spans.setdefault(stage, []).append(seconds)
        elif row.outcome == FAILED:
            failure = get_failure(row.type, row.before, row.after, parse_object(row.data))
            if failure is not None:
                failures.append((scope.get_counted_name(row.pipeline, failure[0]), failure[1]))
    failed = Counter(stage for stage, _ in failures)
    return HourFigures(
        stages={
            stage: StageHour(
                len(spans.get(stage, ())), failed[stage], compute_durations(spans.get(stage))
            )
            for stage in {**spans, **failed}
        },
        failures=Counter(code for _, code in failures),
    )


def compute_durations(seconds: Sequence[float] | None) -> Durations | None:
    """Compute the mean, median and 95th percentile, by nearest rank; return None if there are no values."""
    if not seconds:
        return None
    ordered = sorted(seconds)

    def find_rank(share: float) -> float:
        return ordered[ceil(share * len(ordered)) - 1]

    return Durations(sum(ordered) / len(ordered), find_rank(0.50), find_rank(0.95))


@dataclass(frozen=True)
class Statistics:
    """The statistics of one scope.

    `stuck_after` is the seconds without a worker after which a request counts as stuck. `spent` is the
    possible cost of all its orders, in micro-dollars.
    """

    scope: WorkloadScope
    work: Workload
    hour: HourFigures
    stuck_after: float
    stuck: StuckList
    spent: int


def read_statistics(
    db: Database, scope: WorkloadScope, stuck_after: float = STUCK_AFTER
) -> Statistics:
    """Read the statistics of this scope; requests without a worker for `stuck_after` seconds count as stuck."""
    work = read_workload(db, scope)
    return Statistics(
        scope=scope,
        work=work,
        hour=read_last_hour(db, scope),
        stuck_after=stuck_after,
        stuck=list_stuck(db, scope, stuck_after, work.worker_pool),
        spent=sum_spent(db, scope),
    )


@retry_transient
def sum_spent(db: Database, scope: WorkloadScope) -> int:
    """Sum the possible cost of all submissions in the scope, in micro-dollars, with those of deleted requests."""
    query = select(func.sum(provider_jobs.c.cost)).where(provider_jobs.c.cost > 0)
    if scope.owner is not None:
        query = query.select_from(provider_jobs.join(requests)).where(
            requests.c.owner == scope.owner
        )
    with db.reading() as tx:
        orphaned = tx.execute(select_orphan_costs()).scalar() if scope.owner is None else 0
        deleted = tx.execute(select_deleted_costs(owner=scope.owner)).scalar()
        return sum(int(cost or 0) for cost in (tx.execute(query).scalar(), orphaned, deleted))


@dataclass(frozen=True)
class Unusual:
    """A figure of an hour that differs from its usual value by more than `margin`.

    `figure` is the figure's name; `days` is the number of earlier days from which the usual value was
    computed.
    """

    figure: str
    value: float
    usual: float
    margin: float
    days: int


@dataclass(frozen=True)
class StageFigures:
    """The figures of one stage of a pipeline in one hour; `stage` is "" for failures before the first stage.

    `p50`, `p95` and `longest` are durations of the completed stages in seconds, from their first begin; None
    if none completed. `retries` counts the failures that a retry follows. `cost` is that of the hour's
    submissions, in micro-dollars. `codes` counts the failures by error code.
    """

    pipeline: str
    stage: str
    completed: int = 0
    failed: int = 0
    retries: int = 0
    p50: float | None = None
    p95: float | None = None
    longest: float | None = None
    cost: int = 0
    codes: Mapping[str, int] = field(default_factory=dict)
    unusual: tuple[Unusual, ...] = ()

    @property
    def count(self) -> int:
        """The number of executions that ended."""
        return self.completed + self.failed

    @property
    def failure_rate(self) -> float | None:
        """The share of failures among the executions that ended; None if none ended."""
        return self.failed / self.count if self.count else None


@dataclass(frozen=True)
class HourlyReport:
    """The stored report of one hour; `hour` is when the hour begins, `made_at` when the report was last made."""

    hour: datetime
    made_at: datetime
    stages: tuple[StageFigures, ...]


@dataclass(frozen=True)
class ReportedHour:
    """The sums of one hour's report.

    `count` is the number of ended executions, `failed` the failed ones among them, `cost` in micro-dollars.
    `unusual` is the number of stages with an unusual figure.
    """

    hour: datetime
    count: int
    failed: int
    cost: int
    unusual: int


def count_rows_before(db: Database, hour: datetime) -> int:
    """Count the stored report rows of hours before this one."""
    query = select(func.count()).select_from(reports).where(reports.c.hour < hour)
    return int(db.fetch_value(query) or 0)


def find_report(db: Database, hour: datetime) -> HourlyReport | None:
    """Find the report of the hour that begins at `hour`; return None if there is none."""
    rows = db.fetch_all(_OF_HOURS, hours=[hour])
    if not rows:
        return None
    return HourlyReport(hour, max(row.made_at for row in rows), tuple(map(_make_figures, rows)))


def list_reports(db: Database, hours: Collection[datetime]) -> dict[datetime, list[StageFigures]]:
    """Read the stages' figures of these hours, by hour; hours without a report are left out."""
    found: dict[datetime, list[StageFigures]] = {}
    for row in db.fetch_all(_OF_HOURS, hours=list(hours)):
        found.setdefault(row.hour, []).append(_make_figures(row))
    return found


def list_reported_hours(
    db: Database, *, limit: int, before: datetime | None = None
) -> list[ReportedHour]:
    """List the hours that have a report, the newest first; `before` limits them to earlier hours."""
    query = select(
        reports.c.hour,
        func.sum(reports.c.completed) + func.sum(reports.c.failed),
        func.sum(reports.c.failed),
        func.sum(reports.c.cost),
        func.count().filter(reports.c.unusual != "[]"),
    )
    if before is not None:
        query = query.where(reports.c.hour < before)
    query = query.group_by(reports.c.hour).order_by(reports.c.hour.desc()).limit(limit)
    return [ReportedHour(row[0], *map(int, row[1:])) for row in db.fetch_all(query)]


def _make_figures(row: Any) -> StageFigures:
    """Build the figures from a row of `reports`."""
    stored = {each.name: getattr(row, each.name) for each in fields(StageFigures)}
    parsed = {"codes": _parse_codes(row.codes), "unusual": _parse_unusual(row.unusual)}
    return StageFigures(**stored | parsed)


def _parse_codes(text: str) -> dict[str, int]:
    """Parse the stored failure counts by error code; counts that are no numbers are skipped."""
    found = parse_object(text)
    return {code: count for code, count in found.items() if isinstance(count, int)}


def _parse_unusual(text: str) -> tuple[Unusual, ...]:
    """Parse the stored unusual figures; return none if an operator has made them invalid."""
    try:
        return tuple(_UNUSUAL.validate_json(text))
    except ValidationError:
        return ()


_UNUSUAL = TypeAdapter(list[Unusual])
_OF_HOURS = (
    select(reports)
    .where(reports.c.hour.in_(bindparam("hours", expanding=True)))
    .order_by(reports.c.hour, reports.c.position)
)


def compute_hour_bounds(tx: Connection, hour: datetime) -> dict[str, Any]:
    """Compute the parameters of HOUR_EXECUTIONS for the hour that begins at `hour`, for all owners."""
    until = hour + timedelta(hours=1)
    return {
        "since": hour,
        "until": until,
        "low": _find_first_id_from(tx, hour - _LATE_COMMIT),
        "owner": None,
        "high": _find_first_id_from(tx, until + _LATE_COMMIT),
    }


def _find_first_id_from(tx: Connection, moment: datetime) -> int:
    """Find by bisection the first event id whose time is not before the moment."""
    low, high = _find_ids_around(tx, moment)
    while low < high:
        middle = (low + high) // 2
        at = tx.execute(_AT_OR_BEFORE, {"id": middle}).scalar()
        if at is None or at < moment:
            low = middle + 1
        else:
            high = middle
    return low


def _find_ids_around(tx: Connection, moment: datetime) -> tuple[int, int]:
    """Find two event ids, low and high, between which the first event not before the moment lies.

    The search goes back from the newest id and doubles each step.
    """
    high, step = int(tx.execute(_NEWEST).scalar() or 0) + 1, _FIRST_STEP
    while high > step:
        at = tx.execute(_AT_OR_BEFORE, {"id": high - step}).scalar()
        if at is None or at < moment:
            return high - step, high
        high, step = high - step, 2 * step
    return 0, high


_NEWEST = select(func.max(events.c.id))
_AT_OR_BEFORE: Any = (
    select(events.c.at).where(events.c.id <= bindparam("id")).order_by(events.c.id.desc()).limit(1)
)


def _build_owner_condition(table: Table) -> ColumnElement[bool]:
    """Build the SQL condition that the row's request belongs to the parameter `owner`, or that `owner` is NULL."""
    of_owner = exists().where(requests.c.id == table.c.request_id, requests.c.owner == _OWNER)
    return or_(_OWNER.is_(None), of_owner)


def _select_pipeline(table: Table) -> Label[str]:
    """Build the column of the row's pipeline as a subquery; a join would make Postgres read all requests."""
    of_row = requests.c.id == table.c.request_id
    return select(requests.c.pipeline).where(of_row).scalar_subquery().label("pipeline")


_SINCE, _UNTIL = (bindparam(name, type_=Moment()) for name in ("since", "until"))
_OWNER: Any = bindparam("owner", type_=Text)
_IN_RANGE = (events.c.id >= bindparam("low"), events.c.id < bindparam("high"))
_WITHOUT_EVENT = tuple(null().label(name) for name in ("type", "before", "after", "data"))
_WITHOUT_TIMES = tuple(null().label(name) for name in ("started_at", "completed_at"))
_COMPLETIONS = (
    select(
        literal(COMPLETED).label("outcome"),
        _select_pipeline(stages),
        stages.c.stage,
        *_WITHOUT_EVENT,
        stages.c.started_at,
        stages.c.completed_at,
        literal(0).label("cost"),
    )
    .select_from(stages)
    .where(
        stages.c.request_id.in_(
            select(events.c.request_id).where(*_IN_RANGE, events.c.type == "stage_completed")
        ),
        # A product that a person has changed, or that another order has made, was not made again.
        stages.c.started_at.is_not(None),
        stages.c.completed_at >= _SINCE,
        stages.c.completed_at < _UNTIL,
        _build_owner_condition(stages),
    )
)
_FAILURES = (
    select(
        literal(FAILED),
        _select_pipeline(events),
        null(),
        events.c.type,
        events.c["from"],
        events.c.to,
        events.c.data,
        *_WITHOUT_TIMES,
        literal(0),
    )
    .select_from(events)
    .where(
        *_IN_RANGE,
        events.c.type.in_(FAILURE_EVENTS),
        events.c.at >= _SINCE,
        events.c.at < _UNTIL,
        _build_owner_condition(events),
    )
)
_CHARGES = (
    select(
        literal(CHARGED),
        _select_pipeline(provider_jobs),
        provider_jobs.c.stage,
        *_WITHOUT_EVENT,
        *_WITHOUT_TIMES,
        provider_jobs.c.cost,
    )
    .select_from(provider_jobs)
    .where(
        provider_jobs.c.cost > 0,
        provider_jobs.c.created_at >= _SINCE,
        provider_jobs.c.created_at < _UNTIL,
        _build_owner_condition(provider_jobs),
    )
)
_EXECUTIONS = union_all(_COMPLETIONS, _FAILURES)
HOUR_EXECUTIONS: CompoundSelect[Any] = union_all(_COMPLETIONS, _FAILURES, _CHARGES)
"""Rows of the hour: outcome, pipeline, stage, the failure's event, the stage's times, cost in micro-dollars."""
