"""A customer's picture made to fill the camera's canvas, with what matters in it kept. Pure, numpy and Pillow.

What draws the eye is guessed from what can be counted: edges, colours that differ from the rest, strong colours,
skin, and a little from what lies in the middle. Heads, which must not be cut, are spots of skin of a head's size
and shape. Nothing is recognised: a vase of that colour counts as well, and is kept whole then, which does no harm.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from studio.camera.graphics import (
    Size,
    Window,
    find_drawn,
    find_ground,
    find_room,
    is_page,
    is_see_through,
    make_ground,
    shrink,
    trim,
)
from studio.camera.moving import Moving, Subject
from studio.camera.palettes import Colour, Palette

LOOKED_AT = 96
# What is weaker than this share of the strongest spots is ground, and so is what hardly exceeds the usual spot.
GROUND, EVEN, FAINTEST = 0.3, 1.3, 0.02
# The share of the weight that may lie outside a subject's box, at each side.
STRAY = 0.02
MIDDLE_PULL = 0.3
SKIN = 1.0
# How much more the top of a picture counts than its bottom where the height is cut: faces and names are there.
TOP_PULL = 0.25
# A head's skin as a share of the picture, its width as a share of its height, and how much of its box it fills.
HEAD_SIZES, HEAD_SHAPES, HEAD_FULL = (0.006, 0.25), (0.4, 1.7), 0.5
# Hair and chin around the skin, in shares of its height, and ears in shares of its width.
HAIR, CHIN, EARS = 0.4, 0.1, 0.1
# So much of a head has to be in a window.
WHOLE_HEAD = 0.97
# Less of what matters is not enough to fill the frame; and what a photo on a ground has to keep.
ENOUGH, NEARLY_ALL = 0.72, 0.98
STEPS = 12
WHOLE = (0.0, 0.0, 1.0, 1.0)
# A photo on a ground is at most so many times longer than the frame: a narrow strip would be all ground.
LONGEST = 3.6
# Less than `shots.WIDEST` and its pulses: nothing of a page is out of view.
PAGE_SIZE = 0.88
SOFT_EDGE = 0.02
# The extension is made this many times smaller, which costs next to nothing, and blurred there.
SMALLER = 12
# How far it is blurred, and how broad the edge is that fades into it: shares of the canvas's shorter side.
BLUR, BORDER = 0.065, 0.025
# The light that is left of it at the far edge of the canvas; at the photo it has all.
FAR_LIGHT = 0.65


@dataclass(frozen=True)
class Fitted:
    """A picture in RGB of the canvas's size, where its subject is, and what moves over it."""

    picture: Image.Image
    subject: Subject
    moving: tuple[Moving, ...] = ()


def fit_photo(photo: Image.Image, size: Size, palette: Palette) -> Fitted:
    """Make the photo fill `size`: cut it where its shape differs, or extend it where that would hurt it.

    A graphic, which has a see-through ground or a plain one, is shown whole; in place of a see-through one it gets
    a ground in the palette's colours.
    """
    if photo.mode == "RGBA" and is_see_through(photo):
        return _fit_emblem(trim(photo), size, palette)
    photo = photo if photo.mode == "RGB" else photo.convert("RGB")
    ground = find_ground(photo)
    if ground is not None:
        return _fit_graphic(photo, ground, size)
    matters, heads = map_saliency(photo), find_heads(photo)
    full, keeps = _crop(photo, matters, size[0] / size[1])
    page = is_page(photo)
    if keeps >= ENOUGH and not page and not _cuts_head(full, heads):
        subject = _include(find_subject(matters, full), full, heads)
        return Fitted(_cut(photo, full, size), subject)
    window = WHOLE if page else _crop_longer(photo, matters, heads, size)
    left, top, right, bottom = window
    inner = (right - left) * photo.width / ((bottom - top) * photo.height)
    # The camera sees all of a page at once, whatever it does.
    wide, high = (round(size[0] * PAGE_SIZE), round(size[1] * PAGE_SIZE)) if page else size
    is_wider = inner > wide / high
    part = (wide, max(2, round(wide / inner))) if is_wider else (max(2, round(high * inner)), high)
    corner = (size[0] - part[0]) // 2, (size[1] - part[1]) // 2
    shown = _cut(photo, window, part)
    subject = Subject(*WHOLE)
    if not page:
        subject = _include(find_subject(matters, window), window, heads)
    left, right = ((corner[0] + x * part[0]) / size[0] for x in (subject.left, subject.right))
    top, bottom = ((corner[1] + y * part[1]) / size[1] for y in (subject.top, subject.bottom))
    return Fitted(_extend(shown, corner, size), Subject(left, top, right, bottom))


def map_saliency(picture: Image.Image) -> np.ndarray:
    """Map how much each spot of an RGB picture matters: (rows, columns), at most `LOOKED_AT` of each.

    It is not negative, and all zero where nothing stands out.
    """
    small = shrink(picture, LOOKED_AT)
    pixels = np.asarray(small, np.float32) / 255
    light = pixels.mean(axis=2)
    near, wide = (_blur(light, radius) for radius in (1.5, 6.0))
    strange = np.linalg.norm(pixels - np.median(pixels, axis=(0, 1)), axis=2)
    strength = pixels.max(axis=2) - pixels.min(axis=2)
    matters = (
        2.0 * np.abs(light - near)
        + 1.2 * np.abs(light - wide)
        + 0.7 * strange
        + 0.3 * np.maximum(0, strength - np.median(strength))
        + SKIN * _find_skin(small)
    )
    # A little less towards the edges.
    down, across = (np.linspace(-1, 1, side) if side > 1 else np.zeros(1) for side in light.shape)
    distance = (down[:, None] ** 2 + across[None, :] ** 2) / 2
    matters = _blur(matters * np.asarray(1 - MIDDLE_PULL * distance, np.float32), 1.5)
    strongest, usual = (float(np.percentile(matters, share)) for share in (99.5, 50))
    if strongest < FAINTEST:
        return np.zeros_like(matters)
    return np.asarray(np.maximum(0, matters - max(GROUND * strongest, EVEN * usual)))


def find_best_crop(matters: np.ndarray, shape: float) -> tuple[Window, float]:
    """Find the largest window of that shape (of square cells) that keeps the most, and the share that it keeps."""
    rows, columns = matters.shape
    total = float(matters.sum())
    wide = columns / rows > shape
    line = matters.sum(axis=0 if wide else 1)
    share = shape * rows / columns if wide else columns / shape / rows
    weighted = line if wide else line * np.linspace(1 + TOP_PULL, 1 - TOP_PULL, rows)
    starts = np.linspace(0, 1 - share, 101)
    kept = np.array([_weigh(weighted, start, share) for start in starts])
    best = starts[kept >= kept.max() - 0.01 * float(weighted.sum()) - 1e-6]
    # Of equal ones, in the middle of them.
    start = float((best[0] + best[-1]) / 2)
    keeps = _weigh(line, start, share) / total if total else 1.0
    window = (start, 0.0, start + share, 1.0) if wide else (0.0, start, 1.0, start + share)
    return window, keeps


def find_subject(matters: np.ndarray, window: Window) -> Subject:
    """Find the smallest box, in shares of the window, that holds nearly all of what matters in it."""
    left, right = _find_span(matters.sum(axis=0), window[0], window[2])
    top, bottom = _find_span(matters.sum(axis=1), window[1], window[3])
    return Subject(left, top, right, bottom)


def find_heads(photo: Image.Image) -> list[Window]:
    """Find the boxes of what may be heads, hair included, in shares of the RGB photo."""
    skin = _find_skin(shrink(photo, LOOKED_AT))
    found = Image.fromarray((255 * (skin > 0)).astype(np.uint8))
    # What is thinner than three cells, as a neck in shadow or a strand of hair, does not join two spots.
    opened = found.filter(ImageFilter.MinFilter(3)).filter(ImageFilter.MaxFilter(3))
    mask = np.asarray(opened) > 0
    return [_box_head(spot, mask.shape) for spot in _find_spots(mask) if _is_head(spot, mask.shape)]


def _crop_longer(
    photo: Image.Image, matters: np.ndarray, heads: list[Window], size: Size
) -> Window:
    """Return as much of the photo as is needed to keep nearly all that matters, and all heads."""
    shape, own = size[0] / size[1], photo.width / photo.height
    longest, window = min(LONGEST, max(own / shape, shape / own)), WHOLE
    for step in range(1, STEPS + 1):
        stretched = longest ** (step / STEPS if own > shape else -step / STEPS)
        window, keeps = _crop(photo, matters, shape * stretched)
        if keeps >= NEARLY_ALL and not _cuts_head(window, heads):
            break
    return window


def _fit_emblem(emblem: Image.Image, size: Size, palette: Palette) -> Fitted:
    """Show a see-through picture on a plain ground that it stands out from."""
    ground = make_ground(emblem, size, palette)
    subject = find_room(emblem.width / emblem.height, size)
    corner, part = _count_pixels(subject, size)
    shown = emblem.resize(part, Image.Resampling.LANCZOS)
    ground.paste(shown, corner, shown)
    return Fitted(ground, subject)


def _fit_graphic(photo: Image.Image, colour: Colour, size: Size) -> Fitted:
    """Show all that is drawn on a plain ground, on more of that ground."""
    ground = Image.new("RGB", size, colour)
    window = find_drawn(photo, colour)
    if window is None:
        return Fitted(ground, Subject())
    left, top, right, bottom = window
    shape = (right - left) * photo.width / ((bottom - top) * photo.height)
    subject = find_room(shape, size)
    corner, part = _count_pixels(subject, size)
    ground.paste(_cut(photo, window, part), corner, _soften(part, size, SOFT_EDGE))
    return Fitted(ground, subject)


def _crop(photo: Image.Image, matters: np.ndarray, shape: float) -> tuple[Window, float]:
    """Find the best crop of a shape in pixels: the map's cells are not quite square."""
    rows, columns = matters.shape
    return find_best_crop(matters, shape * (columns / rows) / (photo.width / photo.height))


def _include(subject: Subject, window: Window, heads: list[Window]) -> Subject:
    """Extend a subject in shares of a window to the heads, in shares of the photo, that are in it."""
    left, top, right, bottom = window
    for head in heads:
        across = [(head[side] - left) / (right - left) for side in (0, 2)]
        down = [(head[side] - top) / (bottom - top) for side in (1, 3)]
        subject = Subject(
            max(0.0, min(subject.left, across[0])),
            max(0.0, min(subject.top, down[0])),
            min(1.0, max(subject.right, across[1])),
            min(1.0, max(subject.bottom, down[1])),
        )
    return subject


def _count_pixels(place: Subject, size: Size) -> tuple[Size, Size]:
    """Return the corner and the size, at least one pixel, of a place in shares of the canvas."""
    corner = round(place.left * size[0]), round(place.top * size[1])
    width = max(1, round((place.right - place.left) * size[0]))
    return corner, (width, max(1, round((place.bottom - place.top) * size[1])))


def _cut(photo: Image.Image, window: Window, size: Size) -> Image.Image:
    # Rounding may put a side a hair outside.
    left, top, right, bottom = (min(max(side, 0.0), 1.0) for side in window)
    box = (left * photo.width, top * photo.height, right * photo.width, bottom * photo.height)
    return photo.resize(size, Image.Resampling.LANCZOS, box=box, reducing_gap=2.0)


def _blur(values: np.ndarray, radius: float) -> np.ndarray:
    image = Image.fromarray((np.clip(values, 0, 4) * 63).astype(np.uint8))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), np.float32) / 63


def _find_skin(small: Image.Image) -> np.ndarray:
    """Map where the colour is in the usual ranges of skin, (rows, columns) in [0, 1]: less where all of it is."""
    light, blue, red = np.moveaxis(np.asarray(small.convert("YCbCr"), np.float32), 2, 0)
    found = (light > 50) & (blue >= 77) & (blue <= 127) & (red >= 136) & (red <= 173)
    return np.asarray(found * (1 - found.mean()), np.float32)


def _weigh(line: np.ndarray, start: float, share: float) -> float:
    """Return the weight of a line between `start` and `start + share`, with parts of cells."""
    sums = np.concatenate(([0.0], np.cumsum(line)))
    cells = np.arange(len(sums)) / len(line)
    low, high = np.interp((start, start + share), cells, sums)
    return float(high - low)


def _find_span(line: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """Find where nearly all of the line's weight between `low` and `high` lies, in shares of that stretch."""
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


def _cuts_head(window: Window, heads: list[Window]) -> bool:
    """Return whether one of the heads is not whole in the window."""
    for left, top, right, bottom in heads:
        across = max(0.0, min(window[2], right) - max(window[0], left)) / (right - left)
        down = max(0.0, min(window[3], bottom) - max(window[1], top)) / (bottom - top)
        if across * down < WHOLE_HEAD:
            return True
    return False


def _find_spots(mask: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the cells, (count, row and column), of every connected spot."""
    left = {(int(row), int(column)) for row, column in np.argwhere(mask)}
    while left:
        waiting = [left.pop()]
        spot: list[tuple[int, int]] = []
        while waiting:
            row, column = waiting.pop()
            spot.append((row, column))
            near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
            waiting.extend(near & left)
            left -= near
        yield np.array(spot)


def _is_head(spot: np.ndarray, shape: tuple[int, ...]) -> bool:
    height, width = np.ptp(spot, axis=0) + 1
    edges = np.concatenate((spot.min(axis=0) == 0, spot.max(axis=0) == np.array(shape) - 1))
    cells = shape[0] * shape[1]
    return bool(
        # A corner is filled by a wall or a table.
        edges.sum() < 2
        and HEAD_SIZES[0] <= len(spot) / cells <= HEAD_SIZES[1]
        and HEAD_SHAPES[0] <= width / height <= HEAD_SHAPES[1]
        and len(spot) >= HEAD_FULL * width * height
    )


def _box_head(spot: np.ndarray, shape: tuple[int, ...]) -> Window:
    (top, left), (bottom, right) = spot.min(axis=0), spot.max(axis=0) + 1
    height, width = bottom - top, right - left
    return (
        max(0.0, float(left - EARS * width) / shape[1]),
        max(0.0, float(top - HAIR * height) / shape[0]),
        min(1.0, float(right + EARS * width) / shape[1]),
        min(1.0, float(bottom + CHIN * height) / shape[0]),
    )


def _extend(shown: Image.Image, corner: Size, size: Size) -> Image.Image:
    """Continue the RGB picture at `corner` to the edges of a canvas, mirrored, blurred and a little darker."""
    small = max(2, size[0] // SMALLER), max(2, size[1] // SMALLER)
    counts, repeated, lights = [], [], []
    for start, long, few, whole in zip(corner, shown.size, small, size, strict=True):
        low = min(round(start * few / whole), few - 1)
        high = max(low + 1, round((start + long) * few / whole))
        counts.append(high - low)
        # Which of the picture's places each one repeats.
        turn = (np.arange(few) - low) % (2 * counts[-1])
        repeated.append(np.minimum(turn, 2 * counts[-1] - 1 - turn))
        # All of the light is at the picture, and less the farther away.
        spots = np.arange(few) + 0.5
        away = np.maximum(0, np.maximum(low - spots, spots - high))
        lights.append(1 - (1 - FAR_LIGHT) * away / max(1, low, few - high))
    pixels = np.asarray(shown.resize((counts[0], counts[1]), Image.Resampling.BOX), np.float32)
    light = np.asarray(np.minimum(lights[1][:, None], lights[0][None, :]), np.float32)
    lit = pixels[repeated[1]][:, repeated[0]] * light[..., None]
    softness = ImageFilter.GaussianBlur(BLUR * min(small))
    blurred = Image.fromarray((lit + 0.5).astype(np.uint8)).filter(softness)
    canvas = blurred.resize(size, Image.Resampling.BICUBIC)
    canvas.paste(shown, corner, _soften(shown.size, size, BORDER))
    return canvas


def _soften(part: Size, size: Size, border: float) -> Image.Image:
    """Make a mask of a part of a canvas that fades out at inner edges, in a share of the shorter side."""
    reach = max(1.0, border * min(size))
    sides = []
    for length, whole in zip(part, size, strict=True):
        steps = np.arange(length) + 0.5
        share = np.clip(np.minimum(steps, length - steps) / reach, 0, 1)
        sides.append(share * share * (3 - 2 * share) if length < whole else np.ones(length))
    across, down = sides
    return Image.fromarray((255 * down[:, None] * across[None, :] + 0.5).astype(np.uint8))
