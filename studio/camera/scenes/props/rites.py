"""Tea, weddings, rites. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.flowers import bloom, leaf
from studio.camera.scenes.props.food import candle
from studio.camera.scenes.props.vessels import steam

INK: Colour = (44, 46, 58)
BRASS: Colour = (216, 176, 96)
WOOD: Colour = (150, 102, 66)
LEAF: Colour = (76, 130, 84)


def wheelchair_garden(pen: Pen) -> None:
    """A rocking chair with a blanket, from its side."""
    pen.curve(WOOD, 0.14, (-1.8, 0.4), (0, -0.05), (1.8, 0.4))
    for x in (-0.7, 0.8):
        pen.line(WOOD, 0.13, (x, 0.15), (x, 1.5))
    pen.box(WOOD, -0.9, 1.4, 1.1, 1.6, 0.06)
    pen.line(WOOD, 0.15, (-0.8, 1.5), (-1.3, 4.0))
    for y in (2.2, 2.8, 3.4):
        pen.line(WOOD, 0.1, (-0.95 - 0.12 * (y - 2), y), (-0.7 - 0.12 * (y - 2), y))
    pen.line(WOOD, 0.12, (-0.9, 2.4), (0.9, 2.4), (0.9, 1.5))
    pen.blob(
        (206, 140, 120), (-0.8, 1.6), (-0.2, 1.95), (1.0, 1.75), (1.2, 0.7), (0.5, 0.8), (0.2, 1.5)
    )
    for x in (0.5, 0.8, 1.05):
        pen.line((240, 220, 200), 0.05, (x, 1.6), (x + 0.05, 0.85))


def tea(pen: Pen) -> None:
    """A pot of tea with two cups."""
    tone = between((150, 170, 160), pen.palette.sky[1], 0.15)
    pen.curve(tone, 0.2, (0.7, 0.5), (1.2, 0.8), (1.35, 1.25))
    pen.curve(dark(tone, 0.2), 0.14, (-0.7, 1.1), (-1.3, 1.0), (-1.2, 0.4), (-0.75, 0.3))
    pen.turned(tone, (0.55, 0), (0.9, 0.45), (0.75, 1.0), (0.4, 1.25))
    pen.ball(dark(tone, 0.1), 0, 1.36, 0.14)
    for x in (-2.2, 2.2):
        pen.at(x, 0).turned(pale(tone, 0.4), (0.3, 0), (0.46, 0.6))
        pen.oval((170, 120, 60), x, 0.6, 0.42, 0.09)
        steam(pen.at(x, 0.65), 0.6)


def tissues(pen: Pen) -> None:
    """A box of tissues."""
    pen.box(between((160, 180, 190), pen.palette.sky[1], 0.2), -0.8, 0, 0.8, 0.7, 0.05)
    pen.blob(WHITE, (-0.3, 0.7), (-0.4, 1.2), (0, 1.5), (0.2, 1.2), (0.45, 1.3), (0.3, 0.7))


def flower_arch(pen: Pen) -> None:
    """An arch of flowers."""
    spots = [(-2.6, 0.3 + 0.52 * n) for n in range(8)]
    spots += [(2.6, y) for _, y in spots]
    spots += [(2.6 * math.cos(a), 4.2 + 2.3 * math.sin(a)) for a in (0.25 * n for n in range(13))]
    for number, (x, y) in enumerate(spots):
        for turn in (0.6, 2.6, 4.5):
            leaf(pen.at(x, y, turn=turn + number), dark(LEAF, 0.1), 0.75, 0.16)
    tones = ((250, 240, 236), (244, 190, 196), (250, 216, 190), (255, 250, 246))
    for number, (x, y) in enumerate(spots):
        bloom(pen.at(x + 0.12 * (-1) ** number, y), tones[number % 4], 0.46)


def wedding_cake(pen: Pen) -> None:
    """A cake of three tiers with flowers."""
    pen.oval(dark(BRASS, 0.1), 0, 0.05, 1.6, 0.22)
    for y, r in ((0.1, 1.35), (1.15, 1.0), (2.2, 0.65)):
        pen.turned((250, 246, 240), (r, y), (r, y + 1.0))
        pen.oval(WHITE, 0, y + 1.0, r, r * 0.16)
        for number in range(int(r * 8)):
            x = -r + 2 * r * (number + 0.5) / int(r * 8)
            pen.ball((250, 236, 226), x, y + 0.06, 0.1)
    for x, y, tone in (
        (-0.9, 1.2, (244, 170, 180)),
        (0.7, 2.25, (244, 190, 170)),
        (0, 3.35, (244, 150, 170)),
        (-0.3, 3.2, (250, 220, 200)),
        (0.3, 3.2, (250, 200, 200)),
    ):
        bloom(pen.at(x, y), tone, 0.3)


def wedding_dress(pen: Pen) -> None:
    """A white dress on its stand."""
    tone = (250, 246, 242)
    pen.blob(
        dark(tone, 0.12),
        (-0.45, 4.0),
        (0.45, 4.0),
        (0.38, 3.0),
        (1.2, 1.4),
        (2.0, 0.05),
        (-2.0, 0.05),
        (-1.2, 1.4),
        (-0.38, 3.0),
    )
    pen.blob(
        tone,
        (-0.4, 3.95),
        (0.2, 3.95),
        (0.2, 3.0),
        (0.5, 1.4),
        (0.7, 0.1),
        (-1.7, 0.1),
        (-1.0, 1.4),
        (-0.3, 3.0),
    )
    for x in (-1.2, -0.6, 0.1, 0.8, 1.4):
        pen.curve(dark(tone, 0.2), 0.04, (x * 0.25, 2.9), (x * 0.7, 1.4), (x, 0.1))
    pen.box(BRASS, -0.38, 2.95, 0.38, 3.1, 0.04)
    pen.box(WOOD, -0.09, 4.0, 0.09, 4.5)
    pen.ball(WOOD, 0, 4.6, 0.16)
    pen.glows(0, 2.4, 2.4, 0.35)


def candles(pen: Pen) -> None:
    """Five candles that flicker."""
    for x, high in ((-1.8, 0.7), (-0.9, 1.1), (0, 1.6), (0.9, 1.0), (1.8, 0.8)):
        candle(pen.at(x, 0), high)


def lectern(pen: Pen) -> None:
    """A lectern with an open book."""
    pen.box(dark(WOOD, 0.2), -0.7, 0, 0.7, 0.2)
    pen.poly(WOOD, (-0.35, 0.2), (0.35, 0.2), (0.45, 2.6), (-0.45, 2.6))
    pen.poly(dark(WOOD, 0.2), (-1.1, 2.5), (1.1, 2.5), (0.95, 3.1), (-0.95, 3.1))
    for side in (1, -1):
        pen.at(0, 2.7, side=side).poly(
            (250, 246, 236), (0, 0.1), (0.9, 0.05), (0.8, 0.5), (0, 0.55)
        )


def pews(pen: Pen) -> None:
    """Rows of benches seen from behind."""
    for row in range(3):
        y, wide = -0.9 * row, 0.8 + 0.25 * row
        for x in (-1.0, 1.0):
            left = x * 0.9 * wide if x > 0 else -4.6 * wide
            right = left + 3.7 * wide
            pen.box(dark(WOOD, 0.1 + 0.12 * row), left, y, right, y + 0.8 * wide, 0.06)
            pen.box(pale(WOOD, 0.12), left, y + 0.72 * wide, right, y + 0.84 * wide, 0.05)


def memorial(pen: Pen) -> None:
    """A plain stone under a tree, with flowers."""
    stone = (150, 150, 152)
    pen.box(dark(stone, 0.3), -1.2, 0, 1.2, 0.35, 0.05)
    pen.box(stone, -0.8, 0.3, 0.8, 2.2, 0.35)
    pen.box(pale(stone, 0.25), -0.66, 0.45, -0.5, 1.9, 0.06)
    for x in (-0.5, 0, 0.5):
        bloom(pen.at(x, 0.42), (250, 248, 240), 0.28)


def roof_lantern(pen: Pen) -> None:
    """Lotus lanterns in a row that glow."""
    pen.curve(INK, 0.04, (-11, 1.3), (-5, 0.7), (0, 0.6), (5, 0.7), (11, 1.3))
    for x, tone in (
        (-3, (240, 150, 170)),
        (-1, (250, 206, 110)),
        (1, (150, 190, 150)),
        (3, (240, 150, 170)),
    ):
        pen.line(INK, 0.03, (x, 0.3), (x, 0.66))
        for ring in (0.62, 0.42):
            for petal in range(-2, 3):
                leaf(
                    pen.at(x + petal * 0.16, -0.5, turn=-petal * 0.5),
                    pale(tone, 0.5 - 0.5 * ring),
                    ring * 1.6,
                    0.26,
                )
        pen.glows(x, 0, 1.4, 0.45, (255, 214, 150))
        left, top = pen.place(x, 0)
        pen.moving.append(
            Blink(left, top, pen.share(0.8), pen.shape, (255, 224, 170), 3.3, x * 0.17, level=0.3)
        )
