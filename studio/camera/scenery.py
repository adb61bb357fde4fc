"""Painted backgrounds by name and seed, for those who have no photos. Pure, numpy and Pillow."""

import random
from collections.abc import Callable

import numpy as np
from PIL import Image

from studio.camera.moving import Moving, Subject
from studio.camera.palettes import Palette
from studio.camera.photos import Fitted
from studio.camera.scenes import indoors, landscapes, town
from studio.camera.scenes.brush import Size, add_grain
from studio.camera.scenes.compositions import compose, find_scene, list_scenes

Painter = Callable[[Palette, Size, np.random.Generator], Image.Image]
# Scenes for any trade, of no parts and without movement of their own.
PICTURES: dict[str, Painter] = {
    name.removeprefix("paint_"): painter
    for module in (landscapes, town, indoors)
    for name, painter in vars(module).items()
    if name.startswith("paint_") and painter.__module__ == module.__name__
}


def list_paintable() -> list[str]:
    """Return the names of all scenes."""
    return [*PICTURES, *list_scenes()]


def paint(scene: str, take: int, palette: Palette, size: Size, seed: str) -> Fitted:
    """Paint the scene of that name in `size`; every take is another picture, the same for the same seed."""
    chance = np.random.default_rng(random.Random(f"picture {seed} {scene} {take}").getrandbits(64))  # noqa: S311
    moving: tuple[Moving, ...] = ()
    composition = None if scene in PICTURES else find_scene(scene)
    if composition:
        picture, moving = compose(composition, take, palette, size, chance)
    else:
        picture = PICTURES[scene](palette, size, chance)
    add_grain(picture, chance)
    return Fitted(picture, Subject(), moving)
