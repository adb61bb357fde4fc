"""Check many orders at once, and refuse every invalid one by its location."""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from castad.orders.orders_file import NO_MAPPING, CheckedOrder, RawOrder, TooWide
from pipeline_defs.capabilities import get_unique_key
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import ConflictError


@dataclass(frozen=True)
class RefusedOrder:
    """A refused order: the reason as a code and a sentence, and the field that it is about, if any."""

    location: str
    code: str
    field: str | None
    detail: str

    @classmethod
    def from_error(cls, location: str, error: InvalidInputError | ConflictError) -> "RefusedOrder":
        """Build the refusal of the order at this location by its error."""
        return cls(location, error.code, error.field, error.message)


class RefusedOrdersError(InvalidInputError):
    """An error for refused orders: the message is about the first, `refused` has all of them."""

    def __init__(self, refused: Sequence[RefusedOrder]) -> None:
        first = refused[0]
        super().__init__(first.location, first.detail, code=first.code)
        self.refused = refused


_OPTIONS = (
    *("max_retries", "priority", "not_before", "callback_url"),
    *("hold", "hold_seconds", "hold_then"),
)
Check = Callable[[Mapping[Any, Any]], CheckedOrder]
"""Return the order with these fields; raise InvalidInputError."""


def check_batch(
    raws: Iterable[RawOrder], check: Check
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """Return the valid orders, each task_id and unique key once, and the refused ones.

    An order is also refused if an earlier one with its task_id or unique key differs from it or has other options.
    """
    orders: list[CheckedOrder] = []
    refused: list[RefusedOrder] = []
    for raw in raws:
        checked = _check_order(raw, check)
        if isinstance(checked, RefusedOrder):
            refused.append(checked)
        else:
            orders.append(checked)
    distinct, duplicates = _split_duplicates(orders)
    return distinct, refused + duplicates


def _check_order(raw: RawOrder, check: Check) -> CheckedOrder | RefusedOrder:
    if isinstance(raw.content, TooWide):
        return RefusedOrder(raw.location, InvalidInputError.code, None, raw.content.sentence)
    if not isinstance(raw.content, Mapping):
        return RefusedOrder(raw.location, InvalidInputError.code, None, NO_MAPPING)
    try:
        return replace(check(raw.content), location=raw.location)
    except InvalidInputError as error:
        return RefusedOrder.from_error(raw.location, error)


def _split_duplicates(
    orders: Iterable[CheckedOrder],
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """Split the orders into the first of each task_id and unique key, and those that contradict an earlier one."""
    kept: dict[str, CheckedOrder] = {}
    distinct, refused = [], []
    of_distinct_keys, contradicting = _split_by_key(orders)
    refused += contradicting
    for order in of_distinct_keys:
        first = kept.setdefault(order.task_id, order) if order.task_id else order
        if first is order:
            distinct.append(order)
        elif (first.pipeline, first.payload) == (order.pipeline, order.payload):
            refused += _refuse_other_option(first, order)
        else:
            reason = (
                f"task_id: {order.task_id!r} is another order in {first.location}; "
                "expected the same order again or a new task_id"
            )
            refused.append(RefusedOrder(order.location, ConflictError.code, "task_id", reason))
    return distinct, refused


def _split_by_key(
    orders: Iterable[CheckedOrder],
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """Split the orders into the first of each unique key, and later ones with other options."""
    held: dict[tuple[str, str], CheckedOrder] = {}
    distinct, refused = [], []
    for order in orders:
        key = get_unique_key(order.pipeline, order.payload)
        first = order if key is None else held.setdefault((order.pipeline.name, key), order)
        if first is order:
            distinct.append(order)
        else:
            refused += _refuse_other_option(first, order)
    return distinct, refused


def _refuse_other_option(first: CheckedOrder, again: CheckedOrder) -> list[RefusedOrder]:
    """Refuse a repeated order for the first option that differs; return [] if none differs."""
    for name in _OPTIONS:
        if getattr(again, name) not in (None, getattr(first, name)):
            reason = (
                f"{name}: this is the order of {first.location}, which has another {name}; "
                f"expected the same {name} or none"
            )
            return [RefusedOrder(again.location, ConflictError.code, name, reason)]
    return []


_NAME = re.compile(r"batch-[0-9a-f]{8}")


def make_batch_name() -> str:
    """Make a random name for a batch."""
    return f"batch-{secrets.token_hex(4)}"


def is_batch_name(text: str) -> bool:
    """Return whether the text can be the name of a batch."""
    return _NAME.fullmatch(text) is not None


def name_orders(name: str, raws: list[RawOrder]) -> list[RawOrder]:
    """Give each order a task_id made of the batch's name and its position.

    Raises InvalidInputError if an order already has a task_id.
    """
    named = []
    for number, each in enumerate(raws, 1):
        if isinstance(each.content, Mapping):
            if each.content.get("task_id"):
                raise InvalidInputError("task_id", "expected none: the batch names its orders")
            content = {**each.content, "task_id": f"{name}-{number:05d}"}
            named.append(RawOrder(each.location, content))
        else:
            named.append(each)
    return named
