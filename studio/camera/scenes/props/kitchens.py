"""Meat, fish, and what kitchens and bars cook and brew with. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, read_rows, trace
from studio.camera.scenes.paints import COFFEE, ELM, HERB, INK, STEEL, VERMILION, WHITE
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints
from studio.camera.scenes.props.food import draw_plate
from studio.camera.scenes.props.goods import draw_small_cup
from studio.camera.scenes.props.people import draw_fish
from studio.camera.scenes.props.weather import draw_steam


def draw_charcoal_grill(pen: Pen) -> None:
    """Draw a round grill set in a table: meat over embers that glow, and smoke."""
    pen.oval(darken(STEEL, 0.4), 0, 0, 2.3, 0.72)
    pen.oval(STEEL, 0, 0.08, 2.25, 0.68)
    pen.oval((60, 30, 26), 0, 0.08, 1.95, 0.55)
    for number in range(26):
        angle, far = number * 2.4, 0.25 + 0.72 * ((number * 0.618) % 1)
        tone = ((250, 120, 40), (200, 60, 30), (120, 40, 30))[number % 3]
        pen.oval(tone, 1.7 * far * math.cos(angle), 0.08 + 0.46 * far * math.sin(angle), 0.16, 0.09)
    for number in range(-6, 7):
        x = 0.28 * number
        deep = 0.55 * math.sqrt(max(0.0, 1 - (x / 1.95) ** 2))
        pen.line(INK, 0.05, (x, 0.08 - deep), (x, 0.12 + deep))
    for x, y, turn in read_rows(
        "-1.0,0.2,0.1 -0.2,0.34,-0.1 0.7,0.24,0.15 -0.6,-0.1,0.0 0.35,-0.1,0.1 1.15,-0.02,-0.1"
    ):
        meat = pen.at(x, y, turn=turn)
        meat.box((150, 62, 48), -0.4, -0.09, 0.4, 0.15, 0.09)
        meat.box((206, 112, 84), -0.34, 0.03, 0.34, 0.13, 0.05)
        meat.line((244, 206, 180), 0.05, (-0.28, 0.08), (0.24, 0.09))
    pen.glow(0, 0.3, 2.4, 0.55, (255, 130, 60))
    pen.blink(0, 0.1, 1.8, (255, 120, 50), 1.3, level=0.35, flat=0.4)
    draw_steam(pen.at(0, 0.5), 2.2)


def draw_skewers(pen: Pen) -> None:
    """Draw skewers on a plate."""
    draw_plate(pen, 1.9)
    for number in range(4):
        stick = pen.at(-1.1 + 0.3 * number, 0.25 + 0.08 * number, turn=0.12)
        stick.line((214, 178, 124), 0.06, (-0.5, 0), (2.0, 0))
        for piece in range(4):
            tone = ((170, 84, 44), (196, 104, 52), HERB, (150, 70, 40))[piece]
            stick.box(tone, -0.1 + 0.44 * piece, -0.14, 0.28 + 0.44 * piece, 0.16, 0.09)


def draw_chimney(pen: Pen) -> None:
    """Draw the pipe over a grill table, its mouth at the origin."""
    pen.box(STEEL, -0.22, 0.3, 0.22, 14)
    pen.box(lighten(STEEL, 0.4), -0.14, 0.3, -0.04, 14)
    pen.poly(darken(STEEL, 0.15), (-0.22, 0.7), (0.22, 0.7), (0.62, 0), (-0.62, 0))
    pen.oval(darken(STEEL, 0.5), 0, 0, 0.62, 0.1)


def draw_chicken(pen: Pen) -> None:
    """Draw a bucket heaped with fried chicken."""
    gold = (214, 136, 58)
    for x, y, turn in read_rows(
        "-0.8,1.6,0.5 0.8,1.6,-0.5 -0.3,2.0,0.2 0.45,2.1,-0.3 0,1.7,0 0.05,2.5,0.1"
    ):
        leg = pen.at(x, y, turn=turn)
        leg.line((244, 234, 216), 0.16, (0, 0.4), (0, 0.98))
        leg.blob(darken(gold, 0.25), *trace("-0.42,-0.3 -0.4,0.25 0,0.6 0.4,0.25 0.42,-0.3 0,-0.5"))
        leg.blob(gold, (-0.38, -0.25), (-0.36, 0.25), (-0.04, 0.55), (0.28, 0.2), (0.3, -0.25))
        for bump in range(6):
            left, up = 0.2 * math.cos(bump * 1.3) - 0.06, 0.25 * math.sin(bump * 1.9)
            leg.oval(lighten(gold, 0.3), left, up, 0.07)
    pen.poly((240, 236, 228), (-0.95, 0), (0.95, 0), (1.3, 1.75), (-1.3, 1.75))
    for number in range(-3, 4, 2):
        x, top = number * 0.27, number * 0.37
        pen.poly(VERMILION, (x - 0.13, 0), (x + 0.13, 0), (top + 0.18, 1.75), (top - 0.18, 1.75))
    draw_steam(pen.at(0, 2.6), 1.4)


def draw_pizza(pen: Pen) -> None:
    """Draw a pizza on a board, a piece drawn out."""
    pen.oval(darken(ELM, 0.3), 0, 0.0, 2.2, 0.62)
    pen.oval(ELM, 0, 0.07, 2.2, 0.6)
    pen.oval((206, 144, 76), 0, 0.2, 1.9, 0.5)
    pen.oval((236, 178, 90), 0, 0.25, 1.7, 0.42)
    pen.oval((246, 206, 110), 0, 0.27, 1.55, 0.37)
    for number in range(15):
        angle, far = number * 2.4, 0.2 + 0.72 * ((number * 0.618) % 1)
        tone = (VERMILION, (150, 40, 36), HERB)[number % 3]
        pen.oval(tone, 1.4 * far * math.cos(angle), 0.28 + 0.32 * far * math.sin(angle), 0.2, 0.075)
    draw_steam(pen.at(0, 0.5), 1.6)


def draw_burger(pen: Pen) -> None:
    """Draw a tall burger."""
    bun = (214, 142, 66)
    pen.box(bun, -1.1, 0, 1.1, 0.42, 0.16)
    pen.box((110, 58, 38), -1.15, 0.38, 1.15, 0.75, 0.16)
    pen.poly((250, 196, 60), (-1.15, 0.8), (1.15, 0.8), (0.7, 0.5), (0.3, 0.76), (-0.5, 0.55))
    pen.box(VERMILION, -1.05, 0.78, 1.05, 0.96, 0.08)
    pen.blob(HERB, *trace("-1.25,0.98 -0.7,1.12 0,1.0 0.7,1.12 1.25,0.98 0.6,0.9 0,0.95 -0.6,0.9"))
    pen.blob(darken(bun, 0.15), (-1.15, 1.08), (-1.05, 1.6), (0, 2.0), (1.05, 1.6), (1.15, 1.08))
    pen.blob(bun, (-1.08, 1.12), (-1.0, 1.6), (-0.1, 1.94), (0.75, 1.6), (0.8, 1.12))
    for x, y in ((-0.6, 1.6), (-0.2, 1.78), (0.25, 1.72), (0.55, 1.5), (-0.35, 1.45), (0.1, 1.5)):
        pen.oval((250, 232, 190), x, y, 0.07, 0.04)


def draw_fries(pen: Pen) -> None:
    """Draw fries in a red carton."""
    for number in range(9):
        pen.at(-0.5 + 0.125 * number, 0.7, turn=0.2 - 0.05 * number).box(
            (246, 200, 90), -0.07, 0, 0.07, 1.0 + 0.2 * (number % 3), 0.02
        )
    pen.poly(VERMILION, (-0.5, 0), (0.5, 0), (0.72, 1.2), (-0.72, 1.2))
    pen.oval((250, 214, 90), 0, 0.6, 0.24)


def draw_meat(pen: Pen) -> None:
    """Draw a cut of meat on a board, with a knife."""
    pen.box(darken(ELM, 0.2), -2.4, 0, 2.4, 0.3, 0.08)
    pen.box(lighten(ELM, 0.15), -2.4, 0.14, 2.4, 0.32, 0.08)
    pen.blob((172, 52, 50), (-1.8, 0.32), (-1.7, 1.2), (-0.6, 1.6), (0.4, 1.3), (0.6, 0.32))
    pen.blob((206, 84, 76), (-1.5, 0.45), (-1.4, 1.1), (-0.6, 1.4), (0.1, 1.1), (0.2, 0.45))
    pen.curve((250, 230, 220), 0.12, (-1.75, 0.5), (-1.65, 1.2), (-0.6, 1.58), (0.38, 1.28))
    for points in ("-1.2,0.7 -0.8,1.0 -0.5,0.9", "-0.6,0.6 -0.2,0.8 0,0.7", "-1.0,1.2 -0.6,1.2"):
        pen.curve((250, 230, 220), 0.06, *trace(points))
    pen.poly(lighten(STEEL, 0.2), (1.0, 0.36), (2.4, 0.36), (2.4, 0.95), (1.2, 0.95))
    pen.box(INK, 2.4, 0.5, 3.5, 0.74, 0.08)


def draw_hanging_meat(pen: Pen) -> None:
    """Draw sides of meat and sausages on hooks."""
    pen.box(STEEL, -10, 0, 10, 0.14)
    for x in (-3.0, -1.1, 2.6):
        pen.curve(STEEL, 0.07, (x, 0.1), (x + 0.14, -0.1), (x, -0.3))
        pen.blob((160, 50, 48), *trace("-0.35,-0.3 -0.6,-1.6 0,-2.6 0.6,-1.6 0.35,-0.3", x))
        pen.blob((214, 150, 130), *trace("-0.3,-0.5 -0.5,-1.5 -0.1,-2.3 -0.1,-1.2", x))
        for y in (-0.9, -1.3, -1.7):
            pen.curve((246, 224, 210), 0.06, (x, y), (x + 0.3, y - 0.1), (x + 0.48, y - 0.05))
    for link in range(6):
        pen.oval((176, 84, 58), 0.7 + 0.1 * (-1) ** link, -0.3 - 0.42 * link, 0.17, 0.25)
        pen.oval((214, 130, 96), 0.64 + 0.1 * (-1) ** link, -0.26 - 0.42 * link, 0.06, 0.14)


def draw_shop_scale(pen: Pen) -> None:
    """Draw a shop's scales with a pan and a dial."""
    pen.box((226, 226, 222), -1.0, 0, 1.0, 0.5, 0.1)
    pen.box((226, 226, 222), -0.6, 0.4, 0.6, 1.9, 0.2)
    pen.oval(WHITE, 0, 1.3, 0.46)
    pen.oval(darken(STEEL, 0.2), 0, 1.3, 0.06)
    pen.line(VERMILION, 0.05, (0, 1.3), (0.22, 1.6))
    pen.blob(STEEL, (-1.2, 2.2), (1.2, 2.2), (0.8, 1.92), (-0.8, 1.92))


def draw_sashimi(pen: Pen) -> None:
    """Draw a long plate of raw fish in slices."""
    pen.box(darken((96, 110, 120), 0.3), -2.3, -0.2, 2.3, 0.16, 0.16)
    pen.box((110, 126, 138), -2.3, -0.08, 2.3, 0.24, 0.14)
    tones = ((246, 130, 96), (240, 214, 200), (196, 60, 66), (246, 130, 96), (240, 214, 200))
    for group, tone in enumerate(tones):
        for piece in range(3):
            x = -1.85 + 0.9 * group + 0.2 * piece
            slice_ = pen.at(x, 0.22, turn=-0.5)
            slice_.box(darken(tone, 0.12), -0.14, 0, 0.16, 0.62, 0.1)
            slice_.box(tone, -0.14, 0.03, 0.12, 0.62, 0.1)
            slice_.line(lighten(tone, 0.5), 0.04, (-0.06, 0.15), (0.02, 0.55))
    for x in (-2.05, -0.95, 0.1, 1.0, 2.05):
        pen.blob(HERB, (x - 0.2, 0.2), (x - 0.12, 0.55), (x, 0.75), (x + 0.14, 0.5), (x + 0.2, 0.2))


def draw_fish_tank(pen: Pen) -> None:
    """Draw a tank with fish, bubbles rising."""
    tone = mix((64, 150, 190), pen.palette.sky[1], 0.2)
    pen.box(INK, -2.7, 0, 2.7, 0.7)
    tones = darken(tone, 0.35), lighten(tone, 0.3)
    pen.bands(tones, (-2.6, 0.6, 2.6, 0.87), 0.25, 12)
    for x in (-2.1, -1.7, 1.6, 2.1):
        pen.curve((60, 140, 100), 0.13, (x, 0.7), (x + 0.15, 1.2), (x - 0.1, 1.7), (x + 0.08, 2.2))
    pen.blob((150, 130, 110), *trace("-2.6,0.65 -1.0,0.95 0.5,0.75 2.6,0.95 2.6,0.6 -2.6,0.6"))
    for (x, y, size), colour in read_tints(
        "-1.3,1.6,0.9 0.6,2.3,1.1 1.3,1.4,0.8 -0.4,2.8,0.8", "#f28c3c #c8ced6 #e65a46 #c8ced6"
    ):
        draw_fish(pen.at(x, y, size), colour)
    for x in (-2.7, 2.58):
        pen.box((214, 222, 228), x, 0.5, x + 0.12, 3.7)
    pen.box((214, 222, 228), -2.7, 3.55, 2.7, 3.7)
    pen.poly(lighten(tone, 0.3), (-2.2, 0.9), (-2.0, 0.9), (-1.3, 3.5), (-1.5, 3.5))
    pen.glow(0, 2.1, 2.8, 0.45, lighten((120, 200, 230), 0.3))
    pen.fall(-2.3, 3.5, 4.6, 2.7, 0.16, 14, -0.3, sway=0.1, level=0.65)


def draw_crab(pen: Pen) -> None:
    """Draw a red crab on a plate."""
    draw_plate(pen, 2.1)
    for half in pen.sides(0, 0.35):
        for number in range(3):
            knee, foot = (1.2, 0.35 - 0.2 * number), (1.6, -0.05 - 0.18 * number)
            half.curve(darken(VERMILION, 0.1), 0.13, (0.6, 0.1), knee, foot)
        half.curve(VERMILION, 0.2, (0.6, 0.4), (1.2, 0.8), (1.1, 1.3))
        half.blob(VERMILION, (0.9, 1.2), (0.85, 1.7), (1.1, 1.5), (1.3, 1.75), (1.35, 1.2))
    pen.blob(VERMILION, (-0.9, 0.2), (-0.8, 0.75), (0, 0.95), (0.8, 0.75), (0.9, 0.2), (0, 0.05))
    pen.blob(lighten(VERMILION, 0.25), (-0.6, 0.55), (0, 0.82), (0.5, 0.6), (0, 0.5))
    for x in (-0.25, 0.25):
        pen.ball(INK, x, 0.98, 0.09)


def draw_pot(pen: Pen, colour: Colour = STEEL) -> None:
    """Draw a big pot on the fire, steaming."""
    for x in (-0.8, -0.4, 0, 0.4, 0.8):
        pen.poly((90, 150, 250), (x - 0.12, 0), (x + 0.12, 0), (x, 0.28))
    pen.lathe(colour, (1.25, 0.2), (1.25, 1.9))
    for x in (-1.42, 1.42):
        pen.box(darken(colour, 0.4), x - 0.16, 1.3, x + 0.16, 1.5, 0.08)
    pen.oval(lighten(colour, 0.3), 0, 1.9, 1.25, 0.2)
    pen.oval((222, 206, 178), 0, 1.88, 1.12, 0.15)
    draw_steam(pen.at(0, 2.0), 1.5)


def draw_pan(pen: Pen) -> None:
    """Draw a frying pan over flames that flicker."""
    for number in range(7):
        x = -0.9 + 0.3 * number
        tall = 0.32 + 0.16 * (number % 2)
        pen.poly((250, 150, 50), (x - 0.13, 0), (x + 0.13, 0), (x, tall))
    pen.poly(INK, (-1.3, 0.85), (1.3, 0.85), (1.0, 0.38), (-1.0, 0.38))
    pen.line(INK, 0.18, (1.2, 0.78), (2.6, 1.15))
    pen.oval(darken(INK, 0.3), 0, 0.85, 1.3, 0.16)
    for (x,), tone in read_tints("-0.6 -0.1 0.4 0.75", "#de5c3c #78aa50 #f0c85a #de5c3c"):
        pen.oval(tone, x, 0.92, 0.26, 0.14)
    pen.blink(0, 0.2, 1.2, (255, 160, 70), 0.6, level=0.35)
    draw_steam(pen.at(0, 1.0), 1.2)


def draw_kettle(pen: Pen, colour: Colour = STEEL) -> None:
    """Draw a kettle with a long thin spout."""
    pen.curve(colour, 0.12, (0.5, 0.4), (1.0, 0.5), (1.1, 1.2), (1.35, 1.35))
    pen.curve(INK, 0.14, (-0.5, 1.2), (-1.05, 1.1), (-1.0, 0.3), (-0.6, 0.3))
    pen.lathe(colour, (0.66, 0), (0.62, 0.5), (0.4, 1.2))
    pen.lathe(darken(colour, 0.15), (0.42, 1.2), (0.3, 1.36), (0.08, 1.42))
    pen.ball(INK, 0, 1.5, 0.12)


def draw_espresso_machine(pen: Pen) -> None:
    """Draw a machine for espresso, with cups under it."""
    red = mix((170, 44, 44), pen.palette.sky[1], 0.2)
    pen.box(darken(STEEL, 0.3), -2.0, 0, 2.0, 0.4, 0.08)
    pen.box(darken(STEEL, 0.55), -1.7, 0.4, 1.7, 1.6)
    pen.box(STEEL, -2.0, 0.3, -1.6, 2.6, 0.12)
    pen.box(STEEL, 1.6, 0.3, 2.0, 2.6, 0.12)
    pen.box(red, -2.1, 1.5, 2.1, 2.5, 0.2)
    pen.box(lighten(red, 0.35), -2.0, 2.3, 2.0, 2.4, 0.05)
    for x in (-0.85, 0.85):
        pen.oval((244, 240, 230), x * 1.7, 2.0, 0.24)
        pen.line(INK, 0.05, (x * 1.7, 2.0), (x * 1.7 + 0.1, 2.14))
        pen.box(INK, x - 0.34, 1.3, x + 0.34, 1.52, 0.05)
        pen.line((70, 44, 30), 0.16, (x, 1.35), (x + 0.5, 1.12))
        pen.box((96, 58, 36), x - 0.06, 0.75, x - 0.03, 1.3)
        pen.box((96, 58, 36), x + 0.03, 0.75, x + 0.06, 1.3)
        draw_small_cup(pen.at(x, 0.4, 0.9))
        draw_steam(pen.at(x, 0.9), 0.5)
    for number in range(5):
        draw_small_cup(pen.at(-1.4 + 0.7 * number, 2.5, 0.9))


def draw_grinder(pen: Pen) -> None:
    """Draw a grinder full of beans."""
    pen.box(INK, -0.5, 0, 0.5, 0.3, 0.08)
    pen.box(INK, -0.42, 0.2, 0.42, 1.5, 0.1)
    pen.poly((214, 222, 226), (-0.3, 1.5), (0.3, 1.5), (0.62, 2.5), (-0.62, 2.5))
    pen.poly(COFFEE, (-0.27, 1.5), (0.27, 1.5), (0.5, 2.2), (-0.5, 2.2))
    pen.box(INK, -0.66, 2.5, 0.66, 2.62, 0.04)


def draw_tap(pen: Pen) -> None:
    """Draw a bar's tap with three handles."""
    pen.box(STEEL, -0.12, 0, 0.12, 1.6)
    pen.box(STEEL, -1.0, 1.5, 1.0, 1.8, 0.14)
    for x in (-0.75, 0, 0.75):
        pen.line(STEEL, 0.1, (x, 1.5), (x, 1.2))
        pen.poly((90, 50, 34), (x - 0.08, 1.75), (x + 0.08, 1.75), (x + 0.14, 2.5), (x - 0.14, 2.5))


def draw_oven(pen: Pen) -> None:
    """Draw a deck oven with bread in its glow."""
    pen.box(STEEL, -2.3, 0, 2.3, 4.4, 0.1)
    for y in (0.5, 2.4):
        pen.box(INK, -2.0, y, 1.5, y + 1.6, 0.1)
        pen.box((250, 150, 60), -1.85, y + 0.15, 1.35, y + 1.45)
        pen.box((255, 190, 100), -1.7, y + 0.3, 1.2, y + 1.3)
        for x in (-1.3, -0.5, 0.3, 0.9):
            outline = trace("-0.32,0.35 -0.25,0.68 0,0.78 0.25,0.68 0.32,0.35", x, y)
            pen.blob((170, 100, 48), *outline)
        pen.box(darken(STEEL, 0.4), -1.8, y + 0.28, 1.3, y + 0.35)
        pen.box(WHITE, -1.7, y + 1.68, 1.2, y + 1.76, 0.04)
        for knob in (0.4, 0.9):
            pen.ball(INK, 1.9, y + knob, 0.14)
        pen.glow(-0.2, y + 0.8, 1.8, 0.5, (255, 160, 80))
        pen.blink(-0.2, y + 0.8, 1.6, (255, 190, 110), 2.4 + y * 0.3, level=0.25)


def draw_stove(pen: Pen) -> None:
    """Draw a range of steel, its top 1.7 above the origin, and the hood above it."""
    pen.box(darken(STEEL, 0.25), -1.95, 0, 1.95, 1.7, 0.03)
    for x in (-1.85, 0.05):
        pen.box(STEEL, x, 0.1, x + 1.8, 1.36, 0.04)
        pen.box(INK, x + 0.2, 0.3, x + 1.6, 0.95, 0.05)
        pen.box((250, 150, 60), x + 0.28, 0.38, x + 1.52, 0.87, 0.03)
        pen.box(lighten(STEEL, 0.4), x + 0.2, 1.08, x + 1.6, 1.14, 0.02)
    for number in range(6):
        pen.ball(INK, -1.6 + 0.64 * number, 1.49, 0.07)
    pen.box(lighten(STEEL, 0.25), -2.05, 1.6, 2.05, 1.74, 0.02)
    pen.poly(darken(STEEL, 0.12), (-1.9, 3.6), (1.9, 3.6), (1.1, 4.4), (-1.1, 4.4))
    pen.box(lighten(STEEL, 0.2), -1.95, 3.5, 1.95, 3.66, 0.02)
    pen.box(STEEL, -0.6, 4.3, 0.6, 9)
    pen.glow(0, 2.4, 1.5, 0.4, (255, 214, 160))
