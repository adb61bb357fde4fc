"""Bread, cakes, dishes and what is sold in the street. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import ELM, HERB, INK, STEEL, VERMILION, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints
from studio.camera.scenes.props.weather import draw_steam

CRUST: Colour = (196, 124, 62)
PLATE: Colour = (244, 240, 232)


def draw_plate(pen: Pen, wide: float = 1.7) -> None:
    """Draw an empty plate."""
    pen.oval(darken(PLATE, 0.45), 0, 0.0, wide, wide * 0.2)
    pen.oval(PLATE, 0, 0.07, wide, wide * 0.2)
    pen.oval(darken(PLATE, 0.14), 0, 0.09, wide * 0.72, wide * 0.135)
    pen.oval(lighten(PLATE, 0.5), 0, 0.07, wide * 0.7, wide * 0.12)


def draw_loaf(pen: Pen) -> None:
    """Draw a round loaf, scored, dusted with flour."""
    pen.blob(darken(CRUST, 0.3), *trace("-1.3,0 -1.35,0.5 -0.8,1.1 0,1.28 0.8,1.1 1.35,0.5 1.3,0"))
    pen.blob(CRUST, *trace("-1.22,0.06 -1.25,0.55 -0.75,1.08 -0.1,1.22 0.6,1.08 1.05,0.5 0.9,0.08"))
    pen.blob(lighten(CRUST, 0.25), (-1.0, 0.4), (-0.7, 0.95), (-0.2, 1.1), (0.2, 0.98), (-0.2, 0.5))
    for x in (-0.6, 0.0, 0.6):
        pen.curve((248, 228, 190), 0.1, (x - 0.2, 0.5), (x - 0.02, 0.85), (x + 0.25, 1.02))


def draw_baguettes(pen: Pen) -> None:
    """Draw a basket with baguettes."""
    for number in range(5):
        stick = pen.at(-0.5 + 0.25 * number, 0.6, turn=0.24 - 0.12 * number)
        stick.box(darken(CRUST, 0.15), -0.19, 0, 0.19, 2.3, 0.19)
        stick.box(CRUST, -0.17, 0, 0.09, 2.25, 0.16)
        for y in (0.7, 1.1, 1.5, 1.9):
            stick.line((244, 220, 176), 0.07, (-0.1, y - 0.1), (0.1, y + 0.1))
    draw_basket(pen)


def draw_basket(pen: Pen, wide: float = 1.0) -> None:
    """Draw a woven basket."""
    tone = (176, 126, 74)
    pen.poly(tone, (-0.8 * wide, 0), (0.8 * wide, 0), (wide, 1.0), (-wide, 1.0))
    for row in range(5):
        for column in range(1 - row % 2, 8, 2):
            half = wide * (0.8 + 0.04 * row)
            x = -half + column * half / 4
            pen.box(darken(tone, 0.25), x, row * 0.2, x + half / 4, row * 0.2 + 0.2)
    pen.box(lighten(tone, 0.2), -wide * 1.05, 0.94, wide * 1.05, 1.1, 0.08)


def draw_croissant(pen: Pen) -> None:
    """Draw a croissant."""
    for number in range(7):
        angle = math.pi * (0.1 + 0.8 * number / 6)
        x, y = -0.75 * math.cos(angle), 0.42 * math.sin(angle) + 0.12
        size = 0.2 + 0.16 * math.sin(angle)
        pen.oval(darken(CRUST, 0.25), x, y, size * 0.85, size)
        pen.oval((222, 150, 76), x - 0.03, y + 0.04, size * 0.68, size * 0.85)
        pen.oval((244, 190, 116), x - 0.05, y + 0.1, size * 0.3, size * 0.45)


def draw_bun(pen: Pen) -> None:
    """Draw a round bun or a small loaf."""
    tone = pen.pick((CRUST, (222, 156, 84), (170, 100, 54)))
    pen.blob(darken(tone, 0.25), (-0.42, 0), (-0.4, 0.3), (0, 0.5), (0.4, 0.3), (0.42, 0))
    pen.blob(tone, (-0.38, 0.04), (-0.36, 0.3), (-0.05, 0.46), (0.26, 0.3), (0.26, 0.05))
    pen.oval(lighten(tone, 0.4), -0.12, 0.32, 0.14, 0.07)


def draw_cake(pen: Pen) -> None:
    """Draw a cake on a stand, with cream and berries."""
    pen.oval((224, 220, 226), 0, 0.04, 0.6, 0.1)
    pen.box((224, 220, 226), -0.12, 0, 0.12, 0.6)
    pen.oval(darken(PLATE, 0.2), 0, 0.6, 1.35, 0.2)
    pen.oval(PLATE, 0, 0.65, 1.35, 0.2)
    pen.lathe((250, 226, 214), (1.05, 0.65), (1.05, 1.75))
    pen.box((236, 150, 150), -1.05, 1.1, 1.05, 1.24)
    pen.oval((255, 248, 240), 0, 1.75, 1.05, 0.18)
    for number in range(7):
        x = -0.85 + 0.283 * number
        pen.ball((255, 250, 244), x, 1.82, 0.17)
        pen.ball((214, 42, 58), x, 2.02, 0.15)


def draw_cupcake(pen: Pen) -> None:
    """Draw a small cake in paper."""
    tone = pen.pick(((240, 170, 180), (250, 236, 214), (150, 96, 66)))
    pen.poly((200, 150, 110), (-0.24, 0), (0.24, 0), (0.32, 0.34), (-0.32, 0.34))
    for y, r in ((0.4, 0.34), (0.56, 0.25), (0.7, 0.15)):
        pen.oval(tone, 0, y, r, 0.13)
    pen.ball((214, 42, 58), 0, 0.84, 0.09)


def draw_rolling_pin(pen: Pen) -> None:
    """Draw a rolling pin in flour."""
    pen.oval((250, 246, 238), 0, 0.02, 1.9, 0.16)
    pen.box((206, 158, 104), -1.2, 0.06, 1.2, 0.46, 0.1)
    pen.box((230, 190, 140), -1.2, 0.34, 1.2, 0.4, 0.03)
    for side in (-1, 1):
        left, right = sorted((side * 1.2, side * 1.65))
        pen.box((150, 98, 60), left, 0.17, right, 0.35, 0.08)


def draw_steak(pen: Pen) -> None:
    """Draw a plate of meat with vegetables, steaming."""
    draw_plate(pen, 2.0)
    pen.blob((98, 52, 36), *trace("-1.1,0.15 -1.0,0.5 -0.2,0.62 0.5,0.5 0.6,0.2 -0.2,0.06"))
    for x in (-0.8, -0.4, 0.0):
        pen.line((56, 30, 24), 0.07, (x, 0.2), (x + 0.25, 0.52))
    for (x, y), tone in read_tints(
        "0.85,0.25 1.1,0.35 0.75,0.42 1.15,0.2", "#e26e2e #569642 #569642 #e6be50"
    ):
        pen.ball(tone, x, y, 0.2)
    draw_steam(pen.at(-0.2, 0.6), 1.2)


def draw_pasta(pen: Pen) -> None:
    """Draw a plate of pasta."""
    draw_plate(pen, 1.9)
    for number in range(14):
        angle = number * 1.3
        x, tone = 0.55 * math.cos(angle), ((246, 206, 120), (230, 180, 90))[number % 2]
        middle = x * 0.5, 0.5 + 0.15 * math.sin(angle)
        pen.curve(tone, 0.11, (x - 0.5, 0.18), middle, (x + 0.5, 0.2))
    pen.blob((206, 58, 40), (-0.5, 0.5), (-0.2, 0.78), (0.3, 0.76), (0.5, 0.5), (0, 0.42))
    pen.blob((70, 140, 60), (-0.1, 0.72), (0.05, 0.95), (0.3, 0.85), (0.15, 0.7))
    draw_steam(pen.at(0, 0.7), 1.2)


def draw_side_dish(pen: Pen) -> None:
    """Draw a small bowl of a side dish."""
    tone = pen.pick(read_paints("#ce3c28 #6e9646 #f0ce6e #aa6e46 #e6823c"))
    pen.lathe((236, 232, 226), (0.3, 0), (0.5, 0.28))
    pen.oval((250, 248, 244), 0, 0.28, 0.5, 0.12)
    for x, y in ((-0.22, 0.3), (0.05, 0.36), (0.24, 0.3), (0, 0.27)):
        pen.oval(tone, x, y, 0.18, 0.09)
        pen.oval(lighten(tone, 0.35), x - 0.04, y + 0.03, 0.07, 0.03)


def draw_rice(pen: Pen) -> None:
    """Draw a bowl of rice."""
    pen.lathe((96, 110, 130), (0.35, 0), (0.62, 0.5))
    pen.blob((252, 250, 244), *trace("-0.58,0.48 -0.4,0.78 0,0.88 0.4,0.78 0.58,0.48 0,0.4"))
    draw_steam(pen.at(0, 0.85), 0.6)


def draw_chopsticks(pen: Pen) -> None:
    """Draw chopsticks and a spoon on a rest."""
    for off in (0.0, 0.12):
        pen.line((190, 150, 100), 0.06, (-1.0, 0.1 + off), (1.0, 0.05 + off))
    pen.line((196, 200, 206), 0.07, (-0.4, -0.15), (0.9, -0.18))
    pen.oval((206, 210, 216), -0.62, -0.14, 0.3, 0.12)


def draw_candle(pen: Pen, high: float = 0.9) -> None:
    """Draw a candle that flickers."""
    pen.lathe((248, 240, 222), (0.22, 0), (0.22, high))
    pen.oval((255, 250, 236), 0, high, 0.22, 0.05)
    pen.line(INK, 0.03, (0, high), (0, high + 0.12))
    pen.blob((255, 170, 60), *trace("-0.09,0.14 0,0.5 0.09,0.14 0,0.08", 0, high))
    pen.blob((255, 240, 180), *trace("-0.05,0.15 0,0.34 0.05,0.15 0,0.11", 0, high))
    pen.glow(0, high + 0.3, 1.5, 0.55, (255, 190, 110))
    phase = float(pen.chance.random())
    pen.blink(0, high + 0.3, 0.75, (255, 214, 140), 0.9, phase, level=0.4)


def draw_bread_case(pen: Pen) -> None:
    """Draw a counter of glass with two boards of bread."""
    pen.box((90, 60, 42), -3.4, 0, 3.4, 0.4)
    pen.box((60, 46, 40), -3.3, 0.4, 3.3, 3.0)
    for y in (0.4, 1.75):
        pen.box((206, 170, 124), -3.3, y, 3.3, y + 0.14)
        pen.glow(0, y + 0.9, 2.4, 0.22, (255, 200, 120))
        for number in range(7):
            x = -2.8 + 0.93 * number
            pen.pick((draw_croissant, draw_bun, draw_cupcake))(pen.at(x, y + 0.14, 0.95))
    pen.box((232, 226, 216), -3.45, 2.95, 3.45, 3.15, 0.05)
    for x in (-3.4, 3.3):
        pen.box((232, 226, 216), x, 0.4, x + 0.12, 3.0)
    pen.poly((120, 106, 96), (-2.6, 0.45), (-2.5, 0.45), (-1.4, 2.95), (-1.5, 2.95))
    pen.box(WHITE, -3.4, 2.85, 3.4, 2.88)


def draw_street_pan(pen: Pen) -> None:
    """Draw a flat pan of rice cakes in red sauce, steaming."""
    pen.box(STEEL, -2.3, 0, 2.3, 0.75, 0.06)
    pen.poly(darken(STEEL, 0.3), (-2.3, 0.7), (2.3, 0.7), (2.0, 1.35), (-2.0, 1.35))
    pen.poly(VERMILION, (-2.12, 0.74), (2.12, 0.74), (1.86, 1.28), (-1.86, 1.28))
    for number in range(22):
        x = -1.75 + 3.5 * ((number * 0.618) % 1)
        y = 0.84 + 0.36 * ((number * 0.37) % 1)
        cake = pen.at(x, y, turn=1.5 * ((number * 0.7) % 1) - 0.7)
        cake.box((236, 130, 90), -0.26, -0.06, 0.26, 0.1, 0.08)
        cake.box((250, 200, 170), -0.2, 0.02, 0.18, 0.07, 0.03)
    for x in (-1.0, 0.3, 1.2):
        pen.oval((250, 244, 230), x, 1.02, 0.2, 0.12)
        pen.oval((246, 190, 70), x, 1.03, 0.1, 0.06)
    for x in (-1.2, 0, 1.2):
        draw_steam(pen.at(x, 1.2), 1.1)


def draw_fish_cakes(pen: Pen) -> None:
    """Draw fish cakes on sticks in a pot of broth."""
    for number in range(7):
        stick = pen.at(-1.2 + 0.4 * number, 1.0, turn=0.16 - 0.05 * number)
        stick.line((214, 178, 124), 0.06, (0, 0), (0, 1.7))
        for fold in range(3):
            stick.box((222, 178, 116), -0.2, 0.15 + 0.3 * fold, 0.2, 0.42 + 0.3 * fold, 0.1)
    pen.box(STEEL, -1.7, 0, 1.7, 1.3, 0.08)
    pen.box(lighten(STEEL, 0.4), -1.6, 1.0, 1.6, 1.1)
    draw_steam(pen.at(0, 1.4), 1.8)


def draw_gimbap(pen: Pen) -> None:
    """Draw a plate of gimbap in slices."""
    draw_plate(pen, 1.9)
    for row, count in ((0, 6), (1, 5)):
        for number in range(count):
            x, y = -1.0 + 0.4 * number + 0.2 * row, 0.32 + 0.34 * row
            pen.oval((30, 44, 36), x, y, 0.27)
            pen.oval((250, 248, 240), x, y, 0.22)
            for (angle,), tone in read_tints("0 1.6 3.1 4.6", "#f07832 #6ea046 #f6ce50 #dc5a5a"):
                pen.oval(tone, x + 0.09 * math.cos(angle), y + 0.09 * math.sin(angle), 0.075)


def draw_dumplings(pen: Pen) -> None:
    """Draw a steamer of bamboo with dumplings."""
    tone = (206, 164, 104)
    for row in range(2):
        y = 0.62 * row
        pen.box(darken(tone, 0.15), -1.4, y, 1.4, y + 0.58, 0.06)
        pen.box(tone, -1.4, y + 0.34, 1.4, y + 0.6, 0.06)
        for number in range(9):
            x = -1.25 + 0.31 * number
            pen.line(darken(tone, 0.3), 0.025, (x, y + 0.03), (x, y + 0.33))
    for x in (-0.9, -0.3, 0.3, 0.9):
        pen.blob((248, 240, 224), *trace("-0.34,1.2 -0.26,1.5 0,1.68 0.26,1.5 0.34,1.2", x))
        pen.curve((214, 200, 176), 0.03, (x - 0.12, 1.4), (x, 1.6), (x + 0.12, 1.4))
    draw_steam(pen.at(0, 1.6), 1.9)


def draw_rice_cakes(pen: Pen) -> None:
    """Draw rice cakes of all colours on a wooden tray."""
    pen.box(darken(ELM, 0.25), -2.2, 0, 2.2, 0.4, 0.08)
    pen.box(lighten(ELM, 0.1), -2.2, 0.2, 2.2, 0.42, 0.08)
    tones = read_paints("#faf6f0 #b0ce96 #f4bec4 #f6dc82 #966e8c")
    for row in range(3):
        for number in range(7 - row):
            x, y = -1.8 + 0.6 * number + 0.3 * row, 0.42 + 0.36 * row
            tone = tones[(number + 2 * row) % 5]
            pen.blob(darken(tone, 0.16), *trace("-0.29,0 -0.27,0.26 0,0.42 0.27,0.26 0.29,0", x, y))
            pen.blob(tone, *trace("-0.26,0.03 -0.24,0.26 -0.03,0.39 0.18,0.25 0.17,0.04", x, y))
            pen.oval(lighten(tone, 0.6), x - 0.1, y + 0.28, 0.08, 0.04)


def draw_layer_cake(pen: Pen) -> None:
    """Draw a block of layered rice cake, steaming."""
    for number, tone in enumerate(read_paints("#78463c #faf4ec #965a4c #faf4ec #78463c")):
        pen.box(tone, -1.2, 0.3 * number, 1.2, 0.3 * number + 0.32)
    for x, y in ((-0.7, 1.55), (0.1, 1.58), (0.8, 1.55)):
        pen.ball((206, 120, 60), x, y, 0.14)
    draw_steam(pen.at(0, 1.6), 1.5)


def draw_gift_box(pen: Pen) -> None:
    """Draw a box wrapped in a cloth with a knot."""
    tone = mix((206, 90, 120), pen.palette.accent, 0.25)
    pen.box(tone, -0.9, 0, 0.9, 1.0, 0.08)
    pen.box(darken(tone, 0.15), 0.1, 0, 0.9, 1.0, 0.08)
    pen.blob(lighten(tone, 0.2), (0, 0.95), (-0.7, 1.6), (-0.35, 1.1), (0.35, 1.1), (0.7, 1.6))
    pen.ball(lighten(tone, 0.1), 0, 1.1, 0.2)


def draw_trays(pen: Pen) -> None:
    """Draw a counter of trays with side dishes."""
    tones = read_paints("#ce3e2a #4c8c46 #f0c86e #96603c #e6823c #cecebe #6e3c32 #bece6e")
    for row in range(2):
        for number in range(4):
            x, y = -3.2 + 1.65 * number + 0.1 * row, 0.75 * row
            tone = tones[number + 4 * row]
            pen.poly(darken(STEEL, 0.2), *trace("0,0 1.5,0 1.42,0.6 0.08,0.6", x, y))
            pen.poly(tone, *trace("0.08,0.12 1.42,0.12 1.34,0.54 0.16,0.54", x, y))
            for bit in range(14):
                left = x + 0.2 + 1.05 * ((bit * 0.618) % 1)
                low = y + 0.18 + 0.3 * ((bit * 0.37) % 1)
                shade = (lighten(tone, 0.3), darken(tone, 0.2))[bit % 2]
                pen.oval(shade, left, low, 0.12, 0.05)


def draw_lunch_box(pen: Pen) -> None:
    """Draw a lunch box with rice, egg and vegetables."""
    pen.box(darken((60, 50, 54), 0.2), -2.0, 0, 2.0, 0.7, 0.12)
    pen.poly((80, 64, 66), (-2.0, 0.55), (2.0, 0.55), (1.8, 1.65), (-1.8, 1.65))
    pen.poly((250, 248, 242), (-1.85, 0.62), (-0.1, 0.62), (-0.1, 1.58), (-1.7, 1.58))
    pen.oval((30, 44, 36), -0.9, 1.1, 0.2, 0.12)
    pen.poly((246, 206, 90), (0.02, 1.12), (0.9, 1.12), (0.86, 1.58), (0.02, 1.58))
    pen.poly(VERMILION, (0.98, 1.12), (1.76, 1.12), (1.7, 1.58), (0.94, 1.58))
    pen.poly((170, 96, 50), (0.02, 0.62), (1.85, 0.62), (1.78, 1.04), (0.02, 1.04))
    for x in (0.3, 0.7, 1.1, 1.5):
        pen.oval((206, 130, 70), x, 0.84, 0.18, 0.12)
    for x, y in ((0.2, 1.3), (0.5, 1.4), (1.2, 1.35), (1.5, 1.3)):
        pen.oval(HERB, x, y, 0.13, 0.07)
