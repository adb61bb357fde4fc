"""Many orders at once: each is checked, and every one that cannot be used is refused by name. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from castad.orders.orders_file import NO_MAPPING, CheckedOrder, RawOrder
from castad.orders.refusals import RefusedOrder
from resources.contract.errors import InvalidInputError
from resources.ledger.errors import ConflictError

Check = Callable[[Mapping[Any, Any]], CheckedOrder]
"""The order of these fields; raises InvalidInputError."""


def check_batch(
    raws: Iterable[RawOrder], check: Check
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """The valid orders, each task_id and unique key once, and the refused ones.

    An order is refused too where an earlier, different one has its task_id.
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
    if not isinstance(raw.content, Mapping):
        return RefusedOrder(raw.location, InvalidInputError.code, None, NO_MAPPING)
    try:
        return replace(check(raw.content), location=raw.location)
    except InvalidInputError as error:
        return RefusedOrder.of(raw.location, error)


def _split_duplicates(
    orders: Iterable[CheckedOrder],
) -> tuple[list[CheckedOrder], list[RefusedOrder]]:
    """Each task_id and unique key once, and every order whose task_id an earlier, different order has."""
    kept: dict[str, CheckedOrder] = {}
    distinct, refused = [], []
    for order in _first_of_each_key(orders):
        first = kept.setdefault(order.task_id, order) if order.task_id else order
        if first is order:
            distinct.append(order)
        elif replace(order, location=first.location) != first:
            reason = (
                f"task_id: {order.task_id!r} is another order in {first.location}; "
                "expected the same order again or a new task_id"
            )
            refused.append(RefusedOrder(order.location, ConflictError.code, "task_id", reason))
    return distinct, refused


def _first_of_each_key(orders: Iterable[CheckedOrder]) -> Iterator[CheckedOrder]:
    """The orders that are not the request of an earlier one."""
    held: set[tuple[str, str]] = set()
    for order in orders:
        key = order.pipeline.key_of(order.payload)
        if key is None:
            yield order
        elif (order.pipeline.name, key) not in held:
            held.add((order.pipeline.name, key))
            yield order
