import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from resources.errors import InvalidInputError
from resources.studio.camera.images import LARGEST_FILE, LONGEST_SIDE, check_image, open_image
from resources.studio.camera.pictures import caption_shade, darkened, fitted, planes


def encoded(
    kind: str, size: tuple[int, int] = (64, 48), mode: str = "RGB", **options: object
) -> bytes:
    target = io.BytesIO()
    Image.effect_noise(size, 60).convert(mode).save(target, kind, **options)
    return target.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""
    body = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + b"IHDR" + body + struct.pack(">I", zlib.crc32(b"IHDR" + body))
    data = zlib.compress(b"")
    idat = (
        struct.pack(">I", len(data))
        + b"IDAT"
        + data
        + struct.pack(">I", zlib.crc32(b"IDAT" + data))
    )
    return b"\x89PNG\r\n\x1a\n" + chunk + idat


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_pictures_of_the_known_formats_pass(kind: str) -> None:
    check_image(encoded(kind), "images[0]")


@pytest.mark.parametrize("data", [b"", b"<html>", b"\x89PNG\r\n\x1a\n", b"GIF89a" + b"\0" * 99])
def test_what_is_no_picture_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(
        InvalidInputError, match=r"images\[3\]: expected a JPEG, PNG or WebP picture"
    ):
        check_image(data, "images[3]")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_that_was_cut_short_is_refused(kind: str) -> None:
    data = encoded(kind, (400, 300))
    with pytest.raises(InvalidInputError, match="damaged"):
        check_image(data[: len(data) // 2], "images[0]")


@pytest.mark.parametrize(
    "size", [(LONGEST_SIDE + 1, 10), (8000, 8000), (12_000, 12_000), (100_000, 100_000)]
)
def test_a_picture_with_too_many_pixels_is_refused_by_its_header(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidInputError, match="12,000 pixels on a side or 50 megapixels"):
        check_image(png_header(*size), "images[0]")


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="larger than 20 MB"):
        check_image(encoded("PNG") + b"\0" * LARGEST_FILE, "images[0]")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read: No such file"):
        check_image(tmp_path / "gone.jpg", "images[0]")


def test_a_picture_stands_upright_as_the_camera_noted() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    assert open_image(encoded("JPEG", (64, 48), exif=exif), "images[0]").size == (48, 64)


@pytest.mark.parametrize("kind", ["CMYK", "L", "RGB"])
def test_a_jpeg_of_any_colour_model_becomes_rgb(kind: str) -> None:
    assert open_image(encoded("JPEG", mode=kind), "images[0]").mode == "RGB"


@pytest.mark.parametrize("size", [(30, 10), (10, 30), (5000, 40), (40, 40)])
def test_a_picture_fills_the_frame_whatever_its_shape(size: tuple[int, int]) -> None:
    filled = fitted(Image.new("RGB", size, (200, 10, 10)), (90, 160))
    assert filled.size == (90, 160)
    assert filled.getextrema() == ((200, 200), (10, 10), (10, 10))


def test_a_see_through_picture_gets_a_ground() -> None:
    filled = fitted(Image.new("RGBA", (64, 64), (255, 255, 255, 0)), (90, 160))
    assert filled.mode == "RGB"


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((0, 0, 0), (16, 128, 128)),
        ((255, 255, 255), (235, 128, 128)),
        ((255, 0, 0), (63, 102, 240)),
    ],
)
def test_colours_become_video_levels(
    colour: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    """ITU-R BT.709, 8 bit: black 16, white 235, pure red (63, 102, 240)."""
    frame = planes(Image.new("RGB", (8, 8), colour))
    assert (
        tuple(plane.getpixel((3, 3)) for plane in (frame.luma, frame.blue, frame.red)) == expected
    )


def test_the_ground_behind_captions_gets_darker_and_stays_in_range() -> None:
    white = planes(Image.new("RGB", (90, 160), "white"))
    black = planes(Image.new("RGB", (90, 160), "black"))
    shade = caption_shade((90, 160), 120, 20)
    assert darkened(white, shade).luma.getpixel((45, 120)) < 140
    assert darkened(white, shade).luma.getpixel((45, 5)) == 235
    assert darkened(black, shade).luma.getextrema() == (16, 16)
