"""Somebody's photo made to fill the camera's canvas, with what matters in it kept. Pure, numpy and Pillow."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

from resources.studio.camera.crop import Window, best_crop, saliency, subject_in
from resources.studio.camera.motion import Subject

# Less of what matters is not enough to fill the frame; and what a photo on a ground has to keep.
ENOUGH, NEARLY_ALL = 0.72, 0.9
STEPS = 12
# A photo on a ground is at most so many times longer than the frame: a narrow strip would be all ground.
LONGEST = 3.0
GROUND_LIGHT = 0.5
SOFT_EDGE = 0.02
# A picture with so much see-through is an emblem: it gets a plain ground, light or dark, and some room.
SEE_THROUGH, EMBLEM_SIZE = 0.02, 0.62
LIGHT_GROUND = ((252, 249, 243), (221, 214, 203))
DARK_GROUND = ((58, 62, 78), (20, 22, 30))
Size = tuple[int, int]


@dataclass(frozen=True)
class Fitted:
    """A picture in RGB of the canvas's size, and where its subject is."""

    picture: Image.Image
    subject: Subject


def fitted(photo: Image.Image, size: Size) -> Fitted:
    """The photo filling `size`: cut where its shape differs, or over a blurred ground where that would hurt it."""
    if photo.mode == "RGBA":
        alpha = photo.getchannel("A")
        if np.mean(np.asarray(_thumbnail(alpha)) < 250) > SEE_THROUGH:
            return _emblem(photo, size)
    photo = photo.convert("RGB")
    matters = saliency(photo)
    shape, own = size[0] / size[1], photo.width / photo.height
    whole = best_crop(matters, shape * _stretch(matters, own))
    if whole.keeps >= ENOUGH:
        return Fitted(_cut(photo, whole.window, size), subject_in(matters, whole.window))
    return _over_ground(photo, matters, size)


def _over_ground(photo: Image.Image, matters: np.ndarray, size: Size) -> Fitted:
    """As much of the photo as is needed, over an enlargement of itself."""
    shape, own = size[0] / size[1], photo.width / photo.height
    longer = min(LONGEST, max(own / shape, shape / own))
    for step in range(1, STEPS + 1):
        stretched = longer ** (step / STEPS if own > shape else -step / STEPS)
        crop = best_crop(matters, shape * stretched * _stretch(matters, own))
        if crop.keeps >= NEARLY_ALL:
            break
    left, top, right, bottom = crop.window
    inner = (right - left) * own / (bottom - top)
    part = (
        (size[0], max(2, round(size[0] / inner)))
        if inner > shape
        else (max(2, round(size[1] * inner)), size[1])
    )
    corner = (size[0] - part[0]) // 2, (size[1] - part[1]) // 2
    ground = _ground(photo, best_crop(matters, shape * _stretch(matters, own)).window, size)
    ground.paste(_cut(photo, crop.window, part), corner, _soft(part, size))
    return Fitted(ground, _within(subject_in(matters, crop.window), corner, part, size))


def _emblem(photo: Image.Image, size: Size) -> Fitted:
    """A see-through picture on a plain ground that it stands out from."""
    visible = photo.getchannel("A").point(lambda level: 255 * (level > 8)).getbbox()
    shown = photo.crop(visible) if visible else photo
    scale = EMBLEM_SIZE * min(size[0] / shown.width, size[1] / shown.height)
    part = max(1, round(shown.width * scale)), max(1, round(shown.height * scale))
    sample = np.asarray(shown.convert("RGBA").resize((32, 32)), np.float32)
    weights = sample[..., 3] + 1e-3
    light = float((sample[..., :3].mean(axis=2) * weights).sum() / weights.sum())
    colours = DARK_GROUND if light > 120 else LIGHT_GROUND
    rows = np.linspace(0, 1, size[1])[:, None]
    column = np.array(colours[0]) * (1 - rows) + np.array(colours[1]) * rows
    ground = Image.fromarray((column[:, None] + 0.5).astype(np.uint8)).resize(size)
    corner = (size[0] - part[0]) // 2, (size[1] - part[1]) // 2
    emblem = shown.resize(part, Image.Resampling.LANCZOS)
    ground.paste(emblem, corner, emblem)
    return Fitted(ground, _within(Subject(0, 0, 1, 1), corner, part, size))


def _stretch(matters: np.ndarray, own: float) -> float:
    """What a shape is multiplied by for the map, whose cells are not quite square: sides are whole numbers."""
    rows, columns = matters.shape
    return (columns / rows) / own


def _cut(photo: Image.Image, window: Window, size: Size) -> Image.Image:
    left, top, right, bottom = window
    box = (
        left * photo.width,
        top * photo.height,
        min(right, 1.0) * photo.width,
        min(bottom, 1.0) * photo.height,
    )
    return photo.resize(size, Image.Resampling.LANCZOS, box=box, reducing_gap=2.0)


def _ground(photo: Image.Image, window: Window, size: Size) -> Image.Image:
    """The photo enlarged, blurred and darkened; blurred small, which costs next to nothing."""
    small = max(2, size[0] // 12), max(2, size[1] // 12)
    soft = _cut(photo, window, small).filter(ImageFilter.GaussianBlur(max(small) / 22))
    calm = ImageEnhance.Color(ImageEnhance.Brightness(soft).enhance(GROUND_LIGHT)).enhance(0.85)
    return calm.resize(size, Image.Resampling.BICUBIC)


def _soft(part: Size, size: Size) -> Image.Image:
    """A mask of the part that fades out along those of its edges that lie inside the canvas."""
    reach = max(1.0, SOFT_EDGE * min(size))
    across, down = (
        _ramp(length, reach) if length < whole else np.ones(length)
        for length, whole in zip(part, size, strict=True)
    )
    return Image.fromarray((255 * down[:, None] * across[None, :] + 0.5).astype(np.uint8))


def _ramp(length: int, reach: float) -> np.ndarray:
    steps = np.arange(length) + 0.5
    share = np.clip(np.minimum(steps, length - steps) / reach, 0, 1)
    return np.asarray(share * share * (3 - 2 * share))


def _within(subject: Subject, corner: Size, part: Size, size: Size) -> Subject:
    """A subject in shares of a part, in shares of the canvas that the part lies on."""
    return Subject(
        (corner[0] + subject.left * part[0]) / size[0],
        (corner[1] + subject.top * part[1]) / size[1],
        (corner[0] + subject.right * part[0]) / size[0],
        (corner[1] + subject.bottom * part[1]) / size[1],
    )


def _thumbnail(alpha: Image.Image) -> Image.Image:
    return alpha.resize((min(64, alpha.width), min(64, alpha.height)), Image.Resampling.BOX)
