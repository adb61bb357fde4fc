"""What flows between the nodes of a graph, and how much of it there may be."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Pictures as (batch, height, width, 3) or masks as (batch, height, width): float32 in [0, 1]."""

LONGEST_SIDE = 16_384
"""ComfyUI's MAX_RESOLUTION."""
MOST_PIXELS = 25_000_000
"""In all pictures of a batch: 300 MB."""
MOST_HELD = 100_000_000
"""Pixels in all batches that wait for the nodes that take them: 1.2 GB."""
_BYTES_A_PIXEL = 12


class TooLargeError(ValueError):
    """The pictures would have more pixels than one machine bears."""


class TooSmallError(ValueError):
    """The pictures would have no pixels."""


def ensure_room(batch: int, height: int, width: int) -> None:
    """Return if pictures of this size may be made; raises TooLargeError and TooSmallError."""
    if min(batch, height, width) < 1:
        raise TooSmallError(f"{batch} x {width} x {height} pixels; expected at least 1 a side")
    if batch * height * width > MOST_PIXELS or max(height, width) > LONGEST_SIDE:
        raise TooLargeError(
            f"{batch} x {width} x {height} pixels; expected at most {MOST_PIXELS // 1_000_000} million "
            f"in all, and {LONGEST_SIDE} a side"
        )


def ensure_held(values: Iterable[Any]) -> None:
    """Return if so much may be kept at once; raises TooLargeError. A part of a picture keeps all of it."""
    arrays = [each for each in values if isinstance(each, np.ndarray)]
    owners = [each if each.base is None else each.base for each in arrays]
    kept = {id(each): getattr(each, "nbytes", 0) for each in owners}
    if sum(kept.values()) > MOST_HELD * _BYTES_A_PIXEL:
        raise TooLargeError(
            f"expected at most {MOST_HELD // 1_000_000} million pixels that wait for other nodes"
        )


def as_float(picture: Any) -> Array:
    """An 8-bit image or channel in [0, 1]."""
    return np.asarray(picture, np.float32) / np.float32(255.0)
