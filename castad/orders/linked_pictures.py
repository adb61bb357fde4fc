"""The check of dry runs that an order's links lead to pictures; a run fetches and stores them itself."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

from castad.orders.orders_file import CheckedOrder
from castad.orders.refusals import RefusedOrder, RefusedOrdersError
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError, ProviderError
from resources.files.pictures import PictureSource, list_picture_references

DRY_RUN_SECONDS = 120.0
"""A command's time limit for the pictures of one order."""


def picture_links(pipeline: Pipeline, order: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The order's picture references that are links."""
    return [found for found in list_picture_references(order, pipeline.uploads) if "url" in found]


def refuse_dead_links_of(
    orders: Iterable[CheckedOrder], pictures: PictureSource, seconds: float
) -> None:
    """Every link of every order leads to a usable picture; each order's were fetched within `seconds`.

    Raises RefusedOrdersError with every order that has a dead link.
    """
    refused = []
    for order in orders:
        try:
            refuse_dead_links(order.pipeline, order.payload, pictures, seconds)
        except InvalidInputError as error:
            refused.append(RefusedOrder.of(order.location, error))
    if refused:
        raise RefusedOrdersError(refused)


def refuse_dead_links(
    pipeline: Pipeline, order: Mapping[str, Any], pictures: PictureSource, seconds: float
) -> None:
    """Every link of the order leads to a usable picture; all were fetched within `seconds`.

    Raises InvalidInputError naming the first dead link, with the code that the run would fail with.
    """
    deadline = time.monotonic() + seconds
    for reference in picture_links(pipeline, order):
        try:
            pictures.check_link(reference, max(deadline - time.monotonic(), 0.1))
        except ProviderError as error:
            field, _, reason = error.message.partition(": ")
            if field != reference["name"]:
                raise
            raise InvalidInputError(field, reason, code=error.code) from None
