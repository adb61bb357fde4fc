"""Tools, pipes, keys, wheels. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.motions import Drip
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
BRASS: Colour = (206, 164, 92)
WOOD: Colour = (146, 98, 62)
RED: Colour = (204, 60, 52)
BLUE: Colour = (58, 110, 170)


def sink(pen: Pen) -> None:
    """A sink with pipes below it and a tap that drips."""
    pen.box(dark(STEEL, 0.35), -0.16, -0.2, 0.16, 1.4)
    pen.curve(STEEL, 0.3, (0, 1.3), (0, 0.4), (0.5, 0.15), (0.9, 0.5), (1.0, 1.0), (2.2, 1.0))
    pen.curve(pale(STEEL, 0.5), 0.07, (-0.06, 1.3), (-0.06, 0.45), (0.45, 0.22), (0.88, 0.56))
    for x, y in ((0, 1.2), (0.95, 0.75), (1.7, 1.0)):
        pen.box(dark(STEEL, 0.25), x - 0.24, y - 0.12, x + 0.24, y + 0.12, 0.05)
    for x, tone in ((-1.1, RED), (-0.65, BLUE)):
        pen.line(tone, 0.1, (x, 1.6), (x, 0.1))
    pen.blob(
        (238, 240, 240), (-2.0, 2.6), (2.0, 2.6), (1.7, 1.8), (0.9, 1.4), (-0.9, 1.4), (-1.7, 1.8)
    )
    pen.box((250, 250, 248), -2.2, 2.5, 2.2, 2.8, 0.12)
    pen.curve(STEEL, 0.24, (0, 2.8), (0, 4.0), (0.25, 4.4), (0.75, 4.35), (0.9, 3.9))
    pen.curve(pale(STEEL, 0.6), 0.06, (-0.06, 2.9), (-0.06, 4.0), (0.2, 4.42))
    pen.line(dark(STEEL, 0.2), 0.16, (-0.5, 3.1), (0.0, 3.1))
    pen.ball(dark(STEEL, 0.1), -0.6, 3.1, 0.18)
    x, top = pen.place(0.9, 3.82)
    _, bottom = pen.place(0.9, 2.8)
    pen.moving.append(Drip(x, top, bottom, pen.share(0.2), pen.shape, 1.6))


def wrench(pen: Pen) -> None:
    """A wrench that hangs."""
    pen.box(RED, -0.16, -2.0, 0.16, -0.6, 0.12)
    pen.box(STEEL, -0.12, -0.8, 0.12, 0.1)
    pen.blob(
        STEEL,
        (-0.3, 0.0),
        (-0.45, 0.5),
        (-0.2, 0.75),
        (-0.12, 0.4),
        (0.15, 0.4),
        (0.2, 0.75),
        (0.42, 0.45),
        (0.3, 0.0),
    )


def hammer(pen: Pen) -> None:
    """A hammer that hangs."""
    pen.box((196, 148, 92), -0.11, -2.0, 0.11, 0.2, 0.08)
    pen.box(dark(STEEL, 0.3), -0.55, 0.1, 0.5, 0.45, 0.06)
    pen.poly(dark(STEEL, 0.3), (0.4, 0.45), (0.9, 0.1), (0.5, 0.12))


def saw(pen: Pen) -> None:
    """A saw that hangs."""
    pen.poly(STEEL, (-0.4, 0.2), (0.4, 0.2), (0.12, -2.3), (-0.1, -2.3))
    pen.box((196, 120, 60), -0.45, 0.1, 0.45, 0.85, 0.2)
    pen.box(dark(WOOD, 0.5), -0.2, 0.32, 0.2, 0.62, 0.12)


def pliers(pen: Pen) -> None:
    """Pliers that hang."""
    for side in (1, -1):
        half = pen.at(0, 0, side=side)
        half.curve(BLUE, 0.18, (0.06, -0.1), (0.34, -0.8), (0.26, -1.8))
        half.poly(dark(STEEL, 0.25), (0, 0), (0.24, 0.1), (0.08, 0.8), (0.0, 0.8))
    pen.oval(STEEL, 0, 0, 0.2)


def drill(pen: Pen) -> None:
    """A cordless drill."""
    tone = (232, 176, 48)
    pen.poly(INK, (-0.5, 0.5), (0.1, 0.5), (0.0, 1.6), (-0.6, 1.6))
    pen.box(INK, -0.75, 0, 0.4, 0.5, 0.1)
    pen.box(tone, -1.0, 1.35, 0.8, 2.2, 0.25)
    pen.box(INK, 0.8, 1.5, 1.25, 2.05, 0.08)
    pen.box(STEEL, 1.25, 1.72, 2.3, 1.82)
    pen.box(pale(tone, 0.4), -0.7, 1.98, 0.5, 2.08, 0.04)


def toolbox(pen: Pen) -> None:
    """An open toolbox."""
    hammer(pen.at(-0.6, 2.2, 0.8, 0.2))
    wrench(pen.at(0.3, 2.0, 0.8, -0.15))
    pliers(pen.at(1.0, 1.9, 0.7, -0.3))
    pen.box(RED, -1.5, 0, 1.5, 1.2, 0.08)
    pen.box(dark(RED, 0.3), -1.5, 0.75, 1.5, 0.9)
    pen.box(STEEL, -0.3, 0.55, 0.3, 0.85, 0.05)


def keys(pen: Pen) -> None:
    """A bunch of keys that hangs from its ring."""
    pen.oval(BRASS, 0, 0, 0.45)
    pen.oval(dark(WOOD, 0.2), 0, 0, 0.34)
    for turn, tone in ((-0.45, STEEL), (0.0, BRASS), (0.45, dark(STEEL, 0.15))):
        key = pen.at(0, -0.35, turn=turn)
        key.oval(tone, 0, -0.35, 0.32)
        key.oval(dark(WOOD, 0.3), 0, -0.25, 0.1)
        key.box(tone, -0.08, -1.7, 0.08, -0.6)
        for y in (-1.6, -1.35, -1.15):
            key.box(tone, 0.05, y, 0.28, y + 0.12)


def wheel(pen: Pen, radius: float = 1.0) -> None:
    """A car's wheel."""
    pen.oval(INK, 0, radius, radius)
    pen.oval((90, 92, 104), 0, radius, radius * 0.68)
    pen.oval(STEEL, 0, radius, radius * 0.6)
    for spoke in range(5):
        angle = spoke * 2 * math.pi / 5 + 0.3
        pen.line(
            (90, 92, 104),
            radius * 0.14,
            (0, radius),
            (radius * 0.55 * math.cos(angle), radius + radius * 0.55 * math.sin(angle)),
        )
    pen.oval(INK, 0, radius, radius * 0.14)


def tires(pen: Pen) -> None:
    """A pile of tyres."""
    for row in range(4):
        y = 0.62 * row
        pen.box(INK, -1.1, y, 1.1, y + 0.6, 0.26)
        pen.box((78, 80, 92), -0.9, y + 0.36, 0.7, y + 0.44, 0.04)
        for number in range(9):
            pen.box(dark(INK, 0.4), -1.0 + 0.23 * number, y + 0.1, -0.93 + 0.23 * number, y + 0.3)
