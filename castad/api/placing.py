"""From what a client sent to orders in the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from castad.api.incoming import BODY, as_object, parsed
from castad.api.problems import ApiError
from castad.orders_file import (
    MOST_ORDERS,
    CheckedOrder,
    RawOrder,
    check_order,
    distinct_orders,
    rows_of,
)
from castad.pricing import total_price
from resources.errors import InvalidInputError
from resources.providers.choice import picture_source
from resources.settings import Settings

SOURCE = "api"
_NOT_KEPT = "expected a picture that was uploaded here; POST /pipeline/images takes one"


class BatchRefusedError(ApiError):
    """Some order of a batch cannot be placed, so none was."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "batch_refused"


@dataclass(frozen=True)
class Refused:
    """An order of a batch that cannot be placed, and why."""

    place: str
    error: InvalidInputError

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "row": self.place,
            "code": self.error.code,
            "field": self.error.field,
            "detail": self.error.message,
        }


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
        orders = [
            RawOrder(f"entry {number}", as_object(each)) for number, each in enumerate(listed, 1)
        ]
    if not 0 < len(orders) <= MOST_ORDERS:
        raise InvalidInputError(BODY, f"expected 1 to {MOST_ORDERS:,} orders")
    return orders


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(BODY, "expected UTF-8 text") from None


def checked_batch(raws: Sequence[RawOrder], settings: Settings) -> list[CheckedOrder]:
    """Every order, each task_id once; raises BatchRefusedError telling what is wrong with each that cannot be."""
    orders: list[CheckedOrder] = []
    refused: list[Refused] = []
    for raw in raws:
        try:
            orders.append(checked(raw.fields, settings, raw.place))
        except InvalidInputError as error:
            refused.append(Refused(raw.place, error))
    if refused:
        raise refusal(refused, len(raws))
    return distinct_orders(orders)


def refusal(refused: Sequence[Refused], count: int) -> BatchRefusedError:
    """What the client of a batch is told."""
    first = refused[0]
    return BatchRefusedError(
        f"{first.place}: {first.error.message}; {len(refused)} of {count} orders cannot be placed, "
        "so none was",
        field=first.error.field,
        members={"rows": [each.as_json() for each in refused]},
    )


def batch_price(orders: Sequence[CheckedOrder], settings: Settings) -> int:
    """What they will cost together, in micro-dollars, each stage bought once."""
    return sum(total_price(order.payload, settings) for order in orders)
