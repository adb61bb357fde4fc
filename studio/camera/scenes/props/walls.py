"""What walls have: windows, pictures, boards, mirrors, doors. Pure."""

import math
from typing import Literal

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import BRASS, INK, LAMP, WALNUT, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten
from studio.camera.scenes.props.weather import draw_dust


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


def draw_portrait(pen: Pen) -> None:
    """Draw a framed photograph of a person."""
    pen.box(BRASS, -0.62, -0.8, 0.62, 0.8)
    pen.box(mix(pen.palette.sky[-1], WHITE, 0.4), -0.52, -0.7, 0.52, 0.7)
    shade = darken(pen.palette.sky[1], 0.3)
    pen.oval(shade, 0, 0.14, 0.22, 0.27)
    pen.blob(shade, (-0.45, -0.7), (-0.35, -0.3), (0, -0.18), (0.35, -0.3), (0.45, -0.7))


def draw_clock(pen: Pen) -> None:
    """Draw a round clock at ten past ten."""
    pen.oval(darken(WALNUT, 0.2), 0.03, -0.05, 0.68)
    pen.rings(0, 0, (0.66, BRASS), (0.56, (250, 246, 236)))
    for hour in range(12):
        x, y = math.sin(hour * math.pi / 6), math.cos(hour * math.pi / 6)
        pen.line(INK, 0.04, (0.46 * x, 0.46 * y), (0.52 * x, 0.52 * y))
    pen.line(INK, 0.07, (0, 0), (-0.26, 0.16))
    pen.line(INK, 0.05, (0, 0), (0.34, 0.24))


def draw_menu(pen: Pen) -> None:
    """Draw a dark board with rows of chalk."""
    draw_board(pen, 2.8, 1.9, (48, 52, 54))


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


def draw_bulb_mirror(pen: Pen) -> None:
    """Draw a mirror with bulbs around it, which twinkle."""
    pen.box((244, 236, 232), -1.7, -0.1, 1.7, 3.3, 0.3)
    glass = mix(pen.palette.sky[-1], (206, 218, 232), 0.6)
    pen.box(glass, -1.25, 0.3, 1.25, 2.9, 0.1)
    pen.poly(lighten(glass, 0.5), (-0.8, 0.3), (-0.3, 0.3), (0.7, 2.9), (0.2, 2.9))
    spots = [(-1.48, y) for y in (0.3, 0.95, 1.6, 2.25, 2.9)]
    spots += [(1.48, y) for _, y in spots] + [(x, 3.1) for x in (-0.8, 0, 0.8)]
    for number, (x, y) in enumerate(spots):
        pen.oval((255, 244, 214), x, y, 0.15)
        pen.blink(x, y, 0.34, (255, 240, 200), 2.6, number * 0.21, level=0.75)
    pen.glow(0, 1.6, 3.2, 0.5, LAMP)


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


def draw_cross_sign(pen: Pen) -> None:
    """Draw a green cross that blinks, as over a pharmacy."""
    pen.box(INK, -0.85, -0.85, 0.85, 0.85, 0.15)
    green = (70, 214, 120)
    pen.box(green, -0.25, -0.68, 0.25, 0.68, 0.04)
    pen.box(green, -0.68, -0.25, 0.68, 0.25, 0.04)
    pen.glow(0, 0, 2.0, 0.5, green)
    pen.blink(0, 0, 1.3, (150, 255, 190), 2.0, level=0.45)


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


def draw_wide_window(pen: Pen) -> None:
    """Draw a broad window on a street."""
    draw_window(pen, 4.6, 3.8, "street")


def draw_garden_window(pen: Pen) -> None:
    """Draw a window on a garden, with dust in its light."""
    draw_window(pen, 3.0, 3.6, "garden")
    draw_dust(pen.at(0, 1.0), 3.0, 3.0)


def draw_curtain(pen: Pen, colour: Colour = (236, 226, 214), high: float = 4.4) -> None:
    """Draw a curtain in folds that hangs from a rod at `high`."""
    for fold in range(7):
        left = -0.7 + 0.2 * fold
        tone = darken(colour, 0.28) if fold % 2 else colour
        pen.poly(tone, (left, high), (left + 0.21, high), (left + 0.24, 0), (left - 0.03, 0))
    pen.line(BRASS, 0.09, (-0.9, high), (0.9, high))


def draw_arch(pen: Pen) -> None:
    """Draw a tall window with a pointed head, of coloured glass."""
    sky = pen.palette.sky
    outline = trace("-1.0,0.0 -1.0,3.6 -0.6,4.6 0,5.2 0.6,4.6 1.0,3.6 1.0,0.0")
    pen.poly((96, 84, 82), *[(1.16 * x, 1.03 * y - 0.06) for x, y in outline])
    pen.poly(lighten(sky[-1], 0.35), *outline)
    glass = (sky[1], pen.palette.accent, *read_paints("#78aad2 #d6786e #82b48c"))
    tones = [lighten(tone, 0.2) for tone in glass]
    for row in range(9):
        for column in range(4):
            x, y = -1.0 + 0.5 * column, 0.4 * row
            tone = pen.pick(tones)
            pen.poly(tone, *trace("0.25,0.02 0.48,0.2 0.25,0.38 0.02,0.2", x, y))
    pen.oval(lighten(pen.palette.light, 0.4), 0, 4.2, 0.36)
    pen.oval(tones[0], 0, 4.2, 0.22)
    pen.box((96, 84, 82), -0.04, 0, 0.04, 3.8)
    pen.glow(0, 2.6, 2.6, 0.55, lighten(sky[-1], 0.3))
    draw_dust(pen.at(0, -1.0), 2.2, 4.5)


def draw_blinds(pen: Pen) -> None:
    """Draw a window behind blinds."""
    draw_window(pen, 3.2, 3.4)
    for row in range(13):
        y = 0.15 + row * 0.25
        pen.box((240, 240, 236), -1.65, y, 1.65, y + 0.13)
        pen.box((196, 198, 200), -1.65, y - 0.02, 1.65, y + 0.02)
