"""Logos, menus, drawings and QR codes: shown whole, on a ground that all of it stands out from. Pure."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
import segno
from PIL import Image, ImageChops, ImageDraw, ImageOps

from studio.camera.moving import Subject
from studio.camera.palettes import Colour, Palette, deepen, measure_luminance

# How much of the canvas a graphic takes, across and down, where its middle lies, and what it stays above, upright
# and wide: captions stand below `Layout.divide`, and the camera sees less than the canvas.
ROOMS = {True: ((0.62, 0.38), 0.36, 0.51), False: ((0.62, 0.52), 0.46, 0.7)}
# A picture with so much see-through is an emblem: it gets a ground, light or dark, that it stands out from.
SEE_THROUGH = 0.02
LIGHT_GROUND: tuple[Colour, Colour] = ((252, 249, 243), (221, 214, 203))
# How much of the palette's light is in a light ground, at its top and its bottom.
TINT = (0.16, 0.4)
# A picture whose border differs so little (standard deviation of levels) is a graphic on a ground of its own; what
# differs more than `INK` from that is drawn on it, and gets `AIR` around it, in shares of the picture's sides.
PLAIN, INK, AIR = 6.0, 14, 0.03
LOOKED_AT, BORDER = 512, 0.015
# A photographed page: hardly any colour (share of the full range), light, and with few spots half as light.
COLOURLESS, LIGHT, DARK_SPOTS = 0.15, 0.5, 0.2
# Cards are dark: what is darker than this is lost on one. What is lighter than that is lost on a light ground.
DARKEST_SEEN, LIGHTEST_SEEN = 0.3, 0.66
CARD: Colour = (20, 22, 30)
# In shares of the shorter side: the air around what is drawn of an emblem, and the corners of its ground.
EMBLEM_AIR, CORNER = 0.32, 0.18
# An emblem is no wider or narrower than these. Its surface is so much, and it is no higher, for a height of 1.
WIDEST, NARROWEST = 5.0, 0.5
SURFACE, HIGHEST = 1.4, 1.35
SMOOTH = 4
# How many squares around a code stay light, by ISO/IEC 18004.
QUIET = 4
CODE_DARK, CODE_LIGHT = (10, 10, 12), (255, 255, 255)
Size = tuple[int, int]
Window = tuple[float, float, float, float]


@dataclass(frozen=True)
class Emblem:
    """What is shown of a logo, in RGBA, with its `ground`, or straight on the card without one."""

    art: Image.Image
    ground: Colour | None

    @property
    def shape(self) -> float:
        """Its width for a height of 1, with the ground."""
        wide, high = self.art.size
        air = 2 * EMBLEM_AIR * min(wide, high) if self.ground else 0.0
        return min(WIDEST, max(NARROWEST, (wide + air) / (high + air)))

    def draw(self, size: Size) -> Image.Image:
        """Draw the emblem in RGBA, filling a size of its shape."""
        ground = self.ground or CARD
        air = round(EMBLEM_AIR / (1 + 2 * EMBLEM_AIR) * min(size)) if self.ground else 0
        inner = max(1, size[0] - 2 * air), max(1, size[1] - 2 * air)
        art = ImageOps.contain(self.art, inner, Image.Resampling.LANCZOS)
        corner = (size[0] - art.width) // 2, (size[1] - art.height) // 2
        over = Image.new("RGB", size, ground)
        over.paste(art, corner, art)
        seen = make_round_mask(size, CORNER * min(size)) if self.ground else Image.new("L", size)
        if not self.ground:
            seen.paste(art.getchannel("A"), corner)
        over.putalpha(seen)
        return over


def cut_emblem(photo: Image.Image) -> Emblem:
    """Cut out what is to be seen of a logo in RGB or RGBA."""
    if photo.mode == "RGBA" and is_see_through(photo):
        art = trim(photo)
        on_light = _share_lost(art, lambda light: light > LIGHTEST_SEEN)
        on_dark = _share_lost(art, lambda light: light < DARKEST_SEEN)
        return Emblem(art, LIGHT_GROUND[0] if on_light < on_dark else None)
    plain = photo.convert("RGB")
    ground = find_ground(plain)
    window = find_drawn(plain, ground) if ground else None
    if window:
        left, top, right, bottom = window
        width, height = plain.size
        start = int(left * width), int(top * height)
        cut = plain.crop((*start, math.ceil(right * width), math.ceil(bottom * height)))
        return Emblem(cut.convert("RGBA"), ground)
    framed = plain.convert("RGBA")
    framed.putalpha(make_round_mask(framed.size, CORNER * min(framed.size)))
    return Emblem(framed, None)


def size_emblem(shape: float, height: float, most_width: float) -> Size:
    """Return width and height, even, of an emblem of a shape: about as much of it whether it is wide or tall."""
    high = min(height * HIGHEST, height * math.sqrt(SURFACE / shape), most_width / shape)
    return max(2, 2 * round(high * shape / 2)), max(2, 2 * round(high / 2))


def make_round_mask(size: Size, radius: float) -> Image.Image:
    """Make a mask of a size with round corners."""
    large = Image.new("L", (size[0] * SMOOTH, size[1] * SMOOTH))
    edge = large.width - 1, large.height - 1
    ImageDraw.Draw(large).rounded_rectangle((0, 0, *edge), radius * SMOOTH, fill=255)
    return large.resize(size, Image.Resampling.BOX)


@lru_cache(maxsize=16)
def squares(link: str) -> tuple[tuple[bool, ...], ...]:
    """Return the rows of the smallest QR code of the link, without its quiet zone: dark squares are true."""
    code = segno.make_qr(link, error="l", encoding="utf-8", mode="byte", eci=False)
    return tuple(tuple(bool(square) for square in row) for row in code.matrix)


def dark_runs(rows: tuple[tuple[bool, ...], ...]) -> Iterator[tuple[int, int, int]]:
    """Yield every run of dark squares in a row: the row, where it begins, and where it ends."""
    for number, row in enumerate(rows):
        end = 0
        for is_dark, run in groupby(row):
            begin, end = end, end + len(list(run))
            if is_dark:
                yield number, begin, end


def draw_code(link: str, square: int) -> Image.Image:
    """Draw the link's QR code with its quiet zone, in RGBA with even sides: squares of so many pixels."""
    rows = np.pad(np.array(squares(link)), QUIET)
    side = len(rows) * square
    dark = np.kron(rows, np.ones((square, square), bool))
    pixels = np.where(dark[..., None], CODE_DARK, CODE_LIGHT).astype(np.uint8)
    picture = Image.new("RGB", (side + side % 2, side + side % 2), CODE_LIGHT)
    picture.paste(Image.fromarray(pixels))
    picture.putalpha(make_round_mask(picture.size, min(2.0 * square, picture.width / 8)))
    return picture


def is_see_through(photo: Image.Image) -> bool:
    """Return whether an RGBA picture shows what is behind it."""
    alpha = photo.getchannel("A")
    few = alpha.resize((min(64, alpha.width), min(64, alpha.height)), Image.Resampling.BOX)
    return bool(np.mean(np.asarray(few) < 250) > SEE_THROUGH)


def find_ground(photo: Image.Image) -> Colour | None:
    """Return the colour of an RGB picture's border, or None where it has no single one."""
    pixels = np.asarray(shrink(photo, LOOKED_AT), np.float32)
    reach = max(1, round(BORDER * min(pixels.shape[:2])))
    inner = np.zeros(pixels.shape[:2], bool)
    inner[reach:-reach, reach:-reach] = True
    border = pixels[~inner]
    if border.std(axis=0).max() >= PLAIN:
        return None
    red, green, blue = (int(level + 0.5) for level in np.median(border, axis=0))
    return red, green, blue


def is_page(photo: Image.Image) -> bool:
    """Return whether an RGB picture may be a photographed page, whose rows cannot be read when they are cut."""
    pixels = np.asarray(shrink(photo, LOOKED_AT), np.float32) / 255
    strength = pixels.max(axis=2) - pixels.min(axis=2)
    light = pixels.mean(axis=2)
    usual = float(np.median(light))
    is_pale = np.percentile(strength, 95) < COLOURLESS and usual > LIGHT
    return bool(is_pale and np.mean(light < usual / 2) < DARK_SPOTS)


def find_drawn(photo: Image.Image, ground: Colour) -> Window | None:
    """Find where, in shares of an RGB picture, something is drawn on its ground, with some air around it."""
    small = shrink(photo, LOOKED_AT)
    away = ImageChops.difference(small, Image.new("RGB", small.size, ground))
    strongest = np.asarray(away).max(axis=2)
    box = Image.fromarray((255 * (strongest > INK)).astype(np.uint8)).getbbox()
    if box is None:
        return None
    left, right = box[0] / small.width, box[2] / small.width
    top, bottom = box[1] / small.height, box[3] / small.height
    return max(0.0, left - AIR), max(0.0, top - AIR), min(1.0, right + AIR), min(1.0, bottom + AIR)


def trim(emblem: Image.Image) -> Image.Image:
    """Cut out the part of an RGBA picture that can be seen, or all of it where none can."""
    visible = emblem.getchannel("A").point(lambda level: 255 * (level > 8)).getbbox()
    return emblem.crop(visible) if visible else emblem


def make_ground(emblem: Image.Image, size: Size, palette: Palette) -> Image.Image:
    """Make a ground in the palette's colours, a little darker downwards, that an RGBA emblem stands out from."""
    sample = np.asarray(emblem.resize((32, 32)), np.float32)
    weights = sample[..., 3] + 1e-3
    light = float((sample[..., :3].mean(axis=2) * weights).sum() / weights.sum())
    colours = np.array((palette.ground[1], deepen(palette.ground[1])))
    if light <= 120:
        plain, hue, tint = np.array(LIGHT_GROUND), np.array(palette.light), np.array(TINT)[:, None]
        colours = plain + (hue - plain) * tint
    rows = np.linspace(0, 1, size[1])[:, None]
    column = colours[0] * (1 - rows) + colours[1] * rows
    return Image.fromarray((column[:, None] + 0.5).astype(np.uint8)).resize(size)


def find_room(shape: float, size: Size) -> Subject:
    """Return where a graphic of that shape (width / height) stands on the canvas, in shares of it."""
    (across, down), middle, lowest = ROOMS[size[1] > size[0]]
    height = min(down * size[1], across * size[0] / shape)
    width = max(1.0, height * shape) / size[0]
    height = max(1.0, height) / size[1]
    top = min(middle - height / 2, lowest - height)
    return Subject(0.5 - width / 2, top, 0.5 + width / 2, top + height)


def shrink(photo: Image.Image, most: int) -> Image.Image:
    """Shrink the picture to at most this many pixels a side."""
    scale = min(1.0, most / max(photo.size))
    size = max(1, round(photo.width * scale)), max(1, round(photo.height * scale))
    return photo.resize(size, Image.Resampling.BOX)


def _share_lost(art: Image.Image, is_lost: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return how much of what can be seen is lost."""
    small = art.resize((min(96, art.width), min(96, art.height)), Image.Resampling.BOX)
    pixels = np.asarray(small)
    seen = pixels[..., 3] > 128
    lost = is_lost(measure_luminance(pixels[..., :3])) & seen
    return float(lost.sum() / max(1, seen.sum()))
