"""Routes that act on orders: retry, redo, cancel, resolve, cover, delete; and on many at once."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from castad.api.approval import Generation
from castad.api.auth import AdminScopedKey, OrderScopedKey, find_own_order, require_task_id
from castad.api.bodies import (
    AffectedOrders,
    CanceledOrders,
    OrderPrice,
    OrderState,
    PlannedGroup,
    PlannedOrders,
    RetriedOrders,
    describe_timestamp,
    parse_redo_changes,
    parse_timestamp,
    reply_json,
    require_plain_text,
)
from castad.api.forms import BODY, read_body
from castad.api.order_schema import describe_changeable_parameters
from castad.api.orders import DryRun, build_price_body
from castad.api.problems import describe_problems
from castad.api.state import Api, ApiDep
from castad.orders.acts import (
    Choice,
    choose_frame,
    delete_order,
    list_redo_prices,
    parse_moment,
    redo_order,
    resolve_submission,
    retry_order,
)
from castad.orders.bulk import (
    TRIED,
    Plan,
    cancel_matching,
    plan_retry,
    retry_planned,
    select_to_cancel,
)
from castad.orders.order_fields import parse_json, require_object
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import find_first_input_error
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.listing import RequestFilter, count_requests
from resources.ledger.queries.retention import find_owner_of_deleted
from resources.ledger.queries.status import read_clock
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import cancel_request
from resources.views.order_body import build_artifact_url, to_dollars
from resources.views.text import example

_PROBLEMS = describe_problems(401, 403, 404, 409, 422, 429, 503)
_LARGEST_RESOLUTION = 4096
Attempt = Annotated[
    int | None,
    Query(
        ge=0,
        le=2**31 - 1,
        description="The order's last attempt that was seen, as the status has it; 409 where there is a newer one",
    ),
]

router = APIRouter(prefix="/pipeline", tags=["repair"])


@router.post(
    "/retry/{task_id}", response_model=OrderState, responses=_PROBLEMS, summary="Retry an order"
)
def retry_one(task_id: str, api: ApiDep, key: OrderScopedKey, attempt: Attempt = None) -> Response:
    """Retry a failed, dead or canceled order. Completed stages are kept, and its retry count begins at 0.

    An order that has not failed cannot be retried (404, `nothing_to_retry`). With `attempt` the call can be
    repeated: the same retry is done once. Without it, a second one is refused if the first has been paid for since
    (409, `changed_meanwhile`).
    """
    name = find_own_order(api, key, task_id).task_id
    return reply_json(OrderState.build(retry_order(api.db, name, by=key.name, attempt=attempt)))


@router.post(
    "/cancel/{task_id}", response_model=OrderState, responses=_PROBLEMS, summary="Cancel an order"
)
def cancel_one(task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """Cancel the order, or ask its running attempt to stop. A second call changes nothing."""
    name = find_own_order(api, key, task_id).task_id
    return reply_json(OrderState.build(cancel_request(api.db, name, by=key.name)))


@router.post(
    "/redo/{task_id}",
    response_model=OrderState | OrderPrice,
    responses=_PROBLEMS,
    openapi_extra={"parameters": describe_changeable_parameters(get_catalog())},
    summary="Make a stage and those after it again",
)
def redo_one(
    task_id: str,
    api: ApiDep,
    key: OrderScopedKey,
    call: HttpRequest,
    stage: Annotated[
        str, Query(alias="from", description="The first stage that is made again", max_length=64)
    ],
    dry_run: DryRun = False,
    generation: Generation = None,
) -> Response:
    """Make the stage and those after it again. The vendors are paid again; the earlier files are kept.

    With the `generation` of the stage the call can be repeated: the same redo is done, and paid, once. Without it,
    a second one is refused if the first has been paid for (409, `changed_meanwhile`).
    """
    request = find_own_order(api, key, task_id)
    changes = parse_redo_changes(get_catalog(), request.pipeline, call.query_params)
    if dry_run:
        prices = list_redo_prices(api.db, task_id, stage, changes, api.settings, generation)
        return reply_json(build_price_body(prices))
    redone = redo_order(api.db, task_id, stage, changes, api.settings, key.name, generation)
    return reply_json(OrderState.build(redone))


RetryStatus = Literal["failed", "dead", "canceled"]
CancelStatus = Literal["pending", "dispatched", "processing", "failed"]
Stage = Annotated[str | None, Query(max_length=64, description="Only orders at this stage")]
Code = Annotated[str | None, Query(max_length=64, description="Only orders with this error code")]
PipelineName = Annotated[
    str | None, Query(max_length=64, description="Only orders of this pipeline")
]
BulkDryRun = Annotated[bool, Query(description="Only count the orders; nothing is changed")]


@router.post(
    "/retry",
    response_model=RetriedOrders | PlannedOrders,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="Retry many orders",
)
def retry_many(
    api: ApiDep,
    key: OrderScopedKey,
    status: Annotated[RetryStatus, Query(description="Only orders of this status")],
    code: Code = None,
    stage: Stage = None,
    pipeline: PipelineName = None,
    before: Annotated[
        str | None,
        describe_timestamp("Only orders that ended before this timestamp; now where left out"),
    ] = None,
    dry_run: BulkDryRun = False,
) -> Response:
    """Retry up to 500 orders per call, the oldest first, but for those that a retry does not help.

    Those are in `groups` with what they need: a submission in doubt is resolved first, an order that no pipeline
    understands is corrected first. With `dry_run` the groups have all orders, and what their remaining stages
    cost. Only orders that ended before `before` are retried: a client that repeats the `before` of the response
    may repeat the call any number of times without retrying an order twice.
    """
    until = parse_timestamp("before", before) or read_clock(api.db)
    wanted = _build_filter(key, status, stage, code, pipeline)
    plan = plan_retry(api.db, wanted, until, api.settings)
    if dry_run:
        orders = sum(len(each.task_ids) for each in plan.groups)
        return reply_json(
            PlannedOrders(orders=orders, before=until, more=plan.more, groups=_build_groups(plan))
        )
    done = retry_planned(api.db, plan, until, key.name)
    body = RetriedOrders(
        retried=len(done.task_ids),
        task_ids=done.task_ids,
        skipped=done.skipped,
        before=until,
        more=done.more,
        groups=[each for each in _build_groups(plan) if each.needs != "retry"],
    )
    return reply_json(body)


@router.post(
    "/cancel",
    response_model=CanceledOrders | AffectedOrders,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="Cancel many orders",
)
def cancel_many(
    api: ApiDep,
    key: OrderScopedKey,
    status: Annotated[CancelStatus, Query(description="Only orders of this status")],
    code: Code = None,
    stage: Stage = None,
    pipeline: PipelineName = None,
    before: Annotated[
        str | None,
        describe_timestamp("Only orders created before this timestamp; now where left out"),
    ] = None,
    dry_run: BulkDryRun = False,
) -> Response:
    """Cancel up to 500 orders per call, the oldest first; running attempts are asked to stop.

    Only orders created before `before` are canceled, so that orders created after a dry run are not among them.
    """
    until = parse_timestamp("before", before) or read_clock(api.db)
    wanted = _build_filter(key, status, stage, code, pipeline)
    if dry_run:
        return _reply_count(api, select_to_cancel(wanted, until), until)
    done = cancel_matching(api.db, wanted, until, key.name)
    body = CanceledOrders(
        canceled=len(done.task_ids),
        task_ids=done.task_ids,
        skipped=done.skipped,
        before=until,
        more=done.more,
    )
    return reply_json(body)


def _build_groups(plan: Plan) -> list[PlannedGroup]:
    """Build the groups of a planned retry: what the orders of each code need."""
    return [
        PlannedGroup(
            code=each.of,
            needs="retry" if each.needs == TRIED else each.needs,
            orders=len(each.task_ids),
            cost_usd=to_dollars(each.price),
        )
        for each in plan.groups
    ]


def _build_filter(
    key: ApiKey, status: str, stage: str | None, code: str | None, pipeline: str | None
) -> RequestFilter:
    return RequestFilter(
        owner=None if key.is_admin else key.owner,
        status=Status(status),
        stage=require_plain_text("stage", stage),
        code=require_plain_text("code", code),
        pipeline=require_plain_text("pipeline", pipeline),
    )


def _reply_count(api: Api, wanted: RequestFilter, before: datetime) -> Response:
    return reply_json(AffectedOrders(orders=count_requests(api.db, wanted), before=before))


class Resolution(BaseModel):
    """What became of a lost submission, as an operator says."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"choice": "attach", "external_id": "suno-4711"}]},
    )

    choice: Choice = Field(
        description="`attach` the vendor's job, `resubmit` what the vendor does not have, or `give_up`"
    )
    external_id: str | None = Field(None, description="The vendor's id of the job; for `attach`")
    attempt: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="The order's last attempt that was seen; 409 where there is a newer one. With it the call "
        "can be repeated: the same act is done once",
    )


@router.post(
    "/resolve/{task_id}",
    response_model=OrderState,
    responses=_PROBLEMS,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": Resolution.model_json_schema()}},
        }
    },
    summary="Resolve a submission in doubt",
)
async def resolve_one(
    task_id: str, request: HttpRequest, api: ApiDep, key: AdminScopedKey
) -> Response:
    """Resolve a submission whose outcome is unknown, as found in the vendor's account."""
    body = parse_json(await read_body(request, _LARGEST_RESOLUTION), BODY)
    act = partial(_resolve, api, key, require_task_id(task_id), require_object(body, BODY))
    return reply_json(await run_in_threadpool(act))


def _resolve(api: Api, key: ApiKey, task_id: str, body: Mapping[str, Any]) -> OrderState:
    try:
        given = Resolution.model_validate(body)
    except ValidationError as error:
        raise find_first_input_error(error, list(Resolution.model_fields)) from None
    found = resolve_submission(
        api.db,
        task_id,
        given.choice,
        given.external_id,
        api.settings,
        key.name,
        attempt=given.attempt,
    )
    return OrderState.build(found.request)


class DeletedOrder(BaseModel):
    """The order is gone."""

    model_config = example(task_id="shop-1", deleted=True)

    task_id: str
    deleted: Literal[True] = True


@router.delete(
    "/{task_id}",
    response_model=DeletedOrder,
    responses=describe_problems(401, 403, 404, 409, 422, 429, 503),
    summary="Delete an ended order",
)
def delete_one(task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """Delete the order, its files, pictures and history for ever; only its owner or an admin may.

    Its cost stays in the sums, and the ledger keeps the fact that it was deleted. An order that has not ended is
    refused (409, `not_ended`), and so is one whose submission may still be charged (409, `in_doubt`).
    """
    require_task_id(task_id)
    try:
        find_own_order(api, key, task_id)
    except UnknownRequestError:
        # The owner may delete it again if its deletion was cut off.
        if not key.is_admin and find_owner_of_deleted(api.db, task_id) != key.owner:
            raise
    delete_order(api.db, api.store, api.get_dagster(), task_id, key.name)
    api.direct.forget(task_id)
    return reply_json(DeletedOrder(task_id=task_id))


_LARGEST_BODY = 10_000
_CONTENT = {
    "schema": {
        "type": "object",
        "properties": {
            "seconds": {
                "type": "number",
                "minimum": 0,
                "description": "The moment of the video, from its beginning",
            }
        },
        "required": ["seconds"],
        "additionalProperties": False,
    },
    "example": {"seconds": 3.2},
}


class ChosenCover(BaseModel):
    """The cover that was chosen."""

    model_config = example(
        task_id="shop-1",
        seconds=3.2,
        cover="/artifacts/shop-1/cover-17.jpg",
        thumbnail="/artifacts/shop-1/thumbnail-17.jpg",
    )

    task_id: str
    seconds: float
    cover: str = Field(description="The path of the cover, in the size of the video")
    thumbnail: str = Field(description="The path of the same picture for lists")


@router.post(
    "/cover/{task_id}",
    response_model=ChosenCover,
    responses=describe_problems(401, 403, 404, 408, 409, 410, 413, 422, 429, 502, 503),
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": _CONTENT}}},
    summary="Choose the cover of a video",
)
async def choose(task_id: str, request: Request, api: ApiDep, key: OrderScopedKey) -> Response:
    """Make the frame at this moment the cover; earlier covers are kept. Nothing is bought again.

    An order that is not completed (409, `not_completed`) or has no video (409, `no_video`) is refused, and the
    101st choice of one order (409, `many_covers`).
    """
    await run_in_threadpool(find_own_order, api, key, task_id)
    seconds = _seconds(await read_body(request, _LARGEST_BODY))
    choice = partial(choose_frame, api.db, api.store, task_id, seconds, key.name)
    thumbnail, cover = await to_thread.run_sync(choice, limiter=api.frame_threads)
    body = ChosenCover(
        task_id=task_id,
        seconds=seconds,
        cover=build_artifact_url(task_id, cover.name),
        thumbnail=build_artifact_url(task_id, thumbnail.name),
    )
    return reply_json(body)


def _seconds(text: bytes) -> float:
    fields = require_object(parse_json(text, BODY), BODY)
    for name in fields:
        if name != "seconds":
            raise InvalidInputError(name[:64], "is not known here; expected `seconds` alone")
    return parse_moment(fields.get("seconds"))
