"""Logos, menus and drawings: shown whole, on a plain ground, above the captions. Pure, numpy and Pillow."""

import numpy as np
from PIL import Image, ImageChops

from studio.camera.contrast import deep
from studio.camera.crop import Window
from studio.camera.motion import Subject
from studio.camera.palettes import Palette

# How much of the canvas a graphic takes, across and down, where its middle lies, and what it stays above, upright
# and wide: captions stand below `Layout.divide`, and the camera sees less than the canvas.
ROOMS = {True: ((0.62, 0.38), 0.36, 0.51), False: ((0.62, 0.52), 0.46, 0.7)}
# A picture with so much see-through is an emblem: it gets a ground, light or dark, that it stands out from.
SEE_THROUGH = 0.02
LIGHT_GROUND = ((252, 249, 243), (221, 214, 203))
# How much of the palette's light is in a light ground, at its top and its bottom.
TINT = (0.16, 0.4)
# A picture whose border differs so little (standard deviation of levels) is a graphic on a ground of its own; what
# differs more than `INK` from that is drawn on it, and gets `AIR` around it, in shares of the picture's sides.
PLAIN, INK, AIR = 6.0, 14, 0.03
LOOKED_AT, BORDER = 512, 0.015
# A photographed page: hardly any colour (share of the full range), light, and with few spots half as light.
COLOURLESS, LIGHT, DARK_SPOTS = 0.15, 0.5, 0.2
Size = tuple[int, int]
Colour = tuple[int, int, int]


def see_through(photo: Image.Image) -> bool:
    """Whether an RGBA picture shows what is behind it."""
    alpha = photo.getchannel("A")
    few = alpha.resize((min(64, alpha.width), min(64, alpha.height)), Image.Resampling.BOX)
    return bool(np.mean(np.asarray(few) < 250) > SEE_THROUGH)


def plain_border(photo: Image.Image) -> Colour | None:
    """The colour of an RGB picture's border, or None where it has no single one."""
    pixels = np.asarray(_small(photo), np.float32)
    reach = max(1, round(BORDER * min(pixels.shape[:2])))
    inner = np.zeros(pixels.shape[:2], bool)
    inner[reach:-reach, reach:-reach] = True
    border = pixels[~inner]
    if border.std(axis=0).max() >= PLAIN:
        return None
    red, green, blue = (int(level + 0.5) for level in np.median(border, axis=0))
    return red, green, blue


def is_page(photo: Image.Image) -> bool:
    """Whether an RGB picture may be a page that was photographed, whose rows cannot be read when they are cut."""
    pixels = np.asarray(_small(photo), np.float32) / 255
    strength = pixels.max(axis=2) - pixels.min(axis=2)
    light = pixels.mean(axis=2)
    usual = float(np.median(light))
    return bool(
        np.percentile(strength, 95) < COLOURLESS
        and usual > LIGHT
        and np.mean(light < usual / 2) < DARK_SPOTS
    )


def drawn_in(photo: Image.Image, ground: Colour) -> Window | None:
    """Where, in shares of an RGB picture, something is drawn on its ground, with some air; None if nothing is."""
    small = _small(photo)
    away = ImageChops.difference(small, Image.new("RGB", small.size, ground))
    strongest = np.asarray(away).max(axis=2)
    box = Image.fromarray((255 * (strongest > INK)).astype(np.uint8)).getbbox()
    if box is None:
        return None
    left, right = box[0] / small.width, box[2] / small.width
    top, bottom = box[1] / small.height, box[3] / small.height
    return max(0.0, left - AIR), max(0.0, top - AIR), min(1.0, right + AIR), min(1.0, bottom + AIR)


def trimmed(emblem: Image.Image) -> Image.Image:
    """The part of an RGBA picture that can be seen, or all of it where none can."""
    visible = emblem.getchannel("A").point(lambda level: 255 * (level > 8)).getbbox()
    return emblem.crop(visible) if visible else emblem


def contrasting_ground(emblem: Image.Image, size: Size, palette: Palette) -> Image.Image:
    """A ground in the palette's colours, a little darker downwards, that an RGBA emblem stands out from."""
    sample = np.asarray(emblem.resize((32, 32)), np.float32)
    weights = sample[..., 3] + 1e-3
    light = float((sample[..., :3].mean(axis=2) * weights).sum() / weights.sum())
    dark = deep(palette.ground[1])
    colours = (palette.ground[1], dark) if light > 120 else _light_ground(palette)
    rows = np.linspace(0, 1, size[1])[:, None]
    column = np.array(colours[0]) * (1 - rows) + np.array(colours[1]) * rows
    return Image.fromarray((column[:, None] + 0.5).astype(np.uint8)).resize(size)


def _light_ground(palette: Palette) -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple(
            plain + (hue - plain) * tint for plain, hue in zip(ground, palette.light, strict=True)
        )
        for ground, tint in zip(LIGHT_GROUND, TINT, strict=True)
    )


def room_for(shape: float, size: Size) -> Subject:
    """Where a graphic of that shape (width / height) stands on the canvas, in shares of it."""
    (across, down), middle, lowest = ROOMS[size[1] > size[0]]
    height = min(down * size[1], across * size[0] / shape)
    width = max(1.0, height * shape) / size[0]
    height = max(1.0, height) / size[1]
    top = min(middle - height / 2, lowest - height)
    return Subject(0.5 - width / 2, top, 0.5 + width / 2, top + height)


def _small(photo: Image.Image) -> Image.Image:
    scale = min(1.0, LOOKED_AT / max(photo.size))
    size = max(1, round(photo.width * scale)), max(1, round(photo.height * scale))
    return photo.resize(size, Image.Resampling.BOX)
