"""What is won, kicked and played with. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
RED: Colour = (196, 52, 48)
WOOD: Colour = (176, 126, 78)


def glove(pen: Pen) -> None:
    """A pair of boxing gloves that hang."""
    for side, tone in ((-1, dark(RED, 0.15)), (1, RED)):
        x = side * 0.5
        pen.line((230, 226, 218), 0.05, (x, 0), (0, 1.2))
        pen.blob(tone, (x - 0.3, 0), (x - 0.45, -0.8), (x, -1.25), (x + 0.45, -0.8), (x + 0.3, 0))
        pen.blob(
            dark(tone, 0.2), (x + 0.2, -0.3), (x + 0.6, -0.5), (x + 0.5, -0.9), (x + 0.25, -0.7)
        )
        pen.box((240, 236, 230), x - 0.32, -0.1, x + 0.32, 0.25, 0.06)


def belts(pen: Pen) -> None:
    """Belts of all grades on a rail."""
    pen.line(WOOD, 0.14, (-2.6, 0), (2.6, 0))
    tones = (
        (244, 242, 236),
        (246, 206, 70),
        (70, 150, 90),
        (60, 100, 180),
        (190, 50, 50),
        (34, 34, 40),
    )
    for number, tone in enumerate(tones):
        x = -2.2 + 0.88 * number
        pen.box(dark(tone, 0.15), x - 0.14, -1.9, x + 0.12, 0.08, 0.03)
        pen.box(tone, x + 0.02, -2.2, x + 0.24, 0.08, 0.03)


def shield(pen: Pen) -> None:
    """A round target to kick at."""
    pen.oval(INK, 0, 1.0, 1.0)
    for r, tone in ((0.85, RED), (0.58, WHITE), (0.32, RED)):
        pen.oval(tone, 0, 1.0, r)


def trophy(pen: Pen) -> None:
    """A golden cup."""
    gold = (226, 176, 74)
    pen.box(INK, -0.4, 0, 0.4, 0.35, 0.04)
    for side in (1, -1):
        pen.at(0, 0, side=side).curve(gold, 0.09, (0.4, 1.5), (0.85, 1.45), (0.7, 1.0), (0.3, 0.95))
    pen.turned(gold, (0.3, 0.35), (0.1, 0.5), (0.1, 0.75), (0.45, 1.05), (0.55, 1.7))
    pen.oval(pale(gold, 0.4), 0, 1.7, 0.55, 0.09)
    x, y = pen.place(-0.2, 1.5)
    pen.moving.append(Blink(x, y, pen.share(0.35), pen.shape, WHITE, 2.3, level=0.7))


def golf_bag(pen: Pen) -> None:
    """A golf bag with clubs."""
    for number in range(6):
        club = pen.at(-0.35 + 0.14 * number, 2.4, turn=0.2 - 0.08 * number)
        club.line(STEEL, 0.06, (0, 0), (0, 1.4))
        club.blob(
            (STEEL, (70, 60, 60))[number % 2],
            (-0.05, 1.35),
            (0.35, 1.35),
            (0.42, 1.62),
            (0.0, 1.66),
        )
    tone = between((46, 96, 74), pen.palette.ground[0], 0.2)
    pen.turned(tone, (0.62, 0), (0.7, 2.4))
    pen.box(INK, -0.74, 2.25, 0.74, 2.5, 0.06)
    pen.box((240, 236, 226), -0.6, 0.7, 0.3, 1.6, 0.08)
    pen.line(INK, 0.1, (0.6, 2.2), (1.1, 1.4), (0.62, 0.5))


def golf_ball(pen: Pen) -> None:
    """A golf ball on its tee."""
    pen.poly(
        (226, 178, 110),
        (-0.28, 1.0),
        (0.28, 1.0),
        (0.07, 0.6),
        (0.05, -0.6),
        (-0.05, -0.6),
        (-0.07, 0.6),
    )
    pen.ball((246, 246, 242), 0, 1.85, 0.95)
    for row in range(-3, 4):
        for column in range(-3, 4):
            x, y = 0.23 * column + 0.12 * (row % 2), 0.22 * row
            if math.hypot(x, y) < 0.8:
                pen.oval((214, 216, 216), x, 1.85 + y, 0.065)


def golf_screen(pen: Pen) -> None:
    """A large screen with a green and its flag."""
    pen.box(INK, -3.6, -0.1, 3.6, 4.4)
    sky = pen.palette.sky
    for step in range(12):
        pen.box(
            between(pale(sky[-1], 0.3), pale((120, 180, 230), 0.1), step / 12),
            -3.45,
            1.6 + 0.22 * step,
            3.45,
            1.84 + 0.22 * step,
        )
    pen.blob(
        (70, 120, 80),
        (-3.45, 1.5),
        (-2.2, 2.1),
        (-0.6, 1.7),
        (0.8, 2.2),
        (2.4, 1.8),
        (3.45, 2.2),
        (3.45, 1.2),
        (-3.45, 1.2),
    )
    pen.box((104, 168, 84), -3.45, 0.05, 3.45, 1.65)
    pen.oval((136, 200, 104), 0.9, 1.0, 1.5, 0.35)
    pen.oval((236, 220, 170), -1.9, 0.8, 0.8, 0.2)
    pen.line(WHITE, 0.05, (1.1, 1.0), (1.1, 2.4))
    pen.poly(RED, (1.1, 2.4), (1.75, 2.2), (1.1, 2.0))
    pen.glows(0, 2.0, 4.0, 0.45, pale((150, 200, 230), 0.3))
    x, y = pen.place(1.1, 1.05)
    pen.moving.append(Blink(x, y, pen.share(0.4), pen.shape, WHITE, 1.6, level=0.6))
