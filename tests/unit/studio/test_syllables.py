import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.korean import spell_number
from studio.words import LONGEST_PIECE, count_spoken, split_syllables
from tests.tables import read_beside, rows_beside

_WORDS = read_beside(__file__)["_WORDS"]
WORDS = _WORDS.split()
lines = st.text() | st.text("aeiouyblnrstq'’ -é1,.:가")


@given(lines)
def test_the_pieces_of_a_line_are_the_line(line):
    assert "".join(split_syllables(line)) == line


@given(lines)
def test_no_piece_is_empty(line):
    assert all(split_syllables(line))


@given(lines)
def test_every_piece_but_the_first_begins_with_what_is_sung_or_its_opening_mark(line):
    assert not any(piece[0].isspace() for piece in split_syllables(line)[1:])


@given(lines)
def test_every_piece_weighs_at_least_one(line):
    assert all(count_spoken(piece) >= 1 for piece in split_syllables(line))


@pytest.mark.parametrize("word", WORDS)
def test_an_english_word_is_split_into_its_syllables(word):
    assert "-".join(split_syllables(word.replace("-", ""))) == word


@rows_beside
def test_a_line_is_split_into_pieces(line, pieces):
    assert split_syllables(line) == pieces


@pytest.mark.parametrize("word", ["x" * 40, "длинноеслово" * 3, "7" * 40, "ᄀᄀ_" * 9])
def test_what_cannot_be_split_is_cut_where_it_grows_too_long(word):
    assert max(map(len, split_syllables(word))) <= LONGEST_PIECE


@pytest.mark.parametrize(
    ("piece", "syllables"), [("24 ", 3), ("오", 1), ("Cof", 1), ("W", 3), ("!", 1), ("", 1)]
)
def test_a_piece_weighs_as_many_syllables_as_are_spoken(piece, syllables):
    assert count_spoken(piece) == syllables


@rows_beside
def test_a_number_is_read_in_korean(number, read):
    assert spell_number(number) == read
