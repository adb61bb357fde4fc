"""Validation of the orders that clients send, alone or in batches."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from castad.api.bodies import OrderReceipt
from castad.api.problems import ApiError
from castad.api.request_body import BODY
from castad.api.state import Api
from castad.orders.batch import RefusedOrder
from castad.orders.order_fields import parse_json, require_object
from castad.orders.orders_file import MAX_ORDERS, CheckedOrder, RawOrder, parse_csv_orders
from castad.orders.submit import prices_of, submit_order, total_price, validate_order
from castad.readmodels.status_body import list_links_of
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import ConflictError, DuplicateOrderError
from resources.ledger.queries.access import ApiKey
from resources.ledger.transitions.orders import Submitted
from resources.process.settings import Settings

SOURCE = "api"
_CONFLICTS = (ConflictError.code, DuplicateOrderError.code)


def submit_fields(api: Api, key: ApiKey, fields: Mapping[str, Any]) -> OrderReceipt:
    """The order of these fields is in the ledger; raises what `validate_order` does, and ConflictError."""
    order = validate_order(fields, api.settings, by_operator=key.is_admin)
    return receipt_of(submit_order(api.db, order, source=SOURCE, owner=key.owner))


def receipt_of(submitted: Submitted) -> OrderReceipt:
    """The body for an order that is in the ledger."""
    task_id = submitted.request.task_id
    return OrderReceipt(
        task_id=task_id,
        status=submitted.request.status,
        created=submitted.created,
        updated=[*submitted.updated],
        scheduled_at=submitted.request.scheduled_for,
        links=list_links_of(task_id),
    )


def parse_batch(body: bytes, *, is_csv: bool) -> list[RawOrder]:
    """The unchecked orders of a batch. Raises InvalidInputError where the body is not one."""
    if is_csv:
        orders = parse_csv_orders(_text(body), BODY)
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


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(BODY, "expected UTF-8 text") from None


def batch_refused_error(refused: Sequence[RefusedOrder], count: int) -> ApiError:
    """The error of a batch of `count` orders, with a row for each refused one."""
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


def batch_price(orders: Sequence[CheckedOrder], settings: Settings) -> int:
    """The price of all orders in micro-dollars, each stage bought once."""
    return sum(total_price(prices_of(order.pipeline, order.payload, settings)) for order in orders)
