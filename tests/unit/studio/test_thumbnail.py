import subprocess
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from studio.camera.fonts import find_font
from studio.camera.layout import Layout
from studio.camera.staging import staged
from studio.camera.text import Text
from studio.camera.thumbnail import take_thumbnail, try_thumbnail
from studio.ffmpeg import find_ffmpeg
from studio.genres import POP
from studio.timeline import arranged

ARRIVED, LEAVING = 0.75, 0.3
SHADES_PER_SECOND = 40


def film(folder: Path, seconds: float, source: str) -> None:
    command = [find_ffmpeg(), "-v", "error", "-f", "lavfi", "-i", source, "-t", f"{seconds}"]
    subprocess.run(
        [*command, "-pix_fmt", "yuv420p", "-crf", "10", str(folder / "video.mp4")], check=True
    )


def moment_of(folder: Path, seconds: float) -> float:
    """The moment of a film of this length that its thumbnail shows: the film's grey tells the time."""
    film(
        folder,
        seconds,
        f"color=black:s=64x64:r=30,geq=lum='16+{SHADES_PER_SECOND}*T':cb=128:cr=128",
    )
    with Image.open(take_thumbnail(find_ffmpeg(), folder, seconds, Event())) as picture:
        grey = picture.convert("L").getpixel((32, 32))
    return grey * 219 / 255 / SHADES_PER_SECOND


@pytest.fixture(scope="module")
def shown_at(tmp_path_factory: pytest.TempPathFactory) -> float:
    return moment_of(tmp_path_factory.mktemp("film"), 5.0)


@settings(max_examples=50)
@given(st.text(max_size=80), st.floats(3, 120))
def test_the_title_is_at_its_best_in_the_thumbnail(
    shown_at: float, lyric: str, seconds: float
) -> None:
    text = Text("카페", "군산", arranged(lyric, POP, seconds)[1])
    title = staged(text, find_font(), Layout.of(270, 480), seconds).cards[0]
    assert title.start + ARRIVED <= shown_at <= title.end - LEAVING


def test_a_very_short_film_shows_its_middle(tmp_path: Path) -> None:
    assert moment_of(tmp_path, 1.0) == pytest.approx(0.5, abs=0.07)


def test_a_thumbnail_of_anything_is_small(tmp_path: Path) -> None:
    film(tmp_path, 0.2, "color=gray:s=540x960:r=30,noise=alls=100:allf=t")
    (thumbnail,) = try_thumbnail(tmp_path, 0.2)
    with Image.open(thumbnail) as picture:
        assert (picture.format, picture.size) == ("JPEG", (270, 480))
    assert thumbnail.stat().st_size <= 30_000


def test_nothing_else_is_left_in_the_folder(tmp_path: Path) -> None:
    film(tmp_path, 1.0, "color=red:s=64x64")
    try_thumbnail(tmp_path, 1.0)
    assert {file.name for file in tmp_path.iterdir()} == {"video.mp4", "thumbnail.jpg"}


def test_a_film_that_cannot_be_read_has_none(tmp_path: Path) -> None:
    (tmp_path / "video.mp4").write_bytes(b"no film")
    assert try_thumbnail(tmp_path, 10.0) == ()
