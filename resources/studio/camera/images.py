"""Pictures that somebody else made: looked at before they are decoded, and only then opened."""

import io
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from resources.errors import InvalidInputError

LARGEST_FILE = 20 * 1024 * 1024
LONGEST_SIDE = 12_000
MOST_PIXELS = 50_000_000
FORMATS = ("JPEG", "PNG", "WEBP")


def check_image(source: bytes | Path, field: str) -> None:
    """The picture can be used in a video: it has been decoded once, and is of a bearable size.

    Raises:
        InvalidInputError: naming `field` and what is wrong.
    """
    open_image(source, field)


def open_image(source: bytes | Path, field: str) -> Image.Image:
    """The decoded picture in RGBA or RGB, turned upright as its camera noted.

    The size is read from the header and refused before a single pixel is decoded.

    Raises:
        InvalidInputError: naming `field` and what is wrong.
    """
    picture = _opened(_bytes_of(source, field), field)
    _check_size(picture, field)
    return _decoded(picture, field)


def _bytes_of(source: bytes | Path, field: str) -> bytes:
    if isinstance(source, bytes):
        data = source
    else:
        try:
            with source.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise InvalidInputError(
                field, f"the picture cannot be read: {error.strerror}"
            ) from error
    if len(data) > LARGEST_FILE:
        raise InvalidInputError(field, f"the picture is larger than {LARGEST_FILE // 1024**2} MB")
    return data


def _opened(data: bytes, field: str) -> Image.Image:
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(field) from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise InvalidInputError(
            field, "expected a JPEG, PNG or WebP picture, and this is none or is damaged"
        ) from error


def _check_size(picture: Image.Image, field: str) -> None:
    if max(picture.size) > LONGEST_SIDE or picture.width * picture.height > MOST_PIXELS:
        raise _too_large(field)


def _decoded(picture: Image.Image, field: str) -> Image.Image:
    try:
        upright = ImageOps.exif_transpose(picture)
        return upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    except (OSError, SyntaxError, ValueError, EOFError, TypeError) as error:
        raise InvalidInputError(field, "the picture is damaged or cut short") from error


def _too_large(field: str) -> InvalidInputError:
    return InvalidInputError(
        field,
        f"the picture is larger than {LONGEST_SIDE:,} pixels on a side"
        f" or {MOST_PIXELS // 1_000_000} megapixels",
    )
