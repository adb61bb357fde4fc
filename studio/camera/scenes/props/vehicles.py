"""Cars, vans, trucks. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink, Fall
from studio.camera.scenes.pen import Pen, dark, pale
from studio.camera.scenes.props.houses import box
from studio.camera.scenes.props.pipes import wheel

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)


def headlights(pen: Pen, x: float, y: float) -> None:
    """A light that comes on and off."""
    left, top = pen.place(x, y)
    pen.moving.append(
        Blink(left, top, pen.share(0.7), pen.shape, (255, 244, 206), 2.2, 0.1, 0.6, 0.8)
    )


def car(pen: Pen, colour: Colour | None = None) -> None:
    """A car from its side."""
    tone = colour or between((196, 62, 56), pen.palette.sky[1], 0.2)
    pen.blob(
        tone,
        (-3.0, 0.6),
        (-2.9, 1.5),
        (-1.7, 1.7),
        (-0.9, 2.6),
        (0.9, 2.65),
        (1.8, 1.75),
        (2.8, 1.5),
        (3.05, 0.7),
        (2.4, 0.45),
        (-2.4, 0.45),
    )
    pen.blob(
        pale(tone, 0.25), (-2.8, 1.3), (-1.6, 1.6), (0, 1.62), (1.8, 1.62), (2.7, 1.35), (0, 1.42)
    )
    glass = between((60, 80, 110), pen.palette.sky[-1], 0.35)
    pen.poly(glass, (-1.5, 1.72), (-0.8, 2.45), (0.0, 2.48), (0.0, 1.72))
    pen.poly(glass, (0.14, 1.72), (0.14, 2.48), (0.85, 2.45), (1.5, 1.72))
    pen.poly(pale(glass, 0.5), (-1.1, 1.8), (-0.9, 1.8), (-0.4, 2.42), (-0.6, 2.42))
    pen.line(dark(tone, 0.3), 0.04, (0.05, 0.6), (0.05, 1.7))
    pen.box(dark(tone, 0.3), 0.3, 1.35, 0.75, 1.43, 0.04)
    pen.oval((255, 244, 206), 2.85, 1.2, 0.18, 0.22)
    pen.oval((214, 50, 46), -2.9, 1.25, 0.14, 0.24)
    for x in (-1.75, 1.75):
        pen.oval(dark(tone, 0.6), x, 0.62, 0.82)
        wheel(pen.at(x, -0.06), 0.68)
    headlights(pen, 2.9, 1.2)


def lifted_car(pen: Pen) -> None:
    """A car on a lift."""
    for x in (-3.3, 3.1):
        pen.box((206, 166, 50), x, 0, x + 0.3, 5.6)
        pen.box(dark((206, 166, 50), 0.3), x + 0.2, 0, x + 0.3, 5.6)
    pen.box(INK, -3.1, 2.25, 3.1, 2.45)
    car(pen.at(0, 2.3), between((70, 120, 170), pen.palette.sky[1], 0.2))


def foam_car(pen: Pen) -> None:
    """A car covered in foam, drops falling."""
    car(pen, between((60, 110, 170), pen.palette.sky[1], 0.2))
    for number in range(26):
        x = -2.6 + 5.2 * ((number * 0.618) % 1)
        y = 1.3 + (1.2 if abs(x) < 1.1 else 0.3) + 0.25 * ((number * 0.37) % 1)
        pen.ball((240, 248, 252), x, y, 0.18 + 0.16 * ((number * 0.71) % 1))
    left, top = pen.place(-3, 5.2)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(6),
            pen.share(5) * pen.shape,
            pen.shape,
            pen.share(0.1),
            16,
            0.8,
            seed,
            4.0,
            level=0.6,
        )
    )


def wash_brushes(pen: Pen) -> None:
    """The two upright brushes of a car wash."""
    for side, tone in ((-1, (60, 120, 190)), (1, (206, 70, 70))):
        x = side * 3.6
        pen.box(STEEL, x - 0.1, 0, x + 0.1, 6.0)
        for row in range(18):
            y = 0.3 + 0.3 * row
            for arm in (-1, 1):
                pen.curve(
                    (tone, pale(tone, 0.25), dark(tone, 0.2))[row % 3],
                    0.16,
                    (x, y),
                    (x + arm * 0.6, y + 0.1),
                    (x + arm * 1.0, y - 0.25),
                )


def van(pen: Pen, colour: Colour | None = None) -> None:
    """A tradesman's van with a ladder on its roof."""
    tone = colour or (236, 236, 232)
    stripe = pen.palette.accent
    pen.line(STEEL, 0.1, (-2.7, 3.75), (1.0, 3.75))
    pen.line(STEEL, 0.1, (-2.7, 3.98), (1.0, 3.98))
    for rung in range(8):
        pen.line(STEEL, 0.07, (-2.5 + 0.46 * rung, 3.75), (-2.5 + 0.46 * rung, 3.98))
    pen.box(tone, -3.2, 0.5, 1.6, 3.6, 0.3)
    pen.blob(tone, (1.2, 0.5), (1.2, 3.5), (1.9, 3.3), (2.6, 2.1), (3.2, 1.8), (3.3, 0.6))
    pen.box(dark(tone, 0.18), -3.2, 0.45, 3.2, 0.9, 0.12)
    pen.box(stripe, -3.2, 1.7, 1.4, 2.1)
    glass = between((60, 80, 110), pen.palette.sky[-1], 0.35)
    pen.poly(glass, (1.5, 2.1), (1.5, 3.2), (1.95, 3.1), (2.5, 2.1))
    pen.line(dark(tone, 0.25), 0.04, (1.3, 0.7), (1.3, 3.4))
    pen.oval((255, 244, 206), 3.15, 1.3, 0.16, 0.24)
    for x in (-1.9, 2.1):
        pen.oval(dark(tone, 0.7), x, 0.6, 0.85)
        wheel(pen.at(x, -0.08), 0.7)
    headlights(pen, 3.2, 1.3)


def truck(pen: Pen) -> None:
    """A mover's truck, its back open and full of boxes."""
    tone = between((60, 120, 170), pen.palette.sky[1], 0.2)
    pen.box(pale(STEEL, 0.4), -3.8, 0.9, 1.2, 4.6, 0.08)
    pen.box(tone, -3.8, 2.4, 1.2, 2.9)
    pen.box(dark(STEEL, 0.6), -3.7, 1.0, -2.2, 4.5)
    for x, y in ((-3.6, 1.0), (-2.95, 1.0), (-3.3, 1.75), (-3.6, 2.5)):
        box(pen.at(x + 0.3, y, 0.42))
    pen.box(tone, 1.3, 0.7, 3.4, 3.4, 0.35)
    pen.box(between((60, 80, 110), pen.palette.sky[-1], 0.35), 2.0, 2.1, 3.2, 3.1, 0.12)
    pen.box(INK, -3.8, 0.6, 3.5, 0.95)
    pen.oval((255, 244, 206), 3.35, 1.2, 0.14, 0.22)
    for x in (-2.6, -1.2, 2.4):
        wheel(pen.at(x, -0.08), 0.66)
    headlights(pen, 3.4, 1.2)


def tractor(pen: Pen) -> None:
    """A tractor."""
    red = (196, 62, 50)
    pen.box(INK, 1.3, 2.0, 1.5, 3.2)
    pen.box(red, -0.2, 1.0, 2.3, 2.1, 0.2)
    pen.box(red, -1.7, 0.9, 0.1, 1.6, 0.15)
    for x in (-1.6, 0.0):
        pen.line(INK, 0.12, (x, 1.5), (x + 0.1, 3.4))
    pen.box(red, -1.8, 3.3, 0.4, 3.55, 0.1)
    wheel(pen.at(-1.1, -0.05), 1.1)
    wheel(pen.at(1.7, -0.05), 0.65)
