"""An easel: a canvas for things that stand on one level, and the light that falls on it."""

from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from studio.camera.moving import Moving
from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import FINE, Chance, Size, Spot, make_gradient, mix
from studio.camera.scenes.paints import WHITE
from studio.camera.scenes.pen import Light, Pen

# The level things stand on, as a share of the height: captions stand below it.
LEVELS = {True: 0.6, False: 0.73}
# How many units the shorter side has.
UNITS = 10
# A wide frame has less room above: the view comes nearer by this share only.
WIDE_NEARNESS = 0.5
# Light is reckoned so many times smaller than it is shown.
COARSE = 24
DARKEST, SOFT_EDGE = 0.5, 0.2
Tone = Literal["white", "warm", "cool", "green", "rose", "grey", "brick", "wood", "dark"]
WALL_TONES: dict[Tone, tuple[Colour, float]] = {
    "white": (WHITE, 0.55),
    "warm": ((226, 190, 150), 0.5),
    "cool": ((170, 200, 214), 0.5),
    "green": ((150, 182, 150), 0.5),
    "rose": ((232, 190, 196), 0.5),
    "grey": ((140, 142, 152), 0.55),
    "brick": ((150, 84, 66), 0.6),
    "wood": ((140, 96, 62), 0.6),
    "dark": ((34, 34, 48), 0.75),
}


@dataclass(frozen=True)
class View:
    """What of a scene a take shows: how near it is, how far to the side, and whether it is mirrored."""

    near: float = 1.0
    aside: float = 0.0
    mirrored: bool = False


@dataclass
class Easel:
    """A picture being painted, twice as large as it will be.

    Lengths are in units; `top` and `low` are how far the canvas reaches above and below the level things stand on,
    `half` how far to either side of the middle.
    """

    palette: Palette
    size: Size
    chance: Chance
    view: View = View()
    moving: list[Moving] = field(default_factory=list)

    def __post_init__(self) -> None:
        width, height = (side * FINE for side in self.size)
        self.canvas = Image.new("RGB", (width, height), self.palette.ground[1])
        self.draw = ImageDraw.Draw(self.canvas)
        near = self.view.near if height > width else 1 + (self.view.near - 1) * WIDE_NEARNESS
        self.unit = min(width, height) / UNITS * near
        self.level = height * LEVELS[height > width]
        self.middle = width / 2 - self.view.aside * self.unit
        self.upright = height > width
        self.half = width / 2 / self.unit + abs(self.view.aside)
        self.top, self.low = self.level / self.unit, (height - self.level) / self.unit
        self.lights: list[Light] = []
        self.ambient = DARKEST

    def pen(self, x: float = 0.0, lift: float = 0.0, scale: float = 1.0) -> Pen:
        """Return a pen whose origin is a place beside the middle and above the level."""
        spot = self.middle + x * self.unit, self.level - lift * self.unit
        return Pen(
            self.draw, self.palette, self.chance, *spot, self.unit * scale, 0.0, 1.0, self.moving,
            self.canvas.size, self.lights,
        )  # fmt: skip

    def wash(self, low: float, high: float, *colours: Colour) -> None:
        """Paint colours from the height `high` down to `low`, all across."""
        first = max(0, round(self.level - high * self.unit))
        last = min(self.canvas.height, round(self.level - low * self.unit))
        if last > first:
            stripe = make_gradient(colours, (1, last - first))
            self.canvas.paste(stripe.resize((self.canvas.width, last - first), 0), (0, first))

    def shadow(self, x: float, y: float, across: float, down: float, level: float = 0.45) -> None:
        """Paint a soft dark oval."""
        self._lay((8, 4, 18), _make_soft_disc(), (x, y), (across, down), level)

    def disc(self, colour: Colour, x: float, y: float, radius: float, level: float) -> None:
        """Paint a light out of focus: a disc with a brighter rim."""
        self._lay(colour, _make_rimmed_disc(), (x, y), (radius, radius), level)

    def _lay(
        self, colour: Colour, mask: Image.Image, middle: Spot, reach: Spot, level: float
    ) -> None:
        x = self.middle + middle[0] * self.unit
        y = self.level - middle[1] * self.unit
        half = max(2, round(reach[0] * self.unit)), max(2, round(reach[1] * self.unit))
        table = [round(value * level) for value in range(256)]
        cover = mask.point(table).resize((2 * half[0], 2 * half[1]), Image.Resampling.BILINEAR)
        self.canvas.paste(
            Image.new("RGB", cover.size, colour), (round(x) - half[0], round(y) - half[1]), cover
        )

    def soften(self, reach: float = 0.1) -> None:
        """Put out of focus all that has been painted."""
        small = self.canvas.reduce(4)
        small = small.filter(ImageFilter.BoxBlur(max(1.0, reach * self.unit / 4)))
        small = small.filter(ImageFilter.BoxBlur(max(1.0, reach * self.unit / 6)))
        self.canvas = small.resize(self.canvas.size, Image.Resampling.BILINEAR)
        self.draw = ImageDraw.Draw(self.canvas)

    def light(
        self, x: float, y: float, reach: float, level: float, colour: Colour | None = None
    ) -> None:
        """Let light fall about a place, in units."""
        spot = self.middle + x * self.unit, self.level - y * self.unit
        self.lights.append((spot, reach * self.unit, level, colour or self.palette.light))

    def finish(self) -> Image.Image:
        """Return the picture in its size and its light: the palette's dark where none falls."""
        picture = self.canvas.reduce(FINE)
        size = max(2, self.size[0] // COARSE), max(2, self.size[1] // COARSE)
        scale = self.canvas.width / size[0]
        y, x = (np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32) + 0.5) * scale
        lit = np.full(x.shape, self.ambient, np.float32)
        added = np.zeros((*x.shape, 3), np.float32)
        for spot, reach, level, colour in self.lights:
            fall = np.exp(-((np.hypot(x - spot[0], y - spot[1]) / reach) ** 2)) * level
            lit += fall
            added += fall[..., None] * np.array(colour, np.float32) * 0.16
        aside = np.minimum(x, self.canvas.width - x) / (SOFT_EDGE * self.canvas.width)
        below = (y / self.canvas.height + 0.1) / (SOFT_EDGE + 0.1)
        soft = (1 - np.exp(-2.2 * aside)) * (1 - np.exp(-2.2 * below))
        lit = np.minimum(lit, 1.05) * (0.68 + 0.36 * np.minimum(soft, 1))
        deep = np.array(mix(self.palette.ground[1], self.palette.sky[0], 0.5), np.float32)
        shade = lit[..., None] * 255 + np.clip(1 - lit, 0, 1)[..., None] * deep * 0.55
        picture = ImageChops.multiply(picture, _grow(shade, self.size))
        picture = ImageChops.screen(picture, _grow(added, self.size))
        return picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if self.view.mirrored else picture


def _grow(field: np.ndarray, size: Size) -> Image.Image:
    small = Image.fromarray(np.clip(field, 0, 255).astype(np.uint8))
    return small.resize(size, Image.Resampling.BICUBIC)


@cache
def _make_soft_disc() -> Image.Image:
    y, x = (np.mgrid[0:64, 0:64] + 0.5) / 32 - 1
    away = np.clip(1 - np.hypot(x, y), 0, 1)
    return Image.fromarray((255 * away * away * (3 - 2 * away)).astype(np.uint8))


@cache
def _make_rimmed_disc() -> Image.Image:
    y, x = (np.mgrid[0:96, 0:96] + 0.5) / 48 - 1
    away = 1 - np.hypot(x, y)
    inside = np.clip(away * 30, 0, 1) * (0.7 + 0.3 * np.exp(-((away / 0.08) ** 2)))
    return Image.fromarray((255 * inside).astype(np.uint8))


def mix_wall(palette: Palette, tone: Tone) -> Colour:
    """Return the colour of a wall of that tone in the palette's light."""
    own, share = WALL_TONES[tone]
    return mix(mix(palette.sky[1], palette.sky[-1], 0.45), own, share)
