"""Validation of the orders that clients send, alone or in batches."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from castad.api.problems import ApiError
from castad.api.request_body import BODY, parse_json, require_object
from castad.api.state import Api
from castad.orders.orders_file import (
    MAX_ORDERS,
    CheckedOrder,
    RawOrder,
    RefusedOrder,
    check_order,
    parse_csv_orders,
    split_duplicates,
)
from castad.orders.pricing import prices_of, total_price
from castad.orders.submit import find_conflicts
from resources.contract.errors import InvalidInputError
from resources.files.pictures import picture_source
from resources.ledger.errors import ConflictError, DuplicateOrderError
from resources.process.settings import Settings

SOURCE = "api"
_CONFLICTS = (ConflictError.code, DuplicateOrderError.code)
_NOT_UPLOADED = "expected a picture that was uploaded; POST /pipeline/images accepts one"


class BatchRefusedError(ApiError):
    """At least one order of a batch was refused, so none was submitted."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "batch_refused"


class BatchConflictError(BatchRefusedError):
    """The only errors in a batch are task_ids and unique keys that other orders already have."""

    status = HTTPStatus.CONFLICT
    code = ConflictError.code


def validate_order(
    fields: Mapping[str, Any], settings: Settings, location: str = ""
) -> CheckedOrder:
    """The order, checked, its uploaded pictures in the store; raises InvalidInputError naming the field."""
    order = check_order(RawOrder("", fields))
    pictures = picture_source(settings)
    for name in order.pipeline.pictures:
        for index, picture in enumerate(order.payload[name]):
            if not pictures.has(picture):
                raise InvalidInputError(f"{name}[{index}]", _NOT_UPLOADED, code="unknown_upload")
    return CheckedOrder(**{**vars(order), "location": location})


def parse_batch(body: bytes, *, is_csv: bool) -> list[RawOrder]:
    """The unchecked orders of a batch. Raises InvalidInputError where the body is not one."""
    if is_csv:
        orders = parse_csv_orders(_text(body), BODY)
    else:
        content = parse_json(body)
        listed = content if isinstance(content, list) else require_object(content).get("orders")
        if not isinstance(listed, list):
            raise InvalidInputError(BODY, "expected a list of orders, or an object with `orders`")
        orders = [RawOrder(f"entry {number}", each) for number, each in enumerate(listed, 1)]
    if not 0 < len(orders) <= MAX_ORDERS:
        raise InvalidInputError(BODY, f"expected 1 to {MAX_ORDERS:,} orders")
    return orders


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(BODY, "expected UTF-8 text") from None


def validate_batch(raws: Sequence[RawOrder], api: Api, owner: str | None) -> list[CheckedOrder]:
    """Every order, each task_id once; raises BatchRefusedError with every refused order and its reason."""
    orders: list[CheckedOrder] = []
    refused: list[RefusedOrder] = []
    for raw in raws:
        if not isinstance(raw.fields, Mapping):
            refused_order = RefusedOrder(
                raw.location, InvalidInputError.code, None, "expected a JSON object"
            )
            refused.append(refused_order)
            continue
        try:
            orders.append(validate_order(raw.fields, api.settings, raw.location))
        except InvalidInputError as error:
            refused.append(RefusedOrder(raw.location, error.code, error.field, error.message))
    distinct, duplicates = split_duplicates(orders)
    refused += duplicates
    if refused:
        refused += find_conflicts(api.db, distinct, owner=owner)
        positions = {raw.location: index for index, raw in enumerate(raws)}
        raise batch_refused_error(
            sorted(refused, key=lambda each: positions[each.location]), len(raws)
        )
    return distinct


def batch_refused_error(refused: Sequence[RefusedOrder], count: int) -> BatchRefusedError:
    """The error of a batch of `count` orders, with a row for each refused one."""
    first = refused[0]
    only_conflicts = all(each.code in _CONFLICTS for each in refused)
    rows = [
        {"row": each.location, "code": each.code, "field": each.field, "detail": each.detail}
        for each in refused
    ]
    return (BatchConflictError if only_conflicts else BatchRefusedError)(
        f"{first.location}: {first.detail}; {len(refused)} of {count} orders were refused, "
        "so none was submitted",
        field=first.field,
        members={"rows": rows},
    )


def batch_price(orders: Sequence[CheckedOrder], settings: Settings) -> int:
    """The price of all orders in micro-dollars, each stage bought once."""
    return sum(total_price(prices_of(order.pipeline, order.payload, settings)) for order in orders)
