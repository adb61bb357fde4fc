"""What a note says of an ordinary thing counts only where its words are understood."""

from hypothesis import given
from hypothesis import strategies as st

from studio.waste import find_thing, find_unknown_words, list_words
from tests.tables import rows_beside


def unknown_in(note: str) -> list[str]:
    found = find_thing(note)
    assert found is not None
    return list(find_unknown_words(note, found))


@rows_beside
def test_unknown_word_that_may_mean_another_thing_is_told(note, unknown):
    assert unknown_in(note) == unknown


@rows_beside
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
