"""Tables, chairs, beds, lamps that stand. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.pen import WHITE, Pen, dark, pale

WOOD: Colour = (146, 98, 62)
INK: Colour = (44, 46, 58)
STEEL: Colour = (176, 184, 194)
BRASS: Colour = (206, 164, 92)


def desk(pen: Pen, wide: float = 4.4, colour: Colour = WOOD) -> None:
    """A desk with drawers, its top 1.9 above the origin."""
    pen.box(dark(colour, 0.5), -wide / 2 + 0.2, 0, wide / 2 - 0.2, 1.75)
    for x in (-wide / 2 + 0.15, wide / 2 - 1.45):
        pen.box(dark(colour, 0.12), x, 0, x + 1.3, 1.75)
        for y in (0.12, 0.66, 1.2):
            pen.box(dark(colour, 0.25), x + 0.1, y, x + 1.2, y + 0.46)
            pen.box(colour, x + 0.12, y + 0.03, x + 1.2, y + 0.46)
            pen.box(BRASS, x + 0.52, y + 0.2, x + 0.78, y + 0.26)
    pen.box(dark(colour, 0.6), -wide / 2, 1.66, wide / 2, 1.75)
    pen.box(pale(colour, 0.18), -wide / 2 - 0.12, 1.72, wide / 2 + 0.12, 1.92)


def table(pen: Pen, wide: float = 3.4, high: float = 1.7, colour: Colour = WOOD) -> None:
    """A table on four legs, `high` above the origin."""
    for x in (-wide / 2 + 0.15, wide / 2 - 0.33):
        pen.poly(dark(colour, 0.35), (x, high), (x + 0.18, high), (x + 0.15, 0), (x + 0.03, 0))
    pen.box(dark(colour, 0.3), -wide / 2 + 0.1, high - 0.3, wide / 2 - 0.1, high - 0.1)
    pen.box(pale(colour, 0.15), -wide / 2, high - 0.12, wide / 2, high + 0.06, 0.05)


def round_table(pen: Pen, colour: Colour = WOOD) -> None:
    """A small round table on one foot, 1.7 high."""
    pen.oval(dark(INK, 0.1), 0, 0.05, 0.75, 0.12)
    pen.box(INK, -0.09, 0, 0.09, 1.6)
    pen.oval(dark(colour, 0.4), 0, 1.62, 1.35, 0.2)
    pen.oval(pale(colour, 0.15), 0, 1.7, 1.35, 0.2)


def chair(pen: Pen, colour: Colour = WOOD) -> None:
    """A chair from the side, that looks to the right."""
    for x in (-0.48, 0.42):
        pen.line(dark(colour, 0.25), 0.11, (x, 0), (x, 1.1))
    pen.box(colour, -0.6, 1.02, 0.6, 1.2, 0.08)
    pen.line(colour, 0.13, (-0.52, 1.1), (-0.68, 2.6))
    pen.box(pale(colour, 0.12), -0.84, 1.85, -0.5, 2.65, 0.1)


def stool(pen: Pen, colour: Colour = (190, 74, 60)) -> None:
    """A high stool with a round seat."""
    for x in (-0.35, 0.35):
        pen.line(INK, 0.08, (x * 0.6, 1.5), (x, 0))
    pen.line(INK, 0.05, (-0.3, 0.5), (0.3, 0.5))
    pen.box(dark(colour, 0.3), -0.48, 1.45, 0.48, 1.58, 0.08)
    pen.box(colour, -0.5, 1.52, 0.5, 1.74, 0.1)


def armchair(pen: Pen, colour: Colour = (120, 146, 128)) -> None:
    """A soft armchair."""
    for x in (-1.05, 0.95):
        pen.box(dark(WOOD, 0.4), x, 0, x + 0.12, 0.4)
    pen.box(colour, -1.0, 0.5, 1.0, 3.0, 0.5)
    pen.box(dark(colour, 0.12), -0.85, 1.25, 0.85, 2.8, 0.35)
    pen.box(dark(colour, 0.22), -1.0, 0.35, 1.0, 1.25, 0.15)
    pen.box(pale(colour, 0.15), -0.92, 0.95, 0.92, 1.4, 0.2)
    for x in (-1.4, 0.92):
        pen.box(dark(colour, 0.05), x, 0.35, x + 0.48, 1.85, 0.24)


def sofa(pen: Pen, colour: Colour = (108, 124, 150)) -> None:
    """A sofa for three with cushions."""
    for x in (-2.2, 2.1):
        pen.box(dark(WOOD, 0.4), x, 0, x + 0.12, 0.4)
    pen.box(dark(colour, 0.1), -2.2, 0.4, 2.2, 2.4, 0.35)
    for x in (-2.0, -0.65, 0.7):
        pen.box(colour, x, 1.0, x + 1.3, 2.25, 0.25)
    pen.box(dark(colour, 0.25), -2.2, 0.3, 2.2, 1.05, 0.15)
    for x in (-2.0, 0.03):
        pen.box(pale(colour, 0.12), x, 0.75, x + 1.96, 1.15, 0.18)
    for x in (-2.55, 2.05):
        pen.box(dark(colour, 0.05), x, 0.3, x + 0.5, 1.65, 0.24)
    pen.box(pen.palette.accent, -1.9, 1.05, -1.0, 1.95, 0.2)
    pen.box(pen.palette.sky[1], 1.1, 1.05, 1.95, 1.9, 0.2)


def bed(pen: Pen, cover: Colour = (120, 150, 176)) -> None:
    """A made bed from its side."""
    pen.box(dark(WOOD, 0.1), -2.9, 0, -2.6, 2.6, 0.1)
    pen.box(dark(WOOD, 0.2), -2.8, 0.3, 2.8, 0.75)
    pen.box(dark(WOOD, 0.3), 2.55, 0, 2.75, 1.2)
    pen.box(WHITE, -2.6, 0.7, 2.6, 1.3, 0.18)
    pen.box(dark(cover, 0.15), -1.1, 0.5, 2.65, 1.42, 0.16)
    pen.box(cover, -1.1, 0.95, 2.65, 1.45, 0.2)
    pen.box(pale(cover, 0.4), -1.25, 0.55, -0.6, 1.48, 0.15)
    pen.blob(WHITE, (-2.5, 1.3), (-2.4, 1.9), (-1.8, 2.0), (-1.4, 1.7), (-1.5, 1.3))
    pen.blob((226, 230, 236), (-2.4, 1.3), (-2.3, 1.6), (-1.8, 1.65), (-1.5, 1.35))


def desk_lamp(pen: Pen, colour: Colour = (44, 104, 82)) -> None:
    """A banker's lamp that shines on the desk."""
    pen.oval(BRASS, 0, 0.06, 0.42, 0.1)
    pen.line(BRASS, 0.08, (0, 0.1), (0, 1.1))
    pen.poly(pale((255, 226, 160), 0.4), (-0.72, 1.02), (0.72, 1.02), (0.6, 0.94), (-0.6, 0.94))
    pen.box(colour, -0.76, 1.02, 0.76, 1.4, 0.18)
    pen.box(pale(colour, 0.35), -0.66, 1.26, 0.6, 1.34, 0.04)
    pen.glows(0, 0.6, 1.9, 0.7, (255, 214, 150))


def arm_lamp(pen: Pen, colour: Colour = INK) -> None:
    """A lamp with a bent arm, that shines to the right."""
    pen.oval(colour, 0, 0.05, 0.38, 0.09)
    pen.line(colour, 0.08, (0, 0.1), (-0.4, 1.2), (0.5, 2.1))
    pen.poly(colour, (0.3, 2.2), (0.6, 2.35), (1.15, 1.75), (0.55, 1.5))
    pen.oval((255, 240, 200), 0.85, 1.62, 0.3, 0.1)
    pen.glows(1.0, 0.8, 1.9, 0.7, (255, 222, 160))


def floor_lamp(pen: Pen) -> None:
    """A lamp on a tall foot."""
    pen.oval(INK, 0, 0.05, 0.5, 0.1)
    pen.line(INK, 0.07, (0, 0), (0, 3.6))
    pen.poly((255, 232, 190), (-0.42, 4.4), (0.42, 4.4), (0.75, 3.3), (-0.75, 3.3))
    pen.glows(0, 3.5, 2.6, 0.55, (255, 214, 150))


def papers(pen: Pen) -> None:
    """A pile of papers, and a pen on it."""
    for sheet in range(4):
        off = 0.05 * (sheet % 2)
        pen.poly(
            (246 - 6 * sheet, 242 - 6 * sheet, 232 - 6 * sheet),
            (-0.8 + off, 0.05 * sheet),
            (0.7 + off, 0.05 * sheet),
            (0.82 + off, 0.05 * sheet + 0.12),
            (-0.65 + off, 0.05 * sheet + 0.12),
        )
    pen.line((40, 56, 96), 0.07, (-0.3, 0.3), (0.5, 0.36))


def laptop(pen: Pen) -> None:
    """An open laptop seen from the front."""
    pen.box(dark(STEEL, 0.3), -1.1, 0.06, 1.1, 1.5, 0.08)
    pen.box(between(pen.palette.sky[1], (30, 40, 60), 0.4), -1.02, 0.14, 1.02, 1.42)
    for row, length in enumerate((1.2, 0.8, 1.4, 1.0)):
        pen.box(
            pale(pen.palette.sky[1], 0.6),
            -0.85,
            1.2 - 0.24 * row,
            -0.85 + length,
            1.26 - 0.24 * row,
        )
    pen.poly(STEEL, (-1.1, 0.1), (1.1, 0.1), (1.3, -0.06), (-1.3, -0.06))
    pen.glows(0, 0.7, 1.3, 0.25, pen.palette.sky[-1])


def bench(pen: Pen, colour: Colour = WOOD) -> None:
    """A garden bench."""
    for x in (-1.7, 1.55):
        pen.box(INK, x, 0, x + 0.14, 2.2)
    for y in (1.0, 1.5, 1.9):
        pen.box(dark(colour, 0.05), -1.9, y, 1.9, y + 0.28, 0.05)
    pen.box(pale(colour, 0.1), -1.95, 0.8, 1.95, 1.02, 0.05)


def ladder(pen: Pen) -> None:
    """A stepladder."""
    for x, tone in ((1.1, dark(STEEL, 0.3)), (-1.1, STEEL)):
        pen.line(tone, 0.12, (x, 0), (0, 4.4))
    for step in range(1, 7):
        y = step * 0.62
        x = -1.1 * (1 - y / 4.4)
        pen.box(STEEL, x - 0.1, y, x + 0.6, y + 0.1)
    pen.box((214, 120, 60), -0.35, 4.3, 0.35, 4.5, 0.05)
