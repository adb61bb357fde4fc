"""Which words an order is found by."""

from dataclasses import replace
from typing import Any

import pytest

from castad.views.order_list import build_search_text, parse_search_words
from resources.contract.errors import InvalidInputError
from tests.sample_request import DISPATCHED


def text(payload: str, results: dict[str, Any] | None = None) -> str:
    return build_search_text(replace(DISPATCHED, task_id="Order-1", payload=payload), results or {})


def test_order_is_found_by_the_values_of_its_fields_and_not_by_their_names():
    found = text('{"customer_name": "Bluebird", "images": ["a.jpg"], "deep": {"Note": "빵"}}')
    assert [
        word in found for word in ("bluebird", "a.jpg", "빵", "order-1", "customer", "note")
    ] == [*(True, True, True, True), False, False]


def test_order_is_found_by_the_words_of_its_products():
    lyric = '{"title": "Blue", "text": "Come In"}'
    assert text("{}", {"lyric": lyric}) == "order-1\nblue\n\ncome in"


@pytest.mark.parametrize("payload", ["", "[", '"a"', "[" * 9999, "7", "null"])
def test_order_that_cannot_be_read_is_found_by_its_name(payload):
    assert text(payload).startswith("order-1")


@pytest.mark.parametrize("result", [b"a\xffb", "{", "[]", '{"title": 1}', "[" * 9999])
def test_result_that_cannot_be_read_has_no_words(result):
    assert text("{}", {"lyric": result}).strip() == "order-1"


def test_words_of_a_query_are_folded_and_each_is_asked_for_once():
    assert parse_search_words(" Café CAFE\u0301\t카페 ") == ["café", "카페"]


@pytest.mark.parametrize("query", ["", "  ", "a\0", "\ud800", "\u202ea", "a" * 101])
def test_query_without_words_or_with_unfit_characters_is_refused(query):
    with pytest.raises(InvalidInputError) as refusal:
        parse_search_words(query)
    assert refusal.value.field == "q"
