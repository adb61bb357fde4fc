import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.singer.reading import pronounce
from studio.words import split_syllables
from tests.tables import rows_beside

HANGUL = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1)


def spoken(text: str) -> str:
    return "".join(pronounce(split_syllables(text)))


@given(st.text())
def test_every_piece_of_a_line_keeps_its_place(line):
    pieces = split_syllables(line)
    assert len(pronounce(pieces)) == len(pieces)


@given(HANGUL)
def test_hangul_stays_hangul(word):
    assert all("가" <= letter <= "힣" for letter in spoken(word))


@rows_beside
def test_a_word_is_spoken_by_the_rules_of_korean(written, heard):
    assert spoken(written) == heard


@pytest.mark.parametrize("line", ["음악 이", "음악, 이", "음악Cafe이"])
def test_nothing_goes_over_from_word_to_word(line):
    assert pronounce(split_syllables(line))[:2] == ["으", "막"]
