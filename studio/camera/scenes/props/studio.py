"""A photographer's things. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, Pen, pale

INK: Colour = (44, 46, 58)
STEEL: Colour = (182, 190, 200)


def camera(pen: Pen) -> None:
    """A camera, its lens towards you."""
    pen.box(INK, -1.4, 0, 1.4, 1.7, 0.2)
    pen.box((110, 72, 56), -1.38, 0.35, 1.38, 1.15)
    pen.box(STEEL, -1.4, 1.2, 1.4, 1.6, 0.14)
    pen.poly(STEEL, (-0.6, 1.55), (0.6, 1.55), (0.45, 2.05), (-0.45, 2.05))
    pen.box(INK, -1.15, 1.6, -0.75, 1.82, 0.06)
    for r, tone in (
        (0.82, INK),
        (0.7, (90, 92, 104)),
        (0.58, (26, 28, 40)),
        (0.4, between((60, 60, 130), pen.palette.sky[1], 0.5)),
    ):
        pen.oval(tone, 0, 0.85, r)
    pen.oval(WHITE, -0.18, 1.05, 0.12, 0.09)
    x, y = pen.place(-0.18, 1.05)
    pen.moving.append(Blink(x, y, pen.share(0.5), pen.shape, WHITE, 2.4, level=0.7))


def tripod(pen: Pen) -> None:
    """A camera on its tripod."""
    for x in (-1.0, 0.1, 1.0):
        pen.line(INK, 0.1, (x, 0), (0, 2.4))
    pen.box(INK, -0.2, 2.2, 0.2, 2.6)
    camera(pen.at(0, 2.6, 0.62))


def softbox(pen: Pen) -> None:
    """A studio lamp that flashes."""
    for x in (-0.8, 0.8):
        pen.line(INK, 0.08, (x, 0), (0, 1.6))
    pen.line(INK, 0.09, (0, 1.2), (0, 3.6))
    pen.poly(INK, (-1.1, 3.2), (0.9, 2.9), (1.1, 5.0), (-0.9, 5.3))
    pen.poly((255, 250, 236), (-0.96, 3.32), (0.8, 3.06), (0.98, 4.9), (-0.78, 5.16))
    pen.glows(0, 4.1, 2.6, 0.6, (255, 248, 230))
    x, y = pen.place(0, 4.1)
    pen.moving.append(Blink(x, y, pen.share(1.6), pen.shape, WHITE, 3.0, 0.1, 0.12, 0.8))


def backdrop(pen: Pen) -> None:
    """A roll of paper that hangs down to the floor, with a stool before it."""
    tone = between((190, 196, 206), pen.palette.sky[-1], 0.4)
    pen.line(INK, 0.14, (-2.5, 5.6), (2.5, 5.6))
    pen.poly(tone, (-2.2, 5.6), (2.2, 5.6), (2.2, 0.2), (2.8, -1.0), (-2.8, -1.0), (-2.2, 0.2))
    pen.poly(pale(tone, 0.25), (-1.2, 5.6), (0.4, 5.6), (0.6, 0.2), (-1.4, 0.2))
    pen.glows(0, 3.0, 2.8, 0.5)
