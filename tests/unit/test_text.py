"""Text that people write: composed from the door on, and as long as it is seen."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from castad.orders.approval import LONGEST_REASON, _check_reason
from castad.orders.order_fields import check_profile_name
from castad.orders.orders_file import check_order, parse_csv_orders, read_orders_file
from castad.views.order_list import LONGEST_QUERY, parse_search_words
from pipeline_defs.catalog import get_catalog
from pipeline_defs.song_video.brief import Brief
from resources.contract.errors import InvalidInputError
from resources.contract.written_text import is_longer_than, list_normal_forms, normalize_to_nfc

NFD = "NFD"
CAFE = "카페 드 파리 é"
FAMILY = "👨‍👩‍👧‍👦"
SEEN = st.sampled_from(
    [
        *("a", "가", "힣", "é", "ḝ", "ñ", "क्षि", "각"),
        *(FAMILY, "🇰🇷", "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "❤️", "한", "쌰", "x͓̐"),
    ]
)
"""Each is one character for who sees it."""
TEXTS = ["customer_name", "region", "detail_region_info", "genre", "call_to_action", "lyric"]
BRANDS = ["address", "opening_hours"]


def nfd(text: str) -> str:
    return unicodedata.normalize(NFD, text)


def brief(**changes: Any) -> dict[str, Any]:
    return {"customer_name": "스테이 머뭄", "region": "군산", **changes}


@given(st.text())
def test_text_is_composed_once(text):
    assert (
        normalize_to_nfc(normalize_to_nfc(text))
        == normalize_to_nfc(nfd(text))
        == normalize_to_nfc(text)
    )


@given(st.lists(SEEN, max_size=40), st.sampled_from(["NFC", NFD]))
def test_length_is_the_number_of_characters_that_are_seen(seen, form):
    text = unicodedata.normalize(form, " ".join(seen))
    count = max(2 * len(seen) - 1, 0)
    assert not is_longer_than(text, count)
    assert count == 0 or is_longer_than(text, count - 1)


@given(st.text(), st.integers(0, 30))
def test_length_is_the_same_in_every_form(text, most):
    assert (
        is_longer_than(text, most)
        == is_longer_than(nfd(text), most)
        == is_longer_than(normalize_to_nfc(text), most)
    )


@given(st.text(), st.integers(0, 30))
def test_text_is_never_longer_than_its_code_points_nor_without_end(text, most):
    assert len(normalize_to_nfc(text)) > most or not is_longer_than(text, most)
    assert len(normalize_to_nfc(text)) <= 16 * most or is_longer_than(text, most)


@pytest.mark.parametrize("piled", ["a" + "\u0301" * 2_000, "\u200d" * 2_000, "ᄒ" * 2_000])
def test_character_under_a_pile_of_marks_is_not_one(piled):
    assert is_longer_than(piled, 80)


@pytest.mark.parametrize("character", ["가", "é", FAMILY, "🇰🇷", "한"])
def test_name_of_80_characters_is_taken_and_one_of_81_is_not(character):
    Brief(**brief(customer_name=nfd(character * 80)))
    with pytest.raises(ValidationError):
        Brief(**brief(customer_name=nfd(character * 81)))


def test_name_that_is_too_long_is_refused_with_the_limit_that_is_seen():
    with pytest.raises(InvalidInputError, match="expected at most 80 characters"):
        check_order(brief(customer_name=nfd("가") * 81))


@pytest.mark.parametrize("field", [*TEXTS, *BRANDS])
def test_words_of_an_order_are_composed(field):
    order = check_order(brief(**{field: nfd(f"{CAFE}\n노래")}))
    assert normalize_to_nfc(order.payload[field]) == order.payload[field]
    assert "카페 드 파리 é" in order.payload[field]


def test_note_of_a_scan_is_composed():
    order = check_order({"pipeline": "scan", "note": nfd("깨진 유리병")})
    assert order.payload["note"] == "깨진 유리병"


def test_addresses_and_names_of_clients_stay_as_they_are():
    link = nfd("https://example.com/사진.jpg")
    order = check_order(brief(images=[link], link=link, logo=[link]))
    assert [*order.payload["images"], order.payload["link"], *order.payload["logo"]] == [link] * 3
    scan = check_order({"pipeline": "scan", "note": "병", "user_id": nfd("사용자")})
    assert scan.payload["user_id"] == nfd("사용자")
    path = nfd("/저장소/코드")
    analysis = check_order({"pipeline": "analysis", "repository": path, "ref": nfd("가지")})
    assert (analysis.payload["repository"], analysis.payload["ref"]) == (path, nfd("가지"))


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
def test_order_stored_before_is_the_same_in_every_form(words):
    pipeline, stored = (
        get_catalog().get_pipeline("song_video"),
        brief(detail_region_info=nfd(words)),
    )
    given_now = brief(detail_region_info=normalize_to_nfc(words))
    is_valid = pipeline.is_same_order(stored, stored)
    assert pipeline.is_same_order(stored, given_now) == is_valid


def test_orders_file_is_composed_and_its_columns_too(tmp_path):
    file = tmp_path / "orders.csv"
    file.write_text(nfd(f"customer_name,region\n{CAFE},군산\n"), encoding="utf-8")
    (order,) = read_orders_file(file)
    assert check_order(order.fields).payload["customer_name"] == CAFE


def test_unknown_column_is_told_composed():
    with pytest.raises(InvalidInputError, match=f"'{CAFE[:2]}'"):
        parse_csv_orders(f"{nfd(CAFE[:2])},region\na,b\n", "orders.csv")


def test_reason_is_composed_and_counted_as_it_is_seen():
    assert _check_reason(nfd("값" * LONGEST_REASON)) == "값" * LONGEST_REASON
    with pytest.raises(InvalidInputError):
        _check_reason(nfd("값" * (LONGEST_REASON + 1)))


def test_profile_name_is_composed_and_counted_as_it_is_seen():
    assert check_profile_name(nfd("카" * 80)) == "카" * 80
    with pytest.raises(InvalidInputError):
        check_profile_name(nfd("카" * 81))


def test_search_is_composed_and_counted_as_it_is_seen():
    assert parse_search_words(nfd("카" * LONGEST_QUERY)) == ["카" * LONGEST_QUERY]
    with pytest.raises(InvalidInputError):
        parse_search_words(nfd("카" * (LONGEST_QUERY + 1)))


@given(st.text())
def test_every_spelling_of_a_text_composes_to_it(text):
    assert {normalize_to_nfc(each) for each in list_normal_forms(text)} == {normalize_to_nfc(text)}
