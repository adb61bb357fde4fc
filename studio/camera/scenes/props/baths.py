"""Water, baths and what belongs to them. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.vessels import steam

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
RED: Colour = (196, 52, 48)
WOOD: Colour = (176, 126, 78)


def water(pen: Pen, colour: Colour = (70, 170, 200)) -> None:
    """Water from the origin down, with glints that wander."""
    tone = between(colour, pen.palette.sky[1], 0.3)
    for step in range(30):
        pen.box(
            between(pale(tone, 0.25), dark(tone, 0.5), step / 30),
            -14,
            -0.3 * (step + 1),
            14,
            -0.3 * step,
        )
    for _ in range(70):
        deep = float(pen.chance.random()) ** 1.4
        x, y = float(pen.chance.uniform(-11, 11)), -0.15 - 6 * deep
        wide = 0.2 + 0.9 * deep
        pen.curve(
            pale(tone, 0.45),
            0.03 + 0.03 * deep,
            (x - wide, y),
            (x - wide / 3, y + 0.06),
            (x + wide / 3, y - 0.06),
            (x + wide, y),
        )
    for number in range(9):
        x, y = pen.place(-4 + number, -0.5 - 0.37 * ((number * 5) % 9))
        pen.moving.append(
            Blink(x, y, pen.share(0.5), pen.shape * 0.3, WHITE, 1.9, number * 0.31, level=0.4)
        )


def lanes(pen: Pen) -> None:
    """The lanes of a pool."""
    water(pen)
    for x in (-3.6, -1.2, 1.2, 3.6):
        for step in range(18):
            first, last = (step / 18) ** 1.5, ((step + 0.8) / 18) ** 1.5
            tone = (RED, (240, 240, 236))[step % 2]
            near, far = x * (1 + 1.6 * first), x * (1 + 1.6 * last)
            pen.line(tone, 0.06 + 0.16 * first, (near, -6.5 * first), (far, -6.5 * last))


def float_board(pen: Pen) -> None:
    """A board for swimmers, and goggles."""
    pen.box((246, 190, 60), -0.9, 0, 0.5, 2.6, 0.65)
    pen.box((250, 214, 120), -0.7, 0.2, 0.3, 2.3, 0.5)
    for x in (0.9, 1.75):
        pen.oval(INK, x, 0.35, 0.42, 0.3)
        pen.oval((90, 180, 220), x, 0.36, 0.32, 0.21)
        pen.oval((200, 235, 250), x - 0.08, 0.42, 0.1, 0.05)
    pen.line(INK, 0.06, (1.25, 0.38), (1.4, 0.38))


def bath(pen: Pen) -> None:
    """A hot bath set in stone, steaming."""
    stone = (120, 116, 112)
    pen.box(dark(stone, 0.3), -9, -1.2, 9, 0.5)
    pen.box(stone, -9, 0.3, 9, 0.6, 0.1)
    water(pen.at(0, 0.3, 0.8), (70, 160, 170))
    for x, r in ((-4.2, 0.7), (-3.2, 0.5), (3.4, 0.6), (4.4, 0.8)):
        pen.oval(dark(stone, 0.35), x, 0.35, r, r * 0.7)
        pen.oval(stone, x - 0.06, 0.45, r * 0.85, r * 0.55)
    for x in (-2.4, 0, 2.4):
        steam(pen.at(x, 0.2), 2.0)


def sauna_bucket(pen: Pen) -> None:
    """A bucket of wood with a ladle."""
    pen.line(WOOD, 0.12, (0.3, 0.9), (1.2, 2.2))
    pen.poly(WOOD, (-0.75, 0), (0.75, 0), (0.9, 1.2), (-0.9, 1.2))
    for x in (-0.5, -0.17, 0.17, 0.5):
        pen.line(dark(WOOD, 0.25), 0.03, (x, 0), (x * 1.2, 1.2))
    for y in (0.25, 0.85):
        pen.box(STEEL, -0.8 - 0.12 * (y - 0.25), y, 0.8 + 0.12 * (y - 0.25), y + 0.1)


def towels(pen: Pen) -> None:
    """Folded towels."""
    for number, tone in enumerate(
        ((250, 246, 240), (226, 190, 170), (250, 246, 240), (170, 196, 190))
    ):
        y = 0.36 * number
        pen.box(dark(tone, 0.18), -0.95, y, 0.95, y + 0.34, 0.15)
        pen.box(tone, -0.92, y + 0.06, 0.9, y + 0.34, 0.13)


def lockers(pen: Pen) -> None:
    """A row of lockers."""
    for number in range(5):
        x = -2.5 + number
        tone = between((120, 160, 170), pen.palette.sky[1], 0.3)
        pen.box(dark(tone, 0.4), x, 0, x + 0.98, 4.4)
        pen.box(tone, x + 0.05, 0.1, x + 0.93, 4.3)
        for y in (3.7, 3.85, 4.0):
            pen.box(dark(tone, 0.35), x + 0.25, y, x + 0.73, y + 0.06)
        pen.box(STEEL, x + 0.75, 2.1, x + 0.85, 2.5)
