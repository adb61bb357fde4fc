"""Cups, glasses, bottles, bowls. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Fall, Steam
from studio.camera.scenes.pen import Pen, dark, pale

GLAZE: Colour = (244, 236, 222)
COFFEE: Colour = (84, 48, 30)
# More of it would cost more than two milliseconds a frame: a share of the shorter side.
WIDEST_STEAM = 0.12


def steam(pen: Pen, wide: float = 1.0) -> None:
    """Steam that rises from the origin."""
    x, y = pen.place(0, 0)
    widest = WIDEST_STEAM * min(pen.canvas) / pen.canvas[0]
    reach = min(pen.share(wide), widest)
    pen.moving.append(Steam(x, y, reach, pen.shape, float(pen.chance.random())))


def cup(pen: Pen, colour: Colour = GLAZE) -> None:
    """A steaming cup of coffee on its saucer."""
    pen.oval(dark(colour, 0.45), 0, 0.02, 1.3, 0.2)
    pen.oval(dark(colour, 0.12), 0, 0.08, 1.3, 0.2)
    pen.oval(dark(colour, 0.3), 0, 0.1, 0.7, 0.1)
    pen.curve(dark(colour, 0.25), 0.14, (0.72, 1.0), (1.16, 1.0), (1.1, 0.5), (0.62, 0.42))
    pen.turned(colour, (0.42, 0.08), (0.56, 0.2), (0.72, 0.6), (0.8, 1.22))
    pen.oval(pale(colour, 0.5), 0, 1.22, 0.8, 0.19)
    pen.oval(dark(colour, 0.35), 0, 1.2, 0.73, 0.15)
    pen.oval(COFFEE, 0, 1.17, 0.7, 0.125)
    pen.oval((206, 160, 112), -0.05, 1.17, 0.44, 0.07)
    pen.oval((244, 222, 188), -0.05, 1.175, 0.22, 0.035)
    steam(pen.at(0, 1.3), 0.85)


def small_cup(pen: Pen) -> None:
    """A cup without steam."""
    tone = (GLAZE, (196, 112, 92), (110, 146, 150))[int(pen.chance.integers(0, 3))]
    pen.curve(dark(tone, 0.25), 0.07, (0.26, 0.42), (0.44, 0.4), (0.4, 0.18), (0.24, 0.14))
    pen.turned(tone, (0.18, 0), (0.26, 0.12), (0.3, 0.5))
    pen.oval(dark(tone, 0.4), 0, 0.5, 0.3, 0.06)


def cups(pen: Pen) -> None:
    """Cups piled on each other."""
    for row, count in enumerate((3, 2, 1)):
        for number in range(count):
            small_cup(pen.at((number - (count - 1) / 2) * 0.66, row * 0.5))


def glass(pen: Pen, drink: Colour = (140, 70, 40), ice: bool = True) -> None:
    """A tall glass with a drink and a straw."""
    pen.line((236, 96, 90), 0.07, (0.1, 0.3), (0.4, 2.1))
    pen.poly(pale(drink, 0.5), (-0.4, 0), (0.4, 0), (0.52, 1.7), (-0.52, 1.7))
    pen.turned(drink, (0.36, 0.06), (0.46, 1.3))
    if ice:
        for x, y, turn in ((-0.16, 1.1, 0.3), (0.15, 1.2, -0.4), (0.02, 0.85, 0.1)):
            pen.at(x, y, turn=turn).box(pale(drink, 0.62), -0.13, -0.13, 0.13, 0.13, 0.03)
    pen.poly(pale(drink, 0.8), (-0.4, 0.2), (-0.33, 0.2), (-0.4, 1.6), (-0.47, 1.6))
    pen.oval(pale(drink, 0.7), 0, 1.7, 0.52, 0.08)


def beer(pen: Pen) -> None:
    """A mug of beer with foam, bubbles rising."""
    gold = (238, 168, 52)
    pen.curve((226, 214, 190), 0.16, (0.6, 1.5), (1.1, 1.4), (1.1, 0.6), (0.6, 0.4))
    pen.box(pale(gold, 0.5), -0.68, 0, 0.68, 1.9, 0.1)
    pen.turned(gold, (0.6, 0.1), (0.6, 1.65))
    for x in (-0.3, 0.0, 0.3):
        pen.box(pale(gold, 0.3), x - 0.03, 0.2, x + 0.03, 1.4)
    for x, y, r in (
        (-0.5, 1.8, 0.26),
        (0, 1.9, 0.34),
        (0.45, 1.8, 0.28),
        (-0.2, 2.05, 0.24),
        (0.25, 2.05, 0.22),
    ):
        pen.ball((252, 246, 230), x, y, r)
    left, top = pen.place(-0.5, 1.5)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(1.0),
            pen.share(1.3) * pen.shape,
            pen.shape,
            pen.share(0.1),
            10,
            -0.4,
            seed,
            level=0.5,
        )
    )


def wine(pen: Pen) -> None:
    """A glass of red wine."""
    pen.oval((210, 214, 224), 0, 0.03, 0.42, 0.07)
    pen.box((210, 214, 224), -0.035, 0, 0.035, 1.0)
    pen.turned((214, 220, 230), (0.05, 0.95), (0.45, 1.3), (0.56, 1.75), (0.46, 2.4))
    pen.turned((130, 24, 48), (0.05, 1.0), (0.42, 1.32), (0.52, 1.72))
    pen.oval((164, 48, 70), 0, 1.72, 0.52, 0.07)


def cocktail(pen: Pen) -> None:
    """A cocktail in a wide glass, with a slice of lemon."""
    pen.oval((210, 214, 224), 0, 0.03, 0.42, 0.07)
    pen.box((210, 214, 224), -0.035, 0, 0.035, 1.2)
    pen.poly((222, 228, 236), (0, 1.1), (-0.85, 2.05), (0.85, 2.05))
    pen.poly(
        between((250, 130, 90), pen.palette.accent, 0.4), (0, 1.18), (-0.72, 1.95), (0.72, 1.95)
    )
    pen.oval((255, 180, 130), 0, 1.95, 0.72, 0.08)
    pen.oval((246, 206, 70), 0.78, 2.12, 0.3)
    pen.oval((255, 240, 160), 0.78, 2.12, 0.2)


def bottle(pen: Pen, colour: Colour | None = None) -> None:
    """A bottle with a label."""
    tones: tuple[Colour, ...] = (
        (52, 92, 62),
        (120, 66, 34),
        (158, 40, 52),
        (200, 160, 90),
        (60, 88, 120),
    )
    tone = colour or tones[int(pen.chance.integers(0, len(tones)))]
    high = float(pen.chance.uniform(0.9, 1.15))
    pen.turned(tone, (0.2, 0), (0.2, 0.58 * high), (0.08, 0.76 * high), (0.08, high))
    pen.box(GLAZE, -0.17, 0.16, 0.17, 0.46)
    pen.box(dark(tone, 0.3), -0.09, high - 0.08, 0.09, high + 0.02)


def jar(pen: Pen, colour: Colour | None = None) -> None:
    """A jar of something, with a lid."""
    tones: tuple[Colour, ...] = (
        (196, 92, 50),
        (210, 170, 70),
        (130, 150, 80),
        (150, 60, 60),
        (230, 210, 170),
    )
    tone = colour or tones[int(pen.chance.integers(0, len(tones)))]
    pen.box((226, 232, 232), -0.3, 0, 0.3, 0.68, 0.1)
    pen.turned(tone, (0.25, 0.04), (0.25, 0.55))
    pen.box((120, 88, 60), -0.27, 0.66, 0.27, 0.78, 0.03)


def vase(pen: Pen, colour: Colour = (110, 140, 160)) -> None:
    """An empty vase."""
    pen.turned(colour, (0.3, 0), (0.5, 0.4), (0.46, 0.8), (0.22, 1.1), (0.3, 1.3))


def bowl(pen: Pen, colour: Colour = (58, 50, 52), soup: Colour = (206, 90, 48)) -> None:
    """A bowl of hot soup with herbs and egg on it."""
    pen.turned(colour, (0.6, 0), (1.1, 0.3), (1.35, 0.95))
    pen.oval(pale(colour, 0.25), 0, 0.95, 1.35, 0.3)
    pen.oval(dark(colour, 0.3), 0, 0.93, 1.24, 0.25)
    pen.oval(soup, 0, 0.91, 1.2, 0.225)
    pen.oval(pale(soup, 0.25), -0.2, 0.95, 0.8, 0.12)
    for number in range(16):
        angle, far = number * 2.4, 0.25 + 0.7 * ((number * 0.618) % 1)
        tone = ((96, 150, 70), (70, 120, 56), (244, 220, 120), (230, 70, 50))[number % 4]
        pen.oval(tone, far * math.cos(angle), 0.93 + 0.17 * far * math.sin(angle), 0.1, 0.04)
    steam(pen.at(0, 1.05), 1.4)
