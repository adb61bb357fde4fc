"""Scenes of the open country: hills, forest, a night under stars. Pure."""

import numpy as np
from PIL import Image, ImageDraw

from studio.camera.palettes import Palette
from studio.camera.scenes.brush import (
    Shape,
    Size,
    Spot,
    aside,
    between,
    clouds,
    dusk,
    filled,
    land,
    mist,
    polygon,
    ridge,
    sky,
    sun,
)


def hills(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A low sun behind rows of hills in haze."""
    width, height = size
    picture = sky(palette, size)
    clouds(picture, palette.light, 0.35, 0.45, chance)
    sun(picture, palette, (aside(chance), 0.52 - float(chance.uniform(0.0, 0.03))), 0.085)
    for number, share in enumerate((0.0, 0.3, 0.55, 0.8, 1.0)):
        base = height * (0.53 + 0.105 * number)
        swing = min(size) * (0.05 + 0.014 * number)
        line = base + ridge(width, swing, 1.1 + 0.3 * number, chance)
        colour = between(*palette.ground, share)
        haze = between(colour, palette.sky[-1], 0.55 - 0.1 * number)
        land(picture, (haze, colour, colour), line)
    return picture


def forest(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Firs in rows, the far ones pale in the mist, the near ones dark."""
    width, height = size
    picture = sky(palette, size, 0.7)
    sun(picture, palette, (aside(chance), 0.39), 0.07)
    far = ridge(width, min(size) * 0.12, 1.3, chance) + height * 0.42
    pale = between(palette.sky[-1], palette.ground[0], 0.45)
    land(picture, pale, far)
    for row in range(4):
        share = row / 3
        base = height * (0.56 + 0.14 * row)
        tall = min(size) * (0.2 + 0.13 * row)
        line = base + ridge(width, min(size) * 0.05, 1.2, chance)
        colour = between(pale, palette.ground[1], 0.3 + 0.7 * share)
        filled(picture, colour, _firs(line, tall, size, chance))
        land(picture, colour, line)
        if row < 3:
            mist(picture, palette.sky[-1], base / height + 0.06, 0.07, 0.5 - 0.12 * row)
    return picture


def _firs(line: np.ndarray, tall: float, size: Size, chance: np.random.Generator) -> list[Shape]:
    firs: list[Shape] = []
    x = -tall * 0.2
    while x < size[0] + tall * 0.2:
        high = tall * float(chance.uniform(0.55, 1.1))
        foot = float(line[min(size[0] - 1, max(0, int(x)))]) + high * 0.06
        firs.append(_fir(x, foot, high, chance))
        x += tall * float(chance.uniform(0.16, 0.42))
    return firs


def _fir(x: float, foot: float, tall: float, chance: np.random.Generator) -> Shape:
    """The outline of a fir: boughs that get shorter towards the top, left side up and right side down."""
    boughs = 9
    left: list[Spot] = []
    right: list[Spot] = []
    for bough in range(boughs):
        share = bough / boughs
        wide = tall * 0.2 * (1 - share) ** 0.85 + tall * 0.012
        y = foot - tall * share
        reach = wide * float(chance.uniform(0.82, 1.1))
        left += [(x - reach, y), (x - wide * 0.42, y - tall * 0.075)]
        reach = wide * float(chance.uniform(0.82, 1.1))
        right += [(x + reach, y), (x + wide * 0.42, y - tall * 0.075)]
    return polygon(*left, (x, foot - tall * 1.04), *reversed(right))


def night(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Stars and a moon over dark ridges, mist between them."""
    width, height = size
    deep = dusk(palette)
    picture = sky(deep, size, 0.95)
    clouds(picture, palette.sky[-1], 0.12, 0.6, chance)
    draw = ImageDraw.Draw(picture, "RGBA")
    for _ in range(260):
        x, y = float(chance.uniform(0, width)), float(chance.uniform(0, 0.72)) * height
        radius = (float(chance.exponential(0.0006)) + 0.0004) * (width + height) / 2
        alpha = int(chance.integers(90, 230))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), (255, 255, 255, alpha))
    sun(picture, palette, (aside(chance), float(chance.uniform(0.09, 0.105))), 0.055)
    for number, share in enumerate((0.3, 0.65, 1.0)):
        line = height * (0.68 + 0.1 * number) + ridge(width, min(size) * 0.09, 1.5, chance)
        land(picture, between(*palette.ground, share), line)
        if number < 2:
            mist(picture, deep.sky[-1], 0.76 + 0.1 * number, 0.04, 0.3)
    return picture
