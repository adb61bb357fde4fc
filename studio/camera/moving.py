"""What moves in a film: the camera over a picture, and lights and pieces in a painted scene. Pure.

A square is where the camera looks, as shares of the picture: its left, its top, and its width, which is its height
too, for the picture has the frame's shape. Whatever moves, it stays inside the picture, with the subject in it.
Places of marks are shares of the picture's width and height, lengths shares of its width.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import numpy as np
from PIL import Image

from studio.camera.pictures import BLACK, MARGIN, WHITE, Box, Planes, convert

# How near and how far the camera goes, as multiples of the frame's own size.
NEAR, FAR = 1.02, 1.17
# The most that a large subject makes the camera see of a picture: it keeps moving.
WIDEST = 0.94
ATTACK, DECAY = 0.09, 0.16
SOFT_SIDE = 48
# How much of their light things keep behind text.
DARK = 0.3
# How much is seen, in frame sizes, and where in the free room, across and down, each in [0, 1].
View = tuple[float, float, float]
Square = tuple[float, float, float]
Tone = tuple[float, float, float]


@dataclass(frozen=True)
class Subject:
    """The part of a picture that has to be seen, in shares of its width and height."""

    left: float = 0.5
    top: float = 0.5
    right: float = 0.5
    bottom: float = 0.5


def choose_views(move: str, chance: random.Random) -> tuple[View, View]:
    """Choose a move's first and last view."""
    side, level = chance.choice((0.0, 1.0)), chance.choice((0.0, 1.0))
    near = (NEAR, chance.uniform(0.25, 0.75), chance.uniform(0.25, 0.75))
    far = (FAR, 0.5, 0.5)
    middle = (NEAR + FAR) / 2
    along = (middle, side, 0.5), (middle - 0.03, 1 - side, 0.5)
    up = (middle, 0.5, level), (middle - 0.03, 0.5, 1 - level)
    across = (NEAR + 0.05, side, level), (FAR - 0.04, 1 - side, 1 - level)
    views = {"push": (far, near), "pull": (near, far), "pan": along, "tilt": up, "drift": across}
    return views[move]


def ease(share: float) -> float:
    """Return the share of a move's way for a share of its time: it sets off and arrives gently."""
    return 0.35 * share + 0.65 * share * share * (3 - 2 * share)


def place_view(view: View, subject: Subject) -> Square:
    """Place the view as a square that keeps the subject inside; it is wider where the subject needs that."""
    scale, across, down = view
    needed = max(subject.right - subject.left, subject.bottom - subject.top)
    width = max(scale / MARGIN, min(needed, WIDEST))
    return keep_inside(((1 - width) * across, (1 - width) * down, width), subject)


def keep_inside(square: Square, subject: Subject) -> Square:
    """Return the nearest square of that width that has the subject inside, and lies in the picture."""
    width = min(1.0, square[2])
    left = _hold(square[0], width, subject.left, subject.right)
    return left, _hold(square[1], width, subject.top, subject.bottom), width


def bring_nearer(square: Square, share: float) -> Square:
    """Make the square smaller by a share; its middle stays where it is."""
    left, top, width = square
    return left + width * share / 2, top + width * share / 2, width * (1 - share)


def pulse(moment: float, period: float) -> float:
    """Return how far a pulse has gone, 0 to 1: it rises quickly to every multiple of `period`, then dies away."""
    since = moment % period
    rise = max(0.0, 1 - (period - since) / ATTACK)
    return max(rise * rise * (3 - 2 * rise), math.exp(-since / DECAY))


def sway(moment: float, waves: tuple[float, float], phase: float) -> tuple[float, float]:
    """Return how far the camera is off its way, across and down, each in [-1, 1]."""
    slow, quick = (2 * math.pi * wave * moment for wave in waves)
    across = 0.7 * math.sin(slow + phase) + 0.3 * math.sin(quick + 2.1 * phase)
    return across, 0.7 * math.sin(0.83 * slow + 1.7 * phase) + 0.3 * math.cos(quick + phase)


def convert_to_pixels(square: Square, canvas: tuple[int, int]) -> Box:
    """Return the square in pixels of a picture of that size: left, top, right, bottom."""
    left, top, width = square
    right, bottom = min(1.0, left + width), min(1.0, top + width)
    return left * canvas[0], top * canvas[1], right * canvas[0], bottom * canvas[1]


def _hold(start: float, width: float, low: float, high: float) -> float:
    """Move `start` as little as needed for [low, high] to lie in [start, start + width] inside [0, 1].

    Where that is too narrow, it has the middle of it.
    """
    first, last = high - width, low
    inside = min(max(start, first), last) if first <= last else (first + last) / 2
    return min(max(inside, 0.0), 1 - width)


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
