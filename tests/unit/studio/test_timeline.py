import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.studio.form import grid_for, sections_of
from resources.studio.genres import GENRES, POP
from resources.studio.syllables import syllables_of
from resources.studio.timeline import Line, place_lines
from resources.studio.words import sung_lines

durations = st.floats(10, 120)
genres = st.sampled_from(sorted(GENRES.values(), key=lambda genre: genre.name))
lyrics = st.lists(st.text(max_size=60), max_size=100).map("\n".join)


@given(st.text())
def test_the_chunks_of_a_line_are_the_line(text: str) -> None:
    assert "".join(syllables_of(text)) == text


@given(st.integers(5, 200))
def test_sections_fill_all_bars_in_order(bars: int) -> None:
    numbers = [
        section.first_bar + number
        for section in sections_of(bars)
        for number in range(section.bars)
    ]
    assert numbers == list(range(bars))


@given(genres, durations)
def test_a_grid_lasts_exactly_as_long_as_asked(genre, seconds: float) -> None:
    grid = grid_for(genre, seconds)
    assert grid.beat * 4 * grid.bars == pytest.approx(seconds)


@given(lyrics, genres, durations)
def test_lines_follow_each_other_inside_the_song(lyric: str, genre, seconds: float) -> None:
    placed = place_lines(sung_lines(lyric), grid_for(genre, seconds))
    moments = [moment for line in placed for moment in (line.start, line.end)]
    assert moments == sorted(moments)
    assert all(0 <= moment <= seconds + 1e-3 for moment in moments)


@given(lyrics, genres, durations)
def test_every_line_with_words_is_in_the_timeline_whole(lyric: str, genre, seconds: float) -> None:
    lines = sung_lines(lyric)
    placed = place_lines(lines, grid_for(genre, seconds))
    assert [line.text for line in placed] == lines
    assert all("".join(chunk.text for chunk in line.chunks) == line.text for line in placed)


@given(lyrics, genres, durations)
def test_the_chunks_of_a_line_fill_its_time(lyric: str, genre, seconds: float) -> None:
    for line in place_lines(sung_lines(lyric), grid_for(genre, seconds)):
        assert sum(chunk.seconds for chunk in line.chunks) == pytest.approx(
            line.end - line.start, abs=0.01
        )
        assert all(chunk.seconds >= 0 for chunk in line.chunks)


@given(
    st.lists(st.text(st.characters(categories=["Lo", "Ll"]), min_size=1), min_size=1, max_size=7),
    genres,
)
def test_lines_start_on_a_beat(lines: list[str], genre) -> None:
    grid = grid_for(genre, 20)
    for line in place_lines(lines, grid):
        beats = line.start / grid.beat
        assert beats == pytest.approx(round(beats), abs=0.001)


def test_marks_and_blank_lines_are_not_sung() -> None:
    assert sung_lines("[Verse 1]\n\n노래해요\n  [Chorus]  \nla [la] la\n") == [
        "노래해요",
        "la [la] la",
    ]


def test_a_korean_syllable_and_an_english_word_are_one_chunk_each() -> None:
    assert syllables_of("오늘 it's good!") == ["오", "늘 ", "it's ", "good!"]


def test_a_line_survives_the_way_through_json() -> None:
    (line,) = place_lines(["오늘도 반짝여"], grid_for(POP, 20))
    assert Line.from_json(line.as_json()) == line
