"""What waste a note names, by words alone."""

import unicodedata
from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.sight import read_things
from studio.waste import MAJORS, MIDDLES, RECYCLABLE, UNKNOWN, find_thing, fold, list_words
from tests.call_count import count_calls
from tests.tables import rows_beside

INCOMBUSTIBLE, GENERAL, FOOD = "불연성종량제폐기물", "일반종량제폐기물", "음식물류폐기물"
HAZARDOUS, BULKY, BUILDING = "생활계유해폐기물", "대형폐기물", "공사장생활폐기물"
TABLE = list(list_words())
a_word = st.sampled_from(TABLE)


def middle(note: str) -> str | None:
    found = find_thing(note)
    return None if found is None else found.middle


def test_each_word_stands_in_one_row():
    written = (fold(each.word) for each in TABLE)
    counted = Counter(word if word.isascii() else word.replace(" ", "") for word in written)
    assert [word for word, count in counted.items() if count > 1] == []


def test_each_row_is_of_a_known_class():
    recyclables = {(RECYCLABLE, each) for each in MIDDLES}
    others = {(each, each) for each in MAJORS if each not in (RECYCLABLE, UNKNOWN)}
    assert {(each.major, each.middle) for each in TABLE} == recyclables | others


def test_no_word_is_empty_or_has_blanks_around_it():
    assert [each for each in TABLE if not each.word or each.word != each.word.strip()] == []


def test_usual_name_of_a_row_is_one_of_its_words():
    written = {(each.major, each.middle, each.word) for each in TABLE}
    assert {(each.major, each.middle, each.minor) for each in TABLE} <= written


def test_table_has_words_for_things_enough():
    assert len({(each.major, each.middle, each.minor) for each in TABLE}) >= 200


def test_table_has_words_enough():
    assert len(TABLE) >= 350


def test_words_agree_with_what_is_seen_in_pictures():
    written = {(each.major, each.middle, each.word) for each in TABLE}
    seen = {(each.major, each.middle, each.minor) for each in read_things().values()}
    assert seen - written == set()


def test_word_alone_names_its_row():
    assert [each for each in TABLE if find_thing(each.word) != each] == []


@rows_beside
def test_a_note_is_of_its_class(note, expected):
    assert middle(note) == expected


@pytest.mark.parametrize("note", ["플라스틱 접시", "플라스틱 상자", "plastic plate"])
def test_material_before_another_word_may_count(note):
    assert middle(note) == "플라스틱류"


@pytest.mark.parametrize(
    "note", ["우 유 팩", "우유 팩", " 우유팩\n", "이 우유팩은요", "서울우유팩"]
)
def test_blanks_and_neighbours_do_not_hide_a_korean_word(note):
    assert middle(note) == "종이팩"


@pytest.mark.parametrize("note", ["채소 파는", "지금 고장 난", "약속", "책임", "국립", "종이라면"])
def test_end_of_a_word_with_the_next_or_a_syllable_within_is_no_word(note):
    found = find_thing(note)
    assert found is None or found.minor in ("채소", "종이")


@pytest.mark.parametrize(
    "note", ["약을", "약 버리는 법", "약은 어떻게 버려요?", "남은 약입니다", "이 약!"]
)
def test_word_of_one_syllable_may_have_a_particle(note):
    assert middle(note) == HAZARDOUS


@pytest.mark.parametrize(
    "note", ["scanner", "penny", "applet", "newspaperman", "pan cake", "ébook"]
)
def test_english_word_counts_only_whole(note):
    found = find_thing(note)
    assert found is None or found.word == "cake"


@pytest.mark.parametrize(
    "note", ["Batteries", "MILK CARTONS", "milk-carton", "glass bottles", "boxes"]
)
def test_english_word_may_be_in_the_plural_or_in_capitals(note):
    assert find_thing(note) is not None


@rows_beside
def test_a_note_names_nothing(note):
    assert find_thing(note) is None


@pytest.mark.parametrize(
    ("note", "minor"), [("empty cola can", "음료 캔"), ("녹슨 못", "못"), ("기타는 어떻게", "기타")]
)
def test_word_with_another_meaning_names_a_thing_at_the_end(note, minor):
    found = find_thing(note)
    assert found is not None
    assert found.minor == minor


@given(a_word, st.sampled_from(["NFC", "NFD"]))
def test_composition_of_letters_makes_no_difference(each, form):
    assert find_thing(unicodedata.normalize(form, each.word)) == each


@given(a_word, st.sampled_from([str.upper, str.lower, str.title]))
def test_capitals_make_no_difference(each, changed):
    assert callable(changed)
    assert find_thing(changed(each.word)) == each


@given(st.text(st.characters(exclude_categories=()), max_size=500))
def test_any_text_names_a_word_of_the_table_or_none(note):
    found = find_thing(note)
    assert found is None or found.word in {each.word for each in TABLE}


@given(st.lists(st.one_of(a_word.map(lambda each: each.word), st.text(max_size=3)), max_size=20))
def test_any_mixture_of_words_is_of_a_known_class(parts):
    found = find_thing("".join(parts))
    assert found is None or found.major in MAJORS


@pytest.mark.parametrize(
    "piece", ["약", "약 ", "깨", "can ", "a ", "\u0301", "음식물이 묻은 ", "with "]
)
def test_long_note_takes_no_more_work_than_its_length_explains(piece):
    find_thing("")
    half, whole = (
        count_calls(partial(find_thing, (piece * 5_000)[:length])) for length in (2_500, 5_000)
    )
    assert whole < 3 * half
