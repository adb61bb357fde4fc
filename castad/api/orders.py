"""Routes that submit orders, alone or in batches, and upload their pictures."""

from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from castad.api.auth import OrderScopedKey
from castad.api.bodies import (
    BatchPrice,
    BatchReceipt,
    Cost,
    OrderPrice,
    OrderReceipt,
    UploadedPicture,
    reply_json,
)
from castad.api.forms import BODY, decode_text, read_body
from castad.api.order_schema import build_example_csv, build_example_orders
from castad.api.problems import ApiError, describe_problems
from castad.api.state import Api, ApiDep
from castad.orders.batch import RefusedOrder, RefusedOrdersError
from castad.orders.order_fields import parse_json, require_object
from castad.orders.orders_file import (
    LARGEST_FILE,
    MAX_ORDERS,
    CheckedOrder,
    RawOrder,
    parse_csv_orders,
)
from castad.orders.submit import (
    LARGEST_ORDER,
    StagePrice,
    check_conflicts,
    check_linked_pictures,
    check_orders,
    check_signed,
    find_conflict,
    list_picture_links,
    list_prices,
    list_remarks,
    submit_all,
    submit_order,
    sum_prices,
    validate_order,
)
from castad.views.order_list import build_links
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Remark
from resources.contract.errors import InvalidInputError
from resources.files.pictures import get_picture_source
from resources.ledger.ledger_errors import ConflictError, DuplicateOrderError
from resources.ledger.queries.access import ApiKey
from resources.ledger.transitions.orders import Submitted
from resources.process.settings import Settings
from resources.views.order_body import to_dollars
from studio.images import LARGEST_FILE as LARGEST_PICTURE

SOURCE = "api"
_CONFLICTS = (ConflictError.code, DuplicateOrderError.code)


def submit_fields(api: Api, key: ApiKey, fields: Mapping[str, Any]) -> OrderReceipt:
    """Store the order of these fields; raises what `validate_order` does, and ConflictError."""
    order = validate_order(fields, api.settings, by_operator=key.is_admin)
    return build_receipt(submit_order(api.db, order, source=SOURCE, owner=key.owner))


def build_receipt(submitted: Submitted) -> OrderReceipt:
    """Build the body for an order that is in the ledger."""
    task_id = submitted.request.task_id
    return OrderReceipt(
        task_id=task_id,
        status=submitted.request.status,
        created=submitted.created,
        updated=[*submitted.updated],
        scheduled_at=submitted.request.scheduled_for,
        links=build_links(task_id),
    )


def parse_batch(body: bytes, *, is_csv: bool) -> list[RawOrder]:
    """Parse the unchecked orders of a batch. Raises InvalidInputError if the body is not one."""
    if is_csv:
        orders = parse_csv_orders(decode_text(body), BODY)
    else:
        content = parse_json(body, BODY)
        listed = (
            content if isinstance(content, list) else require_object(content, BODY).get("orders")
        )
        if not isinstance(listed, list):
            raise InvalidInputError(BODY, "expected a list of orders, or an object with `orders`")
        orders = [RawOrder(f"entry {number}", each) for number, each in enumerate(listed, 1)]
    if not 0 < len(orders) <= MAX_ORDERS:
        raise InvalidInputError(BODY, f"expected 1 to {MAX_ORDERS:,} orders")
    return orders


def build_refused_batch_error(refused: Sequence[RefusedOrder], count: int) -> ApiError:
    """Build the error of a batch of `count` orders, with a row for each refused one."""
    first = refused[0]
    rows = [
        {"row": each.location, "code": each.code, "field": each.field, "detail": each.detail}
        for each in refused
    ]
    status, code = HTTPStatus.UNPROCESSABLE_ENTITY, "batch_refused"
    if all(each.code in _CONFLICTS for each in refused):
        status, code = HTTPStatus.CONFLICT, ConflictError.code
    return ApiError(
        status,
        code,
        f"{first.location}: {first.detail}; {len(refused)} of {count} orders were refused, "
        "so none was submitted",
        field=first.field,
        members={"rows": rows},
    )


def sum_batch_prices(orders: Sequence[CheckedOrder], settings: Settings) -> int:
    """Sum the prices of all orders in micro-dollars, each stage bought once."""
    return sum(sum_prices(list_prices(order.pipeline, order.payload, settings)) for order in orders)


_LINK_SECONDS = 15.0
# The picture itself says what it is; generated clients know only the last type.
_PICTURE_TYPES = ("image/jpeg", "image/png", "image/webp", "application/octet-stream")
DryRun = Annotated[bool, Query(description="Only check the call and return its price")]

router = APIRouter(prefix="/pipeline", tags=["order"])


_ORDER = {"schema": {"$ref": "#/components/schemas/NewOrder"}}
_ORDERS = {
    "schema": {
        "type": "object",
        "required": ["orders"],
        "properties": {
            "orders": {
                "type": "array",
                "minItems": 1,
                "maxItems": 10_000,
                "items": {"$ref": "#/components/schemas/NewOrder"},
            }
        },
        "examples": [build_example_orders(get_catalog())],
    }
}
_TASK_ID_PARAMETER = {"task_id": "$response.body#/task_id"}
_LINKS = {
    name: {"operationId": operation, "parameters": _TASK_ID_PARAMETER}
    for name, operation in {
        "status": "get_status_v1_pipeline_status__task_id__get",
        "history": "get_history_v1_pipeline_history__task_id__get",
        "cancel": "cancel_one_v1_pipeline_cancel__task_id__post",
        "retry": "retry_one_v1_pipeline_retry__task_id__post",
        "redo": "redo_one_v1_pipeline_redo__task_id__post",
    }.items()
}
_CSV = {
    "schema": {"type": "string"},
    "example": build_example_csv(get_catalog()),
}


@router.post(
    "/start",
    status_code=202,
    response_model=OrderReceipt | OrderPrice,
    responses={
        200: {
            "model": OrderReceipt | OrderPrice,
            "description": "The order already existed, or the call was a dry run",
        },
        202: {"links": _LINKS},
        **describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
    },
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": _ORDER}}},
    summary="Submit an order",
)
async def start(
    request: Request, api: ApiDep, key: OrderScopedKey, dry_run: DryRun = False
) -> Response:
    """Store the order; it starts as soon as a worker has a free slot.

    Sending the same order with the same `task_id` again is idempotent (200); options that it then brings are
    changed and named in `updated`, or refused (409) where they would not take effect. A different order with that
    `task_id` is refused (409). A `priority` needs a key with the scope admin.

    A dry run also fetches the pictures that the order links to, and refuses a link that does not lead to a
    picture (422).
    """
    fields = require_object(parse_json(await read_body(request, LARGEST_ORDER), BODY), BODY)
    if dry_run:
        order = await run_in_threadpool(_check_for_dry_run, api, key, fields)
        if list_picture_links(order.pipeline, order.payload):
            pictures = get_picture_source(api.settings)
            check_links = partial(
                check_linked_pictures, order.pipeline, order.payload, pictures, _LINK_SECONDS
            )
            await to_thread.run_sync(check_links, limiter=api.link_threads)
        of = (order.pipeline, order.payload, api.settings)
        prices = await run_in_threadpool(list_prices, *of)
        return reply_json(build_price_body(prices, list_remarks(*of)))
    submitted = await run_in_threadpool(submit_fields, api, key, fields)
    request.state.task_id = submitted.task_id
    location = {"Location": submitted.links.self}
    return reply_json(submitted, 202 if submitted.created else 200, headers=location)


def _check_for_dry_run(api: Api, key: ApiKey, fields: Any) -> CheckedOrder:
    order = validate_order(fields, api.settings, by_operator=key.is_admin)
    check_signed(api.db, order, owner=key.owner)
    conflict = find_conflict(api.db, order, owner=key.owner)
    if conflict is not None:
        raise conflict
    return order


def build_price_body(prices: Sequence[StagePrice], remarks: Sequence[Remark] = ()) -> OrderPrice:
    """Build the response for the prices of stages, with soft warnings about the order."""
    stages = [
        Cost(stage=each.stage, provider=each.provider or None, cost_usd=to_dollars(each.price))
        for each in prices
    ]
    return OrderPrice(
        stages=stages,
        cost_usd=to_dollars(sum_prices(prices)),
        remarks=[each.sentence for each in remarks],
    )


@router.post(
    "/batch",
    status_code=202,
    response_model=BatchReceipt | BatchPrice,
    responses={
        200: {
            "model": BatchReceipt | BatchPrice,
            "description": "All orders already existed, or the call was a dry run",
        },
        **describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": _ORDERS, "text/csv": _CSV},
        }
    },
    summary="Submit many orders",
)
async def submit_batch(
    request: Request, api: ApiDep, key: OrderScopedKey, dry_run: DryRun = False
) -> Response:
    """Store all orders, or none: then `rows` lists every refused order with its reason.

    The body is a JSON list of orders, a JSON object with `orders`, or CSV with a header as in
    examples/song_video.csv.
    """
    body = await read_body(request, LARGEST_FILE)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return await run_in_threadpool(
        _submit_batch, api, key, body, is_csv=media_type == "text/csv", dry_run=dry_run
    )


def _submit_batch(api: Api, key: ApiKey, body: bytes, *, is_csv: bool, dry_run: bool) -> Response:
    raws = parse_batch(body, is_csv=is_csv)
    check = partial(validate_order, settings=api.settings, by_operator=key.is_admin)
    try:
        orders = check_orders(api.db, raws, check, owner=key.owner)
        if dry_run:
            check_conflicts(api.db, orders, owner=key.owner)
            price = to_dollars(sum_batch_prices(orders, api.settings))
            return reply_json(BatchPrice(orders=len(orders), cost_usd=price))
        results = submit_all(api.db, orders, source=SOURCE, owner=key.owner)
    except RefusedOrdersError as error:
        raise build_refused_batch_error(error.refused, len(raws)) from None
    submitted = [build_receipt(each) for each in results]
    created = sum(each.created for each in submitted)
    updated = sum(bool(each.updated) for each in submitted)
    receipt = BatchReceipt(orders=submitted, created=created, updated=updated)
    return reply_json(receipt, 202 if created else 200)


@router.post(
    "/images",
    status_code=201,
    response_model=UploadedPicture,
    responses=describe_problems(401, 403, 408, 413, 422, 429, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}} for kind in _PICTURE_TYPES
            },
        }
    },
    summary="Upload a picture",
)
async def upload_image(request: Request, api: ApiDep, key: OrderScopedKey) -> Response:
    """Store the picture; an order refers to it by `image`. The body is a JPEG, PNG or WebP file."""
    picture = await read_body(request, LARGEST_PICTURE)
    api.upload_quota.take(key.id, len(picture))
    take = get_picture_source(api.settings).store_bytes
    image = await to_thread.run_sync(take, picture, BODY, limiter=api.picture_threads)
    return reply_json(UploadedPicture(image=image, bytes=len(picture)), 201)
