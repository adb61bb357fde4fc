"""Scenes of a city: its skyline over a river, its lights out of focus. Pure."""

import numpy as np
from PIL import Image, ImageFilter

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Shape,
    Size,
    aside,
    bar,
    between,
    bokeh,
    clouds,
    filled,
    glow,
    gradient,
    mist,
    polygon,
    sky,
    sun,
)

BLACK: Colour = (0, 0, 0)
WATER = 0.82
Houses = list[tuple[float, float, float, float]]


def skyline(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A city at dusk over a river: three rows of houses with lit windows, and their reflection."""
    picture = sky(palette, size)
    clouds(picture, palette.light, 0.3, 0.5, chance)
    sun(picture, palette, (aside(chance), 0.54), 0.08)
    for row, share in enumerate((0.1, 0.5, 1.0)):
        houses = _houses(row, size, chance)
        colour = between(palette.sky[-1], palette.ground[1], 0.3 + 0.65 * share)
        shapes = [bar(*house) for house in houses]
        if row < 2:
            shapes += [_mast(house) for house in houses if chance.random() < 0.25]
        filled(picture, colour, shapes)
        panes = [pane for house in houses for pane in _panes(house, row, chance)]
        filled(picture, between(colour, palette.light, 0.35 + 0.5 * share), panes)
        if row < 2:
            mist(picture, palette.sky[-1], 0.79, 0.1, 0.35)
    _reflected(picture, palette, chance)
    bokeh(picture, (palette.light, palette.accent), chance, 8, 0.22, (0.55, 1.0))
    return picture


def _houses(row: int, size: Size, chance: np.random.Generator) -> Houses:
    """Boxes side by side from the water up, the front row lower and wider."""
    width, height = size
    unit = min(size)
    houses: Houses = []
    left = -unit * float(chance.uniform(0, 0.1))
    while left < width:
        wide = unit * float(chance.uniform(0.08, 0.13 + 0.03 * row))
        tall = height * float(chance.uniform(0.1, 0.36 - 0.09 * row))
        houses.append((left, height * WATER - tall, left + wide, height * WATER))
        left += wide + unit * float(chance.uniform(0, 0.03)) * (row < 2)
    return houses


def _mast(house: tuple[float, float, float, float]) -> Shape:
    left, top, right, _ = house
    middle, wide = (left + right) / 2, (right - left) * 0.02
    return polygon(
        (middle - wide, top + 1), (middle, top - (right - left) * 0.55), (middle + wide, top + 1)
    )


def _panes(
    house: tuple[float, float, float, float], row: int, chance: np.random.Generator
) -> list[Shape]:
    left, top, right, bottom = house
    columns = 5 + row
    step = (right - left) / (columns + 0.6)
    rows = int((bottom - top) / (step * 1.25)) - 1
    lit = chance.random((max(0, rows), columns)) < 0.22 + 0.06 * row
    return [
        bar(x, y, x + step * 0.55, y + step * 0.7)
        for down, across in np.argwhere(lit).tolist()
        for x, y in ((left + step * (across + 0.5), top + step * (0.7 + 1.25 * down)),)
    ]


def _reflected(picture: Image.Image, palette: Palette, chance: np.random.Generator) -> None:
    """Water below the houses that shows them upside down, darker and drawn out by ripples."""
    width, height = picture.size
    shore = int(height * WATER)
    depth = height - shore
    mirror = picture.crop((0, shore - depth, width, shore)).transpose(
        Image.Transpose.FLIP_TOP_BOTTOM
    )
    pixels = np.asarray(mirror.filter(ImageFilter.BoxBlur((2, height // 130))))
    rows = np.arange(depth)
    swing = (2 + 6 * rows / depth) * np.sin(rows * rows / depth * 0.5 + chance.uniform(0, 6))
    columns = np.clip(np.arange(width)[None, :] + swing[:, None].astype(int), 0, width - 1)
    water = Image.fromarray(pixels[rows[:, None], columns])
    picture.paste(
        Image.blend(water, Image.new("RGB", water.size, palette.ground[1]), 0.45), (0, shore)
    )


def lights(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Out-of-focus lights of a street at night."""
    picture = gradient(
        (
            between(palette.ground[1], BLACK, 0.3),
            between(palette.sky[0], palette.ground[1], 0.5),
            between(palette.sky[1], palette.ground[1], 0.55),
            palette.ground[1],
        ),
        size,
    )
    for _ in range(3):
        spot = float(chance.uniform(0.1, 0.9)), float(chance.uniform(0.25, 0.9))
        glow(picture, palette.sky[1], spot, 0.55, 0.4)
    colours = (palette.light, palette.accent, palette.sky[-1])
    bokeh(picture, colours, chance, 34, 0.4)
    bokeh(picture, colours, chance, 16, 0.6)
    return picture
