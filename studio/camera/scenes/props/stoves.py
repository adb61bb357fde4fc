"""Pots, pans, ovens and machines for coffee. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.vessels import small_cup, steam

COFFEE: Colour = (84, 48, 30)
INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)


def pot(pen: Pen, colour: Colour = STEEL) -> None:
    """A big pot on the fire, steaming."""
    for x in (-0.8, -0.4, 0, 0.4, 0.8):
        pen.poly((90, 150, 250), (x - 0.12, 0), (x + 0.12, 0), (x, 0.28))
    pen.turned(colour, (1.25, 0.2), (1.25, 1.9))
    for x in (-1.42, 1.42):
        pen.box(dark(colour, 0.4), x - 0.16, 1.3, x + 0.16, 1.5, 0.08)
    pen.oval(pale(colour, 0.3), 0, 1.9, 1.25, 0.2)
    pen.oval((222, 206, 178), 0, 1.88, 1.12, 0.15)
    steam(pen.at(0, 2.0), 1.5)


def pan(pen: Pen) -> None:
    """A frying pan over flames that flicker."""
    for number in range(7):
        x = -0.9 + 0.3 * number
        tall = 0.32 + 0.16 * (number % 2)
        pen.poly((250, 150, 50), (x - 0.13, 0), (x + 0.13, 0), (x, tall))
    pen.poly(INK, (-1.3, 0.85), (1.3, 0.85), (1.0, 0.38), (-1.0, 0.38))
    pen.line(INK, 0.18, (1.2, 0.78), (2.6, 1.15))
    pen.oval(dark(INK, 0.3), 0, 0.85, 1.3, 0.16)
    for x, tone in (
        (-0.6, (222, 92, 60)),
        (-0.1, (120, 170, 80)),
        (0.4, (240, 200, 90)),
        (0.75, (222, 92, 60)),
    ):
        pen.oval(tone, x, 0.92, 0.26, 0.14)
    x, y = pen.place(0, 0.2)
    pen.moving.append(Blink(x, y, pen.share(1.2), pen.shape, (255, 160, 70), 0.6, level=0.35))
    steam(pen.at(0, 1.0), 1.2)


def kettle(pen: Pen, colour: Colour = STEEL) -> None:
    """A kettle with a long thin spout."""
    pen.curve(colour, 0.12, (0.5, 0.4), (1.0, 0.5), (1.1, 1.2), (1.35, 1.35))
    pen.curve(INK, 0.14, (-0.5, 1.2), (-1.05, 1.1), (-1.0, 0.3), (-0.6, 0.3))
    pen.turned(colour, (0.66, 0), (0.62, 0.5), (0.4, 1.2))
    pen.turned(dark(colour, 0.15), (0.42, 1.2), (0.3, 1.36), (0.08, 1.42))
    pen.ball(INK, 0, 1.5, 0.12)


def espresso_machine(pen: Pen) -> None:
    """A machine for espresso, with cups under it."""
    red = between((170, 44, 44), pen.palette.sky[1], 0.2)
    pen.box(dark(STEEL, 0.3), -2.0, 0, 2.0, 0.4, 0.08)
    pen.box(dark(STEEL, 0.55), -1.7, 0.4, 1.7, 1.6)
    pen.box(STEEL, -2.0, 0.3, -1.6, 2.6, 0.12)
    pen.box(STEEL, 1.6, 0.3, 2.0, 2.6, 0.12)
    pen.box(red, -2.1, 1.5, 2.1, 2.5, 0.2)
    pen.box(pale(red, 0.35), -2.0, 2.3, 2.0, 2.4, 0.05)
    for x in (-0.85, 0.85):
        pen.oval((244, 240, 230), x * 1.7, 2.0, 0.24)
        pen.line(INK, 0.05, (x * 1.7, 2.0), (x * 1.7 + 0.1, 2.14))
        pen.box(INK, x - 0.34, 1.3, x + 0.34, 1.52, 0.05)
        pen.line((70, 44, 30), 0.16, (x, 1.35), (x + 0.5, 1.12))
        pen.box((96, 58, 36), x - 0.06, 0.75, x - 0.03, 1.3)
        pen.box((96, 58, 36), x + 0.03, 0.75, x + 0.06, 1.3)
        small_cup(pen.at(x, 0.4, 0.9))
        steam(pen.at(x, 0.9), 0.5)
    for number in range(5):
        small_cup(pen.at(-1.4 + 0.7 * number, 2.5, 0.9))


def grinder(pen: Pen) -> None:
    """A grinder full of beans."""
    pen.box(INK, -0.5, 0, 0.5, 0.3, 0.08)
    pen.box(INK, -0.42, 0.2, 0.42, 1.5, 0.1)
    pen.poly((214, 222, 226), (-0.3, 1.5), (0.3, 1.5), (0.62, 2.5), (-0.62, 2.5))
    pen.poly(COFFEE, (-0.27, 1.5), (0.27, 1.5), (0.5, 2.2), (-0.5, 2.2))
    pen.box(INK, -0.66, 2.5, 0.66, 2.62, 0.04)


def tap(pen: Pen) -> None:
    """A bar's tap with three handles."""
    pen.box(STEEL, -0.12, 0, 0.12, 1.6)
    pen.box(STEEL, -1.0, 1.5, 1.0, 1.8, 0.14)
    for x in (-0.75, 0, 0.75):
        pen.line(STEEL, 0.1, (x, 1.5), (x, 1.2))
        pen.poly((90, 50, 34), (x - 0.08, 1.75), (x + 0.08, 1.75), (x + 0.14, 2.5), (x - 0.14, 2.5))


def oven(pen: Pen) -> None:
    """A deck oven with bread in its glow."""
    pen.box(STEEL, -2.3, 0, 2.3, 4.4, 0.1)
    for y in (0.5, 2.4):
        pen.box(INK, -2.0, y, 1.5, y + 1.6, 0.1)
        pen.box((250, 150, 60), -1.85, y + 0.15, 1.35, y + 1.45)
        pen.box((255, 190, 100), -1.7, y + 0.3, 1.2, y + 1.3)
        for x in (-1.3, -0.5, 0.3, 0.9):
            pen.blob(
                (170, 100, 48),
                (x - 0.32, y + 0.35),
                (x - 0.25, y + 0.68),
                (x, y + 0.78),
                (x + 0.25, y + 0.68),
                (x + 0.32, y + 0.35),
            )
        pen.box(dark(STEEL, 0.4), -1.8, y + 0.28, 1.3, y + 0.35)
        pen.box(WHITE, -1.7, y + 1.68, 1.2, y + 1.76, 0.04)
        for knob in (0.4, 0.9):
            pen.ball(INK, 1.9, y + knob, 0.14)
        pen.glows(-0.2, y + 0.8, 1.8, 0.5, (255, 160, 80))
        left, top = pen.place(-0.2, y + 0.8)
        pen.moving.append(
            Blink(left, top, pen.share(1.6), pen.shape, (255, 190, 110), 2.4 + y * 0.3, level=0.25)
        )


def stove(pen: Pen) -> None:
    """A range of steel, its top 1.7 above the origin, and the hood above it."""
    pen.box(dark(STEEL, 0.25), -1.95, 0, 1.95, 1.7, 0.03)
    for x in (-1.85, 0.05):
        pen.box(STEEL, x, 0.1, x + 1.8, 1.36, 0.04)
        pen.box(INK, x + 0.2, 0.3, x + 1.6, 0.95, 0.05)
        pen.box((250, 150, 60), x + 0.28, 0.38, x + 1.52, 0.87, 0.03)
        pen.box(pale(STEEL, 0.4), x + 0.2, 1.08, x + 1.6, 1.14, 0.02)
    for number in range(6):
        pen.ball(INK, -1.6 + 0.64 * number, 1.49, 0.07)
    pen.box(pale(STEEL, 0.25), -2.05, 1.6, 2.05, 1.74, 0.02)
    pen.poly(dark(STEEL, 0.12), (-1.9, 3.6), (1.9, 3.6), (1.1, 4.4), (-1.1, 4.4))
    pen.box(pale(STEEL, 0.2), -1.95, 3.5, 1.95, 3.66, 0.02)
    pen.box(STEEL, -0.6, 4.3, 0.6, 9)
    pen.glows(0, 2.4, 1.5, 0.4, (255, 214, 160))
