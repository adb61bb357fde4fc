"""Dishes, candles, and counters of food. Pure."""

import math

from studio.camera.scenes.brush import read_rows, trace
from studio.camera.scenes.drawings import draw_thing
from studio.camera.scenes.paints import (
    CRUST,
    ELM,
    HERB,
    INK,
    PLATE,
    STEEL,
    VERMILION,
    WHITE,
    read_paints,
)
from studio.camera.scenes.pen import Pen, darken, lighten
from studio.camera.scenes.props.nature import draw_steam


def draw_plate(pen: Pen, wide: float = 1.7) -> None:
    """Draw an empty plate."""
    pen.oval(darken(PLATE, 0.45), 0, 0.0, wide, wide * 0.2)
    pen.oval(PLATE, 0, 0.07, wide, wide * 0.2)
    pen.oval(darken(PLATE, 0.14), 0, 0.09, wide * 0.72, wide * 0.135)
    pen.oval(lighten(PLATE, 0.5), 0, 0.07, wide * 0.7, wide * 0.12)


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
            sort = pen.pick(("croissant", "bun", "cupcake"))
            draw_thing(sort, pen.at(-2.8 + 0.93 * number, y + 0.14, 0.95))
    pen.box((232, 226, 216), -3.45, 2.95, 3.45, 3.15, 0.05)
    for x in (-3.4, 3.3):
        pen.box((232, 226, 216), x, 0.4, x + 0.12, 3.0)
    pen.poly((120, 106, 96), (-2.6, 0.45), (-2.5, 0.45), (-1.4, 2.95), (-1.5, 2.95))
    pen.box(WHITE, -3.4, 2.85, 3.4, 2.88)


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
