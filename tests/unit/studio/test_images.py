import io
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from studio.camera.frames import Scene, draw_frames
from studio.camera.moving import Subject
from studio.camera.photos import Fitted
from studio.camera.pictures import Box, Planes, Tone, blend, prepare, size_canvas, take_window
from studio.camera.shots import Rhythm, plan_shots
from studio.errors import PictureError
from studio.images import LARGEST_FILE, LONGEST_SIDE, check_image, open_image
from tests.tables import read_beside
from tests.unit.studio.noise import noise


def encoded(
    kind: str, size: tuple[int, int] = (64, 48), mode: str = "RGB", **options: object
) -> bytes:
    target = io.BytesIO()
    noise(size, 60).convert(mode).save(target, kind, **options)
    return target.getvalue()


# Linux counts the peak in kilobytes, macOS in bytes.
OPENED = read_beside(__file__)["OPENED"]


def run_alone(program: str, *arguments: str) -> str:
    """What a program prints in a process of its own, whose memory can be measured."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


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
def test_pictures_of_the_known_formats_pass(kind):
    check_image(encoded(kind), "images[0]")


@pytest.mark.parametrize("data", [b"", b"<html>", b"\x89PNG\r\n\x1a\n", b"GIF89a" + b"\0" * 99])
def test_what_is_no_picture_is_refused_by_name(data):
    with pytest.raises(PictureError, match=r"images\[3\]: expected a JPEG, PNG or WebP picture"):
        check_image(data, "images[3]")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_that_was_cut_short_is_refused(kind):
    data = encoded(kind, (400, 300))
    with pytest.raises(PictureError, match="damaged"):
        check_image(data[: len(data) // 2], "images[0]")


@pytest.mark.parametrize(
    "size", [(LONGEST_SIDE + 1, 10), (8000, 8000), (12_000, 12_000), (100_000, 100_000)]
)
def test_a_picture_with_too_many_pixels_is_refused_by_its_header(size):
    with pytest.raises(PictureError, match="12,000 pixels on a side or 50 megapixels"):
        check_image(png_header(*size), "images[0]")


def test_a_file_that_is_too_large_is_refused():
    with pytest.raises(PictureError, match="larger than 20 MB"):
        check_image(encoded("PNG") + b"\0" * LARGEST_FILE, "images[0]")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PictureError, match="cannot be read: No such file"):
        check_image(tmp_path / "gone.jpg", "images[0]")


def test_a_picture_stands_upright_as_the_camera_noted():
    exif = Image.Exif()
    exif[0x0112] = 6
    assert open_image(encoded("JPEG", (64, 48), exif=exif), "images[0]").size == (48, 64)


@pytest.mark.parametrize("kind", ["CMYK", "L", "RGB"])
def test_a_jpeg_of_any_colour_model_becomes_rgb(kind):
    assert open_image(encoded("JPEG", mode=kind), "images[0]").mode == "RGB"


def test_a_large_photo_is_opened_in_little_memory(tmp_path):
    """48 megapixels are 192 MB in Pillow; turned upright they would be so twice."""
    exif = Image.Exif()
    exif[0x0112] = 6
    photo = tmp_path / "phone.jpg"
    noise((1000, 750), 60).convert("RGB").resize((8000, 6000)).save(photo, exif=exif)
    grown, width, height = map(int, run_alone(OPENED, str(photo)).split())
    assert (width, height) == (3000, 4000)
    assert grown < 120_000


@pytest.mark.parametrize("size", [(4000, 3000), (3000, 4000)])
def test_a_phones_photo_keeps_its_pixels(size):
    assert open_image(flat("JPEG", "RGB", size), "images[0]").size == size


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L", "1", "LA"])
def test_a_large_graphic_is_halved(mode):
    opened = open_image(flat("PNG", mode, (5000, 3000)), "images[0]")
    assert opened.size == (2500, 1500)
    assert opened.mode == ("RGBA" if mode.endswith("A") else "RGB")


def flat(kind: str, mode: str, size: tuple[int, int]) -> bytes:
    target = io.BytesIO()
    Image.new(mode, size).save(target, kind)
    return target.getvalue()


def test_sixteen_bits_of_grey_become_eight():
    levels = np.array([[0, 64 * 256, 128 * 256, 65_535]], np.uint16)
    target = io.BytesIO()
    Image.fromarray(levels).save(target, "PNG")
    opened = open_image(target.getvalue(), "images[0]")
    assert opened.mode == "RGB"
    assert np.asarray(opened)[0, :, 1].tolist() == [0, 64, 128, 255]


@pytest.mark.parametrize(("pictures", "most"), [(4, 4), (10, 10), (12, 15)])
def test_a_picture_that_comes_again_is_not_made_again(pictures, most):
    made: list[int] = []

    def painter(number: int) -> Fitted:
        made.append(number)
        return Fitted(Image.new("RGB", (44, 76), (9 * number, 90, 90)), Subject())

    shots = plan_shots(60, [], pictures, "a", genre="rock", rhythm=Rhythm(0.5))
    for _ in draw_frames(Scene(shots, 60.0, (36, 64), painter, (), 120.0)):
        pass
    assert len(shots) > most
    assert pictures <= len(made) <= most


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((0, 0, 0), (16, 128, 128)),
        ((255, 255, 255), (235, 128, 128)),
        ((255, 0, 0), (63, 102, 240)),
    ],
)
def test_colours_become_video_levels(colour, expected):
    """ITU-R BT.709, 8 bit: black 16, white 235, pure red (63, 102, 240)."""
    frame = filmed(Image.new("RGB", (24, 24), colour))
    blue, red = np.split(frame.chroma, 2)
    assert tuple(int(plane[3, 3]) for plane in (frame.luma, blue, red)) == expected


FRAME = (20, 20)


def filmed(
    picture: Image.Image, box: Box = (0.0, 0.0, 20.0, 20.0), kept: float = 1.0, white: float = 0.0
) -> Planes:
    tone = Tone(np.full(FRAME[1], kept), np.full(FRAME[1], white))
    return take_window(prepare(picture), box, FRAME, tone)


def ramp() -> Image.Image:
    """Grey that gets 4 levels brighter with every column, and 2 with every row."""
    rows, columns = np.indices((40, 40))
    return Image.fromarray((4 * columns + 2 * rows).astype(np.uint8)).convert("RGB")


@pytest.mark.parametrize(("left", "top"), [(0.0, 0.0), (3.0, 5.0), (3.25, 5.5), (19.9, 19.9)])
def test_the_camera_sees_fractions_of_pixels(left, top):
    seen = filmed(ramp(), (left, top, left + 20, top + 20)).luma
    whole = filmed(ramp()).luma.astype(float)
    assert seen[5:15, 5:15] == pytest.approx(
        whole[5:15, 5:15] + (4 * left + 2 * top) * 219 / 255, abs=1.5
    )


def test_the_camera_sees_a_part_enlarged_and_the_whole_made_smaller():
    near, far = filmed(ramp(), (10, 10, 20, 20)).luma, filmed(ramp(), (0, 0, 40, 40)).luma
    assert int(near[10, 15]) - int(near[10, 5]) == pytest.approx(5 * 4 * 219 / 255, abs=2)
    assert int(far[10, 15]) - int(far[10, 5]) == pytest.approx(20 * 4 * 219 / 255, abs=2)


@pytest.mark.parametrize(
    ("kept", "white", "expected"),
    [(1.0, 0.0, (63, 240)), (0.0, 0.0, (16, 128)), (0.5, 0.0, (40, 184)), (0.0, 1.0, (235, 128))],
)
def test_light_is_taken_and_added_without_a_change_of_hue(kept, white, expected):
    frame = filmed(Image.new("RGB", (24, 24), (255, 0, 0)), kept=kept, white=white)
    red = np.split(frame.chroma, 2)[1]
    assert (int(frame.luma[3, 3]), int(red[3, 3])) == pytest.approx(expected, abs=1)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(["white", "black", "lime", "blue"]))
@settings(max_examples=40)
def test_any_light_stays_in_the_range_of_video(kept, share, colour):
    frame = filmed(Image.new("RGB", (24, 24), colour), kept=kept, white=(1 - kept) * share)
    assert frame.luma.min() >= 15
    assert frame.luma.max() <= 236
    assert frame.chroma.min() >= 15
    assert frame.chroma.max() <= 241


@pytest.mark.parametrize(("share", "level"), [(0.0, 16), (0.5, 125), (1.0, 235)])
def test_two_frames_are_mixed_by_their_share(share, level):
    black, white = (filmed(Image.new("RGB", (24, 24), name)) for name in ("black", "white"))
    assert int(blend(black, white, share).luma[7, 7]) == pytest.approx(level, abs=1)


def test_a_frame_is_handed_on_as_yuv420p():
    frame = filmed(Image.new("RGB", (24, 24), (255, 0, 0)))
    assert frame.data.tobytes() == bytes([63] * 400 + [102] * 100 + [240] * 100)


@pytest.mark.parametrize("frame", [(1080, 1920), (1920, 1080), (108, 192), (270, 480)])
def test_pictures_have_even_sides_and_are_larger_than_the_frame(frame):
    for side, whole in zip(size_canvas(frame), frame, strict=True):
        assert side % 2 == 0
        assert 1.15 < side / whole < 1.25


def _coded(seed: int, size: tuple[int, int], progressive: bool, sampling: int) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)
    kept = io.BytesIO()
    Image.fromarray(noise).save(
        kept, "JPEG", quality=80, progressive=progressive, subsampling=sampling
    )
    return kept.getvalue()


@given(
    seed=st.integers(0, 99),
    size=st.tuples(st.integers(16, 200), st.integers(16, 200)),
    progressive=st.booleans(),
    sampling=st.sampled_from([0, 1, 2]),
)
def test_jpeg_without_its_end_marker_is_the_same_picture(seed, size, progressive, sampling):
    whole = _coded(seed, size, progressive, sampling)
    assert open_image(whole[:-2], "images[0]").tobytes() == open_image(whole, "images[0]").tobytes()


@given(
    seed=st.integers(0, 99),
    size=st.tuples(st.integers(64, 200), st.integers(64, 200)),
    kept=st.floats(0.2, 0.7),
    sampling=st.sampled_from([0, 1, 2]),
)
def test_jpeg_that_lacks_coded_rows_is_cut_short(seed, size, kept, sampling):
    whole = _coded(seed, size, progressive=False, sampling=sampling)
    begin = whole.rfind(b"\xff\xda")
    cut = whole[: begin + 20 + round((len(whole) - begin) * kept)]
    with pytest.raises(PictureError, match="cut short"):
        open_image(cut, "images[0]")
