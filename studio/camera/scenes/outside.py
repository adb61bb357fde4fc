"""Places outside that things stand in: a street, the open country. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.easel import Easel, wall_colour
from studio.camera.scenes.pen import dark, pale


def street(easel: Easel, tone: str = "brick", evening: bool = False) -> None:
    """The front of a house at a pavement, under a strip of sky."""
    palette = easel.palette
    tones = (palette.ground[1], palette.sky[0], palette.sky[1]) if evening else palette.sky
    easel.wash(0, easel.top, *tones)
    pen = easel.pen()
    colour = wall_colour(palette, tone)
    roof = min(easel.top * 0.86, 8.6)
    pen.box(dark(colour, 0.1), -easel.half - 1, 0, easel.half + 1, roof)
    pen.box(dark(colour, 0.35), -easel.half - 1, roof - 0.25, easel.half + 1, roof)
    x = -math.ceil(easel.half / 2.6) * 2.6 + 0.4
    while easel.upright and x < easel.half + 1:
        lit = easel.chance.random() < 0.5
        pane = between(palette.sky[0], palette.light, 0.75 if lit else 0.2)
        pen.box(dark(colour, 0.4), x - 0.62, 6.2, x + 0.62, roof - 0.6)
        pen.box(pane, x - 0.54, 6.28, x + 0.54, roof - 0.68)
        pen.box(dark(colour, 0.4), x - 0.04, 6.2, x + 0.04, roof - 0.6)
        x += 2.6
    _pavement(easel)
    easel.light(0, 2.5, 4.5, 0.6)


def _pavement(easel: Easel) -> None:
    stone = between((142, 138, 140), easel.palette.ground[0], 0.35)
    easel.wash(-easel.low, 0, pale(stone, 0.1), stone, dark(stone, 0.6))
    pen = easel.pen()
    for number in range(-14, 15):
        pen.line(dark(stone, 0.2), 0.025, (number * 1.6, 0), (number * 3.6, -easel.low))
    y, step = -0.4, 0.5
    while y > -easel.low:
        pen.line(dark(stone, 0.2), 0.025, (-easel.half - 1, y), (easel.half + 1, y))
        y, step = y - step, step * 1.5


def outdoors(easel: Easel, ground: Colour = (92, 140, 74), hills: bool = True) -> None:
    """The open country: sky, hills far away, a meadow."""
    palette = easel.palette
    easel.wash(0, easel.top, *palette.sky, pale(palette.sky[-1], 0.3))
    pen = easel.pen()
    if hills:
        for depth in range(3):
            far = between(
                between(palette.sky[-1], palette.ground[0], 0.4 + 0.2 * depth), ground, 0.25 * depth
            )
            line, phase = [], float(easel.chance.uniform(0, 6))
            for step in range(61):
                x = (step / 30 - 1) * (easel.half + 1)
                line.append(
                    (
                        x,
                        1.9
                        - 0.6 * depth
                        + 0.55 * math.sin(x * 0.5 + phase)
                        + 0.2 * math.sin(x * 1.3 + 2 * phase),
                    )
                )
            pen.poly(far, (-easel.half - 1, -1), *line, (easel.half + 1, -1))
    field = between(ground, palette.ground[0], 0.3)
    easel.wash(-easel.low, 0.15, pale(field, 0.25), field, dark(field, 0.55))
    easel.light(-2.0, easel.top * 0.5, 6.5, 0.75)
    easel.ambient = 0.6
