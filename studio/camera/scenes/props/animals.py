"""Dogs, cats and fish. Pure."""

from studio.camera.palettes import Colour
from studio.camera.scenes.pen import Pen, dark, pale

INK: Colour = (44, 46, 58)


def dog(pen: Pen, coat: Colour = (206, 152, 96)) -> None:
    """A dog that sits and looks at you; its tail on the right."""
    pen.curve(coat, 0.26, (0.7, 0.4), (1.3, 0.7), (1.35, 1.3))
    pen.blob(
        dark(coat, 0.12), (-0.8, 0), (-0.85, 0.9), (-0.45, 2.0), (0.45, 2.0), (0.85, 0.9), (0.8, 0)
    )
    pen.blob((250, 240, 226), (-0.35, 0.05), (-0.4, 1.2), (0, 1.7), (0.4, 1.2), (0.35, 0.05))
    for side in (-1, 1):
        pen.box(coat, side * 0.32 - 0.2, 0, side * 0.32 + 0.2, 1.2, 0.18)
        pen.oval((250, 240, 226), side * 0.32, 0.12, 0.24, 0.14)
    pen.oval(coat, 0, 2.45, 0.8, 0.74)
    for side in (-1, 1):
        pen.blob(
            dark(coat, 0.35),
            (side * 0.5, 3.0),
            (side * 0.95, 2.85),
            (side * 1.0, 2.1),
            (side * 0.7, 2.2),
        )
        pen.oval(INK, side * 0.28, 2.6, 0.1, 0.12)
        pen.oval((255, 255, 255), side * 0.28 - 0.03, 2.64, 0.035)
    pen.oval((250, 240, 226), 0, 2.2, 0.38, 0.3)
    pen.oval(INK, 0, 2.36, 0.15, 0.1)
    pen.curve(INK, 0.05, (-0.2, 2.14), (0, 2.08), (0.2, 2.14))
    pen.oval((236, 110, 120), 0, 1.98, 0.11, 0.14)
    pen.curve(pen.palette.accent, 0.13, (-0.55, 1.86), (0, 1.72), (0.55, 1.86))


def cat(pen: Pen, coat: Colour = (120, 120, 132)) -> None:
    """A cat that sits, its tail around it."""
    pen.curve(dark(coat, 0.1), 0.24, (0.6, 0.15), (1.2, 0.3), (1.15, 1.1), (0.9, 1.3))
    pen.blob(coat, (-0.7, 0), (-0.65, 0.8), (-0.35, 1.6), (0.35, 1.6), (0.65, 0.8), (0.7, 0))
    pen.blob((244, 240, 236), (-0.28, 0.02), (-0.3, 0.9), (0, 1.3), (0.3, 0.9), (0.28, 0.02))
    for side in (-1, 1):
        pen.poly(coat, (side * 0.2, 2.5), (side * 0.62, 2.2), (side * 0.6, 2.95))
        pen.poly((236, 170, 170), (side * 0.32, 2.48), (side * 0.54, 2.3), (side * 0.54, 2.76))
    pen.oval(coat, 0, 2.0, 0.68, 0.6)
    for side in (-1, 1):
        pen.oval((196, 220, 110), side * 0.26, 2.1, 0.13, 0.14)
        pen.oval(INK, side * 0.26, 2.1, 0.05, 0.12)
        for y in (1.82, 1.92):
            pen.line((240, 240, 240), 0.02, (side * 0.2, 1.88), (side * 0.85, y))
    pen.poly((236, 140, 140), (-0.08, 1.95), (0.08, 1.95), (0, 1.86))


def fish(pen: Pen, colour: Colour = (242, 140, 60)) -> None:
    """A fish that swims to the right."""
    pen.poly(dark(colour, 0.15), (-0.45, 0), (-0.95, 0.36), (-0.85, 0), (-0.95, -0.36))
    pen.blob(colour, (-0.6, 0), (0, 0.34), (0.6, 0.06), (0.6, -0.06), (0, -0.32))
    pen.blob(pale(colour, 0.4), (-0.4, -0.08), (0, -0.26), (0.5, -0.08), (0.1, -0.05))
    pen.poly(dark(colour, 0.2), (-0.1, 0.25), (0.15, 0.52), (0.25, 0.22))
    pen.oval((250, 250, 246), 0.36, 0.09, 0.08)
    pen.oval(INK, 0.38, 0.09, 0.045)
