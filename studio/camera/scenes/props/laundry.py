"""Machines and shirts of a laundry. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)


def washer(pen: Pen) -> None:
    """A washing machine whose drum gleams as it turns."""
    pen.box((236, 238, 240), -1.3, 0, 1.3, 3.2, 0.12)
    pen.box((206, 212, 218), -1.3, 2.6, 1.3, 3.2, 0.12)
    pen.box(INK, -1.0, 2.75, 0.1, 3.02, 0.05)
    pen.ball(STEEL, 0.85, 2.88, 0.2)
    pen.oval(STEEL, 0, 1.4, 1.0)
    pen.oval(INK, 0, 1.4, 0.86)
    pen.oval(between((90, 150, 190), pen.palette.sky[1], 0.2), 0, 1.4, 0.76)
    for angle, tone in (
        (0.3, (226, 110, 100)),
        (2.2, (246, 236, 220)),
        (4.2, (240, 190, 90)),
        (5.3, (120, 170, 120)),
    ):
        pen.oval(tone, 0.42 * math.cos(angle), 1.3 + 0.36 * math.sin(angle), 0.32, 0.24)
    pen.poly(pale((170, 200, 220), 0.5), (-0.5, 1.7), (-0.2, 2.0), (-0.12, 1.9), (-0.42, 1.6))
    for number in range(3):
        x, y = pen.place(0.4 * math.cos(number * 2.1), 1.4 + 0.4 * math.sin(number * 2.1))
        pen.moving.append(
            Blink(x, y, pen.share(0.5), pen.shape, WHITE, 0.9, -number / 3, level=0.45)
        )


def shirts(pen: Pen) -> None:
    """Pressed shirts in covers on a rail."""
    pen.box(STEEL, -10, 0, 10, 0.12)
    tones = (
        (250, 250, 250),
        (180, 206, 230),
        (250, 250, 250),
        (240, 214, 206),
        (190, 196, 210),
        (250, 250, 250),
    )
    for number in range(6):
        x = -3.4 + 1.35 * number
        tone = tones[number]
        pen.curve(STEEL, 0.05, (x, 0.05), (x + 0.1, -0.15), (x, -0.3))
        pen.poly(
            dark(tone, 0.1),
            (x - 0.14, -0.35),
            (x + 0.14, -0.35),
            (x + 0.6, -0.6),
            (x + 0.58, -2.7),
            (x - 0.58, -2.7),
            (x - 0.6, -0.6),
        )
        pen.poly(
            tone,
            (x - 0.14, -0.35),
            (x + 0.05, -0.35),
            (x + 0.3, -2.7),
            (x - 0.52, -2.7),
            (x - 0.55, -0.6),
        )
        pen.line(dark(tone, 0.2), 0.03, (x, -0.5), (x, -2.6))
        pen.poly(pale(tone, 0.6), (x - 0.2, -0.33), (x, -0.5), (x + 0.2, -0.33))
