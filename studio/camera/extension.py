"""A photo of another shape made to fill a canvas by what lies at its edges, mirrored and blurred. Pure."""

import numpy as np
from PIL import Image, ImageFilter

# The extension is made this many times smaller, which costs next to nothing, and blurred there.
SMALLER = 12
# How far it is blurred, and how broad the edge is that fades into it: shares of the canvas's shorter side.
BLUR, BORDER = 0.065, 0.025
# The light that is left of it at the far edge of the canvas; at the photo it has all.
FAR_LIGHT = 0.65
Size = tuple[int, int]


def extended(shown: Image.Image, corner: Size, size: Size) -> Image.Image:
    """A canvas of `size` with the RGB picture at `corner`, continued to the edges, blurred and a little darker."""
    canvas = _blurred(shown, corner, size).resize(size, Image.Resampling.BICUBIC)
    canvas.paste(shown, corner, soft_mask(shown.size, size, BORDER))
    return canvas


def soft_mask(part: Size, size: Size, border: float) -> Image.Image:
    """A mask of a part of a canvas that fades out along those of its edges that lie inside it.

    `border` is a share of the canvas's shorter side.
    """
    reach = max(1.0, border * min(size))
    across, down = (
        _ramp(length, reach) if length < whole else np.ones(length)
        for length, whole in zip(part, size, strict=True)
    )
    return Image.fromarray((255 * down[:, None] * across[None, :] + 0.5).astype(np.uint8))


def _blurred(shown: Image.Image, corner: Size, size: Size) -> Image.Image:
    """The extension, made small."""
    small = max(2, size[0] // SMALLER), max(2, size[1] // SMALLER)
    place = [
        (first, max(first + 1, round((low + long) * few / whole)))
        for low, long, few, whole in zip(corner, shown.size, small, size, strict=True)
        for first in (min(round(low * few / whole), few - 1),)
    ]
    wide, high = (high - low for low, high in place)
    few = np.asarray(shown.resize((wide, high), Image.Resampling.BOX), np.float32)
    rows, columns = _mirrored(place[1][0], high, small[1]), _mirrored(place[0][0], wide, small[0])
    lit = few[rows][:, columns] * _light(place, small)[..., None]
    whole = Image.fromarray((lit + 0.5).astype(np.uint8))
    return whole.filter(ImageFilter.GaussianBlur(BLUR * min(small)))


def _mirrored(before: int, count: int, whole: int) -> np.ndarray:
    """For each of `whole` places, of which `count` after the first ones are a picture's, the one it repeats."""
    turn = (np.arange(whole) - before) % (2 * count)
    return np.minimum(turn, 2 * count - 1 - turn)


def _light(place: list[Size], small: Size) -> np.ndarray:
    """All at the picture, less the farther away, by the distance to the canvas's edge."""
    shares = []
    for (low, high), whole in zip(place, small, strict=True):
        spots = np.arange(whole) + 0.5
        away = np.maximum(0, np.maximum(low - spots, spots - high))
        shares.append(1 - (1 - FAR_LIGHT) * away / max(1, low, whole - high))
    return np.asarray(np.minimum(shares[1][:, None], shares[0][None, :]), np.float32)


def _ramp(length: int, reach: float) -> np.ndarray:
    steps = np.arange(length) + 0.5
    share = np.clip(np.minimum(steps, length - steps) / reach, 0, 1)
    return np.asarray(share * share * (3 - 2 * share))
