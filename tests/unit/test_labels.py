"""Labels are few, whatever they are made of."""

from hypothesis import given
from hypothesis import strategies as st

from castad.api.metrics import ErrorCodeLabels, KnownLabels, label_method

anything = st.one_of(st.none(), st.integers(), st.binary(), st.text())


@given(anything)
def test_known_labels_are_the_names_given_other_or_empty(name):
    assert KnownLabels(("lyric", "song"))(name) in {"lyric", "song", "other", ""}


def test_codes_are_a_hundred_at_most_and_those_stay():
    label = ErrorCodeLabels()
    first = [label(f"code_{number}") for number in range(150)]
    assert len(set(first)) == 101
    assert [label(f"code_{number}") for number in range(150)] == first


@given(st.text())
def test_code_is_a_label_only_where_it_looks_like_one(code):
    label = ErrorCodeLabels()(code)
    assert label == "other" or (label == code and label.isascii() and len(label) <= 48)


@given(st.text())
def test_method_is_one_of_http_or_other(method):
    assert label_method(method) in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} | {
        "other"
    }
