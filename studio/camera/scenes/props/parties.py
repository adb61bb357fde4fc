"""Screens, lights and chairs of those who play. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink, Fall
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

INK: Colour = (44, 46, 58)
BRASS: Colour = (216, 176, 96)
TOYS: tuple[Colour, ...] = ((230, 84, 74), (246, 190, 66), (86, 160, 110), (80, 140, 200))


def disco_ball(pen: Pen) -> None:
    """A ball of mirrors that throws lights about."""
    pen.line(INK, 0.05, (0, 0.9), (0, 14))
    pen.ball((150, 160, 184), 0, 0, 1.0)
    for row in range(-4, 5):
        half = math.sqrt(max(0.0, 1 - (row / 4.6) ** 2))
        for column in range(-4, 5):
            tone = (WHITE, pen.palette.accent, pen.palette.sky[-1], (90, 100, 124))[
                int(pen.chance.integers(0, 4))
            ]
            x, y = half * math.sin(column * 0.36), 0.2 * row
            pen.box(tone, x - 0.07 * half - 0.02, y - 0.075, x + 0.07 * half + 0.02, y + 0.075)
    tones = (pen.palette.accent, pen.palette.light, pen.palette.sky[-1])
    for number in range(7):
        left, top = pen.place(4.2 * math.sin(number * 2.1), -1.4 - 3.2 * ((number * 0.618) % 1))
        pen.moving.append(
            Blink(
                left,
                top,
                pen.share(0.55),
                pen.shape,
                tones[number % 3],
                1.4,
                number * 0.23,
                level=0.5,
            )
        )


def song_screen(pen: Pen) -> None:
    """A large screen with rows of a song and a moving light."""
    pen.box(INK, -2.6, -0.1, 2.6, 3.1, 0.1)
    for step in range(10):
        pen.box(
            between(pen.palette.sky[1], pen.palette.sky[0], step / 10),
            -2.45,
            0.05 + 0.29 * step,
            2.45,
            0.36 + 0.29 * step,
        )
    pen.oval(pen.palette.sky[-1], 0.8, 1.9, 0.7)
    for row, (left, right) in enumerate(((-1.6, 1.6), (-1.2, 1.2))):
        pen.box(WHITE, left, 0.8 - 0.4 * row, right, 0.98 - 0.4 * row, 0.06)
    pen.box(pen.palette.accent, -1.6, 0.8, 0.2, 0.98, 0.06)
    pen.glows(0, 1.5, 3.2, 0.5, pen.palette.sky[-1])
    x, y = pen.place(0.2, 0.9)
    pen.moving.append(Blink(x, y, pen.share(0.6), pen.shape, pen.palette.accent, 1.0, level=0.7))


def tambourine(pen: Pen) -> None:
    """A tambourine."""
    pen.oval(pen.palette.accent, 0, 0.8, 0.8)
    pen.oval(dark(pen.palette.ground[1], 0.1), 0, 0.8, 0.62)
    for number in range(8):
        angle = number * math.pi / 4
        pen.oval(BRASS, 0.71 * math.cos(angle), 0.8 + 0.71 * math.sin(angle), 0.13)


def monitor(pen: Pen) -> None:
    """A gamer's screen with a landscape and its own glow."""
    pen.box(INK, -0.15, 0, 0.15, 0.6)
    pen.box(INK, -0.7, 0, 0.7, 0.1, 0.05)
    pen.box(INK, -1.7, 0.45, 1.7, 2.6, 0.08)
    sky = pen.palette.sky
    for step in range(8):
        pen.box(
            between(sky[-1], sky[0], step / 8), -1.6, 0.55 + 0.245 * step, 1.6, 0.81 + 0.245 * step
        )
    pen.poly(
        dark(sky[0], 0.3),
        (-1.6, 0.55),
        (-1.6, 1.1),
        (-0.8, 1.7),
        (-0.2, 1.2),
        (0.5, 1.9),
        (1.2, 1.3),
        (1.6, 1.5),
        (1.6, 0.55),
    )
    pen.oval(pen.palette.light, 0.9, 2.1, 0.2)
    pen.box((80, 220, 140), -1.5, 2.4, -0.6, 2.48)
    pen.glows(0, 1.5, 1.9, 0.5, pen.palette.accent)
    x, y = pen.place(float(pen.chance.uniform(-1, 1)), 1.2)
    pen.moving.append(
        Blink(
            x,
            y,
            pen.share(0.7),
            pen.shape,
            pen.palette.accent,
            0.9,
            float(pen.chance.random()),
            0.5,
            0.7,
        )
    )


def keyboard(pen: Pen) -> None:
    """A keyboard with keys of light, and a mouse."""
    pen.poly(INK, (-2.2, -0.1), (2.2, -0.1), (2.0, 1.0), (-2.0, 1.0))
    tones = (pen.palette.accent, pen.palette.sky[-1], pen.palette.light)
    for row in range(4):
        for column in range(12):
            x = (-1.95 + 0.335 * column) * (1 - 0.022 * row)
            y = 0.02 + 0.24 * row
            glow = tones[(row + column) % 3]
            pen.box(dark(glow, 0.3), x - 0.01, y - 0.02, x + 0.29, y + 0.17, 0.04)
            pen.box((66, 68, 80), x + 0.02, y + 0.02, x + 0.26, y + 0.17, 0.03)
    for number in range(6):
        left, top = pen.place(-1.7 + 0.68 * number, 0.45)
        pen.moving.append(
            Blink(
                left,
                top,
                pen.share(0.55),
                pen.shape * 0.7,
                tones[number % 3],
                1.5,
                number / 6,
                level=0.55,
            )
        )
    pen.blob(INK, (2.6, 0), (2.55, 0.6), (2.9, 0.95), (3.25, 0.6), (3.2, 0))
    pen.line(pen.palette.accent, 0.07, (2.9, 0.5), (2.9, 0.85))
    pen.glows(0, 0.5, 2.6, 0.4, pen.palette.accent)


def headset(pen: Pen) -> None:
    """Headphones with a microphone on a stand."""
    pen.oval(INK, 0, 0.05, 0.6, 0.12)
    pen.box(INK, -0.08, 0, 0.08, 2.6)
    pen.curve(INK, 0.24, (-0.85, 1.3), (-0.85, 2.3), (0, 2.9), (0.85, 2.3), (0.85, 1.3))
    for side in (-1, 1):
        pen.box(dark(INK, 0.2), side * 0.9 - 0.26, 0.75, side * 0.9 + 0.26, 1.6, 0.24)
        pen.box(pen.palette.accent, side * 0.9 - 0.12, 0.95, side * 0.9 + 0.12, 1.4, 0.1)
    pen.curve(INK, 0.08, (-0.9, 0.9), (-0.7, 0.35), (-0.2, 0.3))


def game_chair(pen: Pen) -> None:
    """A gamer's chair from behind."""
    pen.line(INK, 0.14, (-0.9, 0.1), (0, 0.5))
    pen.line(INK, 0.14, (0.9, 0.1), (0, 0.5))
    pen.box(INK, -0.1, 0.2, 0.1, 1.0)
    pen.box(INK, -1.0, 0.9, 1.0, 1.35, 0.18)
    pen.box(INK, -0.95, 1.3, 0.95, 4.0, 0.45)
    for side in (-1, 1):
        pen.box(pen.palette.accent, side * 0.72 - 0.12, 1.6, side * 0.72 + 0.12, 3.5, 0.1)
        pen.box(INK, side * 1.15 - 0.14, 1.2, side * 1.15 + 0.14, 2.0, 0.1)
    pen.box(pale(INK, 0.15), -0.45, 3.0, 0.45, 3.7, 0.2)


def confetti(pen: Pen) -> None:
    """Scraps of colour that drift down."""
    for number, tone in enumerate((*TOYS, pen.palette.accent)):
        left, top = pen.place(-4.5, 7)
        seed = int(pen.chance.integers(1 << 30)) + number
        pen.moving.append(
            Fall(
                left,
                top,
                pen.share(9),
                pen.share(7) * pen.shape,
                pen.shape,
                pen.share(0.14),
                4,
                0.13,
                seed,
                0.7,
                pen.share(0.4),
                tone,
                0.9,
            )
        )
