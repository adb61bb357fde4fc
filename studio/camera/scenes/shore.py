"""A scene of the sea, with the sun low over it. Pure."""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Size,
    aside,
    between,
    clouds,
    filled,
    gradient,
    land,
    polygon,
    ridge,
    sky,
    sun,
)


def sea(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """The sun over water, its light broken by waves, with islands far off and a boat."""
    width, height = size
    level = 0.58
    horizon = int(height * level)
    place = aside(chance)
    picture = sky(palette, size, level)
    clouds(picture, palette.light, 0.4, level, chance)
    sun(picture, palette, (place, level - 0.015), 0.075)
    for number in range(2):
        side = 1 if place < 0.5 else -1
        along = np.linspace(-1, 1, width) * side - 0.35 - 0.3 * number
        island = np.clip(along, 0, None) ** 0.7 * min(size) * (0.11 - 0.03 * number)
        line = horizon - island * (1 + 0.35 * ridge(width, 1.0, 2.5, chance))
        colour = between(palette.sky[-1], palette.ground[0], 0.45 + 0.3 * (1 - number))
        land(picture, colour, line)
    deep = between(palette.ground[0], palette.ground[1], 0.75)
    near = between(palette.sky[-1], palette.ground[0], 0.45)
    picture.paste(
        gradient((near, palette.ground[0], deep), (width, height - horizon)), (0, horizon)
    )
    _glitter(picture, palette, place, horizon, chance)
    _boat(picture, between(deep, (0, 0, 0), 0.3), (1 - place, horizon), min(size) * 0.05)
    return picture


def _glitter(
    picture: Image.Image, palette: Palette, place: float, horizon: int, chance: np.random.Generator
) -> None:
    """Strokes of light on the water, close under the sun, and darker ones everywhere."""
    width, height = picture.size
    draw = ImageDraw.Draw(picture, "RGBA")
    for number in range(900):
        depth = float(chance.uniform(0, 1)) ** 1.6
        y = horizon + 2 + depth * (height - horizon)
        bright = number % 2 == 0
        spread = width * (0.05 + 0.24 * depth) if bright else width
        x = place * width + float(chance.normal(0, 0.5)) * spread
        half = width * (0.006 + 0.05 * depth) * float(chance.uniform(0.4, 1.4))
        thick = max(0.6, height * 0.0022 * (0.3 + depth))
        alpha = int((165 if bright else 70) * (1 - 0.7 * depth) * float(chance.uniform(0.3, 1)))
        colour = palette.light if bright else palette.ground[1]
        draw.ellipse((x - half, y - thick, x + half, y + thick), (*colour, alpha))
    water = picture.crop((0, horizon, width, height)).filter(ImageFilter.GaussianBlur(1.2))
    picture.paste(water, (0, horizon))


def _boat(picture: Image.Image, colour: Colour, foot: tuple[float, float], tall: float) -> None:
    """A small sailing boat on the horizon."""
    x, y = foot[0] * picture.width, foot[1] + tall * 0.35
    parts = (
        ((-0.62, -0.16), (0.62, -0.16), (0.42, 0.04), (-0.46, 0.04)),
        ((-0.04, -1.5), (-0.04, -0.24), (-0.6, -0.24)),
        ((0.04, -1.3), (0.04, -0.24), (0.48, -0.24)),
    )
    shapes = [polygon(*((x + tall * a, y + tall * b) for a, b in part)) for part in parts]
    filled(picture, colour, shapes)
