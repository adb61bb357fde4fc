"""Do the links of an order lead to pictures? Asked by dry runs; a run asks again, and keeps what it fetches."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

from castad.orders.orders_file import CheckedOrder
from pipeline_defs.song_video.brief import PICTURES
from resources.contract.errors import InvalidInputError, ProviderError
from resources.files.pictures import PictureSource, picture_references

DRY_RUN_SECONDS = 120.0
"""So long a command waits for the pictures of one order."""


def picture_links(order: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The references of an order's pictures that are links."""
    return [found for found in picture_references(order, PICTURES) if "url" in found]


def refuse_dead_links_of(
    orders: Iterable[CheckedOrder], pictures: PictureSource, seconds: float
) -> None:
    """Every link of every order led to a usable picture, each order's within so many seconds.

    Raises InvalidInputError naming the place of the first order of which one does not, as `refuse_dead_links`.
    """
    for order in orders:
        try:
            refuse_dead_links(order.payload, pictures, seconds)
        except InvalidInputError as error:
            raise InvalidInputError(order.location, error.message, code=error.code) from None


def refuse_dead_links(order: Mapping[str, Any], pictures: PictureSource, seconds: float) -> None:
    """Every link of the order's pictures led to a usable picture, all of them within so many seconds.

    Raises InvalidInputError naming the first that does not, with the code that the run would end with.
    """
    deadline = time.monotonic() + seconds
    for reference in picture_links(order):
        try:
            pictures.try_link(reference, max(deadline - time.monotonic(), 0.1))
        except ProviderError as error:
            field, _, reason = error.message.partition(": ")
            if field != reference["name"]:
                raise
            raise InvalidInputError(field, reason, code=error.code) from None
