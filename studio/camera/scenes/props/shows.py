"""Musical instruments, and what players and photographers have. Pure."""

import math

from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.paints import CHERRY, GOLD, INK, STEEL, WHITE
from studio.camera.scenes.pen import Pen, darken, lighten


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
    draw_notes(pen.at(1.7, 4.4))


def draw_notes(pen: Pen) -> None:
    """Draw notes that float up, as lights."""
    for number, (x, y) in enumerate(((0, 0), (0.8, 0.7), (-0.6, 1.1))):
        note = pen.at(x, y, 0.8 + 0.2 * (number % 2), turn=-0.15)
        note.oval(pen.palette.accent, 0, 0, 0.2, 0.15)
        note.line(pen.palette.accent, 0.06, (0.17, 0), (0.17, 0.75))
        note.curve(pen.palette.accent, 0.09, (0.17, 0.75), (0.34, 0.6), (0.42, 0.4))
        pen.blink(x, y, 0.55, lighten(pen.palette.accent, 0.4), 2.2, number / 3, level=0.5)


def draw_guitar(pen: Pen) -> None:
    """Draw a guitar that leans on its stand."""
    tone = (206, 132, 62)
    pen.line(INK, 0.1, (-0.7, 0), (0, 1.2))
    pen.line(INK, 0.1, (0.7, 0), (0, 1.2))
    body = pen.at(0, 0.4, turn=0.06)
    outline = trace(
        "-0.98,0.5 -0.85,1.25 -0.62,1.6 -0.72,2.1 0,2.5 0.72,2.1 0.62,1.6 0.85,1.25 0.98,0.5 0,-0.1"
    )
    body.blob(darken(tone, 0.35), *outline)
    outline = trace(
        "-0.88,0.55 -0.78,1.2 -0.55,1.6 -0.64,2.05 0,2.4 0.6,2.05 0.52,1.6 0.72,1.2 0.8,0.5 0,0.02"
    )
    body.blob(tone, *outline)
    body.oval(darken(CHERRY, 0.6), 0, 1.35, 0.34)
    body.box(darken(CHERRY, 0.4), -0.4, 0.5, 0.4, 0.64, 0.04)
    body.box(darken(CHERRY, 0.2), -0.13, 1.7, 0.13, 4.4)
    body.box(darken(CHERRY, 0.4), -0.2, 4.3, 0.2, 5.0, 0.06)
    for string in range(4):
        x = -0.08 + 0.053 * string
        body.line((240, 232, 216), 0.015, (x, 0.57), (x, 4.6))
    for y in (2.6, 3.0, 3.4, 3.8):
        body.line(STEEL, 0.02, (-0.13, y), (0.13, y))


def draw_drums(pen: Pen) -> None:
    """Draw a set of drums with cymbals that gleam."""
    red = mix((190, 50, 60), pen.palette.sky[1], 0.15)
    for x, y in ((-2.2, 3.4), (2.2, 3.5)):
        pen.line(STEEL, 0.07, (x * 0.9, 0), (x, y))
        pen.oval(GOLD, x, y, 0.95, 0.14)
        pen.oval(lighten(GOLD, 0.5), x - 0.2, y + 0.03, 0.45, 0.05)
        pen.blink(x, y, 0.8, WHITE, 1.0, x, level=0.5, flat=0.4)
    for x in (-0.75, 0.75):
        drum = pen.at(x, 2.0)
        drum.lathe(red, (0.65, 0), (0.65, 0.8))
        drum.oval((246, 242, 234), 0, 0.8, 0.65, 0.16)
    for x in (-1.9, 1.9):
        drum = pen.at(x, 0.9)
        drum.lathe(red, (0.7, 0), (0.7, 0.9))
        drum.oval((246, 242, 234), 0, 0.9, 0.7, 0.16)
        drum.line(STEEL, 0.06, (0, 0), (0, -0.9))
    skin = (246, 242, 234)
    pen.rings(0, 1.1, (1.15, STEEL), (1.08, red), (0.95, skin), (0.4, lighten(red, 0.2)))


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


def draw_stand_microphone(pen: Pen) -> None:
    """Draw a microphone on a stand."""
    pen.oval(INK, 0, 0.05, 0.7, 0.12)
    pen.line(INK, 0.08, (0, 0), (0, 3.6))
    draw_microphone(pen.at(0.1, 3.8, 0.28))


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


def draw_song_screen(pen: Pen) -> None:
    """Draw a large screen with rows of a song and a moving light."""
    pen.box(INK, -2.6, -0.1, 2.6, 3.1, 0.1)
    pen.bands((pen.palette.sky[1], pen.palette.sky[0]), (-2.45, 0.05, 2.45, 0.36), 0.29, 10)
    pen.oval(pen.palette.sky[-1], 0.8, 1.9, 0.7)
    for row, (left, right) in enumerate(((-1.6, 1.6), (-1.2, 1.2))):
        pen.box(WHITE, left, 0.8 - 0.4 * row, right, 0.98 - 0.4 * row, 0.06)
    pen.box(pen.palette.accent, -1.6, 0.8, 0.2, 0.98, 0.06)
    pen.glow(0, 1.5, 3.2, 0.5, pen.palette.sky[-1])
    pen.blink(0.2, 0.9, 0.6, pen.palette.accent, 1.0, level=0.7)


def draw_tambourine(pen: Pen) -> None:
    """Draw a tambourine."""
    pen.oval(pen.palette.accent, 0, 0.8, 0.8)
    pen.oval(darken(pen.palette.ground[1], 0.1), 0, 0.8, 0.62)
    for number in range(8):
        angle = number * math.pi / 4
        pen.oval(GOLD, 0.71 * math.cos(angle), 0.8 + 0.71 * math.sin(angle), 0.13)


def draw_monitor(pen: Pen) -> None:
    """Draw a gamer's screen with a landscape and its own glow."""
    pen.box(INK, -0.15, 0, 0.15, 0.6)
    pen.box(INK, -0.7, 0, 0.7, 0.1, 0.05)
    pen.box(INK, -1.7, 0.45, 1.7, 2.6, 0.08)
    sky = pen.palette.sky
    pen.bands((sky[-1], sky[0]), (-1.6, 0.55, 1.6, 0.81), 0.245, 8)
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


def draw_headset(pen: Pen) -> None:
    """Draw headphones with a microphone on a stand."""
    pen.oval(INK, 0, 0.05, 0.6, 0.12)
    pen.box(INK, -0.08, 0, 0.08, 2.6)
    pen.curve(INK, 0.24, (-0.85, 1.3), (-0.85, 2.3), (0, 2.9), (0.85, 2.3), (0.85, 1.3))
    for side in (-1, 1):
        pen.box(darken(INK, 0.2), side * 0.9 - 0.26, 0.75, side * 0.9 + 0.26, 1.6, 0.24)
        pen.box(pen.palette.accent, side * 0.9 - 0.12, 0.95, side * 0.9 + 0.12, 1.4, 0.1)
    pen.curve(INK, 0.08, (-0.9, 0.9), (-0.7, 0.35), (-0.2, 0.3))


def draw_game_chair(pen: Pen) -> None:
    """Draw a gamer's chair from behind."""
    pen.line(INK, 0.14, (-0.9, 0.1), (0, 0.5))
    pen.line(INK, 0.14, (0.9, 0.1), (0, 0.5))
    pen.box(INK, -0.1, 0.2, 0.1, 1.0)
    pen.box(INK, -1.0, 0.9, 1.0, 1.35, 0.18)
    pen.box(INK, -0.95, 1.3, 0.95, 4.0, 0.45)
    for side in (-1, 1):
        pen.box(pen.palette.accent, side * 0.72 - 0.12, 1.6, side * 0.72 + 0.12, 3.5, 0.1)
        pen.box(INK, side * 1.15 - 0.14, 1.2, side * 1.15 + 0.14, 2.0, 0.1)
    pen.box(lighten(INK, 0.15), -0.45, 3.0, 0.45, 3.7, 0.2)


def draw_camera(pen: Pen) -> None:
    """Draw a camera, its lens towards you."""
    pen.box(INK, -1.4, 0, 1.4, 1.7, 0.2)
    pen.box((110, 72, 56), -1.38, 0.35, 1.38, 1.15)
    pen.box(STEEL, -1.4, 1.2, 1.4, 1.6, 0.14)
    pen.poly(STEEL, (-0.6, 1.55), (0.6, 1.55), (0.45, 2.05), (-0.45, 2.05))
    pen.box(INK, -1.15, 1.6, -0.75, 1.82, 0.06)
    glass = mix((60, 60, 130), pen.palette.sky[1], 0.5)
    pen.rings(0, 0.85, (0.82, INK), (0.7, (90, 92, 104)), (0.58, (26, 28, 40)), (0.4, glass))
    pen.oval(WHITE, -0.18, 1.05, 0.12, 0.09)
    pen.blink(-0.18, 1.05, 0.5, WHITE, 2.4, level=0.7)


def draw_tripod(pen: Pen) -> None:
    """Draw a camera on its tripod."""
    for x in (-1.0, 0.1, 1.0):
        pen.line(INK, 0.1, (x, 0), (0, 2.4))
    pen.box(INK, -0.2, 2.2, 0.2, 2.6)
    draw_camera(pen.at(0, 2.6, 0.62))


def draw_softbox(pen: Pen) -> None:
    """Draw a studio lamp that flashes."""
    for x in (-0.8, 0.8):
        pen.line(INK, 0.08, (x, 0), (0, 1.6))
    pen.line(INK, 0.09, (0, 1.2), (0, 3.6))
    pen.poly(INK, (-1.1, 3.2), (0.9, 2.9), (1.1, 5.0), (-0.9, 5.3))
    pen.poly((255, 250, 236), (-0.96, 3.32), (0.8, 3.06), (0.98, 4.9), (-0.78, 5.16))
    pen.glow(0, 4.1, 2.6, 0.6, (255, 248, 230))
    pen.blink(0, 4.1, 1.6, WHITE, 3.0, 0.1, 0.12, 0.8)


def draw_backdrop(pen: Pen) -> None:
    """Draw a roll of paper that hangs down to the floor, with a stool before it."""
    tone = mix((190, 196, 206), pen.palette.sky[-1], 0.4)
    pen.line(INK, 0.14, (-2.5, 5.6), (2.5, 5.6))
    pen.poly(tone, (-2.2, 5.6), (2.2, 5.6), (2.2, 0.2), (2.8, -1.0), (-2.8, -1.0), (-2.2, 0.2))
    pen.poly(lighten(tone, 0.25), (-1.2, 5.6), (0.4, 5.6), (0.6, 0.2), (-1.4, 0.2))
    pen.glow(0, 3.0, 2.8, 0.5)
