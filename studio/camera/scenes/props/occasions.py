"""Tea, weddings, rites, clothes and jewels. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import ELM, GOLD, INK, IVY, OAK, STEEL, WHITE
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints
from studio.camera.scenes.props.food import draw_candle
from studio.camera.scenes.props.goods import SHOWN
from studio.camera.scenes.props.plants import draw_bloom, draw_leaf
from studio.camera.scenes.props.weather import draw_steam


def draw_rocking_chair(pen: Pen) -> None:
    """Draw a rocking chair with a blanket, from its side."""
    pen.curve(ELM, 0.14, (-1.8, 0.4), (0, -0.05), (1.8, 0.4))
    for x in (-0.7, 0.8):
        pen.line(ELM, 0.13, (x, 0.15), (x, 1.5))
    pen.box(ELM, -0.9, 1.4, 1.1, 1.6, 0.06)
    pen.line(ELM, 0.15, (-0.8, 1.5), (-1.3, 4.0))
    for y in (2.2, 2.8, 3.4):
        pen.line(ELM, 0.1, (-0.95 - 0.12 * (y - 2), y), (-0.7 - 0.12 * (y - 2), y))
    pen.line(ELM, 0.12, (-0.9, 2.4), (0.9, 2.4), (0.9, 1.5))
    pen.blob((206, 140, 120), *trace("-0.8,1.6 -0.2,1.95 1.0,1.75 1.2,0.7 0.5,0.8 0.2,1.5"))
    for x in (0.5, 0.8, 1.05):
        pen.line((240, 220, 200), 0.05, (x, 1.6), (x + 0.05, 0.85))


def draw_tea(pen: Pen) -> None:
    """Draw a pot of tea with two cups."""
    tone = mix((150, 170, 160), pen.palette.sky[1], 0.15)
    pen.curve(tone, 0.2, (0.7, 0.5), (1.2, 0.8), (1.35, 1.25))
    pen.curve(darken(tone, 0.2), 0.14, (-0.7, 1.1), (-1.3, 1.0), (-1.2, 0.4), (-0.75, 0.3))
    pen.lathe(tone, (0.55, 0), (0.9, 0.45), (0.75, 1.0), (0.4, 1.25))
    pen.ball(darken(tone, 0.1), 0, 1.36, 0.14)
    for x in (-2.2, 2.2):
        pen.at(x, 0).lathe(lighten(tone, 0.4), (0.3, 0), (0.46, 0.6))
        pen.oval((170, 120, 60), x, 0.6, 0.42, 0.09)
        draw_steam(pen.at(x, 0.65), 0.6)


def draw_tissues(pen: Pen) -> None:
    """Draw a box of tissues."""
    pen.box(mix((160, 180, 190), pen.palette.sky[1], 0.2), -0.8, 0, 0.8, 0.7, 0.05)
    pen.blob(WHITE, (-0.3, 0.7), (-0.4, 1.2), (0, 1.5), (0.2, 1.2), (0.45, 1.3), (0.3, 0.7))


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


def draw_wedding_cake(pen: Pen) -> None:
    """Draw a cake of three tiers with flowers."""
    pen.oval(darken(GOLD, 0.1), 0, 0.05, 1.6, 0.22)
    for y, r in ((0.1, 1.35), (1.15, 1.0), (2.2, 0.65)):
        pen.lathe((250, 246, 240), (r, y), (r, y + 1.0))
        pen.oval(WHITE, 0, y + 1.0, r, r * 0.16)
        for number in range(int(r * 8)):
            x = -r + 2 * r * (number + 0.5) / int(r * 8)
            pen.ball((250, 236, 226), x, y + 0.06, 0.1)
    for (x, y), tone in read_tints(
        "-0.9,1.2 0.7,2.25 0,3.35 -0.3,3.2 0.3,3.2", "#f4aab4 #f4beaa #f496aa #fadcc8 #fac8c8"
    ):
        draw_bloom(pen.at(x, y), tone, 0.3)


def draw_wedding_dress(pen: Pen) -> None:
    """Draw a white dress on its stand."""
    tone = (250, 246, 242)
    outline = trace("-0.45,4.0 0.45,4.0 0.38,3.0 1.2,1.4 2.0,0.05 -2.0,0.05 -1.2,1.4 -0.38,3.0")
    pen.blob(darken(tone, 0.12), *outline)
    pen.blob(tone, *trace("-0.4,3.95 0.2,3.95 0.2,3.0 0.5,1.4 0.7,0.1 -1.7,0.1 -1.0,1.4 -0.3,3.0"))
    for x in (-1.2, -0.6, 0.1, 0.8, 1.4):
        pen.curve(darken(tone, 0.2), 0.04, (x * 0.25, 2.9), (x * 0.7, 1.4), (x, 0.1))
    pen.box(GOLD, -0.38, 2.95, 0.38, 3.1, 0.04)
    pen.box(ELM, -0.09, 4.0, 0.09, 4.5)
    pen.ball(ELM, 0, 4.6, 0.16)
    pen.glow(0, 2.4, 2.4, 0.35)


def draw_candles(pen: Pen) -> None:
    """Draw five candles that flicker."""
    for x, high in ((-1.8, 0.7), (-0.9, 1.1), (0, 1.6), (0.9, 1.0), (1.8, 0.8)):
        draw_candle(pen.at(x, 0), high)


def draw_lectern(pen: Pen) -> None:
    """Draw a lectern with an open book."""
    pen.box(darken(ELM, 0.2), -0.7, 0, 0.7, 0.2)
    pen.poly(ELM, (-0.35, 0.2), (0.35, 0.2), (0.45, 2.6), (-0.45, 2.6))
    pen.poly(darken(ELM, 0.2), (-1.1, 2.5), (1.1, 2.5), (0.95, 3.1), (-0.95, 3.1))
    for side in pen.sides(0, 2.7):
        side.poly((250, 246, 236), *trace("0,0.1 0.9,0.05 0.8,0.5 0,0.55"))


def draw_pews(pen: Pen) -> None:
    """Draw rows of benches seen from behind."""
    for row in range(3):
        y, wide = -0.9 * row, 0.8 + 0.25 * row
        for x in (-1.0, 1.0):
            left = x * 0.9 * wide if x > 0 else -4.6 * wide
            right = left + 3.7 * wide
            pen.box(darken(ELM, 0.1 + 0.12 * row), left, y, right, y + 0.8 * wide, 0.06)
            pen.box(lighten(ELM, 0.12), left, y + 0.72 * wide, right, y + 0.84 * wide, 0.05)


def draw_memorial(pen: Pen) -> None:
    """Draw a plain stone under a tree, with flowers."""
    stone = (150, 150, 152)
    pen.box(darken(stone, 0.3), -1.2, 0, 1.2, 0.35, 0.05)
    pen.box(stone, -0.8, 0.3, 0.8, 2.2, 0.35)
    pen.box(lighten(stone, 0.25), -0.66, 0.45, -0.5, 1.9, 0.06)
    for x in (-0.5, 0, 0.5):
        draw_bloom(pen.at(x, 0.42), (250, 248, 240), 0.28)


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


def draw_mannequin(pen: Pen, cloth: Colour | None = None) -> None:
    """Draw a tailor's dummy in a dress."""
    tone = cloth or mix(pen.palette.accent, (200, 90, 110), 0.5)
    pen.box(INK, -0.06, 0, 0.06, 1.4)
    pen.oval(INK, 0, 0.06, 0.6, 0.1)
    pen.blob(tone, *trace("-0.4,3.3 0,3.4 0.4,3.3 0.3,2.5 0.9,1.0 0,0.85 -0.9,1.0 -0.3,2.5"))
    pen.blob(lighten(tone, 0.2), *trace("-0.3,3.2 -0.1,3.25 -0.1,2.4 -0.3,1.1 -0.7,1.1 -0.22,2.4"))
    pen.box((226, 200, 170), -0.14, 3.3, 0.14, 3.75, 0.06)
    pen.ball(OAK, 0, 3.82, 0.14)


def draw_hanbok(pen: Pen) -> None:
    """Draw a hanbok on a stand."""
    skirt, jacket = (206, 74, 96), (246, 226, 170)
    pen.box(INK, -0.06, 0, 0.06, 1.0)
    pen.blob(skirt, (-0.4, 2.7), (0.4, 2.7), (1.3, 0.4), (0, 0.25), (-1.3, 0.4))
    for x in (-0.7, -0.3, 0.1, 0.5):
        pen.line(darken(skirt, 0.2), 0.04, (x * 0.3, 2.6), (x * 1.4, 0.4))
    outline = trace(
        "-0.2,3.6 0.2,3.6 1.6,2.9 1.4,2.4 0.5,2.75 0.45,2.5 -0.45,2.5 -0.5,2.75 -1.4,2.4 -1.6,2.9"
    )
    pen.poly(jacket, *outline)
    pen.line(WHITE, 0.1, (-0.2, 3.6), (0.1, 2.9))
    pen.line(WHITE, 0.1, (0.2, 3.6), (-0.1, 3.0))
    pen.curve((80, 110, 170), 0.12, (0.05, 2.9), (0.3, 2.4), (0.25, 1.4))


def draw_ring(pen: Pen) -> None:
    """Draw a ring with a stone that sparkles, in its box."""
    pen.box((96, 30, 48), -1.3, 0, 1.3, 1.0, 0.12)
    pen.box((150, 60, 80), -1.15, 0.55, 1.15, 1.0, 0.1)
    pen.box((60, 20, 34), -0.25, 0.85, 0.25, 1.02, 0.05)
    for tone, width in ((darken(GOLD, 0.3), 0.24), (GOLD, 0.16), (lighten(GOLD, 0.5), 0.05)):
        outline = trace("-0.08,0.95 -0.8,1.5 -0.55,2.4 0,2.65 0.55,2.4 0.8,1.5 0.08,0.95")
        pen.curve(tone, width, *outline)
    stone = (214, 240, 252)
    pen.poly(darken(stone, 0.2), (-0.5, 3.1), (0.5, 3.1), (0, 2.5))
    pen.poly(stone, *trace("-0.5,3.1 -0.3,3.4 0.3,3.4 0.5,3.1 0.15,3.1 0,2.5 -0.15,3.1"))
    pen.poly(WHITE, (-0.15, 3.1), (0.15, 3.1), (0.1, 3.38), (-0.1, 3.38))
    pen.glow(0, 3.0, 1.5, 0.5, (240, 248, 255))
    for number, (x, y) in enumerate(((0, 3.2), (-0.6, 1.9), (0.55, 2.4))):
        pen.blink(x, y, 0.6 - 0.15 * number, WHITE, 1.9, 0.35 * number, level=0.9)


def draw_necklace(pen: Pen) -> None:
    """Draw a necklace on a bust of velvet."""
    outline = trace("-0.9,0 -1.0,1.0 -0.35,1.7 -0.25,2.4 0.25,2.4 0.35,1.7 1.0,1.0 0.9,0")
    pen.blob((70, 60, 84), *outline)
    pen.curve(GOLD, 0.07, (-0.32, 1.9), (-0.4, 1.3), (0, 0.9), (0.4, 1.3), (0.32, 1.9))
    pen.ball((120, 190, 200), 0, 0.72, 0.19)
    phase = float(pen.chance.random())
    pen.blink(0, 0.75, 0.4, WHITE, 2.1, phase, level=0.85)


def draw_watch(pen: Pen) -> None:
    """Draw a watch on a cushion."""
    pen.oval((236, 228, 214), 0, 0.5, 1.1, 0.6)
    pen.box((84, 56, 44), -0.28, 0, 0.28, 2.2, 0.1)
    pen.oval(GOLD, 0, 1.1, 0.62)
    pen.oval((250, 248, 240), 0, 1.1, 0.5)
    for hour in range(12):
        x, y = math.sin(hour * math.pi / 6), math.cos(hour * math.pi / 6)
        pen.line(INK, 0.04, (0.38 * x, 1.1 + 0.38 * y), (0.45 * x, 1.1 + 0.45 * y))
    pen.line(INK, 0.06, (0, 1.1), (-0.18, 1.28))
    pen.line(INK, 0.04, (0, 1.1), (0.26, 1.32))


def draw_phone(pen: Pen) -> None:
    """Draw a telephone on a stand, its screen alight."""
    pen.oval(STEEL, 0, 0.05, 0.7, 0.12)
    pen.box(STEEL, -0.08, 0, 0.08, 0.6)
    pen.box(INK, -0.72, 0.4, 0.72, 3.1, 0.2)
    pen.bands((pen.palette.sky[-1], pen.palette.sky[0]), (-0.64, 0.55, 0.64, 0.76), 0.2, 12)
    for row in range(4):
        for column in range(3):
            tone, x, y = SHOWN[(row * 3 + column) % 6], 0.36 * column, 0.42 * row
            pen.box(tone, -0.48 + x, 0.7 + y, -0.22 + x, 0.96 + y, 0.07)
    pen.oval(INK, 0, 2.86, 0.08)
    pen.glow(0, 1.8, 1.5, 0.4, pen.palette.sky[-1])
    pen.blink(0.4, 2.5, 0.4, WHITE, 1.5, float(pen.chance.random()), level=0.6)


def draw_eye_chart(pen: Pen) -> None:
    """Draw a lit chart of rings for eyes that get smaller downwards."""
    pen.box(INK, -1.15, -0.1, 1.15, 3.7, 0.06)
    pen.box((252, 252, 244), -1.05, 0, 1.05, 3.6)
    for row, (count, r) in enumerate(((1, 0.34), (2, 0.25), (3, 0.18), (4, 0.13), (5, 0.09))):
        for number in range(count):
            x, y = (number - (count - 1) / 2) * r * 3, 3.1 - 0.66 * row + 0.04 * row * row
            pen.oval(INK, x, y, r)
            pen.oval((252, 252, 244), x, y, r * 0.62)
            angle = (number * 3 + row) % 4 * math.pi / 2
            end = x + 1.15 * r * math.cos(angle), y + 1.15 * r * math.sin(angle)
            pen.line((252, 252, 244), r * 0.5, (x, y), end)
    pen.glow(0, 1.8, 2.2, 0.45, (255, 252, 236))
