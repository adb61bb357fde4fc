"""People as silhouettes, and animals. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, between
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (44, 46, 58)


def body(
    pen: Pen,
    colour: Colour,
    limbs: tuple[tuple[Spot, ...], ...],
    trunk: tuple[Spot, ...],
    head: Spot,
) -> None:
    """A person: a trunk, limbs that taper, and a head."""
    for limb in limbs:
        pen.curve(colour, 0.27, *limb)
    pen.blob(colour, *trunk)
    pen.line(colour, 0.2, head, (head[0] * 0.9 + trunk[0][0] * 0.1, head[1] - 0.45))
    pen.oval(colour, *head, 0.3, 0.36)


def shade(pen: Pen) -> Colour:
    """The colour of somebody against the light."""
    return dark(between(pen.palette.ground[1], pen.palette.sky[0], 0.4), 0.2)


def dancer(pen: Pen) -> None:
    """A dancer on one leg, the other behind, the arms up."""
    tone = shade(pen)
    body(
        pen,
        tone,
        (
            ((0, 2.0), (0.05, 1.0), (0, 0.05)),
            ((0.1, 2.1), (0.9, 2.0), (1.9, 2.5)),
            ((-0.1, 3.4), (-0.7, 4.1), (-0.3, 4.9)),
            ((0.1, 3.4), (0.8, 3.9), (1.4, 4.4)),
        ),
        ((-0.25, 3.5), (0.25, 3.5), (0.2, 2.8), (0.3, 2.1), (-0.25, 2.1), (-0.15, 2.8)),
        (-0.05, 4.1),
    )
    skirt = between(pen.palette.accent, tone, 0.35)
    pen.blob(
        skirt,
        (-0.2, 2.5),
        (-1.2, 2.0),
        (-0.6, 1.85),
        (0.2, 1.95),
        (1.1, 1.9),
        (1.2, 2.2),
        (0.25, 2.5),
    )
    pen.oval(tone, -0.12, 4.5, 0.14)


def street_dancer(pen: Pen) -> None:
    """A dancer in a wide stance, one arm high."""
    tone = shade(pen)
    body(
        pen,
        tone,
        (
            ((-0.15, 2.0), (-0.9, 1.2), (-1.0, 0.05)),
            ((0.15, 2.0), (0.9, 1.5), (0.75, 0.05)),
            ((-0.2, 3.3), (-0.9, 2.9), (-1.2, 2.2)),
            ((0.2, 3.3), (0.8, 3.9), (0.9, 4.8)),
        ),
        ((-0.35, 3.5), (0.35, 3.5), (0.35, 2.6), (0.3, 1.9), (-0.3, 1.9), (-0.35, 2.6)),
        (0, 4.0),
    )
    pen.blob(pen.palette.accent, (-0.36, 4.05), (0, 4.42), (0.36, 4.08), (0.75, 4.02), (0.3, 3.98))


def meditator(pen: Pen) -> None:
    """Somebody who sits cross-legged."""
    tone = shade(pen)
    body(
        pen,
        tone,
        (
            ((-0.2, 0.5), (-1.1, 0.5), (-0.2, 0.18)),
            ((0.2, 0.5), (1.1, 0.5), (0.2, 0.18)),
            ((-0.3, 1.8), (-0.75, 1.2), (-1.0, 0.62)),
            ((0.3, 1.8), (0.75, 1.2), (1.0, 0.62)),
        ),
        ((-0.38, 1.95), (0.38, 1.95), (0.32, 1.2), (0.42, 0.35), (-0.42, 0.35), (-0.32, 1.2)),
        (0, 2.5),
    )


def tree_pose(pen: Pen) -> None:
    """Somebody in the pose of a tree."""
    tone = shade(pen)
    body(
        pen,
        tone,
        (
            ((0, 2.0), (0, 1.0), (0, 0.05)),
            ((0.1, 2.0), (0.8, 1.6), (0.1, 1.2)),
            ((-0.2, 3.4), (-0.5, 4.2), (0, 4.9)),
            ((0.2, 3.4), (0.5, 4.2), (0, 4.9)),
        ),
        ((-0.3, 3.5), (0.3, 3.5), (0.22, 2.8), (0.3, 2.0), (-0.28, 2.0), (-0.22, 2.8)),
        (0, 4.05),
    )


def kicker(pen: Pen) -> None:
    """A fighter in white who kicks high."""
    white = pale(between((236, 234, 230), pen.palette.sky[-1], 0.2), 0.2)
    skin = between((206, 160, 128), pen.palette.sky[0], 0.15)
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
    """Somebody who stands."""
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


def dog(pen: Pen, coat: Colour = (206, 152, 96)) -> None:
    """A dog that sits and looks at you; its tail on the right."""
    pen.curve(coat, 0.26, (0.7, 0.4), (1.3, 0.7), (1.35, 1.3))
    pen.blob(
        dark(coat, 0.12), (-0.8, 0), (-0.85, 0.9), (-0.45, 2.0), (0.45, 2.0), (0.85, 0.9), (0.8, 0)
    )
    pen.blob((250, 240, 226), (-0.35, 0.05), (-0.4, 1.2), (0, 1.7), (0.4, 1.2), (0.35, 0.05))
    for side in (-1, 1):
        pen.box(coat, side * 0.32 - 0.2, 0, side * 0.32 + 0.2, 1.2, 0.18)
        pen.oval((250, 240, 226), side * 0.32, 0.12, 0.24, 0.14)
    pen.oval(coat, 0, 2.45, 0.8, 0.74)
    for side in (-1, 1):
        pen.blob(
            dark(coat, 0.35),
            (side * 0.5, 3.0),
            (side * 0.95, 2.85),
            (side * 1.0, 2.1),
            (side * 0.7, 2.2),
        )
        pen.oval(INK, side * 0.28, 2.6, 0.1, 0.12)
        pen.oval((255, 255, 255), side * 0.28 - 0.03, 2.64, 0.035)
    pen.oval((250, 240, 226), 0, 2.2, 0.38, 0.3)
    pen.oval(INK, 0, 2.36, 0.15, 0.1)
    pen.curve(INK, 0.05, (-0.2, 2.14), (0, 2.08), (0.2, 2.14))
    pen.oval((236, 110, 120), 0, 1.98, 0.11, 0.14)
    pen.curve(pen.palette.accent, 0.13, (-0.55, 1.86), (0, 1.72), (0.55, 1.86))


def cat(pen: Pen, coat: Colour = (120, 120, 132)) -> None:
    """A cat that sits, its tail around it."""
    pen.curve(dark(coat, 0.1), 0.24, (0.6, 0.15), (1.2, 0.3), (1.15, 1.1), (0.9, 1.3))
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


def fish(pen: Pen, colour: Colour = (242, 140, 60)) -> None:
    """A fish that swims to the right."""
    pen.poly(dark(colour, 0.15), (-0.45, 0), (-0.95, 0.36), (-0.85, 0), (-0.95, -0.36))
    pen.blob(colour, (-0.6, 0), (0, 0.34), (0.6, 0.06), (0.6, -0.06), (0, -0.32))
    pen.blob(pale(colour, 0.4), (-0.4, -0.08), (0, -0.26), (0.5, -0.08), (0.1, -0.05))
    pen.poly(dark(colour, 0.2), (-0.1, 0.25), (0.15, 0.52), (0.25, 0.22))
    pen.oval((250, 250, 246), 0.36, 0.09, 0.08)
    pen.oval(INK, 0.38, 0.09, 0.045)
