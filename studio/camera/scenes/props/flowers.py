"""Plants and flowers. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.motions import Fall
from studio.camera.scenes.pen import Pen, dark, pale

LEAF: Colour = (62, 118, 74)
CLAY: Colour = (186, 108, 76)
BLOOMS: tuple[Colour, ...] = (
    (236, 96, 120),
    (250, 196, 92),
    (246, 240, 236),
    (196, 120, 200),
    (244, 140, 96),
    (226, 58, 66),
)


def leaf(pen: Pen, colour: Colour, long: float, wide: float) -> None:
    """A leaf that points up from the origin."""
    pen.blob(dark(colour, 0.15), (0, 0), (-wide, long * 0.45), (0, long), (wide, long * 0.45))
    pen.blob(
        pale(colour, 0.12),
        (0, 0.02),
        (-wide * 0.9, long * 0.45),
        (0, long * 0.97),
        (-0.02, long * 0.4),
    )


def plant(pen: Pen) -> None:
    """A tall plant with large leaves in a pot."""
    for number in range(13):
        angle = 1.25 * (number / 6 - 1) + 0.1 * math.sin(number * 5.0)
        long = float(pen.chance.uniform(1.5, 2.5)) * (1 - 0.25 * abs(angle) / 1.25)
        leaf(pen.at(0, 0.9, turn=-angle), dark(LEAF, 0.25 * (number % 3) / 2), long, 0.27)
    pen.turned(CLAY, (0.42, 0), (0.6, 1.0))
    pen.box(pale(CLAY, 0.15), -0.66, 0.9, 0.66, 1.12, 0.06)


def pot_plant(pen: Pen) -> None:
    """A small plant in a pot."""
    for number in range(9):
        angle = 1.3 * (number / 4 - 1)
        leaf(pen.at(0, 0.35, turn=-angle), dark(LEAF, 0.2 * (number % 2)), 0.75, 0.13)
    pen.turned((224, 216, 204), (0.2, 0), (0.28, 0.42))


def hanging_plant(pen: Pen) -> None:
    """A plant that hangs down from the ceiling."""
    pen.line((120, 100, 80), 0.03, (-0.3, 0.3), (0, 2), (0, 14))
    pen.line((120, 100, 80), 0.03, (0.3, 0.3), (0, 2))
    for number in range(13):
        x = -0.6 + 0.1 * number
        long = float(pen.chance.uniform(0.6, 1.9))
        pen.curve(dark(LEAF, 0.3), 0.05, (x * 0.4, 0.3), (x * 1.4, 0.1), (x * 1.5, -long))
        for step in range(1, 5):
            y = 0.1 - (long + 0.1) * step / 4
            pen.oval(dark(LEAF, 0.12 * (step % 3)), x * 1.5 + 0.08 * (-1) ** step, y, 0.11, 0.14)
    pen.turned((232, 222, 206), (0.25, -0.1), (0.42, 0.36))


def bloom(pen: Pen, colour: Colour, radius: float) -> None:
    """A flower seen from the front."""
    for ring, tone in ((1.0, dark(colour, 0.15)), (0.7, colour), (0.42, pale(colour, 0.25))):
        for petal in range(6):
            angle = petal * math.pi / 3 + ring * 2
            far = radius * 0.55 * ring
            pen.oval(tone, far * math.cos(angle), far * math.sin(angle), radius * 0.46 * ring)
    pen.oval((250, 214, 110), 0, 0, radius * 0.2)


def tulip(pen: Pen, colour: Colour) -> None:
    """A tulip on its stem."""
    pen.curve(LEAF, 0.07, (0, 0), (0.05, 0.6), (0, 1.2))
    leaf(pen.at(0, 0.1, turn=0.35), LEAF, 0.9, 0.1)
    pen.blob(
        dark(colour, 0.1),
        (-0.22, 1.35),
        (-0.26, 1.75),
        (-0.08, 1.6),
        (0, 1.82),
        (0.08, 1.6),
        (0.26, 1.75),
        (0.22, 1.35),
        (0, 1.15),
    )
    pen.blob(pale(colour, 0.2), (-0.1, 1.3), (-0.14, 1.6), (0, 1.8), (0.06, 1.5), (0, 1.2))


def bucket(pen: Pen) -> None:
    """A bucket full of flowers of one or two colours."""
    first, second = (BLOOMS[int(pen.chance.integers(0, len(BLOOMS)))] for _ in range(2))
    for number in range(11):
        angle = 1.0 * (number / 5 - 1)
        long = float(pen.chance.uniform(1.0, 1.5))
        stem = pen.at(0, 0.8, turn=-angle * 0.7)
        stem.line(dark(LEAF, 0.2), 0.06, (0, 0), (0, long))
        leaf(stem.at(0, 0.3, turn=0.7), LEAF, 0.6, 0.12)
    for number in range(11):
        angle = 0.7 * (number / 5 - 1)
        long = 0.95 + 0.55 * ((number * 0.618) % 1)
        x, y = long * math.sin(angle), 0.85 + long * math.cos(angle)
        bloom(pen.at(x, y), (first, second)[number % 3 == 0], 0.36)
    pen.turned((190, 198, 204), (0.5, 0), (0.68, 1.05))
    pen.box((214, 220, 224), -0.7, 0.98, 0.7, 1.1, 0.05)


def bouquet(pen: Pen) -> None:
    """A bouquet in paper with a ribbon."""
    paper = (244, 228, 206)
    pen.poly(dark(paper, 0.2), (0, 0.5), (-1.9, 2.7), (-1.2, 3.5), (1.2, 3.5), (1.9, 2.7))
    for number in range(14):
        angle = 1.2 * (number / 6.5 - 1)
        leaf(pen.at(0, 1.2, turn=-angle), dark(LEAF, 0.15 * (number % 2)), 2.7, 0.22)
    spots = [
        (-1.1, 2.8),
        (1.1, 2.8),
        (-0.4, 3.5),
        (0.5, 3.4),
        (0, 2.9),
        (-0.75, 2.3),
        (0.75, 2.3),
        (0.05, 2.2),
        (-1.2, 3.3),
        (1.2, 3.3),
    ]
    for number, (x, y) in enumerate(spots):
        bloom(pen.at(x, y), BLOOMS[(number * 2 + int(x > 0)) % len(BLOOMS)], 0.52)
    pen.poly(paper, (0, 0.3), (-1.7, 2.4), (-0.2, 1.75), (0.1, 1.2))
    pen.poly(dark(paper, 0.08), (0, 0.3), (1.7, 2.4), (0.2, 1.75), (-0.1, 1.2))
    pen.poly(paper, (-0.15, 0.9), (0.15, 0.9), (0.5, -0.1), (-0.5, -0.1))
    ribbon = (214, 76, 92)
    pen.box(ribbon, -0.24, 0.75, 0.24, 1.0, 0.08)
    for side in (1, -1):
        bow = pen.at(0, 0.88, side=side)
        bow.blob(ribbon, (0, 0), (0.5, 0.35), (0.75, 0.1), (0.5, -0.18))
        bow.curve(ribbon, 0.1, (0, 0), (0.25, -0.5), (0.4, -0.9))


def petals(pen: Pen) -> None:
    """Petals that drift down."""
    left, top = pen.place(-4.5, 7)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(9),
            pen.share(7) * pen.shape,
            pen.shape,
            pen.share(0.2),
            12,
            0.09,
            seed,
            0.65,
            pen.share(0.5),
            (250, 190, 200),
            0.85,
        )
    )


def chrysanthemums(pen: Pen) -> None:
    """White chrysanthemums in a vase."""
    for number in range(9):
        angle = 0.85 * (number / 4 - 1)
        long = 1.3 + 0.45 * ((number * 0.618) % 1)
        x, y = long * math.sin(angle), 1.1 + long * math.cos(angle)
        pen.curve(dark(LEAF, 0.2), 0.06, (0, 1.0), (x * 0.5, 1.1 + long * 0.6), (x, y))
        leaf(pen.at(x * 0.5, 1.5, turn=-angle * 1.6), LEAF, 0.6, 0.13)
        for ring, tone in (
            (0.46, (222, 222, 214)),
            (0.34, (242, 242, 236)),
            (0.2, (255, 252, 240)),
        ):
            for petal in range(14):
                a = petal * math.pi / 7 + ring * 9
                pen.line(tone, 0.1, (x, y), (x + ring * math.cos(a), y + ring * math.sin(a)))
    pen.turned((232, 230, 224), (0.42, 0), (0.55, 0.5), (0.34, 1.2), (0.44, 1.35))
