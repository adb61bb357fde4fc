"""Cases of books, and books. Pure."""

from collections.abc import Callable, Sequence

from studio.camera.palettes import Colour
from studio.camera.scenes.pen import Pen, dark, pale

WOOD: Colour = (146, 98, 62)
BRASS: Colour = (206, 164, 92)
BOOKS: tuple[Colour, ...] = (
    (150, 52, 50),
    (48, 84, 118),
    (200, 164, 96),
    (58, 104, 84),
    (108, 66, 104),
    (206, 198, 182),
)
Prop = Callable[[Pen], None]


def shelf(
    pen: Pen, wide: float, rows: int, step: float, colour: Colour = WOOD, back: bool = True
) -> None:
    """A case of shelves that stands at the origin."""
    high = rows * step + 0.15
    if back:
        pen.box(dark(colour, 0.55), -wide / 2, 0, wide / 2, high)
    for row in range(rows + 1):
        pen.box(colour, -wide / 2, row * step, wide / 2, row * step + 0.12)
        pen.box(pale(colour, 0.3), -wide / 2, row * step + 0.09, wide / 2, row * step + 0.12)
        if row < rows:
            pen.box(
                dark(colour, 0.7), -wide / 2, (row + 1) * step - 0.14, wide / 2, (row + 1) * step
            )
    for x in (-wide / 2, wide / 2 - 0.14):
        pen.box(dark(colour, 0.1), x, 0, x + 0.14, high)


def filled_shelf(
    pen: Pen,
    wide: float,
    rows: int,
    step: float,
    things: Sequence[Prop],
    gap: float,
    colour: Colour = WOOD,
) -> None:
    """Shelves with things on every board, `gap` apart, in an order of chance."""
    shelf(pen, wide, rows, step, colour)
    for row in range(rows):
        x = -wide / 2 + 0.2 + gap / 2
        while x < wide / 2 - gap / 2 - 0.1:
            things[int(pen.chance.integers(0, len(things)))](pen.at(x, row * step + 0.12))
            x += gap


def books(pen: Pen, wide: float, tall: float, colours: Sequence[Colour] = BOOKS) -> None:
    """Books side by side, from the origin to the right."""
    x = 0.0
    while x < wide - 0.12:
        broad = float(pen.chance.uniform(0.13, 0.26))
        high = tall * float(pen.chance.uniform(0.72, 1.0))
        colour = colours[int(pen.chance.integers(0, len(colours)))]
        right = min(wide, x + broad)
        pen.box(colour, x, 0, right - 0.015, high)
        pen.box(pale(colour, 0.25), x, 0, x + 0.03, high)
        pen.box(BRASS, x, high * 0.72, right - 0.015, high * 0.76)
        pen.box(BRASS, x, high * 0.16, right - 0.015, high * 0.2)
        x += broad


def bookcase(pen: Pen, wide: float = 4.0, rows: int = 4) -> None:
    """A case full of books."""
    shelf(pen, wide, rows, 1.35)
    for row in range(rows):
        books(pen.at(-wide / 2 + 0.2, row * 1.35 + 0.12), wide - 0.4, 1.08)


def law_books(pen: Pen) -> None:
    """A high case of volumes bound alike."""
    shelf(pen, 4.6, 5, 1.25, (104, 62, 40))
    for row in range(5):
        tones = (
            ((122, 44, 40), (136, 56, 46)),
            ((46, 62, 84), (54, 74, 98)),
            ((170, 130, 74), (154, 116, 66)),
        )[row % 3]
        books(pen.at(-2.1, row * 1.25 + 0.12), 4.2, 0.98, tones)


def open_book(pen: Pen) -> None:
    """An open book that lies on a table."""
    for side in (1, -1):
        leaf = pen.at(0, 0, side=side)
        leaf.blob(
            (206, 190, 160), (0, 0.02), (0.6, 0.1), (1.35, 0.0), (1.5, 0.34), (0.7, 0.5), (0, 0.3)
        )
        leaf.poly(
            (250, 246, 236), (0, 0.1), (0.5, 0.2), (1.3, 0.1), (1.45, 0.42), (0.62, 0.56), (0, 0.4)
        )
        for row in range(4):
            y = 0.2 + row * 0.06
            leaf.line(
                (150, 144, 140), 0.025, (0.16 + 0.03 * row, y + 0.04), (0.6, y + 0.07), (1.2, y)
            )


def stack(pen: Pen) -> None:
    """Four books on each other."""
    y = 0.0
    for number in range(4):
        colour = BOOKS[int(pen.chance.integers(0, len(BOOKS)))]
        off, high = 0.14 * ((number * 7) % 3 - 1), 0.26
        pen.box(colour, -0.9 + off, y, 0.9 + off, y + high, 0.05)
        pen.box((240, 232, 214), -0.82 + off, y + 0.05, 0.94 + off, y + high - 0.05)
        y += high + 0.01
