"""Painted backgrounds: skies, hills, cities, seas and lights, by seed. Pure, numpy and Pillow."""

import random
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from resources.studio.camera.palettes import Colour, Palette

Size = tuple[int, int]
SOFT = 6


def paint(number: int, palette: Palette, size: Size, seed: str) -> Image.Image:
    """The picture of that number, RGB of `size`: the scenes take turns, the seed says with which."""
    scenes = random.Random(f"scenes {seed}").sample(SCENES, len(SCENES))  # noqa: S311
    chance = np.random.default_rng(random.Random(f"picture {seed} {number}").getrandbits(64))  # noqa: S311
    picture = scenes[number % len(scenes)](palette, size, chance)
    return _dithered(picture, chance)


def hills(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A low sun behind rows of hills in haze."""
    width, height = size
    picture = _with_sun(_sky(palette, size), palette, chance, level=0.5)
    for number, share in enumerate((0.0, 0.3, 0.55, 0.8, 1.0)):
        base = height * (0.54 + 0.105 * number)
        ridge = base + _ridge(
            width, min(size) * (0.05 + 0.012 * number), 1.1 + 0.3 * number, chance
        )
        colour = _between(*palette.ground, share)
        haze = _between(colour, palette.sky[-1], 0.55 - 0.1 * number)
        picture.paste(_gradient((colour, haze)[::-1], size), mask=_below(ridge, size))
    return picture


def skyline(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """A city at dusk: two rows of houses with lit windows."""
    width, height = size
    picture = _with_sun(_sky(palette, size), palette, chance, level=0.55)
    for row, share in enumerate((0.25, 0.95)):
        draw = ImageDraw.Draw(picture)
        left = -int(chance.integers(0, width // 10))
        while left < width:
            house = int(width * chance.uniform(0.09, 0.17))
            roof = int(height * (0.62 + 0.12 * row - chance.uniform(0.0, 0.16)))
            draw.rectangle((left, roof, left + house, height), _between(*palette.ground, share))
            _windows(draw, (left, roof, left + house, height), palette.light, chance, share)
            left += house + int(chance.integers(0, max(2, width // 60)))
        picture = ImageChops.screen(picture, _glow(palette.light, (0.5, 0.98), 0.5, size, 0.16))
    return _with_bokeh(picture, palette, chance, 10, 0.30)


def sea(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """The sun over water, its light broken by waves."""
    width, height = size
    horizon = int(height * 0.6)
    place = float(chance.uniform(0.35, 0.65))
    picture = _sky(palette, size)
    picture = _sun(picture, palette, (place, 0.585), 0.085)
    water = _gradient(
        (_between(palette.sky[-1], palette.ground[0], 0.5), palette.ground[1]),
        (width, height - horizon),
    )
    picture.paste(water, (0, horizon))
    draw = ImageDraw.Draw(picture, "RGBA")
    for _ in range(420):
        depth = float(chance.uniform(0, 1)) ** 1.5
        y = horizon + depth * (height - horizon)
        spread = width * (0.05 + 0.26 * depth)
        x = place * width + float(chance.normal(0, 0.5)) * spread
        half = width * (0.008 + 0.05 * depth) * float(chance.uniform(0.5, 1.4))
        thick = max(1.0, height * 0.0028 * (0.4 + depth))
        alpha = int(170 * (1 - 0.75 * depth) * float(chance.uniform(0.3, 1)))
        draw.ellipse((x - half, y - thick, x + half, y + thick), (*palette.light, alpha))
    return picture.filter(ImageFilter.GaussianBlur(1.2))


def lights(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Out-of-focus lights of a street at night."""
    dark = Palette(
        (palette.ground[1], palette.sky[0], palette.sky[1]),
        palette.ground,
        palette.light,
        palette.accent,
    )
    picture = _sky(dark, size)
    for _ in range(3):
        spot = (float(chance.uniform(0.1, 0.9)), float(chance.uniform(0.25, 0.9)))
        picture = ImageChops.screen(picture, _glow(palette.sky[-1], spot, 0.6, size, 0.5))
    return _with_bokeh(picture, palette, chance, 46, 0.62)


def night(palette: Palette, size: Size, chance: np.random.Generator) -> Image.Image:
    """Stars and a moon over one dark ridge."""
    width, height = size
    deep = Palette(
        (palette.ground[1], palette.sky[0], palette.sky[1]),
        palette.ground,
        palette.light,
        palette.accent,
    )
    picture = _sky(deep, size)
    draw = ImageDraw.Draw(picture, "RGBA")
    for _ in range(260):
        x, y = float(chance.uniform(0, width)), float(chance.uniform(0, 0.72)) * height
        radius = float(chance.exponential(0.0007)) * (width + height) / 2 + 0.6
        draw.ellipse(
            (x - radius, y - radius, x + radius, y + radius),
            (255, 255, 255, int(chance.integers(90, 230))),
        )
    picture = _sun(
        picture, palette, (float(chance.uniform(0.2, 0.8)), float(chance.uniform(0.14, 0.3))), 0.06
    )
    for number, share in enumerate((0.45, 1.0)):
        ridge = height * (0.72 + 0.11 * number) + _ridge(width, min(size) * 0.08, 1.6, chance)
        picture.paste(_between(*palette.ground, share), mask=_below(ridge, size))
    return picture


Scene = Callable[[Palette, Size, np.random.Generator], Image.Image]
SCENES: tuple[Scene, ...] = (hills, skyline, sea, lights, night)


def _between(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def _gradient(colours: Sequence[Colour], size: Size) -> Image.Image:
    """Colours from top to bottom, evenly spaced and smoothly joined."""
    rows = np.linspace(0, len(colours) - 1, size[1])
    table = np.array(colours, np.float32)
    column = np.stack(
        [np.interp(rows, np.arange(len(colours)), table[:, c]) for c in range(3)], axis=1
    )
    strip = Image.fromarray((column[:, None, :] + 0.5).astype(np.uint8))
    return strip.resize(size, Image.Resampling.NEAREST)


def _sky(palette: Palette, size: Size) -> Image.Image:
    width, height = size
    picture = Image.new("RGB", size, palette.sky[-1])
    picture.paste(_gradient((*palette.sky, palette.sky[-1]), (width, int(height * 0.8))))
    return picture


def _glow(
    colour: Colour, spot: tuple[float, float], reach: float, size: Size, level: float
) -> Image.Image:
    """A soft round light on black, to be screened over a picture; `spot` and `reach` are shares of the size."""
    width, height = size[0] // SOFT, size[1] // SOFT
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    radius = reach * min(width, height)
    distance = np.hypot(x - spot[0] * width, y - spot[1] * height) / radius
    light = level * np.exp(-2.2 * distance**1.3)
    pixels = light[..., None] * np.array(colour, np.float32)
    return Image.fromarray(pixels.astype(np.uint8)).resize(size, Image.Resampling.BICUBIC)


def _sun(
    picture: Image.Image, palette: Palette, spot: tuple[float, float], radius: float
) -> Image.Image:
    width, height = picture.size
    reach = radius * min(width, height)
    x, y = spot[0] * width, spot[1] * height
    disc = Image.new("L", picture.size)
    ImageDraw.Draw(disc).ellipse((x - reach, y - reach, x + reach, y + reach), 235)
    picture.paste(
        _between(palette.light, (255, 255, 255), 0.5), mask=disc.filter(ImageFilter.GaussianBlur(2))
    )
    return ImageChops.screen(picture, _glow(palette.light, spot, 0.75, picture.size, 0.75))


def _with_sun(
    picture: Image.Image, palette: Palette, chance: np.random.Generator, level: float
) -> Image.Image:
    spot = (float(chance.uniform(0.25, 0.75)), level - float(chance.uniform(0.02, 0.12)))
    return _sun(picture, palette, spot, 0.09)


def _ridge(width: int, swing: float, bends: float, chance: np.random.Generator) -> np.ndarray:
    """A rolling line of that many bends: heights of shape (width,), about 0."""
    along = np.linspace(0, 1, width)
    line = np.zeros(width)
    for octave in range(5):
        turns = bends * 1.9**octave
        line += np.sin(2 * np.pi * (turns * along + chance.uniform())) / 2.3**octave
    return line * swing * 0.6


def _below(ridge: np.ndarray, size: Size) -> Image.Image:
    """A mask of what lies under a line, its edge one pixel soft."""
    rows = np.arange(size[1], dtype=np.float32)[:, None]
    return Image.fromarray(
        (np.clip(rows - ridge[None, :].astype(np.float32), 0, 1) * 255).astype(np.uint8)
    )


def _windows(
    draw: ImageDraw.ImageDraw,
    house: tuple[int, int, int, int],
    light: Colour,
    chance: np.random.Generator,
    share: float,
) -> None:
    left, top, right, bottom = house
    pane = max(3, (right - left) // 11)
    shade = _between(light, (0, 0, 0), 0.45 * (1 - share))
    for y in range(top + 2 * pane, bottom, int(pane * 2.3)):
        for x in range(left + pane, right - pane, 2 * pane):
            if chance.random() < 0.3:
                draw.rectangle((x, y, x + pane * 0.8, y + pane * 1.2), shade)


def _with_bokeh(
    picture: Image.Image, palette: Palette, chance: np.random.Generator, count: int, level: float
) -> Image.Image:
    """Discs of light with a brighter rim, larger and fainter in front."""
    width, height = picture.size
    layer = Image.new("RGB", (width // 2, height // 2))
    for _ in range(count):
        colour = (palette.light, palette.accent, palette.sky[-1])[int(chance.integers(0, 3))]
        radius = float(chance.uniform(0.015, 0.085)) * min(width, height) / 2
        x, y = float(chance.uniform(0, width / 2)), float(chance.uniform(0.1, 1)) * height / 2
        strength = level * float(chance.uniform(0.3, 1))
        disc = Image.new("RGB", layer.size)
        draw = ImageDraw.Draw(disc)
        box = (x - radius, y - radius, x + radius, y + radius)
        rim = _between((0, 0, 0), colour, strength)
        draw.ellipse(
            box, _between((0, 0, 0), colour, strength * 0.7), rim, max(1, int(radius / 14))
        )
        layer = ImageChops.screen(layer, disc)
    soft = layer.filter(ImageFilter.GaussianBlur(1.6)).resize(
        picture.size, Image.Resampling.BILINEAR
    )
    return ImageChops.screen(picture, soft)


def _dithered(picture: Image.Image, chance: np.random.Generator) -> Image.Image:
    """The picture with a trace of grain, which keeps wide gradients from showing steps."""
    grain = chance.integers(-1, 2, (picture.height, picture.width, 1), dtype=np.int16)
    pixels = np.asarray(picture).astype(np.int16) + grain
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
