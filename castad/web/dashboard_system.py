"""The system on the dashboard: vendors, budget, workers, dead letters, webhooks, saves, hourly reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.state import Api, ApiDep
from castad.orders.acts import (
    LONGEST_REASON,
    USUAL_PAUSE,
    parse_pause_seconds,
    pause_by_hand,
    resume_by_hand,
)
from castad.web.asking import build_resume_question
from castad.web.dashboard import AdminDep, NumbersDep, build_labels, lead_to
from castad.web.pages import (
    PageRoute,
    Visitor,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import get_translator
from resources.contract.errors import InvalidInputError
from resources.delivery.spool import open_spool
from resources.ledger.queries.hours import StageFigures, list_reported_hours, list_reports
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.webhooks import list_deliveries, sum_deliveries
from resources.ledger.queries.workload import list_living_workers
from resources.ledger.schema.tables import UNDELIVERED
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.providers.vendor import VENDORS
from resources.views.webhooks import build_order_webhook_body

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


def list_last_hours(newest: datetime) -> list[datetime]:
    """List the hours of a plot, oldest first, ending with the newest."""
    return [newest - _HOUR * back for back in reversed(range(HOURS))]


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
_SHOWN = 20
_LONGEST_ID = 19
_NOT_PAUSED = "expected a paused provider"
_PAUSES = ("30m", USUAL_PAUSE, "6h", "1d", "7d")
Form = Mapping[str, str]


@router.get("/dashboard/-/system")
def show_system(request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep) -> Response:
    """Show all panels with current values."""
    listed = list_reported_hours(api.db, limit=HOURS)
    hours = list_last_hours(listed[0].hour) if listed else []
    reports = list_reports(api.db, hours) if hours else {}
    drawn, most = compute_bars(hours, reports)
    found = numbers.read()
    return render_page(
        request,
        "dashboard_system.html",
        visitor,
        numbers=found,
        work=found.work,
        workers=list_living_workers(api.db, api.settings.lease_seconds),
        webhooks=sum_deliveries(api.db),
        failed_webhooks=[
            build_order_webhook_body(each)
            for each in list_deliveries(api.db, statuses=UNDELIVERED, limit=_SHOWN)
        ],
        dead_saves=open_spool(api.settings.home).dead(_SHOWN),
        bars=drawn,
        most=most,
        lines=compute_lines(hours, reports),
        plot=(WIDTH, HEIGHT),
        providers=VENDORS,
        pauses=_PAUSES,
        usual_pause=USUAL_PAUSE,
        longest_reason=LONGEST_REASON,
        labels=build_labels(get_translator(request)),
        settings=api.settings,
    )


@router.get("/dashboard/-/system/{verb}")
def return_to_system(request: Request, verb: str, visitor: AdminDep) -> Response:
    """Redirect a browser that opens a form's address."""
    return lead_to(request, "/dashboard/-/system")


@router.post("/dashboard/-/system/{verb}")
async def perform_act(
    request: Request, verb: str, api: ApiDep, numbers: NumbersDep, visitor: AdminDep
) -> Response:
    """Perform the act and redirect to the panels."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    if verb not in _ACTS:
        raise InvalidInputError("verb", f"expected one of {', '.join(_ACTS)}")
    if verb == "resume" and "confirmed" not in form:
        return await run_in_threadpool(_ask, request, api, visitor, form.get("provider", ""))
    await run_in_threadpool(_ACTS[verb], api, form, visitor.name)
    numbers.forget()
    return guard(RedirectResponse("/dashboard/-/system", 303))


def _ask(request: Request, api: Api, visitor: Visitor, provider: str) -> Response:
    """Ask before a paused vendor is resumed."""
    if provider not in [each.provider for each in read_pauses(api.db)]:
        raise InvalidInputError("provider", _NOT_PAUSED)
    return render_page(
        request,
        "asked_page.html",
        visitor,
        question=build_resume_question(provider, get_translator(request)),
        address="/dashboard/-/system",
        back="/dashboard/-/system",
        about="",
    )


def _pause(api: Api, form: Form, by: str) -> None:
    seconds = parse_pause_seconds("pause", form.get("pause", USUAL_PAUSE))
    pause_by_hand(api.db, form.get("provider", ""), seconds, by, form.get("reason", ""))


def _resume(api: Api, form: Form, by: str) -> None:
    if not resume_by_hand(api.db, form.get("provider", ""), by):
        raise InvalidInputError("provider", _NOT_PAUSED)


def _replay_webhook(api: Api, form: Form, by: str) -> None:
    replay_webhooks(api.db, _parse_id(form) if "id" in form else None)


def _replay_save(api: Api, form: Form, by: str) -> None:
    entry = _parse_id(form) if "id" in form else None
    if not open_spool(api.settings.home).replay(entry) and entry is not None:
        raise InvalidInputError("id", "expected the id of a dead save")


def _parse_id(form: Form) -> int:
    given = form["id"]
    if not (given.isascii() and given.isdecimal() and len(given) < _LONGEST_ID):
        raise InvalidInputError("id", "expected a number from the list")
    return int(given)


_ACTS: Mapping[str, Callable[[Api, Form, str], None]] = {
    "pause": _pause,
    "resume": _resume,
    "webhook": _replay_webhook,
    "save": _replay_save,
}
