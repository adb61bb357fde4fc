import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.words import Stanza, list_sung_lines, read_spoken_line, read_stanzas
from tests.tables import rows_beside


def test_marks_and_blank_lines_are_not_sung():
    assert list_sung_lines("[Verse 1]\n\n노래해요\n  [Chorus]  \nla [la] la\n") == [
        "노래해요",
        "la [la] la",
    ]


def test_a_mark_or_a_blank_line_begins_a_stanza():
    assert [stanza.lines for stanza in read_stanzas("a\nb\n\nc\n[Chorus]\nd")] == [
        ("a", "b"),
        ("c",),
        ("d",),
    ]


@rows_beside
def test_a_mark_tells_what_its_stanza_is(mark, kind):
    assert read_stanzas(f"{mark}\nla") == (Stanza(kind, ("la",)),)


def test_a_stanza_without_a_mark_is_of_no_kind():
    assert read_stanzas("la") == (Stanza("", ("la",)),)


def test_a_stanza_after_a_blank_line_is_of_the_kind_before():
    assert [stanza.kind for stanza in read_stanzas("[Chorus]\na\n\nb")] == ["chorus", "chorus"]


def test_marks_without_lines_leave_nothing():
    assert read_stanzas("[Instrumental]\n\n[Break]\n") == ()


@given(st.text(max_size=300))
def test_sung_lines_are_lines_of_the_lyric(lyric):
    lines = [line.strip() for line in unicodedata.normalize("NFC", lyric).splitlines()]
    assert [line for line in list_sung_lines(lyric) if line not in lines] == []


def test_a_spoken_line_is_not_sung():
    assert list_sung_lines("[Verse]\nWe sing\n\n[Spoken]\nBlue Harbor") == ["We sing"]


def test_a_spoken_line_is_the_one_below_its_mark():
    assert read_spoken_line("[Verse]\nWe sing\n\n[Spoken]\nBlue Harbor\n") == "Blue Harbor"


def test_a_lyric_without_such_a_mark_says_nothing():
    assert read_spoken_line("[Verse]\nWe sing") == ""


@pytest.mark.parametrize("mark", ["[Spoken]", "[SPOKEN: softly]", "[ spoken word ]", "[내레이션]"])
def test_a_mark_that_begins_with_spoken_silences_its_stanza(mark):
    lyric = f"We sing\n{mark}\nBlue Harbor"
    assert (list_sung_lines(lyric), read_spoken_line(lyric)) == (["We sing"], "Blue Harbor")


@pytest.mark.parametrize("mark", ["[Verse 1: spoken softly]", "[Unspoken]", "[Spokenly]"])
def test_a_mark_that_only_contains_spoken_is_sung(mark):
    lyric = f"{mark}\nla la la\nlo lo lo"
    assert (list_sung_lines(lyric), read_spoken_line(lyric)) == (["la la la", "lo lo lo"], "")


def test_all_lines_below_the_mark_are_spoken_as_one():
    assert (
        read_spoken_line("We sing\n[Spoken]\nBlue Harbor\nin Busan\n\nla") == "Blue Harbor in Busan"
    )


@pytest.mark.parametrize("end", ["\n", "[Chorus]\n"])
def test_a_spoken_stanza_ends_at_a_blank_line_or_a_mark(end):
    lyric = f"[Chorus]\na\n\n[Spoken]\n\nBlue Harbor\n{end}b\n\nc"
    assert read_spoken_line(lyric) == "Blue Harbor"
    assert read_stanzas(lyric) == tuple(Stanza("chorus", (line,)) for line in "abc")
