"""Plots of the hourly reports as figures of SVG. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from resources.ledger.queries.statistics import StageFigures

HOURS = 24
WIDTH, HEIGHT = 480.0, 120.0
_STEP = WIDTH / HOURS
_HOUR = timedelta(hours=1)
Reports = Mapping[datetime, Sequence[StageFigures]]


@dataclass(frozen=True)
class Bar:
    """One hour: its bars' places from the top, with the completed part below the failed one."""

    hour: datetime
    completed: int
    failed: int
    x: float
    completed_y: float
    completed_height: float
    failed_y: float
    failed_height: float


@dataclass(frozen=True)
class Line:
    """A stage's 95th percentile hour by hour: the points of a polyline for each run of hours without a gap."""

    pipeline: str
    stage: str
    parts: tuple[str, ...]
    last: float
    most: float


def last_hours(newest: datetime) -> list[datetime]:
    """The hours of a plot, oldest first, down from the newest one."""
    return [newest - _HOUR * back for back in reversed(range(HOURS))]


def bars(hours: Sequence[datetime], reports: Reports) -> tuple[list[Bar], int]:
    """The bars of these hours, and how many executions the highest one stands for."""
    counted = [_counts(reports.get(hour, ())) for hour in hours]
    most = max((completed + failed for completed, failed in counted), default=0)
    return [
        _bar(hour, index * _STEP, completed, failed, HEIGHT / (most or 1))
        for index, (hour, (completed, failed)) in enumerate(zip(hours, counted, strict=True))
    ], most


def _counts(figures: Sequence[StageFigures]) -> tuple[int, int]:
    return sum(each.completed for each in figures), sum(each.failed for each in figures)


def _bar(hour: datetime, x: float, completed: int, failed: int, scale: float) -> Bar:
    done, lost = round(completed * scale, 1), round(failed * scale, 1)
    return Bar(
        hour=hour,
        completed=completed,
        failed=failed,
        x=round(x, 1),
        completed_y=round(HEIGHT - done, 1),
        completed_height=done,
        failed_y=round(HEIGHT - done - lost, 1),
        failed_height=lost,
    )


def lines(hours: Sequence[datetime], reports: Reports) -> list[Line]:
    """A line for each stage that was completed in any of these hours."""
    found = {(each.pipeline, each.stage): None for hour in hours for each in reports.get(hour, ())}
    drawn = (_line(pipeline, stage, hours, reports) for pipeline, stage in found)
    return [line for line in drawn if line is not None]


def _line(pipeline: str, stage: str, hours: Sequence[datetime], reports: Reports) -> Line | None:
    values = [_p95(reports.get(hour, ()), pipeline, stage) for hour in hours]
    known = [value for value in values if value is not None]
    if not known:
        return None
    most = max(known)
    parts: list[list[str]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            parts.append([])
            continue
        y = HEIGHT - value / (most or 1) * (HEIGHT - 8) - 4
        parts[-1].append(f"{(index + 0.5) * _STEP:.1f},{y:.1f}")
    return Line(pipeline, stage, tuple(" ".join(part) for part in parts if part), known[-1], most)


def _p95(figures: Sequence[StageFigures], pipeline: str, stage: str) -> float | None:
    return next(
        (each.p95 for each in figures if (each.pipeline, each.stage) == (pipeline, stage)), None
    )
