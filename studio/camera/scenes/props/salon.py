"""A hairdresser's things. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
BRASS: Colour = (206, 164, 92)
RED: Colour = (204, 60, 52)
BLUE: Colour = (58, 110, 170)


def scissors(pen: Pen) -> None:
    """Open scissors that point up."""
    for side in (1, -1):
        half = pen.at(0, 1.4, turn=side * 0.22, side=side)
        half.poly(pale(STEEL, 0.2), (-0.12, 0), (0.1, 0), (0.02, 2.4))
        half.poly(dark(STEEL, 0.2), (-0.02, 0), (0.1, 0), (0.02, 2.4))
        half.curve(STEEL, 0.14, (0, 0.05), (0.05, -0.4), (0.1, -0.7))
        half.oval(INK, 0.24, -1.02, 0.42, 0.5)
        half.oval(between(pen.palette.sky[1], pen.palette.ground[0], 0.4), 0.24, -1.02, 0.27, 0.34)
    pen.ball(BRASS, 0, 1.4, 0.11)


def comb(pen: Pen) -> None:
    """A comb."""
    pen.box(INK, -1.3, 0.5, 1.3, 0.8, 0.1)
    for number in range(24):
        pen.box(INK, -1.25 + 0.105 * number, 0, -1.2 + 0.105 * number, 0.55)


def dryer(pen: Pen) -> None:
    """A hair dryer."""
    tone = between((226, 120, 140), pen.palette.sky[1], 0.3)
    pen.poly(dark(tone, 0.2), (-0.2, 1.0), (0.35, 1.0), (0.2, -0.4), (-0.25, -0.4))
    pen.box(INK, 0.9, 0.85, 1.5, 1.5, 0.08)
    pen.box(tone, -0.9, 0.75, 1.1, 1.65, 0.42)
    pen.oval(pale(tone, 0.4), -0.5, 1.4, 0.28, 0.09)
    pen.oval(INK, -0.62, 1.2, 0.2, 0.32)


def salon_chair(pen: Pen) -> None:
    """A hairdresser's chair."""
    tone = between((60, 52, 60), pen.palette.sky[0], 0.2)
    pen.oval(STEEL, 0, 0.1, 0.95, 0.16)
    pen.box(STEEL, -0.14, 0.1, 0.14, 1.0)
    pen.box(tone, -1.0, 0.95, 1.0, 1.5, 0.2)
    pen.box(tone, -0.9, 1.5, 0.9, 3.3, 0.3)
    pen.box(pale(tone, 0.15), -0.72, 1.65, 0.72, 3.1, 0.22)
    for x in (-1.25, 0.97):
        pen.box(STEEL, x, 1.3, x + 0.28, 2.0, 0.1)
        pen.box(tone, x - 0.06, 1.9, x + 0.34, 2.12, 0.1)
    pen.line(STEEL, 0.1, (-0.6, 0.75), (-0.9, 0.35))


def barber_pole(pen: Pen) -> None:
    """A barber's pole whose stripes climb."""
    for y, high in ((-0.1, 0.3), (3.0, 0.3)):
        pen.box(STEEL, -0.5, y, 0.5, y + high, 0.08)
    pen.ball(STEEL, 0, 3.5, 0.28)
    pen.box((244, 242, 238), -0.4, 0.2, 0.4, 3.0)
    for number in range(-1, 7):
        tone = (RED, BLUE)[number % 2]
        y = 0.2 + 0.45 * number
        low, high = max(0.2, y), min(3.0, y + 0.72)
        if low < high:
            pen.poly(
                tone,
                (-0.4, max(0.2, min(3.0, y))),
                (-0.4, max(0.2, min(3.0, y + 0.22))),
                (0.4, max(0.2, min(3.0, y + 0.72))),
                (0.4, max(0.2, min(3.0, y + 0.5))),
            )
    pen.box(pale(WHITE, 0.2), -0.3, 0.2, -0.18, 3.0)
    pen.glows(0, 1.6, 1.8, 0.45, (255, 244, 220))
    for number in range(3):
        x, y = pen.place(0, 0.7 + 0.9 * number)
        pen.moving.append(
            Blink(x, y, pen.share(0.5), pen.shape, WHITE, 1.2, -number / 3, level=0.5)
        )


def bottles(pen: Pen) -> None:
    """Bottles of shampoo and lotion with pumps."""
    for number, tone in enumerate(
        ((236, 190, 180), (150, 190, 180), (244, 236, 224), (110, 100, 130))
    ):
        bottle = pen.at(-0.9 + 0.6 * number, 0, 0.9 + 0.1 * (number % 2))
        bottle.turned(tone, (0.24, 0), (0.24, 0.9), (0.1, 1.0))
        bottle.box(INK, -0.08, 1.0, 0.08, 1.2)
        bottle.box(INK, -0.26, 1.16, 0.1, 1.26, 0.04)
        bottle.box(WHITE, -0.16, 0.25, 0.16, 0.6)
