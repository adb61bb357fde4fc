"""Pictures as the camera needs them: fitted to the frame, split in video planes, cut to a moving window."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

# How much larger than the frame a picture is, so that the camera can move over it.
MARGIN = 1.14
# ITU-R BT.709: weights of red, green and blue in luma, and the scales of the two colour differences.
LUMA = (0.2126, 0.7152, 0.0722)
BLUE_SCALE, RED_SCALE = 1.8556, 1.5748
# Rows that are converted at once: the whole picture in floating point would take 100 MB.
BAND = 128
SHADE_DEPTH = 0.5
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Planes:
    """One picture as YUV 4:2:0 in video range: a full-size luma plane and two of half the size."""

    luma: Image.Image
    blue: Image.Image
    red: Image.Image

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.luma.size

    def tobytes(self) -> bytes:
        """The planes in the order of ffmpeg's yuv420p."""
        return b"".join(plane.tobytes() for plane in (self.luma, self.blue, self.red))


def canvas_size(frame: tuple[int, int]) -> tuple[int, int]:
    """The size of pictures for a frame: `MARGIN` times as large, even numbers."""
    width, height = (2 * round(side * MARGIN / 2) for side in frame)
    return width, height


def fitted(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The picture in RGB filling `size`, cut where its shape differs; see-through parts show it blurred.

    A picture of the other orientation keeps its middle; one much smaller than `size` is enlarged.
    """
    scale = max(size[0] / picture.width, size[1] / picture.height)
    width, height = size[0] / scale, size[1] / scale
    left, top = (picture.width - width) / 2, (picture.height - height) / 2
    box = (
        max(0.0, left),
        max(0.0, top),
        min(picture.width, left + width),
        min(picture.height, top + height),
    )
    cut = picture.resize(size, Image.Resampling.LANCZOS, box=box)
    if cut.mode != "RGBA":
        return cut
    ground = cut.convert("RGB").filter(ImageFilter.GaussianBlur(size[0] / 20))
    ground = Image.blend(ground, Image.new("RGB", size, (24, 26, 34)), 0.5)
    ground.paste(cut, mask=cut.getchannel("A"))
    return ground


def planes(picture: Image.Image) -> Planes:
    """An RGB picture with even sides as video planes: BT.709, range 16-235."""
    pixels = np.asarray(picture)
    bands = [_converted(pixels[top : top + BAND]) for top in range(0, len(pixels), BAND)]
    return Planes(*(Image.fromarray(np.concatenate(plane)) for plane in zip(*bands, strict=True)))


def window(source: Planes, box: Box, frame: tuple[int, int]) -> Planes:
    """What the camera sees through `box` (left, top, right, bottom in picture pixels, fractions allowed)."""
    half = (box[0] / 2, box[1] / 2, box[2] / 2, box[3] / 2)
    small = (frame[0] // 2, frame[1] // 2)
    return Planes(
        source.luma.resize(frame, Image.Resampling.BILINEAR, box=box),
        source.blue.resize(small, Image.Resampling.BILINEAR, box=half),
        source.red.resize(small, Image.Resampling.BILINEAR, box=half),
    )


def blended(first: Planes, second: Planes, share: float) -> Planes:
    """A mixture of two frames: `share` 0 is the first, 1 the second."""
    return Planes(
        Image.blend(first.luma, second.luma, share),
        Image.blend(first.blue, second.blue, share),
        Image.blend(first.red, second.red, share),
    )


def darkened(picture: Planes, shade: Image.Image) -> Planes:
    """The frame laid over black through a mask, 255 leaving it as it is."""
    small = shade.resize(picture.blue.size, Image.Resampling.NEAREST)
    colourless = Image.new("L", small.size, 128)
    return Planes(
        Image.composite(picture.luma, Image.new("L", shade.size, 16), shade),
        Image.composite(picture.blue, colourless, small),
        Image.composite(picture.red, colourless, small),
    )


def caption_shade(frame: tuple[int, int], middle: float, reach: float) -> Image.Image:
    """A mask that is darkest around a height in pixels and fades out over `reach` above and below it."""
    distance = (np.arange(frame[1]) - middle) / reach
    column = 255 * (1 - SHADE_DEPTH * np.exp(-(distance**2)))
    return Image.fromarray((column + 0.5).astype(np.uint8)[:, None]).resize(
        frame, Image.Resampling.NEAREST
    )


def _converted(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The planes of some rows, an even number of them."""
    values = pixels.astype(np.float32)
    luma = values @ np.array(LUMA, np.float32)
    blue = _halved((values[..., 2] - luma) / BLUE_SCALE)
    red = _halved((values[..., 0] - luma) / RED_SCALE)
    scaled = (16 + luma * (219 / 255), 128 + blue * (224 / 255), 128 + red * (224 / 255))
    rows = tuple((plane + 0.5).astype(np.uint8) for plane in scaled)
    return rows[0], rows[1], rows[2]


def _halved(plane: np.ndarray) -> np.ndarray:
    height, width = plane.shape
    return plane.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
