"""Musical instruments. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
BRASS: Colour = (216, 176, 96)
WOOD: Colour = (150, 92, 54)


def piano(pen: Pen) -> None:
    """An upright piano with an open book of notes."""
    tone = between((52, 40, 44), pen.palette.ground[1], 0.3)
    pen.box(tone, -2.5, 0, 2.5, 3.8, 0.06)
    pen.box(pale(tone, 0.14), -2.3, 2.35, 2.3, 3.6)
    pen.box(pale(tone, 0.06), -2.3, 0.2, 2.3, 1.4)
    pen.box(pale(tone, 0.3), -2.6, 3.75, 2.6, 3.92, 0.04)
    pen.box(tone, -2.6, 1.5, 2.6, 1.85)
    pen.box((250, 248, 240), -2.4, 1.8, 2.4, 2.12)
    for key in range(33):
        pen.line((170, 168, 166), 0.015, (-2.4 + 0.145 * key, 1.8), (-2.4 + 0.145 * key, 2.12))
        if key % 7 not in (2, 6):
            pen.box(INK, -2.3 + 0.145 * key, 1.92, -2.22 + 0.145 * key, 2.14)
    pen.box((250, 246, 236), -0.9, 2.3, 0.9, 3.3)
    for row in range(6):
        pen.line((150, 146, 146), 0.02, (-0.8, 2.45 + 0.13 * row), (0.8, 2.45 + 0.13 * row))
    for number in range(8):
        pen.oval(INK, -0.7 + 0.2 * number, 2.5 + 0.09 * ((number * 5) % 7), 0.06, 0.045)
    for x in (-2.35, 2.15):
        pen.box(tone, x, 0, x + 0.2, 1.5)
    notes(pen.at(1.7, 4.4))


def notes(pen: Pen) -> None:
    """Notes that float up, as lights."""
    for number, (x, y) in enumerate(((0, 0), (0.8, 0.7), (-0.6, 1.1))):
        note = pen.at(x, y, 0.8 + 0.2 * (number % 2), turn=-0.15)
        note.oval(pen.palette.accent, 0, 0, 0.2, 0.15)
        note.line(pen.palette.accent, 0.06, (0.17, 0), (0.17, 0.75))
        note.curve(pen.palette.accent, 0.09, (0.17, 0.75), (0.34, 0.6), (0.42, 0.4))
        left, top = pen.place(x, y)
        pen.moving.append(
            Blink(
                left,
                top,
                pen.share(0.55),
                pen.shape,
                pale(pen.palette.accent, 0.4),
                2.2,
                number / 3,
                level=0.5,
            )
        )


def guitar(pen: Pen) -> None:
    """A guitar that leans on its stand."""
    tone = (206, 132, 62)
    pen.line(INK, 0.1, (-0.7, 0), (0, 1.2))
    pen.line(INK, 0.1, (0.7, 0), (0, 1.2))
    body = pen.at(0, 0.4, turn=0.06)
    body.blob(
        dark(tone, 0.35),
        (-0.98, 0.5),
        (-0.85, 1.25),
        (-0.62, 1.6),
        (-0.72, 2.1),
        (0, 2.5),
        (0.72, 2.1),
        (0.62, 1.6),
        (0.85, 1.25),
        (0.98, 0.5),
        (0, -0.1),
    )
    body.blob(
        tone,
        (-0.88, 0.55),
        (-0.78, 1.2),
        (-0.55, 1.6),
        (-0.64, 2.05),
        (0, 2.4),
        (0.6, 2.05),
        (0.52, 1.6),
        (0.72, 1.2),
        (0.8, 0.5),
        (0, 0.02),
    )
    body.oval(dark(WOOD, 0.6), 0, 1.35, 0.34)
    body.box(dark(WOOD, 0.4), -0.4, 0.5, 0.4, 0.64, 0.04)
    body.box(dark(WOOD, 0.2), -0.13, 1.7, 0.13, 4.4)
    body.box(dark(WOOD, 0.4), -0.2, 4.3, 0.2, 5.0, 0.06)
    for string in range(4):
        body.line(
            (240, 232, 216), 0.015, (-0.08 + 0.053 * string, 0.57), (-0.08 + 0.053 * string, 4.6)
        )
    for y in (2.6, 3.0, 3.4, 3.8):
        body.line(STEEL, 0.02, (-0.13, y), (0.13, y))


def drums(pen: Pen) -> None:
    """A set of drums with cymbals that gleam."""
    red = between((190, 50, 60), pen.palette.sky[1], 0.15)
    for x, y in ((-2.2, 3.4), (2.2, 3.5)):
        pen.line(STEEL, 0.07, (x * 0.9, 0), (x, y))
        pen.oval(BRASS, x, y, 0.95, 0.14)
        pen.oval(pale(BRASS, 0.5), x - 0.2, y + 0.03, 0.45, 0.05)
        left, top = pen.place(x, y)
        pen.moving.append(
            Blink(left, top, pen.share(0.8), pen.shape * 0.4, WHITE, 1.0, x, level=0.5)
        )
    for x in (-0.75, 0.75):
        drum = pen.at(x, 2.0)
        drum.turned(red, (0.65, 0), (0.65, 0.8))
        drum.oval((246, 242, 234), 0, 0.8, 0.65, 0.16)
    for x in (-1.9, 1.9):
        drum = pen.at(x, 0.9)
        drum.turned(red, (0.7, 0), (0.7, 0.9))
        drum.oval((246, 242, 234), 0, 0.9, 0.7, 0.16)
        drum.line(STEEL, 0.06, (0, 0), (0, -0.9))
    pen.oval(STEEL, 0, 1.1, 1.15)
    pen.oval(red, 0, 1.1, 1.08)
    pen.oval((246, 242, 234), 0, 1.1, 0.95)
    pen.oval(pale(red, 0.2), 0, 1.1, 0.4)


def microphone(pen: Pen) -> None:
    """A microphone close up, in its lights."""
    pen.poly(INK, (-0.3, -1.6), (0.3, -1.6), (0.55, 1.6), (-0.55, 1.6))
    pen.poly(pale(INK, 0.2), (-0.22, -1.6), (-0.1, -1.6), (-0.2, 1.6), (-0.42, 1.6))
    pen.box(STEEL, -0.62, 1.5, 0.62, 1.8, 0.1)
    pen.ball((150, 156, 168), 0, 2.6, 1.0)
    for row in range(-5, 6):
        half = math.sqrt(max(0.0, 1 - (row / 5.6) ** 2)) * 0.97
        pen.curve(
            (90, 94, 106),
            0.03,
            (-half, 2.6 + 0.17 * row),
            (0, 2.55 + 0.17 * row),
            (half, 2.6 + 0.17 * row),
        )
        pen.curve(
            (90, 94, 106),
            0.03,
            (0.17 * row, 2.6 - half),
            (0.2 * row, 2.6),
            (0.17 * row, 2.6 + half),
        )
    pen.glows(-0.4, 3.0, 1.8, 0.4)
    x, y = pen.place(-0.4, 3.0)
    pen.moving.append(Blink(x, y, pen.share(0.9), pen.shape, pen.palette.accent, 1.2, level=0.35))


def stand_microphone(pen: Pen) -> None:
    """A microphone on a stand."""
    pen.oval(INK, 0, 0.05, 0.7, 0.12)
    pen.line(INK, 0.08, (0, 0), (0, 3.6))
    microphone(pen.at(0.1, 3.8, 0.28))
