"""A scene put together: a room, things in it, and how its takes differ. Pure but for the picture."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image

from studio.camera.moving import Mirrored, Moving
from studio.camera.palettes import Palette
from studio.camera.scenes.brush import Size
from studio.camera.scenes.easel import Easel, View
from studio.camera.scenes.pen import Pen
from studio.camera.scenes.props.windows import dust

Prop = Callable[[Pen], None]
# Takes of a scene: all of it; mirrored and nearer; nearer still from one side, from the other; ...
TAKES = (
    View(),
    View(1.22, 0.9, True),
    View(1.38, -1.1),
    View(1.12, -0.6, True),
    View(1.5, 0.4),
    View(1.28, 1.3),
)


@dataclass(frozen=True)
class Put:
    """Something that stands `x` units beside the middle, or hangs at a share `hung` of the height above."""

    prop: Prop
    x: float = 0.0
    scale: float = 1.0
    lift: float = 0.0
    hung: float | None = None


def hang(prop: Prop, x: float = 0.0, share: float = 0.62, scale: float = 1.0) -> Put:
    """Something that hangs at a share of the height above the level."""
    return Put(prop, x, scale, 0.0, share)


@dataclass(frozen=True)
class Composition:
    """A room with things in it, those behind first; `far` ones are out of focus."""

    room: Callable[[Easel], None]
    things: tuple[Put, ...]
    far: tuple[Put, ...] = ()

    def __call__(self, easel: Easel) -> None:
        """Paint it on the easel."""
        self.room(easel)
        if self.far:
            for put in self.far:
                _place(easel, put)
            easel.soften()
        for put in self.things:
            _place(easel, put)
        if not easel.moving:
            dust(easel.pen(0, 1.5), 7.0, 5.0)


def _place(easel: Easel, put: Put) -> None:
    lift = put.lift if put.hung is None else put.hung * easel.top
    if put.hung is None and put.lift <= 0.3:
        easel.shadow(put.x + 0.2, put.lift, 1.5 * put.scale, 0.3 * put.scale)
    put.prop(easel.pen(put.x, lift, put.scale))


def composed(
    composition: Composition, take: int, palette: Palette, size: Size, chance: np.random.Generator
) -> tuple[Image.Image, tuple[Moving, ...]]:
    """The picture of a take of a composition, and what moves in it."""
    easel = Easel(palette, size, chance, TAKES[take % len(TAKES)])
    composition(easel)
    moving = tuple(easel.moving)
    if easel.view.mirrored:
        moving = tuple(Mirrored(piece) for piece in moving)
    return easel.finished(), moving
