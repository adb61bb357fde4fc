"""People. Pure."""

import math
from collections.abc import Sequence

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, between
from studio.camera.scenes.pen import Pen, dark, pale, smooth

INK: Colour = (44, 46, 58)


def limb(pen: Pen, colour: Colour, points: Sequence[Spot], wide: float, narrow: float) -> None:
    """An arm or a leg that gets thinner from its first point on."""
    line = smooth(points)
    last = len(line) - 1
    halves = [wide + (narrow - wide) * number / last for number in range(last + 1)]
    sides: tuple[list[Spot], list[Spot]] = ([], [])
    for number, ((x, y), half) in enumerate(zip(line, halves, strict=True)):
        (x0, y0), (x1, y1) = line[max(0, number - 1)], line[min(last, number + 1)]
        long = math.hypot(x1 - x0, y1 - y0) or 1.0
        across, up = half * (y0 - y1) / long, half * (x1 - x0) / long
        sides[0].append((x + across, y + up))
        sides[1].append((x - across, y - up))
    pen.poly(colour, *sides[0], *reversed(sides[1]))
    for (x, y), half in ((line[0], wide), (line[-1], narrow)):
        pen.oval(colour, x, y, half)


def head(pen: Pen, x: float, y: float, tilt: float = 0.0) -> None:
    """A head with hair in a knot, and a neck."""
    skin, hair = _skin(pen), shade(pen)
    pen.line(skin, 0.18, (x, y - 0.2), (x, y - 0.55))
    turned = pen.at(x, y, turn=tilt)
    turned.oval(hair, 0.06, 0.44, 0.15)
    turned.oval(skin, 0, 0, 0.27, 0.33)
    turned.blob(
        hair,
        (-0.3, -0.02),
        (-0.27, 0.28),
        (0, 0.4),
        (0.28, 0.26),
        (0.3, 0.0),
        (0.12, 0.16),
        (-0.16, 0.18),
    )


def _skin(pen: Pen) -> Colour:
    return between((228, 178, 142), pen.palette.sky[0], 0.06)


def shade(pen: Pen) -> Colour:
    """A dark colour for hair and trousers."""
    return dark(between(pen.palette.ground[1], pen.palette.sky[0], 0.4), 0.2)


def dancer(pen: Pen) -> None:
    """A ballet dancer on one leg, the other behind, the arms up."""
    tights = between((250, 226, 220), pen.palette.sky[-1], 0.2)
    dress = between(pen.palette.sky[1], (214, 110, 140), 0.5)
    limb(pen, dark(tights, 0.12), ((0.1, 2.15), (0.9, 2.1), (1.95, 2.55)), 0.2, 0.09)
    limb(pen, tights, ((0, 2.15), (0.06, 1.1), (0, 0.06)), 0.22, 0.08)
    limb(pen, _skin(pen), ((-0.2, 3.4), (-0.72, 4.0), (-0.3, 4.85)), 0.11, 0.07)
    limb(pen, _skin(pen), ((0.2, 3.4), (0.8, 3.85), (1.4, 4.4)), 0.11, 0.07)
    pen.blob(
        dress, (-0.27, 3.5), (0.27, 3.5), (0.17, 2.85), (0.28, 2.2), (-0.28, 2.2), (-0.17, 2.85)
    )
    pen.blob(
        pale(dress, 0.25),
        (-0.2, 2.5),
        (-1.2, 2.1),
        (-0.7, 1.95),
        (0.2, 2.05),
        (1.1, 2.0),
        (1.2, 2.25),
        (0.25, 2.5),
    )
    pen.blob(dress, (-0.2, 2.5), (-0.9, 2.25), (0.2, 2.2), (0.95, 2.3), (0.25, 2.5))
    head(pen, -0.02, 4.05, 0.12)


def street_dancer(pen: Pen) -> None:
    """A dancer in a wide stance, one arm high, with a cap."""
    trousers, shirt = shade(pen), between(pen.palette.sky[-1], (230, 120, 90), 0.5)
    for points in (
        ((-0.2, 2.1), (-0.85, 1.25), (-1.0, 0.2)),
        ((0.2, 2.1), (0.9, 1.5), (0.75, 0.2)),
    ):
        limb(pen, trousers, points, 0.3, 0.17)
    for x in (-1.1, 0.9):
        pen.box((244, 240, 232), x - 0.25, 0, x + 0.3, 0.22, 0.1)
    limb(pen, _skin(pen), ((-0.35, 3.3), (-0.95, 2.9), (-1.25, 2.2)), 0.13, 0.08)
    limb(pen, _skin(pen), ((0.35, 3.3), (0.8, 3.9), (0.9, 4.8)), 0.13, 0.08)
    pen.blob(
        shirt,
        (-0.5, 3.45),
        (0, 3.55),
        (0.5, 3.45),
        (0.42, 2.6),
        (0.4, 1.95),
        (-0.4, 1.95),
        (-0.42, 2.6),
    )
    pen.blob(dark(shirt, 0.2), (0.1, 3.4), (0.45, 3.4), (0.4, 2.0), (0.1, 2.0))
    head(pen, 0, 4.05)
    pen.blob(
        pen.palette.accent,
        (-0.34, 4.1),
        (-0.2, 4.45),
        (0.2, 4.47),
        (0.34, 4.14),
        (0.8, 4.06),
        (0.3, 4.02),
    )


def meditator(pen: Pen) -> None:
    """A person who sits cross-legged."""
    trousers, shirt = shade(pen), between(pen.palette.sky[1], (120, 170, 160), 0.5)
    for side in (-1, 1):
        limb(pen, trousers, ((side * 0.25, 0.5), (side * 1.1, 0.42), (side * -0.3, 0.2)), 0.3, 0.16)
        limb(
            pen, _skin(pen), ((side * 0.4, 1.75), (side * 0.8, 1.2), (side * 1.0, 0.66)), 0.13, 0.08
        )
    pen.blob(
        shirt,
        (-0.48, 1.9),
        (0, 2.0),
        (0.48, 1.9),
        (0.36, 1.2),
        (0.45, 0.42),
        (-0.45, 0.42),
        (-0.36, 1.2),
    )
    head(pen, 0, 2.52)


def tree_pose(pen: Pen) -> None:
    """A person in the pose of a tree."""
    trousers, shirt = shade(pen), between(pen.palette.sky[1], (220, 130, 120), 0.5)
    limb(pen, trousers, ((0.12, 2.05), (0.85, 1.6), (0.1, 1.2)), 0.25, 0.13)
    limb(pen, trousers, ((-0.02, 2.05), (0, 1.0), (0, 0.1)), 0.25, 0.12)
    for side in (-1, 1):
        limb(
            pen,
            _skin(pen),
            ((side * 0.34, 3.35), (side * 0.6, 4.2), (side * 0.04, 4.95)),
            0.12,
            0.08,
        )
    pen.blob(
        shirt,
        (-0.4, 3.45),
        (0, 3.52),
        (0.4, 3.45),
        (0.25, 2.75),
        (0.34, 2.0),
        (-0.32, 2.0),
        (-0.25, 2.75),
    )
    head(pen, 0, 4.05)


def kicker(pen: Pen) -> None:
    """A fighter in white who kicks high."""
    white = pale(between((236, 234, 230), pen.palette.sky[-1], 0.2), 0.2)
    skin = _skin(pen)
    for limb in (
        ((-0.1, 2.0), (-0.2, 1.0), (-0.1, 0.3)),
        ((0, 2.1), (0.9, 2.7), (1.9, 3.6)),
        ((-0.2, 3.1), (-0.9, 2.7), (-0.6, 3.3)),
        ((0.1, 3.1), (0.6, 2.6), (0.9, 3.2)),
    ):
        pen.curve(white, 0.4, *limb)
    pen.blob(white, (-0.5, 3.3), (0.1, 3.4), (0.3, 2.7), (0.25, 1.85), (-0.35, 1.85), (-0.4, 2.6))
    pen.oval(skin, -0.3, 3.85, 0.3, 0.36)
    for spot in ((-0.05, 0.12), (2.1, 3.75), (-0.55, 3.42), (0.95, 3.35)):
        pen.oval(skin, *spot, 0.2)
    pen.blob(INK, (-0.62, 3.9), (-0.5, 4.25), (-0.1, 4.28), (0.0, 4.0), (-0.25, 4.08))
    pen.line(INK, 0.14, (-0.42, 2.25), (0.32, 2.3))
    pen.line(INK, 0.09, (0.05, 2.25), (0.2, 1.7))


def person(pen: Pen, coat: Colour = (96, 120, 150)) -> None:
    """A person who stands."""
    tone = shade(pen)
    for x in (-0.2, 0.2):
        pen.curve(tone, 0.3, (x, 2.0), (x * 1.1, 1.0), (x * 1.2, 0.08))
    pen.blob(coat, (-0.55, 3.3), (0, 3.5), (0.55, 3.3), (0.5, 1.9), (-0.5, 1.9))
    for side in (-1, 1):
        pen.curve(dark(coat, 0.12), 0.24, (side * 0.5, 3.2), (side * 0.72, 2.5), (side * 0.62, 1.8))
    pen.oval((206, 160, 128), 0, 3.95, 0.3, 0.36)
    pen.blob(tone, (-0.32, 3.95), (-0.25, 4.35), (0.2, 4.38), (0.34, 4.0), (0.1, 4.2))


def family(pen: Pen) -> None:
    """Two grown-ups and a child hand in hand."""
    person(pen.at(-1.1, 0), (90, 118, 150))
    person(pen.at(1.1, 0, 0.95), (190, 110, 100))
    person(pen.at(0, 0, 0.6), (226, 180, 90))
