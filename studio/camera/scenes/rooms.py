"""Places that things stand in: rooms, counters, tables, streets, the open country. Pure."""

import math

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import mix, walk
from studio.camera.scenes.easel import Easel, Tone, mix_wall
from studio.camera.scenes.paints import ELM, WHITE
from studio.camera.scenes.pen import darken, lighten

STONE: Colour = (178, 174, 168)


def _paint_wall(easel: Easel, tone: Tone) -> Colour:
    """Paint a wall of that tone down to the level, lit from above; its colour."""
    colour = mix_wall(easel.palette, tone)
    easel.wash(0, easel.top, darken(colour, 0.3), colour, lighten(colour, 0.12))
    easel.light(0, easel.top * 0.52, 5.2, 0.62)
    return colour


def paint_room(
    easel: Easel, tone: Tone = "warm", floor: Colour = ELM, panel: bool = True, deep: float = 0.9
) -> None:
    """Paint a wall with a skirting and a floor that things stand on, `deep` units into it."""
    colour = _paint_wall(easel, tone)
    pen = easel.pen()
    ground = mix(floor, easel.palette.ground[0], 0.3)
    easel.wash(-easel.low, 0, mix(ground, colour, 0.35), ground, darken(ground, 0.6))
    if panel:
        edge = mix(colour, WHITE, 0.25)
        pen.box(darken(colour, 0.14), -easel.half - 1, 0.3, easel.half + 1, 2.0)
        pen.box(edge, -easel.half - 1, 2.0, easel.half + 1, 2.09)
        for x in walk(-easel.half - 1 + 0.2, easel.half + 1, 1.6):
            pen.box(darken(colour, 0.22), x, 0.55, x + 1.3, 1.75)
            pen.box(darken(colour, 0.16), x + 0.05, 0.58, x + 1.3, 1.72)
    pen.box(darken(colour, 0.35), -easel.half - 1, 0.0, easel.half + 1, 0.3)
    pen.box(lighten(colour, 0.2), -easel.half - 1, 0.26, easel.half + 1, 0.31)
    _draw_boards(easel, darken(ground, 0.25), deep)


def _draw_boards(easel: Easel, colour: Colour, deep: float) -> None:
    """Draw lines on the floor that run towards the back, and some across."""
    pen = easel.pen()
    reach = int(easel.half) + 2
    for number in range(-3 * reach, 3 * reach + 1):
        x = number * 0.9
        pen.line(colour, 0.025, (x, 0), (x * 2.6, -easel.low))
    _draw_joints(easel, colour, 0.02, 0.0, 0.35, 1.6)
    easel.shadow(0, -0.1, easel.half * 1.2, deep * 0.5, 0.25)


def paint_tiled(
    easel: Easel, tone: Tone = "white", floor: Colour = STONE, step: float = 0.8
) -> None:
    """Paint a wall of tiles over a floor of tiles."""
    colour = _paint_wall(easel, tone)
    pen = easel.pen()
    joint = darken(colour, 0.16)
    for row, y in enumerate(walk(0.0, easel.top, step)):
        pen.line(joint, 0.03, (-easel.half - 1, y), (easel.half + 1, y))
        first = -math.ceil(easel.half) - 1 + (row % 2) * step
        for x in walk(first, easel.half + 1, 2 * step):
            pen.line(joint, 0.03, (x, y), (x, y + step))
    ground = mix(floor, easel.palette.ground[0], 0.3)
    easel.wash(-easel.low, 0, mix(ground, colour, 0.3), ground, darken(ground, 0.55))
    pen.box(darken(colour, 0.3), -easel.half - 1, 0, easel.half + 1, 0.22)
    _draw_boards(easel, darken(ground, 0.2), 0.9)


def paint_counter(
    easel: Easel, tone: Tone = "warm", front: Colour = ELM, top: Colour = STONE, tiles: bool = False
) -> None:
    """Paint a wall behind a counter, seen from its front; things stand on it."""
    if tiles:
        paint_tiled(easel, tone)
    else:
        _paint_wall(easel, tone)
    _paint_front(easel, front, top)


def _paint_front(easel: Easel, front: Colour, top: Colour) -> None:
    pen = easel.pen()
    shown = mix(front, easel.palette.ground[0], 0.3)
    easel.wash(-easel.low, -0.3, shown, darken(shown, 0.3), darken(shown, 0.65))
    for x in walk(-math.ceil(easel.half) - 1.0, easel.half + 1, 1.25):
        pen.box(darken(shown, 0.3), x, -easel.low, x + 0.05, -0.3)
    slab = mix(top, easel.palette.light, 0.15)
    pen.box(slab, -easel.half - 1, -0.3, easel.half + 1, 0.12)
    pen.box(lighten(slab, 0.4), -easel.half - 1, 0.05, easel.half + 1, 0.12)
    easel.shadow(0, -0.42, easel.half * 1.4, 0.35, 0.5)


def paint_tabletop(
    easel: Easel, tone: Tone = "dark", top: Colour = ELM, lights: bool = True
) -> None:
    """Paint a table close up, and behind it a room out of focus."""
    colour = mix_wall(easel.palette, tone)
    easel.wash(0, easel.top, darken(colour, 0.55), darken(colour, 0.2), colour)
    if lights:
        _paint_far_lights(easel)
        _let_twinkle(easel)
    easel.light(-1.5, easel.top * 0.5, 5.0, 0.6)
    surface = mix(top, easel.palette.ground[0], 0.25)
    tones = lighten(surface, 0.22), surface, darken(surface, 0.35), darken(surface, 0.7)
    easel.wash(-easel.low, 0.5, *tones)
    pen = easel.pen()
    for _ in range(26):
        y = -float(easel.chance.uniform(-0.4, 1)) * easel.low
        x = float(easel.chance.uniform(-easel.half, easel.half))
        wide = float(easel.chance.uniform(1, 4))
        pen.line(darken(surface, 0.14), 0.03, (x, y), (x + wide, y + 0.03))
    pen.box(lighten(surface, 0.45), -easel.half - 1, 0.46, easel.half + 1, 0.51)


def _paint_far_lights(easel: Easel) -> None:
    """Paint discs of light out of focus."""
    tones = (easel.palette.light, easel.palette.accent, easel.palette.sky[-1])
    for _ in range(22):
        tone = tones[int(easel.chance.integers(0, 3))]
        x = float(easel.chance.uniform(-1, 1)) * easel.half
        y = float(easel.chance.uniform(0.1, 0.97)) * easel.top
        level = float(easel.chance.uniform(0.12, 0.34))
        easel.disc(tone, x, y, float(easel.chance.uniform(0.2, 0.75)), level)


def _let_twinkle(easel: Easel) -> None:
    """Let a few of the lights far away come and go."""
    pen = easel.pen()
    for number in range(5):
        across = float(easel.chance.uniform(-0.85, 0.85)) * min(easel.half, 7.0)
        high = float(easel.chance.uniform(0.55, 0.92)) * easel.top
        reach, period = float(easel.chance.uniform(0.3, 0.6)), 2.6 + number * 0.5
        pen.blink(across, high, reach, pen.palette.light, period, number * 0.3, level=0.35)


def paint_workshop(easel: Easel, tone: Tone = "grey", board: Colour = (176, 138, 96)) -> None:
    """Paint a board of holes for tools, over a workbench."""
    colour = _paint_wall(easel, tone)
    pen = easel.pen()
    plate = mix(board, easel.palette.ground[0], 0.2)
    high = min(easel.top * 0.72, 6.4)
    pen.box(darken(colour, 0.4), -easel.half - 1, 0.9, easel.half + 1, high + 0.12)
    pen.box(plate, -easel.half - 1, 1.0, easel.half + 1, high)
    for y in walk(1.3, high - 0.2, 0.5):
        for x in walk(-math.ceil(easel.half) - 0.25, easel.half + 0.5, 0.5):
            pen.oval(darken(plate, 0.3), x, y, 0.045)
    _paint_front(easel, ELM, (190, 148, 104))


def paint_hall(easel: Easel, tone: Tone = "cool", floor: Colour = (182, 138, 92)) -> None:
    """Paint a large hall with a row of tall windows."""
    paint_room(easel, tone, floor, panel=False)
    pen = easel.pen()
    colour = mix_wall(easel.palette, tone)
    high = min(easel.top * 0.78, 7.4)
    pane = mix(easel.palette.sky[-1], WHITE, 0.45)
    for x in walk(-math.ceil(easel.half / 3.2) * 3.2, easel.half + 2, 3.2):
        pen.box(darken(colour, 0.25), x - 1.25, 1.5, x + 1.25, high)
        pen.box(pane, x - 1.15, 1.6, x + 1.15, high - 0.1)
        pen.box(mix(pane, easel.palette.sky[1], 0.3), x - 1.15, 1.6, x + 1.15, 2.9)
        for bar in (-0.02, 0.02):
            pen.box(darken(colour, 0.25), x + bar - 0.05, 1.6, x + bar + 0.05, high)
        pen.box(darken(colour, 0.25), x - 1.2, high * 0.62, x + 1.2, high * 0.62 + 0.09)
        easel.light(x, 3.5, 2.2, 0.25, pane)


def paint_mirrors(easel: Easel, tone: Tone = "rose", floor: Colour = (190, 140, 92)) -> None:
    """Paint a hall whose wall is a mirror, with a rail along it."""
    paint_room(easel, tone, floor, panel=False)
    pen = easel.pen()
    colour = mix_wall(easel.palette, tone)
    high = min(easel.top * 0.8, 7.2)
    glass = mix(colour, easel.palette.sky[-1], 0.5)
    for x in walk(-math.ceil(easel.half / 3) * 3.0 - 1.5, easel.half + 1, 3.0):
        pen.box(darken(colour, 0.45), x, 0.4, x + 3, high)
        pen.box(glass, x + 0.04, 0.45, x + 2.96, high - 0.06)
        for share, a, b, c, d in ((0.3, 0.4, 1.1, 2.4, 1.7), (0.2, 1.4, 1.6, 2.9, 2.7)):
            top = (x + c, high - 0.06), (x + d, high - 0.06)
            pen.poly(lighten(glass, share), (x + a, 0.45), (x + b, 0.45), *top)


def paint_street(easel: Easel, tone: Tone = "brick", evening: bool = False) -> None:
    """Paint the front of a house at a pavement, under a strip of sky."""
    palette = easel.palette
    tones = (palette.ground[1], palette.sky[0], palette.sky[1]) if evening else palette.sky
    easel.wash(0, easel.top, *tones)
    pen = easel.pen()
    colour = mix_wall(palette, tone)
    roof = min(easel.top * 0.86, 8.6)
    pen.box(darken(colour, 0.1), -easel.half - 1, 0, easel.half + 1, roof)
    pen.box(darken(colour, 0.35), -easel.half - 1, roof - 0.25, easel.half + 1, roof)
    first = -math.ceil(easel.half / 2.6) * 2.6 + 0.4
    for x in walk(first, easel.half + 1, 2.6) if easel.upright else ():
        lit = easel.chance.random() < 0.5
        pane = mix(palette.sky[0], palette.light, 0.75 if lit else 0.2)
        pen.box(darken(colour, 0.4), x - 0.62, 6.2, x + 0.62, roof - 0.6)
        pen.box(pane, x - 0.54, 6.28, x + 0.54, roof - 0.68)
        pen.box(darken(colour, 0.4), x - 0.04, 6.2, x + 0.04, roof - 0.6)
    _paint_pavement(easel)
    easel.light(0, 2.5, 4.5, 0.6)


def _paint_pavement(easel: Easel) -> None:
    stone = mix((142, 138, 140), easel.palette.ground[0], 0.35)
    easel.wash(-easel.low, 0, lighten(stone, 0.1), stone, darken(stone, 0.6))
    pen = easel.pen()
    for number in range(-14, 15):
        pen.line(darken(stone, 0.2), 0.025, (number * 1.6, 0), (number * 3.6, -easel.low))
    _draw_joints(easel, darken(stone, 0.2), 0.025, -0.4, 0.5, 1.5)


def _draw_joints(
    easel: Easel, colour: Colour, width: float, y: float, step: float, growth: float
) -> None:
    """Draw lines across the floor, farther apart towards you."""
    while y > -easel.low:
        easel.pen().line(colour, width, (-easel.half - 1, y), (easel.half + 1, y))
        y, step = y - step, step * growth


def paint_outdoors(easel: Easel, ground: Colour = (92, 140, 74), hills: bool = True) -> None:
    """Paint the open country: sky, hills far away, a meadow."""
    palette = easel.palette
    easel.wash(0, easel.top, *palette.sky, lighten(palette.sky[-1], 0.3))
    pen = easel.pen()
    if hills:
        for depth in range(3):
            haze = mix(palette.sky[-1], palette.ground[0], 0.4 + 0.2 * depth)
            far, line = mix(haze, ground, 0.25 * depth), []
            phase = float(easel.chance.uniform(0, 6))
            for step in range(61):
                x = (step / 30 - 1) * (easel.half + 1)
                hill = 1.9 - 0.6 * depth + 0.55 * math.sin(x * 0.5 + phase)
                line.append((x, hill + 0.2 * math.sin(x * 1.3 + 2 * phase)))
            pen.poly(far, (-easel.half - 1, -1), *line, (easel.half + 1, -1))
    field = mix(ground, palette.ground[0], 0.3)
    easel.wash(-easel.low, 0.15, lighten(field, 0.25), field, darken(field, 0.55))
    easel.light(-2.0, easel.top * 0.5, 6.5, 0.75)
    easel.ambient = 0.6
