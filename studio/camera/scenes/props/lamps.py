"""Lamps, lanterns and lights on strings. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (44, 46, 58)
LAMP: Colour = (255, 214, 150)


def pendant(pen: Pen, colour: Colour = INK) -> None:
    """A lamp on a cord, its shade's rim at the origin."""
    pen.line(INK, 0.05, (0, 0.9), (0, 14))
    pen.glows(0, -0.5, 2.3, 0.5, LAMP)
    pen.turned(colour, (0.12, 0.95), (0.2, 0.8), (0.75, 0.12), (0.8, 0))
    pen.oval(pale(LAMP, 0.5), 0, 0, 0.72, 0.12)


def paper_lamp(pen: Pen) -> None:
    """A round lamp of paper."""
    pen.line(INK, 0.04, (0, 0.5), (0, 14))
    pen.glows(0, 0, 2.4, 0.5, LAMP)
    pen.ball((255, 232, 196), 0, 0, 0.75)
    for y in (-0.5, -0.25, 0, 0.25, 0.5):
        half = math.sqrt(0.56 - y * y)
        pen.curve((226, 190, 146), 0.02, (-half, y), (0, y - 0.07), (half, y))


def street_lantern(pen: Pen) -> None:
    """A lantern on an iron arm."""
    pen.line(INK, 0.08, (-0.7, 0.95), (0.7, 0.95))
    _lit_lantern(pen)


def lantern(pen: Pen) -> None:
    """A red lantern, as it hangs over tables."""
    pen.line(INK, 0.04, (0, 0.5), (0, 14))
    _lit_lantern(pen)


def _lit_lantern(pen: Pen, colour: Colour = (214, 62, 48)) -> None:
    pen.line(INK, 0.04, (0, 0.5), (0, 0.95))
    pen.turned(
        colour, (0.2, 0.55), (0.42, 0.4), (0.52, 0.1), (0.52, -0.25), (0.4, -0.55), (0.2, -0.7)
    )
    pen.box(INK, -0.22, 0.52, 0.22, 0.62)
    pen.box(INK, -0.22, -0.78, 0.22, -0.68)
    pen.line((240, 190, 90), 0.06, (0, -0.78), (0, -1.15))
    pen.glows(0, -0.1, 1.5, 0.45, (255, 150, 90))
    x, y = pen.place(0, -0.1)
    phase = float(pen.chance.random())
    pen.moving.append(
        Blink(x, y, pen.share(0.9), pen.shape, (255, 170, 100), 3.1, phase, level=0.2)
    )


def bunting(pen: Pen) -> None:
    """Little flags on a string."""
    colours = (
        pen.palette.accent,
        pen.palette.sky[1],
        (250, 244, 230),
        (232, 110, 96),
        (110, 176, 180),
    )
    points = [(-9 + 0.75 * n, 0.35 * math.cos(n * 0.75 * 1.1)) for n in range(25)]
    pen.curve(INK, 0.03, *points)
    for number, (x, y) in enumerate(points):
        pen.poly(colours[number % 5], (x - 0.26, y), (x + 0.26, y), (x, y - 0.55))


def fairy_lights(pen: Pen) -> None:
    """A string of small lights that twinkle."""
    points = [(-9 + 0.75 * n, 0.4 * math.cos(n * 0.75 * 0.9)) for n in range(25)]
    pen.curve(INK, 0.025, *points)
    for number, (x, y) in enumerate(points):
        pen.oval((255, 236, 190), x, y - 0.1, 0.09, 0.12)
        left, top = pen.place(x, y - 0.1)
        if number % 2 == 0 and 0 < left < 1:
            pen.moving.append(
                Blink(left, top, pen.share(0.3), pen.shape, LAMP, 2.2, number * 0.37, level=0.8)
            )


def neon(pen: Pen, colour: Colour = (255, 90, 170)) -> None:
    """A heart and a wave of neon that flicker."""
    for tone, width in ((dark(colour, 0.2), 0.2), (pale(colour, 0.7), 0.08)):
        pen.curve(
            tone,
            width,
            (0, -0.75),
            (-0.9, 0.25),
            (-0.6, 0.8),
            (0, 0.4),
            (0.6, 0.8),
            (0.9, 0.25),
            (0, -0.75),
        )
    pen.glows(0, 0, 2.2, 0.6, colour)
    x, y = pen.place(0, 0)
    pen.moving.append(Blink(x, y, pen.share(1.5), pen.shape, colour, 1.6, 0.2, 0.8, 0.35))


def spotlight(pen: Pen) -> None:
    """A lamp on a rail that shines down."""
    pen.line(INK, 0.05, (0, 0.3), (0, 14))
    pen.poly(INK, (-0.22, 0.3), (0.22, 0.3), (0.3, -0.3), (-0.3, -0.3))
    pen.oval((255, 240, 206), 0, -0.3, 0.28, 0.08)
    pen.glows(0, -1.4, 2.0, 0.5, LAMP)
