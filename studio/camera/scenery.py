"""Painted backgrounds by name and seed, for those who have no photos. Pure, numpy and Pillow."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image

from studio.camera.moving import Moving
from studio.camera.palettes import Palette
from studio.camera.scenes.brush import Size, grain
from studio.camera.scenes.city import lights, skyline
from studio.camera.scenes.composing import Composition, composed
from studio.camera.scenes.hanok import hanok
from studio.camera.scenes.landscapes import forest, hills, night
from studio.camera.scenes.market import market
from studio.camera.scenes.meadow import flowers
from studio.camera.scenes.sets.catalog import COMPOSITIONS
from studio.camera.scenes.shopfront import shopfront
from studio.camera.scenes.shore import sea
from studio.camera.scenes.stage import stage
from studio.camera.scenes.table import cup

Painter = Callable[[Palette, Size, np.random.Generator], Image.Image]
# Scenes for any trade, of no parts and without movement of their own.
GENERAL: dict[str, Painter] = {
    "hills": hills,
    "sea": sea,
    "forest": forest,
    "flowers": flowers,
    "night": night,
    "skyline": skyline,
    "hanok": hanok,
    "market": market,
    "lights": lights,
    "shopfront": shopfront,
    "cup": cup,
    "stage": stage,
}
SCENES: dict[str, Painter | Composition] = {**GENERAL, **COMPOSITIONS}


@dataclass(frozen=True)
class Painted:
    """A picture in RGB, and what moves over it while it is filmed."""

    picture: Image.Image
    moving: tuple[Moving, ...] = ()


def paint(scene: str, take: int, palette: Palette, size: Size, seed: str) -> Painted:
    """The scene of that name in `size`; every take of it is another picture, the same for the same seed."""
    chance = np.random.default_rng(random.Random(f"picture {seed} {scene} {take}").getrandbits(64))  # noqa: S311
    painter = SCENES[scene]
    if isinstance(painter, Composition):
        picture, moving = composed(painter, take, palette, size, chance)
    else:
        picture, moving = painter(palette, size, chance), ()
    grain(picture, chance)
    return Painted(picture, moving)
