"""A scene of a small shop in the evening. Pure."""

import math

import numpy as np
from PIL import Image

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.awning import awning
from studio.camera.scenes.brush import (
    Shape,
    Size,
    Spot,
    bar,
    between,
    bokeh,
    filled,
    glow,
    gradient,
    land,
    oval,
    polygon,
)

Box = tuple[float, float, float, float]
LAMP: Colour = (255, 196, 120)
CREAM: Colour = (250, 240, 226)
BLACK: Colour = (0, 0, 0)


def shopfront(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A small shop in the evening: warm windows under an awning, lamps inside, plants before it."""
    width, height = size
    unit = min(size)
    wall = between(palette.ground[1], palette.sky[0], 0.3)
    picture = gradient(
        (between(wall, BLACK, 0.35), wall, between(wall, palette.sky[1], 0.25)), size
    )
    _bricks(picture, wall, chance)
    wide = min(width * 0.84, unit * 1.15)
    middle = width * float(chance.uniform(0.44, 0.56))
    left, right = middle - wide / 2, middle + wide / 2
    top = height * (0.49 if height > width else 0.36)
    sill = top + min(height * 0.42, wide * 0.72)
    warm = between(palette.light, LAMP, 0.6)
    glow(picture, warm, (middle / width, (top + sill) / 2 / height), 0.75, 0.5)
    _window(picture, (left, top, right, sill), warm, wall, chance)
    for side in (left - unit * 0.09, right + unit * 0.09):
        spot = side / width, (top + 0.02 * height) / height
        glow(picture, warm, spot, 0.22, 0.7)
        filled(picture, CREAM, [oval(side, top + 0.02 * height, unit * 0.014, unit * 0.02)])
    hang = min(height * 0.11, wide * 0.2)
    colours = palette.accent, CREAM
    awning(
        picture,
        (left - unit * 0.05, top - hang * 0.62, right + unit * 0.05, top + hang * 0.38),
        colours,
    )
    ground = max(height * 0.9, sill + unit * 0.16)
    land(picture, (between(wall, warm, 0.2), between(wall, BLACK, 0.6)), np.full(width, ground))
    _base(picture, (left, sill, right, ground), wall)
    for x in (left + wide * 0.02, right - wide * 0.02):
        _plant(picture, (x, ground + unit * 0.03), unit * 0.2, chance)
    bokeh(picture, (warm, palette.accent), chance, 7, 0.18, (0.55, 1.0))
    return picture


def _bricks(picture: Image.Image, wall: Colour, chance: np.random.Generator) -> None:
    """Faint courses of bricks over the whole picture."""
    high = min(picture.size) * 0.028
    lines: list[Shape] = []
    for row in range(int(picture.height / high) + 1):
        y = row * high
        lines.append(bar(0, y, picture.width, y + high * 0.07))
        start = high * 1.3 * (row % 2)
        lines += [
            bar(x, y, x + high * 0.07, y + high)
            for x in np.arange(start, picture.width, high * 2.6).tolist()
        ]
    filled(picture, between(wall, BLACK, 0.6), lines, level=0.35)


def _window(
    picture: Image.Image,
    box: Box,
    warm: Colour,
    wall: Colour,
    chance: np.random.Generator,
) -> None:
    """A lit window of four panes, with shelves, lamps and a counter to be seen behind it."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    room = gradient(
        (between(warm, BLACK, 0.1), between(warm, CREAM, 0.45), between(warm, BLACK, 0.35)),
        (int(wide) + 2, int(high) + 2),
    )
    glow(room, CREAM, (0.5, 0.4), 0.6, 0.5)
    picture.paste(room, (int(left), int(top)))
    dark = between(warm, (70, 36, 16), 0.72)
    filled(picture, dark, _goods(box, chance), blur=min(picture.size) * 0.0012, level=0.85)
    _pendants(picture, box, between(dark, BLACK, 0.4))
    filled(picture, between(wall, BLACK, 0.7), _rails(box))


def _base(picture: Image.Image, box: Box, wall: Colour) -> None:
    """The panelled wall under the windows."""
    left, top, right, bottom = box
    wide, high, edge = right - left, bottom - top, min(picture.size) * 0.02
    filled(picture, between(wall, BLACK, 0.45), [bar(left - edge, top, right + edge, bottom)])
    panels = [
        bar(left + wide * a, top + high * 0.15, left + wide * (a + 0.2), bottom - high * 0.12)
        for a in (0.03, 0.28, 0.52, 0.77)
    ]
    filled(picture, between(wall, BLACK, 0.25), panels)


def _goods(box: Box, chance: np.random.Generator) -> list[Shape]:
    """Bottles on two shelves, and loaves on a counter."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    things: list[Shape] = []
    for shelf in (0.42, 0.58):
        y = top + high * shelf
        things.append(bar(left + wide * 0.53, y, right - wide * 0.04, y + high * 0.012))
        x = left + wide * 0.56
        while x < right - wide * 0.08:
            tall = high * float(chance.uniform(0.05, 0.11))
            thick = wide * float(chance.uniform(0.008, 0.018))
            things += [
                bar(x - thick, y - tall, x + thick, y),
                bar(x - thick * 0.4, y - tall * 1.35, x + thick * 0.4, y - tall),
            ]
            x += wide * float(chance.uniform(0.035, 0.06))
    things.append(bar(left, top + high * 0.8, right, bottom))
    things.append(bar(left + wide * 0.06, top + high * 0.74, left + wide * 0.45, top + high * 0.82))
    things += [
        oval(left + wide * a, top + high * 0.72, wide * 0.03, high * 0.035)
        for a in (0.12, 0.2, 0.28, 0.36)
    ]
    return things


def _pendants(picture: Image.Image, box: Box, dark: Colour) -> None:
    """Four lamps that hang in a row and shine."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    lamps = [(left + wide * a, top + high * 0.26) for a in (0.14, 0.38, 0.62, 0.86)]
    for x, y in lamps:
        filled(
            picture,
            CREAM,
            [oval(x, y + high * 0.03, wide * 0.1, wide * 0.1)],
            blur=wide * 0.04,
            level=0.5,
        )
    cords = [bar(x - wide * 0.002, top, x + wide * 0.002, y) for x, y in lamps]
    shades = [
        polygon(
            (x - wide * 0.012, y - high * 0.05),
            (x + wide * 0.012, y - high * 0.05),
            (x + wide * 0.05, y + high * 0.02),
            (x - wide * 0.05, y + high * 0.02),
        )
        for x, y in lamps
    ]
    filled(picture, dark, [*cords, *shades])
    filled(
        picture,
        (255, 252, 240),
        [oval(x, y + high * 0.025, wide * 0.022, high * 0.016) for x, y in lamps],
    )


def _rails(box: Box) -> list[Shape]:
    """The frame of a window of four panes and a transom."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    frame = wide * 0.014
    rails = [
        bar(left + wide * a - frame / 2, top, left + wide * a + frame / 2, bottom)
        for a in (0, 0.25, 0.5, 0.75, 1)
    ]
    rails += [
        bar(left - frame / 2, y - frame / 2, right + frame / 2, y + frame / 2)
        for y in (top, bottom, top + high * 0.2)
    ]
    return rails


def _plant(picture: Image.Image, foot: Spot, tall: float, chance: np.random.Generator) -> None:
    """A pot with leaves."""
    x, y = foot
    leaves = []
    for angle in np.linspace(-1.15, 1.15, 13).tolist():
        length = tall * float(chance.uniform(0.65, 1.0))
        tip = x + length * math.sin(angle), y - tall * 0.35 - length * math.cos(angle)
        side = tall * 0.055 * math.cos(angle), tall * 0.055 * math.sin(angle)
        middle = (x + tip[0]) / 2, (y - tall * 0.3 + tip[1]) / 2
        leaves.append(
            polygon(
                (x, y - tall * 0.3),
                (middle[0] + side[0], middle[1] + side[1]),
                tip,
                (middle[0] - side[0], middle[1] - side[1]),
            )
        )
    filled(picture, (30, 62, 46), leaves)
    filled(picture, (58, 92, 66), leaves[::2], level=0.6)
    pot = [
        (x - tall * 0.2, y - tall * 0.36),
        (x + tall * 0.2, y - tall * 0.36),
        (x + tall * 0.14, y),
        (x - tall * 0.14, y),
    ]
    filled(picture, (150, 92, 66), [polygon(*pot)])
    filled(
        picture,
        (110, 62, 44),
        [bar(x - tall * 0.22, y - tall * 0.38, x + tall * 0.22, y - tall * 0.3)],
    )
