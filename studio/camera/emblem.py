"""A business's logo, cut out and on a ground that all of it stands out from. Pure, numpy and Pillow."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from studio.camera.contrast import luminance
from studio.camera.graphics import (
    LIGHT_GROUND,
    Colour,
    drawn_in,
    plain_border,
    see_through,
    trimmed,
)

# Cards are dark: what is darker than this is lost on one. What is lighter than that is lost on a light ground.
DARKEST_SEEN, LIGHTEST_SEEN = 0.3, 0.66
CARD: Colour = (20, 22, 30)
# In shares of the shorter side: the air around what is drawn, and the corners of a ground.
AIR, CORNER = 0.32, 0.18
# A shape is no wider or narrower than these. Its surface is so much, and no emblem is higher, for a height of 1.
WIDEST, NARROWEST = 5.0, 0.5
SURFACE, HIGHEST = 1.4, 1.35
SMOOTH = 4


@dataclass(frozen=True)
class Emblem:
    """What is shown of a logo, in RGBA, with its `ground`, or straight on the card without one."""

    art: Image.Image
    ground: Colour | None

    @property
    def shape(self) -> float:
        """Its width for a height of 1, with the ground."""
        wide, high = self.art.size
        air = 2 * AIR * min(wide, high) if self.ground else 0.0
        return min(WIDEST, max(NARROWEST, (wide + air) / (high + air)))

    def picture(self, size: tuple[int, int]) -> Image.Image:
        """The emblem in RGBA, filling a size of its shape."""
        ground = self.ground or CARD
        air = round(AIR / (1 + 2 * AIR) * min(size)) if self.ground else 0
        inner = max(1, size[0] - 2 * air), max(1, size[1] - 2 * air)
        art = ImageOps.contain(self.art, inner, Image.Resampling.LANCZOS)
        corner = (size[0] - art.width) // 2, (size[1] - art.height) // 2
        over = Image.new("RGB", size, ground)
        over.paste(art, corner, art)
        if self.ground:
            over.putalpha(round_mask(size, CORNER * min(size)))
        else:
            seen = Image.new("L", size)
            seen.paste(art.getchannel("A"), corner)
            over.putalpha(seen)
        return over


def emblem(photo: Image.Image) -> Emblem:
    """What is to be seen of a logo in RGB or RGBA."""
    if photo.mode == "RGBA" and see_through(photo):
        art = trimmed(photo)
        return Emblem(art, LIGHT_GROUND[0] if _lost_on_light(art) < _lost_on_dark(art) else None)
    plain = photo.convert("RGB")
    ground = plain_border(plain)
    window = drawn_in(plain, ground) if ground else None
    if window:
        left, top, right, bottom = window
        width, height = plain.size
        cut = plain.crop(
            (
                int(left * width),
                int(top * height),
                math.ceil(right * width),
                math.ceil(bottom * height),
            )
        )
        return Emblem(cut.convert("RGBA"), ground)
    framed = plain.convert("RGBA")
    framed.putalpha(round_mask(framed.size, CORNER * min(framed.size)))
    return Emblem(framed, None)


def emblem_size(shape: float, height: float, most_width: float) -> tuple[int, int]:
    """Width and height, even, of an emblem of a shape: about as much of it whether it is wide or tall."""
    high = min(height * HIGHEST, height * math.sqrt(SURFACE / shape), most_width / shape)
    return max(2, 2 * round(high * shape / 2)), max(2, 2 * round(high / 2))


def round_mask(size: tuple[int, int], radius: float) -> Image.Image:
    """A mask of a size with round corners."""
    large = Image.new("L", (size[0] * SMOOTH, size[1] * SMOOTH))
    edge = large.width - 1, large.height - 1
    ImageDraw.Draw(large).rounded_rectangle((0, 0, *edge), radius * SMOOTH, fill=255)
    return large.resize(size, Image.Resampling.BOX)


def _lost_on_dark(art: Image.Image) -> float:
    return _share(art, lambda light: light < DARKEST_SEEN)


def _lost_on_light(art: Image.Image) -> float:
    return _share(art, lambda light: light > LIGHTEST_SEEN)


def _share(art: Image.Image, is_lost: Callable[[np.ndarray], np.ndarray]) -> float:
    """How much of what can be seen is lost."""
    small = art.resize((min(96, art.width), min(96, art.height)), Image.Resampling.BOX)
    pixels = np.asarray(small)
    seen = pixels[..., 3] > 128
    lost = is_lost(luminance(pixels[..., :3])) & seen
    return float(lost.sum() / max(1, seen.sum()))
