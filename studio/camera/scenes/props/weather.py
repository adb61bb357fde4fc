"""Umbrellas, rain, snow. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Fall
from studio.camera.scenes.pen import Pen, pale

WOOD: Colour = (150, 102, 66)


def umbrella(pen: Pen) -> None:
    """An open umbrella, broad enough for those under it."""
    tone = between((206, 74, 66), pen.palette.accent, 0.3)
    pen.line(WOOD, 0.12, (0, 0), (0, 3.4))
    for number in range(6):
        left = -3.0 + number
        shade = tone if number % 2 else pale(tone, 0.2)
        pen.blob(
            shade,
            (left, 2.9),
            (left + 0.5, 3.05),
            (left + 1, 2.9),
            ((left + 1) * 0.6, 4.2),
            (0, 4.8),
            (left * 0.6, 4.2),
        )
    pen.line(WOOD, 0.12, (0, 4.7), (0, 5.1))


def rain(pen: Pen) -> None:
    """Rain that falls."""
    left, top = pen.place(-5, 7)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(10),
            pen.share(7) * pen.shape,
            pen.shape,
            pen.share(0.07),
            14,
            0.9,
            seed,
            9.0,
            level=0.5,
        )
    )


def snow(pen: Pen) -> None:
    """Snow or seeds that sink slowly."""
    left, top = pen.place(-5, 7)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(10),
            pen.share(7) * pen.shape,
            pen.shape,
            pen.share(0.14),
            14,
            0.05,
            seed,
            sway=pen.share(0.4),
            level=0.55,
        )
    )
