"""What the network looks at: the middle of a picture, as its weights were trained to see it.

The square and its margin, the size and the scale of colours are those of EfficientNet-Lite's own code
(tensorflow/tpu, models/official/efficientnet: `preprocessing.py` and `lite/efficientnet_lite_builder.py`). The
scale is not the one of most networks for ImageNet; a test compares it with what the weights themselves remember.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.images import open_image

_MARGIN = 32
"""Of `side` + `_MARGIN` pixels across the picture, the middle `side` are looked at."""


def pixels_of(picture: Path, side: int) -> NDArray[np.float32]:
    """The upright picture's middle as (3, side, side) numbers from -1 to 1; where it is see-through, white.

    Raises:
        PictureError: for what is no picture, damaged, or too large.
    """
    upright = _on_white(open_image(picture, "picture", enough=2 * (side + _MARGIN)))
    square = min(upright.size) * side / (side + _MARGIN)
    left, top = (upright.width - square) / 2, (upright.height - square) / 2
    middle = upright.resize(
        (side, side), Image.Resampling.BICUBIC, box=(left, top, left + square, top + square)
    )
    colours = np.asarray(middle, np.float32).transpose(2, 0, 1)
    return np.ascontiguousarray((colours - 127) / 128)


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode != "RGBA":
        return picture
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")
