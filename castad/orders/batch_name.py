"""Batches: orders of one file that carry one name in front of their own. Pure."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from castad.orders.orders_file import RawOrder
from resources.contract.errors import InvalidInputError

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
