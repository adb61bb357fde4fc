"""Houses, shop fronts, cars, boxes and a campfire. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import Spot, mix, trace
from studio.camera.scenes.paints import INK, OAK, STEEL, WHITE
from studio.camera.scenes.pen import Pen, darken, lighten
from studio.camera.scenes.props.tools import draw_car_wheel

CARD: Colour = (196, 152, 104)


def draw_box(pen: Pen) -> None:
    """Draw a box of cardboard."""
    pen.box(CARD, -0.9, 0, 0.9, 1.5)
    pen.box(darken(CARD, 0.18), 0.45, 0, 0.9, 1.5)
    pen.box(lighten(CARD, 0.35), -0.16, 0, 0.1, 1.5)
    pen.box(darken(CARD, 0.35), -0.9, 1.42, 0.9, 1.5)
    pen.box(darken(CARD, 0.4), -0.72, 0.25, -0.35, 0.6, 0.03)


def draw_boxes(pen: Pen) -> None:
    """Draw boxes on each other."""
    draw_box(pen.at(-1.0, 0))
    draw_box(pen.at(1.0, 0, 1.1))
    draw_box(pen.at(-0.9, 1.5, 0.9))
    draw_box(pen.at(0.95, 1.65, 0.75))
    draw_box(pen.at(-0.8, 2.85, 0.65))


def draw_open_box(pen: Pen) -> None:
    """Draw an open box with a lamp and books in it."""
    pen.poly((255, 232, 190), (-0.2, 2.4), (0.8, 2.4), (1.1, 1.6), (-0.5, 1.6))
    pen.line(INK, 0.08, (0.3, 1.0), (0.3, 1.7))
    for x, tone in ((-0.9, (150, 52, 50)), (-0.65, (48, 84, 118))):
        pen.box(tone, x, 0.8, x + 0.22, 1.9)
    pen.poly(darken(CARD, 0.2), (-1.2, 1.2), (-1.9, 1.6), (-1.5, 1.75), (-0.9, 1.3))
    pen.poly(darken(CARD, 0.2), (1.2, 1.2), (1.9, 1.6), (1.5, 1.75), (0.9, 1.3))
    pen.box(CARD, -1.2, 0, 1.2, 1.3)
    pen.box(lighten(CARD, 0.35), -0.16, 0, 0.1, 1.3)


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


def draw_campfire(pen: Pen) -> None:
    """Draw a fire that flickers."""
    for turn in (0.5, -0.5, 0.1):
        pen.at(0, 0.1, turn=turn).box(darken(OAK, 0.3), -0.9, -0.1, 0.9, 0.14, 0.1)
    for tone, size in (((240, 110, 40), 1.0), ((250, 170, 60), 0.7), ((255, 230, 150), 0.4)):
        tongues = trace("-0.5,0.9 -0.1,1.7 0.15,1.1 0.45,1.3")
        flame = [(x * size, y * size) for x, y in tongues]
        pen.blob(tone, (-0.6 * size, 0.2), *flame, (0.6 * size, 0.2))
    pen.glow(0, 0.8, 3.0, 0.8, (255, 150, 70))
    pen.blink(0, 0.8, 1.8, (255, 170, 90), 0.7, level=0.35)
    pen.fall(-0.8, 4.5, 1.6, 4, 0.1, 10, -0.35, sway=0.3, colour=(255, 170, 80), level=0.9)


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


def draw_lifted_car(pen: Pen) -> None:
    """Draw a car on a lift."""
    for x in (-3.3, 3.1):
        pen.box((206, 166, 50), x, 0, x + 0.3, 5.6)
        pen.box(darken((206, 166, 50), 0.3), x + 0.2, 0, x + 0.3, 5.6)
    pen.box(INK, -3.1, 2.25, 3.1, 2.45)
    draw_car(pen.at(0, 2.3), mix((70, 120, 170), pen.palette.sky[1], 0.2))


def draw_foam_car(pen: Pen) -> None:
    """Draw a car covered in foam, drops falling."""
    draw_car(pen, mix((60, 110, 170), pen.palette.sky[1], 0.2))
    for number in range(26):
        x = -2.6 + 5.2 * ((number * 0.618) % 1)
        y = 1.3 + (1.2 if abs(x) < 1.1 else 0.3) + 0.25 * ((number * 0.37) % 1)
        pen.ball((240, 248, 252), x, y, 0.18 + 0.16 * ((number * 0.71) % 1))
    pen.fall(-3, 5.2, 6, 5, 0.1, 16, 0.8, long=4.0, level=0.6)


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


def draw_truck(pen: Pen) -> None:
    """Draw a mover's truck, its back open and full of boxes."""
    tone = mix((60, 120, 170), pen.palette.sky[1], 0.2)
    pen.box(lighten(STEEL, 0.4), -3.8, 0.9, 1.2, 4.6, 0.08)
    pen.box(tone, -3.8, 2.4, 1.2, 2.9)
    pen.box(darken(STEEL, 0.6), -3.7, 1.0, -2.2, 4.5)
    for x, y in ((-3.6, 1.0), (-2.95, 1.0), (-3.3, 1.75), (-3.6, 2.5)):
        draw_box(pen.at(x + 0.3, y, 0.42))
    pen.box(tone, 1.3, 0.7, 3.4, 3.4, 0.35)
    pen.box(mix((60, 80, 110), pen.palette.sky[-1], 0.35), 2.0, 2.1, 3.2, 3.1, 0.12)
    pen.box(INK, -3.8, 0.6, 3.5, 0.95)
    pen.oval((255, 244, 206), 3.35, 1.2, 0.14, 0.22)
    for x in (-2.6, -1.2, 2.4):
        draw_car_wheel(pen.at(x, -0.08), 0.66)
    draw_headlights(pen, 3.4, 1.2)


def draw_tractor(pen: Pen) -> None:
    """Draw a tractor."""
    red = (196, 62, 50)
    pen.box(INK, 1.3, 2.0, 1.5, 3.2)
    pen.box(red, -0.2, 1.0, 2.3, 2.1, 0.2)
    pen.box(red, -1.7, 0.9, 0.1, 1.6, 0.15)
    for x in (-1.6, 0.0):
        pen.line(INK, 0.12, (x, 1.5), (x + 0.1, 3.4))
    pen.box(red, -1.8, 3.3, 0.4, 3.55, 0.1)
    draw_car_wheel(pen.at(-1.1, -0.05), 1.1)
    draw_car_wheel(pen.at(1.7, -0.05), 0.65)
