"""What bodies are trained with, what is won, and baths. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import INK, STEEL, WHITE, read_paints
from studio.camera.scenes.pen import Pen, darken, lighten, read_tints
from studio.camera.scenes.props.weather import draw_steam

IRON: Colour = (62, 64, 74)
CRIMSON: Colour = (196, 52, 48)
BEECH: Colour = (176, 126, 78)


def draw_dumbbell(pen: Pen) -> None:
    """Draw a dumbbell seen from its side."""
    pen.box(STEEL, -0.3, 0.2, 0.3, 0.34)
    for side in (-1, 1):
        x = side * 0.42
        pen.box(IRON, x - 0.13, 0.0, x + 0.13, 0.54, 0.08)
        pen.box(lighten(IRON, 0.25), x - 0.08, 0.34, x + 0.05, 0.5, 0.05)
        pen.box(darken(IRON, 0.2), x + side * 0.2 - 0.09, 0.07, x + side * 0.2 + 0.09, 0.47, 0.06)


def draw_rack(pen: Pen) -> None:
    """Draw three rows of dumbbells."""
    for x in (-2.2, 2.05):
        pen.poly(IRON, (x, 0), (x + 0.2, 0), (x + 0.1, 3.4), (x - 0.06, 3.4))
    for row, y in enumerate((0.4, 1.45, 2.5)):
        pen.box(darken(IRON, 0.2), -2.2, y - 0.14, 2.2, y)
        pen.box(lighten(IRON, 0.3), -2.2, y - 0.03, 2.2, y + 0.02)
        for number in range(3):
            draw_dumbbell(pen.at(-1.45 + 1.45 * number, y, 1.12 - 0.12 * row))


def draw_punchbag(pen: Pen) -> None:
    """Draw a heavy bag on a chain, that swings."""
    pen.line(STEEL, 0.07, (0, 0.9), (0, 14))
    pen.swing(_draw_bag, (-1.2, -4.3, 1.2, 1.0), 0.045, 2.6)


def _draw_bag(pen: Pen) -> None:
    for number in range(7):
        pen.oval(STEEL, 0, 0.1 + 0.2 * number, 0.06, 0.12)
    for x in (-0.6, 0.6):
        pen.line(STEEL, 0.06, (x, -0.5), (0, 0.1))
    pen.lathe(CRIMSON, (0.72, -4.2), (0.78, -3.9), (0.78, -0.8), (0.7, -0.5))
    for y in (-1.2, -3.5):
        pen.box(INK, -0.78, y - 0.14, 0.78, y + 0.14)
        pen.box(lighten(INK, 0.3), -0.7, y + 0.02, -0.1, y + 0.08)
    pen.oval((240, 234, 226), -0.1, -2.35, 0.4)
    pen.oval(CRIMSON, -0.1, -2.35, 0.28)


def draw_treadmill(pen: Pen) -> None:
    """Draw a running machine from its side."""
    pen.poly(INK, (-1.7, 0.1), (1.5, 0.1), (1.5, 0.42), (-1.7, 0.34))
    pen.line((120, 124, 134), 0.1, (-1.65, 0.4), (1.4, 0.48))
    pen.line(IRON, 0.2, (1.1, 0.3), (1.65, 2.6))
    pen.line(STEEL, 0.12, (1.5, 2.1), (0.5, 1.95))
    pen.poly(INK, (1.3, 2.5), (1.9, 2.7), (2.0, 3.3), (1.35, 3.15))
    screen = lighten(pen.palette.sky[1], 0.3)
    pen.poly(screen, (1.36, 2.62), (1.5, 2.66), (1.55, 3.12), (1.4, 3.08))
    pen.blink(1.45, 2.9, 0.35, (120, 230, 255), 1.1, 0, 0.5, 0.7)


def draw_kettlebell(pen: Pen, colour: Colour = IRON) -> None:
    """Draw a kettlebell."""
    pen.curve(darken(colour, 0.1), 0.24, *trace("-0.5,1.1 -0.62,1.75 0,2.05 0.62,1.75 0.5,1.1"))
    pen.curve(lighten(colour, 0.3), 0.06, (-0.55, 1.3), (-0.6, 1.72), (0, 2.06))
    pen.ball(colour, 0, 0.75, 0.82)
    pen.box(darken(colour, 0.3), -0.5, 0, 0.5, 0.12, 0.05)
    pen.oval(pen.palette.accent, 0.05, 0.7, 0.36)
    pen.oval(darken(colour, 0.2), 0.05, 0.7, 0.27)


def draw_barbell(pen: Pen) -> None:
    """Draw a barbell that lies on the floor."""
    pen.box(STEEL, -3.4, 0.72, 3.4, 0.84)
    plates = (2.1, 0.8, CRIMSON), (2.42, 0.8, IRON), (2.72, 0.55, (206, 170, 60))
    for side in (-1, 1):
        for far, high, tone in plates:
            x = side * far
            pen.box(darken(tone, 0.2), x - 0.15, 0.78 - high, x + 0.15, 0.78 + high, 0.1)
            pen.box(lighten(tone, 0.2), x - 0.11, 0.9, x - 0.02, 0.68 + high, 0.04)


def draw_mat(pen: Pen) -> None:
    """Draw a yoga mat on the floor."""
    tone = mix((130, 110, 180), pen.palette.sky[1], 0.3)
    pen.poly(tone, (-2.0, -0.1), (2.0, -0.1), (2.6, -0.55), (-2.6, -0.55))
    pen.poly(lighten(tone, 0.2), (-2.0, -0.1), (-1.8, -0.1), (-2.34, -0.55), (-2.6, -0.55))


def draw_rolled_mats(pen: Pen) -> None:
    """Draw rolled mats in a basket."""
    for number, tone in enumerate(((130, 110, 180), (96, 160, 150), (220, 140, 120))):
        x = -0.5 + 0.5 * number
        pen.box(tone, x - 0.22, 0.5, x + 0.22, 2.4 - 0.2 * (number % 2), 0.1)
        pen.oval(darken(tone, 0.3), x, 2.35 - 0.2 * (number % 2), 0.22, 0.1)
    pen.poly((190, 150, 106), (-0.85, 0), (0.85, 0), (0.95, 1.2), (-0.95, 1.2))


def draw_exercise_ball(pen: Pen) -> None:
    """Draw a large ball."""
    pen.ball(mix((110, 170, 190), pen.palette.accent, 0.3), 0, 1.1, 1.1)


def draw_stones(pen: Pen) -> None:
    """Draw smooth stones on each other."""
    for (y, wide), tone in read_tints(
        "0.25,0.9 0.68,0.68 1.04,0.48 1.32,0.3", "#606268 #7e7c7c #96928e #b0aaa4"
    ):
        pen.oval(darken(tone, 0.35), 0, y - 0.04, wide, 0.26)
        pen.oval(tone, -0.04, y, wide * 0.94, 0.22)
        pen.oval(lighten(tone, 0.25), -0.2 * wide, y + 0.08, wide * 0.45, 0.08)


def draw_barre(pen: Pen) -> None:
    """Draw a rail of wood along the wall."""
    for x in (-7.5, -4.5, -1.5, 1.5, 4.5, 7.5):
        pen.box(STEEL, x - 0.06, 0, x + 0.06, 2.2)
    pen.box(darken(BEECH, 0.2), -10, 2.1, 10, 2.28)
    pen.box(lighten(BEECH, 0.3), -10, 2.2, 10, 2.28)


def draw_speaker(pen: Pen) -> None:
    """Draw a loudspeaker whose membranes throb with light."""
    pen.box(INK, -0.8, 0, 0.8, 2.6, 0.08)
    for y, r in ((0.85, 0.58), (2.0, 0.34)):
        pen.rings(0, y, (r, (84, 86, 98)), (r * 0.82, (30, 32, 40)), (r * 0.3, (110, 112, 124)))
    pen.blink(0, 0.85, 0.5, pen.palette.accent, 0.5, level=0.35)


def draw_belts(pen: Pen) -> None:
    """Draw belts of all grades on a rail."""
    pen.line(BEECH, 0.14, (-2.6, 0), (2.6, 0))
    tones = read_paints("#f4f2ec #f6ce46 #46965a #3c64b4 #be3232 #222228")
    for number, tone in enumerate(tones):
        x = -2.2 + 0.88 * number
        pen.box(darken(tone, 0.15), x - 0.14, -1.9, x + 0.12, 0.08, 0.03)
        pen.box(tone, x + 0.02, -2.2, x + 0.24, 0.08, 0.03)


def draw_shield(pen: Pen) -> None:
    """Draw a round target to kick at."""
    pen.rings(0, 1.0, (1.0, INK), (0.85, CRIMSON), (0.58, WHITE), (0.32, CRIMSON))


def draw_trophy(pen: Pen) -> None:
    """Draw a golden cup."""
    gold = (226, 176, 74)
    pen.box(INK, -0.4, 0, 0.4, 0.35, 0.04)
    for side in (1, -1):
        pen.at(0, 0, side=side).curve(gold, 0.09, (0.4, 1.5), (0.85, 1.45), (0.7, 1.0), (0.3, 0.95))
    pen.lathe(gold, (0.3, 0.35), (0.1, 0.5), (0.1, 0.75), (0.45, 1.05), (0.55, 1.7))
    pen.oval(lighten(gold, 0.4), 0, 1.7, 0.55, 0.09)
    pen.blink(-0.2, 1.5, 0.35, WHITE, 2.3, level=0.7)


def draw_golf_bag(pen: Pen) -> None:
    """Draw a golf bag with clubs."""
    for number in range(6):
        club = pen.at(-0.35 + 0.14 * number, 2.4, turn=0.2 - 0.08 * number)
        club.line(STEEL, 0.06, (0, 0), (0, 1.4))
        outline = trace("-0.05,1.35 0.35,1.35 0.42,1.62 0.0,1.66")
        club.blob((STEEL, (70, 60, 60))[number % 2], *outline)
    tone = mix((46, 96, 74), pen.palette.ground[0], 0.2)
    pen.lathe(tone, (0.62, 0), (0.7, 2.4))
    pen.box(INK, -0.74, 2.25, 0.74, 2.5, 0.06)
    pen.box((240, 236, 226), -0.6, 0.7, 0.3, 1.6, 0.08)
    pen.line(INK, 0.1, (0.6, 2.2), (1.1, 1.4), (0.62, 0.5))


def draw_golf_ball(pen: Pen) -> None:
    """Draw a golf ball on its tee."""
    pen.poly((226, 178, 110), *trace("-0.28,1.0 0.28,1.0 0.07,0.6 0.05,-0.6 -0.05,-0.6 -0.07,0.6"))
    pen.ball((246, 246, 242), 0, 1.85, 0.95)
    for row in range(-3, 4):
        for column in range(-3, 4):
            x, y = 0.23 * column + 0.12 * (row % 2), 0.22 * row
            if math.hypot(x, y) < 0.8:
                pen.oval((214, 216, 216), x, 1.85 + y, 0.065)


def draw_golf_screen(pen: Pen) -> None:
    """Draw a large screen with a green and its flag."""
    pen.box(INK, -3.6, -0.1, 3.6, 4.4)
    sky = pen.palette.sky
    heaven = lighten(sky[-1], 0.3), lighten((120, 180, 230), 0.1)
    pen.bands(heaven, (-3.45, 1.6, 3.45, 1.84), 0.22, 12)
    outline = trace("-3.45,1.5 -2.2,2.1 -0.6,1.7 0.8,2.2 2.4,1.8 3.45,2.2 3.45,1.2 -3.45,1.2")
    pen.blob((70, 120, 80), *outline)
    pen.box((104, 168, 84), -3.45, 0.05, 3.45, 1.65)
    pen.oval((136, 200, 104), 0.9, 1.0, 1.5, 0.35)
    pen.oval((236, 220, 170), -1.9, 0.8, 0.8, 0.2)
    pen.line(WHITE, 0.05, (1.1, 1.0), (1.1, 2.4))
    pen.poly(CRIMSON, (1.1, 2.4), (1.75, 2.2), (1.1, 2.0))
    pen.glow(0, 2.0, 4.0, 0.45, lighten((150, 200, 230), 0.3))
    pen.blink(1.1, 1.05, 0.4, WHITE, 1.6, level=0.6)


def draw_water(pen: Pen, colour: Colour = (70, 170, 200)) -> None:
    """Draw water from the origin down, with glints that wander."""
    tone = mix(colour, pen.palette.sky[1], 0.3)
    for step in range(30):
        shade = mix(lighten(tone, 0.25), darken(tone, 0.5), step / 30)
        pen.box(shade, -14, -0.3 * (step + 1), 14, -0.3 * step)
    for _ in range(70):
        deep = float(pen.chance.random()) ** 1.4
        x, y = float(pen.chance.uniform(-11, 11)), -0.15 - 6 * deep
        wide = 0.2 + 0.9 * deep
        wave = (x - wide, y), (x - wide / 3, y + 0.06), (x + wide / 3, y - 0.06), (x + wide, y)
        pen.curve(lighten(tone, 0.45), 0.03 + 0.03 * deep, *wave)
    for number in range(9):
        y = -0.5 - 0.37 * ((number * 5) % 9)
        pen.blink(-4 + number, y, 0.5, WHITE, 1.9, number * 0.31, level=0.4, flat=0.3)


def draw_lanes(pen: Pen) -> None:
    """Draw the lanes of a pool."""
    draw_water(pen)
    for x in (-3.6, -1.2, 1.2, 3.6):
        for step in range(18):
            first, last = (step / 18) ** 1.5, ((step + 0.8) / 18) ** 1.5
            tone = (CRIMSON, (240, 240, 236))[step % 2]
            near, far = x * (1 + 1.6 * first), x * (1 + 1.6 * last)
            pen.line(tone, 0.06 + 0.16 * first, (near, -6.5 * first), (far, -6.5 * last))


def draw_float_board(pen: Pen) -> None:
    """Draw a board for swimmers, and goggles."""
    pen.box((246, 190, 60), -0.9, 0, 0.5, 2.6, 0.65)
    pen.box((250, 214, 120), -0.7, 0.2, 0.3, 2.3, 0.5)
    for x in (0.9, 1.75):
        pen.oval(INK, x, 0.35, 0.42, 0.3)
        pen.oval((90, 180, 220), x, 0.36, 0.32, 0.21)
        pen.oval((200, 235, 250), x - 0.08, 0.42, 0.1, 0.05)
    pen.line(INK, 0.06, (1.25, 0.38), (1.4, 0.38))


def draw_bath(pen: Pen) -> None:
    """Draw a hot bath set in stone, steaming."""
    stone = (120, 116, 112)
    pen.box(darken(stone, 0.3), -9, -1.2, 9, 0.5)
    pen.box(stone, -9, 0.3, 9, 0.6, 0.1)
    draw_water(pen.at(0, 0.3, 0.8), (70, 160, 170))
    for x, r in ((-4.2, 0.7), (-3.2, 0.5), (3.4, 0.6), (4.4, 0.8)):
        pen.oval(darken(stone, 0.35), x, 0.35, r, r * 0.7)
        pen.oval(stone, x - 0.06, 0.45, r * 0.85, r * 0.55)
    for x in (-2.4, 0, 2.4):
        draw_steam(pen.at(x, 0.2), 2.0)


def draw_sauna_bucket(pen: Pen) -> None:
    """Draw a bucket of wood with a ladle."""
    pen.line(BEECH, 0.12, (0.3, 0.9), (1.2, 2.2))
    pen.poly(BEECH, (-0.75, 0), (0.75, 0), (0.9, 1.2), (-0.9, 1.2))
    for x in (-0.5, -0.17, 0.17, 0.5):
        pen.line(darken(BEECH, 0.25), 0.03, (x, 0), (x * 1.2, 1.2))
    for y in (0.25, 0.85):
        pen.box(STEEL, -0.8 - 0.12 * (y - 0.25), y, 0.8 + 0.12 * (y - 0.25), y + 0.1)


def draw_towels(pen: Pen) -> None:
    """Draw folded towels."""
    for number, tone in enumerate(read_paints("#faf6f0 #e2beaa #faf6f0 #aac4be")):
        y = 0.36 * number
        pen.box(darken(tone, 0.18), -0.95, y, 0.95, y + 0.34, 0.15)
        pen.box(tone, -0.92, y + 0.06, 0.9, y + 0.34, 0.13)


def draw_lockers(pen: Pen) -> None:
    """Draw a row of lockers."""
    for number in range(5):
        x = -2.5 + number
        tone = mix((120, 160, 170), pen.palette.sky[1], 0.3)
        pen.box(darken(tone, 0.4), x, 0, x + 0.98, 4.4)
        pen.box(tone, x + 0.05, 0.1, x + 0.93, 4.3)
        for y in (3.7, 3.85, 4.0):
            pen.box(darken(tone, 0.35), x + 0.25, y, x + 0.73, y + 0.06)
        pen.box(STEEL, x + 0.75, 2.1, x + 0.85, 2.5)
