"""What shops sell, and cases full of it. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.cases import Prop, filled_shelf
from studio.camera.scenes.props.vessels import bottle, jar

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)
WOOD: Colour = (146, 98, 62)
SHOWN: tuple[Colour, ...] = (
    (206, 84, 72),
    (74, 124, 160),
    (226, 178, 84),
    (110, 152, 116),
    (236, 228, 214),
    (120, 96, 140),
)


def one_of(pen: Pen, tones: tuple[Colour, ...] = SHOWN) -> Colour:
    """A colour by chance."""
    return tones[int(pen.chance.integers(0, len(tones)))]


def packet(pen: Pen) -> None:
    """A packet of something."""
    tone, high = one_of(pen), float(pen.chance.uniform(0.5, 0.85))
    pen.box(tone, -0.26, 0, 0.26, high, 0.04)
    pen.box(pale(tone, 0.6), -0.17, high * 0.4, 0.17, high * 0.75)
    pen.box(dark(tone, 0.25), 0.18, 0, 0.26, high, 0.03)


def tin(pen: Pen) -> None:
    """A tin."""
    tone = one_of(pen)
    pen.turned(tone, (0.22, 0), (0.22, 0.6))
    pen.box(STEEL, -0.22, 0.56, 0.22, 0.64, 0.03)


def pills(pen: Pen) -> None:
    """A box of medicine with a green mark."""
    tone = one_of(pen, ((250, 250, 248), (222, 238, 246), (250, 240, 226)))
    high = float(pen.chance.uniform(0.4, 0.7))
    stripe = one_of(pen, ((70, 170, 120), (80, 130, 200), (226, 100, 90)))
    pen.box(tone, -0.28, 0, 0.28, high, 0.02)
    pen.box(stripe, -0.28, high * 0.2, 0.28, high * 0.45)
    pen.box(dark(tone, 0.15), 0.2, 0, 0.28, high)


def phone_case(pen: Pen) -> None:
    """A telephone's case."""
    tone = one_of(pen)
    pen.box(tone, -0.2, 0, 0.2, 0.8, 0.08)
    pen.box(INK, -0.15, 0.52, 0.02, 0.74, 0.05)


def shoes(pen: Pen) -> None:
    """A pair of shoes."""
    tone = one_of(pen)
    for x in (-0.3, 0.22):
        pen.blob(
            tone,
            (x - 0.22, 0.04),
            (x - 0.24, 0.34),
            (x - 0.02, 0.3),
            (x + 0.34, 0.16),
            (x + 0.36, 0.04),
        )
        pen.box(WHITE, x - 0.24, 0, x + 0.36, 0.07, 0.03)


def folded(pen: Pen) -> None:
    """Folded shirts."""
    for row in range(3):
        pen.box(one_of(pen), -0.4, 0.18 * row, 0.4, 0.18 * row + 0.17, 0.06)


def polish(pen: Pen) -> None:
    """A bottle of nail polish."""
    tone = one_of(
        pen,
        (
            (226, 80, 110),
            (244, 160, 170),
            (196, 60, 70),
            (150, 110, 180),
            (250, 206, 190),
            (90, 150, 170),
        ),
    )
    pen.turned(tone, (0.2, 0), (0.24, 0.2), (0.2, 0.42))
    pen.box(INK, -0.08, 0.42, 0.08, 0.86, 0.05)
    pen.oval(pale(tone, 0.6), -0.09, 0.24, 0.05, 0.1)


def glasses(pen: Pen, colour: Colour | None = None) -> None:
    """A pair of glasses from the front."""
    tone = colour or one_of(pen, ((44, 46, 58), (130, 80, 50), (190, 140, 70), (150, 50, 60)))
    for x in (-0.42, 0.42):
        pen.oval(tone, x, 0.3, 0.36, 0.3)
        pen.oval(between((214, 230, 240), pen.palette.sky[-1], 0.3), x, 0.3, 0.29, 0.23)
        pen.poly(WHITE, (x - 0.16, 0.16), (x - 0.08, 0.14), (x + 0.1, 0.46), (x + 0.02, 0.48))
    pen.curve(tone, 0.07, (-0.1, 0.36), (0, 0.42), (0.1, 0.36))


def _case(
    wide: float, rows: int, step: float, things: tuple[Prop, ...], gap: float, colour: Colour = WOOD
) -> Prop:
    def case(pen: Pen) -> None:
        filled_shelf(pen, wide, rows, step, things, gap, colour)

    case.__name__ = things[0].__name__
    return case


def fridge(pen: Pen) -> None:
    """A cold case with glass doors and drinks."""
    pen.box(INK, -2.3, 0, 2.3, 5.0, 0.08)
    pen.box((220, 236, 244), -2.2, 0.5, 2.2, 4.6)
    for row in range(4):
        y = 0.55 + 1.02 * row
        for number in range(10):
            tone = SHOWN[int(pen.chance.integers(0, len(SHOWN)))]
            pen.at(-1.95 + 0.43 * number, y).turned(
                tone, (0.15, 0), (0.15, 0.5), (0.06, 0.66), (0.06, 0.76)
            )
        pen.box((180, 196, 206), -2.2, y - 0.08, 2.2, y)
    for x in (-2.3, -0.06, 2.18):
        pen.box((206, 212, 218), x, 0.4, x + 0.12, 4.7)
    pen.poly(pale((200, 220, 232), 0.3), (-1.6, 0.6), (-1.5, 0.6), (-0.6, 4.5), (-0.7, 4.5))
    pen.box(pale((90, 190, 230), 0.4), -2.2, 4.7, 2.2, 4.94)
    pen.glows(0, 2.5, 3.0, 0.5, (214, 238, 250))


def register(pen: Pen) -> None:
    """A till with a screen."""
    pen.box(INK, -0.9, 0, 0.9, 0.6, 0.08)
    pen.box(STEEL, -0.75, 0.22, 0.75, 0.28)
    pen.box(INK, -0.1, 0.6, 0.1, 1.0)
    pen.poly(INK, (-0.9, 0.95), (0.9, 0.95), (0.82, 2.1), (-0.82, 2.1))
    pen.poly(pale(pen.palette.sky[1], 0.35), (-0.78, 1.05), (0.78, 1.05), (0.72, 2.0), (-0.72, 2.0))
    for row in range(3):
        for column in range(3):
            pen.box(
                WHITE,
                -0.6 + 0.42 * column,
                1.15 + 0.27 * row,
                -0.28 + 0.42 * column,
                1.33 + 0.27 * row,
                0.03,
            )


def clothes_rail(pen: Pen) -> None:
    """Clothes on a rail."""
    for x in (-2.2, 2.2):
        pen.line(STEEL, 0.1, (x, 0), (x, 4.0))
    pen.line(STEEL, 0.1, (-2.2, 4.0), (2.2, 4.0))
    for number in range(8):
        x = -1.75 + 0.5 * number
        tone = SHOWN[(number * 3) % len(SHOWN)]
        long = 2.0 + 0.6 * ((number * 0.618) % 1)
        pen.curve(STEEL, 0.04, (x, 4.05), (x + 0.06, 3.9), (x, 3.8))
        pen.poly(
            dark(tone, 0.2),
            (x, 3.8),
            (x - 0.34, 3.55),
            (x - 0.4, 3.8 - long),
            (x + 0.4, 3.8 - long),
            (x + 0.34, 3.55),
        )
        pen.poly(
            tone,
            (x, 3.8),
            (x - 0.34, 3.55),
            (x - 0.4, 3.8 - long),
            (x + 0.18, 3.8 - long),
            (x + 0.12, 3.6),
        )


groceries = _case(4.2, 4, 1.15, (packet, tin, jar, bottle), 0.56)
medicines = _case(4.2, 5, 1.0, (pills, pills, bottle, jar), 0.6, (226, 228, 226))
spirits = _case(4.6, 4, 1.3, (bottle,), 0.46, (70, 48, 40))
jars = _case(4.2, 4, 1.1, (jar,), 0.66)
cases = _case(4.0, 4, 1.1, (phone_case,), 0.5, (214, 216, 222))
shoe_shelf = _case(3.6, 4, 0.95, (shoes, folded), 1.05)
polishes = _case(3.6, 5, 1.05, (polish,), 0.5, (244, 232, 230))
spectacles = _case(4.4, 4, 1.0, (glasses,), 1.35, (236, 232, 226))
