"""A moving window of a picture at fractions of a pixel: bilinear with weights of 8 bits, in numpy.

Pillow's scaling costs twice the time, for it allows any scale; the camera's stays near one. Both passes run
along rows, which lie together in memory: the picture is kept transposed, and turned back between them.
"""

from dataclasses import dataclass

import numpy as np

# Rows that are mixed at once: few enough to stay near the core, enough for threads not to wait for each other.
BAND = 128
# Rows that are turned at once: a cache line of every row they become.
TURNED = 64
ONE = 256


@dataclass(frozen=True)
class Mixture:
    """What each row of a result is made of: two neighbours of a source by weights, and something more.

    Arrays of one length: the first neighbour's index, its weight, the second's, an addition: parts of `ONE`.
    """

    first: np.ndarray
    near: np.ndarray
    far: np.ndarray
    added: np.ndarray


def places(count: int, low: float, high: float, limit: int) -> Mixture:
    """For `count` samples spread over [low, high) of `limit` pixels: what each is made of."""
    middles = low + (np.arange(count) + 0.5) * ((high - low) / count) - 0.5
    inside = np.clip(middles, 0, limit - 1)
    first = np.minimum(inside.astype(np.intp), limit - 2)
    far = ((inside - first) * ONE + 0.5).astype(np.uint16)
    return Mixture(first, ONE - far, far, np.full(count, ONE // 2, np.uint16))


def toned(mixture: Mixture, kept: np.ndarray, added: np.ndarray) -> Mixture:
    """The mixture with a share of every row kept, in [0, 1], and levels added to it; together at most 255."""
    whole = (kept * ONE + 0.5).astype(np.uint16)
    far = ((mixture.far.astype(np.uint32) * whole + ONE // 2) // ONE).astype(np.uint16)
    more = (added * ONE).astype(np.uint16) + ONE // 2
    return Mixture(mixture.first, whole - far, far, more)


def mixed(source: np.ndarray, mixture: Mixture, result: np.ndarray | None = None) -> np.ndarray:
    """Rows of `source` (uint8) and the rows after them, mixed, in `result` where that is given."""
    count, width = len(mixture.first), source.shape[1]
    result = np.empty((count, width), np.uint8) if result is None else result
    ones = np.empty((min(BAND, count), width), np.uint16)
    others = np.empty_like(ones)
    for top in range(0, count, BAND):
        band = slice(top, min(count, top + BAND))
        rows = mixture.first[band]
        one, other = ones[: len(rows)], others[: len(rows)]
        np.multiply(source[rows], mixture.near[band, None], out=one, dtype=np.uint16)
        np.multiply(source[rows + 1], mixture.far[band, None], out=other, dtype=np.uint16)
        one += other
        one += mixture.added[band, None]
        one >>= 8
        result[band] = one
    return result


def turned(plane: np.ndarray) -> np.ndarray:
    """The plane with rows and columns exchanged, in memory too."""
    result = np.empty(plane.shape[::-1], plane.dtype)
    for first in range(0, len(plane), TURNED):
        result[:, first : first + TURNED] = plane[first : first + TURNED].T
    return result
