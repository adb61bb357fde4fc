"""A scene of a field of flowers. Pure."""

import math

import numpy as np
from PIL import Image

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Shape,
    Size,
    aside,
    between,
    clouds,
    filled,
    land,
    oval,
    ridge,
    sky,
    sun,
)


def flowers(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A field of flowers up to the hills, soft in front."""
    width, height = size
    level = 0.44
    picture = sky(palette, size, 0.6)
    clouds(picture, (255, 255, 255), 0.4, level, chance)
    sun(picture, palette, (aside(chance), level - 0.03), 0.07)
    line = height * level + ridge(width, min(size) * 0.06, 1.4, chance)
    land(picture, between(palette.sky[-1], palette.ground[0], 0.6), line)
    leaf = between(palette.ground[1], (40, 96, 62), 0.6)
    field = height * (level + 0.05) + ridge(width, min(size) * 0.03, 0.8, chance)
    land(picture, (between(leaf, palette.light, 0.35), leaf, between(leaf, (0, 0, 0), 0.4)), field)
    colours = (palette.accent, palette.sky[1], between(palette.light, (255, 255, 255), 0.4))
    for depth in np.linspace(0, 1, 9):
        y = height * (level + 0.055 + 0.56 * float(depth) ** 1.6)
        _flower_row(picture, colours, y, float(depth), chance)
    return picture


def _flower_row(
    picture: Image.Image,
    colours: tuple[Colour, ...],
    y: float,
    depth: float,
    chance: np.random.Generator,
) -> None:
    """Flowers at one distance: dots far away, five petals nearer, blurred discs in front."""
    unit = min(picture.size)
    radius = unit * (0.006 + 0.05 * depth**1.5)
    count = max(5, int(1.05 * picture.width / (radius * 3.2)))
    for colour in colours:
        spots = [
            (
                float(chance.uniform(0, picture.width)),
                y + float(chance.normal(0, 1)) * radius * 1.6,
                radius * float(chance.uniform(0.7, 1.2)),
                float(chance.uniform(0, 6)),
            )
            for _ in range(count // len(colours) + 1)
        ]
        shown = between(colour, (255, 255, 255), 0.25 * (1 - depth))
        blur = unit * 0.012 * max(0.0, depth - 0.6) / 0.4
        filled(picture, shown, [petal for spot in spots for petal in _petals(*spot)], blur)
        if depth > 0.3:
            hearts = [oval(x, y, radius * 0.3, radius * 0.26) for x, y, radius, _ in spots]
            filled(picture, between(colour, (90, 50, 20), 0.65), hearts, blur)


def _petals(x: float, y: float, radius: float, turn: float) -> list[Shape]:
    angles = [turn + 2 * math.pi * petal / 5 for petal in range(5)]
    return [
        oval(
            x + radius * 0.62 * math.cos(angle),
            y + radius * 0.5 * math.sin(angle),
            radius * 0.46,
            radius * 0.4,
        )
        for angle in angles
    ]
