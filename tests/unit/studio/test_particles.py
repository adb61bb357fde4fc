from collections.abc import Iterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.content import find_files
from studio.korean import add_particle, find_final
from studio.lyricist.stock import read_lyrics
from studio.lyricist.template import PLACE, fill, split_couplet
from tests.tables import rows_beside

PAIRS = ("은/는", "이/가", "을/를", "과/와", "으로/로", "이에요/예요", "아/야", "이랑/랑")
hangul = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)
hangul_names = st.text(hangul, min_size=1, max_size=4)


def lines_with_particles() -> Iterator[str]:
    """Every Korean line that puts a particle behind an order's own word."""
    files = map(read_lyrics, find_files("lyrics/ko", ".txt").values())
    couplets = [line.text for file in files for line in chain(*file.lines.values())]
    return (
        line
        for couplet in couplets
        for line in split_couplet(couplet)
        if "|" in line and "{" in line
    )


def by_arithmetic(word: str, pair: str) -> str:
    """The form that the last syllable's code point asks for."""
    final = (ord(word[-1]) - 0xAC00) % 28
    closed, opened = pair.split("/")
    return opened if final == 0 or (final == 8 and closed == "으로") else closed


@rows_beside
def test_every_particle_has_two_forms(word, forms):
    assert " ".join(add_particle(word, pair) for pair in PAIRS) == forms


@given(hangul_names, st.sampled_from(PAIRS))
def test_a_particle_behind_hangul_agrees_with_its_code_point(name, pair):
    assert add_particle(name, pair) == name + by_arithmetic(name, pair)


@given(hangul_names, st.booleans())
def test_every_particle_in_the_stock_agrees_with_the_code_point(name, polite):
    values = {"name": name, "region": name, "fact": name, "more": name}
    for line in lines_with_particles():
        wanted = {
            name + by_arithmetic(name, place[2]) for place in PLACE.finditer(line) if place[2]
        }
        for filled in fill(line, values, polite):
            assert all(word in filled for word in wanted)


@rows_beside
def test_a_particle_follows_what_is_read_aloud_last(word, expected):
    assert add_particle(word, "이/가") == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Grill", "Grill로"),
        ("Seoul 1", "Seoul 1로"),
        ("카페 3", "카페 3으로"),
        ("Farm", "Farm으로"),
    ],
)
def test_the_way_to_a_word_that_ends_in_l_needs_no_vowel(word, expected):
    assert add_particle(word, "으로/로") == expected


@rows_beside
def test_marks_at_the_end_are_not_read_aloud(word, expected):
    assert add_particle(word, "은/는") == expected


@pytest.mark.parametrize("word", ["", "★", "مقهى", "кофе", "桜", "ㅋㅋ"])
def test_nobody_can_tell_how_an_unknown_script_ends(word):
    assert find_final(word) is None


def test_a_word_that_nobody_can_read_fills_no_place_with_a_particle():
    assert fill("{name|이/가} 좋아(요)", {"name": "مقهى"}, polite=True) == []
    assert fill("여기는 {name}", {"name": "مقهى"}, polite=True) == ["여기는 مقهى"]
