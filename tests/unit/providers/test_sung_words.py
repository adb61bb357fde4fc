import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.providers.suno.sung_words import build_timed_lines, cut_lines, estimate_lines
from studio.timeline import Line
from studio.words import list_sung_lines

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
MOMENT = st.floats(0, 300) | st.integers(0, 300)
TEXT = st.text(max_size=20) | st.sampled_from(["[Verse]\n", "노래 ", "la\n", "[Cho", "rus]\n"])
WORD = st.fixed_dictionaries({"word": TEXT, "startS": MOMENT, "endS": MOMENT})
ODD = st.fixed_dictionaries(
    {}, optional={"word": TEXT | JUNK, "startS": MOMENT | JUNK, "endS": JUNK, "success": JUNK}
)
WORDS = st.lists(WORD | WORD | ODD | JUNK, max_size=30)
PLACED = st.lists(st.tuples(st.floats(0, 4), st.floats(0, 4)), min_size=1, max_size=20)


def word(text: str, start: Any, end: Any, **more: Any) -> dict[str, Any]:
    return {"word": text, "success": True, "startS": start, "endS": end, "palign": 0, **more}


def texts(lines: tuple[Line, ...]) -> list[str]:
    return [line.text for line in lines]


def lines_of(gaps: list[tuple[float, float]]) -> tuple[Line, ...]:
    """A line of two words per gap: so long a pause, so long a line."""
    words, clock = [], 0.0
    for pause, length in gaps:
        start, clock = clock + pause, clock + pause + length + 0.2
        words += [word("la ", start, start + 0.1), word("lu\n", start + 0.1, clock)]
    return build_timed_lines(words)


@given(WORDS)
def test_timed_lines_follow_each_other_without_overlap(words):
    moments = [moment for line in build_timed_lines(words) for moment in (line.start, line.end)]
    assert moments == sorted(moments)
    assert all(0 <= moment <= 900 for moment in moments)


@given(WORDS)
def test_timed_lines_are_made_of_their_chunks(words):
    for line in build_timed_lines(words):
        assert "".join(chunk.text for chunk in line.chunks) == line.text
        assert all(chunk.seconds >= 0 for chunk in line.chunks)
        assert sum(chunk.seconds for chunk in line.chunks) == pytest.approx(
            line.end - line.start, abs=0.01
        )


@given(WORDS)
def test_timed_lines_hold_nothing_that_cannot_be_stored_or_shown(words):
    for line in build_timed_lines(words):
        json.dumps(line.as_json(), ensure_ascii=False, allow_nan=False).encode()
        assert line.text.isprintable()
        assert line.text == line.text.strip() != ""


@given(JUNK)
def test_timed_lines_of_anything_else_are_none(junk):
    assert build_timed_lines(junk) == ()


@given(
    st.lists(
        st.sampled_from(["노래해요", "la la", "Waggin'", "여기는 카페"]), min_size=1, max_size=9
    )
)
def test_timed_lines_hold_every_word_that_has_a_time(lyric):
    said = [text for line in lyric for text in f"{line}\n".replace(" ", " |").split("|")]
    words = [word(text, number, number + 0.9) for number, text in enumerate(said)]
    assert texts(build_timed_lines(words)) == lyric


def test_timed_lines_leave_out_section_marks():
    words = [word("[Verse 1]\nWaggin' ", 1, 2), word("tail\n\n[Chorus]\nla", 2, 4)]
    assert texts(build_timed_lines(words)) == ["Waggin' tail", "la"]


def test_timed_lines_leave_out_a_mark_that_goes_over_several_words():
    words = [word("[Pre ", 0, 1), word("Chorus", 1, 2), word("]\n", 2, 3), word("la", 3, 4)]
    assert texts(build_timed_lines(words)) == ["la"]


def test_timed_lines_give_a_mark_none_of_a_words_time():
    (line,) = build_timed_lines([word("[Verse]\n노래", 10, 12)])
    assert [(chunk.text, chunk.seconds) for chunk in line.chunks] == [("노", 1.0), ("래", 1.0)]
    assert (line.start, line.end) == (10, 12)


def test_timed_lines_sing_a_word_without_a_time_between_its_neighbours():
    words = [word("one ", 1, 2), word("two ", 0, 0, success=False), word("three", 4, 5)]
    (line,) = build_timed_lines(words)
    assert [(chunk.text, chunk.seconds) for chunk in line.chunks] == [
        ("one ", 1.0),
        ("two ", 2.0),
        ("three", 1.0),
    ]


def test_timed_lines_move_a_time_that_goes_back_up_to_the_word_before():
    first, second = build_timed_lines([word("one\n", 1, 3), word("two\n", 2, 4)])
    assert (first.end, second.start, second.end) == (3, 3, 4)


def test_timed_lines_are_none_where_most_words_have_no_time():
    words = [word("one ", 1, 2), word("two ", None, 3), word("three", 10**400, 10**400)]
    assert build_timed_lines(words) == ()


def test_timed_lines_break_a_text_without_line_breaks():
    lines = build_timed_lines([word("lalala ", number, number + 1) for number in range(60)])
    assert len(lines) > 3
    assert all(len(line.text) <= 100 for line in lines)
    assert " ".join(texts(lines)) == " ".join(["lalala"] * 60)


def test_timed_lines_of_a_text_longer_than_any_lyric_are_none():
    assert build_timed_lines([word("!" * 1_000_000, 0, 10)]) == ()


@pytest.mark.parametrize(
    "words",
    [
        [word("\u0301\u0316" * 500_000, 0, 10)],
        [word("\u0301\u0316" * 1_000, 0, 10) for _ in range(500)],
        [word("!\u0301\u0316" * 700, 0, 10), word("la", 10, 11)],
    ],
    ids=["in one word", "in many", "in a word longer than any"],
)
def test_timed_lines_of_heaped_up_accents_are_none(words):
    assert build_timed_lines(words) == ()


@pytest.mark.parametrize("text", ["\u0301\u0316", "!", "[", "'", "a ", "a\n"])
def test_timed_lines_of_words_as_long_as_allowed_are_read(text):
    words = [word((text * 2_000)[:2_000], number, number + 1) for number in range(10)]
    assert all(line.text.isprintable() for line in build_timed_lines(words))


def test_timed_lines_put_a_letter_and_its_accent_together():
    assert texts(build_timed_lines([word("cafe\u0301", 0, 1)])) == ["caf\u00e9"]


@given(st.text(max_size=200), st.floats(1, 600))
def test_estimated_lines_are_all_lines_in_order_inside_the_song(lyric, seconds):
    lines = estimate_lines(lyric, seconds)
    moments = [moment for line in lines for moment in (line.start, line.end)]
    assert texts(lines) == list_sung_lines(lyric)
    assert moments == sorted(moments)
    assert all(0 <= moment <= seconds + 1e-3 for moment in moments)


@given(st.text(max_size=200), st.floats(1, 600))
def test_estimated_lines_are_made_of_their_chunks(lyric, seconds):
    for line in estimate_lines(lyric, seconds):
        assert "".join(chunk.text for chunk in line.chunks) == line.text
        assert sum(chunk.seconds for chunk in line.chunks) == pytest.approx(
            line.end - line.start, abs=0.05
        )


def test_estimated_lines_take_as_long_as_they_have_syllables():
    short, long = estimate_lines("[Verse]\n노래\n\n[Chorus]\n여기는우리카페", 18)
    assert (short.end - short.start, long.end - long.start) == (4.0, 14.0)


@given(PLACED, st.floats(0, 100))
def test_lines_heard_until_a_moment_end_by_then(gaps, end):
    for line in cut_lines(lines_of(gaps), end):
        assert line.end <= end
        assert "".join(chunk.text for chunk in line.chunks) == line.text
        assert sum(chunk.seconds for chunk in line.chunks) == pytest.approx(
            line.end - line.start, abs=0.01
        )


@given(PLACED)
def test_lines_heard_until_the_end_stay_as_they_are(gaps):
    lines = lines_of(gaps)
    assert cut_lines(lines, lines[-1].end) == lines


@given(PLACED, st.floats(0, 100))
def test_lines_of_which_less_than_half_is_heard_are_left_out(gaps, end):
    lines = lines_of(gaps)
    expected = [line for line in lines if end >= (line.start + line.end) / 2 + 1e-6]
    assert len(cut_lines(lines, end)) in (len(expected), len(expected) + 1)


def test_lines_that_are_shortened_lose_the_words_that_are_not_heard():
    words = [word("one ", 0, 1), word("two ", 1, 2), word("three", 2, 3)]
    (line,) = cut_lines(build_timed_lines(words), 1.6)
    assert line.text == "one two"
    assert [chunk.seconds for chunk in line.chunks] == [1.0, 0.6]
