"""Pictures of a town: its skyline, its lights, tiled roofs, a market. Pure."""

import math

import numpy as np
from PIL import Image, ImageFilter, ImageOps

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Box,
    Chance,
    Shape,
    Size,
    Spot,
    bar,
    darken_sky,
    fill,
    make_gradient,
    make_ridge,
    mix,
    oval,
    paint_awning,
    paint_bokeh,
    paint_clouds,
    paint_glow,
    paint_land,
    paint_mist,
    paint_sky,
    paint_sun,
    pick_side,
    place_polygon,
    polygon,
    stroke,
)
from studio.camera.scenes.paints import BLACK

WATER = 0.82
Houses = list[Box]


def paint_skyline(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint a city at dusk over a river: three rows of houses with lit windows, and their reflection."""
    picture = paint_sky(palette, size)
    paint_clouds(picture, palette.light, 0.3, 0.5, chance)
    paint_sun(picture, palette, (pick_side(chance), 0.54), 0.08)
    for row, share in enumerate((0.1, 0.5, 1.0)):
        houses = _place_houses(row, size, chance)
        colour = mix(palette.sky[-1], palette.ground[1], 0.3 + 0.65 * share)
        shapes = [bar(*house) for house in houses]
        if row < 2:
            shapes += [_shape_mast(house) for house in houses if chance.random() < 0.25]
        fill(picture, colour, shapes)
        panes = [pane for house in houses for pane in _shape_panes(house, row, chance)]
        fill(picture, mix(colour, palette.light, 0.35 + 0.5 * share), panes)
        if row < 2:
            paint_mist(picture, palette.sky[-1], 0.79, 0.1, 0.35)
    _paint_reflection(picture, palette, chance)
    paint_bokeh(picture, (palette.light, palette.accent), chance, 8, 0.22, (0.55, 1.0))
    return picture


def _place_houses(row: int, size: Size, chance: Chance) -> Houses:
    """Return boxes side by side from the water up, the front row lower and wider."""
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


def _shape_mast(house: Box) -> Shape:
    left, top, right, _ = house
    middle, wide = (left + right) / 2, (right - left) * 0.02
    return polygon(
        (middle - wide, top + 1), (middle, top - (right - left) * 0.55), (middle + wide, top + 1)
    )


def _shape_panes(house: Box, row: int, chance: Chance) -> list[Shape]:
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


def _paint_reflection(picture: Image.Image, palette: Palette, chance: Chance) -> None:
    """Paint water below the houses that shows them upside down, darker and drawn out by ripples."""
    width, height = picture.size
    shore = int(height * WATER)
    depth = height - shore
    mirror = ImageOps.flip(picture.crop((0, shore - depth, width, shore)))
    pixels = np.asarray(mirror.filter(ImageFilter.BoxBlur((2, height // 130))))
    rows = np.arange(depth)
    swing = (2 + 6 * rows / depth) * np.sin(rows * rows / depth * 0.5 + chance.uniform(0, 6))
    columns = np.clip(np.arange(width)[None, :] + swing[:, None].astype(int), 0, width - 1)
    water = Image.fromarray(pixels[rows[:, None], columns])
    deep = Image.new("RGB", water.size, palette.ground[1])
    picture.paste(Image.blend(water, deep, 0.45), (0, shore))


def paint_lights(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint out-of-focus lights of a street at night."""
    dark = palette.ground[1]
    high, low = mix(palette.sky[0], dark, 0.5), mix(palette.sky[1], dark, 0.55)
    picture = make_gradient((mix(dark, BLACK, 0.3), high, low, dark), size)
    for _ in range(3):
        spot = float(chance.uniform(0.1, 0.9)), float(chance.uniform(0.25, 0.9))
        paint_glow(picture, palette.sky[1], spot, 0.55, 0.4)
    colours = (palette.light, palette.accent, palette.sky[-1])
    paint_bokeh(picture, colours, chance, 34, 0.4)
    paint_bokeh(picture, colours, chance, 16, 0.6)
    return picture


def paint_hanok(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint tiled roofs one behind the other before mountains, warm light under the eaves."""
    width, height = size
    unit = min(size)
    picture = paint_sky(palette, size, 0.62)
    paint_clouds(picture, palette.light, 0.35, 0.45, chance)
    paint_sun(picture, palette, (pick_side(chance), 0.42), 0.075)
    for row in range(2):
        line = height * (0.45 + 0.06 * row) + make_ridge(width, unit * 0.12, 1.2 + row, chance)
        colour = mix(palette.sky[-1], palette.ground[0], 0.4 + 0.35 * row)
        paint_land(picture, colour, line)
    paint_mist(picture, palette.sky[-1], 0.56, 0.06, 0.6)
    night_side = mix(palette.ground[1], BLACK, 0.15)
    paint_land(picture, night_side, np.full(width, height * 0.62))
    for row in range(4):
        share = row / 3
        wide = unit * (0.42 + 0.26 * row)
        y = height * (0.53 + 0.115 * row + 0.05 * share)
        x = -wide * float(chance.uniform(0.1, 0.6))
        while x < width:
            length = wide * float(chance.uniform(0.85, 1.15))
            level = y + unit * float(chance.uniform(-0.03, 0.03))
            _paint_house(picture, palette, (x + length / 2, level), length, share)
            x += length * float(chance.uniform(1.02, 1.2))
        if row < 3:
            paint_mist(picture, palette.sky[-1], (y + unit * 0.1) / height, 0.05, 0.3 - 0.09 * row)
    return picture


def _paint_house(
    picture: Image.Image, palette: Palette, top: Spot, length: float, share: float
) -> None:
    """Paint one house seen from the front: a roof with turned-up eaves over a wall with papered doors."""
    haze = mix(palette.sky[-1], palette.ground[1], 0.45 + 0.5 * share)
    lamp = mix(palette.light, (255, 190, 110), 0.5)
    tile, edge = mix(haze, BLACK, 0.18), mix(haze, palette.light, 0.22)
    wall, door = mix(haze, palette.light, 0.12), mix(haze, lamp, 0.55 + 0.35 * share)
    _paint_walls(picture, top, length, (wall, door, tile))
    _paint_roof(picture, top, length, (tile, edge))


def _paint_walls(
    picture: Image.Image, top: Spot, length: float, colours: tuple[Colour, Colour, Colour]
) -> None:
    """Paint a wall with four lit doors of paper behind lattices."""
    x, eaves = top[0], top[1] + length * 0.24
    tall, wall = length * 0.24, length * 0.4
    plaster, paper, wood = colours
    fill(picture, plaster, [bar(x - wall, eaves - tall * 0.2, x + wall, eaves + length * 0.3)])
    doors = [
        bar(x + wall * (a + 0.03), eaves + tall * 0.05, x + wall * (a + 0.37), eaves + length * 0.2)
        for a in (-0.8, -0.4, 0.0, 0.4)
    ]
    fill(picture, paper, doors)
    bars = [
        stroke([(x + wall * a, eaves), (x + wall * a, eaves + length * 0.2)], length * 0.004)
        for a in np.arange(-0.8, 0.81, 0.08)
    ]
    rail = bar(x - wall * 0.9, eaves + length * 0.11, x + wall * 0.9, eaves + length * 0.115)
    fill(picture, wood, [*bars, rail], level=0.8)


def _paint_roof(
    picture: Image.Image, top: Spot, length: float, colours: tuple[Colour, Colour]
) -> None:
    """Paint a tiled roof whose eaves turn up at their ends, and its shadow on the wall."""
    (x, y), (tile, edge) = top, colours
    half, tall = length / 2, length * 0.24
    eaves = y + tall
    lower = [
        (x + half * a, eaves - tall * 0.26 * abs(a) ** 3) for a in np.linspace(-1.04, 1.04, 33)
    ]
    upper = [(x + half * 0.6 * a, y - tall * 0.1 * abs(a) ** 2.5) for a in np.linspace(1, -1, 17)]
    fill(picture, tile, [polygon(*lower, *upper)])
    ribs = []
    for a in np.linspace(-0.97, 0.97, 27):
        end = x + half * 1.02 * a, eaves - tall * 0.24 * abs(a) ** 3
        ribs.append(stroke(_shape_rib((x + half * 0.6 * a, y), end), length * 0.005))
    fill(picture, edge, ribs, level=0.5)
    fill(picture, edge, [stroke([(px, py + tall * 0.03) for px, py in lower], length * 0.012)])
    fill(picture, mix(tile, BLACK, 0.3), [stroke(upper, length * 0.03)])
    shadow = [(px, py + tall * 0.12) for px, py in lower[4:-4]]
    fill(picture, BLACK, [stroke(shadow, tall * 0.14)], blur=length * 0.006, level=0.35)


def _shape_rib(start: Spot, end: Spot) -> list[Spot]:
    """Return a row of tiles from the ridge down, hanging through a little."""
    (x, y), wide, tall = start, end[0] - start[0], end[1] - start[1]
    steps = np.linspace(0, 1, 7).tolist()
    return [(x + wide * t, y + tall * t + tall * 0.12 * math.sin(math.pi * t)) for t in steps]


def paint_market(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint an evening street of stalls under strings of lamps."""
    width, height = size
    unit = min(size)
    picture = paint_sky(darken_sky(palette), size, 0.8)
    paint_glow(picture, palette.sky[-1], (0.5, 0.66), 0.8, 0.45)
    dark = mix(palette.ground[1], BLACK, 0.25)
    lamp = mix(palette.light, (255, 196, 120), 0.5)
    paint_bokeh(picture, (lamp, palette.accent, palette.sky[-1]), chance, 30, 0.5, (0.5, 0.72))
    for row in range(3):
        stall = unit * (0.17, 0.27, 0.42)[row]
        foot = height * (0.68, 0.77, 0.9)[row]
        ground = mix(mix(dark, lamp, 0.22), dark, row / 2)
        paint_land(picture, ground, np.full(width, foot - 0.02 * unit))
        _paint_stalls(picture, palette, foot, stall, row / 2, chance)
        people = _shape_people(width, foot, stall * 0.8, chance)
        fill(picture, mix(dark, BLACK, 0.3 + 0.2 * row), people)
    for number in range(3):
        level, sag = height * (0.02 + 0.035 * number), unit * float(chance.uniform(0.02, 0.07))
        _paint_lamps(picture, level, sag, (lamp, dark), chance)
    return picture


def _paint_stalls(
    picture: Image.Image, palette: Palette, foot: float, wide: float, near: float, chance: Chance
) -> None:
    """Paint a row of stalls: lit counters under striped awnings, with gaps between."""
    dark = mix(mix(*palette.ground, 0.7), palette.ground[1], near)
    lamp = mix(palette.light, (255, 186, 104), 0.55)
    cloth, white = (
        mix(colour, dark, 0.4 - 0.3 * near) for colour in (palette.accent, (250, 240, 226))
    )
    x = -wide * float(chance.uniform(0, 0.9))
    while x < picture.width:
        right = x + wide * float(chance.uniform(0.9, 1.25))
        top = foot - wide * float(chance.uniform(0.8, 0.95))
        _paint_stall(picture, (x, top, right, foot), wide, (dark, lamp, palette.accent), chance)
        edge = wide * 0.06
        hung = (x - edge, top - wide * 0.14, right + edge, top + wide * 0.18)
        paint_awning(picture, hung, (cloth, white))
        x += (right - x) * float(chance.uniform(1.15, 1.6))


def _paint_stall(
    picture: Image.Image,
    box: Box,
    wide: float,
    colours: tuple[Colour, Colour, Colour],
    chance: Chance,
) -> None:
    """Paint a lit stall with goods on its counter, in colours of its wood, its lamps and its goods."""
    left, top, right, foot = box
    length, tall = right - left, foot - top
    dark, lamp, accent = colours
    fill(picture, mix(dark, lamp, 0.45), [bar(*box)])
    shine = [oval(left + length * a, top + tall * 0.32, wide * 0.2, wide * 0.2) for a in (0.3, 0.7)]
    fill(picture, mix(lamp, (255, 255, 255), 0.45), shine, blur=wide * 0.09, level=0.85)
    goods = []
    for place in range(9):
        x, high = left + length * (0.06 + 0.11 * place), wide * float(chance.uniform(0.05, 0.13))
        goods.append(oval(x, foot - wide * 0.3, wide * 0.07, high))
    fill(picture, mix(dark, accent, 0.3), goods)
    fill(picture, dark, [bar(left, foot - wide * 0.3, right, foot)])
    fill(picture, mix(dark, lamp, 0.4), [bar(left, foot - wide * 0.31, right, foot - wide * 0.28)])
    posts = [
        bar(left + length * a - wide * 0.015, top, left + length * a + wide * 0.015, foot)
        for a in (0.02, 0.98)
    ]
    fill(picture, mix(dark, BLACK, 0.4), posts)


def _shape_people(width: int, foot: float, tall: float, chance: Chance) -> list[Shape]:
    """Return passers-by as shadows, alone and in twos."""
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
                place_polygon("-0.12,-0.6 0.12,-0.6 0.1,-0.3 -0.1,-0.3", x, ground, size),
            ]
            for side in (-1, 1):
                hips = ((x + side * size * a, ground - size * 0.35) for a in (0.1, -0.02))
                feet = ((x + side * (step + size * a), ground) for a in (-0.03, 0.05))
                people.append(polygon(*hips, *feet))
            x += tall * 0.32
        x += tall * float(chance.uniform(0.9, 2.6))
    return people


def _paint_lamps(
    picture: Image.Image, level: float, sag: float, colours: tuple[Colour, Colour], chance: Chance
) -> None:
    """Paint a cord across the street with bulbs on it that shine."""
    width, unit = picture.width, min(picture.size)
    slope = float(chance.uniform(-0.06, 0.06)) * unit
    xs = np.linspace(-0.02, 1.02, 60)
    points = [
        (x * width, level + slope * (x - 0.5) + sag * (1 - (2 * x - 1) ** 2)) for x in xs.tolist()
    ]
    fill(picture, colours[1], [stroke(points, unit * 0.0025)])
    bulbs = points[int(chance.integers(1, 4)) : -1 : 3]
    radius = unit * 0.0085
    halo = [oval(x, y + radius * 1.6, radius * 3.2, radius * 3.2) for x, y in bulbs]
    fill(picture, colours[0], halo, blur=radius * 1.6, level=0.45)
    glass = [oval(x, y + radius * 1.4, radius, radius * 1.15) for x, y in bulbs]
    fill(picture, mix(colours[0], (255, 255, 255), 0.6), glass)
