import base64
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms

from resources.contract.errors import PermanentError
from resources.files.pictures import LONGEST_SIDE, encode_jpeg_data_url
from studio.errors import PictureError
from studio.images import open_image

BEGIN = "data:image/jpeg;base64,"
ORIENTATION, GPS = 0x0112, 0x8825
SECRET = b"37.5665N-126.9780E"


def encoded(picture: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    written = io.BytesIO()
    picture.save(written, kind, **options)
    return written.getvalue()


def prepared(source: bytes | Path) -> Image.Image:
    url = encode_jpeg_data_url(source, "images[0]")
    assert url.startswith(BEGIN)
    return Image.open(io.BytesIO(base64.b64decode(url.removeprefix(BEGIN), validate=True)))


def tagged() -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif.get_ifd(GPS)[1] = SECRET.decode()
    exif[0x010E] = SECRET.decode()
    return exif


@given(width=st.integers(1, 3000), height=st.integers(1, 3000))
def test_data_url_is_a_jpeg_of_the_same_shape_within_its_limit(width, height):
    picture = prepared(encoded(Image.new("RGB", (width, height), "teal"), "PNG", compress_level=1))
    assert (picture.format, picture.mode) == ("JPEG", "RGB")
    assert max(picture.size) <= LONGEST_SIDE
    # A side may be rounded by a pixel, and so may the half that it was decoded at.
    off = abs(picture.width * height - picture.height * width)
    assert off <= 2 * max(width, height)


def test_data_url_does_not_enlarge_a_picture():
    assert prepared(encoded(Image.new("RGB", (40, 30)))).size == (40, 30)


def test_data_url_of_a_phones_photograph_is_large_enough_to_be_looked_at():
    picture = prepared(encoded(Image.new("RGB", (4000, 3000), "teal")))
    assert min(picture.size) >= 512


def test_data_url_shows_the_picture_upright():
    lying = Image.new("RGB", (600, 300), "white")
    lying.paste("red", (0, 0, 600, 60))
    picture = prepared(encoded(lying, exif=tagged(), quality=95))
    assert picture.size == (300, 600)
    red, _, blue = picture.getpixel((290, 300))
    assert red > 200 > 100 > blue


def test_data_url_holds_no_metadata():
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    given_away = encoded(
        Image.new("RGB", (64, 48)), exif=tagged(), comment=SECRET, icc_profile=profile, dpi=(72, 72)
    )
    assert SECRET in given_away
    picture = prepared(given_away)
    assert not picture.getexif()
    assert not {"exif", "icc_profile", "comment", "xmp", "dpi"} & set(picture.info)
    assert SECRET not in base64.b64decode(encode_jpeg_data_url(given_away, "x").removeprefix(BEGIN))


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_data_url_shows_what_is_transparent_as_white(kind):
    picture = prepared(encoded(Image.new("RGBA", (64, 48), (0, 0, 0, 0)), kind))
    assert min(picture.getpixel((30, 20))) > 250


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_data_url_takes_pictures_of_every_mode(mode):
    assert prepared(encoded(Image.new(mode, (64, 48)), "PNG")).size == (64, 48)


@pytest.mark.parametrize(
    "source",
    [b"", b"GIF89a", encoded(Image.effect_noise((99, 99), 50))[:900], Path("there/is/none.jpg")],
    ids=["empty", "gif", "cut short", "missing"],
)
def test_data_url_of_no_picture_is_refused_in_the_words_of_the_studio(source):
    with pytest.raises(PictureError) as expected:
        open_image(source, "images[3]")
    with pytest.raises(PermanentError) as refused:
        encode_jpeg_data_url(source, "images[3]")
    assert (refused.value.code, refused.value.message) == (
        "invalid_picture",
        expected.value.message,
    )


def test_data_url_of_a_file_is_that_of_its_bytes(tmp_path):
    data = encoded(Image.new("RGB", (64, 48), "teal"))
    (tmp_path / "photo").write_bytes(data)
    assert encode_jpeg_data_url(tmp_path / "photo", "x") == encode_jpeg_data_url(data, "x")
