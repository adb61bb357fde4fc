"""Callbacks of vendors, and the webhooks that were delivered or are still owed."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, ReadScopedKey
from castad.api.bodies import AskedPage, read_page_query, reply_json, require_plain_text
from castad.api.forms import BODY, read_body
from castad.api.problems import describe_problems
from castad.api.state import Api, ApiDep
from castad.orders.order_fields import parse_json
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import CALLBACK_PATH
from resources.ledger.ledger_errors import UnknownCallbackError, UnknownDeliveryError
from resources.ledger.queries.webhooks import get_delivery, list_deliveries
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.callbacks import save_callback
from resources.ledger.transitions.webhooks import replay_webhooks
from resources.providers.vendor import may_call_back, read_callback_job_id
from resources.views.text import example
from resources.views.webhooks import OrderWebhookBody, build_order_webhook_body

router = APIRouter(prefix="/webhooks", tags=["webhooks"])

_LARGEST_ID = 2**63 - 1


class WebhookPage(BaseModel):
    """A page of webhooks, the newest first."""

    model_config = example(webhooks=[], next=None)

    webhooks: list[OrderWebhookBody]
    next: str | None = Field(description="The `cursor` of the next page; null on the last one")


@router.get(
    "",
    response_model=WebhookPage,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="List webhooks",
)
def list_webhooks(
    api: ApiDep,
    key: ReadScopedKey,
    page: Annotated[AskedPage, read_page_query("Webhooks")],
    status: Annotated[
        DeliveryStatus | None, Query(description="Only webhooks of this status")
    ] = None,
    task_id: Annotated[
        str | None, Query(max_length=128, description="Only webhooks of this order")
    ] = None,
) -> Response:
    """List a page of the webhooks of one's own orders, of all orders for an admin's key."""
    found = list_deliveries(
        api.db,
        statuses=() if status is None else (status,),
        task_id=require_plain_text("task_id", task_id),
        owner=None if key.is_admin else key.owner,
        before=page.before,
        limit=page.limit + 1,
    )
    shown, more = page.split(found, lambda each: each.id)
    return reply_json(
        WebhookPage(webhooks=[build_order_webhook_body(each) for each in shown], next=more)
    )


@router.post(
    "/{webhook_id}/replay",
    response_model=OrderWebhookBody,
    responses=describe_problems(401, 403, 404, 422, 429, 503),
    summary="Send a webhook again",
)
def replay_one(
    webhook_id: Annotated[int, Path(ge=1, le=_LARGEST_ID, description="Its `id` in the list")],
    api: ApiDep,
    key: OrderScopedKey,
) -> Response:
    """Make the webhook due now, whatever its status, with new tries; its `webhook-id` stays the same."""
    found = get_delivery(api.db, webhook_id)
    if not key.is_admin and found.owner != key.owner:
        raise UnknownDeliveryError(webhook_id)
    replay_webhooks(api.db, webhook_id)
    return reply_json(build_order_webhook_body(get_delivery(api.db, webhook_id)))


_LARGEST = 256_000

callback_router = APIRouter(tags=["callbacks"])


class CallbackReply(BaseModel):
    """The callback was saved."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ok": True}]})

    ok: bool = True


@callback_router.post(
    CALLBACK_PATH,
    response_model=CallbackReply,
    responses=describe_problems(404, 408, 413, 422, 503),
    openapi_extra={
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}
    },
    summary="Receive a vendor's callback",
)
async def receive_callback(
    request: Request,
    provider: Annotated[str, Path(examples=["suno"])],
    token: Annotated[str, Path(description="The unguessable token of one submission")],
    api: ApiDep,
) -> Response:
    """Wake the attempt that waits for the job; give a submission without a job id its id. Idempotent."""
    body = await read_body(request, _LARGEST)
    request.state.task_id = await run_in_threadpool(_save_callback, api, provider, token, body)
    return reply_json(CallbackReply())


def _save_callback(api: Api, provider: str, token: str, body: bytes) -> str:
    if not may_call_back(provider):
        raise UnknownCallbackError
    try:
        content = parse_json(body, BODY)
    except InvalidInputError:
        content = None  # It names no job, and the callback still wakes the attempt.
    job_id = read_callback_job_id(provider, content)
    return save_callback(api.db, provider, token, job_id).task_id
