"""The reports of closed hours that are stored. Read-only."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import bindparam, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.reads import event_data
from resources.ledger.schema.tables import reports


@dataclass(frozen=True)
class Unusual:
    """A figure that is farther from what is usual than the margin, judged by so many days."""

    figure: str
    value: float
    usual: float
    margin: float
    days: int


@dataclass(frozen=True)
class StageFigures:
    """One stage of a pipeline in one hour; `stage` is empty for what failed before the first one.

    Seconds are those of the completed stages, from their first begin, None where there were none. `retries`
    counts the failures that a retry follows. `cost`, in micro-dollars, is that of the submissions of the hour.
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
        """The executions that ended."""
        return self.completed + self.failed

    @property
    def failure_rate(self) -> float | None:
        """The share of failures; None where nothing ended."""
        return self.failed / self.count if self.count else None


@dataclass(frozen=True)
class HourlyReport:
    """The report of the hour that begins at `hour`, as it was made at `made_at`."""

    hour: datetime
    made_at: datetime
    stages: tuple[StageFigures, ...]


@dataclass(frozen=True)
class ReportedHour:
    """An hour with a report: what ended in it, what failed, and how many stages are unusual."""

    hour: datetime
    count: int
    failed: int
    cost: int
    unusual: int


@retry_transient
def count_rows_before(db: Database, hour: datetime) -> int:
    """How many rows the reports of earlier hours have."""
    query = select(func.count()).select_from(reports).where(reports.c.hour < hour)
    with db.reading() as tx:
        return int(tx.execute(query).scalar_one())


@retry_transient
def find_report(db: Database, hour: datetime) -> HourlyReport | None:
    """The report of the hour that begins then, None where there is none."""
    with db.reading() as tx:
        rows = tx.execute(_OF_HOURS, {"hours": [hour]}).all()
    if not rows:
        return None
    return HourlyReport(hour, max(row.made_at for row in rows), tuple(map(_figures, rows)))


@retry_transient
def reports_of(db: Database, hours: Collection[datetime]) -> dict[datetime, list[StageFigures]]:
    """The figures of those of the hours that have a report."""
    found: dict[datetime, list[StageFigures]] = {}
    with db.reading() as tx:
        for row in tx.execute(_OF_HOURS, {"hours": list(hours)}):
            found.setdefault(row.hour, []).append(_figures(row))
    return found


@retry_transient
def reported_hours(
    db: Database, *, limit: int, before: datetime | None = None
) -> list[ReportedHour]:
    """The hours with a report, the newest first; only those before an hour where one is given."""
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
    with db.reading() as tx:
        return [ReportedHour(row[0], *map(int, row[1:])) for row in tx.execute(query)]


def _figures(row: Any) -> StageFigures:
    return StageFigures(
        pipeline=row.pipeline,
        stage=row.stage,
        completed=row.completed,
        failed=row.failed,
        retries=row.retries,
        p50=row.p50,
        p95=row.p95,
        longest=row.longest,
        cost=row.cost,
        codes=_codes(row.codes),
        unusual=_unusual(row.unusual),
    )


def _codes(text: str) -> dict[str, int]:
    """The counts by code; what an operator has made invalid is left out."""
    found = event_data(text)
    return {code: count for code, count in found.items() if isinstance(count, int)}


def _unusual(text: str) -> tuple[Unusual, ...]:
    """The unusual figures; none where an operator has made them invalid."""
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
