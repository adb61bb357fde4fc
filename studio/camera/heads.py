"""Where heads may be in a photo: spots of skin of a head's size and shape. Pure, numpy and Pillow.

Nothing is recognised: a vase of that colour counts as well. It is kept whole then, which does no harm.
"""

from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageFilter

from studio.camera.crop import Window, reduced, skin

# A head's skin as a share of the picture, its width as a share of its height, and how much of its box it fills.
SIZES, SHAPES, FULL = (0.006, 0.25), (0.4, 1.7), 0.5
# Hair and chin around the skin, in shares of its height, and ears in shares of its width.
HAIR, CHIN, EARS = 0.4, 0.1, 0.1
# So much of a head has to be in a window.
WHOLE = 0.97
Spot = tuple[int, int]


def heads(photo: Image.Image) -> list[Window]:
    """The boxes of what may be heads, hair included, in shares of the RGB photo."""
    small = reduced(photo)
    found = Image.fromarray((255 * (skin(small) > 0)).astype(np.uint8))
    # What is thinner than three cells, as a neck in shadow or a strand of hair, does not join two spots.
    opened = found.filter(ImageFilter.MinFilter(3)).filter(ImageFilter.MaxFilter(3))
    mask = np.asarray(opened) > 0
    return [_box(spots, mask.shape) for spots in _spots(mask) if _like_head(spots, mask.shape)]


def cuts_head(window: Window, found: list[Window]) -> bool:
    """Whether one of the heads is not whole in the window."""
    return any(_share_inside(window, head) < WHOLE for head in found)


def _spots(mask: np.ndarray) -> Iterator[np.ndarray]:
    """The cells, (count, row and column), of every connected spot."""
    left = {(int(row), int(column)) for row, column in np.argwhere(mask)}
    while left:
        waiting = [left.pop()]
        spot: list[Spot] = []
        while waiting:
            row, column = waiting.pop()
            spot.append((row, column))
            near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
            waiting.extend(near & left)
            left -= near
        yield np.array(spot)


def _like_head(spots: np.ndarray, shape: tuple[int, ...]) -> bool:
    height, width = np.ptp(spots, axis=0) + 1
    edges = np.concatenate((spots.min(axis=0) == 0, spots.max(axis=0) == np.array(shape) - 1))
    cells = shape[0] * shape[1]
    return bool(
        # A corner is filled by a wall or a table.
        edges.sum() < 2
        and SIZES[0] <= len(spots) / cells <= SIZES[1]
        and SHAPES[0] <= width / height <= SHAPES[1]
        and len(spots) >= FULL * width * height
    )


def _box(spots: np.ndarray, shape: tuple[int, ...]) -> Window:
    (top, left), (bottom, right) = spots.min(axis=0), spots.max(axis=0) + 1
    height, width = bottom - top, right - left
    return (
        max(0.0, float(left - EARS * width) / shape[1]),
        max(0.0, float(top - HAIR * height) / shape[0]),
        min(1.0, float(right + EARS * width) / shape[1]),
        min(1.0, float(bottom + CHIN * height) / shape[0]),
    )


def _share_inside(window: Window, box: Window) -> float:
    sides = [
        max(0.0, min(window[end], box[end]) - max(window[start], box[start]))
        / (box[end] - box[start])
        for start, end in ((0, 2), (1, 3))
    ]
    return sides[0] * sides[1]
