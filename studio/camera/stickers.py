"""Small pictures that are stuck on frames: a logo, a QR code. Numpy and Pillow."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from studio.camera.emblem import Emblem, round_mask
from studio.camera.pictures import VIDEO, Planes
from studio.camera.staging import Stage
from studio.qr_code import QUIET, squares

COMES, GOES = 0.3, 0.3
DARK, LIGHT = (10, 10, 12), (255, 255, 255)


@dataclass(frozen=True)
class Sticker:
    """An RGBA picture with even sides, seen from `start` to `end` with its corner at even `left` and `top`.

    It comes and goes softly, but not at the film's own ends.
    """

    start: float
    end: float
    left: int
    top: int
    parts: tuple[Image.Image, ...]
    masks: tuple[Image.Image, Image.Image]
    stays: bool

    @staticmethod
    def of(
        picture: Image.Image, corner: tuple[int, int], span: tuple[float, float], seconds: float
    ) -> "Sticker":
        """The picture, ready to be stuck on the frames of a film of so many seconds."""
        light, blue, red = picture.convert("RGB").convert("RGB", VIDEO).split()
        whole = picture.getchannel("A")
        parts = (light, blue.reduce(2), red.reduce(2))
        return Sticker(*span, *corner, parts, (whole, whole.reduce(2)), span[1] >= seconds)

    def presence(self, moment: float) -> float:
        """How much of it is seen, in [0, 1]."""
        if not self.start <= moment < self.end:
            return 0.0
        coming = (moment - self.start) / COMES if self.start else 1.0
        going = 1.0 if self.stays else (self.end - moment) / GOES
        return min(1.0, coming, going)


def stickers(stage: Stage, link: str, logo: Emblem | None, seconds: float) -> tuple[Sticker, ...]:
    """What is stuck on the frames of a film: the logo on its cards, the link's QR code on its last one."""
    found = []
    for card in stage.cards:
        span = card.start, card.end
        if logo and card.logo:
            left, top, right, bottom = map(int, card.logo)
            picture = logo.picture((right - left, bottom - top))
            found.append(Sticker.of(picture, (left, top), span, seconds))
        if card.details.code:
            left, top, right, _ = map(int, card.details.code)
            picture = code_picture(link, (right - left) // (len(squares(link)) + 2 * QUIET))
            found.append(Sticker.of(picture, (left, top), span, seconds))
    return tuple(found)


def stick(planes: Planes, stickers: Sequence[Sticker], moment: float) -> None:
    """The frame has what is seen at this moment."""
    for sticker in stickers:
        if level := sticker.presence(moment):
            _stick(planes, sticker, level)


def _stick(planes: Planes, sticker: Sticker, level: float) -> None:
    blue, red = np.split(planes.chroma, 2)
    for plane, part, divided in zip(
        (planes.luma, blue, red), sticker.parts, (1, 2, 2), strict=True
    ):
        mask = sticker.masks[divided - 1].point([round(level * share) for share in range(256)])
        left, top = sticker.left // divided, sticker.top // divided
        box = slice(top, top + part.height), slice(left, left + part.width)
        under = Image.fromarray(plane[box])
        under.paste(part, mask=mask)
        plane[box] = np.asarray(under)


def code_picture(link: str, square: int) -> Image.Image:
    """The link's QR code with its quiet zone, in RGBA with even sides: squares of so many pixels."""
    rows = np.pad(np.array(squares(link)), QUIET)
    side = len(rows) * square
    dark = np.kron(rows, np.ones((square, square), bool))
    pixels = np.where(dark[..., None], DARK, LIGHT).astype(np.uint8)
    picture = Image.new("RGB", (side + side % 2, side + side % 2), LIGHT)
    picture.paste(Image.fromarray(pixels))
    picture.putalpha(round_mask(picture.size, min(2.0 * square, picture.width / 8)))
    return picture
