"""Routes that read: an order's status and history, the list, statistics, reports, health and metrics."""

import json
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Query, Request
from starlette.responses import Response

from castad.api.auth import (
    AdminScopedKey,
    ReadScopedKey,
    authorize_reading,
    build_visible_status,
    find_readable_order,
    require_task_id,
)
from castad.api.bodies import (
    AskedPage,
    Health,
    describe_timestamp,
    parse_timestamp,
    read_page_query,
    reply_json,
    require_plain_text,
)
from castad.api.problems import ApiError, describe_problems
from castad.api.state import Api, ApiDep
from castad.direct.pool import StoppingError
from castad.views.history import History, build_history_body, read_history
from castad.views.order_list import (
    LONGEST_PAGE,
    LONGEST_RAW,
    Page,
    parse_search_words,
    read_page,
)
from castad.views.scope import make_workload_scope
from castad.views.snapshot import read_snapshot
from castad.views.status_body import StatusBody
from pipeline_defs.catalog import get_catalog
from resources.files.markup import POLICY
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.hours import (
    STUCK_AFTER,
    list_reported_hours,
    read_statistics,
)
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.status import read_clock
from resources.ledger.schema.tables import Status
from resources.views.report import (
    HoursPage,
    Language,
    ReportBody,
    build_hours_page,
    build_report,
    format_csv,
    format_hour,
    render_report,
)
from resources.views.statistics import DispatcherStats, StatsBody, build_stats_body
from sensors.hour_report import parse_hour, read_report

router = APIRouter(prefix="/pipeline", tags=["look"])


@router.get(
    "/status/{task_id}",
    response_model=StatusBody,
    responses=describe_problems(401, 403, 404, 422, 429, 503),
    summary="Read an order's status",
)
def get_status(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
    """Read the order's stages, attempts, cost and files, all as of one moment."""
    return reply_json(read_status(api, key, require_task_id(task_id)))


def read_status(api: Api, key: ApiKey, task_id: str) -> StatusBody:
    """Read the order's status; raises UnknownRequestError if the key may not read it."""
    snapshot = read_snapshot(api.db, task_id, api.store.root)
    authorize_reading(api, key, snapshot.request)
    return build_visible_status(key, snapshot, api.settings.ui_url)


@router.get(
    "",
    response_model=Page,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="List orders",
)
def list_orders(
    api: ApiDep,
    key: ReadScopedKey,
    page: Annotated[AskedPage, read_page_query("Orders", LONGEST_PAGE)],
    q: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=LONGEST_RAW,
            description="Only orders with all these words in their fields, the words of their products or the "
            "task_id, whatever the case",
        ),
    ] = None,
    pipeline: Annotated[
        str | None, Query(max_length=64, description="Only orders of this pipeline")
    ] = None,
    status: Annotated[Status | None, Query(description="Only orders of this status")] = None,
    stage: Annotated[
        str | None, Query(max_length=64, description="Only orders at this stage")
    ] = None,
    code: Annotated[
        str | None, Query(max_length=64, description="Only orders with this error code")
    ] = None,
    source: Annotated[
        str | None,
        Query(max_length=32, description="Only orders that came this way: api, cli, sql …"),
    ] = None,
    owner: Annotated[
        str | None,
        Query(max_length=128, description="Only orders of this owner; ignored unless admin"),
    ] = None,
    created_from: Annotated[
        str | None, describe_timestamp("Only orders created at this timestamp or later")
    ] = None,
    created_until: Annotated[
        str | None, describe_timestamp("Only orders created before this timestamp")
    ] = None,
) -> Response:
    """List a page of orders, the newest first. Every page costs the same, however far back it is.

    A call with `q` searches a limited number of orders: its page may be short or empty and still have a `next`.
    """
    wanted = RequestFilter(
        owner=require_plain_text("owner", owner) if key.is_admin else key.owner,
        pipeline=require_plain_text("pipeline", pipeline),
        status=status,
        stage=require_plain_text("stage", stage),
        code=require_plain_text("code", code),
        source=require_plain_text("source", source),
        created_from=parse_timestamp("created_from", created_from),
        created_until=parse_timestamp("created_until", created_until),
    )
    words = () if q is None else parse_search_words(q)
    found = read_page(api.db, wanted, words=words, after=page.before, limit=page.limit)
    return reply_json(found)


@router.get(
    "/history/{task_id}",
    response_model=History,
    responses=describe_problems(401, 403, 404, 422, 429, 503),
    summary="Read an order's history",
)
def get_history(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
    """Read all that happened to the order, from the Dagster event log: events, runs, steps, retries, assets."""
    find_readable_order(api, key, task_id)
    request_history = read_history(api.get_dagster(), api.db, task_id)
    return reply_json(build_history_body(task_id, request_history, api.settings.ui_url))


report_router = APIRouter(prefix="/reports", tags=["service"])
_NO_SNIFF = {"X-Content-Type-Options": "nosniff"}
_PAGE_HEADERS = {**_NO_SNIFF, "Content-Security-Policy": f"{POLICY}; sandbox"}


class ReportFormat(StrEnum):
    """How a report is returned."""

    JSON = "json"
    CSV = "csv"
    HTML = "html"


@report_router.get(
    "",
    response_model=HoursPage,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="List the hours that have a report",
)
def list_hours(
    api: ApiDep,
    key: AdminScopedKey,
    limit: Annotated[int, Query(ge=1, le=1000, description="Hours per page")] = 168,
    before: Annotated[
        str | None, Query(max_length=20, description="Only hours before this one")
    ] = None,
) -> Response:
    """List a page of hours, the newest first."""
    until = None if before is None else parse_hour(before, read_clock(api.db))
    found = list_reported_hours(api.db, limit=limit + 1, before=until)
    return reply_json(build_hours_page(found, limit))


@report_router.get(
    "/{hour}",
    response_model=ReportBody,
    responses={
        200: {
            "content": {
                "text/csv": {"schema": {"type": "string"}},
                "text/html": {"schema": {"type": "string"}},
            }
        },
        **describe_problems(401, 403, 404, 422, 429, 503),
    },
    summary="Read the report of an hour",
)
def get_report(
    hour: str,
    api: ApiDep,
    key: AdminScopedKey,
    format: Annotated[ReportFormat, Query(description="json, csv or html")] = ReportFormat.JSON,
    language: Annotated[Language, Query(description="The language of the page: en or ko")] = "en",
) -> Response:
    """Read the figures of an hour in UTC, such as 2026-01-31T14; -1 is the last closed one, `now` the running."""
    found = find_hour_report(api, hour)
    if format is ReportFormat.CSV:
        name = f"report-{found.hour.replace('-', '')}.csv"
        headers = {**_NO_SNIFF, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(format_csv(found), headers=headers, media_type="text/csv")
    if format is ReportFormat.HTML:
        page = render_report(found, language)
        return Response(page, headers=_PAGE_HEADERS, media_type="text/html")
    return reply_json(found)


def find_hour_report(api: Api, hour: str) -> ReportBody:
    """Return the report of the hour as it was given; raise InvalidInputError, or ApiError `unknown_report`."""
    begin = parse_hour(hour, read_clock(api.db))
    found = read_report(api.db, begin, [*get_catalog().stage_names])
    if found is None:
        message = (
            f"hour: there is no report of {format_hour(begin)}; one is made after each hour; "
            "GET /v1/reports lists those there are"
        )
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown_report", message, field="hour")
    return build_report(found)


def render_openapi(app: FastAPI) -> str:
    """Render the application's description as JSON text at the first call, and keep it."""
    if not hasattr(app.state, "render_openapi"):
        app.state.render_openapi = json.dumps(app.openapi(), ensure_ascii=False, indent=2)
    return str(app.state.render_openapi)


service_router = APIRouter(tags=["service"])


@service_router.get("/healthz", response_model=Health, summary="Check that the process lives")
async def check_health() -> Response:
    """Answer while the process lives, whatever it depends on; restart it otherwise. Needs no key."""
    return reply_json(Health(status="ok"))


@service_router.get(
    "/readyz",
    response_model=Health,
    responses=describe_problems(503),
    summary="Check that orders are accepted",
)
async def check_readiness(api: ApiDep) -> Response:
    """Check that orders are accepted: the ledger answers, the process is not stopping. Needs no key."""
    _ensure_not_stopping(api)
    await to_thread.run_sync(read_clock, api.db, limiter=api.health_threads)
    return reply_json(Health(status="ok"))


@service_router.get(
    "/readyz/{pipeline}",
    response_model=Health,
    responses=describe_problems(404, 422, 503),
    summary="Check that a pipeline's orders are answered directly",
)
async def check_pipeline_readiness(pipeline: str, api: ApiDep) -> Response:
    """Check that this pipeline's orders are answered, by the ledger or known keys. Needs no key."""
    if pipeline not in api.direct.pools:
        names = ", ".join(api.direct.pools)
        raise ApiError(
            HTTPStatus.NOT_FOUND,
            "not_found",
            f"pipeline: expected one that answers directly ({names})",
        )
    _ensure_not_stopping(api)
    if not api.known_keys.serves:
        await to_thread.run_sync(read_clock, api.db, limiter=api.health_threads)
    return reply_json(Health(status="ok"))


def _ensure_not_stopping(api: Api) -> None:
    if not all(pool.takes_orders for pool in api.direct.pools.values()):
        raise StoppingError


@service_router.get(
    "/openapi.json",
    response_model=dict[str, Any],
    summary="Read this OpenAPI description",
)
async def get_openapi(request: Request) -> Response:
    """Read the OpenAPI description, for client generators. Needs no key."""
    return Response(render_openapi(request.app), media_type="application/json")


@service_router.get(
    "/stats",
    response_model=StatsBody,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="Read statistics",
)
def get_stats(
    api: ApiDep,
    key: ReadScopedKey,
    stuck_after: Annotated[
        float,
        Query(
            gt=0,
            le=1e9,
            description="An order that no worker has worked on for so many seconds is stuck",
        ),
    ] = STUCK_AFTER,
) -> Response:
    """Read orders by status and stage, failures and durations of the last hour, stuck orders, and spending.

    An admin's key reads the statistics of all orders, any other key those of its owner's.
    """
    owner = None if key.is_admin else key.owner
    scope = make_workload_scope(get_catalog(), api.settings.lease_seconds, owner)
    found = read_statistics(api.db, scope, stuck_after)
    health = api.metrics.find_daemon_health() if key.is_admin else None
    dispatcher = None if health is None else DispatcherStats.from_trouble(health.dispatch_trouble)
    return reply_json(build_stats_body(found, [*get_catalog().stage_names.values()], dispatcher))


@service_router.get(
    "/metrics",
    responses={
        200: {"description": "Metrics", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **describe_problems(401, 403, 429, 503),
    },
    response_class=Response,
    summary="Read metrics",
)
def get_metrics(api: ApiDep, key: AdminScopedKey) -> Response:
    """Read the metrics in Prometheus' text format; docs/operations.md lists them."""
    api.metrics.sse_clients.set(api.broadcaster.listeners)
    body, media_type = api.metrics.render()
    return Response(body, media_type=media_type)
