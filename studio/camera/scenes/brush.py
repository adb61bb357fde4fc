"""What pictures are painted with: gradients, lights, mist, smooth shapes, grain. Pure, numpy and Pillow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.paints import BLACK

Size = tuple[int, int]
Spot = tuple[float, float]
Box = tuple[float, float, float, float]
Chance = np.random.Generator
# Soft things are painted so many times smaller, and shapes so many times larger than they are shown.
SOFT, FINE = 6, 2
# Rows that are worked on at once where the whole picture would take much memory.
BAND = 256


@lru_cache(512)
def read_rows(rows: str) -> tuple[tuple[float, ...], ...]:
    """Return rows of numbers that are written as points are in SVG, "0,0,1 1.5,0,2"."""
    return tuple(tuple(float(number) for number in row.split(",")) for row in rows.split())


def trace(points: str, x: float = 0.0, y: float = 0.0) -> list[Spot]:
    """Return the points of an outline about a place; they are written as in SVG, "0,0 1.5,0 1.5,2"."""
    return [(left + x, high + y) for left, high in read_rows(points)]


def walk(start: float, end: float, step: float) -> Iterator[float]:
    """Yield places a step apart that lie before an end."""
    while start < end:
        yield start
        start += step


@dataclass(frozen=True)
class Shape:
    """A polygon, an oval (two corners), or a line of some width, in pixels of the picture."""

    kind: str
    points: tuple[Spot, ...]
    width: float = 0.0


def polygon(*points: Spot) -> Shape:
    """Return a filled polygon."""
    return Shape("polygon", points)


def place_polygon(points: str, x: float, y: float, across: float, down: float = 0.0) -> Shape:
    """Return a filled polygon about a place; its points are in shares of one or two lengths."""
    spots = trace(points)
    return polygon(*((x + across * a, y + (down or across) * b) for a, b in spots))


def bar(left: float, top: float, right: float, bottom: float) -> Shape:
    """Return a filled rectangle."""
    return polygon((left, top), (right, top), (right, bottom), (left, bottom))


def oval(x: float, y: float, across: float, down: float) -> Shape:
    """Return a filled ellipse about a middle, with these half axes."""
    return Shape("oval", ((x - across, y - down), (x + across, y + down)))


def stroke(points: Sequence[Spot], width: float) -> Shape:
    """Return a line through points."""
    return Shape("stroke", tuple(points), width)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Mix two colours; `share` 0 is the first."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def make_gradient(colours: Sequence[Colour], size: Size) -> Image.Image:
    """Return colours from top to bottom, evenly spaced and smoothly joined."""
    return _make_column(colours, size[1]).resize(size, Image.Resampling.NEAREST)


def _make_column(colours: Sequence[Colour], height: int) -> Image.Image:
    """Return the colours one pixel wide."""
    rows = np.linspace(0, len(colours) - 1, height)
    table = np.array(colours, np.float32)
    places = np.arange(len(colours))
    column = np.stack([np.interp(rows, places, table[:, c]) for c in range(3)], axis=1)
    return Image.fromarray((column[:, None, :] + 0.5).astype(np.uint8))


def paint_sky(palette: Palette, size: Size, horizon: float = 0.8) -> Image.Image:
    """Paint the palette's sky, down to a share of the height."""
    picture = Image.new("RGB", size, palette.sky[-1])
    picture.paste(make_gradient((*palette.sky, palette.sky[-1]), (size[0], int(size[1] * horizon))))
    return picture


def darken_sky(palette: Palette) -> Palette:
    """Return the palette with a sky in which night has begun."""
    dark = (palette.ground[1], palette.sky[0], palette.sky[1])
    return Palette(dark, palette.ground, palette.light, palette.accent)


def paint_clouds(
    picture: Image.Image, colour: Colour, level: float, reach: float, chance: Chance
) -> None:
    """Paint long soft clouds down to a share of the height; in place."""
    width, height = (max(2, side // SOFT) for side in picture.size)
    field = make_noise((height, width), (9, 3), chance)
    rows = np.linspace(0, 1, height)[:, None]
    band = np.clip(1 - np.abs(rows - reach * 0.62) / (reach * 0.5), 0, 1)
    cover = np.clip(field - 0.5, 0, 0.35) / 0.35 * band * level
    mask = Image.fromarray((255 * cover).astype(np.uint8)).resize(
        picture.size, Image.Resampling.BICUBIC
    )
    picture.paste(colour, mask=mask)


def make_noise(shape: tuple[int, int], cells: tuple[int, int], chance: Chance) -> np.ndarray:
    """Return smooth noise of that many cells down and across, in [0, 1]: four octaves."""
    total, weight = np.zeros(shape, np.float32), 0.0
    for octave in range(4):
        coarse = chance.random((cells[0] * 2**octave + 1, cells[1] * 2**octave + 1), np.float32)
        layer = Image.fromarray((coarse * 255).astype(np.uint8))
        smooth = layer.resize(shape[::-1], Image.Resampling.BICUBIC)
        total += np.asarray(smooth, np.float32) / 255 / 2**octave
        weight += 1 / 2**octave
    return total / weight


def paint_glow(
    picture: Image.Image, colour: Colour, spot: Spot, reach: float, level: float
) -> None:
    """Paint a soft round light, in place; `spot` in shares of the sides, `reach` in those of the shorter one."""
    width, height = (max(2, side // SOFT) for side in picture.size)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    radius = reach * min(width, height)
    distance = np.hypot(x - spot[0] * width, y - spot[1] * height) / radius
    cover = np.minimum(255 * level * np.exp(-2.2 * distance**1.3), 255).astype(np.uint8)
    mask = Image.fromarray(cover).resize(picture.size, Image.Resampling.BICUBIC)
    picture.paste(colour, mask=mask)


def pick_side(chance: Chance) -> float:
    """Choose a share of the width far left or far right: text in the middle dims what is bright behind it."""
    share = float(chance.uniform(0.13, 0.21))
    return share if chance.random() < 0.5 else 1 - share


def paint_sun(picture: Image.Image, palette: Palette, spot: Spot, radius: float) -> None:
    """Paint a bright disc and the light about it; in place."""
    reach = radius * min(picture.size)
    paint_glow(picture, palette.light, spot, 0.75, 0.62)
    paint_glow(picture, palette.light, spot, 3.2 * radius, 0.5)
    disc = oval(spot[0] * picture.width, spot[1] * picture.height, reach, reach)
    fill(picture, mix(palette.light, (255, 255, 255), 0.55), [disc], level=0.95)


def fill(
    picture: Image.Image,
    colour: Colour | Image.Image,
    shapes: Sequence[Shape],
    blur: float = 0.0,
    level: float = 1.0,
) -> None:
    """Fill shapes with a colour, or with what lies there in another picture of the same size; in place."""
    edge = int(3 * blur) + 2
    xs, ys = zip(*(point for shape in shapes for point in shape.points), strict=True)
    spare = edge + max(shape.width for shape in shapes)
    left, top = max(0, int(min(xs) - spare)), max(0, int(min(ys) - spare))
    right = min(picture.width, int(max(xs) + spare) + 1)
    bottom = min(picture.height, int(max(ys) + spare) + 1)
    if left >= right or top >= bottom:
        return
    mask = Image.new("L", ((right - left) * FINE, (bottom - top) * FINE))
    draw = ImageDraw.Draw(mask)
    for shape in shapes:
        _draw_shape(draw, shape, (left, top))
    mask = mask.reduce(FINE)
    if blur:
        mask = mask.filter(ImageFilter.GaussianBlur(blur))
    if level < 1:
        mask = mask.point([int(value * level) for value in range(256)])
    if isinstance(colour, Image.Image):
        picture.paste(colour.crop((left, top, right, bottom)), (left, top), mask)
    else:
        picture.paste(colour, (left, top, right, bottom), mask)


def _draw_shape(draw: ImageDraw.ImageDraw, shape: Shape, corner: tuple[int, int]) -> None:
    points = [((x - corner[0]) * FINE, (y - corner[1]) * FINE) for x, y in shape.points]
    if shape.kind == "oval":
        draw.ellipse([*points[0], *points[1]], 255)
    elif shape.kind == "stroke":
        draw.line(points, 255, max(1, round(shape.width * FINE)), joint="curve")
    else:
        draw.polygon(points, 255)


def make_ridge(width: int, swing: float, bends: float, chance: Chance) -> np.ndarray:
    """Return a rolling line of that many bends: heights of shape (width,), about 0."""
    along = np.linspace(0, 1, width)
    line = np.zeros(width)
    for octave in range(5):
        turns = bends * 1.9**octave
        line += np.sin(2 * np.pi * (turns * along + chance.uniform())) / 2.3**octave
    return line * swing * 0.6


def paint_land(picture: Image.Image, fill: Colour | Sequence[Colour], line: np.ndarray) -> None:
    """Paint everything under a line of heights in a colour, or in colours from its top down; in place."""
    width, height = picture.size
    top, low = (min(height, max(0, int(edge))) for edge in (line.min(), line.max() + 2))
    if top >= height:
        return
    colours = (fill, fill) if isinstance(fill[0], int) else fill
    column = _make_column(colours, height - top)  # type: ignore[arg-type]
    if low > top:
        rows = np.arange(top, low, dtype=np.float32)[:, None]
        cover = (np.clip(rows - line[None, :].astype(np.float32), 0, 1) * 255).astype(np.uint8)
        edge = column.resize((width, low - top), Image.Resampling.NEAREST, (0, 0, 1, low - top))
        picture.paste(edge, (0, top), Image.fromarray(cover))
    if height > low:
        box = (0, low - top, 1, height - top)
        picture.paste(column.resize((width, height - low), Image.Resampling.NEAREST, box), (0, low))


def paint_mist(
    picture: Image.Image, colour: Colour, height: float, reach: float, level: float
) -> None:
    """Paint a band of haze around a share of the height; in place."""
    rows = np.linspace(0, 1, picture.height)
    column = 255 * level * np.exp(-(((rows - height) / reach) ** 2))
    covered = np.flatnonzero(column >= 1)
    if len(covered):
        top, size = int(covered[0]), (picture.width, len(covered))
        part = Image.fromarray(column[covered].astype(np.uint8)[:, None])
        picture.paste(
            colour, (0, top, size[0], top + size[1]), part.resize(size, Image.Resampling.NEAREST)
        )


def paint_bokeh(
    picture: Image.Image,
    colours: Sequence[Colour],
    chance: Chance,
    count: int,
    level: float,
    rows: tuple[float, float] = (0.1, 1.0),
) -> None:
    """Paint discs of light out of focus, each with a brighter rim, between two shares of the height; in place."""
    small = picture.width // 2, picture.height // 2
    layer = Image.new("RGB", small)
    for _ in range(count):
        colour = colours[int(chance.integers(0, len(colours)))]
        radius = float(chance.uniform(0.015, 0.085)) * min(small)
        x = float(chance.uniform(0, 1)) * small[0]
        y = float(chance.uniform(*rows)) * small[1]
        strength = level * float(chance.uniform(0.3, 1))
        corner = int(x - radius) - 1, int(y - radius) - 1
        side = int(2 * radius) + 3
        disc = Image.new("RGB", (side, side))
        inside, rim = (mix((0, 0, 0), colour, strength * part) for part in (0.7, 1.0))
        ImageDraw.Draw(disc).ellipse(
            (1, 1, side - 2, side - 2), inside, rim, max(1, int(radius / 14))
        )
        box = (*corner, corner[0] + side, corner[1] + side)
        layer.paste(ImageChops.screen(layer.crop(box), disc), box)
    soft = layer.filter(ImageFilter.GaussianBlur(max(0.5, min(small) / 400)))
    for top in range(0, picture.height, BAND):
        box = (0, top, picture.width, min(picture.height, top + BAND))
        size, half = (box[2], box[3] - top), (0, top / 2, small[0], min(small[1], box[3] / 2))
        shine = soft.resize(size, Image.Resampling.BILINEAR, half)
        picture.paste(ImageChops.screen(picture.crop(box), shine), box)


def add_grain(picture: Image.Image, chance: Chance) -> None:
    """Add a trace of noise, which keeps wide gradients from showing steps; in place."""
    for top in range(0, picture.height, BAND):
        box = (0, top, picture.width, min(picture.height, top + BAND))
        rows = np.clip(np.asarray(picture.crop(box)), 1, 254)
        rows += chance.integers(0, 3, (*rows.shape[:2], 1), dtype=np.uint8)
        rows -= 1
        picture.paste(Image.fromarray(rows), box)


def paint_awning(picture: Image.Image, box: Box, colours: tuple[Colour, Colour]) -> None:
    """Paint a striped awning with a scalloped edge; `box` is where it hangs."""
    left, top, right, bottom = box
    count = 9
    step, inset = (right - left) / count, (right - left) * 0.05
    hem = bottom - (bottom - top) * 0.28
    for colour, first in zip(colours, (0, 1), strict=True):
        shapes = []
        for stripe in range(first, count, 2):
            low = left + step * stripe
            high = left + inset + (right - left - 2 * inset) * stripe / count
            next_high = left + inset + (right - left - 2 * inset) * (stripe + 1) / count
            shapes.append(polygon((high, top), (next_high, top), (low + step, hem), (low, hem)))
            shapes.append(oval(low + step / 2, hem, step / 2, bottom - hem))
        fill(picture, colour, shapes)
    fill(picture, BLACK, [bar(left, hem - (bottom - top) * 0.04, right, hem)], blur=2, level=0.25)
