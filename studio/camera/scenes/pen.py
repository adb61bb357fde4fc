"""What things are drawn with: flat shapes from their foot upwards, in units of their own."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from PIL import Image, ImageDraw

from studio.camera.moving import Moving, video_planes
from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import Box, Chance, Spot, mix, read_rows
from studio.camera.scenes.motions import Blink, Fall, Spin, Swing
from studio.camera.scenes.paints import BLACK, WHITE, read_paints

# Light comes from the left: how far it lies off the middle of what is round, and in how many tones that is shaded.
LIT_SIDE, TONES = 0.42, 8
ROUND_STEPS = 9
# What swings is not in the picture's light: it has about so much of it.
LOOSE_LIGHT = 0.82
# It is so many times smaller than the canvas, half as large as it is shown: it moves in every frame.
LOOSE_SCALE = 4
# What turns has fine spokes.
SPUN_SCALE = 3
# Where light falls in pixels, how far, how much, and its colour.
Light = tuple[Spot, float, float, Colour]
Choice = TypeVar("Choice")


def darken(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour in shade."""
    return mix(colour, (18, 14, 34), share)


def lighten(colour: Colour, share: float = 0.3) -> Colour:
    """Return the colour in light."""
    return mix(colour, (255, 250, 240), share)


@dataclass(frozen=True)
class Pen:
    """Draws in units of `scale` pixels from the pixel (`x`, `y`), turned by `turn`, mirrored by a `side` of -1."""

    draw: ImageDraw.ImageDraw
    palette: Palette
    chance: Chance
    x: float
    y: float
    scale: float
    turn: float = 0.0
    side: float = 1.0
    moving: list[Moving] = field(default_factory=list)
    canvas: tuple[int, int] = (1, 1)
    lights: list[Light] = field(default_factory=list)

    def place(self, x: float, y: float) -> Spot:
        """Return a place in shares of the canvas's sides."""
        left, top = self.spot(x, y)
        return left / self.canvas[0], top / self.canvas[1]

    @property
    def shape(self) -> float:
        """How many times longer than a share of the height one of the width is."""
        return self.canvas[0] / self.canvas[1]

    def share(self, length: float) -> float:
        """Return a length in shares of the canvas's width."""
        return length * self.scale / self.canvas[0]

    def glow(
        self, x: float, y: float, reach: float, level: float = 0.6, colour: Colour | None = None
    ) -> None:
        """Let light fall about a place when the picture is finished."""
        tone = colour or self.palette.light
        self.lights.append((self.spot(x, y), reach * self.scale, level, tone))

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """Choose one by chance."""
        return choices[int(self.chance.integers(0, len(choices)))]

    def blink(
        self,
        x: float,
        y: float,
        reach: float,
        colour: Colour,
        period: float,
        phase: float = 0.0,
        beat: float = 0.0,
        level: float = 0.7,
        flat: float = 1.0,
    ) -> None:
        """Let a light come and go about a place; `flat` is its height in widths."""
        left, top = self.place(x, y)
        reach, shape = self.share(reach), self.shape * flat
        self.moving.append(Blink(left, top, reach, shape, colour, period, phase, beat, level))

    def fall(
        self,
        left: float,
        high: float,
        wide: float,
        tall: float,
        size: float,
        count: int,
        speed: float,
        long: float = 1.0,
        sway: float = 0.0,
        colour: Colour | None = None,
        level: float = 0.6,
        salt: int = 0,
    ) -> None:
        """Let small things fall through a window below `high`; `salt` tells two windows of one draw apart."""
        x, y = self.place(left, high)
        width, height = self.share(wide), self.share(tall) * self.shape
        seed = int(self.chance.integers(1 << 30)) + salt
        size, sway = self.share(size), self.share(sway)
        self.moving.append(
            Fall(
                x, y, width, height, self.shape, size, count, speed, seed, long, sway, colour, level
            )
        )

    def swing(self, drawn: Callable[["Pen"], None], box: Box, far: float, period: float) -> None:
        """Draw something apart that hangs from the top of `box` (left, low, right, high) and swings."""
        left, low, right, high = box
        mask, planes = self._apart(drawn, box, LOOSE_SCALE)
        x, y = self.place(left, high)
        width, height = self.share(right - left), self.share(high - low)
        self.moving.append(Swing(mask, planes, x, y, width, height, far, period))

    def spin(
        self, drawn: Callable[["Pen"], None], x: float, y: float, reach: float, period: float
    ) -> None:
        """Draw something apart that turns about a place, no farther from it than `reach`."""
        mask, planes = self.at(x, y)._apart(drawn, (-reach, -reach, reach, reach), SPUN_SCALE)
        across, down = self.place(x, y)
        self.moving.append(Spin(mask, planes, across, down, self.share(reach), self.shape, period))

    def _apart(
        self, drawn: Callable[["Pen"], None], box: Box, coarse: int
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Draw in `box`, smaller than the canvas by `coarse`; return the mask and the planes."""
        left, low, right, high = box
        wide, tall = (
            max(1, round(side * self.scale / coarse)) for side in (right - left, high - low)
        )
        sheets = []
        for ground in (BLACK, WHITE):
            sheet = Image.new("RGB", (wide * coarse, tall * coarse), ground)
            corner = -left * self.scale, high * self.scale
            drawn(replace(self, draw=ImageDraw.Draw(sheet), x=corner[0], y=corner[1]))
            sheets.append(np.asarray(sheet.reduce(coarse), np.float32))
        cover = 1 - (sheets[1] - sheets[0]).mean(axis=2) / 255
        own = sheets[0] / np.maximum(cover, 0.02)[..., None] * LOOSE_LIGHT
        # What is not covered has the piece's colour too: it is mixed into the edges when the piece is moved.
        own[cover < 0.1] = own[cover > 0.9].mean(axis=0) if (cover > 0.9).any() else own.max()
        mask = (255 * np.clip(cover, 0, 1) + 0.5).astype(np.uint8)
        return mask, video_planes(np.clip(own, 0, 255).astype(np.uint8))

    def spot(self, x: float, y: float) -> Spot:
        """Return the pixel of a place."""
        x *= self.side
        across = x * math.cos(self.turn) - y * math.sin(self.turn)
        up = x * math.sin(self.turn) + y * math.cos(self.turn)
        return self.x + across * self.scale, self.y - up * self.scale

    def at(
        self, x: float, y: float, scale: float = 1.0, turn: float = 0.0, side: float = 1.0
    ) -> "Pen":
        """Return the same pen with its origin at a place, its units `scale` times as large."""
        left, top = self.spot(x, y)
        turned = self.turn + turn * self.side
        return replace(
            self, x=left, y=top, scale=self.scale * scale, turn=turned, side=self.side * side
        )

    def rings(self, x: float, y: float, *rings: tuple[float, Colour]) -> None:
        """Draw discs of some radius and colour about a place, each on the one before."""
        for radius, colour in rings:
            self.oval(colour, x, y, radius)

    def poly(self, colour: Colour, *points: Spot) -> None:
        """Draw a filled polygon."""
        self.draw.polygon([self.spot(*point) for point in points], colour)

    def bands(self, low: Colour, high: Colour, first: Box, step: float, count: int) -> None:
        """Draw bands from one colour towards another, `first` (left, low, right, high) and those above it."""
        left, bottom, right, top = first
        for number in range(count):
            up = step * number
            self.box(mix(low, high, number / count), left, bottom + up, right, top + up)

    def box(
        self, colour: Colour, left: float, low: float, right: float, high: float, bend: float = 0.0
    ) -> None:
        """Draw a rectangle, its corners rounded by `bend`."""
        if not bend:
            self.poly(colour, (left, low), (right, low), (right, high), (left, high))
            return
        bend = min(bend, abs(right - left) / 2, abs(high - low) / 2)
        (x0, x1), (y0, y1) = (left + bend, right - bend), (low + bend, high - bend)
        outline = []
        for quarter, (x, y) in enumerate(((x1, y1), (x0, y1), (x0, y0), (x1, y0))):
            for part in np.linspace(0, math.pi / 2, 6).tolist():
                angle = part + quarter * math.pi / 2
                outline.append((x + bend * math.cos(angle), y + bend * math.sin(angle)))
        self.poly(colour, *outline)

    def oval(
        self, colour: Colour, x: float, y: float, across: float, down: float | None = None
    ) -> None:
        """Draw an ellipse with these half axes."""
        down = across if down is None else down
        angles = np.linspace(0, 2 * math.pi, 40, endpoint=False).tolist()
        self.poly(colour, *((x + across * math.cos(a), y + down * math.sin(a)) for a in angles))

    def line(self, colour: Colour, width: float, *points: Spot) -> None:
        """Draw a line through points with round ends."""
        spots = [self.spot(*point) for point in points]
        pixels = max(1, round(width * self.scale))
        self.draw.line(spots, colour, pixels, joint="curve")
        if pixels > 3:
            for x, y in (spots[0], spots[-1]):
                half = pixels / 2 - 0.5
                self.draw.ellipse((x - half, y - half, x + half, y + half), colour)

    def curve(self, colour: Colour, width: float, *points: Spot) -> None:
        """Draw a smooth line through points."""
        self.line(colour, width, *smooth(points))

    def blob(self, colour: Colour, *points: Spot) -> None:
        """Draw a filled shape with a smooth outline through points."""
        outline = smooth([points[-1], *points, points[0], points[1]])
        self.poly(colour, *outline[ROUND_STEPS : -ROUND_STEPS - 1])

    def lathe(self, colour: Colour, *profile: Spot) -> None:
        """Draw what a lathe makes of half widths and heights, lit from the left."""
        shade = darken(colour, 0.45)
        light = lighten(colour, 0.35)
        for tone in range(TONES):
            share = tone / (TONES - 1)
            wide, off = 1 - 0.82 * share, LIT_SIDE * share * 0.9
            mixed = mix(shade, colour, min(1.0, 1.7 * share))
            shown = mix(mixed, light, max(0.0, 1.7 * share - 0.9))
            left = [(-half * (wide + off), y) for half, y in profile]
            right = [(half * (wide - off), y) for half, y in reversed(profile)]
            self.poly(shown, *left, *right)

    def ball(self, colour: Colour, x: float, y: float, radius: float) -> None:
        """Draw a ball lit from above on the left."""
        shade, light = darken(colour, 0.4), lighten(colour, 0.4)
        for tone in range(TONES):
            share = tone / (TONES - 1)
            mixed = mix(shade, colour, min(1.0, 1.6 * share))
            shown = mix(mixed, light, max(0.0, 1.6 * share - 0.8))
            off = radius * 0.36 * share
            self.oval(shown, x - off, y + off, radius * (1 - 0.8 * share))


def read_tints(rows: str, paints: str) -> Iterator[tuple[tuple[float, ...], Colour]]:
    """Return rows of numbers, each with a colour of its own."""
    return zip(read_rows(rows), read_paints(paints), strict=True)


def smooth(points: Sequence[Spot]) -> list[Spot]:
    """Return a curve through points, after Catmull and Rom."""
    ends = [points[0], *points, points[-1]]
    found: list[Spot] = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        for t in np.linspace(0, 1, ROUND_STEPS, endpoint=False).tolist():
            x, y = (
                0.5
                * (
                    2 * q
                    + (r - p) * t
                    + (2 * p - 5 * q + 4 * r - s) * t * t
                    + (3 * q - p - 3 * r + s) * t**3
                )
                for p, q, r, s in zip(a, b, c, d, strict=True)
            )
            found.append((x, y))
    return [*found, points[-1]]
