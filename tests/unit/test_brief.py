import json
import math
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.song_video.brief import Brief
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import normalize_to_nfc
from resources.ledger.request import check_task_id, make_task_id
from tests.song_video import check_brief, normalize, same_brief
from tests.tables import read_beside

GOOD = read_beside(__file__)["GOOD"]
LINK = "images[0]"
MEGABYTE = "x" * 1_000_000


def cells(table: str) -> list[tuple[str, Any]]:
    """Return each field of the table with each of its values."""
    return [(field, each) for field, some in read_beside(__file__)[table].items() for each in some]


REFUSED = [
    *((named.partition("[")[0], value, named) for named, value in cells("REFUSED")),
    ("customer_name", "y" * 81, "customer_name"),
    ("customer_name", MEGABYTE, "customer_name"),
    ("customer_name", "a\x85b", "customer_name"),
    ("customer_name", "\ud83d", "customer_name"),
    ("region", "Qu\udc00ill", "region"),
    ("detail_region_info", "y" * 501, "detail_region_info"),
    ("detail_region_info", MEGABYTE, "detail_region_info"),
    ("language", MEGABYTE, "language"),
    ("language", "\ud800", "language"),
    ("genre", "y" * 101, "genre"),
    ("images", ["https://example.com/front.jpg"] * 11, "images"),
    ("images", ["https://example.com/\ud800"], LINK),
    ("images", ["https://example.com/" + MEGABYTE], LINK),
    ("images", ["upload:" + "A" * 64], LINK),
    ("images", ["upload:" + "a" * 64 + "\0"], LINK),
    ("call_to_action", "b" * 61, "call_to_action"),
    ("lyric", "y" * 3001, "lyric"),
    ("lyric", MEGABYTE, "lyric"),
    ("lyric", "la\n" * 121, "lyric"),
    ("lyric", "y" * 101, "lyric"),
    ("lyric", "la \ud83d", "lyric"),
    ("logo", ["https://example.com/logo.png"] * 2, "logo"),
    ("brand_colors", ["#e4572e"] * 3, "brand_colors"),
    ("phone", "1" * 41, "phone"),
    ("phone", 1012345678, "phone"),
    ("address", "y" * 121, "address"),
    ("opening_hours", "y" * 161, "opening_hours"),
    ("link", "https://example.com/" + "y" * 281, "link"),
    ("link", "https://example.com/" + "가" * 94, "link"),
    ("link", "upload:" + "0a" * 32, "link"),
    ("duration_seconds", -(10**30), "duration_seconds"),
    ("duration_seconds", 10**30, "duration_seconds"),
    ("duration_seconds", 10**5000, "duration_seconds"),
    ("duration_seconds", "9" * 5000, "duration_seconds"),
    ("duration_seconds", math.nan, "duration_seconds"),
    ("duration_seconds", math.inf, "duration_seconds"),
    ("", "red", "(a field without a name)"),
    ("a\nTraceback (most recent call last)", "red", "a\\n"),
    ("\ud800", "red", "the order"),
    (MEGABYTE, "red", "x" * 80),
]
ACCEPTED = [
    *cells("ACCEPTED"),
    ("customer_name", "e" + "\u0301" * 79),
    ("customer_name", "y" * 80),
    ("detail_region_info", "y" * 500),
    ("lyric", "\n".join(["la"] * 120)),
    ("images", ["upload:" + "0a" * 32]),
    ("images", ["https://example.com/front.jpg"] * 10),
    ("logo", ["upload:" + "0a" * 32]),
    ("link", "https://example.com/" + "y" * 280),
]
FORGIVEN = [(field, *pair) for field, pair in cells("FORGIVEN")]

CHARACTERS = st.text(st.characters(codec=None, exclude_categories=()), max_size=90)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | CHARACTERS
    | st.sampled_from(["Korean", "h", "https://example.com/a.png", "20", "upload:" + "b" * 64]),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(CHARACTERS, inner, max_size=3),
    max_leaves=15,
)
FIELDS = st.sampled_from(list(GOOD))
HALF_GOOD = st.dictionaries(FIELDS | CHARACTERS, JSON, max_size=3).map(lambda bad: {**GOOD, **bad})


def short(case: object) -> str:
    return (hex(case) if type(case) is int else ascii(case))[:40]


def is_one_plain_sentence(sentence: str) -> bool:
    return sentence.isprintable() and len(sentence.encode("utf-8")) < 400


@pytest.mark.parametrize(("field", "value", "named"), REFUSED, ids=short)
def test_brief_refuses_a_bad_value_in_one_plain_sentence_naming_the_field(field, value, named):
    with pytest.raises(InvalidInputError) as refusal:
        check_brief({**GOOD, field: value})
    assert refusal.value.message.startswith(named)
    assert is_one_plain_sentence(refusal.value.message)


@pytest.mark.parametrize("field", ["customer_name", "region", "images", "language", "colour"])
def test_brief_refusal_repeats_no_value(field):
    with pytest.raises(InvalidInputError) as refusal:
        check_brief({**GOOD, field: ["hunter2\0hunter2"]})
    assert "hunter2" not in refusal.value.message


@pytest.mark.parametrize("field", ["customer_name", "images", "duration_seconds"])
def test_brief_refusal_carries_no_cause_that_holds_the_value(field):
    with pytest.raises(InvalidInputError) as refusal:
        check_brief({**GOOD, field: "hunter2\0"})
    assert refusal.value.__cause__ is None
    assert refusal.value.__suppress_context__


@pytest.mark.parametrize("field", ["customer_name", "region"])
def test_brief_refuses_an_order_without_a_required_field(field):
    payload = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(InvalidInputError, match=f"^{field}: expected a value"):
        check_brief(payload)


@pytest.mark.parametrize(("field", "value"), ACCEPTED, ids=short)
def test_brief_keeps_harmless_values_as_they_are_seen(field, value):
    seen = normalize_to_nfc(value) if isinstance(value, str) else value
    assert normalize({**GOOD, field: value})[field] == seen


@pytest.mark.parametrize(("field", "value", "meant"), FORGIVEN, ids=short)
def test_brief_reads_what_was_meant(field, value, meant):
    assert normalize({**GOOD, field: value})[field] == meant


def test_brief_fills_in_every_default():
    filled = normalize({"customer_name": "a", "region": "b"})
    assert filled == Brief(customer_name="a", region="b").model_dump()
    assert set(filled) == set(GOOD)


def test_brief_defaults_are_not_shared_between_orders():
    first = check_brief({"customer_name": "a", "region": "b"})
    first.images.append("changed")
    assert check_brief({"customer_name": "a", "region": "b"}).images == []


@given(HALF_GOOD | st.dictionaries(CHARACTERS, JSON, max_size=4))
def test_brief_accepts_or_refuses_any_object_with_one_plain_sentence(payload):
    try:
        check_brief(payload)
    except InvalidInputError as refusal:
        assert is_one_plain_sentence(refusal.message), ascii(refusal.message)  # noqa: PT017


@given(HALF_GOOD)
def test_brief_that_was_accepted_stands_unchanged_through_storage(payload):
    try:
        once = normalize(payload)
    except InvalidInputError:
        return
    stored = json.dumps(once, ensure_ascii=False).encode("utf-8")
    assert b"\\u0000" not in stored
    assert normalize(json.loads(stored)) == once


def test_same_brief_sees_through_spelling_and_left_out_defaults():
    assert same_brief(
        {"customer_name": " a ", "region": "b", "language": "ko"},
        {"customer_name": "a", "region": "b", "duration_seconds": 20},
    )


@pytest.mark.parametrize("field", GOOD)
def test_same_brief_sees_a_change_in_any_field(field):
    other = {
        "language": "English",
        "orientation": "horizontal",
        "images": [],
        "duration_seconds": 21,
        "takes": 2,
    }
    assert not same_brief(GOOD, {**GOOD, field: other.get(field, "other")})


def test_an_order_that_cannot_be_used_is_the_same_as_none_not_even_itself():
    assert not same_brief({"region": 1}, {"region": 1})


@pytest.mark.parametrize(
    "task_id",
    ["a", "0", "A1", "order-1", "a.b:c_d-e", "x" * 128, "a..b", "CON", "run-1234abcd", "1:2:3"],
    ids=short,
)
def test_task_id_keeps_what_it_allows(task_id):
    assert check_task_id(task_id) == task_id


@pytest.mark.parametrize(
    "task_id",
    [
        *["", ".", "..", "../x", "a/../b", "/abs", "..\\x", "a/b", "a\\b", "%2e%2e", "x" * 129],
        *["a\n", "\na", "a\r\n", "a b", " a", "a\0", "-a", ".a", "_a", ":a", "ä", "주문-1", "١"],
        *["a\u0301", "\ud800", "a'", 'a"', "a;b", "$(id)", "{a}", "a%s", MEGABYTE],
        *[None, 7, True, b"a", ["a"], {"env": "HOME"}],
    ],
    ids=short,
)
def test_task_id_refuses_what_is_no_name(task_id):
    with pytest.raises(InvalidInputError, match=r"^task_id: expected 1 to 128 letters"):
        check_task_id(task_id)


@given(CHARACTERS | st.text("abcXYZ019_.:-/\n", max_size=130))
def test_task_id_is_plain_ascii_without_a_way_up_or_out(text):
    try:
        task_id = check_task_id(text)
    except InvalidInputError:
        return
    assert set(task_id) <= {*string.ascii_letters, *string.digits, *"_.:-"}
    assert task_id[0].isalnum()
    assert 1 <= len(task_id) <= 128


def test_task_ids_made_up_are_allowed_and_differ():
    made = {check_task_id(make_task_id()) for _ in range(50)}
    assert len(made) == 50
