"""Several pictures: batches are joined, repeated and taken apart, and pictures put side by side."""

from collections.abc import Sequence

import numpy as np

from studio.filters.sizes import COLOURS, filled, scaled
from studio.filters.values import Array, ensure_room


def batched(first: Array, second: Array) -> Array:
    """All pictures in one batch, the second ones in the size of the first."""
    if first.shape[1:] != second.shape[1:]:
        second = scaled(second, first.shape[2], first.shape[1], "bilinear", "center")
    ensure_room(len(first) + len(second), *first.shape[1:3])
    return np.concatenate((first, second))


def repeated(image: Array, amount: int) -> Array:
    """The batch so many times."""
    ensure_room(len(image) * amount, *image.shape[1:3])
    return np.tile(image, (amount, 1, 1, 1))


def taken(image: Array, first: int, count: int) -> Array:
    """So many pictures of the batch, no more than there are, and at least its last."""
    first = min(len(image) - 1, first)
    return image[first : first + count]


def stitched(
    first: Array, second: Array, direction: str, *, matched: bool, spacing: int, colour: str
) -> Array:
    """Both pictures side by side or one below the other, with a strip of colour between them."""
    axis = 2 if direction in ("right", "left") else 1
    count = max(len(first), len(second))
    first, second = _as_many(first, count), _as_many(second, count)
    if matched:
        second = _matched(first, second, axis)
    across = 3 - axis
    side = max(first.shape[across], second.shape[across])
    frame = (0.0, 0.0, 0.0) if colour in ("red", "green", "blue") else COLOURS[colour]
    parts = [_padded(each, side, across, frame) for each in (first, second)]
    if direction in ("left", "up"):
        parts.reverse()
    if spacing > 0:
        strip = spacing + spacing % 2
        height, width = (strip, side) if axis == 1 else (side, strip)
        parts.insert(1, filled(count, height, width, COLOURS[colour]))
    total = sum(part.shape[axis] for part in parts)
    ensure_room(count, *((total, side) if axis == 1 else (side, total)))
    return np.concatenate(parts, axis=axis)


def _as_many(image: Array, count: int) -> Array:
    ensure_room(count, *image.shape[1:3])
    missing = count - len(image)
    return np.concatenate((image, np.repeat(image[-1:], missing, 0))) if missing else image


def _matched(first: Array, second: Array, axis: int) -> Array:
    height, width = first.shape[1:3]
    proportion = second.shape[2] / second.shape[1]
    if axis == 2:
        return scaled(second, int(height * proportion), height, "lanczos")
    return scaled(second, width, int(width / proportion), "lanczos")


def _padded(image: Array, side: int, axis: int, colour: Sequence[float]) -> Array:
    missing = side - image.shape[axis]
    if not missing:
        return image
    height, width = image.shape[1:3]
    height, width = (side, width) if axis == 1 else (height, side)
    frame = filled(len(image), height, width, colour)
    before = missing // 2
    inside = [slice(None), slice(None), slice(None)]
    inside[axis] = slice(before, before + image.shape[axis])
    frame[tuple(inside)] = image
    return frame
