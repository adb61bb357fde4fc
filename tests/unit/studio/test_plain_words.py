"""What a note says of an ordinary thing counts only where its words are understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.waste import find_thing, find_unknown_words, list_words


def unknown_in(note: str) -> list[str]:
    found = find_thing(note)
    assert found is not None
    return list(find_unknown_words(note, found))


@pytest.mark.parametrize(
    ("note", "unknown"),
    [
        ("glass jar of tannerite", ["tannerite"]),
        ("glass jar, tannerite", ["tannerite"]),
        ("Sevin dust", ["sevin"]),
        ("death cap mushrooms", ["death"]),
        ("bird flu chicken", ["flu"]),
        ("garage door torsion spring", ["torsion"]),
        ("tile tracker", ["tracker"]),
        ("shirt soaked in xylophenol", ["xylophenol"]),
        ("독버섯", ["독버섯"]),
        ("알루미늄 절삭 칩", ["절삭", "칩"]),
        ("냉장고 압축기", ["압축기"]),
        ("시안 묻은 셔츠", ["시안"]),
    ],
)
def test_unknown_word_that_may_mean_another_thing_is_told(note, unknown):
    assert unknown_in(note) == unknown


@pytest.mark.parametrize(
    "note",
    [
        "a Murakami novel, paperback book",
        "스타벅스 텀블러",
        "포카리스웨트 페트병",
        "깨끗이 씻은 딸기잼 유리병 어떻게 버려요?",
        "an old Victorian sofa",
        "하늘색 원피스",
        "Heinz ketchup bottle",
        "milk carton from last week",
    ],
)
def test_plain_word_and_brand_of_a_certain_thing_change_nothing(note):
    assert unknown_in(note) == []


def test_word_of_the_table_alone_is_understood():
    assert [each for each in list_words() if find_unknown_words(each.word, each)] == []


@given(
    st.sampled_from(["glass jar", "plastic bottle", "tin can", "cardboard box", "bucket", "bag"]),
    st.sampled_from(["{of} {thing}", "{thing} of {of}", "{thing} with {of}", "{of}-{thing}"]),
    st.text("bcdfghjklmnpqrstvwxz", min_size=5, max_size=12),
)
def test_vessel_of_what_is_not_known_is_not_understood(thing, way, of):
    note = way.format(thing=thing, of=of)
    found = find_thing(note)
    assert found is not None
    assert of in find_unknown_words(note, found)


@given(
    st.text(st.characters(exclude_categories=()), max_size=300), st.sampled_from([*list_words()])
)
def test_any_text_is_read(note, thing):
    find_unknown_words(note, thing)  # type: ignore[arg-type]
