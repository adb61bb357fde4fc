"""Masks: (batch, height, width) of float32 in [0, 1], where 1 is taken."""

import numpy as np

from studio.filters.sizes import scaled
from studio.filters.values import Array, ensure_room

CHANNELS = ("red", "green", "blue", "alpha")


def solid(value: float, width: int, height: int) -> Array:
    """A mask of one value. Raises TooLargeError."""
    ensure_room(1, height, width)
    return np.full((1, height, width), value, np.float32)


def as_image(mask: Array) -> Array:
    """The mask as a grey picture."""
    return np.repeat(mask[..., None], 3, axis=-1)


def of_channel(image: Array, channel: str) -> Array:
    """One channel as a mask. Raises ValueError for `alpha`, which pictures here do not have."""
    if channel == "alpha":
        raise ValueError("expected red, green or blue: the picture has no alpha channel")
    return image[..., CHANNELS.index(channel)]


def of_colour(image: Array, colour: int) -> Array:
    """1 where a pixel has exactly this colour."""
    levels = np.rint(np.clip(image, 0, 1) * 255).astype(np.int32)
    packed = (levels[..., 0] << 16) + (levels[..., 1] << 8) + levels[..., 2]
    return (packed == colour).astype(np.float32)


def composited(
    destination: Array, source: Array, x: int, y: int, *, fitted: bool, mask: Array | None
) -> Array:
    """The source on the destination at (x, y), where the mask takes it; without a mask everywhere."""
    height, width = destination.shape[1:3]
    if fitted:
        source = scaled(source, width, height, "bilinear")
    source = _repeated(source, len(destination))
    weights = np.ones((*source.shape[:3], 1), np.float32) if mask is None else _fit(mask, source)
    x, y = min(x, width), min(y, height)
    out = destination.copy()
    part = out[:, y : y + source.shape[1], x : x + source.shape[2]]
    shown = (slice(None), slice(0, part.shape[1]), slice(0, part.shape[2]))
    part[...] = weights[shown] * source[shown] + (1 - weights[shown]) * part
    return out


def _fit(mask: Array, source: Array) -> Array:
    grown = scaled(mask[..., None], source.shape[2], source.shape[1], "bilinear")
    return _repeated(grown, len(source))


def _repeated(batch: Array, count: int) -> Array:
    ensure_room(count, *batch.shape[1:3])
    return batch[np.arange(count) % len(batch)] if len(batch) != count else batch
