"""What stands on desks, what painters and potters use, and toys. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import BRASS, CHERRY, INK, OAK, STEEL, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints

GRASS: Colour = (110, 168, 96)
TOYS = read_paints("#e6544a #f6be42 #56a06e #508cc8")


def draw_scales(pen: Pen) -> None:
    """Draw the scales of justice, which tip a little."""
    pen.lathe(BRASS, (0.9, 0), (0.85, 0.16), (0.25, 0.3), (0.12, 0.5), (0.1, 3.4))
    pen.ball(BRASS, 0, 3.62, 0.2)
    pen.curve(BRASS, 0.13, (-1.75, 3.0), (-0.9, 3.32), (0, 3.3), (0.9, 3.32), (1.75, 3.0))
    for x in (-1.7, 1.7):
        pen.line(lighten(BRASS, 0.2), 0.03, (x, 3.0), (x - 0.7, 1.45))
        pen.line(lighten(BRASS, 0.2), 0.03, (x, 3.0), (x + 0.7, 1.45))
        pen.blob(BRASS, *trace("-0.8,1.5 0,1.5 0.8,1.5 0.4,1.15 0,1.06 -0.4,1.15", x))
        pen.box(lighten(BRASS, 0.4), x - 0.8, 1.44, x + 0.8, 1.52, 0.04)
    pen.blink(-0.1, 3.7, 0.4, (255, 246, 214), 2.8, level=0.6)


def draw_gavel(pen: Pen) -> None:
    """Draw a gavel on its block."""
    pen.oval(darken(OAK, 0.4), 0, 0.1, 1.0, 0.2)
    pen.oval(OAK, 0, 0.2, 1.0, 0.2)
    hammer = pen.at(0.1, 0.75, turn=0.25)
    hammer.box(lighten(OAK, 0.1), 0, -0.09, 2.4, 0.09, 0.09)
    hammer.box(darken(OAK, 0.2), -0.45, -0.55, 0.3, 0.55, 0.1)
    hammer.box(BRASS, -0.45, -0.12, 0.3, 0.12)
    hammer.box(lighten(OAK, 0.2), -0.36, -0.45, -0.22, 0.45, 0.05)


def draw_pencils(pen: Pen) -> None:
    """Draw a mug of pencils."""
    for number, tone in enumerate(((246, 196, 66), (220, 80, 70), (70, 140, 190), (90, 160, 100))):
        stick = pen.at(-0.3 + 0.2 * number, 0.7, turn=0.24 - 0.16 * number)
        stick.box(tone, -0.07, 0, 0.07, 1.2)
        stick.poly((240, 210, 170), (-0.07, 1.2), (0.07, 1.2), (0, 1.42))
        stick.poly(INK, (-0.02, 1.36), (0.02, 1.36), (0, 1.42))
    pen.lathe(mix((96, 130, 160), pen.palette.sky[1], 0.3), (0.45, 0), (0.45, 0.95))


def draw_globe(pen: Pen) -> None:
    """Draw a globe on its stand."""
    pen.oval(OAK, 0, 0.06, 0.6, 0.12)
    pen.box(OAK, -0.06, 0.1, 0.06, 0.6)
    pen.ball((70, 140, 190), 0, 1.4, 0.85)
    pen.blob(GRASS, (-0.5, 1.8), (-0.1, 2.0), (0.0, 1.6), (-0.3, 1.3))
    pen.blob(GRASS, (0.2, 1.4), (0.5, 1.6), (0.6, 1.2), (0.3, 0.9))
    pen.blob(GRASS, (-0.5, 1.1), (-0.25, 1.1), (-0.3, 0.75))
    pen.curve(BRASS, 0.07, (0.3, 2.4), (-0.8, 2.0), (-0.95, 1.2), (-0.4, 0.55), (0, 0.5))


def draw_calculator(pen: Pen) -> None:
    """Draw a calculator with a row of keys."""
    pen.box(INK, -0.75, 0, 0.75, 2.2, 0.14)
    pen.box((176, 206, 180), -0.6, 1.6, 0.6, 2.02, 0.05)
    for number in range(4):
        pen.box((60, 74, 66), 0.02 + 0.14 * number, 1.7, 0.1 + 0.14 * number, 1.92)
    for row in range(4):
        for column in range(4):
            tone = (240, 150, 70) if column == 3 else (206, 208, 214)
            x, y = 0.3 * column, 0.34 * row
            pen.box(tone, -0.58 + x, 0.16 + y, -0.34 + x, 0.42 + y, 0.05)


def draw_folders(pen: Pen) -> None:
    """Draw binders side by side."""
    for number in range(7):
        tone = ((58, 96, 136), (170, 70, 60), (210, 170, 90), (84, 128, 104))[number % 4]
        x = -1.6 + 0.46 * number
        pen.box(tone, x, 0, x + 0.42, 1.5, 0.03)
        pen.box((244, 240, 230), x + 0.09, 0.85, x + 0.33, 1.3)
        pen.oval((230, 230, 230), x + 0.21, 0.35, 0.1)
        pen.oval(darken(tone, 0.5), x + 0.21, 0.35, 0.06)


def draw_chart(pen: Pen) -> None:
    """Draw a screen with a chart that rises."""
    pen.box(INK, -1.5, 0.5, 1.5, 2.7, 0.1)
    pen.box(mix(pen.palette.sky[0], (20, 30, 50), 0.4), -1.38, 0.62, 1.38, 2.58)
    for number, high in enumerate((0.4, 0.65, 0.55, 0.9, 1.15, 1.4)):
        pen.box(pen.palette.accent, -1.15 + 0.4 * number, 0.75, -0.9 + 0.4 * number, 0.75 + high)
    pen.line(WHITE, 0.05, (-1.05, 1.35), (-0.2, 1.6), (0.3, 1.55), (1.1, 2.4))
    pen.box(INK, -0.1, 0.1, 0.1, 0.5)
    pen.box(INK, -0.6, 0, 0.6, 0.12, 0.05)
    pen.glow(0, 1.6, 1.8, 0.35, pen.palette.sky[-1])
    pen.blink(1.1, 2.4, 0.3, WHITE, 1.4, level=0.8)


def draw_canvas(pen: Pen) -> None:
    """Draw an easel with a painting of hills."""
    for x in (-1.3, 1.3):
        pen.line(CHERRY, 0.14, (x, 0), (x * 0.2, 5.0))
    pen.line(darken(CHERRY, 0.3), 0.14, (0, 0.2), (0, 5.0))
    pen.box(CHERRY, -1.5, 1.45, 1.5, 1.65)
    pen.box((250, 246, 238), -1.4, 1.65, 1.4, 4.4)
    tones = pen.palette.sky
    pen.box(lighten(tones[-1], 0.2), -1.25, 1.8, 1.25, 4.25)
    pen.oval(pen.palette.light, 0.4, 3.5, 0.35)
    pen.blob(tones[1], *trace("-1.25,1.8 -1.25,2.9 -0.4,3.2 0.4,2.6 1.25,3.0 1.25,1.8"))
    pen.blob(darken(tones[0], 0.1), *trace("-1.25,1.8 -1.25,2.3 -0.2,2.5 1.25,2.1 1.25,1.8"))
    for x, y in ((-0.6, 2.1), (0.1, 2.2), (0.7, 2.0)):
        pen.oval(pen.palette.accent, x, y, 0.14, 0.08)


def draw_palette_board(pen: Pen) -> None:
    """Draw a painter's palette with colours."""
    outline = trace("-1.7,0.2 -1.2,1.2 0,1.5 1.4,1.2 1.8,0.4 0.8,0.05 0,0.3 -0.8,0.0")
    pen.blob((206, 158, 104), *outline)
    for (x, y), tone in read_tints(
        "-1.1,0.65 -0.6,1.08 0.05,1.2 0.7,1.08 1.2,0.7", "#dc3c36 #f6be3c #faf6ec #5096c8 #5aa05a"
    ):
        pen.oval(darken(tone, 0.2), x, y - 0.03, 0.27, 0.17)
        pen.oval(tone, x, y, 0.25, 0.15)
        pen.oval(lighten(tone, 0.5), x - 0.08, y + 0.05, 0.07, 0.04)


def draw_brushes(pen: Pen) -> None:
    """Draw a jar of brushes."""
    for number, tone in enumerate(read_paints("#dc3c36 #5096c8 #f6be3c #785a96 #5aa05a")):
        stick = pen.at(-0.36 + 0.18 * number, 0.9, turn=0.3 - 0.15 * number)
        stick.box((214, 170, 110), -0.06, 0, 0.06, 1.4)
        stick.box(STEEL, -0.08, 1.35, 0.08, 1.55)
        stick.blob(tone, (-0.13, 1.52), (-0.12, 1.85), (0, 2.1), (0.12, 1.85), (0.13, 1.52))
    pen.lathe((190, 206, 210), (0.5, 0), (0.5, 1.15))


def draw_potter(pen: Pen) -> None:
    """Draw a potter's wheel with a bowl on it."""
    pen.box(INK, -1.2, 0, 1.2, 1.5, 0.1)
    pen.oval(darken(STEEL, 0.2), 0, 1.6, 1.3, 0.22)
    pen.oval(STEEL, 0, 1.68, 1.3, 0.22)
    pen.at(0, 1.7).lathe((186, 112, 76), (0.5, 0), (0.75, 0.4), (0.95, 1.2), (0.8, 1.5))
    pen.oval((120, 66, 44), 0, 3.2, 0.8, 0.15)
    for y in (2.2, 2.55, 2.9):
        pen.curve((210, 140, 100), 0.03, (-0.8, y), (0, y - 0.12), (0.8, y))
    pen.blink(-0.9, 1.7, 0.5, WHITE, 0.6, level=0.5, flat=0.4)


def draw_pots(pen: Pen) -> None:
    """Draw vases and bowls in a row."""
    for x, tone, profile in (
        (-1.5, (110, 146, 150), ((0.3, 0), (0.55, 0.5), (0.3, 1.2), (0.4, 1.4))),
        (-0.3, (236, 226, 208), ((0.35, 0), (0.6, 0.35), (0.7, 0.75))),
        (0.9, (186, 112, 76), ((0.3, 0), (0.5, 0.6), (0.2, 1.0), (0.2, 1.7), (0.3, 1.8))),
        (1.9, (70, 84, 110), ((0.25, 0), (0.42, 0.5), (0.36, 0.9))),
    ):  # fmt: skip
        pen.at(x, 0).lathe(tone, *profile)


def draw_cubicle(pen: Pen) -> None:
    """Draw a desk with sides, a lamp and an open book, seen from its front."""
    wood = mix((206, 166, 120), pen.palette.ground[0], 0.15)
    pen.box(darken(wood, 0.25), -1.9, 0, 1.9, 3.9, 0.06)
    pen.box(wood, -1.7, 1.7, 1.7, 3.7)
    pen.glow(0, 2.7, 1.5, 0.6, (255, 232, 190))
    pen.box((255, 248, 226), -1.1, 3.4, 1.1, 3.55, 0.06)
    pen.box(darken(wood, 0.1), -1.7, 2.9, 1.7, 3.0)
    for x, tone in ((-1.4, (150, 52, 50)), (-1.18, (48, 84, 118)), (-0.95, (200, 164, 96))):
        pen.box(tone, x, 3.0, x + 0.2, 3.4)
    pen.box(lighten(wood, 0.2), -2.0, 1.55, 2.0, 1.75, 0.04)
    for side in pen.sides(0, 1.75):
        side.poly((250, 246, 236), *trace("0,0.02 0.7,0.02 0.62,0.3 0,0.25"))
    pen.box(INK, -0.7, 0.3, 0.7, 1.3, 0.2)
    pen.box(lighten(INK, 0.15), -0.6, 0.6, 0.6, 1.9, 0.2)


def draw_blocks(pen: Pen) -> None:
    """Draw a tower of building blocks and a ball."""
    for number, (x, y) in enumerate(trace("-1.0,0 -0.2,0 0.6,0 -0.6,0.8 0.2,0.8 -0.2,1.6")):
        shade = TOYS[number % 4]
        pen.box(darken(shade, 0.2), x - 0.38, y, x + 0.38, y + 0.78, 0.06)
        pen.box(shade, x - 0.38, y + 0.06, x + 0.3, y + 0.78, 0.06)
        pen.oval(lighten(shade, 0.5), x - 0.04, y + 0.42, 0.18)
    pen.poly(TOYS[2], (-0.6, 2.4), (0.2, 2.4), (-0.2, 3.0))
    pen.ball(TOYS[0], 1.7, 0.5, 0.5)


def draw_bear(pen: Pen) -> None:
    """Draw a teddy bear."""
    tone = (190, 136, 88)
    for side in (-1, 1):
        pen.oval(darken(tone, 0.1), side * 0.75, 1.3, 0.32, 0.5)
        pen.oval(tone, side * 0.62, 0.3, 0.42, 0.34)
        pen.oval(lighten(tone, 0.4), side * 0.66, 0.3, 0.22, 0.2)
        pen.oval(tone, side * 0.55, 2.75, 0.3)
        pen.oval(lighten(tone, 0.4), side * 0.55, 2.75, 0.17)
    pen.oval(tone, 0, 0.95, 0.85, 0.9)
    pen.oval(lighten(tone, 0.35), 0, 0.9, 0.5, 0.58)
    pen.oval(tone, 0, 2.25, 0.78, 0.7)
    pen.oval(lighten(tone, 0.45), 0, 2.02, 0.36, 0.28)
    pen.oval(INK, 0, 2.14, 0.12, 0.08)
    for side in (-1, 1):
        pen.oval(INK, side * 0.28, 2.4, 0.08)
    pen.blob(pen.palette.accent, (0, 1.6), (-0.4, 1.78), (-0.4, 1.45))
    pen.blob(pen.palette.accent, (0, 1.6), (0.4, 1.78), (0.4, 1.45))


def draw_slide(pen: Pen) -> None:
    """Draw a slide with a ladder and a little house."""
    pen.line(TOYS[3], 0.14, (-1.6, 0), (-1.2, 3.2))
    pen.line(TOYS[3], 0.14, (-0.4, 0), (-0.4, 3.2))
    for step in range(5):
        pen.line(TOYS[1], 0.1, (-1.55 + 0.06 * step, 0.5 + 0.5 * step), (-0.4, 0.5 + 0.5 * step))
    pen.box(TOYS[1], -1.4, 2.6, -0.2, 2.8)
    pen.poly(TOYS[0], (-1.7, 4.0), (0.0, 4.0), (-0.85, 5.0))
    for x in (-1.4, -0.3):
        pen.line(TOYS[2], 0.12, (x, 2.7), (x, 4.0))
    pen.curve(darken(TOYS[0], 0.15), 0.5, (-0.3, 2.75), (0.7, 1.9), (1.7, 0.7), (2.8, 0.35))
    pen.curve(lighten(TOYS[0], 0.2), 0.2, (-0.3, 2.85), (0.7, 2.0), (1.7, 0.8), (2.8, 0.45))


def draw_balloons(pen: Pen) -> None:
    """Draw balloons on strings, which sway."""
    pen.swing(_draw_balloons, (-1.45, -3.1, 1.45, 1.5), 0.03, 3.4)


def _draw_balloons(pen: Pen) -> None:
    for x, y, tone in ((-0.7, 0.2, TOYS[0]), (0.7, 0.3, TOYS[3]), (0, 0.75, TOYS[1])):
        pen.curve((236, 232, 226), 0.03, (x, y - 0.7), (x * 0.5, y - 1.8), (0, -3.0))
        pen.blob(darken(tone, 0.12), (x - 0.55, y), (x, y + 0.68), (x + 0.55, y), (x, y - 0.72))
        pen.blob(tone, *trace("-0.5,0.03 -0.06,0.63 0.38,0 -0.04,-0.6", x, y))
        pen.oval(lighten(tone, 0.6), x - 0.2, y + 0.28, 0.12, 0.17)


def draw_small_chairs(pen: Pen) -> None:
    """Draw a low table with small chairs."""
    for x, tone in ((-1.9, TOYS[0]), (1.9, TOYS[3])):
        pen.box(tone, x - 0.45, 0.65, x + 0.45, 0.85, 0.08)
        for leg in (-0.35, 0.35):
            pen.line(darken(tone, 0.2), 0.1, (x + leg, 0), (x + leg, 0.7))
        back = -0.45 if x < 0 else 0.3
        pen.box(tone, x + back, 0.8, x + back + 0.15, 1.7, 0.07)
    for leg in (-1.0, 1.0):
        pen.line(CHERRY, 0.14, (leg, 0), (leg, 1.1))
    pen.box((250, 232, 190), -1.3, 1.05, 1.3, 1.25, 0.08)
    for number in range(4):
        pen.at(-0.7 + 0.4 * number, 1.25, turn=0.3 * (-1) ** number).box(
            TOYS[number], -0.05, 0, 0.05, 0.6, 0.02
        )
