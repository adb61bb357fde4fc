"""Pictures as arrays: how they are scaled, cut, joined, masked, blended, blurred and reduced to few colours.

Pictures are (batch, height, width, 3), masks (batch, height, width), both float32 in [0, 1]. The sampling is that
of PyTorch's `interpolate`, which ComfyUI uses: half-pixel centers, no antialiasing; `area` is its adaptive
average. `lanczos` is Pillow's on 8 bits. Tones follow the formulas of ComfyUI's own nodes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Array = NDArray[Any]

LONGEST_SIDE = 16_384
"""ComfyUI's MAX_RESOLUTION."""
MOST_PIXELS = 25_000_000
"""In all pictures of a batch: 300 MB."""
MOST_HELD = 100_000_000
"""Pixels in all batches that wait for the nodes that take them: 1.2 GB."""
_BYTES_A_PIXEL = 12

CHANNELS = ("red", "green", "blue")
COLOURS = {
    "white": (1.0, 1.0, 1.0),
    "black": (0.0, 0.0, 0.0),
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
}
_CUBIC = -0.75

_SHARPNESS = 10.0
Check = Callable[[], None]


class SizeError(ValueError):
    """The pictures would have no pixels, or more than one machine bears."""


def ensure_room(batch: int, height: int, width: int) -> None:
    """Return if pictures of this size may be made; raises SizeError."""
    if min(batch, height, width) < 1:
        raise SizeError(f"{batch} x {width} x {height} pixels; expected at least 1 a side")
    if batch * height * width > MOST_PIXELS or max(height, width) > LONGEST_SIDE:
        raise SizeError(
            f"{batch} x {width} x {height} pixels; expected at most {MOST_PIXELS // 1_000_000} million "
            f"in all, and {LONGEST_SIDE} a side"
        )


def ensure_held(values: Iterable[Any]) -> None:
    """Return if so much may be kept at once; raises SizeError. A part of a picture keeps all of it."""
    arrays = [each for each in values if isinstance(each, np.ndarray)]
    owners = [each if each.base is None else each.base for each in arrays]
    kept = {id(each): getattr(each, "nbytes", 0) for each in owners}
    if sum(kept.values()) > MOST_HELD * _BYTES_A_PIXEL:
        raise SizeError(
            f"expected at most {MOST_HELD // 1_000_000} million pixels that wait for other nodes"
        )


def to_floats(picture: Any) -> Array:
    """Return an 8-bit image or channel in [0, 1]."""
    return np.asarray(picture, np.float32) / np.float32(255.0)


def to_image(picture: Array) -> Image.Image:
    """Return one picture (height, width, 3) as an 8-bit image."""
    return Image.fromarray(np.clip(picture * 255.0, 0, 255).astype(np.uint8), "RGB")


def fill(batch: int, height: int, width: int, colour: Sequence[float]) -> Array:
    """Return pictures of one colour. Raises SizeError."""
    ensure_room(batch, height, width)
    return np.broadcast_to(np.asarray(colour, np.float32), (batch, height, width, 3)).copy()


def scale(image: Array, width: int, height: int, method: str, crop: str = "disabled") -> Array:
    """Return the pictures in this size; `center` first cuts them to its proportions.

    Raises SizeError.
    """
    if crop == "center":
        image = _cut_to_proportions(image, width, height)
    count, old_height, old_width = image.shape[:3]
    ensure_room(count, height, width)
    if method == "lanczos":
        ensure_room(1, old_height, width)  # Pillow's own first step
        resized = (
            to_image(each).resize((width, height), Image.Resampling.LANCZOS) for each in image
        )
        return np.stack([to_floats(each) for each in resized])
    # The step that leaves fewer pixels comes first: between them there are no more than in the larger picture.
    steps = [(height, 1), (width, 2)]
    if height * old_width > old_height * width:
        steps.reverse()
    for size, axis in steps:
        image = (
            _average(image, size, axis) if method == "area" else _sample(image, size, axis, method)
        )
    return image


def _cut_to_proportions(image: Array, width: int, height: int) -> Array:
    old_height, old_width = image.shape[1:3]
    old, new = old_width / old_height, width / height
    x = round((old_width - old_width * (new / old)) / 2) if old > new else 0
    y = round((old_height - old_height * (old / new)) / 2) if old < new else 0
    ensure_room(1, old_height - 2 * y, old_width - 2 * x)
    return image[:, y : old_height - y, x : old_width - x]


def _sample(image: Array, size: int, axis: int, method: str) -> Array:
    out = np.zeros([*image.shape[:axis], size, *image.shape[axis + 1 :]], np.float32)
    for index, weight in zip(*_find_taps(image.shape[axis], size, method), strict=True):
        out += image.take(index, axis) * _align(weight, axis, image.ndim)
    return out


def _align(line: Array, axis: int, dimensions: int) -> Array:
    """Return the line as numbers along one axis of an array with so many."""
    shape = [1] * dimensions
    shape[axis] = len(line)
    return line.astype(np.float32).reshape(shape)


def _find_taps(old: int, new: int, method: str) -> tuple[Sequence[Array], Sequence[Array]]:
    """Return which old pixels each new one is made of, and their weights, tap by tap."""
    if method == "nearest-exact":
        # As PyTorch rounds it: pixels half-way depend on it.
        step = np.float32(old) / np.float32(new)
        nearest = (step * (np.arange(new, dtype=np.float32) + np.float32(0.5))).astype(np.int64)
        return [np.minimum(nearest, old - 1)], [np.ones(new)]
    at = (np.arange(new) + 0.5) * old / new - 0.5
    if method == "bilinear":
        at = np.maximum(at, 0.0)
    first = np.floor(at)
    part = at - first
    if method == "bilinear":
        offsets, weights = [0, 1], [1 - part, part]
    else:
        offsets = [-1, 0, 1, 2]
        weights = [_weigh_cubic(np.abs(part - offset)) for offset in offsets]
    return [np.clip(first + offset, 0, old - 1).astype(np.int64) for offset in offsets], weights


def _weigh_cubic(x: Array) -> Array:
    """Return Keys' kernel (IEEE Trans. ASSP 29, 1981) with a = -0.75."""
    near = ((_CUBIC + 2) * x - (_CUBIC + 3)) * x * x + 1
    far = ((_CUBIC * x - 5 * _CUBIC) * x + 8 * _CUBIC) * x - 4 * _CUBIC
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def _average(image: Array, size: int, axis: int) -> Array:
    """Make each new pixel the mean of the old ones that it touches."""
    old = image.shape[axis]
    starts = np.arange(size) * old // size
    ends = -(-(np.arange(size) + 1) * old // size)
    sums = np.zeros([*image.shape[:axis], size, *image.shape[axis + 1 :]], np.float32)
    for offset in range(int((ends - starts).max())):
        touched = image.take(np.minimum(starts + offset, old - 1), axis)
        sums += touched * _align(starts + offset < ends, axis, image.ndim)
    return sums / _align(ends - starts, axis, image.ndim)


def scale_to_sides(image: Array, method: str, width: int, height: int, crop: str) -> Array:
    """Scale to this size, of which one side may be 0: it follows from the other."""
    old_height, old_width = image.shape[1:3]
    if width == 0 and height == 0:
        return image
    width = width or max(1, round(old_width * height / old_height))
    height = height or max(1, round(old_height * width / old_width))
    return scale(image, width, height, method, crop)


def scale_by(image: Array, method: str, factor: float) -> Array:
    """Scale both sides by the factor."""
    height, width = image.shape[1:3]
    return scale(image, round(width * factor), round(height * factor), method)


def scale_to_pixels(image: Array, method: str, megapixels: float) -> Array:
    """Scale to about this many pixels of 1024 x 1024."""
    height, width = image.shape[1:3]
    factor = math.sqrt(int(megapixels * 1024 * 1024) / (width * height))
    return scale_by(image, method, factor)


def scale_to_longer_side(image: Array, method: str, largest: int) -> Array:
    """Scale to this longer side."""
    height, width = image.shape[1:3]
    longer = max(width, height)
    width, height = (round(side / longer * largest) for side in (width, height))
    return scale(image, width, height, method)


def fit(image: Array, width: int, height: int, colour: str, method: str) -> Array:
    """Scale the whole pictures into the middle of a frame of this size and colour."""
    old_height, old_width = image.shape[1:3]
    ensure_room(len(image), height, width)
    factor = min(width / old_width, height / old_height)
    inner = scale(image, int(old_width * factor), int(old_height * factor), method)
    return _pad(inner, width, height, COLOURS[colour])


def _pad(image: Array, width: int, height: int, colour: Sequence[float]) -> Array:
    """Put the pictures into the middle of a frame of this size."""
    if image.shape[1:3] == (height, width):
        return image
    frame = fill(len(image), height, width, colour)
    top, left = (height - image.shape[1]) // 2, (width - image.shape[2]) // 2
    frame[:, top : top + image.shape[1], left : left + image.shape[2]] = image
    return frame


def crop(image: Array, width: int, height: int, x: int, y: int) -> Array:
    """Cut out the part of the pictures from (x, y), no larger than what is there."""
    x, y = min(x, image.shape[2] - 1), min(y, image.shape[1] - 1)
    return image[:, y : y + height, x : x + width]


def join_batches(first: Array, second: Array) -> Array:
    """Return all pictures in one batch, the second ones in the size of the first."""
    if first.shape[1:] != second.shape[1:]:
        second = scale(second, first.shape[2], first.shape[1], "bilinear", "center")
    ensure_room(len(first) + len(second), *first.shape[1:3])
    return np.concatenate((first, second))


def repeat_batch(image: Array, amount: int) -> Array:
    """Repeat the batch this many times."""
    ensure_room(len(image) * amount, *image.shape[1:3])
    return np.tile(image, (amount, 1, 1, 1))


def slice_batch(image: Array, first: int, count: int) -> Array:
    """Return this many pictures of the batch, no more than there are, and at least its last."""
    first = min(len(image) - 1, first)
    return image[first : first + count]


def stitch(
    first: Array,
    direction: str,
    matched: bool,
    spacing: int,
    colour: str,
    second: Array | None = None,
) -> Array:
    """Put both pictures side by side or one below the other, with a strip of colour between them."""
    if second is None:
        return first
    axis = 2 if direction in ("right", "left") else 1
    count = max(len(first), len(second))
    first, second = _repeat_last(first, count), _repeat_last(second, count)
    if matched:
        second = _match_side(first, second, axis)
    side = max(first.shape[3 - axis], second.shape[3 - axis])

    def size_of(length: int) -> tuple[int, int]:
        return (length, side) if axis == 2 else (side, length)

    frame = COLOURS["black" if colour in ("red", "green", "blue") else colour]
    parts = [_pad(each, *size_of(each.shape[axis]), frame) for each in (first, second)]
    if direction in ("left", "up"):
        parts.reverse()
    if spacing > 0:
        width, height = size_of(spacing + spacing % 2)
        parts.insert(1, fill(count, height, width, COLOURS[colour]))
    width, height = size_of(sum(part.shape[axis] for part in parts))
    ensure_room(count, height, width)
    return np.concatenate(parts, axis=axis)


def _repeat_last(image: Array, count: int) -> Array:
    ensure_room(count, *image.shape[1:3])
    missing = count - len(image)
    return np.concatenate((image, np.repeat(image[-1:], missing, 0))) if missing else image


def _match_side(first: Array, second: Array, axis: int) -> Array:
    height, width = first.shape[1:3]
    proportion = second.shape[2] / second.shape[1]
    if axis == 2:
        return scale(second, int(height * proportion), height, "lanczos")
    return scale(second, width, int(width / proportion), "lanczos")


def make_mask(value: float, width: int, height: int) -> Array:
    """Return a mask of one value. Raises SizeError."""
    ensure_room(1, height, width)
    return np.full((1, height, width), value, np.float32)


def invert(values: Array) -> Array:
    """Return white for black and black for white, or the other part of a mask."""
    return 1 - values


def cut(mask: Array, level: float) -> Array:
    """Return a mask with 1 above the level, else 0."""
    return (mask > level).astype(np.float32)


def show_mask(mask: Array) -> Array:
    """Return the mask as a grey picture."""
    return np.repeat(mask[..., None], 3, axis=-1)


def take_channel(image: Array, channel: str) -> Array:
    """Return one channel as a mask. Raises ValueError for `alpha`, which pictures here do not have."""
    if channel == "alpha":
        raise ValueError("expected red, green or blue: the picture has no alpha channel")
    return image[..., CHANNELS.index(channel)]


def match_colour(image: Array, colour: int) -> Array:
    """Return a mask with 1 where a pixel has exactly this colour."""
    levels = np.rint(np.clip(image, 0, 1) * 255).astype(np.int32)
    packed = (levels[..., 0] << 16) + (levels[..., 1] << 8) + levels[..., 2]
    return (packed == colour).astype(np.float32)


def composite(
    destination: Array, source: Array, x: int, y: int, fitted: bool, mask: Array | None = None
) -> Array:
    """Lay the source on the destination at (x, y), where the mask takes it; without a mask everywhere."""
    height, width = destination.shape[1:3]
    if fitted:
        source = scale(source, width, height, "bilinear")
    source = _cycle(source, len(destination))
    weights = np.ones((*source.shape[:3], 1), np.float32)
    if mask is not None:
        grown = scale(mask[..., None], source.shape[2], source.shape[1], "bilinear")
        weights = _cycle(grown, len(source))
    x, y = min(x, width), min(y, height)
    out = destination.copy()
    part = out[:, y : y + source.shape[1], x : x + source.shape[2]]
    shown = (slice(None), slice(0, part.shape[1]), slice(0, part.shape[2]))
    part[...] = weights[shown] * source[shown] + (1 - weights[shown]) * part
    return out


def _cycle(batch: Array, count: int) -> Array:
    """Repeat the pictures of the batch in turn until there are this many."""
    ensure_room(count, *batch.shape[1:3])
    return batch[np.arange(count) % len(batch)] if len(batch) != count else batch


def blend(first: Array, second: Array, factor: float, mode: str) -> Array:
    """Lay the second pictures over the first, in their size; `factor` is how much of the mode is taken."""
    if first.shape != second.shape:
        second = scale(second, first.shape[2], first.shape[1], "bicubic", "center")
    mixed = first * (1 - factor) + _mix(first, second, mode) * factor
    return np.clip(mixed, 0.0, 1.0, dtype=np.float32)


def _mix(a: Array, b: Array, mode: str) -> Array:
    match mode:
        case "multiply":
            return a * b
        case "screen":
            return 1 - (1 - a) * (1 - b)
        case "overlay":
            return np.where(a <= 0.5, 2 * a * b, 1 - 2 * (1 - a) * (1 - b))
        case "soft_light":
            curve = np.where(a <= 0.25, ((16 * a - 12) * a + 4) * a, np.sqrt(np.maximum(a, 0)))
            return np.where(b <= 0.5, a - (1 - 2 * b) * a * (1 - a), a + (2 * b - 1) * (curve - a))
        case "difference":
            return a - b
    return b


def blur(image: Array, radius: int, sigma: float, check: Check) -> Array:
    """Blur the pictures by a Gaussian; its window is 2 wide, whatever the radius, and `sigma` counts in it.

    Raises ValueError where a picture is no larger than the radius.
    """
    if min(image.shape[1:3]) <= radius:
        raise ValueError(f"expected pictures of more than {radius} pixels a side")
    window = np.exp(-(np.linspace(-1, 1, 2 * radius + 1) ** 2) / (2 * sigma * sigma))
    weights = (window / window.sum()).astype(np.float32)
    for axis in (1, 2):
        image = _convolve_axis(image, weights, axis, check)
    return image


def _convolve_axis(image: Array, weights: Array, axis: int, check: Check) -> Array:
    radius, size = len(weights) // 2, image.shape[axis]
    edges = [(0, 0)] * image.ndim
    edges[axis] = (radius, radius)
    padded = np.pad(image, edges, mode="reflect")
    out = np.zeros_like(image)
    for offset, weight in enumerate(weights):
        check()
        inside = [slice(None)] * image.ndim
        inside[axis] = slice(offset, offset + size)
        out += padded[tuple(inside)] * weight
    return out


def sharpen(image: Array, radius: int, sigma: float, alpha: float, check: Check) -> Array:
    """Add what a blur takes away, ten times `alpha`. Raises as `blur`."""
    amount = np.float32(alpha * _SHARPNESS)
    sharp = image * (1 + amount) - blur(image, radius, sigma, check) * amount
    return np.clip(sharp, 0.0, 1.0)


def add_noise(image: Array, seed: int, strength: float) -> Array:
    """Add noise to the pictures; the same seed gives the same noise, which is not ComfyUI's."""
    noise = np.random.default_rng(seed).standard_normal(image.shape, np.float32)
    return np.clip(image + np.float32(strength) * noise, 0, 1)


def quantize(image: Array, colours: int, dither: str, check: Check) -> Array:
    """Reduce each picture to this many colours of its own."""
    done = []
    for each in image:
        check()
        done.append(to_floats(_quantize(to_image(each), colours, dither).convert("RGB")))
    return np.stack(done)


def _quantize(picture: Image.Image, colours: int, dither: str) -> Image.Image:
    palette = picture.quantize(colors=colours)
    if dither == "floyd-steinberg":
        return picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
    if dither.startswith("bayer"):
        entries = len(palette.getpalette() or [0, 0, 0]) // 3
        picture = _add_matrix(picture, int(dither.rpartition("-")[2]), 2 * 256 / entries)
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def _add_matrix(picture: Image.Image, order: int, spread: float) -> Image.Image:
    """Add a Bayer matrix of this order to the picture."""
    matrix = spread * _make_bayer(int(math.log2(order))) + 0.5
    values = np.asarray(picture, np.float32)
    height, width = values.shape[:2]
    tiles = np.tile(matrix, (-(-height // order), -(-width // order)))[:height, :width]
    return Image.fromarray(np.clip(values + tiles[..., None], 0, 255).astype(np.uint8), "RGB")


def _make_bayer(n: int) -> Array:
    """Return the matrix of order 2^n, around zero; ComfyUI's own variant of Bayer's recursion."""
    if n == 0:
        return np.zeros((1, 1), np.float32)
    of = 4**n
    inner = of * _make_bayer(n - 1)
    return (
        np.block([[inner - 1.5, inner + 0.5], [inner + 1.5, inner - 0.5]]).astype(np.float32) / of
    )
