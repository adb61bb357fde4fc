import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pipeline_defs.catalog import get_catalog
from resources.process.settings import PROJECT_ROOT
from studio.camera.film import FRAMES
from studio.camera.fonts import find_font
from studio.camera.frames import measure_presence
from studio.camera.staging import find_areas, stage_text
from studio.camera.subtitles import CAPTION_FADE, find_fades
from studio.camera.text import LOOKS, Layout, Text
from studio.errors import RenderError
from studio.ffmpeg import (
    find_cover_moments,
    find_ffmpeg,
    frame_at,
    save_covers,
    take_covers,
    try_covers,
)
from studio.genres import choose_genre, get_genre
from studio.lyricist.lyric import Facts, write_lyric
from studio.timeline import arrange

SHOWCASE = PROJECT_ROOT / "examples" / "showcase"
ARRIVED, LEAVING = 0.75, 0.3
FIRST_SHADE, SHADES_PER_SECOND = 90, 15


def film(folder: Path, seconds: float, source: str) -> Path:
    target = folder / "video.mp4"
    command = [find_ffmpeg(), "-v", "error", "-f", "lavfi", "-i", source, "-t", f"{seconds}"]
    subprocess.run([*command, "-pix_fmt", "yuv420p", "-crf", "10", str(target)], check=True)
    return target


def clock(luma: str) -> str:
    """A film whose blue tells the time, as bright as this says."""
    return (
        f"color=black:s=64x64:r=30,geq=lum='{luma}':cb='{FIRST_SHADE}+{SHADES_PER_SECOND}*T':cr=128"
    )


def shown_in(picture: Image.Image) -> float:
    """The moment of a film of `clock` that the picture shows."""
    blue = float(np.asarray(picture.convert("YCbCr"), float)[..., 1].mean())
    return (128 + (blue - 128) * 224 / 255 - FIRST_SHADE) / SHADES_PER_SECOND


def moment_of(folder: Path, seconds: float, luma: str = "126") -> float:
    _, cover = take_covers(film(folder, seconds, clock(luma)), seconds, folder)
    with Image.open(cover) as picture:
        return shown_in(picture)


@pytest.fixture(scope="module")
def shown_at(tmp_path_factory: pytest.TempPathFactory) -> float:
    return moment_of(tmp_path_factory.mktemp("film"), 5.0)


@settings(max_examples=50)
@given(st.text(max_size=80), st.floats(3, 120))
def test_the_title_is_at_its_best_in_the_cover(shown_at, lyric, seconds):
    text = Text("카페", "군산", arrange(lyric, get_genre("pop"), seconds)[1])
    title = stage_text(text, find_font(), Layout.of(270, 480), seconds).cards[0]
    assert title.start + ARRIVED <= shown_at <= title.end - LEAVING


def plates_without_words(text: Text, frame: tuple[int, int], seconds: float) -> set[float]:
    """The moments of a cover at which a ground is there and its words are not, or the other way round."""
    font, layout = find_font(), Layout.of(*frame, LOOKS[text.caption_style].scale)
    stage = stage_text(text, font, layout, seconds)
    grounds = find_areas(stage_text(text, font, layout, seconds))
    moments = find_cover_moments(seconds, find_fades(stage_text(text, font, layout, seconds)))
    half_there = {
        moment for moment in moments for area in grounds if 0 < measure_presence(area, moment) < 1
    }
    coming_or_going = {
        moment
        for moment in moments
        for caption in stage.captions
        for begin, end in (
            (caption.start, caption.start + CAPTION_FADE / 1000),
            (caption.end - CAPTION_FADE / 1000, caption.end),
        )
        if begin < moment < end and caption.start > 0
    }
    return half_there | coming_or_going


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(("오늘도 문을 열어요", "la la la", "봄날 베이커리에서 만나요")), max_size=12
    ),
    st.floats(3, 120),
    st.sampled_from(sorted(LOOKS)),
    st.floats(0, 4),
)
def test_no_text_comes_or_goes_in_a_cover(lines, seconds, look, begins):
    """From whatever moment on it is sung."""
    sung = arrange("\n".join(lines), get_genre("pop"), seconds)[1]
    moved = [replace(line, start=line.start + begins, end=line.end + begins) for line in sung]
    text = Text("카페", "군산", tuple(moved), caption_style=look)
    assert plates_without_words(text, (270, 480), seconds) == set()


@pytest.mark.parametrize("order", sorted(SHOWCASE.glob("*.yaml")), ids=lambda each: each.stem)
def test_covers_of_the_showcase_have_no_plate_without_words(order):
    brief = get_catalog().default.parse(yaml.safe_load(order.read_text("utf-8")))
    facts = Facts(
        customer_name=brief.customer_name,
        region=brief.region,
        detail_region_info=brief.detail_region_info,
        language=brief.language,
        genre=brief.genre,
        duration_seconds=brief.duration_seconds,
    )
    genre, _ = choose_genre(brief.genre)
    seconds = float(brief.duration_seconds)
    for seed in (order.stem, "another", "a third"):
        lines = arrange(write_lyric(seed, facts).text, genre, seconds)[1]
        for look in LOOKS:
            text = Text(brief.customer_name, brief.region, lines, caption_style=look)
            for frame in FRAMES.values():
                assert plates_without_words(text, frame, seconds) == set()


def test_cover_of_a_film_that_never_rests_is_taken_where_it_was_wished():
    assert find_cover_moments(10.0, [(0.0, 10.0)]) == [1.3, 4.0, 6.5]


def test_cover_leaves_a_fade_for_the_nearest_moment_with_the_title():
    assert find_cover_moments(20.0, [(0.8, 1.6)])[0] == pytest.approx(1.64, abs=0.01)
    assert find_cover_moments(20.0, [(1.2, 1.9)])[0] == pytest.approx(1.16, abs=0.01)
    assert find_cover_moments(20.0, [(0.0, 1.9)])[0] == pytest.approx(1.94, abs=0.01)


@pytest.mark.parametrize(("title", "moment"), [(110, 1.3), (40, 2.6)])
def test_a_dark_title_is_left_for_the_brightest_moment(tmp_path, title, moment):
    luma = f"if(lt(T,1.5),{title},if(lt(T,2),100,130))"
    assert moment_of(tmp_path, 4.0, luma) == pytest.approx(moment, abs=0.2)


def test_a_moment_that_is_washed_out_is_left_for_a_clear_one(tmp_path):
    """Dark until 1.5 s; then as bright as white behind a few stripes, and from 2 s on clear stripes."""
    stripes = "if(lt(T,1.5),20,if(lt(T,2),170+4*mod(X,8),140*gt(mod(X,8),3)+60))"
    assert moment_of(tmp_path, 4.0, stripes) == pytest.approx(2.6, abs=0.2)


def test_a_very_short_film_shows_its_middle(tmp_path):
    assert moment_of(tmp_path, 1.0) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("size", "small"), [((1080, 1920), (540, 960)), ((1920, 1080), (960, 540))]
)
def test_covers_of_anything_are_of_full_size_and_small(tmp_path, size, small):
    noise = np.random.default_rng(1).integers(0, 255, (size[1], size[0], 3), np.uint8)
    thumbnail, cover = save_covers(Image.fromarray(noise), tmp_path)
    for path, pixels, largest in ((thumbnail, small, 90_000), (cover, size, 600_000)):
        with Image.open(path) as picture:
            assert (picture.format, picture.size) == ("JPEG", pixels)
        assert path.stat().st_size < largest


def test_nothing_else_is_left_in_the_folder(tmp_path):
    take_covers(film(tmp_path, 1.0, "color=red:s=64x64"), 1.0, tmp_path)
    names = {"video.mp4", "thumbnail.jpg", "cover.jpg"}
    assert {file.name for file in tmp_path.iterdir()} == names


@pytest.mark.parametrize("moment", [0.0, 0.7, 2.5])
def test_a_frame_is_that_of_its_moment(tmp_path, moment):
    frame = frame_at(film(tmp_path, 3.0, clock("126")), moment)
    assert shown_in(frame) == pytest.approx(moment, abs=0.1)


def test_a_film_has_no_frame_after_its_end(tmp_path):
    with pytest.raises(RenderError, match=r"no frame at 3\.000 s"):
        frame_at(film(tmp_path, 1.0, "color=red:s=64x64"), 3.0)


def test_a_film_that_cannot_be_read_has_none(tmp_path):
    broken = tmp_path / "video.mp4"
    broken.write_bytes(b"no film")
    assert try_covers(broken, 10.0, tmp_path) == ()
