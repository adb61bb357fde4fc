"""Pictures as the camera needs them: video planes, cut to a moving window, brightened and darkened.

The window lies at fractions of a pixel: bilinear with weights of 8 bits, in numpy. Pillow's scaling costs twice
the time, for it allows any scale; the camera's stays near one. Both passes run along rows, which lie together in
memory: the picture is kept transposed, and turned back between them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PIL import Image

from studio.camera.palettes import Colour, sample_greys

# How much larger than the frame a picture is, so that the camera can move over it.
MARGIN = 1.2
BLACK, WHITE, COLOURLESS = 16, 235, 128
# ITU-R BT.709, 8 bit: luma and the two colour differences from red, green, blue and 1.
VIDEO = (
    *(0.2126 * 219 / 255, 0.7152 * 219 / 255, 0.0722 * 219 / 255, BLACK),
    *(-0.2126 / 1.8556 * 224 / 255, -0.7152 / 1.8556 * 224 / 255, 0.5 * 224 / 255, COLOURLESS),
    *(0.5 * 224 / 255, -0.7152 / 1.5748 * 224 / 255, -0.0722 / 1.5748 * 224 / 255, COLOURLESS),
)
# Rows that are converted at once, an even number: the whole picture would take much memory. Of rows that are mixed
# so few stay near the core, and threads do not wait for each other.
BAND = 128
# Rows that are turned at once: a cache line of every row they become.
TURNED = 64
ONE = 256
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Planes:
    """One frame as YUV 4:2:0 in video range, BT.709: ffmpeg's yuv420p as rows of the frame's width.

    `data` is (height * 3 / 2, width) uint8: the luma, then both colour differences at half the size.
    """

    data: np.ndarray

    @staticmethod
    def blank(frame: tuple[int, int]) -> "Planes":
        """Make a frame with nothing in it yet."""
        return Planes(np.empty((frame[1] * 3 // 2, frame[0]), np.uint8))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frame."""
        return self.data.shape[1], len(self.data) * 2 // 3

    @property
    def luma(self) -> np.ndarray:
        """The luma, (height, width)."""
        return self.data[: self.size[1]]

    @property
    def chroma(self) -> np.ndarray:
        """The blue differences above the red ones, (height, width / 2)."""
        width, height = self.size
        return self.data[height:].reshape(height, width // 2)

    def split(self) -> Iterator[tuple[np.ndarray, int]]:
        """Yield luma, blue and red differences, each with how many pixels of the frame one of theirs is wide."""
        yield self.luma, 1
        for plane in np.split(self.chroma, 2):
            yield plane, 2


@dataclass(frozen=True)
class Source:
    """A picture ready to be filmed: its planes transposed, and a sample of its brightness.

    `luma` is (width, height), `chroma` (width / 2, height) with blue left of red. `greys` are the grey levels as
    bright as some of its pixels, in rows and columns that lie evenly over it.
    """

    luma: np.ndarray
    chroma: np.ndarray
    greys: np.ndarray

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.luma.shape[0], self.luma.shape[1]


@dataclass(frozen=True)
class Tone:
    """How every row of a frame is lit: the share of its light that is kept, and the white added, both in [0, 1].

    Arrays of the frame's height; each pair adds up to 1 at most.
    """

    kept: np.ndarray
    white: np.ndarray


@dataclass(frozen=True)
class _Mixture:
    """What each row of a result is made of: two neighbours of a source by weights, and something more.

    Arrays of one length: the first neighbour's index, its weight, the second's, an addition: parts of `ONE`.
    """

    first: np.ndarray
    near: np.ndarray
    far: np.ndarray
    added: np.ndarray


def in_video(colour: Colour) -> tuple[float, float, float]:
    """Return luma and the two colour differences of a colour."""
    red, green, blue = colour
    rows = (VIDEO[0:4], VIDEO[4:8], VIDEO[8:12])
    luma, blueness, redness = (a * red + b * green + c * blue + d for a, b, c, d in rows)
    return luma, blueness, redness


def convert(picture: Image.Image) -> tuple[Image.Image, Image.Image, Image.Image]:
    """Convert an RGB picture to luma and, at half the size, the two colour differences."""
    luma, blue, red = picture.convert("RGB", VIDEO).split()
    return luma, blue.reduce(2), red.reduce(2)


def size_canvas(frame: tuple[int, int]) -> tuple[int, int]:
    """Return the size of pictures for a frame: `MARGIN` times as large, even numbers."""
    width, height = (2 * round(side * MARGIN / 2) for side in frame)
    return width, height


def prepare(picture: Image.Image) -> Source:
    """Make an RGB picture with even sides ready to be filmed."""
    width, height = picture.size
    luma = np.empty((width, height), np.uint8)
    chroma = np.empty((width // 2, height), np.uint8)
    bright = []
    for top in range(0, height, BAND):
        bottom = min(top + BAND, height)
        rows = picture.crop((0, top, width, bottom))
        light, blue, red = convert(rows)
        luma[:, top:bottom] = np.asarray(light).T
        chroma[:, top // 2 : bottom // 2] = np.asarray(blue).T
        chroma[:, (height + top) // 2 : (height + bottom) // 2] = np.asarray(red).T
        bright.append(sample_greys(np.asarray(rows)))
    return Source(luma, chroma, np.concatenate(bright))


def take_window(picture: Source, box: Box, frame: tuple[int, int], tone: Tone) -> Planes:
    """Take what the camera sees through `box` (left, top, right, bottom in picture pixels, fractions allowed)."""
    left, top, right, bottom = box
    width, height = picture.size
    view = Planes.blank(frame)
    first, last = int(top), min(height, int(np.ceil(bottom)) + 1)
    across = _mix_rows(picture.luma[:, first:last], _spread(frame[0], left, right, width))
    down = _spread(frame[1], top - first, bottom - first, last - first)
    added = BLACK * (1 - tone.kept) + (WHITE - BLACK) * tone.white
    _mix_rows(_transpose(across), _tone(down, tone.kept, added), view.luma)
    across = _mix_rows(picture.chroma, _spread(frame[0] // 2, left / 2, right / 2, width // 2))
    kept = tone.kept[::2]
    down = _spread(frame[1] // 2, top / 2, bottom / 2, height // 2)
    once = _tone(down, kept, COLOURLESS * (1 - kept))
    # The same for blue and for red below it.
    twice = _Mixture(
        np.concatenate((once.first, once.first + height // 2)),
        *(np.concatenate((part, part)) for part in (once.near, once.far, once.added)),
    )
    _mix_rows(_transpose(across), twice, view.chroma)
    return view


def blend(first: Planes, second: Planes, share: float) -> Planes:
    """Mix two frames: `share` 0 is the first, 1 the second."""
    one, other = Image.fromarray(first.data), Image.fromarray(second.data)
    return Planes(np.array(Image.blend(one, other, share)))


def _spread(count: int, low: float, high: float, limit: int) -> _Mixture:
    """Spread `count` samples over [low, high) of `limit` pixels: return what each is made of."""
    middles = low + (np.arange(count) + 0.5) * ((high - low) / count) - 0.5
    inside = np.clip(middles, 0, limit - 1)
    first = np.minimum(inside.astype(np.intp), limit - 2)
    far = ((inside - first) * ONE + 0.5).astype(np.uint16)
    return _Mixture(first, ONE - far, far, np.full(count, ONE // 2, np.uint16))


def _tone(mixture: _Mixture, kept: np.ndarray, added: np.ndarray) -> _Mixture:
    """Keep a share of every row of the mixture, in [0, 1], and add levels to it; together at most 255."""
    whole = (kept * ONE + 0.5).astype(np.uint16)
    far = ((mixture.far.astype(np.uint32) * whole + ONE // 2) // ONE).astype(np.uint16)
    more = (added * ONE).astype(np.uint16) + ONE // 2
    return _Mixture(mixture.first, whole - far, far, more)


def _mix_rows(
    source: np.ndarray, mixture: _Mixture, result: np.ndarray | None = None
) -> np.ndarray:
    """Mix rows of `source` (uint8) and the rows after them, into `result` where that is given."""
    count, width = len(mixture.first), source.shape[1]
    result = np.empty((count, width), np.uint8) if result is None else result
    ones = np.empty((min(BAND, count), width), np.uint16)
    others = np.empty_like(ones)
    for top in range(0, count, BAND):
        band = slice(top, min(count, top + BAND))
        rows = mixture.first[band]
        one, other = ones[: len(rows)], others[: len(rows)]
        np.multiply(source[rows], mixture.near[band, None], out=one, dtype=np.uint16)
        np.multiply(source[rows + 1], mixture.far[band, None], out=other, dtype=np.uint16)
        one += other
        one += mixture.added[band, None]
        one >>= 8
        result[band] = one
    return result


def _transpose(plane: np.ndarray) -> np.ndarray:
    """Exchange rows and columns of the plane, in memory too."""
    result = np.empty(plane.shape[::-1], plane.dtype)
    for first in range(0, len(plane), TURNED):
        result[:, first : first + TURNED] = plane[first : first + TURNED].T
    return result
