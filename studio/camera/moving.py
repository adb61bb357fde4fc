"""What moves in a film: lights and pieces in a painted scene, seen through the camera's square. Pure.

A square is where the camera looks, as shares of the picture: its left, its top, and its width, which is its height
too, for the picture has the frame's shape.
Places of marks are shares of the picture's width and height, lengths shares of its width.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import numpy as np
from PIL import Image

from studio.camera.pictures import BLACK, WHITE, Box, Planes, convert

SOFT_SIDE = 48
# How much of their light things keep behind text.
DARK = 0.3
Square = tuple[float, float, float]
Tone = tuple[float, float, float]


@dataclass(frozen=True)
class Subject:
    """The part of a picture that has to be seen, in shares of its width and height."""

    left: float = 0.5
    top: float = 0.5
    right: float = 0.5
    bottom: float = 0.5


def convert_to_pixels(square: Square, canvas: tuple[int, int]) -> Box:
    """Return the square in pixels of a picture of that size: left, top, right, bottom."""
    left, top, width = square
    right, bottom = min(1.0, left + width), min(1.0, top + width)
    return left * canvas[0], top * canvas[1], right * canvas[0], bottom * canvas[1]


@dataclass(frozen=True)
class Mark:
    """Something laid over a picture: a mask (uint8), where and how large it is, how much of it.

    It has one colour (luma, blue and red differences), or planes of them in the mask's size and half of it.
    Without either it is of light, which makes brighter what is there.
    """

    mask: np.ndarray
    left: float
    top: float
    width: float
    height: float
    level: float
    colour: Tone | None = None
    planes: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


class Moving(Protocol):
    """Something that moves."""

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield what of it is seen at a moment."""
        ...


@cache
def soft_disc(sharp: float = 1.0) -> np.ndarray:
    """Draw a round spot that fades out; the sharper, the more of it is full."""
    y, x = (np.mgrid[0:SOFT_SIDE, 0:SOFT_SIDE] + 0.5) / (SOFT_SIDE / 2) - 1
    mask = np.clip(np.clip(1 - np.hypot(x, y), 0, 1) * sharp, 0, 1)
    return np.asarray((255 * mask * mask * (3 - 2 * mask) + 0.5).astype(np.uint8))


def video_planes(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Convert RGB pixels to luma and, at half the size, the two colour differences."""
    luma, blue, red = map(np.asarray, convert(Image.fromarray(pixels)))
    return luma, blue, red


@dataclass(frozen=True)
class Mirrored:
    """Something that moves, in a picture that was mirrored."""

    piece: Moving

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield the same on the other side."""
        for mark in self.piece.marks(moment):
            planes = mark.planes
            if planes:
                planes = planes[0][:, ::-1], planes[1][:, ::-1], planes[2][:, ::-1]
            left = 1 - mark.left - mark.width
            yield replace(mark, mask=mark.mask[:, ::-1], left=left, planes=planes)


def lay_moving(
    planes: Planes,
    moving: Sequence[Moving],
    square: Square,
    moment: float,
    free: np.ndarray,
    kept: np.ndarray,
) -> None:
    """Lay what moves over the frame that sees this square of the picture; in place.

    For every row `kept` is the share of the frame's light, and `free` how free it is of text, [0, 1]: lights are
    not seen behind text, and things with planes of their own are dark there.
    """
    width, height = planes.size
    left, top, side = square
    lights, things = ((256 * rows).astype(np.uint16) for rows in (free * kept, kept))
    dimmed = (256 * (DARK + (1 - DARK) * free)).astype(np.uint16)
    for piece in moving:
        for mark in piece.marks(moment):
            x = (mark.left - left) / side * width
            y = (mark.top - top) / side * height
            size = mark.width / side * width, mark.height / side * width
            _lay(planes, mark, (x, y), size, things if mark.planes else lights, dimmed)


def _lay(
    planes: Planes,
    mark: Mark,
    spot: tuple[float, float],
    size: tuple[float, float],
    rows: np.ndarray,
    dimmed: np.ndarray,
) -> None:
    """Lay a mark over the frame at even pixels, which both planes have."""
    width, height = planes.size
    x, y = round(spot[0] / 2) * 2, round(spot[1] / 2) * 2
    wide, high = max(2, round(size[0] / 2) * 2), max(2, round(size[1] / 2) * 2)
    left, top = max(0, x), max(0, y)
    right, bottom = min(width, x + wide), min(height, y + high)
    if left >= right or top >= bottom or mark.level <= 0:
        return
    window = slice(top - y, bottom - y), slice(left - x, right - x)
    weight = _scale(mark.mask, (wide, high))[window].astype(np.uint16)
    weight *= (rows[top:bottom, None] * int(255 * min(1.0, mark.level))) >> 8
    weight >>= 8
    luma_part = planes.luma[top:bottom, left:right]
    tones: Sequence[np.ndarray | int]
    if mark.planes:
        halves = tuple(slice(part.start // 2, part.stop // 2) for part in window)
        luma = _scale(mark.planes[0], (wide, high))[window]
        luma = ((luma - BLACK) * dimmed[top:bottom, None] >> 8) + BLACK
        half = wide // 2, high // 2
        tones = [luma, *(_scale(plane, half)[halves] for plane in mark.planes[1:])]
    elif mark.colour:
        tones = [round(tone) for tone in mark.colour]
    else:
        # Light makes brighter what is there, up to white.
        luma_part += (((WHITE - np.minimum(luma_part, WHITE)) * weight) >> 8).astype(np.uint8)
        return
    for (plane, divided), tone in zip(planes.split(), tones, strict=True):
        part = plane[top // divided : bottom // divided, left // divided : right // divided]
        share = weight[::divided, ::divided]
        part[:] = (part * (256 - share) + tone * share) >> 8


def _scale(mask: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    if mask.shape == size[::-1]:
        return mask
    return np.asarray(Image.fromarray(mask).resize(size, Image.Resampling.BILINEAR))
