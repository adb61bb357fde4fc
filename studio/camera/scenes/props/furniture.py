"""Tables, chairs, beds, and lamps that stand or hang. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import BRASS, INK, LAMP, OAK, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten

ALUMINIUM: Colour = (176, 184, 194)


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


def draw_round_table(pen: Pen, colour: Colour = OAK) -> None:
    """Draw a small round table on one foot, 1.7 high."""
    pen.oval(darken(INK, 0.1), 0, 0.05, 0.75, 0.12)
    pen.box(INK, -0.09, 0, 0.09, 1.6)
    pen.oval(darken(colour, 0.4), 0, 1.62, 1.35, 0.2)
    pen.oval(lighten(colour, 0.15), 0, 1.7, 1.35, 0.2)


def draw_chair(pen: Pen, colour: Colour = OAK) -> None:
    """Draw a chair from the side, that looks to the right."""
    for x in (-0.48, 0.42):
        pen.line(darken(colour, 0.25), 0.11, (x, 0), (x, 1.1))
    pen.box(colour, -0.6, 1.02, 0.6, 1.2, 0.08)
    pen.line(colour, 0.13, (-0.52, 1.1), (-0.68, 2.6))
    pen.box(lighten(colour, 0.12), -0.84, 1.85, -0.5, 2.65, 0.1)


def draw_stool(pen: Pen, colour: Colour = (190, 74, 60)) -> None:
    """Draw a high stool with a round seat."""
    for x in (-0.35, 0.35):
        pen.line(INK, 0.08, (x * 0.6, 1.5), (x, 0))
    pen.line(INK, 0.05, (-0.3, 0.5), (0.3, 0.5))
    pen.box(darken(colour, 0.3), -0.48, 1.45, 0.48, 1.58, 0.08)
    pen.box(colour, -0.5, 1.52, 0.5, 1.74, 0.1)


def draw_armchair(pen: Pen, colour: Colour = (120, 146, 128)) -> None:
    """Draw a soft armchair."""
    for x in (-1.05, 0.95):
        pen.box(darken(OAK, 0.4), x, 0, x + 0.12, 0.4)
    pen.box(colour, -1.0, 0.5, 1.0, 3.0, 0.5)
    pen.box(darken(colour, 0.12), -0.85, 1.25, 0.85, 2.8, 0.35)
    pen.box(darken(colour, 0.22), -1.0, 0.35, 1.0, 1.25, 0.15)
    pen.box(lighten(colour, 0.15), -0.92, 0.95, 0.92, 1.4, 0.2)
    for x in (-1.4, 0.92):
        pen.box(darken(colour, 0.05), x, 0.35, x + 0.48, 1.85, 0.24)


def draw_sofa(pen: Pen, colour: Colour = (108, 124, 150)) -> None:
    """Draw a sofa for three with cushions."""
    for x in (-2.2, 2.1):
        pen.box(darken(OAK, 0.4), x, 0, x + 0.12, 0.4)
    pen.box(darken(colour, 0.1), -2.2, 0.4, 2.2, 2.4, 0.35)
    for x in (-2.0, -0.65, 0.7):
        pen.box(colour, x, 1.0, x + 1.3, 2.25, 0.25)
    pen.box(darken(colour, 0.25), -2.2, 0.3, 2.2, 1.05, 0.15)
    for x in (-2.0, 0.03):
        pen.box(lighten(colour, 0.12), x, 0.75, x + 1.96, 1.15, 0.18)
    for x in (-2.55, 2.05):
        pen.box(darken(colour, 0.05), x, 0.3, x + 0.5, 1.65, 0.24)
    pen.box(pen.palette.accent, -1.9, 1.05, -1.0, 1.95, 0.2)
    pen.box(pen.palette.sky[1], 1.1, 1.05, 1.95, 1.9, 0.2)


def draw_bed(pen: Pen, cover: Colour = (120, 150, 176)) -> None:
    """Draw a made bed from its side."""
    pen.box(darken(OAK, 0.1), -2.9, 0, -2.6, 2.6, 0.1)
    pen.box(darken(OAK, 0.2), -2.8, 0.3, 2.8, 0.75)
    pen.box(darken(OAK, 0.3), 2.55, 0, 2.75, 1.2)
    pen.box(WHITE, -2.6, 0.7, 2.6, 1.3, 0.18)
    pen.box(darken(cover, 0.15), -1.1, 0.5, 2.65, 1.42, 0.16)
    pen.box(cover, -1.1, 0.95, 2.65, 1.45, 0.2)
    pen.box(lighten(cover, 0.4), -1.25, 0.55, -0.6, 1.48, 0.15)
    pen.blob(WHITE, (-2.5, 1.3), (-2.4, 1.9), (-1.8, 2.0), (-1.4, 1.7), (-1.5, 1.3))
    pen.blob((226, 230, 236), (-2.4, 1.3), (-2.3, 1.6), (-1.8, 1.65), (-1.5, 1.35))


def draw_desk_lamp(pen: Pen, colour: Colour = (44, 104, 82)) -> None:
    """Draw a banker's lamp that shines on the desk."""
    pen.oval(BRASS, 0, 0.06, 0.42, 0.1)
    pen.line(BRASS, 0.08, (0, 0.1), (0, 1.1))
    pen.poly(lighten((255, 226, 160), 0.4), (-0.72, 1.02), (0.72, 1.02), (0.6, 0.94), (-0.6, 0.94))
    pen.box(colour, -0.76, 1.02, 0.76, 1.4, 0.18)
    pen.box(lighten(colour, 0.35), -0.66, 1.26, 0.6, 1.34, 0.04)
    pen.glow(0, 0.6, 1.9, 0.7, (255, 214, 150))


def draw_arm_lamp(pen: Pen, colour: Colour = INK) -> None:
    """Draw a lamp with a bent arm, that shines to the right."""
    pen.oval(colour, 0, 0.05, 0.38, 0.09)
    pen.line(colour, 0.08, (0, 0.1), (-0.4, 1.2), (0.5, 2.1))
    pen.poly(colour, (0.3, 2.2), (0.6, 2.35), (1.15, 1.75), (0.55, 1.5))
    pen.oval((255, 240, 200), 0.85, 1.62, 0.3, 0.1)
    pen.glow(1.0, 0.8, 1.9, 0.7, (255, 222, 160))


def draw_floor_lamp(pen: Pen) -> None:
    """Draw a lamp on a tall foot."""
    pen.oval(INK, 0, 0.05, 0.5, 0.1)
    pen.line(INK, 0.07, (0, 0), (0, 3.6))
    pen.poly((255, 232, 190), (-0.42, 4.4), (0.42, 4.4), (0.75, 3.3), (-0.75, 3.3))
    pen.glow(0, 3.5, 2.6, 0.55, (255, 214, 150))


def draw_papers(pen: Pen) -> None:
    """Draw a pile of papers, and a pen on it."""
    for sheet in range(4):
        tone = (246 - 6 * sheet, 242 - 6 * sheet, 232 - 6 * sheet)
        outline = trace("-0.8,0 0.7,0 0.82,0.12 -0.65,0.12", 0.05 * (sheet % 2), 0.05 * sheet)
        pen.poly(tone, *outline)
    pen.line((40, 56, 96), 0.07, (-0.3, 0.3), (0.5, 0.36))


def draw_laptop(pen: Pen) -> None:
    """Draw an open laptop seen from the front."""
    pen.box(darken(ALUMINIUM, 0.3), -1.1, 0.06, 1.1, 1.5, 0.08)
    pen.box(mix(pen.palette.sky[1], (30, 40, 60), 0.4), -1.02, 0.14, 1.02, 1.42)
    for row, length in enumerate((1.2, 0.8, 1.4, 1.0)):
        tone, down = lighten(pen.palette.sky[1], 0.6), 0.24 * row
        pen.box(tone, -0.85, 1.2 - down, -0.85 + length, 1.26 - down)
    pen.poly(ALUMINIUM, (-1.1, 0.1), (1.1, 0.1), (1.3, -0.06), (-1.3, -0.06))
    pen.glow(0, 0.7, 1.3, 0.25, pen.palette.sky[-1])


def draw_bench(pen: Pen, colour: Colour = OAK) -> None:
    """Draw a garden bench."""
    for x in (-1.7, 1.55):
        pen.box(INK, x, 0, x + 0.14, 2.2)
    for y in (1.0, 1.5, 1.9):
        pen.box(darken(colour, 0.05), -1.9, y, 1.9, y + 0.28, 0.05)
    pen.box(lighten(colour, 0.1), -1.95, 0.8, 1.95, 1.02, 0.05)


def draw_ladder(pen: Pen) -> None:
    """Draw a stepladder."""
    for x, tone in ((1.1, darken(ALUMINIUM, 0.3)), (-1.1, ALUMINIUM)):
        pen.line(tone, 0.12, (x, 0), (0, 4.4))
    for step in range(1, 7):
        y = step * 0.62
        x = -1.1 * (1 - y / 4.4)
        pen.box(ALUMINIUM, x - 0.1, y, x + 0.6, y + 0.1)
    pen.box((214, 120, 60), -0.35, 4.3, 0.35, 4.5, 0.05)


def draw_pendant(pen: Pen, colour: Colour = INK) -> None:
    """Draw a lamp on a cord, its shade's rim at the origin."""
    pen.line(INK, 0.05, (0, 0.9), (0, 14))
    pen.glow(0, -0.5, 2.3, 0.5, LAMP)
    pen.lathe(colour, (0.12, 0.95), (0.2, 0.8), (0.75, 0.12), (0.8, 0))
    pen.oval(lighten(LAMP, 0.5), 0, 0, 0.72, 0.12)


def draw_paper_lamp(pen: Pen) -> None:
    """Draw a round lamp of paper."""
    pen.line(INK, 0.04, (0, 0.5), (0, 14))
    pen.glow(0, 0, 2.4, 0.5, LAMP)
    pen.ball((255, 232, 196), 0, 0, 0.75)
    for y in (-0.5, -0.25, 0, 0.25, 0.5):
        half = math.sqrt(0.56 - y * y)
        pen.curve((226, 190, 146), 0.02, (-half, y), (0, y - 0.07), (half, y))


def draw_street_lantern(pen: Pen) -> None:
    """Draw a lantern on an iron arm."""
    pen.line(INK, 0.08, (-0.7, 0.95), (0.7, 0.95))
    _draw_lit_lantern(pen)


def draw_lantern(pen: Pen) -> None:
    """Draw a red lantern, as it hangs over tables."""
    pen.line(INK, 0.04, (0, 0.5), (0, 14))
    _draw_lit_lantern(pen)


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


def draw_neon(pen: Pen, colour: Colour = (255, 90, 170)) -> None:
    """Draw a heart and a wave of neon that flicker."""
    for tone, width in ((darken(colour, 0.2), 0.2), (lighten(colour, 0.7), 0.08)):
        pen.curve(tone, width, *trace("0,-0.75 -0.9,0.25 -0.6,0.8 0,0.4 0.6,0.8 0.9,0.25 0,-0.75"))
    pen.glow(0, 0, 2.2, 0.6, colour)
    pen.blink(0, 0, 1.5, colour, 1.6, 0.2, 0.8, 0.35)


def draw_spotlight(pen: Pen) -> None:
    """Draw a lamp on a rail that shines down."""
    pen.line(INK, 0.05, (0, 0.3), (0, 14))
    pen.poly(INK, (-0.22, 0.3), (0.22, 0.3), (0.3, -0.3), (-0.3, -0.3))
    pen.oval((255, 240, 206), 0, -0.3, 0.28, 0.08)
    pen.glow(0, -1.4, 2.0, 0.5, LAMP)
