"""Toys. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (44, 46, 58)
WOOD: Colour = (150, 92, 54)
TOYS: tuple[Colour, ...] = ((230, 84, 74), (246, 190, 66), (86, 160, 110), (80, 140, 200))


def blocks(pen: Pen) -> None:
    """A tower of building blocks and a ball."""
    for x, y, tone in (
        (-1.0, 0, 0),
        (-0.2, 0, 1),
        (0.6, 0, 2),
        (-0.6, 0.8, 3),
        (0.2, 0.8, 0),
        (-0.2, 1.6, 1),
    ):
        shade = TOYS[tone]
        pen.box(dark(shade, 0.2), x - 0.38, y, x + 0.38, y + 0.78, 0.06)
        pen.box(shade, x - 0.38, y + 0.06, x + 0.3, y + 0.78, 0.06)
        pen.oval(pale(shade, 0.5), x - 0.04, y + 0.42, 0.18)
    pen.poly(TOYS[2], (-0.6, 2.4), (0.2, 2.4), (-0.2, 3.0))
    pen.ball(TOYS[0], 1.7, 0.5, 0.5)


def bear(pen: Pen) -> None:
    """A teddy bear."""
    tone = (190, 136, 88)
    for side in (-1, 1):
        pen.oval(dark(tone, 0.1), side * 0.75, 1.3, 0.32, 0.5)
        pen.oval(tone, side * 0.62, 0.3, 0.42, 0.34)
        pen.oval(pale(tone, 0.4), side * 0.66, 0.3, 0.22, 0.2)
        pen.oval(tone, side * 0.55, 2.75, 0.3)
        pen.oval(pale(tone, 0.4), side * 0.55, 2.75, 0.17)
    pen.oval(tone, 0, 0.95, 0.85, 0.9)
    pen.oval(pale(tone, 0.35), 0, 0.9, 0.5, 0.58)
    pen.oval(tone, 0, 2.25, 0.78, 0.7)
    pen.oval(pale(tone, 0.45), 0, 2.02, 0.36, 0.28)
    pen.oval(INK, 0, 2.14, 0.12, 0.08)
    for side in (-1, 1):
        pen.oval(INK, side * 0.28, 2.4, 0.08)
    pen.blob(pen.palette.accent, (0, 1.6), (-0.4, 1.78), (-0.4, 1.45))
    pen.blob(pen.palette.accent, (0, 1.6), (0.4, 1.78), (0.4, 1.45))


def slide(pen: Pen) -> None:
    """A slide with a ladder and a little house."""
    pen.line(TOYS[3], 0.14, (-1.6, 0), (-1.2, 3.2))
    pen.line(TOYS[3], 0.14, (-0.4, 0), (-0.4, 3.2))
    for step in range(5):
        pen.line(TOYS[1], 0.1, (-1.55 + 0.06 * step, 0.5 + 0.5 * step), (-0.4, 0.5 + 0.5 * step))
    pen.box(TOYS[1], -1.4, 2.6, -0.2, 2.8)
    pen.poly(TOYS[0], (-1.7, 4.0), (0.0, 4.0), (-0.85, 5.0))
    for x in (-1.4, -0.3):
        pen.line(TOYS[2], 0.12, (x, 2.7), (x, 4.0))
    pen.curve(dark(TOYS[0], 0.15), 0.5, (-0.3, 2.75), (0.7, 1.9), (1.7, 0.7), (2.8, 0.35))
    pen.curve(pale(TOYS[0], 0.2), 0.2, (-0.3, 2.85), (0.7, 2.0), (1.7, 0.8), (2.8, 0.45))


def balloons(pen: Pen) -> None:
    """Balloons on strings, which sway."""
    pen.loose(_balloons, (-1.45, -3.1, 1.45, 1.5), 0.03, 3.4)


def _balloons(pen: Pen) -> None:
    for x, y, tone in ((-0.7, 0.2, TOYS[0]), (0.7, 0.3, TOYS[3]), (0, 0.75, TOYS[1])):
        pen.curve((236, 232, 226), 0.03, (x, y - 0.7), (x * 0.5, y - 1.8), (0, -3.0))
        pen.blob(dark(tone, 0.12), (x - 0.55, y), (x, y + 0.68), (x + 0.55, y), (x, y - 0.72))
        pen.blob(
            tone, (x - 0.5, y + 0.03), (x - 0.06, y + 0.63), (x + 0.38, y), (x - 0.04, y - 0.6)
        )
        pen.oval(pale(tone, 0.6), x - 0.2, y + 0.28, 0.12, 0.17)


def small_chairs(pen: Pen) -> None:
    """A low table with small chairs."""
    for x, tone in ((-1.9, TOYS[0]), (1.9, TOYS[3])):
        pen.box(tone, x - 0.45, 0.65, x + 0.45, 0.85, 0.08)
        for leg in (-0.35, 0.35):
            pen.line(dark(tone, 0.2), 0.1, (x + leg, 0), (x + leg, 0.7))
        back = -0.45 if x < 0 else 0.3
        pen.box(tone, x + back, 0.8, x + back + 0.15, 1.7, 0.07)
    for leg in (-1.0, 1.0):
        pen.line(WOOD, 0.14, (leg, 0), (leg, 1.1))
    pen.box((250, 232, 190), -1.3, 1.05, 1.3, 1.25, 0.08)
    for number in range(4):
        pen.at(-0.7 + 0.4 * number, 1.25, turn=0.3 * (-1) ** number).box(
            TOYS[number], -0.05, 0, 0.05, 0.6, 0.02
        )
