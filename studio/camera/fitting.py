"""A customer's photo made to fill the camera's canvas, with what matters in it kept. Pure, numpy and Pillow."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from studio.camera.crop import Crop, Window, best_crop, saliency, subject_in
from studio.camera.extension import extended, soft_mask
from studio.camera.graphics import (
    Colour,
    contrasting_ground,
    drawn_in,
    is_page,
    plain_border,
    room_for,
    see_through,
    trimmed,
)
from studio.camera.heads import cuts_head, heads
from studio.camera.motion import Subject
from studio.camera.moving import Moving
from studio.camera.palettes import Palette

# Less of what matters is not enough to fill the frame; and what a photo on a ground has to keep.
ENOUGH, NEARLY_ALL = 0.72, 0.98
STEPS = 12
WHOLE = (0.0, 0.0, 1.0, 1.0)
# A photo on a ground is at most so many times longer than the frame: a narrow strip would be all ground.
LONGEST = 3.6
# Less than `motion.WIDEST` and its pulses: nothing of a page is out of view.
PAGE_SIZE = 0.88
SOFT_EDGE = 0.02
Size = tuple[int, int]


@dataclass(frozen=True)
class Fitted:
    """A picture in RGB of the canvas's size, where its subject is, and what moves over it."""

    picture: Image.Image
    subject: Subject
    moving: tuple[Moving, ...] = ()


def fitted(photo: Image.Image, size: Size, palette: Palette) -> Fitted:
    """The photo filling `size`: cut where its shape differs, or extended where that would hurt it.

    A graphic, which has a see-through ground or a plain one, is shown whole; in place of a see-through one it gets
    a ground in the palette's colours.
    """
    if photo.mode == "RGBA" and see_through(photo):
        return _emblem(trimmed(photo), size, palette)
    if photo.mode != "RGB":
        photo = photo.convert("RGB")
    ground = plain_border(photo)
    if ground is not None:
        return _graphic(photo, ground, size)
    return _photo(photo, size)


def _photo(photo: Image.Image, size: Size) -> Fitted:
    matters, found = saliency(photo), heads(photo)
    full = _crop(photo, matters, size[0] / size[1])
    page = is_page(photo)
    if full.keeps >= ENOUGH and not page and not cuts_head(full.window, found):
        subject = _around(subject_in(matters, full.window), full.window, found)
        return Fitted(_cut(photo, full.window, size), subject)
    crop = Crop(WHOLE, 1.0) if page else _longer(photo, matters, found, size)
    left, top, right, bottom = crop.window
    inner = (right - left) * photo.width / ((bottom - top) * photo.height)
    part = _part(inner, _shrunk(size) if page else size)
    corner = (size[0] - part[0]) // 2, (size[1] - part[1]) // 2
    shown = _cut(photo, crop.window, part)
    subject = _around(subject_in(matters, crop.window), crop.window, found)
    if page:
        subject = Subject(*WHOLE)
    return Fitted(extended(shown, corner, size), _within(subject, corner, part, size))


def _longer(photo: Image.Image, matters: np.ndarray, found: list[Window], size: Size) -> Crop:
    """As much of the photo as is needed to keep nearly all that matters, and all heads."""
    shape, own = size[0] / size[1], photo.width / photo.height
    longest = min(LONGEST, max(own / shape, shape / own))
    for step in range(1, STEPS + 1):
        stretched = longest ** (step / STEPS if own > shape else -step / STEPS)
        crop = _crop(photo, matters, shape * stretched)
        if crop.keeps >= NEARLY_ALL and not cuts_head(crop.window, found):
            break
    return crop


def _emblem(emblem: Image.Image, size: Size, palette: Palette) -> Fitted:
    """A see-through picture on a plain ground that it stands out from."""
    ground = contrasting_ground(emblem, size, palette)
    subject = room_for(emblem.width / emblem.height, size)
    corner, part = _pixels(subject, size)
    shown = emblem.resize(part, Image.Resampling.LANCZOS)
    ground.paste(shown, corner, shown)
    return Fitted(ground, subject)


def _graphic(photo: Image.Image, colour: Colour, size: Size) -> Fitted:
    """All that is drawn on a plain ground, on more of that ground."""
    ground = Image.new("RGB", size, colour)
    window = drawn_in(photo, colour)
    if window is None:
        return Fitted(ground, Subject())
    left, top, right, bottom = window
    shape = (right - left) * photo.width / ((bottom - top) * photo.height)
    subject = room_for(shape, size)
    corner, part = _pixels(subject, size)
    ground.paste(_cut(photo, window, part), corner, soft_mask(part, size, SOFT_EDGE))
    return Fitted(ground, subject)


def _crop(photo: Image.Image, matters: np.ndarray, shape: float) -> Crop:
    """The best crop of a shape in pixels: the map's cells are not quite square, its sides are whole numbers."""
    rows, columns = matters.shape
    return best_crop(matters, shape * (columns / rows) / (photo.width / photo.height))


def _around(subject: Subject, window: Window, found: list[Window]) -> Subject:
    """A subject in shares of a window, with the heads, in shares of the photo, that are in it."""
    left, top, right, bottom = window
    for head in found:
        across = [(head[side] - left) / (right - left) for side in (0, 2)]
        down = [(head[side] - top) / (bottom - top) for side in (1, 3)]
        subject = Subject(
            max(0.0, min(subject.left, across[0])),
            max(0.0, min(subject.top, down[0])),
            min(1.0, max(subject.right, across[1])),
            min(1.0, max(subject.bottom, down[1])),
        )
    return subject


def _part(shape: float, size: Size) -> Size:
    """The largest size of that shape on the canvas."""
    if shape > size[0] / size[1]:
        return size[0], max(2, round(size[0] / shape))
    return max(2, round(size[1] * shape)), size[1]


def _shrunk(size: Size) -> Size:
    """The part of the canvas that the camera can see at once, whatever it does."""
    return round(size[0] * PAGE_SIZE), round(size[1] * PAGE_SIZE)


def _pixels(place: Subject, size: Size) -> tuple[Size, Size]:
    """The corner and the size, at least one pixel, of a place in shares of the canvas."""
    corner = round(place.left * size[0]), round(place.top * size[1])
    width = max(1, round((place.right - place.left) * size[0]))
    return corner, (width, max(1, round((place.bottom - place.top) * size[1])))


def _cut(photo: Image.Image, window: Window, size: Size) -> Image.Image:
    left, top, right, bottom = window
    box = (
        left * photo.width,
        top * photo.height,
        min(right, 1.0) * photo.width,
        min(bottom, 1.0) * photo.height,
    )
    return photo.resize(size, Image.Resampling.LANCZOS, box=box, reducing_gap=2.0)


def _within(subject: Subject, corner: Size, part: Size, size: Size) -> Subject:
    """A subject in shares of a part, in shares of the canvas that the part lies on."""
    return Subject(
        (corner[0] + subject.left * part[0]) / size[0],
        (corner[1] + subject.top * part[1]) / size[1],
        (corner[0] + subject.right * part[0]) / size[0],
        (corner[1] + subject.bottom * part[1]) / size[1],
    )
