"""Tools, pipes, wheels, and what is cleaned and washed with. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.motions import Drip
from studio.camera.scenes.paints import BLUE, BRASS, INK, OAK, SCARLET, STEEL, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints


def draw_sink(pen: Pen) -> None:
    """Draw a sink with pipes below it and a tap that drips."""
    pen.box(darken(STEEL, 0.35), -0.16, -0.2, 0.16, 1.4)
    pen.curve(STEEL, 0.3, (0, 1.3), (0, 0.4), (0.5, 0.15), (0.9, 0.5), (1.0, 1.0), (2.2, 1.0))
    pen.curve(lighten(STEEL, 0.5), 0.07, (-0.06, 1.3), (-0.06, 0.45), (0.45, 0.22), (0.88, 0.56))
    for x, y in ((0, 1.2), (0.95, 0.75), (1.7, 1.0)):
        pen.box(darken(STEEL, 0.25), x - 0.24, y - 0.12, x + 0.24, y + 0.12, 0.05)
    for x, tone in ((-1.1, SCARLET), (-0.65, BLUE)):
        pen.line(tone, 0.1, (x, 1.6), (x, 0.1))
    pen.blob((238, 240, 240), *trace("-2.0,2.6 2.0,2.6 1.7,1.8 0.9,1.4 -0.9,1.4 -1.7,1.8"))
    pen.box((250, 250, 248), -2.2, 2.5, 2.2, 2.8, 0.12)
    pen.curve(STEEL, 0.24, (0, 2.8), (0, 4.0), (0.25, 4.4), (0.75, 4.35), (0.9, 3.9))
    pen.curve(lighten(STEEL, 0.6), 0.06, (-0.06, 2.9), (-0.06, 4.0), (0.2, 4.42))
    pen.line(darken(STEEL, 0.2), 0.16, (-0.5, 3.1), (0.0, 3.1))
    pen.ball(darken(STEEL, 0.1), -0.6, 3.1, 0.18)
    x, top = pen.place(0.9, 3.82)
    _, bottom = pen.place(0.9, 2.8)
    pen.moving.append(Drip(x, top, bottom, pen.share(0.2), pen.shape, 1.6))


def draw_wrench(pen: Pen) -> None:
    """Draw a wrench that hangs."""
    pen.box(SCARLET, -0.16, -2.0, 0.16, -0.6, 0.12)
    pen.box(STEEL, -0.12, -0.8, 0.12, 0.1)
    outline = trace("-0.3,0.0 -0.45,0.5 -0.2,0.75 -0.12,0.4 0.15,0.4 0.2,0.75 0.42,0.45 0.3,0.0")
    pen.blob(STEEL, *outline)


def draw_hammer(pen: Pen) -> None:
    """Draw a hammer that hangs."""
    pen.box((196, 148, 92), -0.11, -2.0, 0.11, 0.2, 0.08)
    pen.box(darken(STEEL, 0.3), -0.55, 0.1, 0.5, 0.45, 0.06)
    pen.poly(darken(STEEL, 0.3), (0.4, 0.45), (0.9, 0.1), (0.5, 0.12))


def draw_saw(pen: Pen) -> None:
    """Draw a saw that hangs."""
    pen.poly(STEEL, (-0.4, 0.2), (0.4, 0.2), (0.12, -2.3), (-0.1, -2.3))
    pen.box((196, 120, 60), -0.45, 0.1, 0.45, 0.85, 0.2)
    pen.box(darken(OAK, 0.5), -0.2, 0.32, 0.2, 0.62, 0.12)


def draw_pliers(pen: Pen) -> None:
    """Draw pliers that hang."""
    for half in pen.sides():
        half.curve(BLUE, 0.18, (0.06, -0.1), (0.34, -0.8), (0.26, -1.8))
        half.poly(darken(STEEL, 0.25), (0, 0), (0.24, 0.1), (0.08, 0.8), (0.0, 0.8))
    pen.oval(STEEL, 0, 0, 0.2)


def draw_drill(pen: Pen) -> None:
    """Draw a cordless drill."""
    tone = (232, 176, 48)
    pen.poly(INK, (-0.5, 0.5), (0.1, 0.5), (0.0, 1.6), (-0.6, 1.6))
    pen.box(INK, -0.75, 0, 0.4, 0.5, 0.1)
    pen.box(tone, -1.0, 1.35, 0.8, 2.2, 0.25)
    pen.box(INK, 0.8, 1.5, 1.25, 2.05, 0.08)
    pen.box(STEEL, 1.25, 1.72, 2.3, 1.82)
    pen.box(lighten(tone, 0.4), -0.7, 1.98, 0.5, 2.08, 0.04)


def draw_toolbox(pen: Pen) -> None:
    """Draw an open toolbox."""
    draw_hammer(pen.at(-0.6, 2.2, 0.8, 0.2))
    draw_wrench(pen.at(0.3, 2.0, 0.8, -0.15))
    draw_pliers(pen.at(1.0, 1.9, 0.7, -0.3))
    pen.box(SCARLET, -1.5, 0, 1.5, 1.2, 0.08)
    pen.box(darken(SCARLET, 0.3), -1.5, 0.75, 1.5, 0.9)
    pen.box(STEEL, -0.3, 0.55, 0.3, 0.85, 0.05)


def draw_keys(pen: Pen) -> None:
    """Draw a bunch of keys that hangs from its ring."""
    pen.oval(BRASS, 0, 0, 0.45)
    pen.oval(darken(OAK, 0.2), 0, 0, 0.34)
    for turn, tone in ((-0.45, STEEL), (0.0, BRASS), (0.45, darken(STEEL, 0.15))):
        key = pen.at(0, -0.35, turn=turn)
        key.oval(tone, 0, -0.35, 0.32)
        key.oval(darken(OAK, 0.3), 0, -0.25, 0.1)
        key.box(tone, -0.08, -1.7, 0.08, -0.6)
        for y in (-1.6, -1.35, -1.15):
            key.box(tone, 0.05, y, 0.28, y + 0.12)


def draw_car_wheel(pen: Pen, radius: float = 1.0) -> None:
    """Draw a car's wheel."""
    rim = (90, 92, 104)
    pen.rings(0, radius, (radius, INK), (radius * 0.68, rim), (radius * 0.6, STEEL))
    for spoke in range(5):
        angle = spoke * 2 * math.pi / 5 + 0.3
        end = radius * 0.55 * math.cos(angle), radius + radius * 0.55 * math.sin(angle)
        pen.line(rim, radius * 0.14, (0, radius), end)
    pen.oval(INK, 0, radius, radius * 0.14)


def draw_tires(pen: Pen) -> None:
    """Draw a pile of tyres."""
    for row in range(4):
        y = 0.62 * row
        pen.box(INK, -1.1, y, 1.1, y + 0.6, 0.26)
        pen.box((78, 80, 92), -0.9, y + 0.36, 0.7, y + 0.44, 0.04)
        for number in range(9):
            pen.box(darken(INK, 0.4), -1.0 + 0.23 * number, y + 0.1, -0.93 + 0.23 * number, y + 0.3)


def draw_brush(pen: Pen) -> None:
    """Draw a broad brush with paint on it."""
    pen.box(OAK, -0.12, 0.9, 0.12, 2.3, 0.1)
    pen.box(STEEL, -0.45, 0.7, 0.45, 1.05)
    pen.poly((206, 170, 120), (-0.45, 0.75), (0.45, 0.75), (0.4, 0), (-0.4, 0))
    pen.poly(pen.palette.accent, (-0.42, 0.35), (0.42, 0.35), (0.38, -0.08), (-0.38, -0.08))


def draw_paint_can(pen: Pen, colour: Colour = (96, 150, 170)) -> None:
    """Draw a can of paint that runs over its rim."""
    pen.lathe(STEEL, (0.7, 0), (0.7, 1.3))
    pen.oval(darken(STEEL, 0.2), 0, 1.3, 0.7, 0.15)
    pen.oval(colour, 0, 1.3, 0.62, 0.12)
    pen.blob(colour, (-0.5, 1.3), (-0.45, 0.7), (-0.3, 1.0), (-0.1, 0.5), (0.05, 1.0), (0.2, 1.25))


def draw_roller(pen: Pen) -> None:
    """Draw a paint roller on its pole, and the stripe it has painted."""
    tone = mix(pen.palette.accent, (240, 236, 226), 0.25)
    pen.box(tone, -0.9, 1.0, 0.9, 4.4)
    pen.box(lighten(tone, 0.2), -0.9, 1.0, -0.6, 4.4)
    pen.box((240, 240, 236), -1.0, 4.2, 1.0, 4.85, 0.2)
    pen.line(STEEL, 0.08, (1.0, 4.5), (1.3, 4.5), (1.3, 3.9), (0.2, 3.7), (0.2, 3.2))
    pen.box(OAK, 0.08, -0.4, 0.32, 3.3, 0.1)


def draw_bucket_mop(pen: Pen) -> None:
    """Draw a bucket of suds with a mop."""
    pen.line((200, 160, 110), 0.14, (0.3, 0.8), (1.1, 5.0))
    for x, y, r in ((-0.5, 1.55, 0.3), (0, 1.65, 0.36), (0.5, 1.55, 0.3)):
        pen.ball((240, 248, 252), x, y, r)
    pen.lathe(BLUE, (0.75, 0), (1.0, 1.5))
    pen.box(lighten(BLUE, 0.3), -1.05, 1.38, 1.05, 1.54, 0.06)


def draw_sprays(pen: Pen) -> None:
    """Draw bottles of cleaner, and a sponge."""
    for number, tone in enumerate(((90, 190, 160), (240, 170, 70), (110, 150, 220))):
        can = pen.at(-1.2 + 0.95 * number, 0)
        can.lathe(tone, (0.36, 0), (0.38, 0.9), (0.14, 1.25))
        can.box(WHITE, -0.24, 0.3, 0.24, 0.75)
        can.box(INK, -0.1, 1.2, 0.12, 1.45)
        can.poly((236, 80, 70), (-0.5, 1.75), (0.2, 1.75), (0.25, 1.4), (-0.1, 1.45))
    pen.box((250, 214, 90), 1.3, 0, 2.2, 0.5, 0.1)
    pen.box((110, 170, 90), 1.3, 0.42, 2.2, 0.6, 0.06)


def draw_squeegee(pen: Pen) -> None:
    """Draw a clean stripe wiped over a window, with the squeegee at its end."""
    glass = mix(pen.palette.sky[-1], (200, 224, 236), 0.5)
    pen.poly(lighten(glass, 0.5), (-2.0, 3.9), (0.4, 3.9), (0.4, 1.4), (-1.2, 1.2), (-2.0, 1.8))
    pen.line(INK, 0.14, (-1.4, 1.3), (0.6, 1.3))
    pen.line((240, 170, 60), 0.18, (-0.4, 1.3), (-0.3, -0.4))
    for number in range(7):
        x, y = -1.7 + 0.5 * ((number * 3) % 7) * 0.6, 3.5 - 0.28 * number
        pen.blink(x, y, 0.3, WHITE, 2.0, number * 0.29, level=0.85)


def draw_sparkle(pen: Pen) -> None:
    """Draw three stars of light that twinkle."""
    for number, (x, y) in enumerate(((-1.3, 0.4), (0, 1.2), (1.3, 0.1))):
        star = pen.at(x, y, 1.0 - 0.2 * (number % 2))
        outline = trace("0,0.5 0.09,0.09 0.5,0 0.09,-0.09 0,-0.5 -0.09,-0.09 -0.5,0 -0.09,0.09")
        star.poly((255, 252, 236), *outline)
        pen.blink(x, y, 0.6, WHITE, 1.7, number * 0.4, level=0.8)


def draw_iron(pen: Pen) -> None:
    """Draw an iron that steams."""
    tone = mix((80, 150, 190), pen.palette.sky[1], 0.2)
    pen.poly(STEEL, (-1.7, 0), (1.3, 0), (1.3, 0.22), (-1.55, 0.22))
    pen.blob(tone, (-1.55, 0.22), (-0.6, 1.0), (1.2, 1.1), (1.3, 0.22))
    pen.curve(INK, 0.24, (-0.6, 0.95), (-0.4, 1.6), (0.8, 1.7), (1.1, 1.0))
    pen.oval(lighten(tone, 0.4), -0.3, 0.6, 0.3, 0.12)


def draw_washer(pen: Pen) -> None:
    """Draw a washing machine whose drum gleams as it turns."""
    pen.box((236, 238, 240), -1.3, 0, 1.3, 3.2, 0.12)
    pen.box((206, 212, 218), -1.3, 2.6, 1.3, 3.2, 0.12)
    pen.box(INK, -1.0, 2.75, 0.1, 3.02, 0.05)
    pen.ball(STEEL, 0.85, 2.88, 0.2)
    water = mix((90, 150, 190), pen.palette.sky[1], 0.2)
    pen.rings(0, 1.4, (1.0, STEEL), (0.86, INK), (0.76, water))
    for (angle,), tone in read_tints("0.3 2.2 4.2 5.3", "#e26e64 #f6ecdc #f0be5a #78aa78"):
        pen.oval(tone, 0.42 * math.cos(angle), 1.3 + 0.36 * math.sin(angle), 0.32, 0.24)
    pen.poly(lighten((170, 200, 220), 0.5), (-0.5, 1.7), (-0.2, 2.0), (-0.12, 1.9), (-0.42, 1.6))
    for number in range(3):
        x, y = 0.4 * math.cos(number * 2.1), 1.4 + 0.4 * math.sin(number * 2.1)
        pen.blink(x, y, 0.5, WHITE, 0.9, -number / 3, level=0.45)


def draw_shirts(pen: Pen) -> None:
    """Draw pressed shirts in covers on a rail."""
    pen.box(STEEL, -10, 0, 10, 0.12)
    tones = read_paints("#fafafa #b4cee6 #fafafa #f0d6ce #bec4d2 #fafafa")
    for number in range(6):
        x = -3.4 + 1.35 * number
        tone = tones[number]
        pen.curve(STEEL, 0.05, (x, 0.05), (x + 0.1, -0.15), (x, -0.3))
        outline = trace("-0.14,-0.35 0.14,-0.35 0.6,-0.6 0.58,-2.7 -0.58,-2.7 -0.6,-0.6", x)
        pen.poly(darken(tone, 0.1), *outline)
        pen.poly(tone, *trace("-0.14,-0.35 0.05,-0.35 0.3,-2.7 -0.52,-2.7 -0.55,-0.6", x))
        pen.line(darken(tone, 0.2), 0.03, (x, -0.5), (x, -2.6))
        pen.poly(lighten(tone, 0.6), (x - 0.2, -0.33), (x, -0.5), (x + 0.2, -0.33))
