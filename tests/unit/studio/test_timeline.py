from bisect import bisect
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.genres import get_genre, read_genres
from studio.timeline import Line, arrange, plan_grid
from studio.words import list_sung_lines
from tests.tables import read_beside

durations = st.floats(10, 120)
genres = st.sampled_from([read_genres()[name] for name in sorted(read_genres())])
marks = st.sampled_from(["", "[Verse]", "[Chorus]", "[Bridge]", "{}\\", "[unfinished"])
lyrics = st.lists(st.text(max_size=60) | marks, max_size=60).map("\n".join)
SONG = read_beside(__file__)["SONG"]


@settings(max_examples=40)
@given(lyrics, genres, durations)
def test_lines_follow_each_other_inside_the_song(lyric, genre, seconds):
    _, lines = arrange(lyric, genre, seconds, "a")
    moments = [moment for line in lines for moment in (line.start, line.end)]
    assert moments == sorted(moments)
    assert all(0 <= moment <= seconds for moment in moments)


@given(lyrics, genres, durations)
def test_every_line_with_words_is_in_the_timeline_whole(lyric, genre, seconds):
    _, lines = arrange(lyric, genre, seconds, "a")
    assert [line.text for line in lines] == list_sung_lines(lyric)
    assert all("".join(chunk.text for chunk in line.chunks) == line.text for line in lines)


@given(lyrics, genres, durations)
def test_the_chunks_of_a_line_fill_its_time(lyric, genre, seconds):
    for line in arrange(lyric, genre, seconds, "a")[1]:
        sung = sum(chunk.seconds for chunk in line.chunks)
        assert sung == pytest.approx(line.end - line.start, abs=1e-6)
        assert all(chunk.seconds >= 0 for chunk in line.chunks)


@given(lyrics, genres, durations)
def test_lines_lie_in_the_sections_that_are_theirs(lyric, genre, seconds):
    grid, lines = arrange(lyric, genre, seconds, "a")
    owners = [section for section in grid.sections for _ in range(section.lines)] if lines else []
    for line, section in zip(lines, owners, strict=True):
        assert section.first_bar * grid.bar <= line.start + 1e-3
        assert line.end <= (section.first_bar + section.bars) * grid.bar + 1e-3


@settings(max_examples=40)
@given(lyrics, genres, durations)
def test_the_form_is_that_of_the_lyric(lyric, genre, seconds):
    grid, _ = arrange(lyric, genre, seconds, "a")
    assert (grid.seconds, sum(section.bars for section in grid.sections)) == (seconds, grid.bars)


@settings(max_examples=20)
@given(genres, st.floats(20, 120), st.text("abc", max_size=3))
def test_lines_start_on_a_beat(genre, seconds, seed):
    grid, lines = arrange(SONG, genre, seconds, seed)
    for line in lines:
        beats = line.start / grid.beat
        assert beats == pytest.approx(round(beats), abs=0.001)


@settings(max_examples=20)
@given(genres, st.floats(45, 120), st.text("abc", max_size=3))
def test_syllables_start_on_sixteenths_as_the_band_swings_them(genre, seconds, seed):
    grid, lines = arrange(SONG, genre, seconds, seed)
    sixteenths = [grid.to_seconds(step) for step in range(grid.bars * 16)]
    for start in (start for line in lines for start in line.starts()):
        nearest = sixteenths[max(0, bisect(sixteenths, start + 1e-3) - 1)]
        assert start == pytest.approx(nearest, abs=1e-3)


@settings(max_examples=20)
@given(genres, st.floats(30, 120), st.text("abc", max_size=3))
def test_nobody_sings_faster_than_syllables_can_be_understood(genre, seconds, seed):
    for line in arrange(SONG, genre, seconds, seed)[1]:
        assert len(line.chunks) / (line.end - line.start) < 5.5


@settings(max_examples=20)
@given(genres, st.floats(20, 120), st.text("abc", max_size=3))
def test_there_is_a_breath_between_lines(genre, seconds, seed):
    grid, lines = arrange(SONG, genre, seconds, seed)
    for line, following in pairwise(lines):
        sixteenth = grid.beat / 2 / (1 + genre.swing)
        assert following.start - line.end >= sixteenth - 1e-3


def test_a_rhythm_is_not_one_even_row():
    lengths = {
        chunk.seconds
        for line in arrange(SONG, get_genre("pop"), 40, "a")[1]
        for chunk in line.chunks
    }
    assert len(lengths) > 3


def test_a_line_that_comes_again_has_the_same_rhythm():
    for genre in read_genres().values():
        first, second = (
            [chunk.seconds for chunk in line.chunks]
            for line in arrange(SONG, genre, 47, "a")[1]
            if line.text == "여기는 스테이 머뭄"
        )
        assert first == pytest.approx(second, abs=2e-4)


def test_half_bars_begin_with_a_word_where_one_is_near():
    grid, lines = arrange(
        "[Verse]\n바람이 좋은 날 걷고 싶은 길\n[Chorus]\n라", get_genre("pop"), 20, "a"
    )
    starts = zip(lines[0].starts(), lines[0].chunks, strict=True)
    halves = [chunk.text for start, chunk in starts if (start / grid.beat + 1e-3) % 2 < 0.01]
    assert halves
    assert set(halves) <= set("바좋날걷싶") | {"날 ", "길"}


def test_another_seed_gives_another_rhythm():
    assert len({arrange(SONG, get_genre("pop"), 40, seed)[1] for seed in "abcdef"}) > 1


def test_the_same_seed_gives_the_same_rhythm():
    assert arrange(SONG, get_genre("pop"), 40, "a") == arrange(SONG, get_genre("pop"), 40, "a")


def test_a_lyric_without_words_has_a_form_and_no_lines():
    assert arrange("[Instrumental]\n", get_genre("pop"), 20, "a") == (
        plan_grid(get_genre("pop"), 20),
        (),
    )


def test_a_line_survives_the_way_through_json():
    line = arrange("오늘도 반짝여", get_genre("pop"), 20, "a")[1][0]
    assert Line.from_json(line.as_json()) == line
