"""From what a client sent to orders in the ledger."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from castad.api.incoming import BODY, as_object, parsed
from castad.api.problems import ApiError
from castad.api.state import Api
from castad.orders.ordering import conflicts_among
from castad.orders.orders_file import (
    MOST_ORDERS,
    CheckedOrder,
    RawOrder,
    Refused,
    check_order,
    rows_of,
    told_apart,
)
from castad.orders.pricing import total_price
from resources.contract.errors import InvalidInputError
from resources.ledger.errors import ConflictError
from resources.process.settings import Settings
from resources.providers.registry import picture_source

SOURCE = "api"
_NOT_KEPT = "expected a picture that was uploaded here; POST /pipeline/images takes one"


class BatchRefusedError(ApiError):
    """Some order of a batch cannot be placed, so none was."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "batch_refused"


class BatchConflictError(BatchRefusedError):
    """Nothing stands against a batch but that names in it are other orders' already."""

    status = HTTPStatus.CONFLICT
    code = ConflictError.code


def checked(fields: Mapping[str, Any], settings: Settings, place: str = "") -> CheckedOrder:
    """The order, its pictures here where they were uploaded; raises InvalidInputError naming the field."""
    order = check_order(RawOrder("", fields))
    pictures = picture_source(settings)
    for index, image in enumerate(order.payload["images"]):
        if not pictures.has(image):
            raise InvalidInputError(f"images[{index}]", _NOT_KEPT, code="unknown_upload")
    return CheckedOrder(**{**vars(order), "place": place})


def orders_in(body: bytes, *, is_csv: bool) -> list[RawOrder]:
    """The orders of a batch, unchecked. Raises InvalidInputError where it is none."""
    if is_csv:
        orders = rows_of(_text(body), BODY)
    else:
        content = parsed(body)
        listed = content if isinstance(content, list) else as_object(content).get("orders")
        if not isinstance(listed, list):
            raise InvalidInputError(BODY, "expected a list of orders, or an object with `orders`")
        orders = [RawOrder(f"entry {number}", each) for number, each in enumerate(listed, 1)]
    if not 0 < len(orders) <= MOST_ORDERS:
        raise InvalidInputError(BODY, f"expected 1 to {MOST_ORDERS:,} orders")
    return orders


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(BODY, "expected UTF-8 text") from None


def checked_batch(raws: Sequence[RawOrder], api: Api, owner: str | None) -> list[CheckedOrder]:
    """Every order, each task_id once; raises BatchRefusedError telling what is wrong with each that cannot be."""
    orders: list[CheckedOrder] = []
    refused: list[Refused] = []
    for raw in raws:
        if not isinstance(raw.fields, Mapping):
            told = Refused(raw.place, InvalidInputError.code, None, "expected a JSON object")
            refused.append(told)
            continue
        try:
            orders.append(checked(raw.fields, api.settings, raw.place))
        except InvalidInputError as error:
            refused.append(Refused(raw.place, error.code, error.field, error.message))
    distinct, doubled = told_apart(orders)
    refused += doubled
    if refused:
        refused += conflicts_among(api.db, distinct, owner=owner)
        places = {raw.place: index for index, raw in enumerate(raws)}
        raise refusal(sorted(refused, key=lambda each: places[each.place]), len(raws))
    return distinct


def refusal(refused: Sequence[Refused], count: int) -> BatchRefusedError:
    """What the client of a batch is told."""
    first = refused[0]
    only_conflicts = all(each.code == ConflictError.code for each in refused)
    rows = [
        {"row": each.place, "code": each.code, "field": each.field, "detail": each.detail}
        for each in refused
    ]
    return (BatchConflictError if only_conflicts else BatchRefusedError)(
        f"{first.place}: {first.detail}; {len(refused)} of {count} orders cannot be placed, "
        "so none was",
        field=first.field,
        members={"rows": rows},
    )


def batch_price(orders: Sequence[CheckedOrder], settings: Settings) -> int:
    """What they will cost together, in micro-dollars, each stage bought once."""
    return sum(total_price(order.payload, settings) for order in orders)
