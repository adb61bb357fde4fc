"""What LIKE is asked for finds every text that has the word, however it is written."""

import json
import sqlite3
import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.queries.listing import ESCAPE, build_like_patterns, fold_text

OTHER_LETTERS = [*"ßẞﬁﬂﬀﬃﬆſİıŉǰẚςσΣΐᾳᾼµμϐևǅåКафéÉ", "\u0307", "\u0301", "\u0345"]
LETTERS = st.sampled_from([*"abzAZ059%_!\\\"'/ :{}", *"가각힣ㄱ", "é", "漢", "🎂", "\u200d"])


def is_found(word: str, text: str) -> bool:
    with sqlite3.connect(":memory:") as shell:
        asked = [
            shell.execute("SELECT ? LIKE ? ESCAPE ?", (text, pattern, ESCAPE)).fetchone()[0]
            for pattern in build_like_patterns(word)
        ]
    return any(asked)


CASES = (str.lower, str.upper, str.capitalize)
IN_LINE = st.characters(exclude_categories=("C", "Z"))


def not_found_in(text: str, form: Literal["NFC", "NFD"]) -> list[str]:
    """Words of the text that are not found where it is stored in this form."""
    stored = json.dumps({"name": unicodedata.normalize(form, text)}, ensure_ascii=False)
    return [word for word in fold_text(text).split() if not is_found(word, stored)]


@given(st.text(LETTERS, max_size=12), st.sampled_from(["NFC", "NFD"]))
def test_every_word_of_a_text_is_found_in_its_json(text, form):
    assert not_found_in(text, form) == []


@given(
    st.text(st.sampled_from(OTHER_LETTERS) | st.sampled_from("asftinj") | IN_LINE, max_size=8),
    st.sampled_from(CASES),
    st.sampled_from(["NFC", "NFD"]),
)
def test_word_is_found_though_folding_changes_more_than_its_case(word, case, form):
    assert not_found_in(case(word), form) == []


@pytest.mark.parametrize("asked", ["Straße", "straße", "STRASSE", "strasse"])
def test_sharp_s_is_found_however_it_is_asked_for(asked):
    assert is_found(fold_text(asked), '{"name": "Straße Café"}')


def test_word_with_a_letter_of_two_shapes_does_not_match_everything():
    assert not is_found(fold_text("Straße"), '{"name": "Platz am Markt"}')


@pytest.mark.parametrize("word", ["100%", "a_b", "카페", "a!b"])
def test_what_stands_for_anything_in_a_pattern_stands_for_itself_in_a_word(word):
    assert not is_found(fold_text(word), '{"name": "1000 axb 카레 a!!b"}')


def test_letters_whose_case_the_database_does_not_know_are_found_in_both_cases():
    assert [is_found(fold_text("КАФЕ"), text) for text in ("кафе", "КАФЕ", "Кафе", "бар")] == [
        *(True, True, True, False)
    ]
