"""People, music and play. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, mix, trace
from studio.camera.scenes.drawings import draw_thing
from studio.camera.scenes.paints import BEECH, INK, STEEL, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten, smooth


def draw_limb(pen: Pen, colour: Colour, wide: float, narrow: float, *points: Spot) -> None:
    """Draw an arm or a leg that gets thinner from its first point on."""
    line = smooth(points)
    last = len(line) - 1
    halves = [wide + (narrow - wide) * number / last for number in range(last + 1)]
    sides: tuple[list[Spot], list[Spot]] = ([], [])
    for number, ((x, y), half) in enumerate(zip(line, halves, strict=True)):
        (x0, y0), (x1, y1) = line[max(0, number - 1)], line[min(last, number + 1)]
        long = math.hypot(x1 - x0, y1 - y0) or 1.0
        across, up = half * (y0 - y1) / long, half * (x1 - x0) / long
        sides[0].append((x + across, y + up))
        sides[1].append((x - across, y - up))
    pen.poly(colour, *sides[0], *reversed(sides[1]))
    for (x, y), half in ((line[0], wide), (line[-1], narrow)):
        pen.oval(colour, x, y, half)


def draw_head(pen: Pen, x: float, y: float, tilt: float = 0.0) -> None:
    """Draw a head with hair in a knot, and a neck."""
    skin, hair = _mix_skin(pen), _mix_shade(pen)
    pen.line(skin, 0.18, (x, y - 0.2), (x, y - 0.55))
    turned = pen.at(x, y, turn=tilt)
    turned.oval(hair, 0.06, 0.44, 0.15)
    turned.oval(skin, 0, 0, 0.27, 0.33)
    turned.blob(hair, *trace("-0.3,-0.02 -0.27,0.28 0,0.4 0.28,0.26 0.3,0.0 0.12,0.16 -0.16,0.18"))


def _mix_skin(pen: Pen) -> Colour:
    return mix((228, 178, 142), pen.palette.sky[0], 0.06)


def _mix_shade(pen: Pen) -> Colour:
    """Return a dark colour for hair and trousers."""
    return darken(mix(pen.palette.ground[1], pen.palette.sky[0], 0.4), 0.2)


def draw_piano(pen: Pen) -> None:
    """Draw an upright piano with an open book of notes."""
    tone = mix((52, 40, 44), pen.palette.ground[1], 0.3)
    pen.box(tone, -2.5, 0, 2.5, 3.8, 0.06)
    pen.box(lighten(tone, 0.14), -2.3, 2.35, 2.3, 3.6)
    pen.box(lighten(tone, 0.06), -2.3, 0.2, 2.3, 1.4)
    pen.box(lighten(tone, 0.3), -2.6, 3.75, 2.6, 3.92, 0.04)
    pen.box(tone, -2.6, 1.5, 2.6, 1.85)
    pen.box((250, 248, 240), -2.4, 1.8, 2.4, 2.12)
    for key in range(33):
        pen.line((170, 168, 166), 0.015, (-2.4 + 0.145 * key, 1.8), (-2.4 + 0.145 * key, 2.12))
        if key % 7 not in (2, 6):
            pen.box(INK, -2.3 + 0.145 * key, 1.92, -2.22 + 0.145 * key, 2.14)
    pen.box((250, 246, 236), -0.9, 2.3, 0.9, 3.3)
    for row in range(6):
        pen.line((150, 146, 146), 0.02, (-0.8, 2.45 + 0.13 * row), (0.8, 2.45 + 0.13 * row))
    for number in range(8):
        pen.oval(INK, -0.7 + 0.2 * number, 2.5 + 0.09 * ((number * 5) % 7), 0.06, 0.045)
    for x in (-2.35, 2.15):
        pen.box(tone, x, 0, x + 0.2, 1.5)
    draw_thing("notes", pen.at(1.7, 4.4))


def draw_microphone(pen: Pen) -> None:
    """Draw a microphone close up, in its lights."""
    pen.poly(INK, (-0.3, -1.6), (0.3, -1.6), (0.55, 1.6), (-0.55, 1.6))
    pen.poly(lighten(INK, 0.2), (-0.22, -1.6), (-0.1, -1.6), (-0.2, 1.6), (-0.42, 1.6))
    pen.box(STEEL, -0.62, 1.5, 0.62, 1.8, 0.1)
    pen.ball((150, 156, 168), 0, 2.6, 1.0)
    for row in range(-5, 6):
        half = math.sqrt(max(0.0, 1 - (row / 5.6) ** 2)) * 0.97
        y, mesh = 0.17 * row, (90, 94, 106)
        pen.curve(mesh, 0.03, (-half, 2.6 + y), (0, 2.55 + y), (half, 2.6 + y))
        pen.curve(mesh, 0.03, (y, 2.6 - half), (0.2 * row, 2.6), (y, 2.6 + half))
    pen.glow(-0.4, 3.0, 1.8, 0.4)
    pen.blink(-0.4, 3.0, 0.9, pen.palette.accent, 1.2, level=0.35)


def draw_disco_ball(pen: Pen) -> None:
    """Draw a ball of mirrors that throws lights about."""
    pen.line(INK, 0.05, (0, 0.9), (0, 14))
    pen.ball((150, 160, 184), 0, 0, 1.0)
    for row in range(-4, 5):
        half = math.sqrt(max(0.0, 1 - (row / 4.6) ** 2))
        for column in range(-4, 5):
            tone = pen.pick((WHITE, pen.palette.accent, pen.palette.sky[-1], (90, 100, 124)))
            x, y = half * math.sin(column * 0.36), 0.2 * row
            pen.box(tone, x - 0.07 * half - 0.02, y - 0.075, x + 0.07 * half + 0.02, y + 0.075)
    tones = (pen.palette.accent, pen.palette.light, pen.palette.sky[-1])
    for number in range(7):
        x, y = 4.2 * math.sin(number * 2.1), -1.4 - 3.2 * ((number * 0.618) % 1)
        pen.blink(x, y, 0.55, tones[number % 3], 1.4, number * 0.23, level=0.5)


def draw_monitor(pen: Pen) -> None:
    """Draw a gamer's screen with a landscape and its own glow."""
    pen.box(INK, -0.15, 0, 0.15, 0.6)
    pen.box(INK, -0.7, 0, 0.7, 0.1, 0.05)
    pen.box(INK, -1.7, 0.45, 1.7, 2.6, 0.08)
    sky = pen.palette.sky
    pen.bands(sky[-1], sky[0], (-1.6, 0.55, 1.6, 0.81), 0.245, 8)
    outline = trace("-1.6,0.55 -1.6,1.1 -0.8,1.7 -0.2,1.2 0.5,1.9 1.2,1.3 1.6,1.5 1.6,0.55")
    pen.poly(darken(sky[0], 0.3), *outline)
    pen.oval(pen.palette.light, 0.9, 2.1, 0.2)
    pen.box((80, 220, 140), -1.5, 2.4, -0.6, 2.48)
    pen.glow(0, 1.5, 1.9, 0.5, pen.palette.accent)
    x, phase = float(pen.chance.uniform(-1, 1)), float(pen.chance.random())
    pen.blink(x, 1.2, 0.7, pen.palette.accent, 0.9, phase, 0.5, 0.7)


def draw_keyboard(pen: Pen) -> None:
    """Draw a keyboard with keys of light, and a mouse."""
    pen.poly(INK, (-2.2, -0.1), (2.2, -0.1), (2.0, 1.0), (-2.0, 1.0))
    tones = (pen.palette.accent, pen.palette.sky[-1], pen.palette.light)
    for row in range(4):
        for column in range(12):
            x = (-1.95 + 0.335 * column) * (1 - 0.022 * row)
            y = 0.02 + 0.24 * row
            glow = tones[(row + column) % 3]
            pen.box(darken(glow, 0.3), x - 0.01, y - 0.02, x + 0.29, y + 0.17, 0.04)
            pen.box((66, 68, 80), x + 0.02, y + 0.02, x + 0.26, y + 0.17, 0.03)
    for number in range(6):
        x, tone = -1.7 + 0.68 * number, tones[number % 3]
        pen.blink(x, 0.45, 0.55, tone, 1.5, number / 6, level=0.55, flat=0.7)
    pen.blob(INK, (2.6, 0), (2.55, 0.6), (2.9, 0.95), (3.25, 0.6), (3.2, 0))
    pen.line(pen.palette.accent, 0.07, (2.9, 0.5), (2.9, 0.85))
    pen.glow(0, 0.5, 2.6, 0.4, pen.palette.accent)


def draw_belts(pen: Pen) -> None:
    """Draw belts of all grades on a rail."""
    pen.line(BEECH, 0.14, (-2.6, 0), (2.6, 0))
    tones = read_paints("#f4f2ec #f6ce46 #46965a #3c64b4 #be3232 #222228")
    for number, tone in enumerate(tones):
        x = -2.2 + 0.88 * number
        pen.box(darken(tone, 0.15), x - 0.14, -1.9, x + 0.12, 0.08, 0.03)
        pen.box(tone, x + 0.02, -2.2, x + 0.24, 0.08, 0.03)
