"""What bodies are trained with. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (44, 46, 58)
IRON: Colour = (62, 64, 74)
STEEL: Colour = (182, 190, 200)
RED: Colour = (196, 52, 48)
WOOD: Colour = (176, 126, 78)


def dumbbell(pen: Pen) -> None:
    """A dumbbell seen from its side."""
    pen.box(STEEL, -0.3, 0.2, 0.3, 0.34)
    for side in (-1, 1):
        x = side * 0.42
        pen.box(IRON, x - 0.13, 0.0, x + 0.13, 0.54, 0.08)
        pen.box(pale(IRON, 0.25), x - 0.08, 0.34, x + 0.05, 0.5, 0.05)
        pen.box(dark(IRON, 0.2), x + side * 0.2 - 0.09, 0.07, x + side * 0.2 + 0.09, 0.47, 0.06)


def rack(pen: Pen) -> None:
    """Three rows of dumbbells."""
    for x in (-2.2, 2.05):
        pen.poly(IRON, (x, 0), (x + 0.2, 0), (x + 0.1, 3.4), (x - 0.06, 3.4))
    for row, y in enumerate((0.4, 1.45, 2.5)):
        pen.box(dark(IRON, 0.2), -2.2, y - 0.14, 2.2, y)
        pen.box(pale(IRON, 0.3), -2.2, y - 0.03, 2.2, y + 0.02)
        for number in range(3):
            dumbbell(pen.at(-1.45 + 1.45 * number, y, 1.12 - 0.12 * row))


def punchbag(pen: Pen) -> None:
    """A heavy bag on a chain, that swings."""
    pen.line(STEEL, 0.07, (0, 0.9), (0, 14))
    pen.loose(_bag, (-1.2, -4.3, 1.2, 1.0), 0.045, 2.6)


def _bag(pen: Pen) -> None:
    for number in range(7):
        pen.oval(STEEL, 0, 0.1 + 0.2 * number, 0.06, 0.12)
    for x in (-0.6, 0.6):
        pen.line(STEEL, 0.06, (x, -0.5), (0, 0.1))
    pen.turned(RED, (0.72, -4.2), (0.78, -3.9), (0.78, -0.8), (0.7, -0.5))
    for y in (-1.2, -3.5):
        pen.box(INK, -0.78, y - 0.14, 0.78, y + 0.14)
        pen.box(pale(INK, 0.3), -0.7, y + 0.02, -0.1, y + 0.08)
    pen.oval((240, 234, 226), -0.1, -2.35, 0.4)
    pen.oval(RED, -0.1, -2.35, 0.28)


def treadmill(pen: Pen) -> None:
    """A running machine from its side."""
    pen.poly(INK, (-1.7, 0.1), (1.5, 0.1), (1.5, 0.42), (-1.7, 0.34))
    pen.line((120, 124, 134), 0.1, (-1.65, 0.4), (1.4, 0.48))
    pen.line(IRON, 0.2, (1.1, 0.3), (1.65, 2.6))
    pen.line(STEEL, 0.12, (1.5, 2.1), (0.5, 1.95))
    pen.poly(INK, (1.3, 2.5), (1.9, 2.7), (2.0, 3.3), (1.35, 3.15))
    screen = pale(pen.palette.sky[1], 0.3)
    pen.poly(screen, (1.36, 2.62), (1.5, 2.66), (1.55, 3.12), (1.4, 3.08))
    x, y = pen.place(1.45, 2.9)
    pen.moving.append(Blink(x, y, pen.share(0.35), pen.shape, (120, 230, 255), 1.1, 0, 0.5, 0.7))


def kettlebell(pen: Pen, colour: Colour = IRON) -> None:
    """A kettlebell."""
    pen.curve(
        dark(colour, 0.1), 0.24, (-0.5, 1.1), (-0.62, 1.75), (0, 2.05), (0.62, 1.75), (0.5, 1.1)
    )
    pen.curve(pale(colour, 0.3), 0.06, (-0.55, 1.3), (-0.6, 1.72), (0, 2.06))
    pen.ball(colour, 0, 0.75, 0.82)
    pen.box(dark(colour, 0.3), -0.5, 0, 0.5, 0.12, 0.05)
    pen.oval(pen.palette.accent, 0.05, 0.7, 0.36)
    pen.oval(dark(colour, 0.2), 0.05, 0.7, 0.27)


def barbell(pen: Pen) -> None:
    """A barbell that lies on the floor."""
    pen.box(STEEL, -3.4, 0.72, 3.4, 0.84)
    for side in (-1, 1):
        for far, high, tone in ((2.1, 0.8, RED), (2.42, 0.8, IRON), (2.72, 0.55, (206, 170, 60))):
            x = side * far
            pen.box(dark(tone, 0.2), x - 0.15, 0.78 - high, x + 0.15, 0.78 + high, 0.1)
            pen.box(pale(tone, 0.2), x - 0.11, 0.9, x - 0.02, 0.68 + high, 0.04)


def mat(pen: Pen) -> None:
    """A yoga mat on the floor."""
    tone = between((130, 110, 180), pen.palette.sky[1], 0.3)
    pen.poly(tone, (-2.0, -0.1), (2.0, -0.1), (2.6, -0.55), (-2.6, -0.55))
    pen.poly(pale(tone, 0.2), (-2.0, -0.1), (-1.8, -0.1), (-2.34, -0.55), (-2.6, -0.55))


def rolled_mats(pen: Pen) -> None:
    """Rolled mats in a basket."""
    for number, tone in enumerate(((130, 110, 180), (96, 160, 150), (220, 140, 120))):
        x = -0.5 + 0.5 * number
        pen.box(tone, x - 0.22, 0.5, x + 0.22, 2.4 - 0.2 * (number % 2), 0.1)
        pen.oval(dark(tone, 0.3), x, 2.35 - 0.2 * (number % 2), 0.22, 0.1)
    pen.poly((190, 150, 106), (-0.85, 0), (0.85, 0), (0.95, 1.2), (-0.95, 1.2))


def exercise_ball(pen: Pen) -> None:
    """A large ball."""
    pen.ball(between((110, 170, 190), pen.palette.accent, 0.3), 0, 1.1, 1.1)


def stones(pen: Pen) -> None:
    """Smooth stones on each other."""
    for y, wide, tone in (
        (0.25, 0.9, (96, 98, 104)),
        (0.68, 0.68, (126, 124, 124)),
        (1.04, 0.48, (150, 146, 142)),
        (1.32, 0.3, (176, 170, 164)),
    ):
        pen.oval(dark(tone, 0.35), 0, y - 0.04, wide, 0.26)
        pen.oval(tone, -0.04, y, wide * 0.94, 0.22)
        pen.oval(pale(tone, 0.25), -0.2 * wide, y + 0.08, wide * 0.45, 0.08)


def barre(pen: Pen) -> None:
    """A rail of wood along the wall."""
    for x in (-7.5, -4.5, -1.5, 1.5, 4.5, 7.5):
        pen.box(STEEL, x - 0.06, 0, x + 0.06, 2.2)
    pen.box(dark(WOOD, 0.2), -10, 2.1, 10, 2.28)
    pen.box(pale(WOOD, 0.3), -10, 2.2, 10, 2.28)


def speaker(pen: Pen) -> None:
    """A loudspeaker whose membranes throb with light."""
    pen.box(INK, -0.8, 0, 0.8, 2.6, 0.08)
    for y, r in ((0.85, 0.58), (2.0, 0.34)):
        pen.oval((84, 86, 98), 0, y, r)
        pen.oval((30, 32, 40), 0, y, r * 0.82)
        pen.oval((110, 112, 124), 0, y, r * 0.3)
    x, y = pen.place(0, 0.85)
    pen.moving.append(Blink(x, y, pen.share(0.5), pen.shape, pen.palette.accent, 0.5, level=0.35))
