import re
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from studio.content import find_files
from studio.lyricist.stock import RULES, read_lyrics
from studio.lyricist.template import PLACE
from studio.singer.processes import find_espeak, run_espeak
from studio.singer.reading import ENGLISH, KOREAN, Word, deal_out_word, read_words
from studio.words import count_each, split_syllables
from tests.tables import rows_beside

PHONEMES = st.lists(
    st.sampled_from(["'a", "%i", "@", "oU", "s", "t", "tS", "r", "N", "_:", "(ko)", ";"])
)

# espeak-ng has one name for two vowels that are sung apart.
_TWO_VOWELS_OF_ONE_NAME = """
diamond diet diets ideas iron ironed quiet quietest quietly really violets violin violins
"""
TWO_VOWELS_OF_ONE_NAME = frozenset(_TWO_VOWELS_OF_ONE_NAME.split())
# espeak-ng says a consonant for the second vowel, or leaves one out; whoever sings has a note for it.
_SUNG_OUT = """
beaten brighten button buttons certain chocolate cotton cushion cushions didn't forgotten kitten lighten
shorten sweeten unbutton written
"""
SUNG_OUT = frozenset(_SUNG_OUT.split())
# What espeak-ng says in two syllables is written, and sung, as one; and "whistling" in three, which has two.
_FEWER_PIECES = """
boss's flour hour hours our ours real rhythm sour they're whistling who'll
"""
FEWER_PIECES = frozenset(_FEWER_PIECES.split())


def english_templates() -> Iterator[str]:
    """Every English line that may be sung, with its marks."""
    for file in map(read_lyrics, find_files("lyrics/en", ".txt").values()):
        for heading in set(file.lines) & set(RULES):
            yield from (line.text for line in file.lines[heading])


def read(line: str, language: str) -> list[tuple[str, str]]:
    return [(word.text, word.language) for word in read_words(split_syllables(line), language)]


def sung(pieces: int, *phonemes: str) -> list[tuple[str, int, int]]:
    syllables = deal_out_word(Word("", ENGLISH, 0, pieces), phonemes)
    return [("".join((*s.onset, s.vowel, *s.coda)), s.first, s.last) for s in syllables]


@given(st.text(max_size=40), st.sampled_from([KOREAN, ENGLISH]))
def test_words_cover_the_pieces_of_their_line_in_order(line, language):
    pieces = split_syllables(line)
    words = read_words(pieces, language)
    places = [place for word in words for place in (word.first, word.last)]
    assert places == sorted(places)
    assert all(0 <= word.first < word.last <= len(pieces) for word in words)


@given(PHONEMES, st.integers(1, 6))
def test_the_syllables_of_a_word_stay_on_its_pieces(phonemes, pieces):
    syllables = deal_out_word(Word("word", ENGLISH, 2, 2 + pieces), phonemes)
    assert all(2 <= s.first < s.last <= 2 + pieces and 0 <= s.part < s.parts for s in syllables)


@given(PHONEMES, st.integers(1, 6))
def test_the_syllables_of_a_word_hold_all_its_sounds_in_order(phonemes, pieces):
    syllables = deal_out_word(Word("word", ENGLISH, 0, pieces), phonemes)
    heard = [name for s in syllables for name in (*s.onset, s.vowel, *s.coda)]
    told = [name.strip("'%") for name in phonemes if name not in ("_:", "(ko)", ";")]
    assert heard in (told, [*told, "@"])


def test_hangul_is_korean_and_latin_letters_are_english_in_any_line():
    expected = [("오", KOREAN), ("늘", KOREAN), ("Coffee", ENGLISH)]
    assert read("오늘 Coffee!", KOREAN) == read("오늘 Coffee!", ENGLISH) == expected


def test_a_number_is_read_in_the_language_of_its_line():
    assert (read("24", KOREAN), read("24", ENGLISH)) == ([("이십사", KOREAN)], [("24", ENGLISH)])


@rows_beside
def test_a_number_before_a_counter_is_read_with_korean_numerals(line, numerals):
    pieces = split_syllables(line)
    numbers = [at for at, piece in enumerate(pieces) if re.search(r"\d", piece)]
    told = {word.first: word.text for word in read_words(pieces, KOREAN)}
    assert [told[at] for at in numbers] == numerals
    assert [count_each(pieces)[at] for at in numbers] == list(map(len, numerals))


def test_a_number_before_a_korean_counter_is_korean_in_any_line():
    assert read("11시", ENGLISH) == [("열한", KOREAN), ("시", KOREAN)]


def test_a_script_that_nobody_reads_is_sung_without_meaning():
    assert read("こん", ENGLISH) == [("la", ENGLISH), ("la", ENGLISH)]


def test_marks_are_silent():
    assert read("!? … 😀 {}\\", ENGLISH) == []


@rows_beside
def test_a_word_is_dealt_out_to_its_pieces(pieces, phonemes, syllables):
    assert [list(each) for each in sung(pieces, *phonemes)] == syllables


def test_every_word_of_the_english_stock_has_as_many_pieces_as_espeak_hears():
    texts = " ".join(PLACE.sub(" ", text) for text in english_templates())
    words = sorted({word.lower() for word in re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)*", texts)})
    with run_espeak(find_espeak()) as speaker:
        spelled = speaker.spell(words, ENGLISH)
    told = {
        word: len(deal_out_word(Word(word, ENGLISH, 0, 30), names))
        for word, names in zip(words, spelled, strict=True)
    }
    split = {word: len(split_syllables(word)) for word in words}
    assert len(words) > 1000
    assert {word for word in words if split[word] > told[word]} == TWO_VOWELS_OF_ONE_NAME | SUNG_OUT
    assert {word for word in words if split[word] < told[word]} == FEWER_PIECES
