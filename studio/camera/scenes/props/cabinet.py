"""What stands on desks of those who advise and teach. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
BRASS: Colour = (206, 164, 92)
WOOD: Colour = (146, 98, 62)


def scales(pen: Pen) -> None:
    """The scales of justice, which tip a little."""
    pen.turned(BRASS, (0.9, 0), (0.85, 0.16), (0.25, 0.3), (0.12, 0.5), (0.1, 3.4))
    pen.ball(BRASS, 0, 3.62, 0.2)
    pen.curve(BRASS, 0.13, (-1.75, 3.0), (-0.9, 3.32), (0, 3.3), (0.9, 3.32), (1.75, 3.0))
    for x in (-1.7, 1.7):
        pen.line(pale(BRASS, 0.2), 0.03, (x, 3.0), (x - 0.7, 1.45))
        pen.line(pale(BRASS, 0.2), 0.03, (x, 3.0), (x + 0.7, 1.45))
        pen.blob(
            BRASS,
            (x - 0.8, 1.5),
            (x, 1.5),
            (x + 0.8, 1.5),
            (x + 0.4, 1.15),
            (x, 1.06),
            (x - 0.4, 1.15),
        )
        pen.box(pale(BRASS, 0.4), x - 0.8, 1.44, x + 0.8, 1.52, 0.04)
    x, y = pen.place(-0.1, 3.7)
    pen.moving.append(Blink(x, y, pen.share(0.4), pen.shape, (255, 246, 214), 2.8, level=0.6))


def gavel(pen: Pen) -> None:
    """A gavel on its block."""
    pen.oval(dark(WOOD, 0.4), 0, 0.1, 1.0, 0.2)
    pen.oval(WOOD, 0, 0.2, 1.0, 0.2)
    hammer = pen.at(0.1, 0.75, turn=0.25)
    hammer.box(pale(WOOD, 0.1), 0, -0.09, 2.4, 0.09, 0.09)
    hammer.box(dark(WOOD, 0.2), -0.45, -0.55, 0.3, 0.55, 0.1)
    hammer.box(BRASS, -0.45, -0.12, 0.3, 0.12)
    hammer.box(pale(WOOD, 0.2), -0.36, -0.45, -0.22, 0.45, 0.05)


def pencils(pen: Pen) -> None:
    """A mug of pencils."""
    for number, tone in enumerate(((246, 196, 66), (220, 80, 70), (70, 140, 190), (90, 160, 100))):
        stick = pen.at(-0.3 + 0.2 * number, 0.7, turn=0.24 - 0.16 * number)
        stick.box(tone, -0.07, 0, 0.07, 1.2)
        stick.poly((240, 210, 170), (-0.07, 1.2), (0.07, 1.2), (0, 1.42))
        stick.poly(INK, (-0.02, 1.36), (0.02, 1.36), (0, 1.42))
    pen.turned(between((96, 130, 160), pen.palette.sky[1], 0.3), (0.45, 0), (0.45, 0.95))


def globe(pen: Pen) -> None:
    """A globe on its stand."""
    pen.oval(WOOD, 0, 0.06, 0.6, 0.12)
    pen.box(WOOD, -0.06, 0.1, 0.06, 0.6)
    pen.ball((70, 140, 190), 0, 1.4, 0.85)
    for points in (
        ((-0.5, 1.8), (-0.1, 2.0), (0.0, 1.6), (-0.3, 1.3)),
        ((0.2, 1.4), (0.5, 1.6), (0.6, 1.2), (0.3, 0.9)),
        ((-0.5, 1.1), (-0.25, 1.1), (-0.3, 0.75)),
    ):
        pen.blob((110, 168, 96), *points)
    pen.curve(BRASS, 0.07, (0.3, 2.4), (-0.8, 2.0), (-0.95, 1.2), (-0.4, 0.55), (0, 0.5))


def calculator(pen: Pen) -> None:
    """A calculator with a row of keys."""
    pen.box(INK, -0.75, 0, 0.75, 2.2, 0.14)
    pen.box((176, 206, 180), -0.6, 1.6, 0.6, 2.02, 0.05)
    for number in range(4):
        pen.box((60, 74, 66), 0.02 + 0.14 * number, 1.7, 0.1 + 0.14 * number, 1.92)
    for row in range(4):
        for column in range(4):
            tone = (240, 150, 70) if column == 3 else (206, 208, 214)
            pen.box(
                tone,
                -0.58 + 0.3 * column,
                0.16 + 0.34 * row,
                -0.34 + 0.3 * column,
                0.42 + 0.34 * row,
                0.05,
            )


def folders(pen: Pen) -> None:
    """Binders side by side."""
    for number in range(7):
        tone = ((58, 96, 136), (170, 70, 60), (210, 170, 90), (84, 128, 104))[number % 4]
        x = -1.6 + 0.46 * number
        pen.box(tone, x, 0, x + 0.42, 1.5, 0.03)
        pen.box((244, 240, 230), x + 0.09, 0.85, x + 0.33, 1.3)
        pen.oval((230, 230, 230), x + 0.21, 0.35, 0.1)
        pen.oval(dark(tone, 0.5), x + 0.21, 0.35, 0.06)


def chart(pen: Pen) -> None:
    """A screen with a chart that rises."""
    pen.box(INK, -1.5, 0.5, 1.5, 2.7, 0.1)
    pen.box(between(pen.palette.sky[0], (20, 30, 50), 0.4), -1.38, 0.62, 1.38, 2.58)
    for number, high in enumerate((0.4, 0.65, 0.55, 0.9, 1.15, 1.4)):
        pen.box(pen.palette.accent, -1.15 + 0.4 * number, 0.75, -0.9 + 0.4 * number, 0.75 + high)
    pen.line(WHITE, 0.05, (-1.05, 1.35), (-0.2, 1.6), (0.3, 1.55), (1.1, 2.4))
    pen.box(INK, -0.1, 0.1, 0.1, 0.5)
    pen.box(INK, -0.6, 0, 0.6, 0.12, 0.05)
    pen.glows(0, 1.6, 1.8, 0.35, pen.palette.sky[-1])
    x, y = pen.place(1.1, 2.4)
    pen.moving.append(Blink(x, y, pen.share(0.3), pen.shape, WHITE, 1.4, level=0.8))
