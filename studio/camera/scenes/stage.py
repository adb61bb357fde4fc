"""A scene of a stage. Pure."""

import numpy as np
from PIL import Image, ImageChops

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    SOFT,
    Shape,
    Size,
    bar,
    between,
    bokeh,
    filled,
    glow,
    gradient,
    land,
    mist,
    noise,
    oval,
    stroke,
)

BLACK: Colour = (0, 0, 0)


def stage(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Beams of light over a stage floor, haze, and the heads of a crowd."""
    width, height = size
    dark = between(palette.ground[1], BLACK, 0.35)
    picture = gradient((dark, between(palette.ground[1], palette.sky[1], 0.3), dark), size)
    colours = palette.sky[-1], palette.light, palette.accent, palette.sky[1]
    beams = Image.new("RGB", (width // SOFT, height // SOFT))
    for number in range(7):
        beams = ImageChops.add(
            beams, _beam(beams.size, colours[number % 4], (number + 0.5) / 7, chance)
        )
    haze = noise((beams.height, beams.width), (6, 4), chance)[..., None]
    misty = (np.asarray(beams) * (0.55 + 0.6 * haze)).clip(0, 255).astype(np.uint8)
    picture = ImageChops.screen(
        picture, Image.fromarray(misty).resize(size, Image.Resampling.BICUBIC)
    )
    floor = np.full(width, height * 0.74)
    land(picture, (between(dark, palette.sky[1], 0.28), dark), floor)
    mist(picture, between(dark, palette.sky[1], 0.5), 0.74, 0.05, 0.8)
    for number in range(3):
        spot = float(chance.uniform(0.15, 0.85)), 0.78 + 0.05 * number
        glow(picture, colours[number], spot, 0.35, 0.55)
    lamps = [
        oval(width * (number + 0.5) / 7, height * 0.035, min(size) * 0.016, min(size) * 0.012)
        for number in range(7)
    ]
    filled(picture, palette.light, lamps, blur=6, level=0.9)
    filled(picture, (255, 255, 255), lamps)
    bokeh(picture, colours, chance, 14, 0.25, (0.1, 0.7))
    for row in range(2):
        filled(
            picture, between(dark, BLACK, 0.4 + 0.5 * row), _crowd(size, 0.93 + 0.05 * row, chance)
        )
    return picture


def _beam(size: Size, colour: Colour, start: float, chance: np.random.Generator) -> Image.Image:
    """A cone of light from above, brightest at its source."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    down = y / height
    lean = float(chance.uniform(-0.5, 0.5)) * min(size)
    middle = start * width + lean * down
    spread = min(size) * (0.012 + 0.15 * down)
    light = np.exp(-(((x - middle) / spread) ** 2)) * (0.75 * (1 - down) ** 0.8 + 0.06)
    return Image.fromarray((light[..., None] * np.array(colour, np.float32)).astype(np.uint8))


def _crowd(size: Size, level: float, chance: np.random.Generator) -> list[Shape]:
    """Heads and shoulders along a share of the height, some with an arm up."""
    width, height = size
    unit = min(size) * 0.05
    people: list[Shape] = [bar(0, height * level + unit, width, height)]
    x = 0.0
    while x < width + unit:
        top = height * level + float(chance.uniform(-0.6, 0.4)) * unit
        people += [
            oval(x, top, unit * 0.5, unit * 0.62),
            oval(x, top + unit * 1.75, unit * 1.1, unit * 1.25),
        ]
        if chance.random() < 0.3:
            hand = (
                x + unit * float(chance.uniform(-0.9, 0.9)),
                top - unit * float(chance.uniform(1.2, 2.2)),
            )
            people += [
                stroke([(x + unit * 0.7, top + unit), hand], unit * 0.34),
                oval(*hand, unit * 0.24, unit * 0.28),
            ]
        x += unit * float(chance.uniform(1.5, 2.3))
    return people
