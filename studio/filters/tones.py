"""Tones of pictures: blending, blurring, sharpening and few colours, by the formulas of ComfyUI's own nodes."""

import math
from collections.abc import Callable

import numpy as np
from PIL import Image

from studio.filters.sizes import as_picture, scaled
from studio.filters.values import Array, as_float

BLENDS = ("normal", "multiply", "screen", "overlay", "soft_light", "difference")
DITHERS = ("none", "floyd-steinberg", "bayer-2", "bayer-4", "bayer-8", "bayer-16")
_SHARPNESS = 10.0
Check = Callable[[], None]


def blended(first: Array, second: Array, factor: float, mode: str) -> Array:
    """The second pictures over the first, in their size; `factor` is how much of the mode is taken."""
    if first.shape != second.shape:
        second = scaled(second, first.shape[2], first.shape[1], "bicubic", "center")
    mixed = first * (1 - factor) + _mode(first, second, mode) * factor
    return np.clip(mixed, 0.0, 1.0, dtype=np.float32)


def _mode(a: Array, b: Array, mode: str) -> Array:
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


def blurred(image: Array, radius: int, sigma: float, check: Check) -> Array:
    """The pictures under a Gaussian; its window is 2 wide, whatever the radius, and `sigma` counts in it.

    Raises ValueError where a picture is no larger than the radius.
    """
    if min(image.shape[1:3]) <= radius:
        raise ValueError(f"expected pictures of more than {radius} pixels a side")
    window = np.exp(-(np.linspace(-1, 1, 2 * radius + 1) ** 2) / (2 * sigma * sigma))
    weights = (window / window.sum()).astype(np.float32)
    for axis in (1, 2):
        image = _convolved(image, weights, axis, check)
    return image


def _convolved(image: Array, weights: Array, axis: int, check: Check) -> Array:
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


def sharpened(image: Array, radius: int, sigma: float, alpha: float, check: Check) -> Array:
    """The pictures with what a blur takes away added, ten times `alpha`. Raises as `blurred`."""
    amount = np.float32(alpha * _SHARPNESS)
    sharp = image * (1 + amount) - blurred(image, radius, sigma, check) * amount
    return np.clip(sharp, 0.0, 1.0)


def noisy(image: Array, seed: int, strength: float) -> Array:
    """The pictures with noise; the same seed gives the same noise, which is not ComfyUI's."""
    noise = np.random.default_rng(seed).standard_normal(image.shape, np.float32)
    return np.clip(image + np.float32(strength) * noise, 0, 1)


def quantized(image: Array, colours: int, dither: str, check: Check) -> Array:
    """Each picture in so many colours of its own."""
    done = []
    for each in image:
        check()
        done.append(as_float(_quantized(as_picture(each), colours, dither).convert("RGB")))
    return np.stack(done)


def _quantized(picture: Image.Image, colours: int, dither: str) -> Image.Image:
    palette = picture.quantize(colors=colours)
    if dither == "floyd-steinberg":
        return picture.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
    if dither.startswith("bayer"):
        entries = len(palette.getpalette() or [0, 0, 0]) // 3
        picture = _ordered(picture, int(dither.rpartition("-")[2]), 2 * 256 / entries)
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def _ordered(picture: Image.Image, order: int, spread: float) -> Image.Image:
    """The picture with a Bayer matrix of this order added."""
    matrix = spread * _bayer(int(math.log2(order))) + 0.5
    values = np.asarray(picture, np.float32)
    height, width = values.shape[:2]
    tiles = np.tile(matrix, (-(-height // order), -(-width // order)))[:height, :width]
    return Image.fromarray(np.clip(values + tiles[..., None], 0, 255).astype(np.uint8), "RGB")


def _bayer(n: int) -> Array:
    """The matrix of order 2^n, around zero; ComfyUI's own variant of Bayer's recursion."""
    if n == 0:
        return np.zeros((1, 1), np.float32)
    of = 4**n
    inner = of * _bayer(n - 1)
    return (
        np.block([[inner - 1.5, inner + 0.5], [inner + 1.5, inner - 0.5]]).astype(np.float32) / of
    )
