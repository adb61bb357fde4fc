"""Pictures as the camera needs them: video planes, cut to a moving window, brightened and darkened."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from studio.camera.contrast import greys
from studio.camera.resample import Mixture, mixed, places, toned, turned

# How much larger than the frame a picture is, so that the camera can move over it.
MARGIN = 1.2
BLACK, WHITE, COLOURLESS = 16, 235, 128
# ITU-R BT.709, 8 bit: luma and the two colour differences from red, green, blue and 1.
VIDEO = (
    *(0.2126 * 219 / 255, 0.7152 * 219 / 255, 0.0722 * 219 / 255, BLACK),
    *(-0.2126 / 1.8556 * 224 / 255, -0.7152 / 1.8556 * 224 / 255, 0.5 * 224 / 255, COLOURLESS),
    *(0.5 * 224 / 255, -0.7152 / 1.5748 * 224 / 255, -0.0722 / 1.5748 * 224 / 255, COLOURLESS),
)
# Rows that are converted at once, an even number: the whole picture would take much memory.
BAND = 128
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Planes:
    """One frame as YUV 4:2:0 in video range, BT.709: ffmpeg's yuv420p as rows of the frame's width.

    `data` is (height * 3 / 2, width) uint8: the luma, then both colour differences at half the size.
    """

    data: np.ndarray

    @staticmethod
    def blank(frame: tuple[int, int]) -> "Planes":
        """A frame with nothing in it yet."""
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


def canvas_size(frame: tuple[int, int]) -> tuple[int, int]:
    """The size of pictures for a frame: `MARGIN` times as large, even numbers."""
    width, height = (2 * round(side * MARGIN / 2) for side in frame)
    return width, height


def source(picture: Image.Image) -> Source:
    """An RGB picture with even sides, ready to be filmed."""
    width, height = picture.size
    luma = np.empty((width, height), np.uint8)
    chroma = np.empty((width // 2, height), np.uint8)
    bright = []
    for top in range(0, height, BAND):
        bottom = min(top + BAND, height)
        rows = picture.crop((0, top, width, bottom))
        light, blue, red = rows.convert("RGB", VIDEO).split()
        luma[:, top:bottom] = np.asarray(light).T
        chroma[:, top // 2 : bottom // 2] = np.asarray(blue.reduce(2)).T
        chroma[:, (height + top) // 2 : (height + bottom) // 2] = np.asarray(red.reduce(2)).T
        bright.append(greys(np.asarray(rows)))
    return Source(luma, chroma, np.concatenate(bright))


def window(picture: Source, box: Box, frame: tuple[int, int], tone: Tone) -> Planes:
    """What the camera sees through `box` (left, top, right, bottom in picture pixels, fractions allowed)."""
    left, top, right, bottom = box
    width, height = picture.size
    view = Planes.blank(frame)
    first, last = int(top), min(height, int(np.ceil(bottom)) + 1)
    across = mixed(picture.luma[:, first:last], places(frame[0], left, right, width))
    down = places(frame[1], top - first, bottom - first, last - first)
    added = BLACK * (1 - tone.kept) + (WHITE - BLACK) * tone.white
    mixed(turned(across), toned(down, tone.kept, added), view.luma)
    across = mixed(picture.chroma, places(frame[0] // 2, left / 2, right / 2, width // 2))
    down = places(frame[1] // 2, top / 2, bottom / 2, height // 2)
    kept = tone.kept[::2]
    toned_twice = _twice(toned(down, kept, COLOURLESS * (1 - kept)), height // 2)
    mixed(turned(across), toned_twice, view.chroma)
    return view


def blended(first: Planes, second: Planes, share: float) -> Planes:
    """A mixture of two frames: `share` 0 is the first, 1 the second."""
    one, other = Image.fromarray(first.data), Image.fromarray(second.data)
    return Planes(np.array(Image.blend(one, other, share)))


def _twice(mixture: Mixture, height: int) -> Mixture:
    """The same for a plane of that height and for another one below it."""
    return Mixture(
        np.concatenate((mixture.first, mixture.first + height)),
        *(np.concatenate((part, part)) for part in (mixture.near, mixture.far, mixture.added)),
    )
