"""People, dogs, cats and fish. Pure."""

import math
from collections.abc import Sequence

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, mix, trace
from studio.camera.scenes.paints import INK
from studio.camera.scenes.pen import Pen, darken, lighten, smooth


def draw_limb(pen: Pen, colour: Colour, points: Sequence[Spot], wide: float, narrow: float) -> None:
    """Draw an arm or a leg that gets thinner from its first point on."""
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


def draw_head(pen: Pen, x: float, y: float, tilt: float = 0.0) -> None:
    """Draw a head with hair in a knot, and a neck."""
    skin, hair = _mix_skin(pen), _mix_shade(pen)
    pen.line(skin, 0.18, (x, y - 0.2), (x, y - 0.55))
    turned = pen.at(x, y, turn=tilt)
    turned.oval(hair, 0.06, 0.44, 0.15)
    turned.oval(skin, 0, 0, 0.27, 0.33)
    turned.blob(hair, *trace("-0.3,-0.02 -0.27,0.28 0,0.4 0.28,0.26 0.3,0.0 0.12,0.16 -0.16,0.18"))


def _mix_skin(pen: Pen) -> Colour:
    return mix((228, 178, 142), pen.palette.sky[0], 0.06)


def _mix_shade(pen: Pen) -> Colour:
    """Return a dark colour for hair and trousers."""
    return darken(mix(pen.palette.ground[1], pen.palette.sky[0], 0.4), 0.2)


def draw_dancer(pen: Pen) -> None:
    """Draw a ballet dancer on one leg, the other behind, the arms up."""
    tights = mix((250, 226, 220), pen.palette.sky[-1], 0.2)
    dress = mix(pen.palette.sky[1], (214, 110, 140), 0.5)
    draw_limb(pen, darken(tights, 0.12), ((0.1, 2.15), (0.9, 2.1), (1.95, 2.55)), 0.2, 0.09)
    draw_limb(pen, tights, ((0, 2.15), (0.06, 1.1), (0, 0.06)), 0.22, 0.08)
    draw_limb(pen, _mix_skin(pen), ((-0.2, 3.4), (-0.72, 4.0), (-0.3, 4.85)), 0.11, 0.07)
    draw_limb(pen, _mix_skin(pen), ((0.2, 3.4), (0.8, 3.85), (1.4, 4.4)), 0.11, 0.07)
    pen.blob(dress, *trace("-0.27,3.5 0.27,3.5 0.17,2.85 0.28,2.2 -0.28,2.2 -0.17,2.85"))
    outline = trace("-0.2,2.5 -1.2,2.1 -0.7,1.95 0.2,2.05 1.1,2.0 1.2,2.25 0.25,2.5")
    pen.blob(lighten(dress, 0.25), *outline)
    pen.blob(dress, (-0.2, 2.5), (-0.9, 2.25), (0.2, 2.2), (0.95, 2.3), (0.25, 2.5))
    draw_head(pen, -0.02, 4.05, 0.12)


def draw_street_dancer(pen: Pen) -> None:
    """Draw a dancer in a wide stance, one arm high, with a cap."""
    trousers, shirt = _mix_shade(pen), mix(pen.palette.sky[-1], (230, 120, 90), 0.5)
    draw_limb(pen, trousers, ((-0.2, 2.1), (-0.85, 1.25), (-1.0, 0.2)), 0.3, 0.17)
    draw_limb(pen, trousers, ((0.2, 2.1), (0.9, 1.5), (0.75, 0.2)), 0.3, 0.17)
    for x in (-1.1, 0.9):
        pen.box((244, 240, 232), x - 0.25, 0, x + 0.3, 0.22, 0.1)
    draw_limb(pen, _mix_skin(pen), ((-0.35, 3.3), (-0.95, 2.9), (-1.25, 2.2)), 0.13, 0.08)
    draw_limb(pen, _mix_skin(pen), ((0.35, 3.3), (0.8, 3.9), (0.9, 4.8)), 0.13, 0.08)
    pen.blob(shirt, *trace("-0.5,3.45 0,3.55 0.5,3.45 0.42,2.6 0.4,1.95 -0.4,1.95 -0.42,2.6"))
    pen.blob(darken(shirt, 0.2), (0.1, 3.4), (0.45, 3.4), (0.4, 2.0), (0.1, 2.0))
    draw_head(pen, 0, 4.05)
    pen.blob(pen.palette.accent, *trace("-0.34,4.1 -0.2,4.45 0.2,4.47 0.34,4.14 0.8,4.06 0.3,4.02"))


def draw_meditator(pen: Pen) -> None:
    """Draw a person who sits cross-legged."""
    trousers, shirt = _mix_shade(pen), mix(pen.palette.sky[1], (120, 170, 160), 0.5)
    for side in reversed(pen.sides()):
        draw_limb(side, trousers, ((0.25, 0.5), (1.1, 0.42), (-0.3, 0.2)), 0.3, 0.16)
        draw_limb(side, _mix_skin(pen), ((0.4, 1.75), (0.8, 1.2), (1.0, 0.66)), 0.13, 0.08)
    pen.blob(shirt, *trace("-0.48,1.9 0,2.0 0.48,1.9 0.36,1.2 0.45,0.42 -0.45,0.42 -0.36,1.2"))
    draw_head(pen, 0, 2.52)


def draw_tree_pose(pen: Pen) -> None:
    """Draw a person in the pose of a tree."""
    trousers, shirt = _mix_shade(pen), mix(pen.palette.sky[1], (220, 130, 120), 0.5)
    draw_limb(pen, trousers, ((0.12, 2.05), (0.85, 1.6), (0.1, 1.2)), 0.25, 0.13)
    draw_limb(pen, trousers, ((-0.02, 2.05), (0, 1.0), (0, 0.1)), 0.25, 0.12)
    for side in pen.sides():
        draw_limb(side, _mix_skin(pen), ((0.34, 3.35), (0.6, 4.2), (0.04, 4.95)), 0.12, 0.08)
    pen.blob(shirt, *trace("-0.4,3.45 0,3.52 0.4,3.45 0.25,2.75 0.34,2.0 -0.32,2.0 -0.25,2.75"))
    draw_head(pen, 0, 4.05)


def draw_kicker(pen: Pen) -> None:
    """Draw a fighter in white who kicks high."""
    white = lighten(mix((236, 234, 230), pen.palette.sky[-1], 0.2), 0.2)
    skin = _mix_skin(pen)
    pen.curve(white, 0.4, (-0.1, 2.0), (-0.2, 1.0), (-0.1, 0.3))
    pen.curve(white, 0.4, (0, 2.1), (0.9, 2.7), (1.9, 3.6))
    pen.curve(white, 0.4, (-0.2, 3.1), (-0.9, 2.7), (-0.6, 3.3))
    pen.curve(white, 0.4, (0.1, 3.1), (0.6, 2.6), (0.9, 3.2))
    pen.blob(white, (-0.5, 3.3), (0.1, 3.4), (0.3, 2.7), (0.25, 1.85), (-0.35, 1.85), (-0.4, 2.6))
    pen.oval(skin, -0.3, 3.85, 0.3, 0.36)
    for spot in ((-0.05, 0.12), (2.1, 3.75), (-0.55, 3.42), (0.95, 3.35)):
        pen.oval(skin, *spot, 0.2)
    pen.blob(INK, (-0.62, 3.9), (-0.5, 4.25), (-0.1, 4.28), (0.0, 4.0), (-0.25, 4.08))
    pen.line(INK, 0.14, (-0.42, 2.25), (0.32, 2.3))
    pen.line(INK, 0.09, (0.05, 2.25), (0.2, 1.7))


def draw_person(pen: Pen, coat: Colour = (96, 120, 150)) -> None:
    """Draw a person who stands."""
    tone = _mix_shade(pen)
    for x in (-0.2, 0.2):
        pen.curve(tone, 0.3, (x, 2.0), (x * 1.1, 1.0), (x * 1.2, 0.08))
    pen.blob(coat, (-0.55, 3.3), (0, 3.5), (0.55, 3.3), (0.5, 1.9), (-0.5, 1.9))
    for side in pen.sides():
        side.curve(darken(coat, 0.12), 0.24, (0.5, 3.2), (0.72, 2.5), (0.62, 1.8))
    pen.oval((206, 160, 128), 0, 3.95, 0.3, 0.36)
    pen.blob(tone, (-0.32, 3.95), (-0.25, 4.35), (0.2, 4.38), (0.34, 4.0), (0.1, 4.2))


def draw_family(pen: Pen) -> None:
    """Draw two grown-ups and a child hand in hand."""
    draw_person(pen.at(-1.1, 0), (90, 118, 150))
    draw_person(pen.at(1.1, 0, 0.95), (190, 110, 100))
    draw_person(pen.at(0, 0, 0.6), (226, 180, 90))


def draw_dog(pen: Pen, coat: Colour = (206, 152, 96)) -> None:
    """Draw a dog that sits and looks at you; its tail on the right."""
    pen.curve(coat, 0.26, (0.7, 0.4), (1.3, 0.7), (1.35, 1.3))
    pen.blob(darken(coat, 0.12), *trace("-0.8,0 -0.85,0.9 -0.45,2.0 0.45,2.0 0.85,0.9 0.8,0"))
    pen.blob((250, 240, 226), (-0.35, 0.05), (-0.4, 1.2), (0, 1.7), (0.4, 1.2), (0.35, 0.05))
    for side in (-1, 1):
        pen.box(coat, side * 0.32 - 0.2, 0, side * 0.32 + 0.2, 1.2, 0.18)
        pen.oval((250, 240, 226), side * 0.32, 0.12, 0.24, 0.14)
    pen.oval(coat, 0, 2.45, 0.8, 0.74)
    for side in (-1, 1):
        outline = trace("0.5,3.0 0.95,2.85 1.0,2.1 0.7,2.2")
        pen.at(0, 0, side=side).blob(darken(coat, 0.35), *outline)
        pen.oval(INK, side * 0.28, 2.6, 0.1, 0.12)
        pen.oval((255, 255, 255), side * 0.28 - 0.03, 2.64, 0.035)
    pen.oval((250, 240, 226), 0, 2.2, 0.38, 0.3)
    pen.oval(INK, 0, 2.36, 0.15, 0.1)
    pen.curve(INK, 0.05, (-0.2, 2.14), (0, 2.08), (0.2, 2.14))
    pen.oval((236, 110, 120), 0, 1.98, 0.11, 0.14)
    pen.curve(pen.palette.accent, 0.13, (-0.55, 1.86), (0, 1.72), (0.55, 1.86))


def draw_cat(pen: Pen, coat: Colour = (120, 120, 132)) -> None:
    """Draw a cat that sits, its tail around it."""
    pen.curve(darken(coat, 0.1), 0.24, (0.6, 0.15), (1.2, 0.3), (1.15, 1.1), (0.9, 1.3))
    pen.blob(coat, (-0.7, 0), (-0.65, 0.8), (-0.35, 1.6), (0.35, 1.6), (0.65, 0.8), (0.7, 0))
    pen.blob((244, 240, 236), (-0.28, 0.02), (-0.3, 0.9), (0, 1.3), (0.3, 0.9), (0.28, 0.02))
    for side in (-1, 1):
        pen.poly(coat, (side * 0.2, 2.5), (side * 0.62, 2.2), (side * 0.6, 2.95))
        pen.poly((236, 170, 170), (side * 0.32, 2.48), (side * 0.54, 2.3), (side * 0.54, 2.76))
    pen.oval(coat, 0, 2.0, 0.68, 0.6)
    for side in (-1, 1):
        pen.oval((196, 220, 110), side * 0.26, 2.1, 0.13, 0.14)
        pen.oval(INK, side * 0.26, 2.1, 0.05, 0.12)
        for y in (1.82, 1.92):
            pen.line((240, 240, 240), 0.02, (side * 0.2, 1.88), (side * 0.85, y))
    pen.poly((236, 140, 140), (-0.08, 1.95), (0.08, 1.95), (0, 1.86))


def draw_fish(pen: Pen, colour: Colour = (242, 140, 60)) -> None:
    """Draw a fish that swims to the right."""
    pen.poly(darken(colour, 0.15), (-0.45, 0), (-0.95, 0.36), (-0.85, 0), (-0.95, -0.36))
    pen.blob(colour, (-0.6, 0), (0, 0.34), (0.6, 0.06), (0.6, -0.06), (0, -0.32))
    pen.blob(lighten(colour, 0.4), (-0.4, -0.08), (0, -0.26), (0.5, -0.08), (0.1, -0.05))
    pen.poly(darken(colour, 0.2), (-0.1, 0.25), (0.15, 0.52), (0.25, 0.22))
    pen.oval((250, 250, 246), 0.36, 0.09, 0.08)
    pen.oval(INK, 0.38, 0.09, 0.045)
