"""Tones of pictures: blending, blurring, sharpening and few colours, by the formulas of ComfyUI's own nodes."""

import math
from collections.abc import Callable

import numpy as np
from PIL import Image

from studio.filters.arrays import Array, scale, to_floats, to_image

_SHARPNESS = 10.0
Check = Callable[[], None]


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
        image = _convolve(image, weights, axis, check)
    return image


def _convolve(image: Array, weights: Array, axis: int, check: Check) -> Array:
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
