"""Houses, shop fronts, boxes. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink, Fall
from studio.camera.scenes.pen import WHITE, Pen, dark, pale
from studio.camera.scenes.props.windows import window

INK: Colour = (44, 46, 58)
CARD: Colour = (196, 152, 104)
WOOD: Colour = (146, 98, 62)


def box(pen: Pen) -> None:
    """A box of cardboard."""
    pen.box(CARD, -0.9, 0, 0.9, 1.5)
    pen.box(dark(CARD, 0.18), 0.45, 0, 0.9, 1.5)
    pen.box(pale(CARD, 0.35), -0.16, 0, 0.1, 1.5)
    pen.box(dark(CARD, 0.35), -0.9, 1.42, 0.9, 1.5)
    pen.box(dark(CARD, 0.4), -0.72, 0.25, -0.35, 0.6, 0.03)


def boxes(pen: Pen) -> None:
    """Boxes on each other."""
    box(pen.at(-1.0, 0))
    box(pen.at(1.0, 0, 1.1))
    box(pen.at(-0.9, 1.5, 0.9))
    box(pen.at(0.95, 1.65, 0.75))
    box(pen.at(-0.8, 2.85, 0.65))


def open_box(pen: Pen) -> None:
    """An open box with a lamp and books in it."""
    pen.poly((255, 232, 190), (-0.2, 2.4), (0.8, 2.4), (1.1, 1.6), (-0.5, 1.6))
    pen.line(INK, 0.08, (0.3, 1.0), (0.3, 1.7))
    for x, tone in ((-0.9, (150, 52, 50)), (-0.65, (48, 84, 118))):
        pen.box(tone, x, 0.8, x + 0.22, 1.9)
    pen.poly(dark(CARD, 0.2), (-1.2, 1.2), (-1.9, 1.6), (-1.5, 1.75), (-0.9, 1.3))
    pen.poly(dark(CARD, 0.2), (1.2, 1.2), (1.9, 1.6), (1.5, 1.75), (0.9, 1.3))
    pen.box(CARD, -1.2, 0, 1.2, 1.3)
    pen.box(pale(CARD, 0.35), -0.16, 0, 0.1, 1.3)


def house(pen: Pen, colour: Colour = (238, 226, 206)) -> None:
    """A house with a lit window."""
    roof = between((150, 70, 60), pen.palette.ground[0], 0.3)
    pen.box(dark(roof, 0.2), 0.9, 3.0, 1.3, 4.4)
    pen.box(colour, -1.8, 0, 1.8, 2.6)
    pen.poly(roof, (-2.2, 2.5), (2.2, 2.5), (0, 4.5))
    pen.poly(pale(roof, 0.15), (-2.2, 2.5), (-1.9, 2.5), (0.1, 4.4), (0, 4.5))
    pen.box(WOOD, -1.3, 0, -0.4, 1.7)
    pen.ball((206, 164, 92), -0.55, 0.8, 0.07)
    pen.box(WHITE, 0.2, 0.8, 1.4, 1.9)
    pen.box((255, 226, 150), 0.28, 0.88, 1.32, 1.82)
    pen.box(WHITE, 0.76, 0.8, 0.84, 1.9)
    pen.glows(0.8, 1.3, 1.4, 0.4, (255, 214, 140))
    x, y = pen.place(0.8, 1.35)
    pen.moving.append(
        Blink(
            x,
            y,
            pen.share(0.8),
            pen.shape,
            (255, 226, 150),
            3.4,
            float(pen.chance.random()),
            level=0.3,
        )
    )


def flats(pen: Pen) -> None:
    """A block of flats whose windows light up."""
    tone = between((214, 206, 200), pen.palette.sky[-1], 0.25)
    pen.box(tone, -1.5, 0, 1.5, 6.4)
    pen.box(dark(tone, 0.18), 0.7, 0, 1.5, 6.4)
    for row in range(8):
        for column in range(4):
            lit = pen.chance.random() < 0.4
            x, y = -1.25 + 0.68 * column, 0.7 + 0.7 * row
            pen.box((255, 226, 150) if lit else dark(tone, 0.5), x, y, x + 0.45, y + 0.45)
            if lit and pen.chance.random() < 0.4:
                left, top = pen.place(x + 0.22, y + 0.22)
                pen.moving.append(
                    Blink(
                        left,
                        top,
                        pen.share(0.4),
                        pen.shape,
                        (255, 226, 150),
                        4.0,
                        float(pen.chance.random()),
                        level=0.45,
                    )
                )


def front(pen: Pen, colour: Colour | None = None) -> None:
    """A shop's front: an awning, a lit window and a door."""
    tone = colour or between(pen.palette.accent, pen.palette.sky[1], 0.4)
    pen.box(dark(WOOD, 0.4), -3.6, 0, 3.6, 4.4)
    pen.box((255, 232, 184), -3.3, 0.7, 0.9, 3.9)
    pen.box(dark(WOOD, 0.1), 1.2, 0, 3.2, 3.9)
    pen.box((255, 236, 196), 1.45, 0.5, 2.95, 3.6)
    pen.box(dark(WOOD, 0.4), -1.25, 0.7, -1.15, 3.9)
    pen.ball((206, 164, 92), 1.6, 1.9, 0.1)
    for stripe in range(12):
        left = -3.9 + 0.65 * stripe
        shown = (tone, (248, 240, 228))[stripe % 2]
        pen.poly(
            shown, (left * 0.96, 5.0), ((left + 0.65) * 0.96, 5.0), (left + 0.65, 4.1), (left, 4.1)
        )
        pen.oval(shown, left + 0.325, 4.1, 0.325, 0.22)
    pen.glows(-1.2, 2.3, 3.2, 0.6, (255, 220, 150))


def stall(pen: Pen) -> None:
    """A stall with a striped roof on poles."""
    tone = between((206, 74, 60), pen.palette.accent, 0.25)
    for x in (-3.3, 3.2):
        pen.box(WOOD, x, 0, x + 0.14, 5.0)
    for stripe in range(10):
        left = -3.8 + 0.76 * stripe
        shown = (tone, (248, 240, 228))[stripe % 2]
        pen.poly(
            shown, (left * 0.8, 6.0), ((left + 0.76) * 0.8, 6.0), (left + 0.76, 4.9), (left, 4.9)
        )
        pen.oval(shown, left + 0.38, 4.9, 0.38, 0.24)
    pen.glows(0, 3.2, 3.6, 0.5, (255, 214, 150))


def campfire(pen: Pen) -> None:
    """A fire that flickers."""
    for turn in (0.5, -0.5, 0.1):
        pen.at(0, 0.1, turn=turn).box(dark(WOOD, 0.3), -0.9, -0.1, 0.9, 0.14, 0.1)
    for tone, size in (((240, 110, 40), 1.0), ((250, 170, 60), 0.7), ((255, 230, 150), 0.4)):
        pen.blob(
            tone,
            (-0.6 * size, 0.2),
            (-0.5 * size, 0.9 * size),
            (-0.1 * size, 1.7 * size),
            (0.15 * size, 1.1 * size),
            (0.45 * size, 1.3 * size),
            (0.6 * size, 0.2),
        )
    pen.glows(0, 0.8, 3.0, 0.8, (255, 150, 70))
    x, y = pen.place(0, 0.8)
    pen.moving.append(Blink(x, y, pen.share(1.8), pen.shape, (255, 170, 90), 0.7, level=0.35))
    left, top = pen.place(-0.8, 4.5)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(1.6),
            pen.share(4) * pen.shape,
            pen.shape,
            pen.share(0.1),
            10,
            -0.35,
            seed,
            sway=pen.share(0.3),
            colour=(255, 170, 80),
            level=0.9,
        )
    )


def shop_window(pen: Pen) -> None:
    """A broad window on the street."""
    window(pen, 5.0, 4.0)
