"""Houses, shop fronts, cars and bicycles. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, mix, trace
from studio.camera.scenes.drawings import draw_thing
from studio.camera.scenes.paints import CHROME, INK, OAK, SOOT, STEEL, TIRE, WHITE
from studio.camera.scenes.pen import Pen, darken, lighten

SPOKES = 18
REAR, FRONT, CRANK = (-1.62, 1.05), (1.68, 1.05), (-0.16, 0.95)
SEAT, HEAD, NECK = (-0.66, 2.42), (1.14, 2.5), (1.26, 2.12)
RING, COG = 0.36, 0.16


def draw_house(pen: Pen, colour: Colour = (238, 226, 206)) -> None:
    """Draw a house with a lit window."""
    roof = mix((150, 70, 60), pen.palette.ground[0], 0.3)
    pen.box(darken(roof, 0.2), 0.9, 3.0, 1.3, 4.4)
    pen.box(colour, -1.8, 0, 1.8, 2.6)
    pen.poly(roof, (-2.2, 2.5), (2.2, 2.5), (0, 4.5))
    pen.poly(lighten(roof, 0.15), (-2.2, 2.5), (-1.9, 2.5), (0.1, 4.4), (0, 4.5))
    pen.box(OAK, -1.3, 0, -0.4, 1.7)
    pen.ball((206, 164, 92), -0.55, 0.8, 0.07)
    pen.box(WHITE, 0.2, 0.8, 1.4, 1.9)
    pen.box((255, 226, 150), 0.28, 0.88, 1.32, 1.82)
    pen.box(WHITE, 0.76, 0.8, 0.84, 1.9)
    pen.glow(0.8, 1.3, 1.4, 0.4, (255, 214, 140))
    pen.blink(0.8, 1.35, 0.8, (255, 226, 150), 3.4, float(pen.chance.random()), level=0.3)


def draw_flats(pen: Pen) -> None:
    """Draw a block of flats whose windows light up."""
    tone = mix((214, 206, 200), pen.palette.sky[-1], 0.25)
    pen.box(tone, -1.5, 0, 1.5, 6.4)
    pen.box(darken(tone, 0.18), 0.7, 0, 1.5, 6.4)
    for row in range(8):
        for column in range(4):
            lit = pen.chance.random() < 0.4
            x, y = -1.25 + 0.68 * column, 0.7 + 0.7 * row
            pen.box((255, 226, 150) if lit else darken(tone, 0.5), x, y, x + 0.45, y + 0.45)
            if lit and pen.chance.random() < 0.4:
                phase = float(pen.chance.random())
                pen.blink(x + 0.22, y + 0.22, 0.4, (255, 226, 150), 4.0, phase, level=0.45)


def draw_front(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a shop's front: an awning, a lit window and a door."""
    tone = colour or mix(pen.palette.accent, pen.palette.sky[1], 0.4)
    pen.box(darken(OAK, 0.4), -3.6, 0, 3.6, 4.4)
    pen.box((255, 232, 184), -3.3, 0.7, 0.9, 3.9)
    pen.box(darken(OAK, 0.1), 1.2, 0, 3.2, 3.9)
    pen.box((255, 236, 196), 1.45, 0.5, 2.95, 3.6)
    pen.box(darken(OAK, 0.4), -1.25, 0.7, -1.15, 3.9)
    pen.ball((206, 164, 92), 1.6, 1.9, 0.1)
    _draw_awning(pen, tone, (12, 0.65, 0.96), (4.1, 5.0), 0.22)
    pen.glow(-1.2, 2.3, 3.2, 0.6, (255, 220, 150))


def _draw_awning(
    pen: Pen, tone: Colour, stripes: tuple[int, float, float], rows: Spot, hem: float
) -> None:
    """Draw a striped awning: how many stripes of what width, its upper edge narrower by a share."""
    (count, wide, share), (low, high) = stripes, rows
    for number in range(count):
        left = (number - count / 2) * wide
        right, shown = left + wide, (tone, (248, 240, 228))[number % 2]
        pen.poly(shown, (left * share, high), (right * share, high), (right, low), (left, low))
        pen.oval(shown, left + wide / 2, low, wide / 2, hem)


def draw_stall(pen: Pen) -> None:
    """Draw a stall with a striped roof on poles."""
    tone = mix((206, 74, 60), pen.palette.accent, 0.25)
    for x in (-3.3, 3.2):
        pen.box(OAK, x, 0, x + 0.14, 5.0)
    _draw_awning(pen, tone, (10, 0.76, 0.8), (4.9, 6.0), 0.24)
    pen.glow(0, 3.2, 3.6, 0.5, (255, 214, 150))


def draw_headlights(pen: Pen, x: float, y: float) -> None:
    """Draw a light that comes on and off."""
    pen.blink(x, y, 0.7, (255, 244, 206), 2.2, 0.1, 0.6, 0.8)


def draw_car(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a car from its side."""
    tone = colour or mix((196, 62, 56), pen.palette.sky[1], 0.2)
    outline = trace(
        "-3.0,0.6 -2.9,1.5 -1.7,1.7 -0.9,2.6 0.9,2.65 1.8,1.75 2.8,1.5 3.05,0.7 2.4,0.45 -2.4,0.45"
    )
    pen.blob(tone, *outline)
    pen.blob(lighten(tone, 0.25), *trace("-2.8,1.3 -1.6,1.6 0,1.62 1.8,1.62 2.7,1.35 0,1.42"))
    glass = mix((60, 80, 110), pen.palette.sky[-1], 0.35)
    pen.poly(glass, (-1.5, 1.72), (-0.8, 2.45), (0.0, 2.48), (0.0, 1.72))
    pen.poly(glass, (0.14, 1.72), (0.14, 2.48), (0.85, 2.45), (1.5, 1.72))
    pen.poly(lighten(glass, 0.5), (-1.1, 1.8), (-0.9, 1.8), (-0.4, 2.42), (-0.6, 2.42))
    pen.line(darken(tone, 0.3), 0.04, (0.05, 0.6), (0.05, 1.7))
    pen.box(darken(tone, 0.3), 0.3, 1.35, 0.75, 1.43, 0.04)
    pen.oval((255, 244, 206), 2.85, 1.2, 0.18, 0.22)
    pen.oval((214, 50, 46), -2.9, 1.25, 0.14, 0.24)
    for x in (-1.75, 1.75):
        pen.oval(darken(tone, 0.6), x, 0.62, 0.82)
        draw_car_wheel(pen.at(x, -0.06), 0.68)
    draw_headlights(pen, 2.9, 1.2)


def draw_van(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a tradesman's van with a ladder on its roof."""
    tone = colour or (236, 236, 232)
    stripe = pen.palette.accent
    pen.line(STEEL, 0.1, (-2.7, 3.75), (1.0, 3.75))
    pen.line(STEEL, 0.1, (-2.7, 3.98), (1.0, 3.98))
    for rung in range(8):
        pen.line(STEEL, 0.07, (-2.5 + 0.46 * rung, 3.75), (-2.5 + 0.46 * rung, 3.98))
    pen.box(tone, -3.2, 0.5, 1.6, 3.6, 0.3)
    pen.blob(tone, (1.2, 0.5), (1.2, 3.5), (1.9, 3.3), (2.6, 2.1), (3.2, 1.8), (3.3, 0.6))
    pen.box(darken(tone, 0.18), -3.2, 0.45, 3.2, 0.9, 0.12)
    pen.box(stripe, -3.2, 1.7, 1.4, 2.1)
    glass = mix((60, 80, 110), pen.palette.sky[-1], 0.35)
    pen.poly(glass, (1.5, 2.1), (1.5, 3.2), (1.95, 3.1), (2.5, 2.1))
    pen.line(darken(tone, 0.25), 0.04, (1.3, 0.7), (1.3, 3.4))
    pen.oval((255, 244, 206), 3.15, 1.3, 0.16, 0.24)
    for x in (-1.9, 2.1):
        pen.oval(darken(tone, 0.7), x, 0.6, 0.85)
        draw_car_wheel(pen.at(x, -0.08), 0.7)
    draw_headlights(pen, 3.2, 1.3)


def draw_car_wheel(pen: Pen, radius: float = 1.0) -> None:
    """Draw a car's wheel."""
    rim = (90, 92, 104)
    pen.rings(0, radius, (radius, INK), (radius * 0.68, rim), (radius * 0.6, STEEL))
    for spoke in range(5):
        angle = spoke * 2 * math.pi / 5 + 0.3
        end = radius * 0.55 * math.cos(angle), radius + radius * 0.55 * math.sin(angle)
        pen.line(rim, radius * 0.14, (0, radius), end)
    pen.oval(INK, 0, radius, radius * 0.14)


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
    draw_thing("_frame", pen, colour)
    _draw_drive(pen)
    draw_thing("_saddle", pen)
    draw_thing("_handlebar", pen)
    pen.box((220, 52, 46), -2.83, 1.42, -2.7, 1.62, 0.04)


def draw_hanging_bicycle(pen: Pen, colour: Colour, turns: float | None = None) -> None:
    """Draw a bicycle on two hooks of a wall, its front wheel turning once in `turns` seconds."""
    for x in (-0.15, 0.72):
        pen.box(darken(CHROME, 0.55), x - 0.14, 1.98, x + 0.14, 2.72, 0.06)
    draw_bicycle(pen, mix(colour, pen.palette.sky[1], 0.15), front=turns)
    for x in (-0.15, 0.72):
        pen.curve(SOOT, 0.08, (x, 2.1), (x + 0.02, 2.22), (x, 2.52))


def draw_tires(pen: Pen) -> None:
    """Draw a pile of tyres."""
    for row in range(4):
        y = 0.62 * row
        pen.box(INK, -1.1, y, 1.1, y + 0.6, 0.26)
        pen.box((78, 80, 92), -0.9, y + 0.36, 0.7, y + 0.44, 0.04)
        for number in range(9):
            pen.box(darken(INK, 0.4), -1.0 + 0.23 * number, y + 0.1, -0.93 + 0.23 * number, y + 0.3)


def draw_wash_brushes(pen: Pen) -> None:
    """Draw the two upright brushes of a car wash."""
    for side, tone in ((-1, (60, 120, 190)), (1, (206, 70, 70))):
        x = side * 3.6
        pen.box(STEEL, x - 0.1, 0, x + 0.1, 6.0)
        for row in range(18):
            y, shade = 0.3 + 0.3 * row, (tone, lighten(tone, 0.25), darken(tone, 0.2))[row % 3]
            for arm in (-1, 1):
                end = x + arm * 1.0, y - 0.25
                pen.curve(shade, 0.16, (x, y), (x + arm * 0.6, y + 0.1), end)


def draw_foam_car(pen: Pen) -> None:
    """Draw a car covered in foam, drops falling."""
    draw_car(pen, mix((60, 110, 170), pen.palette.sky[1], 0.2))
    for number in range(26):
        x = -2.6 + 5.2 * ((number * 0.618) % 1)
        y = 1.3 + (1.2 if abs(x) < 1.1 else 0.3) + 0.25 * ((number * 0.37) % 1)
        pen.ball((240, 248, 252), x, y, 0.18 + 0.16 * ((number * 0.71) % 1))
    pen.fall(-3, 5.2, 6, 5, 0.1, 16, 0.8, long=4.0, level=0.6)
