"""Pictures from outside: looked at before they are decoded, and only then opened; dark ones are lightened."""

import io
import math
from itertools import accumulate
from pathlib import Path

from PIL import Image, ImageChops, ImageOps, UnidentifiedImageError

from studio.errors import PictureError

LARGEST_FILE = 20 * 1024 * 1024
LONGEST_SIDE = 12_000
MOST_PIXELS = 50_000_000
# What a film shows sharply; a picture of more takes memory and shows no more. Phones take 12 million.
HALVED_FROM = 13_000_000
_DAMAGED = "the picture is damaged or cut short"
FORMATS = ("JPEG", "PNG", "WEBP")
_JPEG, _SCAN, _END = b"\xff\xd8\xff", b"\xff\xda", b"\xff\xd9"
# Any coded bits do: what they say is looked at only where coded pixels are missing.
_ANY_BITS = b"\x55" * 4096
# A row of blocks at an eighth of its size: so many of the last ones may be missing.
_LAST_ROWS = 2
# The brands of ISO/IEC 23008-12 that phones write.
_HEIC = frozenset((b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"))
# A photograph is dark below, and flat below, such values in [0, 1]; its middle tone then becomes `_MIDDLE`, by an
# exponent of at least `_STRONGEST`, and as much as `_ENDS` of it black or white.
_DARK_BELOW = 0.25
_FLAT_BELOW = 0.5
_MIDDLE = 0.4
_STRONGEST = 0.3
_ENDS = 0.01
_JUDGED_AT = (256, 256)


def check_image(source: bytes | Path, field: str) -> None:
    """Decode a picture of a video once; raise a PictureError that names `field` if it cannot be used."""
    open_image(source, field)


def check_header(source: bytes, field: str) -> None:
    """Check the picture's format and size by its first bytes, as `check_image` does; decode nothing."""
    _check_size(_open(_read_bytes(source, field), field), field)


def open_image(source: bytes | Path, field: str, *, enough: int | None = None) -> Image.Image:
    """Decode the picture to RGBA or RGB, turned upright as its camera noted, of fewer than `HALVED_FROM` pixels.

    The size is read from the header and refused before a single pixel is decoded; a larger picture than a film
    needs comes at half its size, which a JPEG is decoded at. Where `enough` pixels on the shorter side will do, it
    comes still smaller, but with no fewer than these. Raises a PictureError that names `field`.
    """
    given = _read_bytes(source, field)
    data = with_end_marker(given)
    picture = _open(data, field)
    _check_size(picture, field)
    if data is not given and _is_cut_short(given):
        raise PictureError(field, _DAMAGED)
    return _decode(picture, field, enough)


def with_end_marker(data: bytes) -> bytes:
    """Return a JPEG that lacks its end marker with one, as viewers show it; any other data as it is."""
    # Coded pixels hold neither mark, so an end after the last scan's beginning is that of the picture.
    if not data.startswith(_JPEG) or data.find(_END, data.rfind(_SCAN)) >= 0:
        return data
    return data + _END


def _is_cut_short(data: bytes) -> bool:
    """Return whether a JPEG without its end marker lacks more than its last rows: other bits there are seen."""
    ends = []
    try:
        for more in (b"", _ANY_BITS):
            picture = Image.open(io.BytesIO(data + more + _END), formats=("JPEG",))
            picture.draft("RGB", (max(picture.width // 8, 1), max(picture.height // 8, 1)))
            ends.append(picture.convert("RGB"))
    except (OSError, SyntaxError, ValueError):
        return True
    seen = ImageChops.difference(*ends).getbbox()
    return seen is not None and seen[1] < ends[0].height - _LAST_ROWS


def _read_bytes(source: bytes | Path, field: str) -> bytes:
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise PictureError(field, f"the picture cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_FILE:
        raise PictureError(field, f"the picture is larger than {LARGEST_FILE // 1024**2} MB")
    return data


def _open(data: bytes, field: str) -> Image.Image:
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _explain_size(field) from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        kind = _name_format(data)
        what = f"this is {kind}" if kind else "this is none or is damaged"
        raise PictureError(field, f"expected a JPEG, PNG or WebP picture, and {what}") from error


def _name_format(data: bytes) -> str:
    """Return the name of a format that many have and that is not taken; "" where it is none of these."""
    begins = {b"GIF8": "GIF", b"BM": "BMP", b"%PDF": "PDF", b"II*\0": "TIFF", b"MM\0*": "TIFF"}
    if data[4:8] == b"ftyp":
        brand = data[8:12]
        return "AVIF" if brand.startswith(b"avi") else "HEIC" if brand in _HEIC else "a video"
    return next((name for mark, name in begins.items() if data.startswith(mark)), "")


def _check_size(picture: Image.Image, field: str) -> None:
    if max(picture.size) > LONGEST_SIDE or picture.width * picture.height > MOST_PIXELS:
        raise _explain_size(field)


def _decode(picture: Image.Image, field: str, enough: int | None) -> Image.Image:
    try:
        times = _count_times_smaller(picture.size, enough)
        if times > 1:
            # Only JPEGs heed this; they never are in memory at their full size.
            picture.draft(None, (picture.width // times, picture.height // times))
        upright = _convert_colours(picture)
        times = _count_times_smaller(upright.size, enough)
        if times > 1:
            upright = upright.reduce(times)
        ImageOps.exif_transpose(upright, in_place=True)
    except (OSError, SyntaxError, ValueError, EOFError, TypeError) as error:
        raise PictureError(field, _DAMAGED) from error
    return upright


def _count_times_smaller(size: tuple[int, int], enough: int | None) -> int:
    """Return how many times smaller a picture of this size comes."""
    at_least = 2 if size[0] * size[1] >= HALVED_FROM else 1
    return at_least if enough is None else max(at_least, min(size) // enough)


def _convert_colours(picture: Image.Image) -> Image.Image:
    """Convert the picture to RGBA or RGB; return itself where it is that already: a copy takes as much memory."""
    picture.load()
    if picture.mode.startswith("I"):
        import numpy as np  # 11 MB of every process that may meet a picture, for the few of 16 bits

        # Pillow clips 16 bits to 255, which turns all but the darkest greys white.
        picture = Image.fromarray((np.asarray(picture) // 256).astype(np.uint8))
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    return picture if picture.mode == mode else picture.convert(mode)


def _explain_size(field: str) -> PictureError:
    return PictureError(
        field,
        f"the picture is larger than {LONGEST_SIDE:,} pixels on a side"
        f" or {MOST_PIXELS // 1_000_000} megapixels",
    )


def stretch_levels(source: Path, target: Path) -> bool:
    """Write a dark or flat photograph as a PNG with stretched levels; return False for any other."""
    picture = open_image(source, "images")
    curve = _find_curve(picture)
    if curve is None:
        return False
    stretched = picture.convert("RGB").point(curve * 3)
    if picture.mode == "RGBA":
        stretched.putalpha(picture.getchannel("A"))
    stretched.save(target, "PNG", compress_level=1)
    return True


def _find_curve(picture: Image.Image) -> list[int] | None:
    """Return what each of the 256 values becomes; None for a picture that is neither dark nor flat."""
    small = ImageOps.contain(picture.convert("L"), _JUDGED_AT)
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
