"""Bottles, books, cases full of what shops sell, and what is worn. Pure."""

import math
from collections.abc import Callable, Sequence

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace, walk
from studio.camera.scenes.drawings import draw_thing
from studio.camera.scenes.paints import BRASS, GLAZE, GOLD, INK, OAK, STEEL, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten
from studio.camera.scenes.props.nature import draw_steam

BOOKS = read_paints("#963432 #305476 #c8a460 #3a6854 #6c4268 #cec6b6")
SHOWN = read_paints("#ce5448 #4a7ca0 #e2b254 #6e9874 #ece4d6 #78608c")


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


def draw_packet(pen: Pen) -> None:
    """Draw a packet of something."""
    tone, high = pen.pick(SHOWN), float(pen.chance.uniform(0.5, 0.85))
    pen.box(tone, -0.26, 0, 0.26, high, 0.04)
    pen.box(lighten(tone, 0.6), -0.17, high * 0.4, 0.17, high * 0.75)
    pen.box(darken(tone, 0.25), 0.18, 0, 0.26, high, 0.03)


def draw_pills(pen: Pen) -> None:
    """Draw a box of medicine with a green mark."""
    tone = pen.pick(((250, 250, 248), (222, 238, 246), (250, 240, 226)))
    high = float(pen.chance.uniform(0.4, 0.7))
    stripe = pen.pick(((70, 170, 120), (80, 130, 200), (226, 100, 90)))
    pen.box(tone, -0.28, 0, 0.28, high, 0.02)
    pen.box(stripe, -0.28, high * 0.2, 0.28, high * 0.45)
    pen.box(darken(tone, 0.15), 0.2, 0, 0.28, high)


def draw_glasses(pen: Pen, colour: Colour | None = None) -> None:
    """Draw a pair of glasses from the front."""
    tone = colour or pen.pick(((44, 46, 58), (130, 80, 50), (190, 140, 70), (150, 50, 60)))
    for x in (-0.42, 0.42):
        pen.oval(tone, x, 0.3, 0.36, 0.3)
        pen.oval(mix((214, 230, 240), pen.palette.sky[-1], 0.3), x, 0.3, 0.29, 0.23)
        pen.poly(WHITE, (x - 0.16, 0.16), (x - 0.08, 0.14), (x + 0.1, 0.46), (x + 0.02, 0.48))
    pen.curve(tone, 0.07, (-0.1, 0.36), (0, 0.42), (0.1, 0.36))


def _make_case(
    wide: float, rows: int, step: float, things: str, gap: float, colour: Colour = OAK
) -> Callable[[Pen], None]:
    """Return what draws shelves with things on every board, `gap` apart, in an order of chance."""

    def draw_case(pen: Pen) -> None:
        draw_shelf(pen, wide, rows, step, colour)
        for row in range(rows):
            for x in walk(-wide / 2 + 0.2 + gap / 2, wide / 2 - gap / 2 - 0.1, gap):
                draw_thing(pen.pick(things.split()), pen.at(x, row * step + 0.12))

    return draw_case


def draw_mannequin(pen: Pen, cloth: Colour | None = None) -> None:
    """Draw a tailor's dummy in a dress."""
    tone = cloth or mix(pen.palette.accent, (200, 90, 110), 0.5)
    pen.box(INK, -0.06, 0, 0.06, 1.4)
    pen.oval(INK, 0, 0.06, 0.6, 0.1)
    pen.blob(tone, *trace("-0.4,3.3 0,3.4 0.4,3.3 0.3,2.5 0.9,1.0 0,0.85 -0.9,1.0 -0.3,2.5"))
    pen.blob(lighten(tone, 0.2), *trace("-0.3,3.2 -0.1,3.25 -0.1,2.4 -0.3,1.1 -0.7,1.1 -0.22,2.4"))
    pen.box((226, 200, 170), -0.14, 3.3, 0.14, 3.75, 0.06)
    pen.ball(OAK, 0, 3.82, 0.14)


def draw_necklace(pen: Pen) -> None:
    """Draw a necklace on a bust of velvet."""
    outline = trace("-0.9,0 -1.0,1.0 -0.35,1.7 -0.25,2.4 0.25,2.4 0.35,1.7 1.0,1.0 0.9,0")
    pen.blob((70, 60, 84), *outline)
    pen.curve(GOLD, 0.07, (-0.32, 1.9), (-0.4, 1.3), (0, 0.9), (0.4, 1.3), (0.32, 1.9))
    pen.ball((120, 190, 200), 0, 0.72, 0.19)
    phase = float(pen.chance.random())
    pen.blink(0, 0.75, 0.4, WHITE, 2.1, phase, level=0.85)


def draw_watch(pen: Pen) -> None:
    """Draw a watch on a cushion."""
    pen.oval((236, 228, 214), 0, 0.5, 1.1, 0.6)
    pen.box((84, 56, 44), -0.28, 0, 0.28, 2.2, 0.1)
    pen.oval(GOLD, 0, 1.1, 0.62)
    pen.oval((250, 248, 240), 0, 1.1, 0.5)
    for hour in range(12):
        x, y = math.sin(hour * math.pi / 6), math.cos(hour * math.pi / 6)
        pen.line(INK, 0.04, (0.38 * x, 1.1 + 0.38 * y), (0.45 * x, 1.1 + 0.45 * y))
    pen.line(INK, 0.06, (0, 1.1), (-0.18, 1.28))
    pen.line(INK, 0.04, (0, 1.1), (0.26, 1.32))


def draw_phone(pen: Pen) -> None:
    """Draw a telephone on a stand, its screen alight."""
    pen.oval(STEEL, 0, 0.05, 0.7, 0.12)
    pen.box(STEEL, -0.08, 0, 0.08, 0.6)
    pen.box(INK, -0.72, 0.4, 0.72, 3.1, 0.2)
    pen.bands(pen.palette.sky[-1], pen.palette.sky[0], (-0.64, 0.55, 0.64, 0.76), 0.2, 12)
    for row in range(4):
        for column in range(3):
            tone, x, y = SHOWN[(row * 3 + column) % 6], 0.36 * column, 0.42 * row
            pen.box(tone, -0.48 + x, 0.7 + y, -0.22 + x, 0.96 + y, 0.07)
    pen.oval(INK, 0, 2.86, 0.08)
    pen.glow(0, 1.8, 1.5, 0.4, pen.palette.sky[-1])
    pen.blink(0.4, 2.5, 0.4, WHITE, 1.5, float(pen.chance.random()), level=0.6)


def draw_eye_chart(pen: Pen) -> None:
    """Draw a lit chart of rings for eyes that get smaller downwards."""
    pen.box(INK, -1.15, -0.1, 1.15, 3.7, 0.06)
    pen.box((252, 252, 244), -1.05, 0, 1.05, 3.6)
    for row, (count, r) in enumerate(((1, 0.34), (2, 0.25), (3, 0.18), (4, 0.13), (5, 0.09))):
        for number in range(count):
            x, y = (number - (count - 1) / 2) * r * 3, 3.1 - 0.66 * row + 0.04 * row * row
            pen.oval(INK, x, y, r)
            pen.oval((252, 252, 244), x, y, r * 0.62)
            angle = (number * 3 + row) % 4 * math.pi / 2
            end = x + 1.15 * r * math.cos(angle), y + 1.15 * r * math.sin(angle)
            pen.line((252, 252, 244), r * 0.5, (x, y), end)
    pen.glow(0, 1.8, 2.2, 0.45, (255, 252, 236))


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


draw_groceries = _make_case(4.2, 4, 1.15, "packet tin jar bottle", 0.56)
draw_medicines = _make_case(4.2, 5, 1.0, "pills pills bottle jar", 0.6, (226, 228, 226))
draw_spirits = _make_case(4.6, 4, 1.3, "bottle", 0.46, (70, 48, 40))
draw_jars = _make_case(4.2, 4, 1.1, "jar", 0.66)
draw_cases = _make_case(4.0, 4, 1.1, "phone_case", 0.5, (214, 216, 222))
draw_shoe_shelf = _make_case(3.6, 4, 0.95, "shoes folded", 1.05)
draw_polishes = _make_case(3.6, 5, 1.05, "polish", 0.5, (244, 232, 230))
draw_spectacles = _make_case(4.4, 4, 1.0, "glasses", 1.35, (236, 232, 226))


def draw_folders(pen: Pen) -> None:
    """Draw binders side by side."""
    for number in range(7):
        tone = ((58, 96, 136), (170, 70, 60), (210, 170, 90), (84, 128, 104))[number % 4]
        x = -1.6 + 0.46 * number
        pen.box(tone, x, 0, x + 0.42, 1.5, 0.03)
        pen.box((244, 240, 230), x + 0.09, 0.85, x + 0.33, 1.3)
        pen.oval((230, 230, 230), x + 0.21, 0.35, 0.1)
        pen.oval(darken(tone, 0.5), x + 0.21, 0.35, 0.06)
