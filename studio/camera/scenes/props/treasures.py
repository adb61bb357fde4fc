"""Clothes, jewels, telephones. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
BRASS: Colour = (216, 176, 96)
WOOD: Colour = (146, 98, 62)
SHOWN: tuple[Colour, ...] = (
    (206, 84, 72),
    (74, 124, 160),
    (226, 178, 84),
    (110, 152, 116),
    (236, 228, 214),
    (120, 96, 140),
)


def mannequin(pen: Pen, cloth: Colour | None = None) -> None:
    """A tailor's dummy in a dress."""
    tone = cloth or between(pen.palette.accent, (200, 90, 110), 0.5)
    pen.box(INK, -0.06, 0, 0.06, 1.4)
    pen.oval(INK, 0, 0.06, 0.6, 0.1)
    pen.blob(
        tone,
        (-0.4, 3.3),
        (0, 3.4),
        (0.4, 3.3),
        (0.3, 2.5),
        (0.9, 1.0),
        (0, 0.85),
        (-0.9, 1.0),
        (-0.3, 2.5),
    )
    pen.blob(
        pale(tone, 0.2),
        (-0.3, 3.2),
        (-0.1, 3.25),
        (-0.1, 2.4),
        (-0.3, 1.1),
        (-0.7, 1.1),
        (-0.22, 2.4),
    )
    pen.box((226, 200, 170), -0.14, 3.3, 0.14, 3.75, 0.06)
    pen.ball(WOOD, 0, 3.82, 0.14)


def hanbok(pen: Pen) -> None:
    """A hanbok on a stand."""
    skirt, jacket = (206, 74, 96), (246, 226, 170)
    pen.box(INK, -0.06, 0, 0.06, 1.0)
    pen.blob(skirt, (-0.4, 2.7), (0.4, 2.7), (1.3, 0.4), (0, 0.25), (-1.3, 0.4))
    for x in (-0.7, -0.3, 0.1, 0.5):
        pen.line(dark(skirt, 0.2), 0.04, (x * 0.3, 2.6), (x * 1.4, 0.4))
    pen.poly(
        jacket,
        (-0.2, 3.6),
        (0.2, 3.6),
        (1.6, 2.9),
        (1.4, 2.4),
        (0.5, 2.75),
        (0.45, 2.5),
        (-0.45, 2.5),
        (-0.5, 2.75),
        (-1.4, 2.4),
        (-1.6, 2.9),
    )
    pen.line(WHITE, 0.1, (-0.2, 3.6), (0.1, 2.9))
    pen.line(WHITE, 0.1, (0.2, 3.6), (-0.1, 3.0))
    pen.curve((80, 110, 170), 0.12, (0.05, 2.9), (0.3, 2.4), (0.25, 1.4))


def ring(pen: Pen) -> None:
    """A ring with a stone that sparkles, in its box."""
    pen.box((96, 30, 48), -1.3, 0, 1.3, 1.0, 0.12)
    pen.box((150, 60, 80), -1.15, 0.55, 1.15, 1.0, 0.1)
    pen.box((60, 20, 34), -0.25, 0.85, 0.25, 1.02, 0.05)
    for tone, width in ((dark(BRASS, 0.3), 0.24), (BRASS, 0.16), (pale(BRASS, 0.5), 0.05)):
        pen.curve(
            tone,
            width,
            (-0.08, 0.95),
            (-0.8, 1.5),
            (-0.55, 2.4),
            (0, 2.65),
            (0.55, 2.4),
            (0.8, 1.5),
            (0.08, 0.95),
        )
    stone = (214, 240, 252)
    pen.poly(dark(stone, 0.2), (-0.5, 3.1), (0.5, 3.1), (0, 2.5))
    pen.poly(
        stone, (-0.5, 3.1), (-0.3, 3.4), (0.3, 3.4), (0.5, 3.1), (0.15, 3.1), (0, 2.5), (-0.15, 3.1)
    )
    pen.poly(WHITE, (-0.15, 3.1), (0.15, 3.1), (0.1, 3.38), (-0.1, 3.38))
    pen.glows(0, 3.0, 1.5, 0.5, (240, 248, 255))
    for number, (x, y) in enumerate(((0, 3.2), (-0.6, 1.9), (0.55, 2.4))):
        left, top = pen.place(x, y)
        pen.moving.append(
            Blink(
                left,
                top,
                pen.share(0.6 - 0.15 * number),
                pen.shape,
                WHITE,
                1.9,
                0.35 * number,
                level=0.9,
            )
        )


def necklace(pen: Pen) -> None:
    """A necklace on a bust of velvet."""
    pen.blob(
        (70, 60, 84),
        (-0.9, 0),
        (-1.0, 1.0),
        (-0.35, 1.7),
        (-0.25, 2.4),
        (0.25, 2.4),
        (0.35, 1.7),
        (1.0, 1.0),
        (0.9, 0),
    )
    pen.curve(BRASS, 0.07, (-0.32, 1.9), (-0.4, 1.3), (0, 0.9), (0.4, 1.3), (0.32, 1.9))
    pen.ball((120, 190, 200), 0, 0.72, 0.19)
    x, y = pen.place(0, 0.75)
    phase = float(pen.chance.random())
    pen.moving.append(Blink(x, y, pen.share(0.4), pen.shape, WHITE, 2.1, phase, level=0.85))


def watch(pen: Pen) -> None:
    """A watch on a cushion."""
    pen.oval((236, 228, 214), 0, 0.5, 1.1, 0.6)
    pen.box((84, 56, 44), -0.28, 0, 0.28, 2.2, 0.1)
    pen.oval(BRASS, 0, 1.1, 0.62)
    pen.oval((250, 248, 240), 0, 1.1, 0.5)
    for hour in range(12):
        x, y = math.sin(hour * math.pi / 6), math.cos(hour * math.pi / 6)
        pen.line(INK, 0.04, (0.38 * x, 1.1 + 0.38 * y), (0.45 * x, 1.1 + 0.45 * y))
    pen.line(INK, 0.06, (0, 1.1), (-0.18, 1.28))
    pen.line(INK, 0.04, (0, 1.1), (0.26, 1.32))


def phone(pen: Pen) -> None:
    """A telephone on a stand, its screen alight."""
    pen.oval(STEEL, 0, 0.05, 0.7, 0.12)
    pen.box(STEEL, -0.08, 0, 0.08, 0.6)
    pen.box(INK, -0.72, 0.4, 0.72, 3.1, 0.2)
    for step in range(12):
        tone = between(pen.palette.sky[-1], pen.palette.sky[0], step / 12)
        pen.box(tone, -0.64, 0.55 + 0.2 * step, 0.64, 0.76 + 0.2 * step)
    for row in range(4):
        for column in range(3):
            pen.box(
                SHOWN[(row * 3 + column) % 6],
                -0.48 + 0.36 * column,
                0.7 + 0.42 * row,
                -0.22 + 0.36 * column,
                0.96 + 0.42 * row,
                0.07,
            )
    pen.oval(INK, 0, 2.86, 0.08)
    pen.glows(0, 1.8, 1.5, 0.4, pen.palette.sky[-1])
    x, y = pen.place(0.4, 2.5)
    pen.moving.append(
        Blink(x, y, pen.share(0.4), pen.shape, WHITE, 1.5, float(pen.chance.random()), level=0.6)
    )


def eye_chart(pen: Pen) -> None:
    """A lit chart of rings for eyes that get smaller downwards."""
    pen.box(INK, -1.15, -0.1, 1.15, 3.7, 0.06)
    pen.box((252, 252, 244), -1.05, 0, 1.05, 3.6)
    for row, (count, r) in enumerate(((1, 0.34), (2, 0.25), (3, 0.18), (4, 0.13), (5, 0.09))):
        for number in range(count):
            x, y = (number - (count - 1) / 2) * r * 3, 3.1 - 0.66 * row + 0.04 * row * row
            pen.oval(INK, x, y, r)
            pen.oval((252, 252, 244), x, y, r * 0.62)
            angle = (number * 3 + row) % 4 * math.pi / 2
            pen.line(
                (252, 252, 244),
                r * 0.5,
                (x, y),
                (x + 1.15 * r * math.cos(angle), y + 1.15 * r * math.sin(angle)),
            )
    pen.glows(0, 1.8, 2.2, 0.45, (255, 252, 236))
