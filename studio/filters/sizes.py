"""Sizes of pictures: arrays (batch, height, width, channels) of float32 in [0, 1] are scaled and cut.

The sampling is that of PyTorch's `interpolate`, which ComfyUI uses: half-pixel centers, no antialiasing; `area` is
its adaptive average. `lanczos` is Pillow's on 8 bits.
"""

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image

from studio.filters.values import Array, ensure_room

METHODS = ("nearest-exact", "bilinear", "area", "bicubic", "lanczos")
CROPS = ("disabled", "center")
_CUBIC = -0.75
COLOURS = {
    "white": (1.0, 1.0, 1.0),
    "black": (0.0, 0.0, 0.0),
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
}


def scaled(image: Array, width: int, height: int, method: str, crop: str = "disabled") -> Array:
    """The pictures in this size; `center` first cuts them to its proportions.

    Raises TooLargeError and TooSmallError.
    """
    if crop == "center":
        image = _cut_to_proportions(image, width, height)
    count, old_height, old_width = image.shape[:3]
    ensure_room(count, height, width)
    if method == "lanczos":
        ensure_room(1, old_height, width)  # Pillow's own first step
        return _lanczos(image, width, height)
    # The step that leaves fewer pixels comes first: between them there are no more than in the larger picture.
    steps = [(height, 1), (width, 2)]
    if height * old_width > old_height * width:
        steps.reverse()
    for size, axis in steps:
        image = (
            _averaged(image, size, axis)
            if method == "area"
            else _sampled(image, size, axis, method)
        )
    return image


def _cut_to_proportions(image: Array, width: int, height: int) -> Array:
    old_height, old_width = image.shape[1:3]
    old, new = old_width / old_height, width / height
    x = round((old_width - old_width * (new / old)) / 2) if old > new else 0
    y = round((old_height - old_height * (old / new)) / 2) if old < new else 0
    ensure_room(1, old_height - 2 * y, old_width - 2 * x)
    return image[:, y : old_height - y, x : old_width - x]


def _sampled(image: Array, size: int, axis: int, method: str) -> Array:
    indexes, weights = _taps(image.shape[axis], size, method)
    shape = [1] * image.ndim
    shape[axis] = size
    out = np.zeros([*image.shape[:axis], size, *image.shape[axis + 1 :]], np.float32)
    for index, weight in zip(indexes, weights, strict=True):
        out += image.take(index, axis) * weight.reshape(shape)
    return out


def _taps(old: int, new: int, method: str) -> tuple[Sequence[Array], Sequence[Array]]:
    """Which old pixels each new one is made of, and their weights, tap by tap."""
    if method == "nearest-exact":
        step = np.float32(old) / np.float32(
            new
        )  # as PyTorch rounds it: half-way pixels depend on it
        nearest = (step * (np.arange(new, dtype=np.float32) + np.float32(0.5))).astype(np.int64)
        return [np.minimum(nearest, old - 1)], [np.ones(new, np.float32)]
    at = (np.arange(new) + 0.5) * old / new - 0.5
    if method == "bilinear":
        at = np.maximum(at, 0.0)
    first = np.floor(at)
    part = at - first
    if method == "bilinear":
        offsets, weights = [0, 1], [1 - part, part]
    else:
        offsets = [-1, 0, 1, 2]
        weights = [_cubic(np.abs(part - offset)) for offset in offsets]
    indexes = [np.clip(first + offset, 0, old - 1).astype(np.int64) for offset in offsets]
    return indexes, [weight.astype(np.float32) for weight in weights]


def _cubic(x: Array) -> Array:
    """Keys' kernel (IEEE Trans. ASSP 29, 1981) with a = -0.75."""
    near = ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1
    far = ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def _averaged(image: Array, size: int, axis: int) -> Array:
    """Each new pixel is the mean of the old ones that it touches."""
    old = image.shape[axis]
    starts = np.arange(size) * old // size
    ends = -(-(np.arange(size) + 1) * old // size)
    sums = np.zeros([*image.shape[:axis], size, *image.shape[axis + 1 :]], np.float32)
    for offset in range(int((ends - starts).max())):
        inside = starts + offset < ends
        shape = [1] * image.ndim
        shape[axis] = size
        taken = image.take(np.minimum(starts + offset, old - 1), axis)
        sums += taken * inside.astype(np.float32).reshape(shape)
    shape = [1] * image.ndim
    shape[axis] = size
    return sums / (ends - starts).astype(np.float32).reshape(shape)


def _lanczos(image: Array, width: int, height: int) -> Array:
    pictures = [
        as_picture(each).resize((width, height), Image.Resampling.LANCZOS) for each in image
    ]
    return np.stack([np.asarray(each, np.float32) / 255.0 for each in pictures])


def as_picture(image: Array) -> Image.Image:
    """One picture (height, width, 3) as an 8-bit image."""
    return Image.fromarray(np.clip(image * 255.0, 0, 255).astype(np.uint8), "RGB")


def scaled_or_whole(image: Array, width: int, height: int, method: str, crop: str) -> Array:
    """The pictures in this size, of which one side may be 0: it follows from the other."""
    old_height, old_width = image.shape[1:3]
    if width == 0 and height == 0:
        return image
    width = width or max(1, round(old_width * height / old_height))
    height = height or max(1, round(old_height * width / old_width))
    return scaled(image, width, height, method, crop)


def scaled_by(image: Array, factor: float, method: str) -> Array:
    """The pictures so many times as wide and high."""
    height, width = image.shape[1:3]
    return scaled(image, round(width * factor), round(height * factor), method)


def scaled_to_pixels(image: Array, megapixels: float, method: str) -> Array:
    """The pictures with about so many pixels of 1024 x 1024."""
    height, width = image.shape[1:3]
    factor = math.sqrt(int(megapixels * 1024 * 1024) / (width * height))
    return scaled(image, round(width * factor), round(height * factor), method)


def scaled_to_side(image: Array, largest: int, method: str) -> Array:
    """The pictures with this longer side."""
    height, width = image.shape[1:3]
    longer = max(width, height)
    width, height = (round(side / longer * largest) for side in (width, height))
    return scaled(image, width, height, method)


def fitted(image: Array, width: int, height: int, colour: str, method: str) -> Array:
    """The whole pictures in the middle of a frame of this size and colour."""
    old_height, old_width = image.shape[1:3]
    factor = min(width / old_width, height / old_height)
    frame = filled(image.shape[0], height, width, COLOURS[colour])
    inner = scaled(image, int(old_width * factor), int(old_height * factor), method)
    top, left = (height - inner.shape[1]) // 2, (width - inner.shape[2]) // 2
    frame[:, top : top + inner.shape[1], left : left + inner.shape[2]] = inner
    return frame


def filled(batch: int, height: int, width: int, colour: Sequence[float]) -> Array:
    """Pictures of one colour. Raises TooLargeError."""
    ensure_room(batch, height, width)
    return np.broadcast_to(np.asarray(colour, np.float32), (batch, height, width, 3)).copy()


def cropped(image: Array, width: int, height: int, x: int, y: int) -> Array:
    """The part of the pictures from (x, y), no larger than what is there."""
    x, y = min(x, image.shape[2] - 1), min(y, image.shape[1] - 1)
    return image[:, y : y + height, x : x + width]
