"""Meat, chicken, pizza, and what they are made on. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.food import plate
from studio.camera.scenes.props.vessels import steam

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
RED: Colour = (206, 62, 42)
WOOD: Colour = (150, 102, 66)
LEAF: Colour = (76, 140, 70)


def charcoal_grill(pen: Pen) -> None:
    """A round grill set in a table: meat over embers that glow, and smoke."""
    pen.oval(dark(STEEL, 0.4), 0, 0, 2.3, 0.72)
    pen.oval(STEEL, 0, 0.08, 2.25, 0.68)
    pen.oval((60, 30, 26), 0, 0.08, 1.95, 0.55)
    for number in range(26):
        angle, far = number * 2.4, 0.25 + 0.72 * ((number * 0.618) % 1)
        tone = ((250, 120, 40), (200, 60, 30), (120, 40, 30))[number % 3]
        pen.oval(tone, 1.7 * far * math.cos(angle), 0.08 + 0.46 * far * math.sin(angle), 0.16, 0.09)
    for number in range(-6, 7):
        x = 0.28 * number
        deep = 0.55 * math.sqrt(max(0.0, 1 - (x / 1.95) ** 2))
        pen.line(INK, 0.05, (x, 0.08 - deep), (x, 0.12 + deep))
    for x, y, turn in (
        (-1.0, 0.2, 0.1),
        (-0.2, 0.34, -0.1),
        (0.7, 0.24, 0.15),
        (-0.6, -0.1, 0.0),
        (0.35, -0.1, 0.1),
        (1.15, -0.02, -0.1),
    ):
        meat = pen.at(x, y, turn=turn)
        meat.box((150, 62, 48), -0.4, -0.09, 0.4, 0.15, 0.09)
        meat.box((206, 112, 84), -0.34, 0.03, 0.34, 0.13, 0.05)
        meat.line((244, 206, 180), 0.05, (-0.28, 0.08), (0.24, 0.09))
    pen.glows(0, 0.3, 2.4, 0.55, (255, 130, 60))
    x, y = pen.place(0, 0.1)
    pen.moving.append(Blink(x, y, pen.share(1.8), pen.shape * 0.4, (255, 120, 50), 1.3, level=0.35))
    steam(pen.at(0, 0.5), 2.2)


def skewers(pen: Pen) -> None:
    """Skewers on a plate."""
    plate(pen, 1.9)
    for number in range(4):
        stick = pen.at(-1.1 + 0.3 * number, 0.25 + 0.08 * number, turn=0.12)
        stick.line((214, 178, 124), 0.06, (-0.5, 0), (2.0, 0))
        for piece in range(4):
            tone = ((170, 84, 44), (196, 104, 52), LEAF, (150, 70, 40))[piece]
            stick.box(tone, -0.1 + 0.44 * piece, -0.14, 0.28 + 0.44 * piece, 0.16, 0.09)


def chimney(pen: Pen) -> None:
    """The pipe over a grill table, its mouth at the origin."""
    pen.box(STEEL, -0.22, 0.3, 0.22, 14)
    pen.box(pale(STEEL, 0.4), -0.14, 0.3, -0.04, 14)
    pen.poly(dark(STEEL, 0.15), (-0.22, 0.7), (0.22, 0.7), (0.62, 0), (-0.62, 0))
    pen.oval(dark(STEEL, 0.5), 0, 0, 0.62, 0.1)


def chicken(pen: Pen) -> None:
    """A bucket heaped with fried chicken."""
    gold = (214, 136, 58)
    for x, y, turn in (
        (-0.8, 1.6, 0.5),
        (0.8, 1.6, -0.5),
        (-0.3, 2.0, 0.2),
        (0.45, 2.1, -0.3),
        (0, 1.7, 0),
        (0.05, 2.5, 0.1),
    ):
        leg = pen.at(x, y, turn=turn)
        leg.line((244, 234, 216), 0.16, (0, 0.4), (0, 0.98))
        leg.blob(
            dark(gold, 0.25),
            (-0.42, -0.3),
            (-0.4, 0.25),
            (0, 0.6),
            (0.4, 0.25),
            (0.42, -0.3),
            (0, -0.5),
        )
        leg.blob(gold, (-0.38, -0.25), (-0.36, 0.25), (-0.04, 0.55), (0.28, 0.2), (0.3, -0.25))
        for bump in range(6):
            leg.oval(
                pale(gold, 0.3),
                0.2 * math.cos(bump * 1.3) - 0.06,
                0.25 * math.sin(bump * 1.9),
                0.07,
            )
    pen.poly((240, 236, 228), (-0.95, 0), (0.95, 0), (1.3, 1.75), (-1.3, 1.75))
    for number in range(-3, 4, 2):
        pen.poly(
            RED,
            (number * 0.27 - 0.13, 0),
            (number * 0.27 + 0.13, 0),
            (number * 0.37 + 0.18, 1.75),
            (number * 0.37 - 0.18, 1.75),
        )
    steam(pen.at(0, 2.6), 1.4)


def pizza(pen: Pen) -> None:
    """A pizza on a board, a piece drawn out."""
    pen.oval(dark(WOOD, 0.3), 0, 0.0, 2.2, 0.62)
    pen.oval(WOOD, 0, 0.07, 2.2, 0.6)
    pen.oval((206, 144, 76), 0, 0.2, 1.9, 0.5)
    pen.oval((236, 178, 90), 0, 0.25, 1.7, 0.42)
    pen.oval((246, 206, 110), 0, 0.27, 1.55, 0.37)
    for number in range(15):
        angle, far = number * 2.4, 0.2 + 0.72 * ((number * 0.618) % 1)
        tone = (RED, (150, 40, 36), LEAF)[number % 3]
        pen.oval(tone, 1.4 * far * math.cos(angle), 0.28 + 0.32 * far * math.sin(angle), 0.2, 0.075)
    steam(pen.at(0, 0.5), 1.6)


def burger(pen: Pen) -> None:
    """A tall burger."""
    bun = (214, 142, 66)
    pen.box(bun, -1.1, 0, 1.1, 0.42, 0.16)
    pen.box((110, 58, 38), -1.15, 0.38, 1.15, 0.75, 0.16)
    pen.poly((250, 196, 60), (-1.15, 0.8), (1.15, 0.8), (0.7, 0.5), (0.3, 0.76), (-0.5, 0.55))
    pen.box(RED, -1.05, 0.78, 1.05, 0.96, 0.08)
    pen.blob(
        LEAF,
        (-1.25, 0.98),
        (-0.7, 1.12),
        (0, 1.0),
        (0.7, 1.12),
        (1.25, 0.98),
        (0.6, 0.9),
        (0, 0.95),
        (-0.6, 0.9),
    )
    pen.blob(dark(bun, 0.15), (-1.15, 1.08), (-1.05, 1.6), (0, 2.0), (1.05, 1.6), (1.15, 1.08))
    pen.blob(bun, (-1.08, 1.12), (-1.0, 1.6), (-0.1, 1.94), (0.75, 1.6), (0.8, 1.12))
    for x, y in ((-0.6, 1.6), (-0.2, 1.78), (0.25, 1.72), (0.55, 1.5), (-0.35, 1.45), (0.1, 1.5)):
        pen.oval((250, 232, 190), x, y, 0.07, 0.04)


def fries(pen: Pen) -> None:
    """Fries in a red carton."""
    for number in range(9):
        pen.at(-0.5 + 0.125 * number, 0.7, turn=0.2 - 0.05 * number).box(
            (246, 200, 90), -0.07, 0, 0.07, 1.0 + 0.2 * (number % 3), 0.02
        )
    pen.poly(RED, (-0.5, 0), (0.5, 0), (0.72, 1.2), (-0.72, 1.2))
    pen.oval((250, 214, 90), 0, 0.6, 0.24)


def meat(pen: Pen) -> None:
    """A cut of meat on a board, with a knife."""
    pen.box(dark(WOOD, 0.2), -2.4, 0, 2.4, 0.3, 0.08)
    pen.box(pale(WOOD, 0.15), -2.4, 0.14, 2.4, 0.32, 0.08)
    pen.blob((172, 52, 50), (-1.8, 0.32), (-1.7, 1.2), (-0.6, 1.6), (0.4, 1.3), (0.6, 0.32))
    pen.blob((206, 84, 76), (-1.5, 0.45), (-1.4, 1.1), (-0.6, 1.4), (0.1, 1.1), (0.2, 0.45))
    pen.curve((250, 230, 220), 0.12, (-1.75, 0.5), (-1.65, 1.2), (-0.6, 1.58), (0.38, 1.28))
    for points in (
        ((-1.2, 0.7), (-0.8, 1.0), (-0.5, 0.9)),
        ((-0.6, 0.6), (-0.2, 0.8), (0, 0.7)),
        ((-1.0, 1.2), (-0.6, 1.2)),
    ):
        pen.curve((250, 230, 220), 0.06, *points)
    pen.poly(pale(STEEL, 0.2), (1.0, 0.36), (2.4, 0.36), (2.4, 0.95), (1.2, 0.95))
    pen.box(INK, 2.4, 0.5, 3.5, 0.74, 0.08)


def hanging_meat(pen: Pen) -> None:
    """Sides of meat and sausages on hooks."""
    pen.box(STEEL, -10, 0, 10, 0.14)
    for x in (-3.0, -1.1, 2.6):
        pen.curve(STEEL, 0.07, (x, 0.1), (x + 0.14, -0.1), (x, -0.3))
        pen.blob(
            (160, 50, 48),
            (x - 0.35, -0.3),
            (x - 0.6, -1.6),
            (x, -2.6),
            (x + 0.6, -1.6),
            (x + 0.35, -0.3),
        )
        pen.blob(
            (214, 150, 130), (x - 0.3, -0.5), (x - 0.5, -1.5), (x - 0.1, -2.3), (x - 0.1, -1.2)
        )
        for y in (-0.9, -1.3, -1.7):
            pen.curve((246, 224, 210), 0.06, (x, y), (x + 0.3, y - 0.1), (x + 0.48, y - 0.05))
    for link in range(6):
        pen.oval((176, 84, 58), 0.7 + 0.1 * (-1) ** link, -0.3 - 0.42 * link, 0.17, 0.25)
        pen.oval((214, 130, 96), 0.64 + 0.1 * (-1) ** link, -0.26 - 0.42 * link, 0.06, 0.14)


def shop_scale(pen: Pen) -> None:
    """A shop's scales with a pan and a dial."""
    pen.box((226, 226, 222), -1.0, 0, 1.0, 0.5, 0.1)
    pen.box((226, 226, 222), -0.6, 0.4, 0.6, 1.9, 0.2)
    pen.oval(WHITE, 0, 1.3, 0.46)
    pen.oval(dark(STEEL, 0.2), 0, 1.3, 0.06)
    pen.line(RED, 0.05, (0, 1.3), (0.22, 1.6))
    pen.blob(STEEL, (-1.2, 2.2), (1.2, 2.2), (0.8, 1.92), (-0.8, 1.92))
