"""Bread, cakes, dishes, fruit. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.vessels import steam

CRUST: Colour = (196, 124, 62)
PLATE: Colour = (244, 240, 232)
INK: Colour = (44, 46, 58)


def plate(pen: Pen, wide: float = 1.7) -> None:
    """An empty plate."""
    pen.oval(dark(PLATE, 0.45), 0, 0.0, wide, wide * 0.2)
    pen.oval(PLATE, 0, 0.07, wide, wide * 0.2)
    pen.oval(dark(PLATE, 0.14), 0, 0.09, wide * 0.72, wide * 0.135)
    pen.oval(pale(PLATE, 0.5), 0, 0.07, wide * 0.7, wide * 0.12)


def loaf(pen: Pen) -> None:
    """A round loaf, scored, dusted with flour."""
    pen.blob(
        dark(CRUST, 0.3),
        (-1.3, 0),
        (-1.35, 0.5),
        (-0.8, 1.1),
        (0, 1.28),
        (0.8, 1.1),
        (1.35, 0.5),
        (1.3, 0),
    )
    pen.blob(
        CRUST,
        (-1.22, 0.06),
        (-1.25, 0.55),
        (-0.75, 1.08),
        (-0.1, 1.22),
        (0.6, 1.08),
        (1.05, 0.5),
        (0.9, 0.08),
    )
    pen.blob(pale(CRUST, 0.25), (-1.0, 0.4), (-0.7, 0.95), (-0.2, 1.1), (0.2, 0.98), (-0.2, 0.5))
    for x in (-0.6, 0.0, 0.6):
        pen.curve((248, 228, 190), 0.1, (x - 0.2, 0.5), (x - 0.02, 0.85), (x + 0.25, 1.02))


def baguettes(pen: Pen) -> None:
    """A basket with baguettes."""
    for number in range(5):
        stick = pen.at(-0.5 + 0.25 * number, 0.6, turn=0.24 - 0.12 * number)
        stick.box(dark(CRUST, 0.15), -0.19, 0, 0.19, 2.3, 0.19)
        stick.box(CRUST, -0.17, 0, 0.09, 2.25, 0.16)
        for y in (0.7, 1.1, 1.5, 1.9):
            stick.line((244, 220, 176), 0.07, (-0.1, y - 0.1), (0.1, y + 0.1))
    basket(pen)


def basket(pen: Pen, wide: float = 1.0) -> None:
    """A woven basket."""
    tone = (176, 126, 74)
    pen.poly(tone, (-0.8 * wide, 0), (0.8 * wide, 0), (wide, 1.0), (-wide, 1.0))
    for row in range(5):
        for column in range(8):
            if (row + column) % 2:
                half = wide * (0.8 + 0.04 * row)
                x = -half + column * half / 4
                pen.box(dark(tone, 0.25), x, row * 0.2, x + half / 4, row * 0.2 + 0.2)
    pen.box(pale(tone, 0.2), -wide * 1.05, 0.94, wide * 1.05, 1.1, 0.08)


def croissant(pen: Pen) -> None:
    """A croissant."""
    for number in range(7):
        angle = math.pi * (0.1 + 0.8 * number / 6)
        x, y = -0.75 * math.cos(angle), 0.42 * math.sin(angle) + 0.12
        size = 0.2 + 0.16 * math.sin(angle)
        pen.oval(dark(CRUST, 0.25), x, y, size * 0.85, size)
        pen.oval((222, 150, 76), x - 0.03, y + 0.04, size * 0.68, size * 0.85)
        pen.oval((244, 190, 116), x - 0.05, y + 0.1, size * 0.3, size * 0.45)


def bun(pen: Pen) -> None:
    """A round bun or a small loaf."""
    tone = (CRUST, (222, 156, 84), (170, 100, 54))[int(pen.chance.integers(0, 3))]
    pen.blob(dark(tone, 0.25), (-0.42, 0), (-0.4, 0.3), (0, 0.5), (0.4, 0.3), (0.42, 0))
    pen.blob(tone, (-0.38, 0.04), (-0.36, 0.3), (-0.05, 0.46), (0.26, 0.3), (0.26, 0.05))
    pen.oval(pale(tone, 0.4), -0.12, 0.32, 0.14, 0.07)


def cake(pen: Pen) -> None:
    """A cake on a stand, with cream and berries."""
    pen.oval((224, 220, 226), 0, 0.04, 0.6, 0.1)
    pen.box((224, 220, 226), -0.12, 0, 0.12, 0.6)
    pen.oval(dark(PLATE, 0.2), 0, 0.6, 1.35, 0.2)
    pen.oval(PLATE, 0, 0.65, 1.35, 0.2)
    pen.turned((250, 226, 214), (1.05, 0.65), (1.05, 1.75))
    pen.box((236, 150, 150), -1.05, 1.1, 1.05, 1.24)
    pen.oval((255, 248, 240), 0, 1.75, 1.05, 0.18)
    for number in range(7):
        x = -0.85 + 0.283 * number
        pen.ball((255, 250, 244), x, 1.82, 0.17)
        pen.ball((214, 42, 58), x, 2.02, 0.15)


def cupcake(pen: Pen) -> None:
    """A small cake in paper."""
    tone = ((240, 170, 180), (250, 236, 214), (150, 96, 66))[int(pen.chance.integers(0, 3))]
    pen.poly((200, 150, 110), (-0.24, 0), (0.24, 0), (0.32, 0.34), (-0.32, 0.34))
    for y, r in ((0.4, 0.34), (0.56, 0.25), (0.7, 0.15)):
        pen.oval(tone, 0, y, r, 0.13)
    pen.ball((214, 42, 58), 0, 0.84, 0.09)


def rolling_pin(pen: Pen) -> None:
    """A rolling pin in flour."""
    pen.oval((250, 246, 238), 0, 0.02, 1.9, 0.16)
    pen.box((206, 158, 104), -1.2, 0.06, 1.2, 0.46, 0.1)
    pen.box((230, 190, 140), -1.2, 0.34, 1.2, 0.4, 0.03)
    for side in (-1, 1):
        pen.box(
            (150, 98, 60),
            min(side * 1.2, side * 1.65),
            0.17,
            max(side * 1.2, side * 1.65),
            0.35,
            0.08,
        )


def steak(pen: Pen) -> None:
    """A plate of meat with vegetables, steaming."""
    plate(pen, 2.0)
    pen.blob(
        (98, 52, 36), (-1.1, 0.15), (-1.0, 0.5), (-0.2, 0.62), (0.5, 0.5), (0.6, 0.2), (-0.2, 0.06)
    )
    for x in (-0.8, -0.4, 0.0):
        pen.line((56, 30, 24), 0.07, (x, 0.2), (x + 0.25, 0.52))
    for x, y, tone in (
        (0.85, 0.25, (226, 110, 46)),
        (1.1, 0.35, (86, 150, 66)),
        (0.75, 0.42, (86, 150, 66)),
        (1.15, 0.2, (230, 190, 80)),
    ):
        pen.ball(tone, x, y, 0.2)
    steam(pen.at(-0.2, 0.6), 1.2)


def pasta(pen: Pen) -> None:
    """A plate of pasta."""
    plate(pen, 1.9)
    for number in range(14):
        angle = number * 1.3
        x = 0.55 * math.cos(angle)
        pen.curve(
            ((246, 206, 120), (230, 180, 90))[number % 2],
            0.11,
            (x - 0.5, 0.18),
            (x * 0.5, 0.5 + 0.15 * math.sin(angle)),
            (x + 0.5, 0.2),
        )
    pen.blob((206, 58, 40), (-0.5, 0.5), (-0.2, 0.78), (0.3, 0.76), (0.5, 0.5), (0, 0.42))
    pen.blob((70, 140, 60), (-0.1, 0.72), (0.05, 0.95), (0.3, 0.85), (0.15, 0.7))
    steam(pen.at(0, 0.7), 1.2)


def side_dish(pen: Pen) -> None:
    """A small bowl of a side dish."""
    tones: tuple[Colour, ...] = (
        (206, 60, 40),
        (110, 150, 70),
        (240, 206, 110),
        (170, 110, 70),
        (230, 130, 60),
    )
    tone = tones[int(pen.chance.integers(0, len(tones)))]
    pen.turned((236, 232, 226), (0.3, 0), (0.5, 0.28))
    pen.oval((250, 248, 244), 0, 0.28, 0.5, 0.12)
    for x, y in ((-0.22, 0.3), (0.05, 0.36), (0.24, 0.3), (0, 0.27)):
        pen.oval(tone, x, y, 0.18, 0.09)
        pen.oval(pale(tone, 0.35), x - 0.04, y + 0.03, 0.07, 0.03)


def rice(pen: Pen) -> None:
    """A bowl of rice."""
    pen.turned((96, 110, 130), (0.35, 0), (0.62, 0.5))
    pen.blob(
        (252, 250, 244), (-0.58, 0.48), (-0.4, 0.78), (0, 0.88), (0.4, 0.78), (0.58, 0.48), (0, 0.4)
    )
    steam(pen.at(0, 0.85), 0.6)


def chopsticks(pen: Pen) -> None:
    """Chopsticks and a spoon on a rest."""
    for off in (0.0, 0.12):
        pen.line((190, 150, 100), 0.06, (-1.0, 0.1 + off), (1.0, 0.05 + off))
    pen.line((196, 200, 206), 0.07, (-0.4, -0.15), (0.9, -0.18))
    pen.oval((206, 210, 216), -0.62, -0.14, 0.3, 0.12)


def candle(pen: Pen, high: float = 0.9) -> None:
    """A candle that flickers."""
    pen.turned((248, 240, 222), (0.22, 0), (0.22, high))
    pen.oval((255, 250, 236), 0, high, 0.22, 0.05)
    pen.line(INK, 0.03, (0, high), (0, high + 0.12))
    pen.blob(
        (255, 170, 60), (-0.09, high + 0.14), (0, high + 0.5), (0.09, high + 0.14), (0, high + 0.08)
    )
    pen.blob(
        (255, 240, 180),
        (-0.05, high + 0.15),
        (0, high + 0.34),
        (0.05, high + 0.15),
        (0, high + 0.11),
    )
    pen.glows(0, high + 0.3, 1.5, 0.55, (255, 190, 110))
    x, y = pen.place(0, high + 0.3)
    phase = float(pen.chance.random())
    pen.moving.append(
        Blink(x, y, pen.share(0.75), pen.shape, (255, 214, 140), 0.9, phase, level=0.4)
    )


def bread_case(pen: Pen) -> None:
    """A counter of glass with two boards of bread."""
    pen.box((90, 60, 42), -3.4, 0, 3.4, 0.4)
    pen.box((60, 46, 40), -3.3, 0.4, 3.3, 3.0)
    for y in (0.4, 1.75):
        pen.box((206, 170, 124), -3.3, y, 3.3, y + 0.14)
        pen.glows(0, y + 0.9, 2.4, 0.22, (255, 200, 120))
        for number in range(7):
            x = -2.8 + 0.93 * number
            (croissant, bun, cupcake)[int(pen.chance.integers(0, 3))](pen.at(x, y + 0.14, 0.95))
    pen.box((232, 226, 216), -3.45, 2.95, 3.45, 3.15, 0.05)
    for x in (-3.4, 3.3):
        pen.box((232, 226, 216), x, 0.4, x + 0.12, 3.0)
    pen.poly((120, 106, 96), (-2.6, 0.45), (-2.5, 0.45), (-1.4, 2.95), (-1.5, 2.95))
    pen.box(WHITE, -3.4, 2.85, 3.4, 2.88)
