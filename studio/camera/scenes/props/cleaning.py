"""What is cleaned and painted with. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
WOOD: Colour = (146, 98, 62)
BLUE: Colour = (58, 110, 170)


def brush(pen: Pen) -> None:
    """A broad brush with paint on it."""
    pen.box(WOOD, -0.12, 0.9, 0.12, 2.3, 0.1)
    pen.box(STEEL, -0.45, 0.7, 0.45, 1.05)
    pen.poly((206, 170, 120), (-0.45, 0.75), (0.45, 0.75), (0.4, 0), (-0.4, 0))
    pen.poly(pen.palette.accent, (-0.42, 0.35), (0.42, 0.35), (0.38, -0.08), (-0.38, -0.08))


def paint_can(pen: Pen, colour: Colour = (96, 150, 170)) -> None:
    """A can of paint that runs over its rim."""
    pen.turned(STEEL, (0.7, 0), (0.7, 1.3))
    pen.oval(dark(STEEL, 0.2), 0, 1.3, 0.7, 0.15)
    pen.oval(colour, 0, 1.3, 0.62, 0.12)
    pen.blob(colour, (-0.5, 1.3), (-0.45, 0.7), (-0.3, 1.0), (-0.1, 0.5), (0.05, 1.0), (0.2, 1.25))


def roller(pen: Pen) -> None:
    """A paint roller on its pole, and the stripe it has painted."""
    tone = between(pen.palette.accent, (240, 236, 226), 0.25)
    pen.box(tone, -0.9, 1.0, 0.9, 4.4)
    pen.box(pale(tone, 0.2), -0.9, 1.0, -0.6, 4.4)
    pen.box((240, 240, 236), -1.0, 4.2, 1.0, 4.85, 0.2)
    pen.line(STEEL, 0.08, (1.0, 4.5), (1.3, 4.5), (1.3, 3.9), (0.2, 3.7), (0.2, 3.2))
    pen.box(WOOD, 0.08, -0.4, 0.32, 3.3, 0.1)


def bucket_mop(pen: Pen) -> None:
    """A bucket of suds with a mop."""
    pen.line((200, 160, 110), 0.14, (0.3, 0.8), (1.1, 5.0))
    for x, y, r in ((-0.5, 1.55, 0.3), (0, 1.65, 0.36), (0.5, 1.55, 0.3)):
        pen.ball((240, 248, 252), x, y, r)
    pen.turned(BLUE, (0.75, 0), (1.0, 1.5))
    pen.box(pale(BLUE, 0.3), -1.05, 1.38, 1.05, 1.54, 0.06)


def sprays(pen: Pen) -> None:
    """Bottles of cleaner, and a sponge."""
    for number, tone in enumerate(((90, 190, 160), (240, 170, 70), (110, 150, 220))):
        can = pen.at(-1.2 + 0.95 * number, 0)
        can.turned(tone, (0.36, 0), (0.38, 0.9), (0.14, 1.25))
        can.box(WHITE, -0.24, 0.3, 0.24, 0.75)
        can.box(INK, -0.1, 1.2, 0.12, 1.45)
        can.poly((236, 80, 70), (-0.5, 1.75), (0.2, 1.75), (0.25, 1.4), (-0.1, 1.45))
    pen.box((250, 214, 90), 1.3, 0, 2.2, 0.5, 0.1)
    pen.box((110, 170, 90), 1.3, 0.42, 2.2, 0.6, 0.06)


def squeegee(pen: Pen) -> None:
    """A clean stripe wiped over a window, with the squeegee at its end."""
    glass = between(pen.palette.sky[-1], (200, 224, 236), 0.5)
    pen.poly(pale(glass, 0.5), (-2.0, 3.9), (0.4, 3.9), (0.4, 1.4), (-1.2, 1.2), (-2.0, 1.8))
    pen.line(INK, 0.14, (-1.4, 1.3), (0.6, 1.3))
    pen.line((240, 170, 60), 0.18, (-0.4, 1.3), (-0.3, -0.4))
    for number in range(7):
        x, y = pen.place(-1.7 + 0.5 * ((number * 3) % 7) * 0.6, 3.5 - 0.28 * number)
        pen.moving.append(
            Blink(x, y, pen.share(0.3), pen.shape, WHITE, 2.0, number * 0.29, level=0.85)
        )


def sparkle(pen: Pen) -> None:
    """Three stars of light that twinkle."""
    for number, (x, y) in enumerate(((-1.3, 0.4), (0, 1.2), (1.3, 0.1))):
        star = pen.at(x, y, 1.0 - 0.2 * (number % 2))
        star.poly(
            (255, 252, 236),
            (0, 0.5),
            (0.09, 0.09),
            (0.5, 0),
            (0.09, -0.09),
            (0, -0.5),
            (-0.09, -0.09),
            (-0.5, 0),
            (-0.09, 0.09),
        )
        left, top = pen.place(x, y)
        pen.moving.append(
            Blink(left, top, pen.share(0.6), pen.shape, WHITE, 1.7, number * 0.4, level=0.8)
        )


def iron(pen: Pen) -> None:
    """An iron that steams."""
    tone = between((80, 150, 190), pen.palette.sky[1], 0.2)
    pen.poly(STEEL, (-1.7, 0), (1.3, 0), (1.3, 0.22), (-1.55, 0.22))
    pen.blob(tone, (-1.55, 0.22), (-0.6, 1.0), (1.2, 1.1), (1.3, 0.22))
    pen.curve(INK, 0.24, (-0.6, 0.95), (-0.4, 1.6), (0.8, 1.7), (1.1, 1.0))
    pen.oval(pale(tone, 0.4), -0.3, 0.6, 0.3, 0.12)
