"""What things in a scene do while it is seen: steam, blink, fall, drip, swing. Pure: functions of time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image

from studio.camera.moving import Mark, soft_disc
from studio.camera.palettes import Colour
from studio.camera.pictures import in_video

# A light that is larger would cost more than two milliseconds a frame: a share of the shorter side.
WIDEST_LIGHT = 0.1
PUFFS, PUFF_SECONDS = 8, 3.6
# How wide and how high steam gets, in widths of what steams; and where a small mask of it has its cells.
STEAM_WIDE, STEAM_HIGH = 2.2, 3.4
_ACROSS = np.linspace(-STEAM_WIDE / 2, STEAM_WIDE / 2, 24)
_UP = np.linspace(-0.3, STEAM_HIGH - 0.3, 40)
_FADE = (
    np.clip(1.1 - np.abs(_ACROSS) * 2 / STEAM_WIDE, 0, 1)
    * np.clip((STEAM_HIGH - 0.3 - _UP) / 0.8, 0, 1)[:, None]
)


@dataclass(frozen=True)
class Steam:
    """Puffs that rise from a place and dissolve; `reach` is how wide the place is."""

    x: float
    y: float
    reach: float
    shape: float
    phase: float

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield all puffs at once, in a small mask."""
        ages = (moment / PUFF_SECONDS + self.phase + np.arange(PUFFS) / PUFFS) % 1
        turns = np.arange(PUFFS)
        sways = 0.28 * np.sin(5 * ages + 2.4 * turns + moment * 0.7) * (0.3 + ages)
        xs = 0.4 * ((turns * 0.37) % 1 - 0.5) + sways
        levels = np.where(ages < 0.85, np.sin(np.pi * np.minimum(1, ages * 1.18)) ** 1.5, 0)
        wide = 0.2 + 0.36 * ages
        puffs = np.exp(-(((_ACROSS[:, None] - xs) / wide) ** 2))
        rises = np.exp(-(((_UP[:, None] - 2.9 * ages) / (wide * 1.5)) ** 2))
        cover = rises @ (puffs * levels).T * _FADE
        mask = (255 * np.minimum(cover, 1)).astype(np.uint8)[::-1]
        height = STEAM_HIGH * self.reach
        top = self.y - (height - 0.3 * self.reach) * self.shape
        width = STEAM_WIDE * self.reach
        yield Mark(mask, self.x - width / 2, top, width, height, 0.4)


@dataclass(frozen=True)
class Blink:
    """A light that comes and goes every `period` seconds: softly, or in the `beat` part of it only."""

    x: float
    y: float
    reach: float
    shape: float
    colour: Colour
    period: float
    phase: float = 0.0
    beat: float = 0.0
    level: float = 0.7

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield the light."""
        turn = (moment / self.period + self.phase) % 1
        if self.beat:
            shown = min(1.0, max(0.0, 12 * min(turn, self.beat - turn) + 0.1 * (turn < self.beat)))
        else:
            shown = 0.5 - 0.5 * math.cos(2 * math.pi * turn)
        reach = min(self.reach, WIDEST_LIGHT * min(1.0, 1 / self.shape))
        left, top = self.x - reach, self.y - reach * self.shape
        tone = in_video(self.colour)
        yield Mark(soft_disc(1.5), left, top, 2 * reach, 2 * reach, self.level * shown, tone)


@dataclass(frozen=True)
class Fall:
    """Small things that fall through a window of the picture, or rise where `speed` is negative.

    `speed` is in windows a second, `long` how many times longer than wide they are, `sway` how far they go to the
    sides; without a colour they are of light.
    """

    left: float
    top: float
    width: float
    height: float
    shape: float
    size: float
    count: int
    speed: float
    seed: int
    long: float = 1.0
    sway: float = 0.0
    colour: Colour | None = None
    level: float = 0.6

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield those that are seen."""
        for across, start, pace, phase, big in _pick_numbers(self.seed, self.count):
            way = (start + moment * self.speed * (0.65 + 0.7 * pace)) % 1
            side = self.size * (0.6 + 0.8 * big)
            drift = self.sway * math.sin(moment * (0.8 + pace) + 6.28 * phase)
            x = self.left + self.width * across + drift - side / 2
            y = self.top + self.height * way - side * self.long * self.shape / 2
            level = self.level * min(1.0, 8 * way, 8 * (1 - way))
            tone = in_video(self.colour) if self.colour else None
            yield Mark(
                soft_disc(1.0 if self.colour is None else 2.6), x, y, side, side * self.long, level,
                tone,
            )  # fmt: skip


@lru_cache(64)
def _pick_numbers(seed: int, count: int) -> list[list[float]]:
    return np.random.default_rng(seed).random((count, 5)).tolist()


@dataclass(frozen=True)
class Drip:
    """A drop that gathers, falls from `top` to `bottom`, and comes again."""

    x: float
    top: float
    bottom: float
    size: float
    shape: float
    period: float
    phase: float = 0.0

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield the drop, or the ring where it has fallen."""
        turn = (moment / self.period + self.phase) % 1
        tone = in_video((222, 240, 255))
        if turn < 0.75:
            fallen = max(0.0, (turn - 0.45) / 0.3) ** 2
            side = self.size * min(1.0, 0.3 + 1.6 * turn)
            y = self.top + (self.bottom - self.top) * fallen
            yield Mark(soft_disc(2.6), self.x - side / 2, y, side, side * 1.5, 0.95, tone)
        else:
            grown = (turn - 0.75) / 0.25
            side = self.size * (1 + 5 * grown)
            yield Mark(
                soft_disc(1.2), self.x - side / 2, self.bottom - side * 0.14 * self.shape, side,
                side * 0.28, 0.6 * (1 - grown), tone,
            )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Swing:
    """A piece that hangs from its top, and swings by a share of its height."""

    mask: np.ndarray
    planes: tuple[np.ndarray, np.ndarray, np.ndarray]
    left: float
    top: float
    width: float
    height: float
    far: float
    period: float
    phase: float = 0.0

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield the piece, its rows moved aside the more the lower they are."""
        swing = self.far * math.sin(2 * math.pi * (moment / self.period + self.phase))
        mask, *tones = (_shear(layer, swing) for layer in (self.mask, *self.planes))
        yield Mark(
            mask, self.left, self.top, self.width, self.height, 1.0,
            planes=(tones[0], tones[1], tones[2]),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Spin:
    """A square piece that turns clockwise about its middle once in `period` seconds."""

    mask: np.ndarray
    planes: tuple[np.ndarray, np.ndarray, np.ndarray]
    x: float
    y: float
    reach: float
    shape: float
    period: float

    def marks(self, moment: float) -> Iterator[Mark]:
        """Yield the piece, turned."""
        degrees = -360 * (moment / self.period % 1)
        mask, *tones = (_turn(layer, degrees) for layer in (self.mask, *self.planes))
        side = 2 * self.reach
        left, top = self.x - self.reach, self.y - self.reach * self.shape
        yield Mark(mask, left, top, side, side, 1.0, planes=(tones[0], tones[1], tones[2]))


def _turn(layer: np.ndarray, degrees: float) -> np.ndarray:
    return np.asarray(Image.fromarray(layer).rotate(degrees, Image.Resampling.BILINEAR))


def _shear(layer: np.ndarray, swing: float) -> np.ndarray:
    """Move every row to the right by its share of the height times `swing`, in heights."""
    height, width = layer.shape
    shift = np.rint(np.arange(height) * swing).astype(np.intp)
    columns = np.clip(np.arange(width)[None, :] - shift[:, None], 0, width - 1)
    return np.take_along_axis(layer, columns, axis=1)
