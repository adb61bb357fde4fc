"""Vessels, books, and cases full of what shops sell. Pure."""

import math
from collections.abc import Sequence

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, read_rows, trace, walk
from studio.camera.scenes.paints import BRASS, COFFEE, INK, OAK, STEEL, WHITE, read_paints
from studio.camera.scenes.pen import Pen, Prop, darken, lighten
from studio.camera.scenes.props.weather import draw_steam

GLAZE: Colour = (244, 236, 222)
BOOKS = read_paints("#963432 #305476 #c8a460 #3a6854 #6c4268 #cec6b6")
SHOWN = read_paints("#ce5448 #4a7ca0 #e2b254 #6e9874 #ece4d6 #78608c")


def draw_cup(pen: Pen, colour: Colour = GLAZE) -> None:
    """Draw a steaming cup of coffee on its saucer."""
    pen.oval(darken(colour, 0.45), 0, 0.02, 1.3, 0.2)
    pen.oval(darken(colour, 0.12), 0, 0.08, 1.3, 0.2)
    pen.oval(darken(colour, 0.3), 0, 0.1, 0.7, 0.1)
    pen.curve(darken(colour, 0.25), 0.14, (0.72, 1.0), (1.16, 1.0), (1.1, 0.5), (0.62, 0.42))
    pen.lathe(colour, (0.42, 0.08), (0.56, 0.2), (0.72, 0.6), (0.8, 1.22))
    pen.oval(lighten(colour, 0.5), 0, 1.22, 0.8, 0.19)
    pen.oval(darken(colour, 0.35), 0, 1.2, 0.73, 0.15)
    pen.oval(COFFEE, 0, 1.17, 0.7, 0.125)
    pen.oval((206, 160, 112), -0.05, 1.17, 0.44, 0.07)
    pen.oval((244, 222, 188), -0.05, 1.175, 0.22, 0.035)
    draw_steam(pen.at(0, 1.3), 0.85)


def draw_small_cup(pen: Pen) -> None:
    """Draw a cup without steam."""
    tone = pen.pick((GLAZE, (196, 112, 92), (110, 146, 150)))
    pen.curve(darken(tone, 0.25), 0.07, (0.26, 0.42), (0.44, 0.4), (0.4, 0.18), (0.24, 0.14))
    pen.lathe(tone, (0.18, 0), (0.26, 0.12), (0.3, 0.5))
    pen.oval(darken(tone, 0.4), 0, 0.5, 0.3, 0.06)


def draw_cups(pen: Pen) -> None:
    """Draw cups piled on each other."""
    for row, count in enumerate((3, 2, 1)):
        for number in range(count):
            draw_small_cup(pen.at((number - (count - 1) / 2) * 0.66, row * 0.5))


def draw_glass(pen: Pen, drink: Colour = (140, 70, 40), ice: bool = True) -> None:
    """Draw a tall glass with a drink and a straw."""
    pen.line((236, 96, 90), 0.07, (0.1, 0.3), (0.4, 2.1))
    pen.poly(lighten(drink, 0.5), (-0.4, 0), (0.4, 0), (0.52, 1.7), (-0.52, 1.7))
    pen.lathe(drink, (0.36, 0.06), (0.46, 1.3))
    if ice:
        for x, y, turn in ((-0.16, 1.1, 0.3), (0.15, 1.2, -0.4), (0.02, 0.85, 0.1)):
            pen.at(x, y, turn=turn).box(lighten(drink, 0.62), -0.13, -0.13, 0.13, 0.13, 0.03)
    pen.poly(lighten(drink, 0.8), (-0.4, 0.2), (-0.33, 0.2), (-0.4, 1.6), (-0.47, 1.6))
    pen.oval(lighten(drink, 0.7), 0, 1.7, 0.52, 0.08)


def draw_beer(pen: Pen) -> None:
    """Draw a mug of beer with foam, bubbles rising."""
    gold = (238, 168, 52)
    pen.curve((226, 214, 190), 0.16, (0.6, 1.5), (1.1, 1.4), (1.1, 0.6), (0.6, 0.4))
    pen.box(lighten(gold, 0.5), -0.68, 0, 0.68, 1.9, 0.1)
    pen.lathe(gold, (0.6, 0.1), (0.6, 1.65))
    for x in (-0.3, 0.0, 0.3):
        pen.box(lighten(gold, 0.3), x - 0.03, 0.2, x + 0.03, 1.4)
    for x, y, r in read_rows(
        "-0.5,1.8,0.26 0,1.9,0.34 0.45,1.8,0.28 -0.2,2.05,0.24 0.25,2.05,0.22"
    ):
        pen.ball((252, 246, 230), x, y, r)
    pen.fall(-0.5, 1.5, 1.0, 1.3, 0.1, 10, -0.4, level=0.5)


def draw_wine(pen: Pen) -> None:
    """Draw a glass of red wine."""
    pen.oval((210, 214, 224), 0, 0.03, 0.42, 0.07)
    pen.box((210, 214, 224), -0.035, 0, 0.035, 1.0)
    pen.lathe((214, 220, 230), (0.05, 0.95), (0.45, 1.3), (0.56, 1.75), (0.46, 2.4))
    pen.lathe((130, 24, 48), (0.05, 1.0), (0.42, 1.32), (0.52, 1.72))
    pen.oval((164, 48, 70), 0, 1.72, 0.52, 0.07)


def draw_cocktail(pen: Pen) -> None:
    """Draw a cocktail in a wide glass, with a slice of lemon."""
    pen.oval((210, 214, 224), 0, 0.03, 0.42, 0.07)
    pen.box((210, 214, 224), -0.035, 0, 0.035, 1.2)
    pen.poly((222, 228, 236), (0, 1.1), (-0.85, 2.05), (0.85, 2.05))
    pen.poly(mix((250, 130, 90), pen.palette.accent, 0.4), (0, 1.18), (-0.72, 1.95), (0.72, 1.95))
    pen.oval((255, 180, 130), 0, 1.95, 0.72, 0.08)
    pen.oval((246, 206, 70), 0.78, 2.12, 0.3)
    pen.oval((255, 240, 160), 0.78, 2.12, 0.2)


def draw_bottle(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a bottle with a label."""
    tone = colour or pen.pick(read_paints("#345c3e #784222 #9e2834 #c8a05a #3c5878"))
    high = float(pen.chance.uniform(0.9, 1.15))
    pen.lathe(tone, (0.2, 0), (0.2, 0.58 * high), (0.08, 0.76 * high), (0.08, high))
    pen.box(GLAZE, -0.17, 0.16, 0.17, 0.46)
    pen.box(darken(tone, 0.3), -0.09, high - 0.08, 0.09, high + 0.02)


def draw_jar(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a jar of something, with a lid."""
    tone = colour or pen.pick(read_paints("#c45c32 #d2aa46 #829650 #963c3c #e6d2aa"))
    pen.box((226, 232, 232), -0.3, 0, 0.3, 0.68, 0.1)
    pen.lathe(tone, (0.25, 0.04), (0.25, 0.55))
    pen.box((120, 88, 60), -0.27, 0.66, 0.27, 0.78, 0.03)


def draw_vase(pen: Pen, colour: Colour = (110, 140, 160)) -> None:
    """Draw an empty vase."""
    pen.lathe(colour, (0.3, 0), (0.5, 0.4), (0.46, 0.8), (0.22, 1.1), (0.3, 1.3))


def draw_bowl(pen: Pen, colour: Colour = (58, 50, 52), soup: Colour = (206, 90, 48)) -> None:
    """Draw a bowl of hot soup with herbs and egg on it."""
    pen.lathe(colour, (0.6, 0), (1.1, 0.3), (1.35, 0.95))
    pen.oval(lighten(colour, 0.25), 0, 0.95, 1.35, 0.3)
    pen.oval(darken(colour, 0.3), 0, 0.93, 1.24, 0.25)
    pen.oval(soup, 0, 0.91, 1.2, 0.225)
    pen.oval(lighten(soup, 0.25), -0.2, 0.95, 0.8, 0.12)
    for number in range(16):
        angle, far = number * 2.4, 0.25 + 0.7 * ((number * 0.618) % 1)
        tone = ((96, 150, 70), (70, 120, 56), (244, 220, 120), (230, 70, 50))[number % 4]
        pen.oval(tone, far * math.cos(angle), 0.93 + 0.17 * far * math.sin(angle), 0.1, 0.04)
    draw_steam(pen.at(0, 1.05), 1.4)


def draw_shelf(
    pen: Pen, wide: float, rows: int, step: float, colour: Colour = OAK, back: bool = True
) -> None:
    """Draw a case of shelves that stands at the origin."""
    high = rows * step + 0.15
    if back:
        pen.box(darken(colour, 0.55), -wide / 2, 0, wide / 2, high)
    for row in range(rows + 1):
        pen.box(colour, -wide / 2, row * step, wide / 2, row * step + 0.12)
        pen.box(lighten(colour, 0.3), -wide / 2, row * step + 0.09, wide / 2, row * step + 0.12)
        if row < rows:
            under = (row + 1) * step
            pen.box(darken(colour, 0.7), -wide / 2, under - 0.14, wide / 2, under)
    for x in (-wide / 2, wide / 2 - 0.14):
        pen.box(darken(colour, 0.1), x, 0, x + 0.14, high)


def draw_books(pen: Pen, wide: float, tall: float, colours: Sequence[Colour] = BOOKS) -> None:
    """Draw books side by side, from the origin to the right."""
    x = 0.0
    while x < wide - 0.12:
        broad = float(pen.chance.uniform(0.13, 0.26))
        high = tall * float(pen.chance.uniform(0.72, 1.0))
        colour = pen.pick(colours)
        right = min(wide, x + broad)
        pen.box(colour, x, 0, right - 0.015, high)
        pen.box(lighten(colour, 0.25), x, 0, x + 0.03, high)
        pen.box(BRASS, x, high * 0.72, right - 0.015, high * 0.76)
        pen.box(BRASS, x, high * 0.16, right - 0.015, high * 0.2)
        x += broad


def draw_bookcase(pen: Pen, wide: float = 4.0, rows: int = 4) -> None:
    """Draw a case full of books."""
    draw_shelf(pen, wide, rows, 1.35)
    for row in range(rows):
        draw_books(pen.at(-wide / 2 + 0.2, row * 1.35 + 0.12), wide - 0.4, 1.08)


def draw_law_books(pen: Pen) -> None:
    """Draw a high case of volumes bound alike."""
    draw_shelf(pen, 4.6, 5, 1.25, (104, 62, 40))
    for row in range(5):
        tones = ("#7a2c28 #88382e", "#2e3e54 #364a62", "#aa824a #9a7442")[row % 3]
        draw_books(pen.at(-2.1, row * 1.25 + 0.12), 4.2, 0.98, read_paints(tones))


def draw_open_book(pen: Pen) -> None:
    """Draw an open book that lies on a table."""
    for leaf in pen.sides():
        leaf.blob((206, 190, 160), *trace("0,0.02 0.6,0.1 1.35,0.0 1.5,0.34 0.7,0.5 0,0.3"))
        leaf.poly((250, 246, 236), *trace("0,0.1 0.5,0.2 1.3,0.1 1.45,0.42 0.62,0.56 0,0.4"))
        for row in range(4):
            y = 0.2 + row * 0.06
            start = 0.16 + 0.03 * row, y + 0.04
            leaf.line((150, 144, 140), 0.025, start, (0.6, y + 0.07), (1.2, y))


def draw_stack(pen: Pen) -> None:
    """Draw four books on each other."""
    y = 0.0
    for number in range(4):
        colour = pen.pick(BOOKS)
        off, high = 0.14 * ((number * 7) % 3 - 1), 0.26
        pen.box(colour, -0.9 + off, y, 0.9 + off, y + high, 0.05)
        pen.box((240, 232, 214), -0.82 + off, y + 0.05, 0.94 + off, y + high - 0.05)
        y += high + 0.01


def draw_packet(pen: Pen) -> None:
    """Draw a packet of something."""
    tone, high = pen.pick(SHOWN), float(pen.chance.uniform(0.5, 0.85))
    pen.box(tone, -0.26, 0, 0.26, high, 0.04)
    pen.box(lighten(tone, 0.6), -0.17, high * 0.4, 0.17, high * 0.75)
    pen.box(darken(tone, 0.25), 0.18, 0, 0.26, high, 0.03)


def draw_tin(pen: Pen) -> None:
    """Draw a tin."""
    tone = pen.pick(SHOWN)
    pen.lathe(tone, (0.22, 0), (0.22, 0.6))
    pen.box(STEEL, -0.22, 0.56, 0.22, 0.64, 0.03)


def draw_pills(pen: Pen) -> None:
    """Draw a box of medicine with a green mark."""
    tone = pen.pick(((250, 250, 248), (222, 238, 246), (250, 240, 226)))
    high = float(pen.chance.uniform(0.4, 0.7))
    stripe = pen.pick(((70, 170, 120), (80, 130, 200), (226, 100, 90)))
    pen.box(tone, -0.28, 0, 0.28, high, 0.02)
    pen.box(stripe, -0.28, high * 0.2, 0.28, high * 0.45)
    pen.box(darken(tone, 0.15), 0.2, 0, 0.28, high)


def draw_phone_case(pen: Pen) -> None:
    """Draw a telephone's case."""
    tone = pen.pick(SHOWN)
    pen.box(tone, -0.2, 0, 0.2, 0.8, 0.08)
    pen.box(INK, -0.15, 0.52, 0.02, 0.74, 0.05)


def draw_shoes(pen: Pen) -> None:
    """Draw a pair of shoes."""
    tone = pen.pick(SHOWN)
    for x in (-0.3, 0.22):
        pen.blob(tone, *trace("-0.22,0.04 -0.24,0.34 -0.02,0.3 0.34,0.16 0.36,0.04", x))
        pen.box(WHITE, x - 0.24, 0, x + 0.36, 0.07, 0.03)


def draw_folded(pen: Pen) -> None:
    """Draw folded shirts."""
    for row in range(3):
        pen.box(pen.pick(SHOWN), -0.4, 0.18 * row, 0.4, 0.18 * row + 0.17, 0.06)


def draw_polish(pen: Pen) -> None:
    """Draw a bottle of nail polish."""
    tone = pen.pick(read_paints("#e2506e #f4a0aa #c43c46 #966eb4 #facebe #5a96aa"))
    pen.lathe(tone, (0.2, 0), (0.24, 0.2), (0.2, 0.42))
    pen.box(INK, -0.08, 0.42, 0.08, 0.86, 0.05)
    pen.oval(lighten(tone, 0.6), -0.09, 0.24, 0.05, 0.1)


def draw_glasses(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a pair of glasses from the front."""
    tone = colour or pen.pick(((44, 46, 58), (130, 80, 50), (190, 140, 70), (150, 50, 60)))
    for x in (-0.42, 0.42):
        pen.oval(tone, x, 0.3, 0.36, 0.3)
        pen.oval(mix((214, 230, 240), pen.palette.sky[-1], 0.3), x, 0.3, 0.29, 0.23)
        pen.poly(WHITE, (x - 0.16, 0.16), (x - 0.08, 0.14), (x + 0.1, 0.46), (x + 0.02, 0.48))
    pen.curve(tone, 0.07, (-0.1, 0.36), (0, 0.42), (0.1, 0.36))


def _make_case(
    wide: float, rows: int, step: float, things: tuple[Prop, ...], gap: float, colour: Colour = OAK
) -> Prop:
    """Return what draws shelves with things on every board, `gap` apart, in an order of chance."""

    def draw_case(pen: Pen) -> None:
        draw_shelf(pen, wide, rows, step, colour)
        for row in range(rows):
            for x in walk(-wide / 2 + 0.2 + gap / 2, wide / 2 - gap / 2 - 0.1, gap):
                pen.pick(things)(pen.at(x, row * step + 0.12))

    return draw_case


def draw_fridge(pen: Pen) -> None:
    """Draw a cold case with glass doors and drinks."""
    pen.box(INK, -2.3, 0, 2.3, 5.0, 0.08)
    pen.box((220, 236, 244), -2.2, 0.5, 2.2, 4.6)
    for row in range(4):
        y = 0.55 + 1.02 * row
        for number in range(10):
            can = pen.at(-1.95 + 0.43 * number, y)
            can.lathe(pen.pick(SHOWN), (0.15, 0), (0.15, 0.5), (0.06, 0.66), (0.06, 0.76))
        pen.box((180, 196, 206), -2.2, y - 0.08, 2.2, y)
    for x in (-2.3, -0.06, 2.18):
        pen.box((206, 212, 218), x, 0.4, x + 0.12, 4.7)
    pen.poly(lighten((200, 220, 232), 0.3), (-1.6, 0.6), (-1.5, 0.6), (-0.6, 4.5), (-0.7, 4.5))
    pen.box(lighten((90, 190, 230), 0.4), -2.2, 4.7, 2.2, 4.94)
    pen.glow(0, 2.5, 3.0, 0.5, (214, 238, 250))


def draw_register(pen: Pen) -> None:
    """Draw a till with a screen."""
    pen.box(INK, -0.9, 0, 0.9, 0.6, 0.08)
    pen.box(STEEL, -0.75, 0.22, 0.75, 0.28)
    pen.box(INK, -0.1, 0.6, 0.1, 1.0)
    pen.poly(INK, (-0.9, 0.95), (0.9, 0.95), (0.82, 2.1), (-0.82, 2.1))
    pen.poly(lighten(pen.palette.sky[1], 0.35), *trace("-0.78,1.05 0.78,1.05 0.72,2.0 -0.72,2.0"))
    for row in range(3):
        for column in range(3):
            x, y = 0.42 * column, 0.27 * row
            pen.box(WHITE, -0.6 + x, 1.15 + y, -0.28 + x, 1.33 + y, 0.03)


def draw_clothes_rail(pen: Pen) -> None:
    """Draw clothes on a rail."""
    for x in (-2.2, 2.2):
        pen.line(STEEL, 0.1, (x, 0), (x, 4.0))
    pen.line(STEEL, 0.1, (-2.2, 4.0), (2.2, 4.0))
    for number in range(8):
        x = -1.75 + 0.5 * number
        tone = SHOWN[(number * 3) % len(SHOWN)]
        hem = 3.8 - (2.0 + 0.6 * ((number * 0.618) % 1))
        pen.curve(STEEL, 0.04, (x, 4.05), (x + 0.06, 3.9), (x, 3.8))
        left = (x, 3.8), (x - 0.34, 3.55), (x - 0.4, hem)
        pen.poly(darken(tone, 0.2), *left, (x + 0.4, hem), (x + 0.34, 3.55))
        pen.poly(tone, *left, (x + 0.18, hem), (x + 0.12, 3.6))


draw_groceries = _make_case(4.2, 4, 1.15, (draw_packet, draw_tin, draw_jar, draw_bottle), 0.56)
draw_medicines = _make_case(
    4.2, 5, 1.0, (draw_pills, draw_pills, draw_bottle, draw_jar), 0.6, (226, 228, 226)
)
draw_spirits = _make_case(4.6, 4, 1.3, (draw_bottle,), 0.46, (70, 48, 40))
draw_jars = _make_case(4.2, 4, 1.1, (draw_jar,), 0.66)
draw_cases = _make_case(4.0, 4, 1.1, (draw_phone_case,), 0.5, (214, 216, 222))
draw_shoe_shelf = _make_case(3.6, 4, 0.95, (draw_shoes, draw_folded), 1.05)
draw_polishes = _make_case(3.6, 5, 1.05, (draw_polish,), 0.5, (244, 232, 230))
draw_spectacles = _make_case(4.4, 4, 1.0, (draw_glasses,), 1.35, (236, 232, 226))
