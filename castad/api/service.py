"""How the service does."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from castad.api.access import Reader
from castad.api.bodies import Health
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.state import ApiOf
from resources.ledger.reads import clock

router = APIRouter(tags=["service"])


@router.get(
    "/healthz", response_model=Health, responses=problem_responses(503), summary="Is it there?"
)
async def healthz(api: ApiOf) -> Response:
    """Orders are taken: the ledger answers. Needs no key and tells nothing else."""
    await run_in_threadpool(clock, api.db)
    return json_reply(Health(status="ok"))


@router.get(
    "/openapi.json",
    responses=problem_responses(401, 403, 429, 503),
    summary="This description",
)
async def openapi(request: Request, key: Reader) -> dict[str, Any]:
    """For programs that write clients."""
    described: dict[str, Any] = request.app.openapi()
    return described
