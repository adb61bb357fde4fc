import subprocess
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from studio.camera.fonts import find_font
from studio.camera.staging import find_areas, stage_text
from studio.camera.subtitles import write_document
from studio.camera.text import Layout, Text, TextArea
from studio.ffmpeg import find_ffmpeg
from studio.genres import get_genre
from studio.timeline import Chunk, Line, arrange

FONT = find_font()
LAYOUTS = {"vertical": Layout.of(1080, 1920), "horizontal": Layout.of(1920, 1080)}
ANY_TEXT = st.one_of(
    st.text(max_size=80),
    st.text("가나다 W.i\n{}\\1-", max_size=80),
    st.sampled_from(["", "W" * 80, "가" * 80, "우리 동네 최고의 손칼국수 전문점 " * 4]),
)
SECONDS = st.one_of(st.floats(10, 120), st.floats(1, 6))
FILMS = st.tuples(st.sampled_from(sorted(LAYOUTS)), ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, SECONDS)


def meet(first: TextArea, second: TextArea) -> bool:
    return (
        first.start < second.end
        and second.start < first.end
        and first.left < second.right
        and second.left < first.right
        and first.top < second.bottom
        and second.top < first.bottom
    )


def sung(start: float, end: float) -> Line:
    return Line("노래해요", start, end, (Chunk("노래해요", end - start),))


THREE_ROWS = ("horizontal", "카페", "군산", "", "가나다라마바사아자차카타 " * 6, 10.0)


@settings(max_examples=50)
@example(THREE_ROWS)
@given(FILMS)
def test_all_text_stands_inside_the_safe_margins(film):
    orientation, name, region, call, lyric, seconds = film
    layout = LAYOUTS[orientation]
    left, top, right, bottom = layout.safe
    text = Text(name, region, arrange(lyric, get_genre("pop"), seconds)[1], call)
    for area in find_areas(stage_text(text, FONT, layout, seconds)):
        assert left - 0.01 <= area.left < area.right <= right + 0.01
        assert top - 0.01 <= area.top < area.bottom <= bottom + 0.01
        assert 0 <= area.start < area.end <= seconds


@settings(max_examples=50)
@example(THREE_ROWS)
@given(FILMS)
def test_no_text_covers_another(film):
    orientation, name, region, call, lyric, seconds = film
    text = Text(name, region, arrange(lyric, get_genre("pop"), seconds)[1], call)
    found = find_areas(stage_text(text, FONT, LAYOUTS[orientation], seconds))
    assert not [pair for pair in combinations(found, 2) if meet(*pair)]


@pytest.mark.parametrize(
    ("top", "bottom", "right"),
    [(269, 672, 65), (288, 672, 192), (220, 450, 120), (150, 440, 164), (270, 380, 0)],
    ids=["reels", "shorts", "posted reels", "tiktok", "stories"],
)
def test_what_the_apps_cover_of_an_upright_frame_is_left_free(top, bottom, right):
    safe = LAYOUTS["vertical"].safe
    assert safe[1] >= top
    assert safe[2] <= 1080 - right
    assert safe[3] <= 1920 - bottom


def test_a_wide_frame_keeps_the_graphics_safe_area():
    left, top, right, bottom = LAYOUTS["horizontal"].safe
    assert (left, top) == (pytest.approx(0.05 * 1920), pytest.approx(0.05 * 1080))
    assert (right, bottom) == (pytest.approx(0.95 * 1920), pytest.approx(0.95 * 1080))


def test_a_small_frame_is_laid_out_like_a_large_one():
    large, small = Layout.of(1080, 1920), Layout.of(270, 480)
    assert small.safe == pytest.approx([side / 4 for side in large.safe])
    assert small.text_width == pytest.approx(large.text_width / 4)


@pytest.mark.parametrize("orientation", sorted(LAYOUTS))
def test_libass_draws_inside_the_areas_and_nowhere_else(orientation, tmp_path):
    layout = LAYOUTS[orientation]
    lyric = "BLUE 카페에서 latte 한 잔\n지금여기바로이곳에서우리함께노래해요띄어쓰기없이\nÅgjpqy 뷁"
    lines = arrange(lyric, get_genre("pop"), 10)[1]
    text = Text("우리 동네 Blue Gjpq 카페", "군산 월명동", lines, "예약 02 123 4567")
    (tmp_path / "text.ass").write_text(
        write_document(stage_text(text, FONT, layout, 10.0), (255, 209, 102)), "utf-8"
    )
    frames = drawn(layout, FONT.path.parent, tmp_path)
    for number, frame in enumerate(frames):
        moment = number / 2
        inside = np.zeros_like(frame)
        for area in find_areas(stage_text(text, FONT, layout, 10.0)):
            if area.start <= moment < area.end:
                box = frame[
                    int(area.top) : int(area.bottom) + 2, int(area.left) : int(area.right) + 2
                ]
                assert box.any() or moment - area.start < 0.1 or area.end - moment < 0.1
                inside[
                    int(area.top) : int(area.bottom) + 2, int(area.left) : int(area.right) + 2
                ] = True
        assert not (frame & ~inside).any(), f"at {moment} s"


def drawn(layout: Layout, fonts: Path, folder: Path) -> np.ndarray:
    """Where there is anything on the ground, two frames a second."""
    source = f"color=gray:s={layout.width}x{layout.height}:r=2:d=10"
    shown = f"format=rgb24,ass=text.ass:fontsdir='{fonts}',format=gray"
    command = [find_ffmpeg(), "-v", "error", "-f", "lavfi", "-i", source, "-vf", shown]
    raw = subprocess.run(
        [*command, "-f", "rawvideo", "-"], capture_output=True, check=True, cwd=folder
    ).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, layout.height, layout.width)
    return np.abs(frames.astype(np.int16) - int(frames[0, 0, 0])) > 30


def test_the_title_is_there_until_the_singing_begins():
    text = Text("카페", "군산", (sung(3.3, 5),))
    title, *_ = find_areas(stage_text(text, FONT, LAYOUTS["vertical"], 20))
    assert (title.start, title.end) == (0, pytest.approx(3.0))


def test_a_song_that_begins_at_once_is_sung_under_the_title():
    layout = LAYOUTS["vertical"]
    title, *_, caption = find_areas(
        stage_text(Text("카페", "군산", (sung(0, 3),)), FONT, layout, 20)
    )
    assert title.end >= 2.0
    assert caption.start == 0
    assert title.bottom <= layout.divide <= caption.top


@pytest.mark.parametrize(
    ("end", "least"), [(5.0, 4.5), (6.0, 4.0), (7.3, 2.7), (7.7, 2.6), (10.0, 2.6)]
)
def test_the_end_card_has_its_time_whenever_the_singing_ends(end, least):
    stage = stage_text(
        Text("카페", "군산", (sung(3, end),), "오세요"), FONT, LAYOUTS["vertical"], 10.0
    )
    assert stage.cards[-1].end == 10.0
    assert 10.0 - stage.cards[-1].start >= least
    assert stage.cards[-1].call.rows


@pytest.mark.parametrize("seconds", [12.0, 20.0, 120.0])
@pytest.mark.parametrize("share", [0.5, 0.85, 1.0])
def test_longer_films_have_longer_cards(seconds, share):
    text = Text("카페", "군산", (sung(0.5, share * seconds),), "오세요")
    title, end = stage_text(text, FONT, LAYOUTS["vertical"], seconds).cards
    assert title.end >= 2.0
    assert seconds - end.start >= 3.2 - 1e-9


def test_cards_and_tag_take_turns():
    stage = stage_text(Text("카페", "군산", (sung(3, 7),)), FONT, LAYOUTS["vertical"], 12.0)
    title, end = stage.cards
    spans = [(title.start, title.end), (stage.tag.start, stage.tag.end), (end.start, end.end)]
    assert all(first[1] == second[0] for first, second in pairwise(spans))


def test_a_film_too_short_for_two_cards_has_the_one_that_asks():
    (card,) = stage_text(Text("카페", "군산", (), "오세요"), FONT, LAYOUTS["vertical"], 3.0).cards
    assert (card.start, card.end) == (0, 3.0)
    assert card.call.rows


def test_lines_outside_the_film_are_no_areas():
    lines = (sung(-5, -2), sung(4, 6), sung(30, 33))
    found = find_areas(stage_text(Text("카페", "군산", lines), FONT, LAYOUTS["vertical"], 10))
    captions = [area for area in found if area.top > LAYOUTS["vertical"].divide]
    assert [(area.start, area.end) for area in captions] == [
        (pytest.approx(3.7), pytest.approx(6.0))
    ]
