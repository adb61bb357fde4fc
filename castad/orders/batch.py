"""Many orders at once: each is checked, and every unusable one is refused by name."""

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
    """An order that is refused, and why: a code, the field if it is about one, and one sentence."""

    location: str
    code: str
    field: str | None
    detail: str

    @classmethod
    def of(cls, location: str, error: InvalidInputError | ConflictError) -> "RefusedOrder":
        """The order at this location, which this error refuses."""
        return cls(location, error.code, error.field, error.message)


class RefusedOrdersError(InvalidInputError):
    """Some orders are refused: the message is about the first, and `refused` has all of them."""

    def __init__(self, refused: Sequence[RefusedOrder]) -> None:
        first = refused[0]
        super().__init__(first.location, first.detail, code=first.code)
        self.refused = refused


_OPTIONS = (
    *("max_retries", "priority", "not_before", "callback_url"),
    *("hold", "hold_seconds", "hold_then"),
)
Check = Callable[[Mapping[Any, Any]], CheckedOrder]
"""The order of these fields; raises InvalidInputError."""


def check_batch(
    raws: Iterable[RawOrder], check: Check
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """Return the valid orders, each task_id and unique key once, and the refused ones.

    An order is refused too where an earlier one with its task_id or its unique key is another, or has other
    options.
    """
    orders: list[CheckedOrder] = []
    refused: list[RefusedOrder] = []
    for raw in raws:
        checked = _checked(raw, check)
        if isinstance(checked, RefusedOrder):
            refused.append(checked)
        else:
            orders.append(checked)
    distinct, duplicates = _split_duplicates(orders)
    return distinct, refused + duplicates


def _checked(raw: RawOrder, check: Check) -> CheckedOrder | RefusedOrder:
    if isinstance(raw.content, TooWide):
        return RefusedOrder(raw.location, InvalidInputError.code, None, raw.content.sentence)
    if not isinstance(raw.content, Mapping):
        return RefusedOrder(raw.location, InvalidInputError.code, None, NO_MAPPING)
    try:
        return replace(check(raw.content), location=raw.location)
    except InvalidInputError as error:
        return RefusedOrder.of(raw.location, error)


def _split_duplicates(
    orders: Iterable[CheckedOrder],
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """Return each task_id and unique key once, and the orders that an earlier one contradicts."""
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
    """Return the orders that are not the request of an earlier one, and those of them with other options."""
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
    """Refuse the same order sent again by its first option that the first one has not; none where it has all."""
    given = ((name, getattr(again, name)) for name in _OPTIONS)
    for name, value in given:
        if value not in (None, getattr(first, name)):
            reason = (
                f"{name}: this is the order of {first.location}, which has another {name}; "
                f"expected the same {name} or none"
            )
            return [RefusedOrder(again.location, ConflictError.code, name, reason)]
    return []


_NAME = re.compile(r"batch-[0-9a-f]{8}")


def new_batch_name() -> str:
    """A random name."""
    return f"batch-{secrets.token_hex(4)}"


def is_batch_name(text: str) -> bool:
    """Whether this can be the name of a batch."""
    return _NAME.fullmatch(text) is not None


def named_orders(name: str, raws: list[RawOrder]) -> list[RawOrder]:
    """The orders, each called after the batch and its place in it.

    Raises InvalidInputError where an order has a task_id of its own.
    """
    return [
        RawOrder(each.location, _named(name, number, each))
        if isinstance(each.content, Mapping)
        else each
        for number, each in enumerate(raws, 1)
    ]


def _named(name: str, number: int, raw: RawOrder) -> Mapping[Any, Any]:
    if raw.fields.get("task_id"):
        raise InvalidInputError("task_id", "expected none: the batch names its orders")
    return {**raw.fields, "task_id": f"{name}-{number:05d}"}
