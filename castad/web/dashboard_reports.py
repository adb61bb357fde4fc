"""The hourly reports on the dashboard: plots of the last day, the list, and the report of an hour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from castad.api.reading import find_hour_report
from castad.api.state import ApiDep
from castad.web.dashboard import AdminDep, build_labels
from castad.web.pages import PageRoute, render_page
from castad.web.words import get_translator
from resources.ledger.queries.hours import StageFigures, list_reported_hours, list_reports
from resources.ledger.queries.status import read_clock
from resources.views.report import (
    HOUR,
    build_hours_page,
    format_figure,
    format_hour,
    format_title,
    list_page_values,
)
from sensors.hour_report import find_last_closed, parse_hour

HOURS = 24
WIDTH, HEIGHT = 480.0, 120.0
_STEP = WIDTH / HOURS
_LISTED = 48
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


def list_last_hours(newest: datetime) -> list[datetime]:
    """List the hours of a plot, oldest first, ending with the newest."""
    return [newest - HOUR * back for back in reversed(range(HOURS))]


def compute_bars(hours: Sequence[datetime], reports: Reports) -> tuple[list[Bar], int]:
    """Compute the bars of these hours and the number of executions in the highest one."""
    found = [reports.get(hour, ()) for hour in hours]
    counted = [
        (sum(each.completed for each in figures), sum(each.failed for each in figures))
        for figures in found
    ]
    most = max((completed + failed for completed, failed in counted), default=0)
    return [
        _build_bar(hour, index * _STEP, completed, failed, HEIGHT / (most or 1))
        for index, (hour, (completed, failed)) in enumerate(zip(hours, counted, strict=True))
    ], most


def _build_bar(hour: datetime, x: float, completed: int, failed: int, scale: float) -> Bar:
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


def compute_lines(hours: Sequence[datetime], reports: Reports) -> list[Line]:
    """Compute a line for each stage that was completed in these hours."""
    found = {(each.pipeline, each.stage): None for hour in hours for each in reports.get(hour, ())}
    drawn = (_build_line(pipeline, stage, hours, reports) for pipeline, stage in found)
    return [line for line in drawn if line is not None]


def _build_line(
    pipeline: str, stage: str, hours: Sequence[datetime], reports: Reports
) -> Line | None:
    values = [_find_p95(reports.get(hour, ()), pipeline, stage) for hour in hours]
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


def _find_p95(figures: Sequence[StageFigures], pipeline: str, stage: str) -> float | None:
    return next(
        (each.p95 for each in figures if (each.pipeline, each.stage) == (pipeline, stage)), None
    )


router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/dashboard/-/reports")
def show_reports(
    request: Request,
    api: ApiDep,
    visitor: AdminDep,
    before: Annotated[str | None, Query(max_length=20)] = None,
) -> Response:
    """Show the last hours as plots, and a page of the hours that have a report, newest first."""
    now = read_clock(api.db)
    until = None if before is None else parse_hour(before, now)
    listed = build_hours_page(list_reported_hours(api.db, limit=_LISTED + 1, before=until), _LISTED)
    hours = list_last_hours(find_last_closed(now)) if listed.hours and until is None else []
    reports = list_reports(api.db, hours)
    drawn, most = compute_bars(hours, reports)
    return render_page(
        request,
        "dashboard_reports.html",
        visitor,
        hours=listed.hours,
        older=listed.next,
        running=format_hour(now) if until is None else None,
        bars=drawn,
        most=most,
        lines=compute_lines(hours, reports),
        plot=(WIDTH, HEIGHT),
        format_figure=format_figure,
        format_hour=format_hour,
        labels=build_labels(get_translator(request)),
        settings=api.settings,
    )


@router.get("/dashboard/-/reports/{hour}")
def show_report(request: Request, hour: str, api: ApiDep, visitor: AdminDep) -> Response:
    """Show the report of the hour; that of the running hour is made at each call."""
    found = find_hour_report(api, hour)
    values = list_page_values(found, get_translator(request).language)
    now = read_clock(api.db)
    begin = parse_hour(found.hour, now)
    earlier = list_reported_hours(api.db, limit=1, before=begin)
    is_next = begin == find_last_closed(now) or bool(list_reports(api.db, [begin + HOUR]))
    return render_page(
        request,
        "dashboard_report.html",
        visitor,
        title=format_title(found, values["words"]),
        before=format_hour(earlier[0].hour) if earlier else None,
        after=format_hour(begin + HOUR) if is_next else None,
        settings=api.settings,
        **values,
    )
