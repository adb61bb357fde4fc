"""What flows between the nodes of a graph, and how much of it there may be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Pictures as (batch, height, width, 3) or masks as (batch, height, width): float32 in [0, 1]."""

LONGEST_SIDE = 16_384
"""ComfyUI's MAX_RESOLUTION."""
MOST_PIXELS = 25_000_000
"""In all pictures of a batch: 300 MB."""


class TooLargeError(ValueError):
    """The pictures would have more pixels than one machine bears."""


def ensure_room(batch: int, height: int, width: int) -> None:
    """Return if pictures of this size may be made; raises TooLargeError."""
    pixels = batch * height * width
    if not 0 < pixels <= MOST_PIXELS or max(height, width) > LONGEST_SIDE:
        raise TooLargeError(
            f"{batch} x {width} x {height} pixels; expected at most {MOST_PIXELS // 1_000_000} million "
            f"in all, and {LONGEST_SIDE} a side"
        )


def as_float(picture: Any) -> Array:
    """An 8-bit image or channel in [0, 1]."""
    return np.asarray(picture, np.float32) / np.float32(255.0)
