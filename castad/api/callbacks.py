"""Vendors' callbacks. The token in the URL is the credential; of the body only the job's id is used."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.request_body import BODY, read_body
from castad.api.state import Api, ApiDep
from castad.orders.order_fields import parse_json
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import CALLBACK_PATH
from resources.ledger.ledger_errors import UnknownCallbackError
from resources.ledger.transitions.callbacks import save_callback
from resources.providers.vendor import may_call_back, read_callback_job_id

_LARGEST = 256_000

router = APIRouter(tags=["callbacks"])


class CallbackReply(BaseModel):
    """The callback was saved."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ok": True}]})

    ok: bool = True


@router.post(
    CALLBACK_PATH,
    response_model=CallbackReply,
    responses=problem_responses(404, 408, 413, 422, 503),
    openapi_extra={
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}
    },
    summary="Receive a vendor's callback",
)
async def callback(
    request: Request,
    provider: Annotated[str, Path(examples=["suno"])],
    token: Annotated[str, Path(description="The unguessable token of one submission")],
    api: ApiDep,
) -> Response:
    """The attempt that waits for the job is woken, and a submission without a job id gets it. Idempotent."""
    body = await read_body(request, _LARGEST)
    request.state.task_id = await run_in_threadpool(_save_callback, api, provider, token, body)
    return json_reply(CallbackReply())


def _save_callback(api: Api, provider: str, token: str, body: bytes) -> str:
    if not may_call_back(provider):
        raise UnknownCallbackError
    job_id = read_callback_job_id(provider, _parse_or_none(body))
    return save_callback(api.db, provider, token, job_id).task_id


def _parse_or_none(body: bytes) -> Any:
    """None for a body that is not JSON: it names no job, and the callback still wakes the attempt."""
    try:
        return parse_json(body, BODY)
    except InvalidInputError:
        return None
