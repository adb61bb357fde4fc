"""Painted backgrounds by name and seed, for those who have no photos. Pure, numpy and Pillow."""

import random
from collections.abc import Callable

import numpy as np
from PIL import Image

from studio.camera.palettes import Palette
from studio.camera.scenes.brush import Size, grain
from studio.camera.scenes.city import lights, skyline
from studio.camera.scenes.hanok import hanok
from studio.camera.scenes.landscapes import forest, hills, night
from studio.camera.scenes.market import market
from studio.camera.scenes.meadow import flowers
from studio.camera.scenes.shopfront import shopfront
from studio.camera.scenes.shore import sea
from studio.camera.scenes.stage import stage
from studio.camera.scenes.table import cup

Painter = Callable[[Palette, Size, np.random.Generator], Image.Image]
SCENES: dict[str, Painter] = {
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


def paint(scene: str, take: int, palette: Palette, size: Size, seed: str) -> Image.Image:
    """The scene of that name in RGB of `size`; every take of it is another picture, the same for the same seed."""
    chance = np.random.default_rng(random.Random(f"picture {seed} {scene} {take}").getrandbits(64))  # noqa: S311
    picture = SCENES[scene](palette, size, chance)
    grain(picture, chance)
    return picture
