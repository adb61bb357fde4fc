"""Windows and what is seen through them. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Fall
from studio.camera.scenes.pen import Pen, dark, pale

BRASS: Colour = (206, 164, 92)


def window(pen: Pen, wide: float = 2.2, high: float = 3.2, view: str = "sky") -> None:
    """A window, its sill's middle at the origin; outside is a sky, a street or a garden."""
    frame = (236, 228, 216)
    sky, light = pen.palette.sky, pen.palette.light
    pen.box(dark(frame, 0.35), -wide / 2 - 0.14, -0.05, wide / 2 + 0.14, high + 0.14)
    pen.box(frame, -wide / 2 - 0.1, 0, wide / 2 + 0.1, high + 0.1)
    steps = 14
    for step in range(steps):
        tone = between(pale(sky[-1], 0.45), pale(sky[1], 0.25), step / steps)
        pen.box(tone, -wide / 2, high * step / steps, wide / 2, high * (step + 1) / steps)
    if view == "street":
        x = -wide / 2
        while x < wide / 2 - 0.1:
            broad, tall = (
                0.3 + 0.4 * float(pen.chance.random()),
                high * float(pen.chance.uniform(0.25, 0.6)),
            )
            right = min(wide / 2, x + broad)
            pen.box(between(sky[1], pen.palette.ground[0], 0.7), x, 0, right, tall)
            for pane in range(int(tall / 0.3)):
                if pen.chance.random() < 0.5:
                    pen.box(light, x + 0.08, 0.12 + pane * 0.3, x + 0.18, 0.26 + pane * 0.3)
            x += broad
    if view == "garden":
        for number in range(9):
            x = -wide / 2 + 0.3 + (wide - 0.6) * number / 8
            radius = 0.3 * float(pen.chance.uniform(0.8, 1.25))
            pen.oval(
                between((78, 132, 78), sky[-1], 0.3),
                x,
                radius * 0.9,
                min(radius, wide / 2 - abs(x)),
                radius,
            )
    for x in (0.0,):
        pen.box(frame, x - 0.05, 0, x + 0.05, high)
    pen.box(frame, -wide / 2, high * 0.6, wide / 2, high * 0.6 + 0.08)
    pen.box(pale(frame, 0.5), -wide / 2 - 0.25, -0.16, wide / 2 + 0.25, 0.03)
    pen.glows(0, high / 2, max(wide, high) * 0.75, 0.5, pale(sky[-1], 0.4))


def rainy_window(pen: Pen) -> None:
    """A window with rain running down it."""
    window(pen, 4.4, 4.6, "street")
    for _ in range(46):
        x, y = float(pen.chance.uniform(-2.1, 2.1)), float(pen.chance.uniform(0.2, 4.4))
        pen.oval(pale(pen.palette.sky[1], 0.55), x, y, 0.03, 0.05)
    left, top = pen.place(-2.15, 4.5)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(4.3),
            pen.share(4.4) * pen.shape,
            pen.shape,
            pen.share(0.09),
            18,
            0.42,
            seed,
            7.0,
            level=0.5,
        )
    )


def wide_window(pen: Pen) -> None:
    """A broad window on a street."""
    window(pen, 4.6, 3.8, "street")


def garden_window(pen: Pen) -> None:
    """A window on a garden, with dust in its light."""
    window(pen, 3.0, 3.6, "garden")
    dust(pen.at(0, 1.0), 3.0, 3.0)


def dust(pen: Pen, wide: float = 5.0, high: float = 4.0) -> None:
    """Dust that floats in the light."""
    left, top = pen.place(-wide / 2, high)
    seed = int(pen.chance.integers(1 << 30))
    pen.moving.append(
        Fall(
            left,
            top,
            pen.share(wide),
            pen.share(high) * pen.shape,
            pen.shape,
            pen.share(0.075),
            16,
            -0.035,
            seed,
            sway=pen.share(0.2),
            level=0.4,
        )
    )


def curtain(pen: Pen, colour: Colour = (236, 226, 214), high: float = 4.4) -> None:
    """A curtain in folds that hangs from a rod at `high`."""
    for fold in range(7):
        left = -0.7 + 0.2 * fold
        tone = dark(colour, 0.28) if fold % 2 else colour
        pen.poly(tone, (left, high), (left + 0.21, high), (left + 0.24, 0), (left - 0.03, 0))
    pen.line(BRASS, 0.09, (-0.9, high), (0.9, high))


def arch(pen: Pen) -> None:
    """A tall window with a pointed head, of coloured glass."""
    sky = pen.palette.sky
    outline = [(-1.0, 0.0), (-1.0, 3.6), (-0.6, 4.6), (0, 5.2), (0.6, 4.6), (1.0, 3.6), (1.0, 0.0)]
    pen.poly((96, 84, 82), *[(1.16 * x, 1.03 * y - 0.06) for x, y in outline])
    pen.poly(pale(sky[-1], 0.35), *outline)
    tones = [
        pale(tone, 0.2)
        for tone in (sky[1], pen.palette.accent, (120, 170, 210), (214, 120, 110), (130, 180, 140))
    ]
    for row in range(9):
        for column in range(4):
            x, y = -1.0 + 0.5 * column, 0.4 * row
            tone = tones[int(pen.chance.integers(0, 5))]
            pen.poly(
                tone,
                (x + 0.25, y + 0.02),
                (x + 0.48, y + 0.2),
                (x + 0.25, y + 0.38),
                (x + 0.02, y + 0.2),
            )
    pen.oval(pale(pen.palette.light, 0.4), 0, 4.2, 0.36)
    pen.oval(tones[0], 0, 4.2, 0.22)
    pen.box((96, 84, 82), -0.04, 0, 0.04, 3.8)
    pen.glows(0, 2.6, 2.6, 0.55, pale(sky[-1], 0.3))
    dust(pen.at(0, -1.0), 2.2, 4.5)


def blinds(pen: Pen) -> None:
    """A window behind blinds."""
    window(pen, 3.2, 3.4)
    for row in range(13):
        y = 0.15 + row * 0.25
        pen.box((240, 240, 236), -1.65, y, 1.65, y + 0.13)
        pen.box((196, 198, 200), -1.65, y - 0.02, 1.65, y + 0.02)
