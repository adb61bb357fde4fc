"""What moves in a painted scene, as small soft lights and pieces laid over a frame. Pure: a function of time.

Places are shares of the picture's width and height, lengths shares of its width.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import numpy as np
from PIL import Image

from studio.camera.motion import Square
from studio.camera.palettes import Colour
from studio.camera.pictures import BLACK, VIDEO, WHITE, Planes

SOFT_SIDE = 48
# How much of their light things keep behind text.
DARK = 0.3
Tone = tuple[float, float, float]


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
        """What of it is seen at a moment."""
        ...


def in_video(colour: Colour) -> Tone:
    """Luma and the two colour differences of a colour."""
    rows = (VIDEO[0:4], VIDEO[4:8], VIDEO[8:12])
    luma, blue, red = (
        sum(part * share for part, share in zip((*colour, 1), row, strict=True)) for row in rows
    )
    return luma, blue, red


@cache
def soft_disc(sharp: float = 1.0) -> np.ndarray:
    """A round spot that fades out; the sharper, the more of it is full."""
    y, x = (np.mgrid[0:SOFT_SIDE, 0:SOFT_SIDE] + 0.5) / (SOFT_SIDE / 2) - 1
    mask = np.clip(np.clip(1 - np.hypot(x, y), 0, 1) * sharp, 0, 1)
    return np.asarray((255 * mask * mask * (3 - 2 * mask) + 0.5).astype(np.uint8))


@dataclass(frozen=True)
class Mirrored:
    """Something that moves, in a picture that was mirrored."""

    piece: Moving

    def marks(self, moment: float) -> Iterator[Mark]:
        """The same on the other side."""
        for mark in self.piece.marks(moment):
            planes = mark.planes
            if planes:
                planes = planes[0][:, ::-1], planes[1][:, ::-1], planes[2][:, ::-1]
            left = 1 - mark.left - mark.width
            yield replace(mark, mask=mark.mask[:, ::-1], left=left, planes=planes)


def stirred(
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
    weight = _scaled(mark.mask, (wide, high))[window].astype(np.uint16)
    weight *= (rows[top:bottom, None] * int(255 * min(1.0, mark.level))) >> 8
    weight >>= 8
    place = slice(top, bottom), slice(left, right)
    if mark.planes is None and mark.colour is None:
        _brighten(planes.luma[place], weight)
        return
    luma, blue, red = _tones(mark, (wide, high), window)
    if mark.planes:
        luma = ((luma - BLACK) * dimmed[top:bottom, None] >> 8) + BLACK
    _mix(planes.luma[place], weight, luma)
    above = slice(top // 2, bottom // 2), slice(left // 2, right // 2)
    below = slice(above[0].start + height // 2, above[0].stop + height // 2), above[1]
    _mix(planes.chroma[above], weight[::2, ::2], blue)
    _mix(planes.chroma[below], weight[::2, ::2], red)


def _tones(
    mark: Mark, size: tuple[int, int], window: tuple[slice, slice]
) -> tuple[np.ndarray | int, np.ndarray | int, np.ndarray | int]:
    """What is mixed in: numbers, or planes cut to the window."""
    if mark.planes is None:
        luma, blue, red = (round(tone) for tone in mark.colour or (0, 0, 0))
        return luma, blue, red
    half = size[0] // 2, size[1] // 2
    halves = tuple(slice(part.start // 2, part.stop // 2) for part in window)
    return (
        _scaled(mark.planes[0], size)[window],
        _scaled(mark.planes[1], half)[halves],
        _scaled(mark.planes[2], half)[halves],
    )


def _brighten(plane: np.ndarray, weight: np.ndarray) -> None:
    """Add light, up to white; in place."""
    plane += (((WHITE - np.minimum(plane, WHITE)) * weight) >> 8).astype(np.uint8)


def _mix(plane: np.ndarray, weight: np.ndarray, tone: np.ndarray | int) -> None:
    """Mix a tone in by weights of 255 at most; in place."""
    plane[:] = (plane * (256 - weight) + tone * weight) >> 8


def _scaled(mask: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    if mask.shape == size[::-1]:
        return mask
    return np.asarray(Image.fromarray(mask).resize(size, Image.Resampling.BILINEAR))


def video_planes(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """RGB pixels as luma and, at half the size, the two colour differences."""
    luma, blue, red = Image.fromarray(pixels).convert("RGB", VIDEO).split()
    return np.asarray(luma), np.asarray(blue.reduce(2)), np.asarray(red.reduce(2))
