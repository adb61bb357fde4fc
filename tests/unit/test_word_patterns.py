"""What LIKE is asked for finds every text that has the word, however it is written."""

import json
import sqlite3
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.queries.word_patterns import ESCAPE, fold, patterns_of

LETTERS = st.sampled_from([*"abzAZ059%_!\\\"'/ :{}", *"가각힣ㄱ", "é", "É", "漢", "🎂", "\u200d"])


def is_found(word: str, text: str) -> bool:
    with sqlite3.connect(":memory:") as shell:
        asked = [
            shell.execute("SELECT ? LIKE ? ESCAPE ?", (text, pattern, ESCAPE)).fetchone()[0]
            for pattern in patterns_of(word)
        ]
    return any(asked)


@given(st.text(LETTERS, max_size=12), st.booleans())
def test_every_word_of_a_text_is_found_in_its_json(text: str, is_composed: bool) -> None:
    written = unicodedata.normalize("NFC" if is_composed else "NFD", text)
    stored = json.dumps({"name": written}, ensure_ascii=False)
    assert [word for word in fold(text).split() if not is_found(word, stored)] == []


@pytest.mark.parametrize("word", ["100%", "a_b", "카페", "a!b"])
def test_what_stands_for_anything_in_a_pattern_stands_for_itself_in_a_word(word: str) -> None:
    assert not is_found(fold(word), '{"name": "1000 axb 카레 a!!b"}')


def test_letters_whose_case_the_database_does_not_know_are_found_in_both_cases() -> None:
    assert [is_found(fold("КАФЕ"), text) for text in ("кафе", "КАФЕ", "Кафе", "бар")] == [
        *(True, True, True, False)
    ]
