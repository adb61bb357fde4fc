"""Rooms that things stand in: walls, floors, counters, tables, streets. Pure."""

import math
from collections.abc import Callable

from studio.camera.palettes import Colour
from studio.camera.scenes.brush import between
from studio.camera.scenes.easel import Easel, wall_colour
from studio.camera.scenes.motions import Blink
from studio.camera.scenes.pen import WHITE, dark, pale

WOOD: Colour = (150, 102, 66)
STONE: Colour = (178, 174, 168)
Room = Callable[[Easel], None]


def wall(easel: Easel, tone: str) -> Colour:
    """A wall of that tone down to the level, lit from above; its colour."""
    colour = wall_colour(easel.palette, tone)
    easel.wash(0, easel.top, dark(colour, 0.3), colour, pale(colour, 0.12))
    easel.light(0, easel.top * 0.52, 5.2, 0.62)
    return colour


def room(
    easel: Easel, tone: str = "warm", floor: Colour = WOOD, panel: bool = True, deep: float = 0.9
) -> None:
    """A wall with a skirting and a floor that things stand on, `deep` units into it."""
    colour = wall(easel, tone)
    pen = easel.pen()
    ground = between(floor, easel.palette.ground[0], 0.3)
    easel.wash(-easel.low, 0, between(ground, colour, 0.35), ground, dark(ground, 0.6))
    if panel:
        edge = between(colour, WHITE, 0.25)
        pen.box(dark(colour, 0.14), -easel.half - 1, 0.3, easel.half + 1, 2.0)
        pen.box(edge, -easel.half - 1, 2.0, easel.half + 1, 2.09)
        x = -easel.half - 1 + 0.2
        while x < easel.half + 1:
            pen.box(dark(colour, 0.22), x, 0.55, x + 1.3, 1.75)
            pen.box(dark(colour, 0.16), x + 0.05, 0.58, x + 1.3, 1.72)
            x += 1.6
    pen.box(dark(colour, 0.35), -easel.half - 1, 0.0, easel.half + 1, 0.3)
    pen.box(pale(colour, 0.2), -easel.half - 1, 0.26, easel.half + 1, 0.31)
    _boards(easel, dark(ground, 0.25), deep)


def _boards(easel: Easel, colour: Colour, deep: float) -> None:
    """Lines on the floor that run towards the back, and some across."""
    pen = easel.pen()
    reach = int(easel.half) + 2
    for number in range(-3 * reach, 3 * reach + 1):
        x = number * 0.9
        pen.line(colour, 0.025, (x, 0), (x * 2.6, -easel.low))
    y, step = 0.0, 0.35
    while y > -easel.low:
        pen.line(colour, 0.02, (-easel.half - 1, y), (easel.half + 1, y))
        y, step = y - step, step * 1.6
    easel.shadow(0, -0.1, easel.half * 1.2, deep * 0.5, 0.25)


def tiled(easel: Easel, tone: str = "white", floor: Colour = STONE, step: float = 0.8) -> None:
    """A wall of tiles over a floor of tiles."""
    colour = wall(easel, tone)
    pen = easel.pen()
    joint = dark(colour, 0.16)
    y = 0.0
    row = 0
    while y < easel.top:
        pen.line(joint, 0.03, (-easel.half - 1, y), (easel.half + 1, y))
        x = -math.ceil(easel.half) - 1 + (row % 2) * step
        while x < easel.half + 1:
            pen.line(joint, 0.03, (x, y), (x, y + step))
            x += 2 * step
        y, row = y + step, row + 1
    ground = between(floor, easel.palette.ground[0], 0.3)
    easel.wash(-easel.low, 0, between(ground, colour, 0.3), ground, dark(ground, 0.55))
    pen.box(dark(colour, 0.3), -easel.half - 1, 0, easel.half + 1, 0.22)
    _boards(easel, dark(ground, 0.2), 0.9)


def counter(
    easel: Easel, tone: str = "warm", front: Colour = WOOD, top: Colour = STONE, tiles: bool = False
) -> None:
    """A wall behind a counter, seen from its front; things stand on it."""
    if tiles:
        tiled(easel, tone)
    else:
        wall(easel, tone)
    _front(easel, front, top)


def _front(easel: Easel, front: Colour, top: Colour) -> None:
    pen = easel.pen()
    shown = between(front, easel.palette.ground[0], 0.3)
    easel.wash(-easel.low, -0.3, shown, dark(shown, 0.3), dark(shown, 0.65))
    x = -math.ceil(easel.half) - 1.0
    while x < easel.half + 1:
        pen.box(dark(shown, 0.3), x, -easel.low, x + 0.05, -0.3)
        x += 1.25
    slab = between(top, easel.palette.light, 0.15)
    pen.box(slab, -easel.half - 1, -0.3, easel.half + 1, 0.12)
    pen.box(pale(slab, 0.4), -easel.half - 1, 0.05, easel.half + 1, 0.12)
    easel.shadow(0, -0.42, easel.half * 1.4, 0.35, 0.5)


def tabletop(easel: Easel, tone: str = "dark", top: Colour = WOOD, lights: bool = True) -> None:
    """A table close up, and behind it a room out of focus."""
    colour = wall_colour(easel.palette, tone)
    easel.wash(0, easel.top, dark(colour, 0.55), dark(colour, 0.2), colour)
    if lights:
        _far_lights(easel)
        _twinkle(easel)
    easel.light(-1.5, easel.top * 0.5, 5.0, 0.6)
    surface = between(top, easel.palette.ground[0], 0.25)
    easel.wash(
        -easel.low, 0.5, pale(surface, 0.22), surface, dark(surface, 0.35), dark(surface, 0.7)
    )
    pen = easel.pen()
    for _ in range(26):
        y = -float(easel.chance.uniform(-0.4, 1)) * easel.low
        x = float(easel.chance.uniform(-easel.half, easel.half))
        wide = float(easel.chance.uniform(1, 4))
        pen.line(dark(surface, 0.14), 0.03, (x, y), (x + wide, y + 0.03))
    pen.box(pale(surface, 0.45), -easel.half - 1, 0.46, easel.half + 1, 0.51)


def _far_lights(easel: Easel) -> None:
    """Discs of light out of focus."""
    tones = (easel.palette.light, easel.palette.accent, easel.palette.sky[-1])
    for _ in range(22):
        tone = tones[int(easel.chance.integers(0, 3))]
        x = float(easel.chance.uniform(-1, 1)) * easel.half
        y = float(easel.chance.uniform(0.1, 0.97)) * easel.top
        level = float(easel.chance.uniform(0.12, 0.34))
        easel.disc(tone, x, y, float(easel.chance.uniform(0.2, 0.75)), level)


def _twinkle(easel: Easel) -> None:
    """A few of the lights far away come and go."""
    pen = easel.pen()
    for number in range(5):
        across = float(easel.chance.uniform(-0.85, 0.85)) * min(easel.half, 7.0)
        x, y = pen.place(across, float(easel.chance.uniform(0.55, 0.92)) * easel.top)
        reach = pen.share(float(easel.chance.uniform(0.3, 0.6)))
        easel.moving.append(
            Blink(
                x,
                y,
                reach,
                pen.shape,
                easel.palette.light,
                2.6 + number * 0.5,
                number * 0.3,
                level=0.35,
            )
        )


def workshop(easel: Easel, tone: str = "grey", board: Colour = (176, 138, 96)) -> None:
    """A board of holes for tools, over a workbench."""
    colour = wall(easel, tone)
    pen = easel.pen()
    plate = between(board, easel.palette.ground[0], 0.2)
    high = min(easel.top * 0.72, 6.4)
    pen.box(dark(colour, 0.4), -easel.half - 1, 0.9, easel.half + 1, high + 0.12)
    pen.box(plate, -easel.half - 1, 1.0, easel.half + 1, high)
    y = 1.3
    while y < high - 0.2:
        x = -math.ceil(easel.half) - 0.25
        while x < easel.half + 0.5:
            pen.oval(dark(plate, 0.3), x, y, 0.045)
            x += 0.5
        y += 0.5
    _front(easel, WOOD, (190, 148, 104))


def hall(easel: Easel, tone: str = "cool", floor: Colour = (182, 138, 92)) -> None:
    """A large hall with a row of tall windows."""
    room(easel, tone, floor, panel=False)
    pen = easel.pen()
    colour = wall_colour(easel.palette, tone)
    high, x = min(easel.top * 0.78, 7.4), -math.ceil(easel.half / 3.2) * 3.2
    pane = between(easel.palette.sky[-1], WHITE, 0.45)
    while x < easel.half + 2:
        pen.box(dark(colour, 0.25), x - 1.25, 1.5, x + 1.25, high)
        pen.box(pane, x - 1.15, 1.6, x + 1.15, high - 0.1)
        pen.box(between(pane, easel.palette.sky[1], 0.3), x - 1.15, 1.6, x + 1.15, 2.9)
        for bar in (-0.02, 0.02):
            pen.box(dark(colour, 0.25), x + bar - 0.05, 1.6, x + bar + 0.05, high)
        pen.box(dark(colour, 0.25), x - 1.2, high * 0.62, x + 1.2, high * 0.62 + 0.09)
        easel.light(x, 3.5, 2.2, 0.25, pane)
        x += 3.2


def mirrors(easel: Easel, tone: str = "rose", floor: Colour = (190, 140, 92)) -> None:
    """A hall whose wall is a mirror, with a rail along it."""
    room(easel, tone, floor, panel=False)
    pen = easel.pen()
    colour = wall_colour(easel.palette, tone)
    high, x = min(easel.top * 0.8, 7.2), -math.ceil(easel.half / 3) * 3.0 - 1.5
    glass = between(colour, easel.palette.sky[-1], 0.5)
    while x < easel.half + 1:
        pen.box(dark(colour, 0.45), x, 0.4, x + 3, high)
        pen.box(glass, x + 0.04, 0.45, x + 2.96, high - 0.06)
        pen.poly(
            pale(glass, 0.3),
            (x + 0.4, 0.45),
            (x + 1.1, 0.45),
            (x + 2.4, high - 0.06),
            (x + 1.7, high - 0.06),
        )
        pen.poly(
            pale(glass, 0.2),
            (x + 1.4, 0.45),
            (x + 1.6, 0.45),
            (x + 2.9, high - 0.06),
            (x + 2.7, high - 0.06),
        )
        x += 3.0
