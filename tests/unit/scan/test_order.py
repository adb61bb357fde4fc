"""Orders of scans: what they hold, and by which names."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError

SCAN = get_catalog().get_pipeline("scan")
LINK = "https://example.com/photo.jpg"


def test_names_of_the_first_clients_mean_the_same():
    theirs = SCAN.normalize({"image_url": LINK, "user_input": "소주병"})
    assert theirs == SCAN.normalize({"images": [LINK], "note": "소주병"})


def test_normalized_order_is_read_as_itself():
    once = SCAN.normalize({"image_url": LINK, "user_input": "소주병"})
    assert SCAN.normalize(once) == once


def test_same_thing_by_both_names_is_refused_by_name():
    with pytest.raises(InvalidInputError, match="user_input: expected it or note, not both"):
        SCAN.parse({"user_input": "a", "note": "b"})


def test_order_without_picture_and_note_is_refused():
    with pytest.raises(InvalidInputError, match="images: expected a photograph, or a note"):
        SCAN.parse({"language": "English"})


def test_second_picture_is_refused():
    with pytest.raises(InvalidInputError, match="images"):
        SCAN.parse({"images": [LINK, LINK]})


@given(
    st.dictionaries(
        st.sampled_from(["image_url", "user_input", "note", "images", "user_id", "x"]),
        st.one_of(
            st.text(max_size=20),
            st.integers(),
            st.none(),
            st.lists(st.text(max_size=5), max_size=2),
        ),
    )
)
def test_any_order_is_parsed_or_refused(payload):
    with suppress(InvalidInputError):
        assert SCAN.parse(payload)
