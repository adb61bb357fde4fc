"""Trees, fruit and the field. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.pen import Pen, dark, pale
from studio.camera.scenes.props.flowers import leaf, petals

LEAF: Colour = (62, 118, 74)
WOOD: Colour = (128, 86, 54)


def tree(pen: Pen, colour: Colour = (84, 138, 76)) -> None:
    """A broad tree."""
    pen.poly(dark(WOOD, 0.2), (-0.3, 0), (0.3, 0), (0.18, 2.4), (-0.18, 2.4))
    pen.line(dark(WOOD, 0.2), 0.16, (0, 1.6), (0.8, 2.6))
    crown = (
        (-1.1, 2.7, 0.95),
        (1.1, 2.8, 0.95),
        (0, 2.5, 1.0),
        (-0.6, 3.6, 1.0),
        (0.65, 3.6, 1.0),
        (0, 4.2, 0.85),
    )
    for x, y, r in crown:
        pen.oval(dark(colour, 0.35), x, y - 0.1, r * 1.04)
    for x, y, r in crown:
        pen.oval(colour, x - 0.08, y + 0.04, r * 0.88)
        pen.oval(pale(colour, 0.18), x - 0.25, y + 0.22, r * 0.5)


def apple_tree(pen: Pen) -> None:
    """A tree with apples."""
    tree(pen)
    for x, y in (
        (-1.2, 2.6),
        (-0.5, 3.3),
        (0.4, 3.0),
        (1.2, 2.9),
        (0.9, 3.7),
        (-0.8, 4.0),
        (0.1, 4.3),
        (0.1, 2.3),
    ):
        pen.ball((220, 54, 48), x, y, 0.19)


def blossom_tree(pen: Pen) -> None:
    """A cherry tree in bloom that loses petals."""
    tree(pen, (240, 176, 190))
    petals(pen.at(0, -1))


def rows(pen: Pen) -> None:
    """Rows of plants that run towards the hills."""
    for number in range(-9, 10):
        pen.poly(
            (112, 82, 58),
            (number * 0.5 - 0.1, 0.1),
            (number * 0.5 + 0.1, 0.1),
            (number * 2.4 + 0.55, -5),
            (number * 2.4 - 0.55, -5),
        )
        for step in range(9):
            deep = (step / 8) ** 1.6
            x, y = number * (0.5 + 1.9 * deep), 0.1 - 5.1 * deep
            size = 0.08 + 0.42 * deep
            pen.oval(dark(LEAF, 0.2), x, y, size)
            pen.oval(pale(LEAF, 0.12), x - size * 0.2, y + size * 0.3, size * 0.7)


def barn(pen: Pen) -> None:
    """A red barn."""
    red = (172, 62, 50)
    pen.poly(red, (-1.8, 0), (1.8, 0), (1.8, 1.9), (1.1, 3.0), (0, 3.5), (-1.1, 3.0), (-1.8, 1.9))
    pen.line(
        dark(WOOD, 0.5), 0.2, (-1.95, 1.75), (-1.15, 3.05), (0, 3.6), (1.15, 3.05), (1.95, 1.75)
    )
    pen.box((240, 232, 220), -0.75, 0, 0.75, 1.7)
    pen.box(dark(red, 0.2), -0.66, 0, 0.66, 1.62)
    for side in (1, -1):
        pen.line((240, 232, 220), 0.09, (-0.62 * side, 0.05), (0.62 * side, 1.58))
    pen.box((240, 232, 220), -0.3, 2.2, 0.3, 2.8)
    pen.box((70, 60, 60), -0.22, 2.28, 0.22, 2.72)


def crate(pen: Pen, kind: int | None = None) -> None:
    """A crate of fruit or vegetables."""
    sort = int(pen.chance.integers(0, 5)) if kind is None else kind
    tone = ((214, 52, 46), (246, 160, 44), (122, 176, 76), (246, 214, 96), (150, 84, 150))[sort]
    for row in range(2):
        for number in range(6 - row):
            x = -0.85 + 0.34 * number + 0.17 * row
            pen.ball(tone, x, 0.75 + 0.24 * row, 0.21)
            if sort in (0, 2):
                pen.line((80, 60, 40), 0.03, (x, 0.9 + 0.24 * row), (x + 0.04, 1.02 + 0.24 * row))
    wood = (196, 152, 104)
    for y in (0, 0.27, 0.54):
        pen.box(wood, -1.1, y, 1.1, y + 0.23, 0.03)
    for x in (-1.1, 0.98):
        pen.box(dark(wood, 0.25), x, 0, x + 0.12, 0.78)


def fruit_basket(pen: Pen) -> None:
    """A basket heaped with fruit."""
    for x, y, r, tone in (
        (-0.9, 1.3, 0.5, (246, 160, 44)), (0.9, 1.25, 0.5, (214, 52, 46)), (0, 1.5, 0.62, (230, 80, 60)),
        (-0.45, 1.95, 0.45, (150, 190, 80)), (0.5, 1.95, 0.46, (246, 178, 64)), (0.05, 2.3, 0.38, (214, 52, 46)),
    ):  # fmt: skip
        pen.ball(tone, x, y, r)
        leaf(pen.at(x + 0.05, y + r * 0.85, turn=-0.8), LEAF, 0.3, 0.08)
    for number in range(12):
        pen.ball(
            (106, 60, 130),
            1.05 + 0.17 * (number % 3) - 0.1,
            0.95 - 0.16 * (number // 3) + 0.25,
            0.14,
        )
    tone = (176, 126, 74)
    pen.poly(tone, (-1.2, 0), (1.2, 0), (1.6, 1.15), (-1.6, 1.15))
    for row in range(5):
        for column in range(9):
            if (row + column) % 2:
                half = 1.2 + 0.08 * row
                x = -half + column * half * 2 / 9
                pen.box(dark(tone, 0.25), x, row * 0.23, x + half * 2 / 9, row * 0.23 + 0.23)
    pen.box(pale(tone, 0.2), -1.68, 1.08, 1.68, 1.26, 0.08)
