import json
import math
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.song_video.brief import Brief
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import composed
from resources.ledger.request import check_task_id, new_task_id
from tests.song_video import check_brief, normalize, same_brief
from tests.tables import read_beside

GOOD = read_beside(__file__)["GOOD"]
LINK = "images[0]"
MEGABYTE = "x" * 1_000_000

REFUSED = [
    ("customer_name", "", "customer_name"),
    ("customer_name", " \t\n ", "customer_name"),
    ("customer_name", "y" * 81, "customer_name"),
    ("customer_name", MEGABYTE, "customer_name"),
    ("customer_name", None, "customer_name"),
    ("customer_name", 7, "customer_name"),
    ("customer_name", ["Quill"], "customer_name"),
    ("customer_name", {"env": "HOME"}, "customer_name"),
    ("customer_name", "a\0b", "customer_name"),
    ("customer_name", "a\x1b[31mred", "customer_name"),
    ("customer_name", "a\x85b", "customer_name"),
    ("customer_name", "\ud83d", "customer_name"),
    ("region", "Qu\udc00ill", "region"),
    ("region", "", "region"),
    ("region", "\u202egnp.exe", "region"),
    ("region", "\ufeffQuill", "region"),
    ("detail_region_info", "a\u2066b", "detail_region_info"),
    ("detail_region_info", "\u200f", "detail_region_info"),
    ("detail_region_info", "y" * 501, "detail_region_info"),
    ("detail_region_info", MEGABYTE, "detail_region_info"),
    ("detail_region_info", None, "detail_region_info"),
    ("language", "Klingon", "language"),
    ("language", "", "language"),
    ("language", MEGABYTE, "language"),
    ("language", None, "language"),
    ("language", ["Korean"], "language"),
    ("language", {"env": "HOME"}, "language"),
    ("language", "\ud800", "language"),
    ("orientation", "diagonal", "orientation"),
    ("orientation", "vertical\0", "orientation"),
    ("orientation", 1, "orientation"),
    ("genre", "y" * 101, "genre"),
    ("genre", ["pop"], "genre"),
    ("genre", "po\0p", "genre"),
    ("images", "https://example.com/front.jpg", "images"),
    ("images", {"env": "HOME"}, "images"),
    ("images", None, "images"),
    ("images", ["https://example.com/front.jpg"] * 11, "images"),
    ("images", ["../secret.png"], LINK),
    ("images", ["/etc/passwd"], LINK),
    ("images", ["file:///etc/passwd"], LINK),
    ("images", ["ftp://example.com/a.png"], LINK),
    ("images", ["javascript:alert(1)"], LINK),
    ("images", ["data:image/png;base64,AAAA"], LINK),
    ("images", ["//example.com/a.png"], LINK),
    ("images", ["https://"], LINK),
    ("images", ["https://[::1"], LINK),
    ("images", ["https://example.com:99999/a.png"], LINK),
    ("images", ["https://example.com:port/a.png"], LINK),
    ("images", ["https://exa mple.com/a.png"], LINK),
    ("images", ["https://user:password@example.com/a.png"], LINK),
    ("images", ["https://example.com/a\r\nX-Evil: 1"], LINK),
    ("images", ["https://example.com/\u202egnp.a"], LINK),
    ("images", ["https://example.com/\ud800"], LINK),
    ("images", ["https://example.com/" + MEGABYTE], LINK),
    ("images", ["upload:../../etc/passwd"], LINK),
    ("images", ["upload:" + "A" * 64], LINK),
    ("images", ["upload:" + "a" * 64 + "\0"], LINK),
    ("images", [""], LINK),
    ("images", [{"env": "HOME"}], LINK),
    ("images", ["https://example.com/ok.png", 7], "images[1]"),
    ("call_to_action", "b" * 61, "call_to_action"),
    ("call_to_action", "지금\0", "call_to_action"),
    ("lyric", "y" * 3001, "lyric"),
    ("lyric", MEGABYTE, "lyric"),
    ("lyric", "la\n" * 121, "lyric"),
    ("lyric", "y" * 101, "lyric"),
    ("lyric", "[Verse]\n\n[Chorus]", "lyric"),
    ("lyric", "\u200b\n\u200d", "lyric"),
    ("lyric", "la\0la", "lyric"),
    ("lyric", "la\u202eal", "lyric"),
    ("lyric", "la\x0bla", "lyric"),
    ("lyric", "la \ud83d", "lyric"),
    ("lyric", ["la"], "lyric"),
    ("lyric", None, "lyric"),
    ("vocals", "perhaps", "vocals"),
    ("vocals", None, "vocals"),
    ("takes", 0, "takes"),
    ("takes", 3, "takes"),
    ("takes", 1.5, "takes"),
    ("takes", "many", "takes"),
    ("takes", None, "takes"),
    ("stems", 2, "stems"),
    ("caption_style", "karaoke", "caption_style"),
    ("caption_style", None, "caption_style"),
    ("stems", {"env": "HOME"}, "stems"),
    ("logo", "https://example.com/logo.png", "logo"),
    ("logo", ["https://example.com/logo.png"] * 2, "logo"),
    ("logo", ["/etc/passwd"], "logo[0]"),
    ("logo", None, "logo"),
    ("brand_colors", "#e4572e", "brand_colors"),
    ("brand_colors", ["#e4572e"] * 3, "brand_colors"),
    ("brand_colors", ["red"], "brand_colors[0]"),
    ("brand_colors", ["#e4572e", "#fff"], "brand_colors[1]"),
    ("brand_colors", ["#e4572e;}"], "brand_colors[0]"),
    ("brand_colors", ["#１２３４５６"], "brand_colors[0]"),
    ("brand_colors", [0xE4572E], "brand_colors[0]"),
    ("phone", "call us", "phone"),
    ("phone", "1" * 41, "phone"),
    ("phone", "010\0-123", "phone"),
    ("phone", "\u202e010-1234", "phone"),
    ("phone", 1012345678, "phone"),
    ("address", "y" * 121, "address"),
    ("address", "a\x1b[31m", "address"),
    ("address", "\u200b", "address"),
    ("address", None, "address"),
    ("opening_hours", "y" * 161, "opening_hours"),
    ("opening_hours", "1\n2\n3\n4\n5", "opening_hours"),
    ("opening_hours", "\u200b\n\u200b", "opening_hours"),
    ("opening_hours", "9\x0b10", "opening_hours"),
    ("link", "javascript:alert(1)", "link"),
    ("link", "tel:+82631234567", "link"),
    ("link", "example.com", "link"),
    ("link", "https://", "link"),
    ("link", "https://user:password@example.com/", "link"),
    ("link", "https://exa mple.com/", "link"),
    ("link", "https://example.com:99999/", "link"),
    ("link", "https://example.com/\u202e", "link"),
    ("link", "https://example.com/" + "y" * 281, "link"),
    ("link", "https://example.com/" + "가" * 94, "link"),
    ("link", "upload:" + "0a" * 32, "link"),
    ("link", None, "link"),
    ("duration_seconds", 9, "duration_seconds"),
    ("duration_seconds", 121, "duration_seconds"),
    ("duration_seconds", -(10**30), "duration_seconds"),
    ("duration_seconds", 10**30, "duration_seconds"),
    ("duration_seconds", 10**5000, "duration_seconds"),
    ("duration_seconds", "9" * 5000, "duration_seconds"),
    ("duration_seconds", 20.5, "duration_seconds"),
    ("duration_seconds", math.nan, "duration_seconds"),
    ("duration_seconds", math.inf, "duration_seconds"),
    ("duration_seconds", True, "duration_seconds"),
    ("duration_seconds", "twenty", "duration_seconds"),
    ("duration_seconds", None, "duration_seconds"),
    ("duration_seconds", [20], "duration_seconds"),
    ("duration_seconds", {"env": "HOME"}, "duration_seconds"),
    ("colour", "red", "colour"),
    ("customer-name", "Quill", "customer-name"),
    ("", "red", "(a field without a name)"),
    ("a\nTraceback (most recent call last)", "red", "a\\n"),
    ("\ud800", "red", "the order"),
    (MEGABYTE, "red", "x" * 80),
]
ACCEPTED = [
    ("customer_name", "👨‍👩‍👧 Café 🎵"),
    ("customer_name", "{customer_name} {{ 7*7 }} {0}"),
    ("customer_name", "100 % %s %(name)s %n"),
    ("customer_name", "a\\N{\\an8}b ':[];,"),
    ("customer_name", '"O\'Hara" `id` $(id) $HOME'),
    ("customer_name", "'; DROP TABLE requests; --"),
    ("customer_name", "<b>Café</b>"),
    ("customer_name", "e" + "\u0301" * 79),
    ("customer_name", "y" * 80),
    ("detail_region_info", ""),
    ("detail_region_info", "first line\nsecond\tline"),
    ("detail_region_info", "y" * 500),
    ("lyric", ""),
    ("lyric", "\n".join(["la"] * 120)),
    ("lyric", "👨‍👩‍👧 🎵\nשלום\n<script>alert(1)</script>\n'; DROP TABLE requests; --"),
    ("genre", "gregorian dubstep"),
    ("genre", ""),
    ("images", []),
    ("images", ["http://xn--bj0bj06e.example/a%20b.png?x=1#y"]),
    ("images", ["https://예시.example/그림.png"]),
    ("images", ["upload:" + "0a" * 32]),
    ("images", ["https://example.com/front.jpg"] * 10),
    ("duration_seconds", 10),
    ("duration_seconds", 120),
    ("logo", []),
    ("logo", ["upload:" + "0a" * 32]),
    ("brand_colors", []),
    ("phone", "+82 63 123 4567 (예약)"),
    ("phone", "👨‍👩‍👧 ٠١٢"),
    ("address", "{\\an8}'; DROP TABLE requests; --"),
    ("opening_hours", "1\n2\n3\n4"),
    ("link", "http://예시.example/메뉴?a=1#b"),
    ("link", "https://example.com/" + "y" * 280),
]
FORGIVEN = [
    ("language", "ko", "Korean"),
    ("language", "EN", "English"),
    ("language", " korean ", "Korean"),
    ("orientation", " Vertical ", "vertical"),
    ("orientation", "H", "horizontal"),
    ("customer_name", "  스테이 머뭄\n", "스테이 머뭄"),
    ("lyric", " one  two \r\n\t\r\n\r\n\r\nthree\u2028four \n\n", "one two\n\nthree\nfour"),
    ("lyric", " \n\t", ""),
    ("brand_colors", ["E4572E"], ["#e4572e"]),
    ("phone", " 063  123\n4567 ", "063 123 4567"),
    ("address", "전북\n군산시", "전북 군산시"),
    ("address", " \t", ""),
    ("opening_hours", " 매일  10-21\r\n\r\n월 휴무 ", "매일 10-21\n월 휴무"),
    ("duration_seconds", "30", 30),
    ("duration_seconds", 30.0, 30),
]

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
def test_brief_refuses_a_bad_value_naming_the_field(field, value, named):
    with pytest.raises(InvalidInputError) as refusal:
        check_brief({**GOOD, field: value})
    assert refusal.value.message.startswith(named)


@pytest.mark.parametrize(("field", "value", "named"), REFUSED, ids=short)
def test_brief_refusal_is_one_plain_sentence(field, value, named):
    with pytest.raises(InvalidInputError) as refusal:
        check_brief({**GOOD, field: value})
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
    seen = composed(value) if isinstance(value, str) else value
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
    made = {check_task_id(new_task_id()) for _ in range(50)}
    assert len(made) == 50
