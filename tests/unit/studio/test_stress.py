"""Which syllables of a line bear stress."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from studio.genres import get_genre
from studio.timeline import Rhythm
from studio.words import EVEN, LESSER, STRESSED, WEAK, find_stresses, split_syllables
from tests.tables import rows_beside


@rows_beside
def test_the_stress_of_an_english_word_is_where_it_is_spoken(word, place):
    assert find_stresses(split_syllables(word)).index(STRESSED) == place


def test_small_words_bear_no_stress():
    assert find_stresses(split_syllables("the bread of the day")) == [
        WEAK,
        STRESSED,
        WEAK,
        WEAK,
        STRESSED,
    ]


def test_korean_is_even():
    assert set(find_stresses(split_syllables("여기는 우리 카페"))) == {EVEN}


def test_every_syllable_of_the_name_bears_stress():
    stresses = find_stresses(split_syllables("Come to the Corner Shop"), "The Corner Shop")
    assert min(stresses[2:]) >= LESSER


@given(line=st.text(max_size=60), name=st.text(max_size=20))
def test_every_piece_of_any_line_has_its_stress(line, name):
    pieces = split_syllables(line)
    assert len(find_stresses(pieces, name)) == len(pieces)


def test_a_stressed_syllable_is_longer_than_the_weak_ones_beside_it():
    pieces = split_syllables("Toronto tonight")
    onsets = Rhythm(get_genre("pop"), "a").find_onsets(pieces, 16, 0)
    lengths = [end - start for start, end in pairwise(onsets)]
    assert lengths[1] > lengths[0]
