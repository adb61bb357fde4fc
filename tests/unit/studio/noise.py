"""Noise that is the same in every run: Pillow's own takes random numbers that differ from run to run."""

import numpy as np
from PIL import Image


def noise(size: tuple[int, int], spread: float) -> Image.Image:
    """Grey levels around 128 with this standard deviation, cut to 0..255."""
    width, height = size
    levels = np.random.default_rng(1).normal(128, spread, (height, width))
    return Image.fromarray(levels.clip(0, 255).astype(np.uint8))
