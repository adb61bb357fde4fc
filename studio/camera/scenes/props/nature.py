"""Plants, water, and what floats in the air. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.motions import Steam
from studio.camera.scenes.paints import CLAY, CRIMSON, INK, IVY, LEAF, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints

# More of it would cost more than two milliseconds a frame: a share of the shorter side.
WIDEST_STEAM = 0.12
BLOOMS = read_paints("#ec6078 #fac45c #f6f0ec #c478c8 #f48c60 #e23a42")


def draw_steam(pen: Pen, wide: float = 1.0) -> None:
    """Draw steam that rises from the origin."""
    x, y = pen.place(0, 0)
    widest = WIDEST_STEAM * min(pen.canvas) / pen.canvas[0]
    reach = min(pen.share(wide), widest)
    pen.moving.append(Steam(x, y, reach, pen.shape, float(pen.chance.random())))


def draw_dust(pen: Pen, wide: float = 5.0, high: float = 4.0) -> None:
    """Draw dust that floats in the light."""
    pen.fall(-wide / 2, high, wide, high, 0.075, 16, -0.035, sway=0.2, level=0.4)


def draw_leaf(pen: Pen, colour: Colour, long: float, wide: float) -> None:
    """Draw a leaf that points up from the origin."""
    pen.blob(darken(colour, 0.15), (0, 0), (-wide, long * 0.45), (0, long), (wide, long * 0.45))
    lit = (-wide * 0.9, long * 0.45), (0, long * 0.97), (-0.02, long * 0.4)
    pen.blob(lighten(colour, 0.12), (0, 0.02), *lit)


def draw_plant(pen: Pen) -> None:
    """Draw a tall plant with large leaves in a pot."""
    for number in range(13):
        angle = 1.25 * (number / 6 - 1) + 0.1 * math.sin(number * 5.0)
        long = float(pen.chance.uniform(1.5, 2.5)) * (1 - 0.25 * abs(angle) / 1.25)
        draw_leaf(pen.at(0, 0.9, turn=-angle), darken(LEAF, 0.25 * (number % 3) / 2), long, 0.27)
    pen.lathe(CLAY, (0.42, 0), (0.6, 1.0))
    pen.box(lighten(CLAY, 0.15), -0.66, 0.9, 0.66, 1.12, 0.06)


def draw_hanging_plant(pen: Pen) -> None:
    """Draw a plant that hangs down from the ceiling."""
    pen.line((120, 100, 80), 0.03, (-0.3, 0.3), (0, 2), (0, 14))
    pen.line((120, 100, 80), 0.03, (0.3, 0.3), (0, 2))
    for number in range(13):
        x = -0.6 + 0.1 * number
        long = float(pen.chance.uniform(0.6, 1.9))
        pen.curve(darken(LEAF, 0.3), 0.05, (x * 0.4, 0.3), (x * 1.4, 0.1), (x * 1.5, -long))
        for step in range(1, 5):
            y = 0.1 - (long + 0.1) * step / 4
            pen.oval(darken(LEAF, 0.12 * (step % 3)), x * 1.5 + 0.08 * (-1) ** step, y, 0.11, 0.14)
    pen.lathe((232, 222, 206), (0.25, -0.1), (0.42, 0.36))


def draw_bloom(pen: Pen, colour: Colour, radius: float) -> None:
    """Draw a flower seen from the front."""
    for ring, tone in ((1.0, darken(colour, 0.15)), (0.7, colour), (0.42, lighten(colour, 0.25))):
        for petal in range(6):
            angle = petal * math.pi / 3 + ring * 2
            far = radius * 0.55 * ring
            pen.oval(tone, far * math.cos(angle), far * math.sin(angle), radius * 0.46 * ring)
    pen.oval((250, 214, 110), 0, 0, radius * 0.2)


def draw_bucket(pen: Pen) -> None:
    """Draw a bucket full of flowers of one or two colours."""
    first, second = (pen.pick(BLOOMS) for _ in range(2))
    for number in range(11):
        angle = 1.0 * (number / 5 - 1)
        long = float(pen.chance.uniform(1.0, 1.5))
        stem = pen.at(0, 0.8, turn=-angle * 0.7)
        stem.line(darken(LEAF, 0.2), 0.06, (0, 0), (0, long))
        draw_leaf(stem.at(0, 0.3, turn=0.7), LEAF, 0.6, 0.12)
    for number in range(11):
        angle = 0.7 * (number / 5 - 1)
        long = 0.95 + 0.55 * ((number * 0.618) % 1)
        x, y = long * math.sin(angle), 0.85 + long * math.cos(angle)
        draw_bloom(pen.at(x, y), (first, second)[number % 3 == 0], 0.36)
    pen.lathe((190, 198, 204), (0.5, 0), (0.68, 1.05))
    pen.box((214, 220, 224), -0.7, 0.98, 0.7, 1.1, 0.05)


def draw_bouquet(pen: Pen) -> None:
    """Draw a bouquet in paper with a ribbon."""
    paper = (244, 228, 206)
    pen.poly(darken(paper, 0.2), (0, 0.5), (-1.9, 2.7), (-1.2, 3.5), (1.2, 3.5), (1.9, 2.7))
    for number in range(14):
        angle = 1.2 * (number / 6.5 - 1)
        draw_leaf(pen.at(0, 1.2, turn=-angle), darken(LEAF, 0.15 * (number % 2)), 2.7, 0.22)
    spots = trace(
        "-1.1,2.8 1.1,2.8 -0.4,3.5 0.5,3.4 0,2.9 -0.75,2.3 0.75,2.3 0.05,2.2 -1.2,3.3 1.2,3.3"
    )
    for number, (x, y) in enumerate(spots):
        draw_bloom(pen.at(x, y), BLOOMS[(number * 2 + int(x > 0)) % len(BLOOMS)], 0.52)
    pen.poly(paper, (0, 0.3), (-1.7, 2.4), (-0.2, 1.75), (0.1, 1.2))
    pen.poly(darken(paper, 0.08), (0, 0.3), (1.7, 2.4), (0.2, 1.75), (-0.1, 1.2))
    pen.poly(paper, (-0.15, 0.9), (0.15, 0.9), (0.5, -0.1), (-0.5, -0.1))
    ribbon = (214, 76, 92)
    pen.box(ribbon, -0.24, 0.75, 0.24, 1.0, 0.08)
    for side in (1, -1):
        bow = pen.at(0, 0.88, side=side)
        bow.blob(ribbon, (0, 0), (0.5, 0.35), (0.75, 0.1), (0.5, -0.18))
        bow.curve(ribbon, 0.1, (0, 0), (0.25, -0.5), (0.4, -0.9))


def draw_chrysanthemums(pen: Pen) -> None:
    """Draw white chrysanthemums in a vase."""
    for number in range(9):
        angle = 0.85 * (number / 4 - 1)
        long = 1.3 + 0.45 * ((number * 0.618) % 1)
        x, y = long * math.sin(angle), 1.1 + long * math.cos(angle)
        pen.curve(darken(LEAF, 0.2), 0.06, (0, 1.0), (x * 0.5, 1.1 + long * 0.6), (x, y))
        draw_leaf(pen.at(x * 0.5, 1.5, turn=-angle * 1.6), LEAF, 0.6, 0.13)
        for (ring,), tone in read_tints("0.46 0.34 0.2", "#deded6 #f2f2ec #fffcf0"):
            for petal in range(14):
                a = petal * math.pi / 7 + ring * 9
                pen.line(tone, 0.1, (x, y), (x + ring * math.cos(a), y + ring * math.sin(a)))
    pen.lathe((232, 230, 224), (0.42, 0), (0.55, 0.5), (0.34, 1.2), (0.44, 1.35))


def draw_rows(pen: Pen) -> None:
    """Draw rows of plants that run towards the hills."""
    for number in range(-9, 10):
        far, near = number * 0.5, number * 2.4
        edges = (far - 0.1, 0.1), (far + 0.1, 0.1), (near + 0.55, -5), (near - 0.55, -5)
        pen.poly((112, 82, 58), *edges)
        for step in range(9):
            deep = (step / 8) ** 1.6
            x, y = number * (0.5 + 1.9 * deep), 0.1 - 5.1 * deep
            size = 0.08 + 0.42 * deep
            pen.oval(darken(LEAF, 0.2), x, y, size)
            pen.oval(lighten(LEAF, 0.12), x - size * 0.2, y + size * 0.3, size * 0.7)


def draw_crate(pen: Pen) -> None:
    """Draw a crate of fruit or vegetables."""
    sort = int(pen.chance.integers(0, 5))
    tone = ((214, 52, 46), (246, 160, 44), (122, 176, 76), (246, 214, 96), (150, 84, 150))[sort]
    for row in range(2):
        for number in range(6 - row):
            x = -0.85 + 0.34 * number + 0.17 * row
            pen.ball(tone, x, 0.75 + 0.24 * row, 0.21)
            if sort in (0, 2):
                pen.line((80, 60, 40), 0.03, (x, 0.9 + 0.24 * row), (x + 0.04, 1.02 + 0.24 * row))
    wood = (196, 152, 104)
    for y in (0, 0.27, 0.54):
        pen.box(wood, -1.1, y, 1.1, y + 0.23, 0.03)
    for x in (-1.1, 0.98):
        pen.box(darken(wood, 0.25), x, 0, x + 0.12, 0.78)


def draw_fruit_basket(pen: Pen) -> None:
    """Draw a basket heaped with fruit."""
    for (x, y, r), tone in read_tints(
        "-0.9,1.3,0.5 0.9,1.25,0.5 0,1.5,0.62 -0.45,1.95,0.45 0.5,1.95,0.46 0.05,2.3,0.38",
        "#f6a02c #d6342e #e6503c #96be50 #f6b240 #d6342e",
    ):
        pen.ball(tone, x, y, r)
        draw_leaf(pen.at(x + 0.05, y + r * 0.85, turn=-0.8), LEAF, 0.3, 0.08)
    for number in range(12):
        x, y = 1.05 + 0.17 * (number % 3) - 0.1, 0.95 - 0.16 * (number // 3) + 0.25
        pen.ball((106, 60, 130), x, y, 0.14)
    tone = (176, 126, 74)
    pen.poly(tone, (-1.2, 0), (1.2, 0), (1.6, 1.15), (-1.6, 1.15))
    for row in range(5):
        for column in range(1 - row % 2, 9, 2):
            half = 1.2 + 0.08 * row
            x = -half + column * half * 2 / 9
            pen.box(darken(tone, 0.25), x, row * 0.23, x + half * 2 / 9, row * 0.23 + 0.23)
    pen.box(lighten(tone, 0.2), -1.68, 1.08, 1.68, 1.26, 0.08)


def draw_flower_arch(pen: Pen) -> None:
    """Draw an arch of flowers."""
    spots = [(-2.6, 0.3 + 0.52 * n) for n in range(8)]
    spots += [(2.6, y) for _, y in spots]
    spots += [(2.6 * math.cos(a), 4.2 + 2.3 * math.sin(a)) for a in (0.25 * n for n in range(13))]
    for number, (x, y) in enumerate(spots):
        for turn in (0.6, 2.6, 4.5):
            draw_leaf(pen.at(x, y, turn=turn + number), darken(IVY, 0.1), 0.75, 0.16)
    tones = ((250, 240, 236), (244, 190, 196), (250, 216, 190), (255, 250, 246))
    for number, (x, y) in enumerate(spots):
        draw_bloom(pen.at(x + 0.12 * (-1) ** number, y), tones[number % 4], 0.46)


def draw_roof_lantern(pen: Pen) -> None:
    """Draw lotus lanterns in a row that glow."""
    pen.curve(INK, 0.04, (-11, 1.3), (-5, 0.7), (0, 0.6), (5, 0.7), (11, 1.3))
    for (x,), tone in read_tints("-3 -1 1 3", "#f096aa #face6e #96be96 #f096aa"):
        pen.line(INK, 0.03, (x, 0.3), (x, 0.66))
        for ring in (0.62, 0.42):
            for petal in range(-2, 3):
                leaf = pen.at(x + petal * 0.16, -0.5, turn=-petal * 0.5)
                draw_leaf(leaf, lighten(tone, 0.5 - 0.5 * ring), ring * 1.6, 0.26)
        pen.glow(x, 0, 1.4, 0.45, (255, 214, 150))
        pen.blink(x, 0, 0.8, (255, 224, 170), 3.3, x * 0.17, level=0.3)


def draw_water(pen: Pen, colour: Colour = (70, 170, 200)) -> None:
    """Draw water from the origin down, with glints that wander."""
    tone = mix(colour, pen.palette.sky[1], 0.3)
    for step in range(30):
        shade = mix(lighten(tone, 0.25), darken(tone, 0.5), step / 30)
        pen.box(shade, -14, -0.3 * (step + 1), 14, -0.3 * step)
    for _ in range(70):
        deep = float(pen.chance.random()) ** 1.4
        x, y = float(pen.chance.uniform(-11, 11)), -0.15 - 6 * deep
        wide = 0.2 + 0.9 * deep
        wave = (x - wide, y), (x - wide / 3, y + 0.06), (x + wide / 3, y - 0.06), (x + wide, y)
        pen.curve(lighten(tone, 0.45), 0.03 + 0.03 * deep, *wave)
    for number in range(9):
        y = -0.5 - 0.37 * ((number * 5) % 9)
        pen.blink(-4 + number, y, 0.5, WHITE, 1.9, number * 0.31, level=0.4, flat=0.3)


def draw_lanes(pen: Pen) -> None:
    """Draw the lanes of a pool."""
    draw_water(pen)
    for x in (-3.6, -1.2, 1.2, 3.6):
        for step in range(18):
            first, last = (step / 18) ** 1.5, ((step + 0.8) / 18) ** 1.5
            tone = (CRIMSON, (240, 240, 236))[step % 2]
            near, far = x * (1 + 1.6 * first), x * (1 + 1.6 * last)
            pen.line(tone, 0.06 + 0.16 * first, (near, -6.5 * first), (far, -6.5 * last))


def draw_river(pen: Pen) -> None:
    """Draw a river behind a path, on which the sun glitters."""
    deep = mix((74, 138, 170), pen.palette.sky[1], 0.35)
    far, near = lighten(deep, 0.35), darken(deep, 0.1)
    for band in range(12):
        low = 0.42 + 0.1 * (11 - band)
        pen.box(mix(far, near, band / 11), -14, low, 14, low + 0.11)
    for number in range(46):
        x = -10 + 20 * ((number * 0.618) % 1)
        y = 0.5 + 1.08 * ((number * 0.37) % 1)
        wide = 0.25 + 0.5 * ((number * 0.71) % 1)
        pen.line(lighten(deep, 0.6), 0.03, (x, y), (x + wide, y))
    for number in range(9):
        x, y = -7 + 14 * ((number * 0.618 + 0.2) % 1), 0.6 + 0.9 * ((number * 0.43) % 1)
        pen.blink(x, y, 0.13, WHITE, 1.7 + 0.3 * (number % 4))
    _draw_bank(pen)


def _draw_bank(pen: Pen) -> None:
    """Draw grass at the water, and a path of gravel in front of it."""
    grass = mix((96, 146, 84), pen.palette.ground[0], 0.2)
    pen.box(grass, -14, 0.2, 14, 0.5)
    _draw_blades(pen, grass, 0.4)
    gravel = mix((206, 188, 160), pen.palette.ground[0], 0.2)
    pen.poly(gravel, (-14, 0.25), (14, 0.25), (16, -1.5), (-16, -1.5))
    for number in range(90):
        x, y = -10 + 20 * ((number * 0.618) % 1), 0.15 - 1.5 * ((number * 0.41) % 1)
        pen.oval(darken(gravel, 0.15), x, y, 0.06, 0.02)
    _draw_blades(pen, grass, -1.62)


def _draw_blades(pen: Pen, grass: Colour, y: float) -> None:
    for number in range(130):
        x = -11 + 22 * ((number * 0.618) % 1)
        tall = 0.2 + 0.2 * ((number * 0.37) % 1)
        tone = (grass, lighten(grass, 0.2), darken(grass, 0.2))[number % 3]
        pen.line(tone, 0.05, (x, y), (x + 0.08, y + tall))


def draw_arch(pen: Pen) -> None:
    """Draw a tall window with a pointed head, of coloured glass."""
    sky = pen.palette.sky
    outline = trace("-1.0,0.0 -1.0,3.6 -0.6,4.6 0,5.2 0.6,4.6 1.0,3.6 1.0,0.0")
    pen.poly((96, 84, 82), *[(1.16 * x, 1.03 * y - 0.06) for x, y in outline])
    pen.poly(lighten(sky[-1], 0.35), *outline)
    glass = (sky[1], pen.palette.accent, *read_paints("#78aad2 #d6786e #82b48c"))
    tones = [lighten(tone, 0.2) for tone in glass]
    for row in range(9):
        for column in range(4):
            x, y = -1.0 + 0.5 * column, 0.4 * row
            tone = pen.pick(tones)
            pen.poly(tone, *trace("0.25,0.02 0.48,0.2 0.25,0.38 0.02,0.2", x, y))
    pen.oval(lighten(pen.palette.light, 0.4), 0, 4.2, 0.36)
    pen.oval(tones[0], 0, 4.2, 0.22)
    pen.box((96, 84, 82), -0.04, 0, 0.04, 3.8)
    pen.glow(0, 2.6, 2.6, 0.55, lighten(sky[-1], 0.3))
    draw_dust(pen.at(0, -1.0), 2.2, 4.5)
