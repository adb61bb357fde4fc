"""A painter's, a potter's and a student's things. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
WOOD: Colour = (150, 92, 54)


def canvas(pen: Pen) -> None:
    """An easel with a painting of hills."""
    for x in (-1.3, 1.3):
        pen.line(WOOD, 0.14, (x, 0), (x * 0.2, 5.0))
    pen.line(dark(WOOD, 0.3), 0.14, (0, 0.2), (0, 5.0))
    pen.box(WOOD, -1.5, 1.45, 1.5, 1.65)
    pen.box((250, 246, 238), -1.4, 1.65, 1.4, 4.4)
    tones = pen.palette.sky
    pen.box(pale(tones[-1], 0.2), -1.25, 1.8, 1.25, 4.25)
    pen.oval(pen.palette.light, 0.4, 3.5, 0.35)
    pen.blob(
        tones[1], (-1.25, 1.8), (-1.25, 2.9), (-0.4, 3.2), (0.4, 2.6), (1.25, 3.0), (1.25, 1.8)
    )
    pen.blob(dark(tones[0], 0.1), (-1.25, 1.8), (-1.25, 2.3), (-0.2, 2.5), (1.25, 2.1), (1.25, 1.8))
    for x, y in ((-0.6, 2.1), (0.1, 2.2), (0.7, 2.0)):
        pen.oval(pen.palette.accent, x, y, 0.14, 0.08)


def palette_board(pen: Pen) -> None:
    """A painter's palette with colours."""
    pen.blob(
        (206, 158, 104),
        (-1.7, 0.2),
        (-1.2, 1.2),
        (0, 1.5),
        (1.4, 1.2),
        (1.8, 0.4),
        (0.8, 0.05),
        (0, 0.3),
        (-0.8, 0.0),
    )
    for x, y, tone in (
        (-1.1, 0.65, (220, 60, 54)),
        (-0.6, 1.08, (246, 190, 60)),
        (0.05, 1.2, (250, 246, 236)),
        (0.7, 1.08, (80, 150, 200)),
        (1.2, 0.7, (90, 160, 90)),
    ):
        pen.oval(dark(tone, 0.2), x, y - 0.03, 0.27, 0.17)
        pen.oval(tone, x, y, 0.25, 0.15)
        pen.oval(pale(tone, 0.5), x - 0.08, y + 0.05, 0.07, 0.04)


def brushes(pen: Pen) -> None:
    """A jar of brushes."""
    for number, tone in enumerate(
        ((220, 60, 54), (80, 150, 200), (246, 190, 60), (120, 90, 150), (90, 160, 90))
    ):
        stick = pen.at(-0.36 + 0.18 * number, 0.9, turn=0.3 - 0.15 * number)
        stick.box((214, 170, 110), -0.06, 0, 0.06, 1.4)
        stick.box(STEEL, -0.08, 1.35, 0.08, 1.55)
        stick.blob(tone, (-0.13, 1.52), (-0.12, 1.85), (0, 2.1), (0.12, 1.85), (0.13, 1.52))
    pen.turned((190, 206, 210), (0.5, 0), (0.5, 1.15))


def potter(pen: Pen) -> None:
    """A potter's wheel with a bowl on it."""
    pen.box(INK, -1.2, 0, 1.2, 1.5, 0.1)
    pen.oval(dark(STEEL, 0.2), 0, 1.6, 1.3, 0.22)
    pen.oval(STEEL, 0, 1.68, 1.3, 0.22)
    pen.at(0, 1.7).turned((186, 112, 76), (0.5, 0), (0.75, 0.4), (0.95, 1.2), (0.8, 1.5))
    pen.oval((120, 66, 44), 0, 3.2, 0.8, 0.15)
    for y in (2.2, 2.55, 2.9):
        pen.curve((210, 140, 100), 0.03, (-0.8, y), (0, y - 0.12), (0.8, y))
    x, y = pen.place(-0.9, 1.7)
    pen.moving.append(Blink(x, y, pen.share(0.5), pen.shape * 0.4, WHITE, 0.6, level=0.5))


def pots(pen: Pen) -> None:
    """Vases and bowls in a row."""
    for x, tone, profile in (
        (-1.5, (110, 146, 150), ((0.3, 0), (0.55, 0.5), (0.3, 1.2), (0.4, 1.4))),
        (-0.3, (236, 226, 208), ((0.35, 0), (0.6, 0.35), (0.7, 0.75))),
        (0.9, (186, 112, 76), ((0.3, 0), (0.5, 0.6), (0.2, 1.0), (0.2, 1.7), (0.3, 1.8))),
        (1.9, (70, 84, 110), ((0.25, 0), (0.42, 0.5), (0.36, 0.9))),
    ):  # fmt: skip
        pen.at(x, 0).turned(tone, *profile)


def cubicle(pen: Pen) -> None:
    """A desk with sides, a lamp and an open book, seen from its front."""
    wood = between((206, 166, 120), pen.palette.ground[0], 0.15)
    pen.box(dark(wood, 0.25), -1.9, 0, 1.9, 3.9, 0.06)
    pen.box(wood, -1.7, 1.7, 1.7, 3.7)
    pen.glows(0, 2.7, 1.5, 0.6, (255, 232, 190))
    pen.box((255, 248, 226), -1.1, 3.4, 1.1, 3.55, 0.06)
    pen.box(dark(wood, 0.1), -1.7, 2.9, 1.7, 3.0)
    for x, tone in ((-1.4, (150, 52, 50)), (-1.18, (48, 84, 118)), (-0.95, (200, 164, 96))):
        pen.box(tone, x, 3.0, x + 0.2, 3.4)
    pen.box(pale(wood, 0.2), -2.0, 1.55, 2.0, 1.75, 0.04)
    for side in (1, -1):
        pen.at(0, 1.75, side=side).poly(
            (250, 246, 236), (0, 0.02), (0.7, 0.02), (0.62, 0.3), (0, 0.25)
        )
    pen.box(INK, -0.7, 0.3, 0.7, 1.3, 0.2)
    pen.box(pale(INK, 0.15), -0.6, 0.6, 0.6, 1.9, 0.2)
