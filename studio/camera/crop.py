"""What matters in a photo, and the window of another shape that keeps the most of it. Pure, numpy and Pillow.

What draws the eye is guessed from what can be counted: edges, colours that differ from the rest, strong colours,
skin, and a little from what lies in the middle. Heads, which must not be cut, are looked for in `heads`.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from studio.camera.motion import Subject

LOOKED_AT = 96
# What is weaker than this share of the strongest spots is ground, and so is what hardly exceeds the usual spot.
GROUND, EVEN, FAINTEST = 0.3, 1.3, 0.02
# The share of the weight that may lie outside a subject's box, at each side.
STRAY = 0.02
MIDDLE_PULL = 0.3
SKIN = 1.0
# How much more the top of a picture counts than its bottom where the height is cut: faces and names are there.
TOP_PULL = 0.25
Window = tuple[float, float, float, float]


@dataclass(frozen=True)
class Crop:
    """A window of a picture in shares of it (left, top, right, bottom), and the share of what matters inside."""

    window: Window
    keeps: float


def saliency(picture: Image.Image) -> np.ndarray:
    """How much each spot of an RGB picture matters: (rows, columns), at most `LOOKED_AT` of each, not negative.

    All zero where nothing stands out.
    """
    small = reduced(picture)
    pixels = np.asarray(small, np.float32) / 255
    light = pixels.mean(axis=2)
    near, wide = (_blurred(light, radius) for radius in (1.5, 6.0))
    strange = np.linalg.norm(pixels - np.median(pixels, axis=(0, 1)), axis=2)
    strength = pixels.max(axis=2) - pixels.min(axis=2)
    matters = (
        2.0 * np.abs(light - near)
        + 1.2 * np.abs(light - wide)
        + 0.7 * strange
        + 0.3 * np.maximum(0, strength - np.median(strength))
        + SKIN * skin(small)
    )
    matters = _blurred(matters * _middle(matters.shape), 1.5)
    strongest, usual = (float(np.percentile(matters, share)) for share in (99.5, 50))
    if strongest < FAINTEST:
        return np.zeros_like(matters)
    return np.asarray(np.maximum(0, matters - max(GROUND * strongest, EVEN * usual)))


def best_crop(matters: np.ndarray, shape: float) -> Crop:
    """The largest window of that shape (width / height, where the map's cells are square) that keeps the most."""
    rows, columns = matters.shape
    total = float(matters.sum())
    wide = columns / rows > shape
    line = matters.sum(axis=0 if wide else 1)
    share = shape * rows / columns if wide else columns / shape / rows
    start = _best_start(line if wide else line * _downwards(rows), share)
    keeps = _inside(line, start, share) / total if total else 1.0
    window = (start, 0.0, start + share, 1.0) if wide else (0.0, start, 1.0, start + share)
    return Crop(window, keeps)


def subject_in(matters: np.ndarray, window: Window) -> Subject:
    """The smallest box, in shares of the window, that holds nearly all of what matters in it."""
    left, right = _span(matters.sum(axis=0), window[0], window[2])
    top, bottom = _span(matters.sum(axis=1), window[1], window[3])
    return Subject(left, top, right, bottom)


def reduced(picture: Image.Image) -> Image.Image:
    """The picture with at most `LOOKED_AT` pixels a side."""
    scale = min(1.0, LOOKED_AT / max(picture.size))
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    return picture.resize(size, Image.Resampling.BOX)


def _blurred(values: np.ndarray, radius: float) -> np.ndarray:
    image = Image.fromarray((np.clip(values, 0, 4) * 63).astype(np.uint8))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), np.float32) / 63


def skin(small: Image.Image) -> np.ndarray:
    """Where the colour may be a person's, (rows, columns) in [0, 1]: less where all of it may.

    The usual ranges of colour differences.
    """
    light, blue, red = np.moveaxis(np.asarray(small.convert("YCbCr"), np.float32), 2, 0)
    found = (light > 50) & (blue >= 77) & (blue <= 127) & (red >= 136) & (red <= 173)
    return np.asarray(found * (1 - found.mean()), np.float32)


def _middle(shape: tuple[int, ...]) -> np.ndarray:
    """1 in the middle, a little less towards the edges."""
    down, across = (np.linspace(-1, 1, side) if side > 1 else np.zeros(1) for side in shape)
    distance = (down[:, None] ** 2 + across[None, :] ** 2) / 2
    return np.asarray(1 - MIDDLE_PULL * distance, np.float32)


def _downwards(rows: int) -> np.ndarray:
    return np.linspace(1 + TOP_PULL, 1 - TOP_PULL, rows)


def _best_start(line: np.ndarray, share: float) -> float:
    """Where a window of that share keeps the most; of equal ones, in the middle of them."""
    starts = np.linspace(0, 1 - share, 101)
    kept = np.array([_inside(line, start, share) for start in starts])
    best = starts[kept >= kept.max() - 0.01 * float(line.sum()) - 1e-6]
    return float((best[0] + best[-1]) / 2)


def _inside(line: np.ndarray, start: float, share: float) -> float:
    """The weight of a line between `start` and `start + share`, with parts of cells."""
    sums = np.concatenate(([0.0], np.cumsum(line)))
    cells = np.arange(len(sums)) / len(line)
    low, high = np.interp((start, start + share), cells, sums)
    return float(high - low)


def _span(line: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """Where nearly all of the line's weight between `low` and `high` lies, in shares of that stretch."""
    sums = np.concatenate(([0.0], np.cumsum(line)))
    cells = np.arange(len(sums)) / len(line)
    first, last = np.interp((low, high), cells, sums)
    if last - first <= 1e-9:
        return 0.5, 0.5
    inside = (cells > low) & (cells < high)
    places = np.concatenate(([low], cells[inside], [high]))
    weights = (np.concatenate(([first], sums[inside], [last])) - first) / (last - first)
    ends = np.interp((STRAY, 1 - STRAY), weights, places)
    margin = 1 / len(line)
    start, end = (float(end - low) / (high - low) for end in (ends[0] - margin, ends[1] + margin))
    return max(0.0, start), min(1.0, end)
