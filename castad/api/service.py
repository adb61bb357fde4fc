"""How the service does."""

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from castad.api.auth import AdminScopedKey, ReadScopedKey
from castad.api.bodies import Health
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.state import ApiDep
from castad.api.stats_body import StatsBody
from castad.readmodels.stats import statistics_json
from pipeline_defs.song_video.brief import NAME, STAGES
from resources.ledger.queries.reads import clock
from resources.ledger.queries.statistics import STUCK_AFTER, statistics
from resources.ledger.queries.workload import WorkloadScope

router = APIRouter(tags=["service"])


@router.get(
    "/healthz", response_model=Health, responses=problem_responses(503), summary="Is it there?"
)
async def healthz(api: ApiDep) -> Response:
    """Orders are taken: the ledger answers. Needs no key and tells nothing else."""
    await to_thread.run_sync(clock, api.db, limiter=api.health_threads)
    return json_reply(Health(status="ok"))


@router.get(
    "/openapi.json",
    responses=problem_responses(401, 403, 429, 503),
    summary="This description",
)
async def openapi(request: Request, key: ReadScopedKey) -> dict[str, Any]:
    """For programs that write clients."""
    described: dict[str, Any] = request.app.openapi()
    return described


@router.get(
    "/stats",
    response_model=StatsBody,
    responses=problem_responses(401, 403, 422, 429, 503),
    summary="How the work stands",
)
def stats(
    api: ApiDep,
    key: ReadScopedKey,
    stuck_after: Annotated[
        float,
        Query(gt=0, le=1e9, description="Stuck is what nobody has worked on for so many seconds"),
    ] = STUCK_AFTER,
) -> Response:
    """In progress, pending by stage, failures and seconds of the last hour, what is stuck, the money."""
    owner = None if key.is_admin else key.owner
    scope = WorkloadScope({NAME: STAGES[0]}, api.settings.lease_seconds, owner)
    content = statistics_json(statistics(api.db, scope, stuck_after), STAGES)
    return json_reply(StatsBody.model_validate(content))


@router.get(
    "/metrics",
    responses={
        200: {"description": "Metrics", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_responses(401, 403, 429, 503),
    },
    response_class=Response,
    summary="For Prometheus",
)
def metrics(api: ApiDep, key: AdminScopedKey) -> Response:
    """In Prometheus' text format; docs/operations.md has the list."""
    api.metrics.sse_clients.set(api.broadcaster.listeners)
    body, media_type = api.metrics.render()
    return Response(body, media_type=media_type)
