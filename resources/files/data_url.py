"""A picture as a small JPEG in a data URL, as chat models take it. Nothing but its pixels leaves this machine."""

import base64
import io
from pathlib import Path

from PIL import Image

from resources.contract.errors import PermanentError
from studio.errors import PictureError
from studio.images import open_image

LONGEST_SIDE = 1_024
INVALID_PICTURE = "invalid_picture"
_ENOUGH = 512
"""Pixels on the shorter side; at detail "low" a model looks at no more (docs/vendors/openai.md)."""
_QUALITY = 85


def jpeg_data_url(source: bytes | Path, field: str) -> str:
    """The picture, upright and on white, at most LONGEST_SIDE pixels long, without any metadata.

    Raises PermanentError `invalid_picture`: the sentence names `field` and what is wrong.
    """
    try:
        picture = open_image(source, field, enough=_ENOUGH)
    except PictureError as error:
        raise PermanentError(error.message, code=INVALID_PICTURE) from error
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.BICUBIC, reducing_gap=2.0)
    written = io.BytesIO()
    _bare(picture).save(written, "JPEG", quality=_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode('ascii')}"


def _bare(picture: Image.Image) -> Image.Image:
    """The pixels on white in a new picture: the metadata of the old one, such as comments, is not written."""
    bare = Image.new("RGB", picture.size, "white")
    bare.paste(picture, mask=picture if picture.mode == "RGBA" else None)
    return bare
