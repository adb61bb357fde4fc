"""Bicycles from their side, their shop, and a river that one rides along. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, mix, trace
from studio.camera.scenes.paints import WHITE
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints
from studio.camera.scenes.props.tools import draw_hammer, draw_pliers, draw_wrench

SOOT: Colour = (40, 42, 54)
TIRE: Colour = (52, 54, 66)
CHROME: Colour = (196, 204, 214)
LEATHER: Colour = (142, 88, 52)
RED: Colour = (198, 62, 54)
SPOKES = 18
REAR, FRONT, CRANK = (-1.62, 1.05), (1.68, 1.05), (-0.16, 0.95)
SEAT, HEAD, NECK = (-0.66, 2.42), (1.14, 2.5), (1.26, 2.12)
RING, COG = 0.36, 0.16
BOARD: Colour = (186, 146, 102)
ASH: Colour = (150, 104, 66)
HELMETS: tuple[Colour, ...] = ((206, 66, 58), (58, 120, 170), (240, 196, 80), (236, 236, 232))


def _trace_circle(
    x: float, y: float, radius: float, begin: float = 0.0, turns: float = 1.0
) -> list[Spot]:
    """Return points on a circle, from `begin` on for so many turns to the left."""
    steps = max(6, round(48 * turns))
    angles = [begin + 2 * math.pi * turns * step / steps for step in range(steps + 1)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def draw_spokes(pen: Pen) -> None:
    """Draw the spokes of a wheel about the origin, crossed as they are laced, with valve and reflector."""
    for number in range(SPOKES):
        angle = 2 * math.pi * number / SPOKES
        hub = angle + (1.1 if number % 2 else -1.1)
        start = 0.1 * math.cos(hub), 0.1 * math.sin(hub)
        pen.line(CHROME, 0.022, start, (0.86 * math.cos(angle), 0.86 * math.sin(angle)))
    pen.box((242, 158, 56), -0.07, 0.5, 0.07, 0.72, 0.04)
    pen.line(SOOT, 0.04, (0.12, -0.86), (0.1, -0.72))
    pen.oval(darken(CHROME, 0.35), 0, 0, 0.13)
    pen.oval(lighten(CHROME, 0.3), -0.02, 0.02, 0.06)


def draw_wheel(pen: Pen, x: float, y: float, period: float | None = None) -> None:
    """Draw a spoked wheel about a place, which turns where it has a period."""
    pen.line(TIRE, 0.15, *_trace_circle(x, y, 0.98))
    pen.line(lighten(TIRE, 0.22), 0.03, *_trace_circle(x, y, 1.02, 1.2, 0.35))
    pen.line(darken(CHROME, 0.25), 0.07, *_trace_circle(x, y, 0.87))
    pen.line(lighten(CHROME, 0.5), 0.025, *_trace_circle(x, y, 0.88, 1.3, 0.4))
    if period:
        pen.spin(draw_spokes, x, y, 0.88, period)
    else:
        draw_spokes(pen.at(x, y))


def _draw_tube(pen: Pen, colour: Colour, width: float, *points: Spot) -> None:
    """Draw a tube of the frame, lit along its upper side."""
    pen.line(darken(colour, 0.25), width, *points)
    lit = [(x - 0.01, y + width * 0.16) for x, y in points]
    pen.line(colour, width * 0.7, *lit)
    high = [(x - 0.015, y + width * 0.3) for x, y in points]
    pen.line(lighten(colour, 0.45), width * 0.16, *high)


def _draw_frame(pen: Pen, colour: Colour) -> None:
    """Draw two triangles, the fork and the seat post."""
    _draw_tube(pen, darken(colour, 0.1), 0.09, REAR, (-0.6, 2.3))
    _draw_tube(pen, darken(colour, 0.1), 0.1, REAR, CRANK)
    _draw_tube(pen, CHROME, 0.09, (-0.62, 2.3), (-0.78, 2.86))
    _draw_tube(pen, colour, 0.15, CRANK, SEAT)
    _draw_tube(pen, colour, 0.14, (-0.61, 2.26), (1.16, 2.42))
    _draw_tube(pen, colour, 0.17, CRANK, (1.22, 2.2))
    pen.curve(darken(colour, 0.2), 0.1, NECK, (1.42, 1.55), FRONT)
    pen.curve(colour, 0.07, (1.25, 2.12), (1.4, 1.55), (1.67, 1.07))
    _draw_tube(pen, colour, 0.2, NECK, HEAD)


def _draw_drive(pen: Pen) -> None:
    """Draw the chain about its ring and cog, the cranks and the pedals."""
    x, y = CRANK
    far = x - 0.27, y + 0.46
    pen.line(darken(CHROME, 0.5), 0.07, CRANK, far)
    pen.box(darken(SOOT, 0.2), far[0] - 0.2, far[1] - 0.04, far[0] + 0.18, far[1] + 0.06, 0.03)
    pen.line(SOOT, 0.045, (x, y + RING), (REAR[0], REAR[1] + COG))
    pen.line(SOOT, 0.045, (x, y - RING), (REAR[0], REAR[1] - COG))
    pen.oval(darken(CHROME, 0.5), *REAR, COG)
    pen.oval(CHROME, *REAR, 0.07)
    for tooth in range(24):
        angle = 2 * math.pi * tooth / 24
        pen.oval(SOOT, x + RING * math.cos(angle), y + RING * math.sin(angle), 0.035)
    pen.line(darken(CHROME, 0.2), 0.1, *_trace_circle(x, y, RING - 0.05))
    for arm in range(5):
        angle = 2 * math.pi * arm / 5 + 0.3
        pen.line(CHROME, 0.06, CRANK, (x + 0.28 * math.cos(angle), y + 0.28 * math.sin(angle)))
    near = x + 0.27, y - 0.46
    pen.line(CHROME, 0.09, CRANK, near)
    pen.oval(lighten(CHROME, 0.4), x, y, 0.08)
    pen.box(SOOT, near[0] - 0.2, near[1] - 0.06, near[0] + 0.24, near[1] + 0.06, 0.04)


def _draw_saddle(pen: Pen) -> None:
    pen.line(darken(CHROME, 0.3), 0.04, (-1.05, 2.86), (-0.45, 2.86))
    outline = trace(
        "-1.24,3.06 -0.95,3.07 -0.55,3.02 -0.26,2.98 -0.3,2.9 -0.7,2.88 -0.98,2.82 -1.2,2.88"
    )
    pen.blob(LEATHER, *outline)
    pen.curve(lighten(LEATHER, 0.35), 0.03, (-1.16, 3.03), (-0.9, 3.03), (-0.5, 2.98))


def _draw_handlebar(pen: Pen) -> None:
    """Draw the stem, a bar swept back to its grip, the bell and the brake."""
    pen.line(CHROME, 0.1, (1.14, 2.5), (1.07, 2.86))
    pen.curve(SOOT, 0.025, (1.3, 3.02), (1.5, 2.7), (1.32, 2.3), (1.5, 1.75))
    pen.curve(CHROME, 0.08, (1.05, 2.86), (1.36, 3.0), (1.2, 3.18), (0.72, 3.14))
    pen.line(LEATHER, 0.13, (0.84, 3.15), (0.44, 3.11))
    pen.line(SOOT, 0.035, (1.16, 3.12), (0.74, 2.96))
    pen.ball(CHROME, 1.02, 3.25, 0.11)


def _draw_fenders(pen: Pen, colour: Colour) -> None:
    for (x, y), begin, turns in ((REAR, 0.1, 0.47), (FRONT, 0.5, 0.38)):
        pen.line(darken(colour, 0.3), 0.07, *_trace_circle(x, y, 1.14, begin, turns))
        pen.line(
            lighten(colour, 0.2), 0.025, *_trace_circle(x, y, 1.155, begin + 0.2, turns - 0.08)
        )


def draw_bicycle(
    pen: Pen, colour: Colour, rear: float | None = None, front: float | None = None
) -> None:
    """Draw a bicycle that looks to the right; a wheel with a period turns."""
    draw_wheel(pen, *REAR, rear)
    draw_wheel(pen, *FRONT, front)
    _draw_fenders(pen, colour)
    _draw_frame(pen, colour)
    _draw_drive(pen)
    _draw_saddle(pen)
    _draw_handlebar(pen)
    pen.box((220, 52, 46), -2.83, 1.42, -2.7, 1.62, 0.04)


def _mix_own_paint(pen: Pen) -> Colour:
    """Return the colour of the house's own bicycle."""
    return mix((46, 128, 128), pen.palette.accent, 0.25)


def draw_repair_stand(pen: Pen) -> None:
    """Draw a bicycle clamped into a repair stand, its rear wheel turning."""
    for x in (-1.75, 0.15):
        pen.line(darken(CHROME, 0.45), 0.16, (-0.8, 0.9), (x, 0.06))
    pen.line(darken(CHROME, 0.35), 0.2, (-0.8, 0.85), (-0.8, 4.15))
    pen.line(lighten(CHROME, 0.1), 0.06, (-0.84, 0.9), (-0.84, 4.1))
    pen.box(RED, -0.96, 2.9, -0.64, 3.15, 0.05)
    held = pen.at(0, 1.35)
    draw_bicycle(held, _mix_own_paint(pen), rear=2.2)
    pen.box(SOOT, -1.0, 3.8, -0.5, 4.1, 0.08)
    pen.box(RED, -0.95, 3.85, -0.68, 4.05, 0.05)


def draw_hanging_bicycle(pen: Pen, colour: Colour, turns: float | None = None) -> None:
    """Draw a bicycle on two hooks of a wall, its front wheel turning once in `turns` seconds."""
    for x in (-0.15, 0.72):
        pen.box(darken(CHROME, 0.55), x - 0.14, 1.98, x + 0.14, 2.72, 0.06)
    draw_bicycle(pen, mix(colour, pen.palette.sky[1], 0.15), front=turns)
    for x in (-0.15, 0.72):
        pen.curve(SOOT, 0.08, (x, 2.1), (x + 0.02, 2.22), (x, 2.52))


def draw_standing_bicycle(pen: Pen) -> None:
    """Draw a new bicycle on its kickstand."""
    _draw_kickstand(pen)
    draw_bicycle(pen, mix((56, 110, 168), pen.palette.sky[1], 0.15))


def _draw_kickstand(pen: Pen) -> None:
    pen.line(darken(CHROME, 0.3), 0.08, (-0.5, 0.95), (-0.85, 0.05))


def draw_parked_bicycle(pen: Pen) -> None:
    """Draw a bicycle on its kickstand, with a basket of flowers."""
    _draw_kickstand(pen)
    draw_bicycle(pen, _mix_own_paint(pen))
    draw_flower_basket(pen.at(1.75, 2.3))


def draw_flower_basket(pen: Pen) -> None:
    """Draw a wicker basket with flowers and a loaf."""
    wicker = (190, 142, 88)
    pen.line((214, 168, 104), 0.2, (0.2, 0.8), (0.55, 1.3))
    for (x, y), tone in read_tints(
        "-0.36,1.02 -0.08,1.16 0.12,0.96 -0.56,0.88", "#ec5c64 #face5c #f0ece6 #face5c"
    ):
        pen.line((84, 136, 82), 0.05, (x * 0.6, 0.6), (x, y))
        pen.ball(tone, x, y, 0.16)
    pen.poly(wicker, (-0.62, 0.78), (0.62, 0.78), (0.48, 0.02), (-0.48, 0.02))
    for row in range(4):
        y = 0.14 + 0.18 * row
        pen.line(darken(wicker, 0.3), 0.03, (-0.5 - 0.03 * row, y), (0.5 + 0.03 * row, y))
    for column in range(7):
        x = -0.45 + 0.15 * column
        pen.line(darken(wicker, 0.2), 0.03, (x, 0.04), (x * 1.25, 0.76))
    pen.line(lighten(wicker, 0.25), 0.1, (-0.64, 0.78), (0.64, 0.78))


def draw_tool_board(pen: Pen) -> None:
    """Draw a board of holes with tools and a wheel on it."""
    pen.box(darken(BOARD, 0.45), -4.3, -0.05, 4.3, 3.55, 0.06)
    pen.box(BOARD, -4.2, 0.05, 4.2, 3.45)
    for column in range(17):
        for row in range(7):
            pen.oval(darken(BOARD, 0.3), -4.0 + 0.5 * column, 0.25 + 0.5 * row, 0.035)
    for number, tool in enumerate(
        (draw_wrench, draw_pliers, draw_wrench, draw_hammer, draw_wrench, draw_pliers)
    ):
        tool(pen.at(-3.6 + 0.95 * number, 2.6, 0.78 - 0.06 * (number % 3)))
    draw_wheel(pen.at(2.95, 0.75, 0.95), 0, 1.05)


def draw_floor_pump(pen: Pen) -> None:
    """Draw a pump with its gauge and hose."""
    pen.curve(SOOT, 0.08, (0.25, 0.3), (1.0, 0.15), (1.0, 1.3), (0.45, 1.9), (0.2, 1.4))
    pen.box(SOOT, -0.6, 0, 0.6, 0.16, 0.06)
    pen.box((206, 66, 58), -0.16, 0.16, 0.16, 2.1, 0.05)
    pen.box(lighten((206, 66, 58), 0.35), -0.1, 0.2, -0.04, 2.05)
    pen.line(CHROME, 0.08, (0, 2.1), (0, 2.75))
    pen.box(ASH, -0.55, 2.7, 0.55, 2.92, 0.1)
    pen.oval(SOOT, 0, 0.42, 0.26)
    pen.oval(WHITE, 0, 0.42, 0.2)
    pen.line((206, 66, 58), 0.03, (0, 0.42), (0.1, 0.54))


def draw_helmet(pen: Pen, colour: Colour) -> None:
    """Draw a helmet with its vents and strap."""
    pen.curve(SOOT, 0.05, (-0.45, 0.1), (-0.2, -0.45), (0.1, -0.1))
    pen.blob(colour, *trace("-0.78,0.06 -0.7,0.45 -0.3,0.74 0.3,0.72 0.72,0.4 0.84,0.08 0.3,0.0"))
    pen.blob(lighten(colour, 0.3), *trace("-0.6,0.4 -0.28,0.64 0.2,0.64 -0.1,0.54 -0.4,0.42"))
    for x in (-0.45, -0.02, 0.4):
        pen.blob(darken(colour, 0.6), *trace("-0.14,0.2 -0.02,0.46 0.14,0.44 0.06,0.2", x))
    pen.line(darken(colour, 0.35), 0.06, (-0.74, 0.06), (0.8, 0.08))


def draw_helmets(pen: Pen) -> None:
    """Draw four helmets on a shelf."""
    pen.box(ASH, -3.9, -0.18, 3.9, 0, 0.04)
    pen.box(darken(ASH, 0.35), -3.9, -0.26, 3.9, -0.18)
    for number, tone in enumerate(HELMETS):
        draw_helmet(pen.at(-2.85 + 1.9 * number, 0.02), tone)


def draw_plank_bench(pen: Pen) -> None:
    """Draw a bench of planks on iron feet."""
    for x in (-1.5, 1.5):
        pen.line(SOOT, 0.12, (x, 0), (x + 0.05, 1.0))
        pen.curve(SOOT, 0.12, (x + 0.05, 0.95), (x + 0.1, 1.6), (x + 0.16, 2.0))
    for number in range(3):
        y = 0.95 + 0.02 * number
        pen.box((lighten(ASH, 0.12), ASH, darken(ASH, 0.15))[number], -1.9, y - 0.1, 1.9, y)
    for number in range(3):
        y = 1.3 + 0.28 * number
        pen.box(darken(ASH, 0.2), -1.85, y - 0.02, 1.95, y + 0.2, 0.05)
        pen.box(lighten(ASH, 0.15), -1.85, y + 0.12, 1.95, y + 0.18, 0.03)


def draw_river(pen: Pen) -> None:
    """Draw a river behind a path, on which the sun glitters."""
    deep = mix((74, 138, 170), pen.palette.sky[1], 0.35)
    far, near = lighten(deep, 0.35), darken(deep, 0.1)
    for band in range(12):
        low = 0.42 + 0.1 * (11 - band)
        pen.box(mix(far, near, band / 11), -14, low, 14, low + 0.11)
    for number in range(46):
        x = -10 + 20 * ((number * 0.618) % 1)
        y = 0.5 + 1.08 * ((number * 0.37) % 1)
        wide = 0.25 + 0.5 * ((number * 0.71) % 1)
        pen.line(lighten(deep, 0.6), 0.03, (x, y), (x + wide, y))
    for number in range(9):
        x, y = -7 + 14 * ((number * 0.618 + 0.2) % 1), 0.6 + 0.9 * ((number * 0.43) % 1)
        pen.blink(x, y, 0.13, WHITE, 1.7 + 0.3 * (number % 4))
    _draw_bank(pen)


def _draw_bank(pen: Pen) -> None:
    """Draw grass at the water, and a path of gravel in front of it."""
    grass = mix((96, 146, 84), pen.palette.ground[0], 0.2)
    pen.box(grass, -14, 0.2, 14, 0.5)
    _draw_blades(pen, grass, 0.4)
    gravel = mix((206, 188, 160), pen.palette.ground[0], 0.2)
    pen.poly(gravel, (-14, 0.25), (14, 0.25), (16, -1.5), (-16, -1.5))
    for number in range(90):
        x, y = -10 + 20 * ((number * 0.618) % 1), 0.15 - 1.5 * ((number * 0.41) % 1)
        pen.oval(darken(gravel, 0.15), x, y, 0.06, 0.02)
    _draw_blades(pen, grass, -1.62)


def _draw_blades(pen: Pen, grass: Colour, y: float) -> None:
    for number in range(130):
        x = -11 + 22 * ((number * 0.618) % 1)
        tall = 0.2 + 0.2 * ((number * 0.37) % 1)
        tone = (grass, lighten(grass, 0.2), darken(grass, 0.2))[number % 3]
        pen.line(tone, 0.05, (x, y), (x + 0.08, y + tall))
