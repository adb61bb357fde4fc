"""A scene of stalls in an evening street under strings of lamps. Pure."""

import numpy as np
from PIL import Image

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.awning import awning
from studio.camera.scenes.brush import (
    Shape,
    Size,
    bar,
    between,
    bokeh,
    dusk,
    filled,
    glow,
    land,
    oval,
    polygon,
    sky,
    stroke,
)

BLACK: Colour = (0, 0, 0)


def market(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """An evening street of stalls under strings of lamps."""
    width, height = size
    unit = min(size)
    picture = sky(dusk(palette), size, 0.8)
    glow(picture, palette.sky[-1], (0.5, 0.66), 0.8, 0.45)
    dark = between(palette.ground[1], BLACK, 0.25)
    lamp = between(palette.light, (255, 196, 120), 0.5)
    bokeh(picture, (lamp, palette.accent, palette.sky[-1]), chance, 30, 0.5, (0.5, 0.72))
    for row in range(3):
        stall = unit * (0.17, 0.27, 0.42)[row]
        foot = height * (0.68, 0.77, 0.9)[row]
        land(
            picture,
            between(between(dark, lamp, 0.22), dark, row / 2),
            np.full(width, foot - 0.02 * unit),
        )
        _stalls(picture, palette, foot, stall, row / 2, chance)
        filled(
            picture,
            between(dark, BLACK, 0.3 + 0.2 * row),
            _people(width, foot, stall * 0.8, chance),
        )
    for number in range(3):
        level, sag = height * (0.02 + 0.035 * number), unit * float(chance.uniform(0.02, 0.07))
        _lamps(picture, level, sag, (lamp, dark), chance)
    return picture


def _stalls(
    picture: Image.Image,
    palette: Palette,
    foot: float,
    wide: float,
    near: float,
    chance: np.random.Generator,
) -> None:
    """A row of stalls: lit counters under striped awnings, with gaps between."""
    dark = between(between(*palette.ground, 0.7), palette.ground[1], near)
    lamp = between(palette.light, (255, 186, 104), 0.55)
    cloth, white = (
        between(colour, dark, 0.4 - 0.3 * near) for colour in (palette.accent, (250, 240, 226))
    )
    x = -wide * float(chance.uniform(0, 0.9))
    while x < picture.width:
        right = x + wide * float(chance.uniform(0.9, 1.25))
        top = foot - wide * float(chance.uniform(0.8, 0.95))
        _stall(picture, (x, top, right, foot), wide, (dark, lamp, palette.accent), chance)
        edge = wide * 0.06
        hung = (x - edge, top - wide * 0.14, right + edge, top + wide * 0.18)
        awning(picture, hung, (cloth, white))
        x += (right - x) * float(chance.uniform(1.15, 1.6))


def _stall(
    picture: Image.Image,
    box: tuple[float, float, float, float],
    wide: float,
    colours: tuple[Colour, Colour, Colour],
    chance: np.random.Generator,
) -> None:
    """A lit stall with goods on its counter, in colours of its wood, its lamps and its goods."""
    left, top, right, foot = box
    length, tall = right - left, foot - top
    dark, lamp, accent = colours
    filled(picture, between(dark, lamp, 0.45), [bar(*box)])
    shine = [oval(left + length * a, top + tall * 0.32, wide * 0.2, wide * 0.2) for a in (0.3, 0.7)]
    filled(picture, between(lamp, (255, 255, 255), 0.45), shine, blur=wide * 0.09, level=0.85)
    goods = [
        oval(
            left + length * (0.06 + 0.11 * place),
            foot - wide * 0.3,
            wide * 0.07,
            wide * float(chance.uniform(0.05, 0.13)),
        )
        for place in range(9)
    ]
    filled(picture, between(dark, accent, 0.3), goods)
    filled(picture, dark, [bar(left, foot - wide * 0.3, right, foot)])
    filled(
        picture,
        between(dark, lamp, 0.4),
        [bar(left, foot - wide * 0.31, right, foot - wide * 0.28)],
    )
    posts = [
        bar(left + length * a - wide * 0.015, top, left + length * a + wide * 0.015, foot)
        for a in (0.02, 0.98)
    ]
    filled(picture, between(dark, BLACK, 0.4), posts)


def _people(width: int, foot: float, tall: float, chance: np.random.Generator) -> list[Shape]:
    """Passers-by as shadows, alone and in twos."""
    people: list[Shape] = []
    x = tall * float(chance.uniform(-0.2, 0.6))
    while x < width:
        for _ in range(int(chance.integers(1, 3))):
            size = tall * float(chance.uniform(0.8, 1.0))
            step = size * float(chance.uniform(0.04, 0.1))
            ground = foot + tall * 0.12
            people += [
                oval(x, ground - size * 0.9, size * 0.075, size * 0.095),
                oval(x, ground - size * 0.62, size * 0.135, size * 0.21),
                polygon(
                    (x - size * 0.12, ground - size * 0.6),
                    (x + size * 0.12, ground - size * 0.6),
                    (x + size * 0.1, ground - size * 0.3),
                    (x - size * 0.1, ground - size * 0.3),
                ),
                polygon(
                    (x - size * 0.1, ground - size * 0.35),
                    (x + size * 0.02, ground - size * 0.35),
                    (x - step + size * 0.03, ground),
                    (x - step - size * 0.05, ground),
                ),
                polygon(
                    (x - size * 0.02, ground - size * 0.35),
                    (x + size * 0.1, ground - size * 0.35),
                    (x + step + size * 0.05, ground),
                    (x + step - size * 0.03, ground),
                ),
            ]
            x += tall * 0.32
        x += tall * float(chance.uniform(0.9, 2.6))
    return people


def _lamps(
    picture: Image.Image,
    level: float,
    sag: float,
    colours: tuple[Colour, Colour],
    chance: np.random.Generator,
) -> None:
    """A cord across the street with bulbs on it that shine."""
    width, unit = picture.width, min(picture.size)
    slope = float(chance.uniform(-0.06, 0.06)) * unit
    xs = np.linspace(-0.02, 1.02, 60)
    points = [
        (x * width, level + slope * (x - 0.5) + sag * (1 - (2 * x - 1) ** 2)) for x in xs.tolist()
    ]
    filled(picture, colours[1], [stroke(points, unit * 0.0025)])
    bulbs = points[int(chance.integers(1, 4)) : -1 : 3]
    radius = unit * 0.0085
    halo = [oval(x, y + radius * 1.6, radius * 3.2, radius * 3.2) for x, y in bulbs]
    filled(picture, colours[0], halo, blur=radius * 1.6, level=0.45)
    filled(
        picture,
        between(colours[0], (255, 255, 255), 0.6),
        [oval(x, y + radius * 1.4, radius, radius * 1.15) for x, y in bulbs],
    )
