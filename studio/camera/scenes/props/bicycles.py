"""Bicycles from their side, and what holds them. Pure."""

import math
from collections.abc import Callable

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, between
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (40, 42, 54)
TIRE: Colour = (52, 54, 66)
STEEL: Colour = (196, 204, 214)
LEATHER: Colour = (142, 88, 52)
RED: Colour = (198, 62, 54)
SPOKES = 18
REAR, FRONT, CRANK = (-1.62, 1.05), (1.68, 1.05), (-0.16, 0.95)
SEAT, HEAD, NECK = (-0.66, 2.42), (1.14, 2.5), (1.26, 2.12)
RING, COG = 0.36, 0.16


def _circle(
    x: float, y: float, radius: float, begin: float = 0.0, turns: float = 1.0
) -> list[Spot]:
    """Points on a circle, from `begin` on for so many turns to the left."""
    steps = max(6, round(48 * turns))
    angles = [begin + 2 * math.pi * turns * step / steps for step in range(steps + 1)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def spokes(pen: Pen) -> None:
    """The spokes of a wheel about the origin, crossed as they are laced, with valve and reflector."""
    for number in range(SPOKES):
        angle = 2 * math.pi * number / SPOKES
        hub = angle + (1.1 if number % 2 else -1.1)
        start = 0.1 * math.cos(hub), 0.1 * math.sin(hub)
        pen.line(STEEL, 0.022, start, (0.86 * math.cos(angle), 0.86 * math.sin(angle)))
    pen.box((242, 158, 56), -0.07, 0.5, 0.07, 0.72, 0.04)
    pen.line(INK, 0.04, (0.12, -0.86), (0.1, -0.72))
    pen.oval(dark(STEEL, 0.35), 0, 0, 0.13)
    pen.oval(pale(STEEL, 0.3), -0.02, 0.02, 0.06)


def wheel(pen: Pen, x: float, y: float, period: float | None = None) -> None:
    """A spoked wheel about a place, which turns where it has a period."""
    pen.line(TIRE, 0.15, *_circle(x, y, 0.98))
    pen.line(pale(TIRE, 0.22), 0.03, *_circle(x, y, 1.02, 1.2, 0.35))
    pen.line(dark(STEEL, 0.25), 0.07, *_circle(x, y, 0.87))
    pen.line(pale(STEEL, 0.5), 0.025, *_circle(x, y, 0.88, 1.3, 0.4))
    if period:
        pen.spun(spokes, x, y, 0.88, period)
    else:
        spokes(pen.at(x, y))


def _tube(pen: Pen, colour: Colour, width: float, *points: Spot) -> None:
    """A tube of the frame, lit along its upper side."""
    pen.line(dark(colour, 0.25), width, *points)
    lit = [(x - 0.01, y + width * 0.16) for x, y in points]
    pen.line(colour, width * 0.7, *lit)
    high = [(x - 0.015, y + width * 0.3) for x, y in points]
    pen.line(pale(colour, 0.45), width * 0.16, *high)


def _frame(pen: Pen, colour: Colour) -> None:
    """Two triangles, the fork and the seat post."""
    _tube(pen, dark(colour, 0.1), 0.09, REAR, (-0.6, 2.3))
    _tube(pen, dark(colour, 0.1), 0.1, REAR, CRANK)
    _tube(pen, STEEL, 0.09, (-0.62, 2.3), (-0.78, 2.86))
    _tube(pen, colour, 0.15, CRANK, SEAT)
    _tube(pen, colour, 0.14, (-0.61, 2.26), (1.16, 2.42))
    _tube(pen, colour, 0.17, CRANK, (1.22, 2.2))
    pen.curve(dark(colour, 0.2), 0.1, NECK, (1.42, 1.55), FRONT)
    pen.curve(colour, 0.07, (1.25, 2.12), (1.4, 1.55), (1.67, 1.07))
    _tube(pen, colour, 0.2, NECK, HEAD)


def _drive(pen: Pen) -> None:
    """The chain about its ring and cog, the cranks and the pedals."""
    x, y = CRANK
    far = x - 0.27, y + 0.46
    pen.line(dark(STEEL, 0.5), 0.07, CRANK, far)
    pen.box(dark(INK, 0.2), far[0] - 0.2, far[1] - 0.04, far[0] + 0.18, far[1] + 0.06, 0.03)
    pen.line(INK, 0.045, (x, y + RING), (REAR[0], REAR[1] + COG))
    pen.line(INK, 0.045, (x, y - RING), (REAR[0], REAR[1] - COG))
    pen.oval(dark(STEEL, 0.5), *REAR, COG)
    pen.oval(STEEL, *REAR, 0.07)
    for tooth in range(24):
        angle = 2 * math.pi * tooth / 24
        pen.oval(INK, x + RING * math.cos(angle), y + RING * math.sin(angle), 0.035)
    pen.line(dark(STEEL, 0.2), 0.1, *_circle(x, y, RING - 0.05))
    for arm in range(5):
        angle = 2 * math.pi * arm / 5 + 0.3
        pen.line(
            STEEL, 0.06, CRANK, (x + 0.28 * math.cos(angle), y + 0.28 * math.sin(angle))
        )  # fmt: skip
    near = x + 0.27, y - 0.46
    pen.line(STEEL, 0.09, CRANK, near)
    pen.oval(pale(STEEL, 0.4), x, y, 0.08)
    pen.box(INK, near[0] - 0.2, near[1] - 0.06, near[0] + 0.24, near[1] + 0.06, 0.04)


def _saddle(pen: Pen) -> None:
    pen.line(dark(STEEL, 0.3), 0.04, (-1.05, 2.86), (-0.45, 2.86))
    pen.blob(
        LEATHER, (-1.24, 3.06), (-0.95, 3.07), (-0.55, 3.02), (-0.26, 2.98), (-0.3, 2.9),
        (-0.7, 2.88), (-0.98, 2.82), (-1.2, 2.88),
    )  # fmt: skip
    pen.curve(pale(LEATHER, 0.35), 0.03, (-1.16, 3.03), (-0.9, 3.03), (-0.5, 2.98))


def _handlebar(pen: Pen) -> None:
    """The stem, a bar swept back to its grip, the bell and the brake."""
    pen.line(STEEL, 0.1, (1.14, 2.5), (1.07, 2.86))
    pen.curve(INK, 0.025, (1.3, 3.02), (1.5, 2.7), (1.32, 2.3), (1.5, 1.75))
    pen.curve(STEEL, 0.08, (1.05, 2.86), (1.36, 3.0), (1.2, 3.18), (0.72, 3.14))
    pen.line(LEATHER, 0.13, (0.84, 3.15), (0.44, 3.11))
    pen.line(INK, 0.035, (1.16, 3.12), (0.74, 2.96))
    pen.ball(STEEL, 1.02, 3.25, 0.11)


def _fenders(pen: Pen, colour: Colour) -> None:
    for (x, y), begin, turns in ((REAR, 0.1, 0.47), (FRONT, 0.5, 0.38)):
        pen.line(dark(colour, 0.3), 0.07, *_circle(x, y, 1.14, begin, turns))
        pen.line(pale(colour, 0.2), 0.025, *_circle(x, y, 1.155, begin + 0.2, turns - 0.08))


def bicycle(
    pen: Pen, colour: Colour, rear: float | None = None, front: float | None = None
) -> None:
    """A bicycle that looks to the right; a wheel with a period turns."""
    wheel(pen, *REAR, rear)
    wheel(pen, *FRONT, front)
    _fenders(pen, colour)
    _frame(pen, colour)
    _drive(pen)
    _saddle(pen)
    _handlebar(pen)
    pen.box((220, 52, 46), -2.83, 1.42, -2.7, 1.62, 0.04)


def paint(pen: Pen) -> Colour:
    """The colour of the house's own bicycle."""
    return between((46, 128, 128), pen.palette.accent, 0.25)


def repair_stand(pen: Pen) -> None:
    """A bicycle clamped into a repair stand, its rear wheel turning."""
    for x in (-1.75, 0.15):
        pen.line(dark(STEEL, 0.45), 0.16, (-0.8, 0.9), (x, 0.06))
    pen.line(dark(STEEL, 0.35), 0.2, (-0.8, 0.85), (-0.8, 4.15))
    pen.line(pale(STEEL, 0.1), 0.06, (-0.84, 0.9), (-0.84, 4.1))
    pen.box(RED, -0.96, 2.9, -0.64, 3.15, 0.05)
    held = pen.at(0, 1.35)
    bicycle(held, paint(pen), rear=2.2)
    pen.box(INK, -1.0, 3.8, -0.5, 4.1, 0.08)
    pen.box(RED, -0.95, 3.85, -0.68, 4.05, 0.05)


def hung(pen: Pen, colour: Colour, period: float | None = None) -> None:
    """A bicycle on two hooks of a wall."""
    for x in (-0.15, 0.72):
        pen.box(dark(STEEL, 0.55), x - 0.14, 1.98, x + 0.14, 2.72, 0.06)
    bicycle(pen, colour, front=period)
    for x in (-0.15, 0.72):
        pen.curve(INK, 0.08, (x, 2.1), (x + 0.02, 2.22), (x, 2.52))


def hanging(colour: Colour, period: float | None = None) -> Callable[[Pen], None]:
    """A prop: a bicycle of that colour on the wall."""

    def hung_bicycle(pen: Pen) -> None:
        hung(pen, between(colour, pen.palette.sky[1], 0.15), period)

    return hung_bicycle


def standing_bicycle(pen: Pen) -> None:
    """A new bicycle on its kickstand."""
    _kickstand(pen)
    bicycle(pen, between((56, 110, 168), pen.palette.sky[1], 0.15))


def _kickstand(pen: Pen) -> None:
    pen.line(dark(STEEL, 0.3), 0.08, (-0.5, 0.95), (-0.85, 0.05))


def parked_bicycle(pen: Pen) -> None:
    """A bicycle on its kickstand, with a basket of flowers."""
    _kickstand(pen)
    bicycle(pen, paint(pen))
    basket(pen.at(1.75, 2.3))


def basket(pen: Pen) -> None:
    """A wicker basket with flowers and a loaf."""
    wicker = (190, 142, 88)
    pen.line((214, 168, 104), 0.2, (0.2, 0.8), (0.55, 1.3))
    for x, y, tone in (
        (-0.36, 1.02, (236, 92, 100)), (-0.08, 1.16, (250, 206, 92)), (0.12, 0.96, (240, 236, 230)),
        (-0.56, 0.88, (250, 206, 92)),
    ):  # fmt: skip
        pen.line((84, 136, 82), 0.05, (x * 0.6, 0.6), (x, y))
        pen.ball(tone, x, y, 0.16)
    pen.poly(wicker, (-0.62, 0.78), (0.62, 0.78), (0.48, 0.02), (-0.48, 0.02))
    for row in range(4):
        y = 0.14 + 0.18 * row
        pen.line(dark(wicker, 0.3), 0.03, (-0.5 - 0.03 * row, y), (0.5 + 0.03 * row, y))
    for column in range(7):
        x = -0.45 + 0.15 * column
        pen.line(dark(wicker, 0.2), 0.03, (x, 0.04), (x * 1.25, 0.76))
    pen.line(pale(wicker, 0.25), 0.1, (-0.64, 0.78), (0.64, 0.78))
