"""A scene of tiled roofs. Pure."""

import math

import numpy as np
from PIL import Image

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Size,
    Spot,
    aside,
    bar,
    between,
    clouds,
    filled,
    land,
    mist,
    polygon,
    ridge,
    sky,
    stroke,
    sun,
)

BLACK: Colour = (0, 0, 0)


def hanok(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Tiled roofs one behind the other before mountains, warm light under the eaves."""
    width, height = size
    unit = min(size)
    picture = sky(palette, size, 0.62)
    clouds(picture, palette.light, 0.35, 0.45, chance)
    sun(picture, palette, (aside(chance), 0.42), 0.075)
    for row in range(2):
        line = height * (0.45 + 0.06 * row) + ridge(width, unit * 0.12, 1.2 + row, chance)
        colour = between(palette.sky[-1], palette.ground[0], 0.4 + 0.35 * row)
        land(picture, colour, line)
    mist(picture, palette.sky[-1], 0.56, 0.06, 0.6)
    night_side = between(palette.ground[1], BLACK, 0.15)
    land(picture, night_side, np.full(width, height * 0.62))
    for row in range(4):
        share = row / 3
        wide = unit * (0.42 + 0.26 * row)
        y = height * (0.53 + 0.115 * row + 0.05 * share)
        x = -wide * float(chance.uniform(0.1, 0.6))
        while x < width:
            length = wide * float(chance.uniform(0.85, 1.15))
            level = y + unit * float(chance.uniform(-0.03, 0.03))
            _house(picture, palette, (x + length / 2, level), length, share)
            x += length * float(chance.uniform(1.02, 1.2))
        if row < 3:
            mist(picture, palette.sky[-1], (y + unit * 0.1) / height, 0.05, 0.3 - 0.09 * row)
    return picture


def _house(picture: Image.Image, palette: Palette, top: Spot, length: float, share: float) -> None:
    """One house seen from the front: a roof with turned-up eaves over a wall with papered doors."""
    haze = between(palette.sky[-1], palette.ground[1], 0.45 + 0.5 * share)
    lamp = between(palette.light, (255, 190, 110), 0.5)
    tile, edge = between(haze, BLACK, 0.18), between(haze, palette.light, 0.22)
    wall, door = between(haze, palette.light, 0.12), between(haze, lamp, 0.55 + 0.35 * share)
    _walls(picture, top, length, (wall, door, tile))
    _roof(picture, top, length, (tile, edge))


def _walls(
    picture: Image.Image, top: Spot, length: float, colours: tuple[Colour, Colour, Colour]
) -> None:
    """A wall with four lit doors of paper behind lattices."""
    x, eaves = top[0], top[1] + length * 0.24
    tall, wall = length * 0.24, length * 0.4
    plaster, paper, wood = colours
    filled(picture, plaster, [bar(x - wall, eaves - tall * 0.2, x + wall, eaves + length * 0.3)])
    doors = [
        bar(x + wall * (a + 0.03), eaves + tall * 0.05, x + wall * (a + 0.37), eaves + length * 0.2)
        for a in (-0.8, -0.4, 0.0, 0.4)
    ]
    filled(picture, paper, doors)
    bars = [
        stroke([(x + wall * a, eaves), (x + wall * a, eaves + length * 0.2)], length * 0.004)
        for a in np.arange(-0.8, 0.81, 0.08)
    ]
    rail = bar(x - wall * 0.9, eaves + length * 0.11, x + wall * 0.9, eaves + length * 0.115)
    filled(picture, wood, [*bars, rail], level=0.8)


def _roof(picture: Image.Image, top: Spot, length: float, colours: tuple[Colour, Colour]) -> None:
    """A tiled roof whose eaves turn up at their ends, and its shadow on the wall."""
    (x, y), (tile, edge) = top, colours
    half, tall = length / 2, length * 0.24
    eaves = y + tall
    lower = [
        (x + half * a, eaves - tall * 0.26 * abs(a) ** 3) for a in np.linspace(-1.04, 1.04, 33)
    ]
    upper = [(x + half * 0.6 * a, y - tall * 0.1 * abs(a) ** 2.5) for a in np.linspace(1, -1, 17)]
    filled(picture, tile, [polygon(*lower, *upper)])
    ribs = [
        stroke(
            _rib((x + half * 0.6 * a, y), (x + half * 1.02 * a, eaves - tall * 0.24 * abs(a) ** 3)),
            length * 0.005,
        )
        for a in np.linspace(-0.97, 0.97, 27)
    ]
    filled(picture, edge, ribs, level=0.5)
    filled(picture, edge, [stroke([(px, py + tall * 0.03) for px, py in lower], length * 0.012)])
    filled(picture, between(tile, BLACK, 0.3), [stroke(upper, length * 0.03)])
    shadow = [(px, py + tall * 0.12) for px, py in lower[4:-4]]
    filled(picture, BLACK, [stroke(shadow, tall * 0.14)], blur=length * 0.006, level=0.35)


def _rib(start: Spot, end: Spot) -> list[Spot]:
    """A row of tiles from the ridge down, hanging through a little."""
    return [
        (
            start[0] + (end[0] - start[0]) * t,
            start[1] + (end[1] - start[1]) * t + (end[1] - start[1]) * 0.12 * math.sin(math.pi * t),
        )
        for t in np.linspace(0, 1, 7).tolist()
    ]
