"""Pictures of a shop in the evening, a cup on a table and a stage. Pure."""

import math

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from studio.camera.palettes import Colour, Palette
from studio.camera.scenes.brush import (
    SOFT,
    Box,
    Chance,
    Shape,
    Size,
    Spot,
    bar,
    darken_sky,
    fill,
    make_gradient,
    make_noise,
    mix,
    oval,
    paint_awning,
    paint_bokeh,
    paint_glow,
    paint_land,
    paint_mist,
    paint_sky,
    pick_side,
    place_polygon,
    polygon,
    stroke,
)
from studio.camera.scenes.paints import BLACK

GASLIGHT: Colour = (255, 196, 120)
CREAM: Colour = (250, 240, 226)
FOAM = ((0.55, 0.12), (0.3, 0.06))


def paint_shopfront(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint a small shop in the evening: warm windows under an awning, lamps inside, plants before it."""
    width, height = size
    unit = min(size)
    wall = mix(palette.ground[1], palette.sky[0], 0.3)
    picture = make_gradient((mix(wall, BLACK, 0.35), wall, mix(wall, palette.sky[1], 0.25)), size)
    _paint_bricks(picture, wall, chance)
    wide = min(width * 0.84, unit * 1.15)
    middle = width * float(chance.uniform(0.44, 0.56))
    left, right = middle - wide / 2, middle + wide / 2
    top = height * (0.49 if height > width else 0.36)
    sill = top + min(height * 0.42, wide * 0.72)
    warm = mix(palette.light, GASLIGHT, 0.6)
    paint_glow(picture, warm, (middle / width, (top + sill) / 2 / height), 0.75, 0.5)
    _paint_window(picture, (left, top, right, sill), warm, wall, chance)
    for side in (left - unit * 0.09, right + unit * 0.09):
        spot = side / width, (top + 0.02 * height) / height
        paint_glow(picture, warm, spot, 0.22, 0.7)
        fill(picture, CREAM, [oval(side, top + 0.02 * height, unit * 0.014, unit * 0.02)])
    hang = min(height * 0.11, wide * 0.2)
    hung = (left - unit * 0.05, top - hang * 0.62, right + unit * 0.05, top + hang * 0.38)
    paint_awning(picture, hung, (palette.accent, CREAM))
    ground = max(height * 0.9, sill + unit * 0.16)
    paint_land(picture, (mix(wall, warm, 0.2), mix(wall, BLACK, 0.6)), np.full(width, ground))
    _paint_base(picture, (left, sill, right, ground), wall)
    for x in (left + wide * 0.02, right - wide * 0.02):
        _paint_plant(picture, (x, ground + unit * 0.03), unit * 0.2, chance)
    paint_bokeh(picture, (warm, palette.accent), chance, 7, 0.18, (0.55, 1.0))
    return picture


def _paint_bricks(picture: Image.Image, wall: Colour, chance: Chance) -> None:
    """Paint faint courses of bricks over the whole picture."""
    high = min(picture.size) * 0.028
    lines: list[Shape] = []
    for row in range(int(picture.height / high) + 1):
        y = row * high
        lines.append(bar(0, y, picture.width, y + high * 0.07))
        start = high * 1.3 * (row % 2)
        lines += [
            bar(x, y, x + high * 0.07, y + high)
            for x in np.arange(start, picture.width, high * 2.6).tolist()
        ]
    fill(picture, mix(wall, BLACK, 0.6), lines, level=0.35)


def _paint_window(
    picture: Image.Image, box: Box, warm: Colour, wall: Colour, chance: Chance
) -> None:
    """Paint a lit window of four panes, with shelves, lamps and a counter to be seen behind it."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    room = make_gradient(
        (mix(warm, BLACK, 0.1), mix(warm, CREAM, 0.45), mix(warm, BLACK, 0.35)),
        (int(wide) + 2, int(high) + 2),
    )
    paint_glow(room, CREAM, (0.5, 0.4), 0.6, 0.5)
    picture.paste(room, (int(left), int(top)))
    dark = mix(warm, (70, 36, 16), 0.72)
    fill(picture, dark, _shape_goods(box, chance), blur=min(picture.size) * 0.0012, level=0.85)
    _paint_pendants(picture, box, mix(dark, BLACK, 0.4))
    fill(picture, mix(wall, BLACK, 0.7), _shape_rails(box))


def _paint_base(picture: Image.Image, box: Box, wall: Colour) -> None:
    """Paint the panelled wall under the windows."""
    left, top, right, bottom = box
    wide, high, edge = right - left, bottom - top, min(picture.size) * 0.02
    fill(picture, mix(wall, BLACK, 0.45), [bar(left - edge, top, right + edge, bottom)])
    panels = [
        bar(left + wide * a, top + high * 0.15, left + wide * (a + 0.2), bottom - high * 0.12)
        for a in (0.03, 0.28, 0.52, 0.77)
    ]
    fill(picture, mix(wall, BLACK, 0.25), panels)


def _shape_goods(box: Box, chance: Chance) -> list[Shape]:
    """Return bottles on two shelves, and loaves on a counter."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    things: list[Shape] = []
    for shelf in (0.42, 0.58):
        y = top + high * shelf
        things.append(bar(left + wide * 0.53, y, right - wide * 0.04, y + high * 0.012))
        x = left + wide * 0.56
        while x < right - wide * 0.08:
            tall = high * float(chance.uniform(0.05, 0.11))
            thick = wide * float(chance.uniform(0.008, 0.018))
            things.append(bar(x - thick, y - tall, x + thick, y))
            things.append(bar(x - thick * 0.4, y - tall * 1.35, x + thick * 0.4, y - tall))
            x += wide * float(chance.uniform(0.035, 0.06))
    things.append(bar(left, top + high * 0.8, right, bottom))
    things.append(bar(left + wide * 0.06, top + high * 0.74, left + wide * 0.45, top + high * 0.82))
    things += [
        oval(left + wide * a, top + high * 0.72, wide * 0.03, high * 0.035)
        for a in (0.12, 0.2, 0.28, 0.36)
    ]
    return things


def _paint_pendants(picture: Image.Image, box: Box, dark: Colour) -> None:
    """Paint four lamps that hang in a row and shine."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    lamps = [(left + wide * a, top + high * 0.26) for a in (0.14, 0.38, 0.62, 0.86)]
    for x, y in lamps:
        halo = oval(x, y + high * 0.03, wide * 0.1, wide * 0.1)
        fill(picture, CREAM, [halo], blur=wide * 0.04, level=0.5)
    cords = [bar(x - wide * 0.002, top, x + wide * 0.002, y) for x, y in lamps]
    outline = "-0.012,-0.05 0.012,-0.05 0.05,0.02 -0.05,0.02"
    shades = [place_polygon(outline, x, y, wide, high) for x, y in lamps]
    fill(picture, dark, [*cords, *shades])
    bulbs = [oval(x, y + high * 0.025, wide * 0.022, high * 0.016) for x, y in lamps]
    fill(picture, (255, 252, 240), bulbs)


def _shape_rails(box: Box) -> list[Shape]:
    """Return the frame of a window of four panes and a transom."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    frame = wide * 0.014
    rails = [
        bar(left + wide * a - frame / 2, top, left + wide * a + frame / 2, bottom)
        for a in (0, 0.25, 0.5, 0.75, 1)
    ]
    rails += [
        bar(left - frame / 2, y - frame / 2, right + frame / 2, y + frame / 2)
        for y in (top, bottom, top + high * 0.2)
    ]
    return rails


def _paint_plant(picture: Image.Image, foot: Spot, tall: float, chance: Chance) -> None:
    """Paint a pot with leaves."""
    x, y = foot
    leaves = []
    for angle in np.linspace(-1.15, 1.15, 13).tolist():
        length = tall * float(chance.uniform(0.65, 1.0))
        tip = x + length * math.sin(angle), y - tall * 0.35 - length * math.cos(angle)
        side = tall * 0.055 * math.cos(angle), tall * 0.055 * math.sin(angle)
        middle = (x + tip[0]) / 2, (y - tall * 0.3 + tip[1]) / 2
        right, left = ((middle[0] + sign * side[0], middle[1] + sign * side[1]) for sign in (1, -1))
        leaves.append(polygon((x, y - tall * 0.3), right, tip, left))
    fill(picture, (30, 62, 46), leaves)
    fill(picture, (58, 92, 66), leaves[::2], level=0.6)
    pot = place_polygon("-0.2,-0.36 0.2,-0.36 0.14,0 -0.14,0", x, y, tall)
    rim = bar(x - tall * 0.22, y - tall * 0.38, x + tall * 0.22, y - tall * 0.3)
    fill(picture, (150, 92, 66), [pot])
    fill(picture, (110, 62, 44), [rim])


def paint_cup(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint a steaming cup on a wooden table, lights out of focus behind it."""
    width, height = size
    unit = min(size)
    warm = mix(palette.light, GASLIGHT, 0.4)
    picture = paint_sky(darken_sky(palette), size, 0.7)
    paint_glow(picture, palette.sky[-1], (0.5, 0.45), 0.8, 0.5)
    paint_bokeh(picture, (warm, palette.accent, palette.sky[-1]), chance, 40, 0.5, (0.05, 0.66))
    picture = picture.filter(ImageFilter.BoxBlur(unit / 260))
    edge = int(height * (0.74 if height > width else 0.64))
    _paint_table(picture, edge, mix((112, 66, 40), palette.ground[0], 0.35), warm, chance)
    x, y = _find_place_below_text(size, chance)
    paint_glow(picture, warm, (x / width, y / height), 0.4, 0.25)
    across = unit * 0.2
    glaze = mix(CREAM, palette.light, 0.3)
    _paint_saucer(picture, (x, y), across, glaze, palette.ground[1])
    _paint_cup(picture, (x, y), across, glaze, palette.ground[1])
    _paint_steam(picture, (x, y - across * 1.05), across, chance)
    return picture


def _find_place_below_text(size: Size, chance: Chance) -> Spot:
    """Return where the cup stands: under the captions of an upright frame, beside those of a wide one."""
    width, height = size
    if height > width:
        return width * float(chance.uniform(0.36, 0.64)), height * 0.865
    return width * pick_side(chance), height * 0.71


def _paint_table(
    picture: Image.Image, edge: int, wood: Colour, warm: Colour, chance: Chance
) -> None:
    width, height = picture.size
    top = make_gradient(
        (mix(wood, warm, 0.3), wood, mix(wood, BLACK, 0.55)), (width, height - edge)
    )
    grain = make_noise((max(2, (height - edge) // 2), max(2, width // 8)), (24, 1), chance)
    streaks = Image.fromarray((np.clip(grain - 0.45, 0, 0.4) * 300).astype(np.uint8))
    top.paste(mix(wood, BLACK, 0.5), mask=streaks.resize(top.size, Image.Resampling.BICUBIC))
    picture.paste(top, (0, edge))
    fill(picture, mix(wood, warm, 0.55), [bar(0, edge, width, edge + height * 0.004)], blur=1.5)


def _paint_saucer(
    picture: Image.Image, middle: Spot, across: float, glaze: Colour, dark: Colour
) -> None:
    """Paint a saucer with its shadow on the table and that of a cup on it."""
    x, low = middle[0], middle[1] + across * 0.62
    shadow = oval(x + across * 0.15, low + across * 0.24, across * 1.75, across * 0.42)
    fill(picture, BLACK, [shadow], blur=across * 0.09, level=0.55)
    shade = mix(glaze, dark, 0.5)
    rim, plate = (oval(x, low + across * a, across * 1.6, across * 0.4) for a in (0.2, 0.14))
    fill(picture, mix(shade, BLACK, 0.2), [rim])
    fill(picture, mix(glaze, dark, 0.2), [plate])
    foot = oval(x, low + across * 0.12, across * 1.05, across * 0.25)
    fill(picture, shade, [foot], blur=across * 0.03)


def _paint_cup(
    picture: Image.Image, middle: Spot, across: float, glaze: Colour, dark: Colour
) -> None:
    """Paint a cup lit from the left, full of coffee."""
    x, y = middle
    rim, shade = y - across * 0.75, mix(glaze, dark, 0.5)
    handle = [
        (x + across * (0.9 + 0.45 * math.sin(t)), y - across * 0.1 + across * 0.4 * -math.cos(t))
        for t in np.linspace(0, math.pi, 24).tolist()
    ]
    fill(picture, shade, [stroke(handle, across * 0.14)])
    body = polygon(*((x + across * a, rim + across * b) for a, b in _shape_profile()))
    fill(picture, _light_round(picture.size, (x, across), glaze, mix(glaze, dark, 0.62)), [body])
    fill(picture, mix(glaze, (255, 255, 255), 0.5), [oval(x, rim, across, across * 0.27)])
    fill(picture, shade, [oval(x, y - across * 0.73, across * 0.93, across * 0.235)])
    level = y - across * 0.7
    fill(picture, (92, 50, 26), [oval(x, level, across * 0.89, across * 0.2)])
    foam, cream = (oval(x - across * 0.1, level, across * a, across * b) for a, b in FOAM)
    fill(picture, (196, 146, 96), [foam], blur=across * 0.03)
    fill(picture, (236, 204, 160), [cream], blur=across * 0.02)


def _shape_profile() -> list[Spot]:
    """Return the outline of a cup of half width 1, from the rim down and up again."""
    side = [(1 - 0.42 * t**2.6, 1.42 * t) for t in np.linspace(0, 1, 20).tolist()]
    foot = [
        (0.58 * math.cos(t), 1.42 + 0.12 * math.sin(t))
        for t in np.linspace(0, math.pi, 16).tolist()
    ]
    return [*side, *foot, *((-a, b) for a, b in reversed(side))]


def _light_round(
    size: Size, place: tuple[float, float], light: Colour, dark: Colour
) -> Image.Image:
    """Return a picture that goes from light to dark, left to right, over a rounded thing."""
    x, half = place
    across = np.clip((np.arange(size[0]) - x) / half, -1, 1)
    share = np.interp(across, (-1, -0.55, 0.1, 1), (0.45, 0.0, 0.3, 1.0))[:, None]
    row = np.array(light) * (1 - share) + np.array(dark) * share
    strip = Image.fromarray(np.clip(row, 0, 255).astype(np.uint8)[None])
    return strip.resize(size, Image.Resampling.NEAREST)


def _paint_steam(picture: Image.Image, foot: Spot, across: float, chance: Chance) -> None:
    """Paint wisps that rise from a place and dissolve."""
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
        fill(layer, (96, 92, 88), wisps, blur=across * 0.06)
    rows = np.linspace(0, 255, part.height).astype(np.uint8)[:, None]
    fade = Image.fromarray(rows).resize(part.size)
    shown = Image.composite(layer, Image.new("RGB", part.size), fade)
    picture.paste(ImageChops.screen(part, shown), (left, top))


def paint_stage(palette: Palette, size: Size, chance: Chance) -> Image.Image:
    """Paint beams of light over a stage floor, haze, and the heads of a crowd."""
    width, height = size
    dark = mix(palette.ground[1], BLACK, 0.35)
    picture = make_gradient((dark, mix(palette.ground[1], palette.sky[1], 0.3), dark), size)
    colours = palette.sky[-1], palette.light, palette.accent, palette.sky[1]
    beams = Image.new("RGB", (width // SOFT, height // SOFT))
    for number in range(7):
        beam = _paint_beam(beams.size, colours[number % 4], (number + 0.5) / 7, chance)
        beams = ImageChops.add(beams, beam)
    haze = make_noise((beams.height, beams.width), (6, 4), chance)[..., None]
    misty = (np.asarray(beams) * (0.55 + 0.6 * haze)).clip(0, 255).astype(np.uint8)
    smoke = Image.fromarray(misty).resize(size, Image.Resampling.BICUBIC)
    picture = ImageChops.screen(picture, smoke)
    floor = np.full(width, height * 0.74)
    paint_land(picture, (mix(dark, palette.sky[1], 0.28), dark), floor)
    paint_mist(picture, mix(dark, palette.sky[1], 0.5), 0.74, 0.05, 0.8)
    for number in range(3):
        spot = float(chance.uniform(0.15, 0.85)), 0.78 + 0.05 * number
        paint_glow(picture, colours[number], spot, 0.35, 0.55)
    lamps = [
        oval(width * (number + 0.5) / 7, height * 0.035, min(size) * 0.016, min(size) * 0.012)
        for number in range(7)
    ]
    fill(picture, palette.light, lamps, blur=6, level=0.9)
    fill(picture, (255, 255, 255), lamps)
    paint_bokeh(picture, colours, chance, 14, 0.25, (0.1, 0.7))
    for row in range(2):
        crowd = _shape_crowd(size, 0.93 + 0.05 * row, chance)
        fill(picture, mix(dark, BLACK, 0.4 + 0.5 * row), crowd)
    return picture


def _paint_beam(size: Size, colour: Colour, start: float, chance: Chance) -> Image.Image:
    """Paint a cone of light from above, brightest at its source."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    down = y / height
    lean = float(chance.uniform(-0.5, 0.5)) * min(size)
    middle = start * width + lean * down
    spread = min(size) * (0.012 + 0.15 * down)
    light = np.exp(-(((x - middle) / spread) ** 2)) * (0.75 * (1 - down) ** 0.8 + 0.06)
    return Image.fromarray((light[..., None] * np.array(colour, np.float32)).astype(np.uint8))


def _shape_crowd(size: Size, level: float, chance: Chance) -> list[Shape]:
    """Return heads and shoulders along a share of the height, some with an arm up."""
    width, height = size
    unit = min(size) * 0.05
    people: list[Shape] = [bar(0, height * level + unit, width, height)]
    x = 0.0
    while x < width + unit:
        top = height * level + float(chance.uniform(-0.6, 0.4)) * unit
        people.append(oval(x, top, unit * 0.5, unit * 0.62))
        people.append(oval(x, top + unit * 1.75, unit * 1.1, unit * 1.25))
        if chance.random() < 0.3:
            aside, up = float(chance.uniform(-0.9, 0.9)), float(chance.uniform(1.2, 2.2))
            hand = x + unit * aside, top - unit * up
            people.append(stroke([(x + unit * 0.7, top + unit), hand], unit * 0.34))
            people.append(oval(*hand, unit * 0.24, unit * 0.28))
        x += unit * float(chance.uniform(1.5, 2.3))
    return people
