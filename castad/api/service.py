"""Routes about the service: health, OpenAPI description, statistics, metrics."""

from http import HTTPStatus
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from castad.api.auth import AdminScopedKey, ReadScopedKey
from castad.api.bodies import Health
from castad.api.openapi_text import openapi_text
from castad.api.problems import ApiError, problem_responses
from castad.api.replies import json_reply
from castad.api.state import Api, ApiDep
from castad.direct.pool import StoppingError
from castad.readmodels.stats import StatsBody, stats_body, workload_scope
from pipeline_defs.catalog import get_catalog
from resources.ledger.queries.statistics import STUCK_AFTER, read_statistics
from resources.ledger.queries.status import read_clock

router = APIRouter(tags=["service"])


@router.get("/healthz", response_model=Health, summary="Check that the process lives")
async def healthz() -> Response:
    """The process answers, whatever it depends on: restart it where this does not. Needs no key."""
    return json_reply(Health(status="ok"))


@router.get(
    "/readyz",
    response_model=Health,
    responses=problem_responses(503),
    summary="Check that orders are accepted",
)
async def readyz(api: ApiDep) -> Response:
    """Orders are accepted, because the ledger answers, and the process is not stopping. Needs no key."""
    _ensure_not_stopping(api)
    await to_thread.run_sync(read_clock, api.db, limiter=api.health_threads)
    return json_reply(Health(status="ok"))


@router.get(
    "/readyz/{pipeline}",
    response_model=Health,
    responses=problem_responses(404, 422, 503),
    summary="Check that a pipeline's orders are answered directly",
)
async def readyz_of(pipeline: str, api: ApiDep) -> Response:
    """Orders of this pipeline are answered, with the ledger or with the keys that are known. Needs no key."""
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
    return json_reply(Health(status="ok"))


def _ensure_not_stopping(api: Api) -> None:
    if not all(pool.takes_orders for pool in api.direct.pools.values()):
        raise StoppingError


@router.get(
    "/openapi.json",
    response_model=dict[str, Any],
    summary="Read this OpenAPI description",
)
async def openapi(request: Request) -> Response:
    """The OpenAPI description, for client generators. Needs no key."""
    return Response(openapi_text(request.app), media_type="application/json")


@router.get(
    "/stats",
    response_model=StatsBody,
    responses=problem_responses(401, 403, 422, 429, 503),
    summary="Read statistics",
)
def stats(
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
    """Orders by status and stage, failures and durations of the last hour, stuck orders, and money spent.

    An admin's key reads the statistics of all orders, any other key those of its owner's.
    """
    owner = None if key.is_admin else key.owner
    scope = workload_scope(get_catalog(), api.settings.lease_seconds, owner)
    found = read_statistics(api.db, scope, stuck_after)
    daemon_health = api.metrics.daemon_health() if key.is_admin else None
    return json_reply(stats_body(found, [*get_catalog().stage_names.values()], daemon_health))


@router.get(
    "/metrics",
    responses={
        200: {"description": "Metrics", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_responses(401, 403, 429, 503),
    },
    response_class=Response,
    summary="Read metrics",
)
def metrics(api: ApiDep, key: AdminScopedKey) -> Response:
    """Metrics in Prometheus' text format; docs/operations.md lists them."""
    api.metrics.sse_clients.set(api.broadcaster.listeners)
    body, media_type = api.metrics.render()
    return Response(body, media_type=media_type)
