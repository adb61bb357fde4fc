"""Fish and what is made of it. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Fall
from studio.camera.scenes.pen import Pen, dark, pale
from studio.camera.scenes.props.animals import fish
from studio.camera.scenes.props.food import plate

INK: Colour = (44, 46, 58)
RED: Colour = (206, 62, 42)
LEAF: Colour = (76, 140, 70)


def sashimi(pen: Pen) -> None:
    """A long plate of raw fish in slices."""
    pen.box(dark((96, 110, 120), 0.3), -2.3, -0.2, 2.3, 0.16, 0.16)
    pen.box((110, 126, 138), -2.3, -0.08, 2.3, 0.24, 0.14)
    tones = ((246, 130, 96), (240, 214, 200), (196, 60, 66), (246, 130, 96), (240, 214, 200))
    for group, tone in enumerate(tones):
        for piece in range(3):
            x = -1.85 + 0.9 * group + 0.2 * piece
            slice_ = pen.at(x, 0.22, turn=-0.5)
            slice_.box(dark(tone, 0.12), -0.14, 0, 0.16, 0.62, 0.1)
            slice_.box(tone, -0.14, 0.03, 0.12, 0.62, 0.1)
            slice_.line(pale(tone, 0.5), 0.04, (-0.06, 0.15), (0.02, 0.55))
    for x in (-2.05, -0.95, 0.1, 1.0, 2.05):
        pen.blob(LEAF, (x - 0.2, 0.2), (x - 0.12, 0.55), (x, 0.75), (x + 0.14, 0.5), (x + 0.2, 0.2))


def fish_tank(pen: Pen) -> None:
    """A tank with fish, bubbles rising."""
    tone = between((64, 150, 190), pen.palette.sky[1], 0.2)
    pen.box(INK, -2.7, 0, 2.7, 0.7)
    for step in range(12):
        pen.box(
            between(dark(tone, 0.35), pale(tone, 0.3), step / 12),
            -2.6,
            0.6 + 0.25 * step,
            2.6,
            0.87 + 0.25 * step,
        )
    for x in (-2.1, -1.7, 1.6, 2.1):
        pen.curve((60, 140, 100), 0.13, (x, 0.7), (x + 0.15, 1.2), (x - 0.1, 1.7), (x + 0.08, 2.2))
    pen.blob(
        (150, 130, 110),
        (-2.6, 0.65),
        (-1.0, 0.95),
        (0.5, 0.75),
        (2.6, 0.95),
        (2.6, 0.6),
        (-2.6, 0.6),
    )
    for x, y, size, colour in (
        (-1.3, 1.6, 0.9, (242, 140, 60)),
        (0.6, 2.3, 1.1, (200, 206, 214)),
        (1.3, 1.4, 0.8, (230, 90, 70)),
        (-0.4, 2.8, 0.8, (200, 206, 214)),
    ):
        fish(pen.at(x, y, size), colour)
    for x in (-2.7, 2.58):
        pen.box((214, 222, 228), x, 0.5, x + 0.12, 3.7)
    pen.box((214, 222, 228), -2.7, 3.55, 2.7, 3.7)
    pen.poly(pale(tone, 0.3), (-2.2, 0.9), (-2.0, 0.9), (-1.3, 3.5), (-1.5, 3.5))
    pen.glows(0, 2.1, 2.8, 0.45, pale((120, 200, 230), 0.3))
    left, top = pen.place(-2.3, 3.5)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(4.6),
            pen.share(2.7) * pen.shape,
            pen.shape,
            pen.share(0.16),
            14,
            -0.3,
            seed,
            sway=pen.share(0.1),
            level=0.65,
        )
    )


def crab(pen: Pen) -> None:
    """A red crab on a plate."""
    plate(pen, 2.1)
    for side in (1, -1):
        half = pen.at(0, 0.35, side=side)
        for number in range(3):
            half.curve(
                dark(RED, 0.1),
                0.13,
                (0.6, 0.1),
                (1.2, 0.35 - 0.2 * number),
                (1.6, -0.05 - 0.18 * number),
            )
        half.curve(RED, 0.2, (0.6, 0.4), (1.2, 0.8), (1.1, 1.3))
        half.blob(RED, (0.9, 1.2), (0.85, 1.7), (1.1, 1.5), (1.3, 1.75), (1.35, 1.2))
    pen.blob(RED, (-0.9, 0.2), (-0.8, 0.75), (0, 0.95), (0.8, 0.75), (0.9, 0.2), (0, 0.05))
    pen.blob(pale(RED, 0.25), (-0.6, 0.55), (0, 0.82), (0.5, 0.6), (0, 0.5))
    for x in (-0.25, 0.25):
        pen.ball(INK, x, 0.98, 0.09)
