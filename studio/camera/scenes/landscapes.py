"""Pictures of the open country and of the sea. Pure."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    Chance,
    Shape,
    Size,
    Spot,
    darken_sky,
    fill,
    make_gradient,
    make_ridge,
    mix,
    oval,
    paint_clouds,
    paint_land,
    paint_mist,
    paint_sky,
    paint_sun,
    pick_side,
    place_polygon,
    polygon,
)


def paint_hills(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint a low sun behind rows of hills in haze."""
    width, height = size
    picture = paint_sky(palette, size)
    paint_clouds(picture, palette.light, 0.35, 0.45, chance)
    paint_sun(picture, palette, (pick_side(chance), 0.52 - float(chance.uniform(0.0, 0.03))), 0.085)
    for number, share in enumerate((0.0, 0.3, 0.55, 0.8, 1.0)):
        base = height * (0.53 + 0.105 * number)
        swing = min(size) * (0.05 + 0.014 * number)
        line = base + make_ridge(width, swing, 1.1 + 0.3 * number, chance)
        colour = mix(*palette.ground, share)
        haze = mix(colour, palette.sky[-1], 0.55 - 0.1 * number)
        paint_land(picture, (haze, colour, colour), line)
    return picture


def paint_forest(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint firs in rows, the far ones pale in the mist, the near ones dark."""
    width, height = size
    picture = paint_sky(palette, size, 0.7)
    paint_sun(picture, palette, (pick_side(chance), 0.39), 0.07)
    far = make_ridge(width, min(size) * 0.12, 1.3, chance) + height * 0.42
    pale = mix(palette.sky[-1], palette.ground[0], 0.45)
    paint_land(picture, pale, far)
    for row in range(4):
        share = row / 3
        base = height * (0.56 + 0.14 * row)
        tall = min(size) * (0.2 + 0.13 * row)
        line = base + make_ridge(width, min(size) * 0.05, 1.2, chance)
        colour = mix(pale, palette.ground[1], 0.3 + 0.7 * share)
        fill(picture, colour, _shape_firs(line, tall, size, chance))
        paint_land(picture, colour, line)
        if row < 3:
            paint_mist(picture, palette.sky[-1], base / height + 0.06, 0.07, 0.5 - 0.12 * row)
    return picture


def _shape_firs(line: np.ndarray, tall: float, size: Size, chance: Chance) -> list[Shape]:
    firs: list[Shape] = []
    x = -tall * 0.2
    while x < size[0] + tall * 0.2:
        high = tall * float(chance.uniform(0.55, 1.1))
        foot = float(line[min(size[0] - 1, max(0, int(x)))]) + high * 0.06
        firs.append(_shape_fir(x, foot, high, chance))
        x += tall * float(chance.uniform(0.16, 0.42))
    return firs


def _shape_fir(x: float, foot: float, tall: float, chance: Chance) -> Shape:
    """Return the outline of a fir, its boughs shorter towards the top: left side up, right side down."""
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


def paint_night(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint stars and a moon over dark ridges, mist between them."""
    width, height = size
    deep = darken_sky(palette)
    picture = paint_sky(deep, size, 0.95)
    paint_clouds(picture, palette.sky[-1], 0.12, 0.6, chance)
    draw = ImageDraw.Draw(picture, "RGBA")
    for _ in range(260):
        x, y = float(chance.uniform(0, width)), float(chance.uniform(0, 0.72)) * height
        radius = (float(chance.exponential(0.0006)) + 0.0004) * (width + height) / 2
        alpha = int(chance.integers(90, 230))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), (255, 255, 255, alpha))
    paint_sun(picture, palette, (pick_side(chance), float(chance.uniform(0.09, 0.105))), 0.055)
    for number, share in enumerate((0.3, 0.65, 1.0)):
        line = height * (0.68 + 0.1 * number) + make_ridge(width, min(size) * 0.09, 1.5, chance)
        paint_land(picture, mix(*palette.ground, share), line)
        if number < 2:
            paint_mist(picture, deep.sky[-1], 0.76 + 0.1 * number, 0.04, 0.3)
    return picture


def paint_flowers(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint a field of flowers up to the hills, soft in front."""
    width, height = size
    level = 0.44
    picture = paint_sky(palette, size, 0.6)
    paint_clouds(picture, (255, 255, 255), 0.4, level, chance)
    paint_sun(picture, palette, (pick_side(chance), level - 0.03), 0.07)
    line = height * level + make_ridge(width, min(size) * 0.06, 1.4, chance)
    paint_land(picture, mix(palette.sky[-1], palette.ground[0], 0.6), line)
    leaf = mix(palette.ground[1], (40, 96, 62), 0.6)
    field = height * (level + 0.05) + make_ridge(width, min(size) * 0.03, 0.8, chance)
    paint_land(picture, (mix(leaf, palette.light, 0.35), leaf, mix(leaf, (0, 0, 0), 0.4)), field)
    colours = (palette.accent, palette.sky[1], mix(palette.light, (255, 255, 255), 0.4))
    for depth in np.linspace(0, 1, 9):
        y = height * (level + 0.055 + 0.56 * float(depth) ** 1.6)
        _paint_flower_row(picture, colours, y, float(depth), chance)
    return picture


def _paint_flower_row(
    picture: Image.Image, colours: tuple[Colour, ...], y: float, depth: float, chance: Chance
) -> None:
    """Paint flowers at one distance: dots far away, five petals nearer, blurred discs in front."""
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
        shown = mix(colour, (255, 255, 255), 0.25 * (1 - depth))
        blur = unit * 0.012 * max(0.0, depth - 0.6) / 0.4
        fill(picture, shown, [petal for spot in spots for petal in _shape_petals(*spot)], blur)
        if depth > 0.3:
            hearts = [oval(x, y, radius * 0.3, radius * 0.26) for x, y, radius, _ in spots]
            fill(picture, mix(colour, (90, 50, 20), 0.65), hearts, blur)


def _shape_petals(x: float, y: float, radius: float, turn: float) -> list[Shape]:
    angles = [turn + 2 * math.pi * petal / 5 for petal in range(5)]
    across, down = radius * 0.62, radius * 0.5
    middles = [(x + across * math.cos(angle), y + down * math.sin(angle)) for angle in angles]
    return [oval(*middle, radius * 0.46, radius * 0.4) for middle in middles]


def paint_sea(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint the sun over water, its light broken by waves, with islands far off and a boat."""
    width, height = size
    level = 0.58
    horizon = int(height * level)
    place = pick_side(chance)
    picture = paint_sky(palette, size, level)
    paint_clouds(picture, palette.light, 0.4, level, chance)
    paint_sun(picture, palette, (place, level - 0.015), 0.075)
    for number in range(2):
        side = 1 if place < 0.5 else -1
        along = np.linspace(-1, 1, width) * side - 0.35 - 0.3 * number
        island = np.clip(along, 0, None) ** 0.7 * min(size) * (0.11 - 0.03 * number)
        line = horizon - island * (1 + 0.35 * make_ridge(width, 1.0, 2.5, chance))
        colour = mix(palette.sky[-1], palette.ground[0], 0.45 + 0.3 * (1 - number))
        paint_land(picture, colour, line)
    deep = mix(palette.ground[0], palette.ground[1], 0.75)
    near = mix(palette.sky[-1], palette.ground[0], 0.45)
    picture.paste(
        make_gradient((near, palette.ground[0], deep), (width, height - horizon)), (0, horizon)
    )
    _paint_glitter(picture, palette, place, horizon, chance)
    _paint_boat(picture, mix(deep, (0, 0, 0), 0.3), (1 - place, horizon), min(size) * 0.05)
    return picture


def _paint_glitter(
    picture: Image.Image, palette: Palette, place: float, horizon: int, chance: Chance
) -> None:
    """Paint strokes of light on the water, close under the sun, and darker ones everywhere."""
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


def _paint_boat(
    picture: Image.Image, colour: Colour, foot: tuple[float, float], tall: float
) -> None:
    """Paint a small sailing boat on the horizon."""
    x, y = foot[0] * picture.width, foot[1] + tall * 0.35
    hull = "-0.62,-0.16 0.62,-0.16 0.42,0.04 -0.46,0.04"
    sails = "-0.04,-1.5 -0.04,-0.24 -0.6,-0.24", "0.04,-1.3 0.04,-0.24 0.48,-0.24"
    fill(picture, colour, [place_polygon(part, x, y, tall) for part in (hull, *sails)])
