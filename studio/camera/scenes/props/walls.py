"""What hangs on walls: pictures, boards, mirrors, doors. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

BRASS: Colour = (206, 164, 92)
WOOD: Colour = (128, 86, 54)
INK: Colour = (44, 46, 58)
LAMP: Colour = (255, 214, 150)


def picture(pen: Pen, wide: float = 1.2, high: float = 1.5) -> None:
    """A framed picture of hills."""
    pen.box(dark(WOOD, 0.3), -wide / 2 - 0.1, -high / 2 - 0.12, wide / 2 + 0.1, high / 2 + 0.1)
    pen.box((244, 238, 226), -wide / 2, -high / 2, wide / 2, high / 2)
    tones = pen.palette.sky
    left, right, low, top = -wide * 0.38, wide * 0.38, -high * 0.38, high * 0.38
    pen.box(pale(tones[-1], 0.3), left, low, right, top)
    pen.oval(pen.palette.light, wide * 0.14, high * 0.14, wide * 0.1)
    pen.poly(
        tones[1],
        (left, low),
        (left, -high * 0.05),
        (-wide * 0.1, high * 0.12),
        (wide * 0.1, -high * 0.1),
        (right, high * 0.02),
        (right, low),
    )
    pen.poly(
        dark(tones[0], 0.2),
        (left, low),
        (left, -high * 0.22),
        (0, -high * 0.1),
        (right, -high * 0.26),
        (right, low),
    )


def portrait(pen: Pen) -> None:
    """A framed photograph of a person."""
    pen.box(BRASS, -0.62, -0.8, 0.62, 0.8)
    pen.box(between(pen.palette.sky[-1], WHITE, 0.4), -0.52, -0.7, 0.52, 0.7)
    shade = dark(pen.palette.sky[1], 0.3)
    pen.oval(shade, 0, 0.14, 0.22, 0.27)
    pen.blob(shade, (-0.45, -0.7), (-0.35, -0.3), (0, -0.18), (0.35, -0.3), (0.45, -0.7))


def clock(pen: Pen) -> None:
    """A round clock at ten past ten."""
    pen.oval(dark(WOOD, 0.2), 0.03, -0.05, 0.68)
    pen.oval(BRASS, 0, 0, 0.66)
    pen.oval((250, 246, 236), 0, 0, 0.56)
    for hour in range(12):
        x, y = math.sin(hour * math.pi / 6), math.cos(hour * math.pi / 6)
        pen.line(INK, 0.04, (0.46 * x, 0.46 * y), (0.52 * x, 0.52 * y))
    pen.line(INK, 0.07, (0, 0), (-0.26, 0.16))
    pen.line(INK, 0.05, (0, 0), (0.34, 0.24))


def menu(pen: Pen) -> None:
    """A dark board with rows of chalk."""
    board(pen, 2.8, 1.9, (48, 52, 54))


def board(pen: Pen, wide: float = 6.4, high: float = 3.0, colour: Colour = (44, 92, 74)) -> None:
    """A board with rows of illegible writing; its lower edge's middle at the origin."""
    pen.box(dark(WOOD, 0.1), -wide / 2 - 0.14, -0.14, wide / 2 + 0.14, high + 0.14)
    pen.box(colour, -wide / 2, 0, wide / 2, high)
    pen.poly(
        pale(colour, 0.08), (-wide / 2, 0), (-wide / 4, 0), (wide / 8, high), (-wide / 2, high)
    )
    y = high - 0.4
    while y > 0.3:
        x = -wide / 2 + 0.35
        while x < wide / 2 - 0.8:
            length = float(pen.chance.uniform(0.2, 0.7))
            if pen.chance.random() < 0.75:
                pen.curve(
                    pale(colour, 0.62), 0.035, (x, y), (x + length / 2, y + 0.06), (x + length, y)
                )
            x += length + 0.18
        y -= 0.42
    pen.box(pale(WOOD, 0.3), -wide / 2 - 0.1, -0.24, wide / 2 + 0.1, -0.08)


def mirror(pen: Pen, wide: float = 2.0, high: float = 3.4) -> None:
    """A tall mirror with a thin frame."""
    glass = between(pen.palette.sky[-1], (214, 228, 236), 0.6)
    pen.box(BRASS, -wide / 2 - 0.08, -0.08, wide / 2 + 0.08, high + 0.08, 0.3)
    pen.box(glass, -wide / 2, 0, wide / 2, high, 0.26)
    for left in (-0.7, -0.2):
        pen.poly(
            pale(glass, 0.5),
            (left, 0.1),
            (left + 0.24, 0.1),
            (left + 0.95, high - 0.1),
            (left + 0.7, high - 0.1),
        )
    pen.glows(0, high / 2, wide * 0.9, 0.3)


def bulb_mirror(pen: Pen) -> None:
    """A mirror with bulbs around it, which twinkle."""
    pen.box((244, 236, 232), -1.7, -0.1, 1.7, 3.3, 0.3)
    glass = between(pen.palette.sky[-1], (206, 218, 232), 0.6)
    pen.box(glass, -1.25, 0.3, 1.25, 2.9, 0.1)
    pen.poly(pale(glass, 0.5), (-0.8, 0.3), (-0.3, 0.3), (0.7, 2.9), (0.2, 2.9))
    spots = [(-1.48, y) for y in (0.3, 0.95, 1.6, 2.25, 2.9)]
    spots += [(1.48, y) for _, y in spots] + [(x, 3.1) for x in (-0.8, 0, 0.8)]
    for number, (x, y) in enumerate(spots):
        pen.oval((255, 244, 214), x, y, 0.15)
        left, top = pen.place(x, y)
        pen.moving.append(
            Blink(
                left,
                top,
                pen.share(0.34),
                pen.shape,
                (255, 240, 200),
                2.6,
                number * 0.21,
                level=0.75,
            )
        )
    pen.glows(0, 1.6, 3.2, 0.5, LAMP)


def door(pen: Pen, colour: Colour = (120, 78, 48), light: bool = True) -> None:
    """A panelled door that stands ajar, with light behind it."""
    pen.box(dark(colour, 0.35), -1.3, 0, 1.3, 5.0)
    pen.box(pale(pen.palette.light, 0.5) if light else dark(colour, 0.6), -1.12, 0, 1.12, 4.85)
    pen.poly(colour, (-1.12, 0), (0.52, -0.32), (0.52, 4.6), (-1.12, 4.85))
    for low, high in ((0.5, 2.0), (2.4, 4.2)):
        pen.poly(
            dark(colour, 0.22),
            (-0.85, low - 0.05),
            (0.25, low - 0.2),
            (0.25, high - 0.12),
            (-0.85, high),
        )
        pen.poly(
            dark(colour, 0.1),
            (-0.78, low + 0.02),
            (0.18, low - 0.1),
            (0.18, high - 0.2),
            (-0.78, high - 0.08),
        )
    pen.ball(BRASS, 0.36, 2.1, 0.09)
    if light:
        pen.glows(0.8, 2.2, 2.6, 0.6)
        pen.poly(pale(pen.palette.light, 0.2), (0.52, -0.3), (1.12, 0), (2.9, -1.6), (1.3, -2.0))


def cross_sign(pen: Pen) -> None:
    """A green cross that blinks, as over a pharmacy."""
    pen.box(INK, -0.85, -0.85, 0.85, 0.85, 0.15)
    green = (70, 214, 120)
    pen.box(green, -0.25, -0.68, 0.25, 0.68, 0.04)
    pen.box(green, -0.68, -0.25, 0.68, 0.25, 0.04)
    pen.glows(0, 0, 2.0, 0.5, green)
    x, y = pen.place(0, 0)
    pen.moving.append(Blink(x, y, pen.share(1.3), pen.shape, (150, 255, 190), 2.0, level=0.45))
