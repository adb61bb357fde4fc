"""Stretches the levels of a dark or flat photograph, so that filters find tones in it."""

import math
from itertools import accumulate
from pathlib import Path

from PIL import Image, ImageOps

from studio.images import open_image

_DARK_BELOW = 0.25
_FLAT_BELOW = 0.5
_MIDDLE = 0.4
_STRONGEST = 0.3
_ENDS = 0.01
_LOOKED_AT = (256, 256)


def stretch_levels(source: Path, target: Path) -> bool:
    """Write the photograph with its levels stretched as a PNG; return False and write nothing where it needs none.

    Its darkest hundredth becomes black and its lightest white, and a middle tone below 0.25 becomes 0.4, with an
    exponent of at least 0.3. Raises PictureError.
    """
    picture = open_image(source, "images")
    curve = _find_curve(picture)
    if curve is None:
        return False
    alpha = picture.getchannel("A") if picture.mode == "RGBA" else None
    stretched = picture.convert("RGB").point(curve * 3)
    if alpha is not None:
        stretched.putalpha(alpha)
    stretched.save(target, "PNG", compress_level=1)
    return True


def _find_curve(picture: Image.Image) -> list[int] | None:
    """Return what each of the 256 values becomes; None for a picture that is neither dark nor flat."""
    small = ImageOps.contain(picture.convert("L"), _LOOKED_AT)
    sums = [*accumulate(small.histogram())]

    def find_value(share: float) -> float:
        return next(value for value, seen in enumerate(sums) if seen >= share * sums[-1]) / 255

    black, middle, white = find_value(_ENDS), find_value(0.5), find_value(1 - _ENDS)
    if middle >= _DARK_BELOW and white - black >= _FLAT_BELOW:
        return None
    room = max(white - black, 1 / 255)
    at = min(max((middle - black) / room, 1 / 255), 1 - 1 / 255)
    exponent = min(max(math.log(_MIDDLE) / math.log(at), _STRONGEST), 1.0)
    scaled = (min(max((value / 255 - black) / room, 0.0), 1.0) for value in range(256))
    return [round(255 * value**exponent) for value in scaled]
