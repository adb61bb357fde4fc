"""What stands about in a bicycle shop, and a river that one rides along. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.bicycles import INK, STEEL, wheel
from studio.camera.scenes.props.pipes import hammer, pliers, wrench

BOARD: Colour = (186, 146, 102)
WOOD: Colour = (150, 104, 66)
TONES: tuple[Colour, ...] = ((206, 66, 58), (58, 120, 170), (240, 196, 80), (236, 236, 232))


def tool_board(pen: Pen) -> None:
    """A board of holes with tools and a wheel on it."""
    pen.box(dark(BOARD, 0.45), -4.3, -0.05, 4.3, 3.55, 0.06)
    pen.box(BOARD, -4.2, 0.05, 4.2, 3.45)
    for column in range(17):
        for row in range(7):
            pen.oval(dark(BOARD, 0.3), -4.0 + 0.5 * column, 0.25 + 0.5 * row, 0.035)
    for number, tool in enumerate((wrench, pliers, wrench, hammer, wrench, pliers)):
        tool(pen.at(-3.6 + 0.95 * number, 2.6, 0.78 - 0.06 * (number % 3)))
    wheel(pen.at(2.95, 0.75, 0.95), 0, 1.05)


def floor_pump(pen: Pen) -> None:
    """A pump with its gauge and hose."""
    pen.curve(INK, 0.08, (0.25, 0.3), (1.0, 0.15), (1.0, 1.3), (0.45, 1.9), (0.2, 1.4))
    pen.box(INK, -0.6, 0, 0.6, 0.16, 0.06)
    pen.box((206, 66, 58), -0.16, 0.16, 0.16, 2.1, 0.05)
    pen.box(pale((206, 66, 58), 0.35), -0.1, 0.2, -0.04, 2.05)
    pen.line(STEEL, 0.08, (0, 2.1), (0, 2.75))
    pen.box(WOOD, -0.55, 2.7, 0.55, 2.92, 0.1)
    pen.oval(INK, 0, 0.42, 0.26)
    pen.oval(WHITE, 0, 0.42, 0.2)
    pen.line((206, 66, 58), 0.03, (0, 0.42), (0.1, 0.54))


def helmet(pen: Pen, colour: Colour) -> None:
    """A helmet with its vents and strap."""
    pen.curve(INK, 0.05, (-0.45, 0.1), (-0.2, -0.45), (0.1, -0.1))
    pen.blob(
        colour, (-0.78, 0.06), (-0.7, 0.45), (-0.3, 0.74), (0.3, 0.72), (0.72, 0.4), (0.84, 0.08),
        (0.3, 0.0),
    )  # fmt: skip
    pen.blob(pale(colour, 0.3), (-0.6, 0.4), (-0.28, 0.64), (0.2, 0.64), (-0.1, 0.54), (-0.4, 0.42))
    for x in (-0.45, -0.02, 0.4):
        pen.blob(
            dark(colour, 0.6), (x - 0.14, 0.2), (x - 0.02, 0.46), (x + 0.14, 0.44), (x + 0.06, 0.2)
        )
    pen.line(dark(colour, 0.35), 0.06, (-0.74, 0.06), (0.8, 0.08))


def helmets(pen: Pen) -> None:
    """Four helmets on a shelf."""
    pen.box(WOOD, -3.9, -0.18, 3.9, 0, 0.04)
    pen.box(dark(WOOD, 0.35), -3.9, -0.26, 3.9, -0.18)
    for number, tone in enumerate(TONES):
        helmet(pen.at(-2.85 + 1.9 * number, 0.02), tone)


def bench(pen: Pen) -> None:
    """A bench of planks on iron feet."""
    for x in (-1.5, 1.5):
        pen.line(INK, 0.12, (x, 0), (x + 0.05, 1.0))
        pen.curve(INK, 0.12, (x + 0.05, 0.95), (x + 0.1, 1.6), (x + 0.16, 2.0))
    for number in range(3):
        y = 0.95 + 0.02 * number
        pen.box((pale(WOOD, 0.12), WOOD, dark(WOOD, 0.15))[number], -1.9, y - 0.1, 1.9, y)
    for number in range(3):
        y = 1.3 + 0.28 * number
        pen.box(dark(WOOD, 0.2), -1.85, y - 0.02, 1.95, y + 0.2, 0.05)
        pen.box(pale(WOOD, 0.15), -1.85, y + 0.12, 1.95, y + 0.18, 0.03)


def river(pen: Pen) -> None:
    """A river behind a path, on which the sun glitters."""
    deep = between((74, 138, 170), pen.palette.sky[1], 0.35)
    far, near = pale(deep, 0.35), dark(deep, 0.1)
    for band in range(12):
        low = 0.42 + 0.1 * (11 - band)
        pen.box(between(far, near, band / 11), -14, low, 14, low + 0.11)
    for number in range(46):
        x = -10 + 20 * ((number * 0.618) % 1)
        y = 0.5 + 1.08 * ((number * 0.37) % 1)
        wide = 0.25 + 0.5 * ((number * 0.71) % 1)
        pen.line(pale(deep, 0.6), 0.03, (x, y), (x + wide, y))
    for number in range(9):
        x, y = -7 + 14 * ((number * 0.618 + 0.2) % 1), 0.6 + 0.9 * ((number * 0.43) % 1)
        left, top = pen.place(x, y)
        glint = Blink(left, top, pen.share(0.13), pen.shape, WHITE, 1.7 + 0.3 * (number % 4))
        pen.moving.append(glint)
    _bank(pen)


def _bank(pen: Pen) -> None:
    """Grass at the water, and a path of gravel in front of it."""
    grass = between((96, 146, 84), pen.palette.ground[0], 0.2)
    pen.box(grass, -14, 0.2, 14, 0.5)
    _blades(pen, grass, 0.4)
    gravel = between((206, 188, 160), pen.palette.ground[0], 0.2)
    pen.poly(gravel, (-14, 0.25), (14, 0.25), (16, -1.5), (-16, -1.5))
    for number in range(90):
        x, y = -10 + 20 * ((number * 0.618) % 1), 0.15 - 1.5 * ((number * 0.41) % 1)
        pen.oval(dark(gravel, 0.15), x, y, 0.06, 0.02)
    _blades(pen, grass, -1.62)


def _blades(pen: Pen, grass: Colour, y: float) -> None:
    for number in range(130):
        x = -11 + 22 * ((number * 0.618) % 1)
        tall = 0.2 + 0.2 * ((number * 0.37) % 1)
        tone = (grass, pale(grass, 0.2), dark(grass, 0.2))[number % 3]
        pen.line(tone, 0.05, (x, y), (x + 0.08, y + tall))
