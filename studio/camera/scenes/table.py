"""A scene of a cup on a table. Pure."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Shape,
    Size,
    Spot,
    aside,
    bar,
    between,
    bokeh,
    dusk,
    filled,
    glow,
    gradient,
    noise,
    oval,
    polygon,
    sky,
    stroke,
)

LAMP: Colour = (255, 196, 120)
CREAM: Colour = (250, 240, 226)
BLACK: Colour = (0, 0, 0)


def cup(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A steaming cup on a wooden table, lights out of focus behind it."""
    width, height = size
    unit = min(size)
    warm = between(palette.light, LAMP, 0.4)
    picture = sky(dusk(palette), size, 0.7)
    glow(picture, palette.sky[-1], (0.5, 0.45), 0.8, 0.5)
    bokeh(picture, (warm, palette.accent, palette.sky[-1]), chance, 40, 0.5, (0.05, 0.66))
    picture = picture.filter(ImageFilter.BoxBlur(unit / 260))
    edge = int(height * (0.74 if height > width else 0.64))
    _table(picture, edge, between((112, 66, 40), palette.ground[0], 0.35), warm, chance)
    x, y = _below_text(size, chance)
    glow(picture, warm, (x / width, y / height), 0.4, 0.25)
    across = unit * 0.2
    glaze = between(CREAM, palette.light, 0.3)
    _saucer(picture, (x, y), across, glaze, palette.ground[1])
    _cup(picture, (x, y), across, glaze, palette.ground[1])
    _steam(picture, (x, y - across * 1.05), across, chance)
    return picture


def _below_text(size: Size, chance: np.random.Generator) -> Spot:
    """Where the cup stands: under the captions of an upright frame, beside those of a wide one."""
    width, height = size
    if height > width:
        return width * float(chance.uniform(0.36, 0.64)), height * 0.865
    return width * aside(chance), height * 0.71


def _table(
    picture: Image.Image, edge: int, wood: Colour, warm: Colour, chance: np.random.Generator
) -> None:
    width, height = picture.size
    top = gradient(
        (between(wood, warm, 0.3), wood, between(wood, BLACK, 0.55)), (width, height - edge)
    )
    grain = noise((max(2, (height - edge) // 2), max(2, width // 8)), (24, 1), chance)
    streaks = Image.fromarray((np.clip(grain - 0.45, 0, 0.4) * 300).astype(np.uint8))
    top.paste(between(wood, BLACK, 0.5), mask=streaks.resize(top.size, Image.Resampling.BICUBIC))
    picture.paste(top, (0, edge))
    filled(
        picture, between(wood, warm, 0.55), [bar(0, edge, width, edge + height * 0.004)], blur=1.5
    )


def _saucer(picture: Image.Image, middle: Spot, across: float, glaze: Colour, dark: Colour) -> None:
    """A saucer with its shadow on the table and that of a cup on it."""
    x, low = middle[0], middle[1] + across * 0.62
    shadow = oval(x + across * 0.15, low + across * 0.24, across * 1.75, across * 0.42)
    filled(picture, BLACK, [shadow], blur=across * 0.09, level=0.55)
    shade = between(glaze, dark, 0.5)
    rim, plate = (oval(x, low + across * a, across * 1.6, across * 0.4) for a in (0.2, 0.14))
    filled(picture, between(shade, BLACK, 0.2), [rim])
    filled(picture, between(glaze, dark, 0.2), [plate])
    foot = oval(x, low + across * 0.12, across * 1.05, across * 0.25)
    filled(picture, shade, [foot], blur=across * 0.03)


def _cup(picture: Image.Image, middle: Spot, across: float, glaze: Colour, dark: Colour) -> None:
    """A cup lit from the left, full of coffee."""
    x, y = middle
    rim, shade = y - across * 0.75, between(glaze, dark, 0.5)
    handle = [
        (x + across * (0.9 + 0.45 * math.sin(t)), y - across * 0.1 + across * 0.4 * -math.cos(t))
        for t in np.linspace(0, math.pi, 24).tolist()
    ]
    filled(picture, shade, [stroke(handle, across * 0.14)])
    body = polygon(*((x + across * a, rim + across * b) for a, b in _profile()))
    filled(picture, _lit(picture.size, (x, across), glaze, between(glaze, dark, 0.62)), [body])
    filled(picture, between(glaze, (255, 255, 255), 0.5), [oval(x, rim, across, across * 0.27)])
    filled(picture, shade, [oval(x, y - across * 0.73, across * 0.93, across * 0.235)])
    level = y - across * 0.7
    filled(picture, (92, 50, 26), [oval(x, level, across * 0.89, across * 0.2)])
    for cream, wide, high, soft in (
        ((196, 146, 96), 0.55, 0.12, 0.03),
        ((236, 204, 160), 0.3, 0.06, 0.02),
    ):
        foam = oval(x - across * 0.1, level, across * wide, across * high)
        filled(picture, cream, [foam], blur=across * soft)


def _profile() -> list[Spot]:
    """The outline of a cup of half width 1, from the rim down and up again."""
    side = [(1 - 0.42 * t**2.6, 1.42 * t) for t in np.linspace(0, 1, 20).tolist()]
    foot = [
        (0.58 * math.cos(t), 1.42 + 0.12 * math.sin(t))
        for t in np.linspace(0, math.pi, 16).tolist()
    ]
    return [*side, *foot, *((-a, b) for a, b in reversed(side))]


def _lit(size: Size, place: tuple[float, float], light: Colour, dark: Colour) -> Image.Image:
    """A picture that goes from light to dark from left to right over a rounded thing."""
    x, half = place
    across = np.clip((np.arange(size[0]) - x) / half, -1, 1)
    share = np.interp(across, (-1, -0.55, 0.1, 1), (0.45, 0.0, 0.3, 1.0))[:, None]
    row = np.array(light) * (1 - share) + np.array(dark) * share
    strip = Image.fromarray(np.clip(row, 0, 255).astype(np.uint8)[None])
    return strip.resize(size, Image.Resampling.NEAREST)


def _steam(picture: Image.Image, foot: Spot, across: float, chance: np.random.Generator) -> None:
    """Wisps that rise from a place and dissolve."""
    tall = across * 2.6
    left, top = int(foot[0] - across * 1.6), max(0, int(foot[1] - tall))
    box = left, top, int(foot[0] + across * 1.6), int(foot[1] + across * 0.6)
    part = picture.crop(box)
    layer = Image.new("RGB", part.size)
    wisps: list[Shape] = []
    for offset in (-0.42, 0.0, 0.4):
        phase = float(chance.uniform(0, 6))
        for t in np.linspace(0, 1, 60).tolist():
            bend = 0.22 * t * math.sin(4.2 * t + phase) + 0.12 * math.sin(7 * t + phase)
            x, y = foot[0] + across * (offset + bend), foot[1] + across * 0.3 - tall * t
            wisps.append(oval(x - left, y - top, across * (0.035 + 0.1 * t), across * 0.07))
        filled(layer, (96, 92, 88), wisps, blur=across * 0.06)
    rows = np.linspace(0, 255, part.height).astype(np.uint8)[:, None]
    fade = Image.fromarray(rows).resize(part.size)
    shown = Image.composite(layer, Image.new("RGB", part.size), fade)
    picture.paste(ImageChops.screen(part, shown), (left, top))
