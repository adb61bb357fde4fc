"""What is sold in the street and by the tray. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.pen import Pen, dark, pale
from studio.camera.scenes.props.food import plate
from studio.camera.scenes.props.vessels import steam

STEEL: Colour = (182, 190, 200)
RED: Colour = (206, 62, 42)
WOOD: Colour = (150, 102, 66)
LEAF: Colour = (76, 140, 70)


def street_pan(pen: Pen) -> None:
    """A flat pan of rice cakes in red sauce, steaming."""
    pen.box(STEEL, -2.3, 0, 2.3, 0.75, 0.06)
    pen.poly(dark(STEEL, 0.3), (-2.3, 0.7), (2.3, 0.7), (2.0, 1.35), (-2.0, 1.35))
    pen.poly(RED, (-2.12, 0.74), (2.12, 0.74), (1.86, 1.28), (-1.86, 1.28))
    for number in range(22):
        x = -1.75 + 3.5 * ((number * 0.618) % 1)
        y = 0.84 + 0.36 * ((number * 0.37) % 1)
        cake = pen.at(x, y, turn=1.5 * ((number * 0.7) % 1) - 0.7)
        cake.box((236, 130, 90), -0.26, -0.06, 0.26, 0.1, 0.08)
        cake.box((250, 200, 170), -0.2, 0.02, 0.18, 0.07, 0.03)
    for x in (-1.0, 0.3, 1.2):
        pen.oval((250, 244, 230), x, 1.02, 0.2, 0.12)
        pen.oval((246, 190, 70), x, 1.03, 0.1, 0.06)
    for x in (-1.2, 0, 1.2):
        steam(pen.at(x, 1.2), 1.1)


def fish_cakes(pen: Pen) -> None:
    """Fish cakes on sticks in a pot of broth."""
    for number in range(7):
        stick = pen.at(-1.2 + 0.4 * number, 1.0, turn=0.16 - 0.05 * number)
        stick.line((214, 178, 124), 0.06, (0, 0), (0, 1.7))
        for fold in range(3):
            stick.box((222, 178, 116), -0.2, 0.15 + 0.3 * fold, 0.2, 0.42 + 0.3 * fold, 0.1)
    pen.box(STEEL, -1.7, 0, 1.7, 1.3, 0.08)
    pen.box(pale(STEEL, 0.4), -1.6, 1.0, 1.6, 1.1)
    steam(pen.at(0, 1.4), 1.8)


def gimbap(pen: Pen) -> None:
    """A plate of gimbap in slices."""
    plate(pen, 1.9)
    for row, count in ((0, 6), (1, 5)):
        for number in range(count):
            x, y = -1.0 + 0.4 * number + 0.2 * row, 0.32 + 0.34 * row
            pen.oval((30, 44, 36), x, y, 0.27)
            pen.oval((250, 248, 240), x, y, 0.22)
            for angle, tone in (
                (0, (240, 120, 50)),
                (1.6, (110, 160, 70)),
                (3.1, (246, 206, 80)),
                (4.6, (220, 90, 90)),
            ):
                pen.oval(tone, x + 0.09 * math.cos(angle), y + 0.09 * math.sin(angle), 0.075)


def dumplings(pen: Pen) -> None:
    """A steamer of bamboo with dumplings."""
    tone = (206, 164, 104)
    for row in range(2):
        y = 0.62 * row
        pen.box(dark(tone, 0.15), -1.4, y, 1.4, y + 0.58, 0.06)
        pen.box(tone, -1.4, y + 0.34, 1.4, y + 0.6, 0.06)
        for number in range(9):
            pen.line(
                dark(tone, 0.3),
                0.025,
                (-1.25 + 0.31 * number, y + 0.03),
                (-1.25 + 0.31 * number, y + 0.33),
            )
    for x in (-0.9, -0.3, 0.3, 0.9):
        pen.blob(
            (248, 240, 224),
            (x - 0.34, 1.2),
            (x - 0.26, 1.5),
            (x, 1.68),
            (x + 0.26, 1.5),
            (x + 0.34, 1.2),
        )
        pen.curve((214, 200, 176), 0.03, (x - 0.12, 1.4), (x, 1.6), (x + 0.12, 1.4))
    steam(pen.at(0, 1.6), 1.9)


def rice_cakes(pen: Pen) -> None:
    """Rice cakes of all colours on a wooden tray."""
    pen.box(dark(WOOD, 0.25), -2.2, 0, 2.2, 0.4, 0.08)
    pen.box(pale(WOOD, 0.1), -2.2, 0.2, 2.2, 0.42, 0.08)
    tones: tuple[Colour, ...] = (
        (250, 246, 240),
        (176, 206, 150),
        (244, 190, 196),
        (246, 220, 130),
        (150, 110, 140),
    )
    for row in range(3):
        for number in range(7 - row):
            x, y = -1.8 + 0.6 * number + 0.3 * row, 0.42 + 0.36 * row
            tone = tones[(number + 2 * row) % 5]
            pen.blob(
                dark(tone, 0.16),
                (x - 0.29, y),
                (x - 0.27, y + 0.26),
                (x, y + 0.42),
                (x + 0.27, y + 0.26),
                (x + 0.29, y),
            )
            pen.blob(
                tone,
                (x - 0.26, y + 0.03),
                (x - 0.24, y + 0.26),
                (x - 0.03, y + 0.39),
                (x + 0.18, y + 0.25),
                (x + 0.17, y + 0.04),
            )
            pen.oval(pale(tone, 0.6), x - 0.1, y + 0.28, 0.08, 0.04)


def layer_cake(pen: Pen) -> None:
    """A block of layered rice cake, steaming."""
    for number, tone in enumerate(
        ((120, 70, 60), (250, 244, 236), (150, 90, 76), (250, 244, 236), (120, 70, 60))
    ):
        pen.box(tone, -1.2, 0.3 * number, 1.2, 0.3 * number + 0.32)
    for x, y in ((-0.7, 1.55), (0.1, 1.58), (0.8, 1.55)):
        pen.ball((206, 120, 60), x, y, 0.14)
    steam(pen.at(0, 1.6), 1.5)


def gift_box(pen: Pen) -> None:
    """A box wrapped in a cloth with a knot."""
    tone = between((206, 90, 120), pen.palette.accent, 0.25)
    pen.box(tone, -0.9, 0, 0.9, 1.0, 0.08)
    pen.box(dark(tone, 0.15), 0.1, 0, 0.9, 1.0, 0.08)
    pen.blob(pale(tone, 0.2), (0, 0.95), (-0.7, 1.6), (-0.35, 1.1), (0.35, 1.1), (0.7, 1.6))
    pen.ball(pale(tone, 0.1), 0, 1.1, 0.2)


def trays(pen: Pen) -> None:
    """A counter of trays with side dishes."""
    tones: tuple[Colour, ...] = (
        RED,
        LEAF,
        (240, 200, 110),
        (150, 96, 60),
        (230, 130, 60),
        (206, 206, 190),
        (110, 60, 50),
        (190, 206, 110),
    )
    for row in range(2):
        for number in range(4):
            x, y = -3.2 + 1.65 * number + 0.1 * row, 0.75 * row
            tone = tones[number + 4 * row]
            pen.poly(
                dark(STEEL, 0.2), (x, y), (x + 1.5, y), (x + 1.42, y + 0.6), (x + 0.08, y + 0.6)
            )
            pen.poly(
                tone,
                (x + 0.08, y + 0.12),
                (x + 1.42, y + 0.12),
                (x + 1.34, y + 0.54),
                (x + 0.16, y + 0.54),
            )
            for bit in range(14):
                left = x + 0.2 + 1.05 * ((bit * 0.618) % 1)
                pen.oval(
                    (pale(tone, 0.3), dark(tone, 0.2))[bit % 2],
                    left,
                    y + 0.18 + 0.3 * ((bit * 0.37) % 1),
                    0.12,
                    0.05,
                )


def lunch_box(pen: Pen) -> None:
    """A lunch box with rice, egg and vegetables."""
    pen.box(dark((60, 50, 54), 0.2), -2.0, 0, 2.0, 0.7, 0.12)
    pen.poly((80, 64, 66), (-2.0, 0.55), (2.0, 0.55), (1.8, 1.65), (-1.8, 1.65))
    pen.poly((250, 248, 242), (-1.85, 0.62), (-0.1, 0.62), (-0.1, 1.58), (-1.7, 1.58))
    pen.oval((30, 44, 36), -0.9, 1.1, 0.2, 0.12)
    pen.poly((246, 206, 90), (0.02, 1.12), (0.9, 1.12), (0.86, 1.58), (0.02, 1.58))
    pen.poly(RED, (0.98, 1.12), (1.76, 1.12), (1.7, 1.58), (0.94, 1.58))
    pen.poly((170, 96, 50), (0.02, 0.62), (1.85, 0.62), (1.78, 1.04), (0.02, 1.04))
    for x in (0.3, 0.7, 1.1, 1.5):
        pen.oval((206, 130, 70), x, 0.84, 0.18, 0.12)
    for x, y in ((0.2, 1.3), (0.5, 1.4), (1.2, 1.35), (1.5, 1.3)):
        pen.oval(LEAF, x, y, 0.13, 0.07)
