import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from studio.words import Stanza, list_sung_lines, read_spoken_line, read_stanzas
from tests.tables import rows_beside


@rows_beside
def test_lines_are_sung_or_spoken(lyric, sung, spoken):
    assert (list_sung_lines(lyric), read_spoken_line(lyric)) == (sung, spoken)


@rows_beside
def test_a_lyric_has_its_stanzas(lyric, stanzas):
    assert [[each.kind, *each.lines] for each in read_stanzas(lyric)] == stanzas


@rows_beside
def test_a_mark_tells_what_its_stanza_is(mark, kind):
    assert read_stanzas(f"{mark}\nla") == (Stanza(kind, ("la",)),)


@given(st.text(max_size=300))
def test_sung_lines_are_lines_of_the_lyric(lyric):
    lines = [line.strip() for line in unicodedata.normalize("NFC", lyric).splitlines()]
    assert [line for line in list_sung_lines(lyric) if line not in lines] == []
