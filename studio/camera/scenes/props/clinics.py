"""What heals, and what babies have. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.flowers import leaf

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
WOOD: Colour = (150, 102, 66)
MINT: Colour = (120, 190, 176)
LEAF: Colour = (76, 130, 84)


def dental_chair(pen: Pen) -> None:
    """A dentist's chair with its lamp."""
    tone = between(MINT, pen.palette.sky[1], 0.25)
    pen.box((226, 230, 232), -0.9, 0, 0.9, 0.3, 0.1)
    pen.box((226, 230, 232), -0.4, 0.2, 0.4, 1.1)
    pen.curve(
        dark(tone, 0.25), 0.72, (-2.4, 2.9), (-1.4, 1.7), (-0.4, 1.35), (1.0, 1.35), (2.4, 0.95)
    )
    pen.curve(tone, 0.52, (-2.4, 3.0), (-1.4, 1.8), (-0.4, 1.45), (1.0, 1.45), (2.4, 1.05))
    pen.oval(pale(tone, 0.25), -2.55, 3.2, 0.38, 0.3)
    pen.line((226, 230, 232), 0.14, (1.6, 0.2), (1.8, 4.6), (0.2, 5.2), (-0.6, 4.6))
    pen.poly((236, 240, 242), (-1.2, 4.6), (-0.2, 4.9), (-0.1, 4.4), (-1.0, 4.2))
    pen.oval((255, 252, 230), -0.6, 4.35, 0.4, 0.14)
    pen.glows(-1.2, 3.3, 2.2, 0.6, (255, 252, 236))
    pen.box((236, 240, 242), 1.5, 2.3, 2.9, 2.45, 0.05)
    for x in (1.8, 2.1, 2.4):
        pen.line(STEEL, 0.05, (x, 2.45), (x + 0.06, 2.9))
    x, y = pen.place(-0.6, 4.35)
    pen.moving.append(Blink(x, y, pen.share(0.8), pen.shape, (255, 252, 230), 2.8, level=0.4))


def tooth(pen: Pen) -> None:
    """A large white tooth that gleams."""
    tone = (250, 250, 248)
    outline = (
        (-1.2, 2.6),
        (-1.25, 1.6),
        (-0.85, 0.9),
        (-0.7, 0.05),
        (-0.4, 0.0),
        (-0.2, 0.9),
        (0.2, 0.9),
        (0.4, 0.0),
        (0.7, 0.05),
        (0.85, 0.9),
        (1.25, 1.6),
        (1.2, 2.6),
        (0.6, 2.95),
        (0, 2.75),
        (-0.6, 2.95),
    )
    pen.blob(dark(tone, 0.25), *((x + 0.08, y - 0.05) for x, y in outline))
    pen.blob(tone, *outline)
    pen.blob((226, 232, 240), (0.5, 2.6), (1.0, 2.3), (1.0, 1.6), (0.6, 0.9), (0.55, 1.8))
    pen.blob(WHITE, (-0.9, 2.4), (-0.6, 2.6), (-0.5, 2.0), (-0.8, 1.7))
    x, y = pen.place(-0.65, 2.3)
    pen.moving.append(Blink(x, y, pen.share(0.6), pen.shape, WHITE, 2.0, level=0.8))


def toothbrushes(pen: Pen) -> None:
    """A cup with toothbrushes."""
    for x, turn, tone in ((-0.15, 0.2, (80, 150, 210)), (0.15, -0.2, (236, 110, 120))):
        stick = pen.at(x, 0.6, turn=turn)
        stick.box(tone, -0.09, 0, 0.09, 2.0, 0.08)
        stick.box(WHITE, -0.34, 1.45, -0.06, 2.0, 0.04)
    pen.turned(MINT, (0.5, 0), (0.58, 1.3))


def stethoscope(pen: Pen) -> None:
    """A stethoscope that lies on a table."""
    pen.curve(INK, 0.14, (-1.3, 1.3), (-1.1, 0.4), (0, 0.15), (1.1, 0.4), (1.3, 1.3))
    pen.curve(INK, 0.14, (0, 0.15), (0.5, -0.3), (1.5, -0.2), (2.0, 0.2))
    for x in (-1.3, 1.3):
        pen.line(STEEL, 0.1, (x, 1.25), (x * 0.75, 1.9))
        pen.oval(INK, x * 0.72, 1.98, 0.13)
    pen.oval(STEEL, 2.1, 0.3, 0.4, 0.3)
    pen.oval(pale(STEEL, 0.5), 2.05, 0.34, 0.26, 0.18)


def reception(pen: Pen) -> None:
    """A reception desk with a plant, a screen and a heart of light on its front."""
    pen.box((246, 246, 244), -3.0, 0, 3.0, 2.0, 0.12)
    pen.box(between(MINT, pen.palette.sky[1], 0.3), -3.0, 0.5, 3.0, 0.75)
    pen.box(WOOD, -3.15, 1.95, 3.15, 2.2, 0.05)
    pen.box(INK, 0.9, 2.2, 2.3, 3.2, 0.08)
    pen.box(INK, 1.5, 2.1, 1.7, 2.3)
    pen.blob(
        (236, 110, 120), (0, 0.9), (-0.42, 1.4), (-0.22, 1.66), (0, 1.5), (0.22, 1.66), (0.42, 1.4)
    )
    for number in range(7):
        angle = 1.1 * (number / 3 - 1)
        leaf(pen.at(-2.0, 2.6, turn=-angle), LEAF, 0.9, 0.15)
    pen.at(-2.0, 2.2).turned((230, 222, 210), (0.24, 0), (0.32, 0.5))
    x, y = pen.place(0, 1.35)
    pen.moving.append(Blink(x, y, pen.share(0.6), pen.shape, (255, 150, 160), 1.2, level=0.45))


def drip_stand(pen: Pen) -> None:
    """A stand with an infusion."""
    pen.line(STEEL, 0.07, (0, 0), (0, 4.6))
    pen.line(STEEL, 0.07, (-0.5, 0.05), (0.5, 0.05))
    pen.line(STEEL, 0.06, (-0.45, 4.6), (0.45, 4.6))
    pen.box((206, 230, 240), -0.75, 3.4, -0.2, 4.5, 0.12)
    pen.curve((206, 230, 240), 0.04, (-0.47, 3.4), (-0.6, 2.2), (-1.3, 1.6))


def screen_curtain(pen: Pen) -> None:
    """The pale curtain of a ward."""
    pen.line(STEEL, 0.08, (-1.6, 5.2), (1.6, 5.2))
    for fold in range(9):
        x = -1.5 + 0.33 * fold
        tone = between((206, 226, 226), MINT, 0.3 if fold % 2 else 0.05)
        pen.poly(tone, (x, 5.2), (x + 0.34, 5.2), (x + 0.36, 0.4), (x - 0.02, 0.4))


def mortar(pen: Pen) -> None:
    """A mortar and its pestle, with herbs."""
    tone = (236, 230, 220)
    pen.at(0.3, 1.2, turn=-0.5).box(dark(tone, 0.1), -0.16, -0.2, 0.16, 1.7, 0.16)
    for number in range(6):
        leaf(pen.at(-0.5 + 0.12 * number, 1.2, turn=0.6 - 0.2 * number), LEAF, 0.7, 0.12)
    pen.turned(tone, (0.6, 0), (0.45, 0.25), (0.85, 0.7), (1.0, 1.35))
    pen.oval(dark(tone, 0.3), 0, 1.35, 1.0, 0.15)


def capsules(pen: Pen) -> None:
    """Capsules and a bottle of pills."""
    pen.at(-1.0, 0).turned((226, 140, 60), (0.5, 0), (0.5, 1.2), (0.4, 1.3))
    pen.box(WHITE, -1.5, 1.28, -0.5, 1.6, 0.06)
    pen.box(WHITE, -1.4, 0.35, -0.6, 0.9)
    for x, y, turn in ((0.3, 0.15, 0.2), (1.0, 0.12, -0.3), (0.65, 0.4, 0.1)):
        pill = pen.at(x, y, turn=turn)
        pill.box((226, 80, 80), -0.36, -0.13, 0.36, 0.13, 0.13)
        pill.box(WHITE, 0.0, -0.13, 0.36, 0.13, 0.13)


def cradle(pen: Pen) -> None:
    """A cradle with a mobile that sways over it."""
    white = (250, 246, 240)
    pen.curve(dark(white, 0.2), 0.14, (-1.9, 0.25), (0, -0.05), (1.9, 0.25))
    pen.box(dark(white, 0.1), -1.8, 0.4, 1.8, 0.6, 0.05)
    for number in range(9):
        x = -1.7 + 0.425 * number
        pen.box(white, x - 0.07, 0.5, x + 0.07, 2.0)
    pen.box((190, 214, 224), -1.7, 0.6, 1.7, 1.1, 0.2)
    pen.box(white, -1.9, 1.9, 1.9, 2.1, 0.08)
    for x in (-1.9, 1.75):
        pen.box(white, x, 0.3, x + 0.16, 2.7, 0.06)
    pen.curve(white, 0.1, (1.85, 2.6), (1.7, 5.0), (0.3, 5.3))
    pen.loose(_mobile, (-1.2, 3.2, 1.6, 5.4), 0.05, 3.2)


def _mobile(pen: Pen) -> None:
    pen.line((190, 170, 150), 0.06, (-0.9, 4.9), (1.3, 4.9))
    pen.line((190, 170, 150), 0.04, (0.25, 5.3), (0.25, 4.9))
    for x, low, tone in (
        (-0.85, 3.9, (246, 206, 110)),
        (-0.15, 3.6, (150, 190, 220)),
        (0.55, 3.6, (240, 160, 170)),
        (1.25, 3.9, (160, 206, 160)),
    ):
        pen.line((190, 170, 150), 0.03, (x, 4.9), (x, low))
        pen.ball(tone, x, low, 0.25)


def baby_shoes(pen: Pen) -> None:
    """A pair of knitted shoes with bows."""
    tone = (246, 220, 206)
    for x in (-1.0, 1.0):
        pen.blob(
            dark(tone, 0.15),
            (x - 0.7, 0),
            (x - 0.75, 0.9),
            (x - 0.3, 1.2),
            (x + 0.1, 0.75),
            (x + 0.8, 0.55),
            (x + 0.85, 0),
        )
        pen.blob(
            tone,
            (x - 0.66, 0.06),
            (x - 0.7, 0.88),
            (x - 0.32, 1.14),
            (x + 0.06, 0.7),
            (x + 0.7, 0.48),
            (x + 0.72, 0.06),
        )
        pen.oval(dark(tone, 0.35), x - 0.36, 1.02, 0.32, 0.12)
        for side in (-1, 1):
            pen.blob((214, 120, 130), (x, 0.8), (x + side * 0.32, 1.0), (x + side * 0.32, 0.66))
