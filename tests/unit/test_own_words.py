import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.song_video.brief import LONGEST_LINE, MOST_LINES, tidy_lyric
from studio.words import list_sung_lines, read_spoken_line, read_stanzas

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=200)
WORDS = st.text(st.sampled_from("가a\u0301🎵\u200d\u3000[]<>'\t \n\r\u2028"), max_size=200)


def tidied(text: str) -> str | None:
    try:
        return tidy_lyric(text)
    except ValueError:
        return None


@given(ANY_TEXT | WORDS)
def test_a_lyric_that_was_accepted_is_tidy(text):
    lyric = tidied(text)
    if lyric is not None:
        assert tidy_lyric(lyric) == lyric == lyric.strip()
        assert "\n\n\n" not in lyric


@given(ANY_TEXT | WORDS)
def test_a_lyric_that_was_accepted_can_be_sung(text):
    lyric = tidied(text)
    if lyric:
        lines = list_sung_lines(lyric)
        assert 0 < len(lines) <= MOST_LINES
        assert max(map(len, [*lines, read_spoken_line(lyric)])) <= LONGEST_LINE


@given(st.lists(st.text("가나다 abc", min_size=1, max_size=20).filter(str.strip), min_size=1))
def test_a_tidy_lyric_loses_no_word(lines):
    assert tidy_lyric("\n".join(lines)).split() == " ".join(lines).split()


def test_a_spoken_line_may_be_as_long_as_a_sung_one():
    lyric = "la\n[Spoken]\n" + "y" * LONGEST_LINE
    assert tidy_lyric(lyric) == lyric


def test_a_blank_line_keeps_parts_apart():
    lyric = tidy_lyric("one\n \n\ntwo\nthree")
    assert [stanza.lines for stanza in read_stanzas(lyric)] == [("one",), ("two", "three")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[Chorus]", "expected at least 1 line to sing"),
        ("la\n" * 121, "expected at most 120 lines to sing, got 121"),
        ("la\n" + "y" * 101, "expected at most 100 characters in a line, got one of 101"),
        (
            "la\n[Spoken]\n" + "y " * 50 + "y",
            "expected at most 100 characters in the spoken line, got one of 101",
        ),
        ("la\n\x1b", "expected plain text, got the control character U+001B at position 4"),
    ],
)
def test_a_refused_lyric_says_what_was_expected(text, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        tidy_lyric(text)
