import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.korean import spell_number
from studio.words import LONGEST_PIECE, count_spoken, split_syllables

_WORDS = """
Cof-fee ev-ery-bo-dy ev-ery-thing some-thing some-times don't did-n't they're ta-ble lit-tle peo-ple set-tled
loved baked wan-ted box-es times clothes love-ly move-ment e-le-ment ra-di-o i-de-a Ko-re-a Seoul qui-et sci-ence
hap-pi-er sto-ries tried be-ing go-ing play-ing be-yond de-li-cious sta-tion u-nion league gui-tar queen
cre-ate the-a-ter vi-de-o flu-id build kit-chen rock-et tax-i sing-ing hun-gry daugh-ter home-made life-style
o-pen wa-ter fa-mi-ly ca-fé CA-FE SALE B-B-Q D-J rhythm wag-gin' for-e-ver busi-ness ham-bur-ger
eyes eye eye-lash eye-brows good-bye good-byes some-day some-one's juke-box who-ev-er aches head-aches pea-ches
ca-fes ca-fe's re-ci-pes Chlo-e Zo-e's fi-na-le Por-sche Ni-ke ta-ble's trou-bles wher-ev-er aren't played
"""
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


def test_a_hangul_letter_is_a_piece_with_the_blanks_and_marks_after_it():
    assert split_syllables("오늘 또, 와요!") == ["오", "늘 ", "또, ", "와", "요!"]


def test_an_opening_mark_stays_with_the_word_it_opens():
    assert split_syllables('say "hello" (now)') == ["say ", '"hel', 'lo" ', "(now)"]


def test_a_line_without_words_is_one_piece():
    assert split_syllables("😀 !!!") == ["😀 !!!"]


@pytest.mark.parametrize("number", ["24", "3,000", "10:30", "2nd", "4.5"])
def test_a_number_is_one_piece(number):
    assert split_syllables(f"여기 {number} ok") == ["여", "기 ", f"{number} ", "ok"]


@pytest.mark.parametrize("word", ["x" * 40, "длинноеслово" * 3, "7" * 40, "ᄀᄀ_" * 9])
def test_what_cannot_be_split_is_cut_where_it_grows_too_long(word):
    assert max(map(len, split_syllables(word))) <= LONGEST_PIECE


@pytest.mark.parametrize(
    ("piece", "syllables"), [("24 ", 3), ("오", 1), ("Cof", 1), ("W", 3), ("!", 1), ("", 1)]
)
def test_a_piece_weighs_as_many_syllables_as_are_spoken(piece, syllables):
    assert count_spoken(piece) == syllables


@pytest.mark.parametrize(
    ("number", "read"),
    [
        ("0", "영"),
        ("24", "이십사"),
        ("111", "백십일"),
        ("2026", "이천이십육"),
        ("3,000", "삼천"),
        ("12345", "만이천삼백사십오"),
        ("310000", "삼십일만"),
        ("120000000", "일억이천만"),
        ("010", "공일공"),
        ("10:30", "십삼십"),
        ("4.5", "사점오"),
        ("٣٤", "삼십사"),
    ],
)
def test_a_number_is_read_in_korean(number, read):
    assert spell_number(number) == read
