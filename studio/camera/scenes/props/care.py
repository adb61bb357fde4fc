"""What heals, what babies have, and a hairdresser's things. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import BLUE, BRASS, ELM, INK, IVY, SCARLET, STEEL, WHITE
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints
from studio.camera.scenes.props.plants import draw_leaf

MINT: Colour = (120, 190, 176)


def draw_dental_chair(pen: Pen) -> None:
    """Draw a dentist's chair with its lamp."""
    tone = mix(MINT, pen.palette.sky[1], 0.25)
    pen.box((226, 230, 232), -0.9, 0, 0.9, 0.3, 0.1)
    pen.box((226, 230, 232), -0.4, 0.2, 0.4, 1.1)
    pen.curve(darken(tone, 0.25), 0.72, *trace("-2.4,2.9 -1.4,1.7 -0.4,1.35 1.0,1.35 2.4,0.95"))
    pen.curve(tone, 0.52, (-2.4, 3.0), (-1.4, 1.8), (-0.4, 1.45), (1.0, 1.45), (2.4, 1.05))
    pen.oval(lighten(tone, 0.25), -2.55, 3.2, 0.38, 0.3)
    pen.line((226, 230, 232), 0.14, (1.6, 0.2), (1.8, 4.6), (0.2, 5.2), (-0.6, 4.6))
    pen.poly((236, 240, 242), (-1.2, 4.6), (-0.2, 4.9), (-0.1, 4.4), (-1.0, 4.2))
    pen.oval((255, 252, 230), -0.6, 4.35, 0.4, 0.14)
    pen.glow(-1.2, 3.3, 2.2, 0.6, (255, 252, 236))
    pen.box((236, 240, 242), 1.5, 2.3, 2.9, 2.45, 0.05)
    for x in (1.8, 2.1, 2.4):
        pen.line(STEEL, 0.05, (x, 2.45), (x + 0.06, 2.9))
    pen.blink(-0.6, 4.35, 0.8, (255, 252, 230), 2.8, level=0.4)


def draw_tooth(pen: Pen) -> None:
    """Draw a large white tooth that gleams."""
    tone = (250, 250, 248)
    outline = trace(
        "-1.2,2.6 -1.25,1.6 -0.85,0.9 -0.7,0.05 -0.4,0.0 -0.2,0.9 0.2,0.9 0.4,0.0 "
        "0.7,0.05 0.85,0.9 1.25,1.6 1.2,2.6 0.6,2.95 0,2.75 -0.6,2.95"
    )
    pen.blob(darken(tone, 0.25), *((x + 0.08, y - 0.05) for x, y in outline))
    pen.blob(tone, *outline)
    pen.blob((226, 232, 240), (0.5, 2.6), (1.0, 2.3), (1.0, 1.6), (0.6, 0.9), (0.55, 1.8))
    pen.blob(WHITE, (-0.9, 2.4), (-0.6, 2.6), (-0.5, 2.0), (-0.8, 1.7))
    pen.blink(-0.65, 2.3, 0.6, WHITE, 2.0, level=0.8)


def draw_toothbrushes(pen: Pen) -> None:
    """Draw a cup with toothbrushes."""
    for x, turn, tone in ((-0.15, 0.2, (80, 150, 210)), (0.15, -0.2, (236, 110, 120))):
        stick = pen.at(x, 0.6, turn=turn)
        stick.box(tone, -0.09, 0, 0.09, 2.0, 0.08)
        stick.box(WHITE, -0.34, 1.45, -0.06, 2.0, 0.04)
    pen.lathe(MINT, (0.5, 0), (0.58, 1.3))


def draw_stethoscope(pen: Pen) -> None:
    """Draw a stethoscope that lies on a table."""
    pen.curve(INK, 0.14, (-1.3, 1.3), (-1.1, 0.4), (0, 0.15), (1.1, 0.4), (1.3, 1.3))
    pen.curve(INK, 0.14, (0, 0.15), (0.5, -0.3), (1.5, -0.2), (2.0, 0.2))
    for x in (-1.3, 1.3):
        pen.line(STEEL, 0.1, (x, 1.25), (x * 0.75, 1.9))
        pen.oval(INK, x * 0.72, 1.98, 0.13)
    pen.oval(STEEL, 2.1, 0.3, 0.4, 0.3)
    pen.oval(lighten(STEEL, 0.5), 2.05, 0.34, 0.26, 0.18)


def draw_reception(pen: Pen) -> None:
    """Draw a reception desk with a plant, a screen and a heart of light on its front."""
    pen.box((246, 246, 244), -3.0, 0, 3.0, 2.0, 0.12)
    pen.box(mix(MINT, pen.palette.sky[1], 0.3), -3.0, 0.5, 3.0, 0.75)
    pen.box(ELM, -3.15, 1.95, 3.15, 2.2, 0.05)
    pen.box(INK, 0.9, 2.2, 2.3, 3.2, 0.08)
    pen.box(INK, 1.5, 2.1, 1.7, 2.3)
    pen.blob((236, 110, 120), *trace("0,0.9 -0.42,1.4 -0.22,1.66 0,1.5 0.22,1.66 0.42,1.4"))
    for number in range(7):
        angle = 1.1 * (number / 3 - 1)
        draw_leaf(pen.at(-2.0, 2.6, turn=-angle), IVY, 0.9, 0.15)
    pen.at(-2.0, 2.2).lathe((230, 222, 210), (0.24, 0), (0.32, 0.5))
    pen.blink(0, 1.35, 0.6, (255, 150, 160), 1.2, level=0.45)


def draw_drip_stand(pen: Pen) -> None:
    """Draw a stand with an infusion."""
    pen.line(STEEL, 0.07, (0, 0), (0, 4.6))
    pen.line(STEEL, 0.07, (-0.5, 0.05), (0.5, 0.05))
    pen.line(STEEL, 0.06, (-0.45, 4.6), (0.45, 4.6))
    pen.box((206, 230, 240), -0.75, 3.4, -0.2, 4.5, 0.12)
    pen.curve((206, 230, 240), 0.04, (-0.47, 3.4), (-0.6, 2.2), (-1.3, 1.6))


def draw_screen_curtain(pen: Pen) -> None:
    """Draw the pale curtain of a ward."""
    pen.line(STEEL, 0.08, (-1.6, 5.2), (1.6, 5.2))
    for fold in range(9):
        x = -1.5 + 0.33 * fold
        tone = mix((206, 226, 226), MINT, 0.3 if fold % 2 else 0.05)
        pen.poly(tone, (x, 5.2), (x + 0.34, 5.2), (x + 0.36, 0.4), (x - 0.02, 0.4))


def draw_mortar(pen: Pen) -> None:
    """Draw a mortar and its pestle, with herbs."""
    tone = (236, 230, 220)
    pen.at(0.3, 1.2, turn=-0.5).box(darken(tone, 0.1), -0.16, -0.2, 0.16, 1.7, 0.16)
    for number in range(6):
        draw_leaf(pen.at(-0.5 + 0.12 * number, 1.2, turn=0.6 - 0.2 * number), IVY, 0.7, 0.12)
    pen.lathe(tone, (0.6, 0), (0.45, 0.25), (0.85, 0.7), (1.0, 1.35))
    pen.oval(darken(tone, 0.3), 0, 1.35, 1.0, 0.15)


def draw_capsules(pen: Pen) -> None:
    """Draw capsules and a bottle of pills."""
    pen.at(-1.0, 0).lathe((226, 140, 60), (0.5, 0), (0.5, 1.2), (0.4, 1.3))
    pen.box(WHITE, -1.5, 1.28, -0.5, 1.6, 0.06)
    pen.box(WHITE, -1.4, 0.35, -0.6, 0.9)
    for x, y, turn in ((0.3, 0.15, 0.2), (1.0, 0.12, -0.3), (0.65, 0.4, 0.1)):
        pill = pen.at(x, y, turn=turn)
        pill.box((226, 80, 80), -0.36, -0.13, 0.36, 0.13, 0.13)
        pill.box(WHITE, 0.0, -0.13, 0.36, 0.13, 0.13)


def draw_cradle(pen: Pen) -> None:
    """Draw a cradle with a mobile that sways over it."""
    white = (250, 246, 240)
    pen.curve(darken(white, 0.2), 0.14, (-1.9, 0.25), (0, -0.05), (1.9, 0.25))
    pen.box(darken(white, 0.1), -1.8, 0.4, 1.8, 0.6, 0.05)
    for number in range(9):
        x = -1.7 + 0.425 * number
        pen.box(white, x - 0.07, 0.5, x + 0.07, 2.0)
    pen.box((190, 214, 224), -1.7, 0.6, 1.7, 1.1, 0.2)
    pen.box(white, -1.9, 1.9, 1.9, 2.1, 0.08)
    for x in (-1.9, 1.75):
        pen.box(white, x, 0.3, x + 0.16, 2.7, 0.06)
    pen.curve(white, 0.1, (1.85, 2.6), (1.7, 5.0), (0.3, 5.3))
    pen.swing(_draw_mobile, (-1.2, 3.2, 1.6, 5.4), 0.05, 3.2)


def _draw_mobile(pen: Pen) -> None:
    pen.line((190, 170, 150), 0.06, (-0.9, 4.9), (1.3, 4.9))
    pen.line((190, 170, 150), 0.04, (0.25, 5.3), (0.25, 4.9))
    for (x, low), tone in read_tints(
        "-0.85,3.9 -0.15,3.6 0.55,3.6 1.25,3.9", "#f6ce6e #96bedc #f0a0aa #a0cea0"
    ):
        pen.line((190, 170, 150), 0.03, (x, 4.9), (x, low))
        pen.ball(tone, x, low, 0.25)


def draw_baby_shoes(pen: Pen) -> None:
    """Draw a pair of knitted shoes with bows."""
    tone = (246, 220, 206)
    for x in (-1.0, 1.0):
        outline = trace("-0.7,0 -0.75,0.9 -0.3,1.2 0.1,0.75 0.8,0.55 0.85,0", x)
        pen.blob(darken(tone, 0.15), *outline)
        pen.blob(tone, *trace("-0.66,0.06 -0.7,0.88 -0.32,1.14 0.06,0.7 0.7,0.48 0.72,0.06", x))
        pen.oval(darken(tone, 0.35), x - 0.36, 1.02, 0.32, 0.12)
        for side in (-1, 1):
            pen.blob((214, 120, 130), (x, 0.8), (x + side * 0.32, 1.0), (x + side * 0.32, 0.66))


def draw_scissors(pen: Pen) -> None:
    """Draw open scissors that point up."""
    for side in (1, -1):
        half = pen.at(0, 1.4, turn=side * 0.22, side=side)
        half.poly(lighten(STEEL, 0.2), (-0.12, 0), (0.1, 0), (0.02, 2.4))
        half.poly(darken(STEEL, 0.2), (-0.02, 0), (0.1, 0), (0.02, 2.4))
        half.curve(STEEL, 0.14, (0, 0.05), (0.05, -0.4), (0.1, -0.7))
        half.oval(INK, 0.24, -1.02, 0.42, 0.5)
        half.oval(mix(pen.palette.sky[1], pen.palette.ground[0], 0.4), 0.24, -1.02, 0.27, 0.34)
    pen.ball(BRASS, 0, 1.4, 0.11)


def draw_comb(pen: Pen) -> None:
    """Draw a comb."""
    pen.box(INK, -1.3, 0.5, 1.3, 0.8, 0.1)
    for number in range(24):
        pen.box(INK, -1.25 + 0.105 * number, 0, -1.2 + 0.105 * number, 0.55)


def draw_dryer(pen: Pen) -> None:
    """Draw a hair dryer."""
    tone = mix((226, 120, 140), pen.palette.sky[1], 0.3)
    pen.poly(darken(tone, 0.2), (-0.2, 1.0), (0.35, 1.0), (0.2, -0.4), (-0.25, -0.4))
    pen.box(INK, 0.9, 0.85, 1.5, 1.5, 0.08)
    pen.box(tone, -0.9, 0.75, 1.1, 1.65, 0.42)
    pen.oval(lighten(tone, 0.4), -0.5, 1.4, 0.28, 0.09)
    pen.oval(INK, -0.62, 1.2, 0.2, 0.32)


def draw_salon_chair(pen: Pen) -> None:
    """Draw a hairdresser's chair."""
    tone = mix((60, 52, 60), pen.palette.sky[0], 0.2)
    pen.oval(STEEL, 0, 0.1, 0.95, 0.16)
    pen.box(STEEL, -0.14, 0.1, 0.14, 1.0)
    pen.box(tone, -1.0, 0.95, 1.0, 1.5, 0.2)
    pen.box(tone, -0.9, 1.5, 0.9, 3.3, 0.3)
    pen.box(lighten(tone, 0.15), -0.72, 1.65, 0.72, 3.1, 0.22)
    for x in (-1.25, 0.97):
        pen.box(STEEL, x, 1.3, x + 0.28, 2.0, 0.1)
        pen.box(tone, x - 0.06, 1.9, x + 0.34, 2.12, 0.1)
    pen.line(STEEL, 0.1, (-0.6, 0.75), (-0.9, 0.35))


def draw_barber_pole(pen: Pen) -> None:
    """Draw a barber's pole whose stripes climb."""
    for y, high in ((-0.1, 0.3), (3.0, 0.3)):
        pen.box(STEEL, -0.5, y, 0.5, y + high, 0.08)
    pen.ball(STEEL, 0, 3.5, 0.28)
    pen.box((244, 242, 238), -0.4, 0.2, 0.4, 3.0)
    for number in range(-1, 7):
        tone = (SCARLET, BLUE)[number % 2]
        corners = trace("-0.4,0 -0.4,0.22 0.4,0.72 0.4,0.5", 0, 0.2 + 0.45 * number)
        pen.poly(tone, *((x, max(0.2, min(3.0, y))) for x, y in corners))
    pen.box(lighten(WHITE, 0.2), -0.3, 0.2, -0.18, 3.0)
    pen.glow(0, 1.6, 1.8, 0.45, (255, 244, 220))
    for number in range(3):
        pen.blink(0, 0.7 + 0.9 * number, 0.5, WHITE, 1.2, -number / 3, level=0.5)


def draw_bottles(pen: Pen) -> None:
    """Draw bottles of shampoo and lotion with pumps."""
    tones = (236, 190, 180), (150, 190, 180), (244, 236, 224), (110, 100, 130)
    for number, tone in enumerate(tones):
        bottle = pen.at(-0.9 + 0.6 * number, 0, 0.9 + 0.1 * (number % 2))
        bottle.lathe(tone, (0.24, 0), (0.24, 0.9), (0.1, 1.0))
        bottle.box(INK, -0.08, 1.0, 0.08, 1.2)
        bottle.box(INK, -0.26, 1.16, 0.1, 1.26, 0.04)
        bottle.box(WHITE, -0.16, 0.25, 0.16, 0.6)
