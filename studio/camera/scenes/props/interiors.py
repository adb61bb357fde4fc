"""What rooms have: tables, lamps, windows, boards, a sink. Pure."""

import math
from typing import Literal

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.motions import Drip
from studio.camera.scenes.paints import (
    BLUE,
    BRASS,
    INK,
    LAMP,
    OAK,
    SCARLET,
    STEEL,
    WALNUT,
    WHITE,
    read_paints,
)
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints


def draw_desk(pen: Pen, wide: float = 4.4, colour: Colour = OAK) -> None:
    """Draw a desk with drawers, its top 1.9 above the origin."""
    pen.box(darken(colour, 0.5), -wide / 2 + 0.2, 0, wide / 2 - 0.2, 1.75)
    for x in (-wide / 2 + 0.15, wide / 2 - 1.45):
        pen.box(darken(colour, 0.12), x, 0, x + 1.3, 1.75)
        for y in (0.12, 0.66, 1.2):
            pen.box(darken(colour, 0.25), x + 0.1, y, x + 1.2, y + 0.46)
            pen.box(colour, x + 0.12, y + 0.03, x + 1.2, y + 0.46)
            pen.box(BRASS, x + 0.52, y + 0.2, x + 0.78, y + 0.26)
    pen.box(darken(colour, 0.6), -wide / 2, 1.66, wide / 2, 1.75)
    pen.box(lighten(colour, 0.18), -wide / 2 - 0.12, 1.72, wide / 2 + 0.12, 1.92)


def draw_table(pen: Pen, wide: float = 3.4, high: float = 1.7, colour: Colour = OAK) -> None:
    """Draw a table on four legs, `high` above the origin."""
    for x in (-wide / 2 + 0.15, wide / 2 - 0.33):
        pen.poly(darken(colour, 0.35), (x, high), (x + 0.18, high), (x + 0.15, 0), (x + 0.03, 0))
    pen.box(darken(colour, 0.3), -wide / 2 + 0.1, high - 0.3, wide / 2 - 0.1, high - 0.1)
    pen.box(lighten(colour, 0.15), -wide / 2, high - 0.12, wide / 2, high + 0.06, 0.05)


def _draw_lit_lantern(pen: Pen, colour: Colour = (214, 62, 48)) -> None:
    pen.line(INK, 0.04, (0, 0.5), (0, 0.95))
    pen.lathe(colour, *trace("0.2,0.55 0.42,0.4 0.52,0.1 0.52,-0.25 0.4,-0.55 0.2,-0.7"))
    pen.box(INK, -0.22, 0.52, 0.22, 0.62)
    pen.box(INK, -0.22, -0.78, 0.22, -0.68)
    pen.line((240, 190, 90), 0.06, (0, -0.78), (0, -1.15))
    pen.glow(0, -0.1, 1.5, 0.45, (255, 150, 90))
    phase = float(pen.chance.random())
    pen.blink(0, -0.1, 0.9, (255, 170, 100), 3.1, phase, level=0.2)


def draw_bunting(pen: Pen) -> None:
    """Draw little flags on a string."""
    colours = (pen.palette.accent, pen.palette.sky[1], *read_paints("#faf4e6 #e86e60 #6eb0b4"))
    points = [(-9 + 0.75 * n, 0.35 * math.cos(n * 0.75 * 1.1)) for n in range(25)]
    pen.curve(INK, 0.03, *points)
    for number, (x, y) in enumerate(points):
        pen.poly(colours[number % 5], (x - 0.26, y), (x + 0.26, y), (x, y - 0.55))


def draw_fairy_lights(pen: Pen) -> None:
    """Draw a string of small lights that twinkle."""
    points = [(-9 + 0.75 * n, 0.4 * math.cos(n * 0.75 * 0.9)) for n in range(25)]
    pen.curve(INK, 0.025, *points)
    for number, (x, y) in enumerate(points):
        pen.oval((255, 236, 190), x, y - 0.1, 0.09, 0.12)
        if number % 2 == 0 and 0 < pen.place(x, y - 0.1)[0] < 1:
            pen.blink(x, y - 0.1, 0.3, LAMP, 2.2, number * 0.37, level=0.8)


def draw_picture(pen: Pen, wide: float = 1.2, high: float = 1.5) -> None:
    """Draw a framed picture of hills."""
    pen.box(darken(WALNUT, 0.3), -wide / 2 - 0.1, -high / 2 - 0.12, wide / 2 + 0.1, high / 2 + 0.1)
    pen.box((244, 238, 226), -wide / 2, -high / 2, wide / 2, high / 2)
    tones = pen.palette.sky
    left, right, low, top = -wide * 0.38, wide * 0.38, -high * 0.38, high * 0.38
    pen.box(lighten(tones[-1], 0.3), left, low, right, top)
    pen.oval(pen.palette.light, wide * 0.14, high * 0.14, wide * 0.1)
    far = (-wide * 0.1, high * 0.12), (wide * 0.1, -high * 0.1), (right, high * 0.02)
    pen.poly(tones[1], (left, low), (left, -high * 0.05), *far, (right, low))
    near = (left, -high * 0.22), (0, -high * 0.1), (right, -high * 0.26)
    pen.poly(darken(tones[0], 0.2), (left, low), *near, (right, low))


def draw_clock(pen: Pen) -> None:
    """Draw a round clock at ten past ten."""
    pen.oval(darken(WALNUT, 0.2), 0.03, -0.05, 0.68)
    pen.rings(0, 0, (0.66, BRASS), (0.56, (250, 246, 236)))
    for hour in range(12):
        x, y = math.sin(hour * math.pi / 6), math.cos(hour * math.pi / 6)
        pen.line(INK, 0.04, (0.46 * x, 0.46 * y), (0.52 * x, 0.52 * y))
    pen.line(INK, 0.07, (0, 0), (-0.26, 0.16))
    pen.line(INK, 0.05, (0, 0), (0.34, 0.24))


def draw_board(
    pen: Pen, wide: float = 6.4, high: float = 3.0, colour: Colour = (44, 92, 74)
) -> None:
    """Draw a board with rows of illegible writing; its lower edge's middle at the origin."""
    pen.box(darken(WALNUT, 0.1), -wide / 2 - 0.14, -0.14, wide / 2 + 0.14, high + 0.14)
    pen.box(colour, -wide / 2, 0, wide / 2, high)
    pen.poly(
        lighten(colour, 0.08), (-wide / 2, 0), (-wide / 4, 0), (wide / 8, high), (-wide / 2, high)
    )
    y = high - 0.4
    while y > 0.3:
        x = -wide / 2 + 0.35
        while x < wide / 2 - 0.8:
            length = float(pen.chance.uniform(0.2, 0.7))
            word = (x, y), (x + length / 2, y + 0.06), (x + length, y)
            if pen.chance.random() < 0.75:
                pen.curve(lighten(colour, 0.62), 0.035, *word)
            x += length + 0.18
        y -= 0.42
    pen.box(lighten(WALNUT, 0.3), -wide / 2 - 0.1, -0.24, wide / 2 + 0.1, -0.08)


def draw_mirror(pen: Pen, wide: float = 2.0, high: float = 3.4) -> None:
    """Draw a tall mirror with a thin frame."""
    glass = mix(pen.palette.sky[-1], (214, 228, 236), 0.6)
    pen.box(BRASS, -wide / 2 - 0.08, -0.08, wide / 2 + 0.08, high + 0.08, 0.3)
    pen.box(glass, -wide / 2, 0, wide / 2, high, 0.26)
    top = high - 0.1
    for x in (-0.7, -0.2):
        pen.poly(lighten(glass, 0.5), (x, 0.1), (x + 0.24, 0.1), (x + 0.95, top), (x + 0.7, top))
    pen.glow(0, high / 2, wide * 0.9, 0.3)


def draw_door(pen: Pen, colour: Colour = (120, 78, 48), light: bool = True) -> None:
    """Draw a panelled door that stands ajar, with light behind it."""
    pen.box(darken(colour, 0.35), -1.3, 0, 1.3, 5.0)
    pen.box(lighten(pen.palette.light, 0.5) if light else darken(colour, 0.6), -1.12, 0, 1.12, 4.85)
    pen.poly(colour, (-1.12, 0), (0.52, -0.32), (0.52, 4.6), (-1.12, 4.85))
    for low, high in ((0.5, 2.0), (2.4, 4.2)):
        edge = (-0.85, low - 0.05), (0.25, low - 0.2), (0.25, high - 0.12), (-0.85, high)
        pen.poly(darken(colour, 0.22), *edge)
        inner = (-0.78, low + 0.02), (0.18, low - 0.1), (0.18, high - 0.2), (-0.78, high - 0.08)
        pen.poly(darken(colour, 0.1), *inner)
    pen.ball(BRASS, 0.36, 2.1, 0.09)
    if light:
        pen.glow(0.8, 2.2, 2.6, 0.6)
        pen.poly(lighten(pen.palette.light, 0.2), (0.52, -0.3), (1.12, 0), (2.9, -1.6), (1.3, -2.0))


def draw_window(
    pen: Pen, wide: float = 2.2, high: float = 3.2, view: Literal["sky", "street", "garden"] = "sky"
) -> None:
    """Draw a window, its sill's middle at the origin; outside is a sky, a street or a garden."""
    frame = (236, 228, 216)
    sky, light = pen.palette.sky, pen.palette.light
    pen.box(darken(frame, 0.35), -wide / 2 - 0.14, -0.05, wide / 2 + 0.14, high + 0.14)
    pen.box(frame, -wide / 2 - 0.1, 0, wide / 2 + 0.1, high + 0.1)
    for step in range(14):
        tone = mix(lighten(sky[-1], 0.45), lighten(sky[1], 0.25), step / 14)
        pen.box(tone, -wide / 2, high * step / 14, wide / 2, high * (step + 1) / 14)
    if view == "street":
        x = -wide / 2
        while x < wide / 2 - 0.1:
            broad = 0.3 + 0.4 * float(pen.chance.random())
            tall = high * float(pen.chance.uniform(0.25, 0.6))
            right = min(wide / 2, x + broad)
            pen.box(mix(sky[1], pen.palette.ground[0], 0.7), x, 0, right, tall)
            for pane in range(int(tall / 0.3)):
                if pen.chance.random() < 0.5:
                    pen.box(light, x + 0.08, 0.12 + pane * 0.3, x + 0.18, 0.26 + pane * 0.3)
            x += broad
    if view == "garden":
        for number in range(9):
            x = -wide / 2 + 0.3 + (wide - 0.6) * number / 8
            radius = 0.3 * float(pen.chance.uniform(0.8, 1.25))
            across = min(radius, wide / 2 - abs(x))
            pen.oval(mix((78, 132, 78), sky[-1], 0.3), x, radius * 0.9, across, radius)
    pen.box(frame, -0.05, 0, 0.05, high)
    pen.box(frame, -wide / 2, high * 0.6, wide / 2, high * 0.6 + 0.08)
    pen.box(lighten(frame, 0.5), -wide / 2 - 0.25, -0.16, wide / 2 + 0.25, 0.03)
    pen.glow(0, high / 2, max(wide, high) * 0.75, 0.5, lighten(sky[-1], 0.4))


def draw_rainy_window(pen: Pen) -> None:
    """Draw a window with rain running down it."""
    draw_window(pen, 4.4, 4.6, "street")
    for _ in range(46):
        x, y = float(pen.chance.uniform(-2.1, 2.1)), float(pen.chance.uniform(0.2, 4.4))
        pen.oval(lighten(pen.palette.sky[1], 0.55), x, y, 0.03, 0.05)
    pen.fall(-2.15, 4.5, 4.3, 4.4, 0.09, 18, 0.42, long=7.0, level=0.5)


def draw_curtain(pen: Pen, colour: Colour = (236, 226, 214), high: float = 4.4) -> None:
    """Draw a curtain in folds that hangs from a rod at `high`."""
    for fold in range(7):
        left = -0.7 + 0.2 * fold
        tone = darken(colour, 0.28) if fold % 2 else colour
        pen.poly(tone, (left, high), (left + 0.21, high), (left + 0.24, 0), (left - 0.03, 0))
    pen.line(BRASS, 0.09, (-0.9, high), (0.9, high))


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
