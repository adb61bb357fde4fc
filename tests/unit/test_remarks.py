"""Soft warnings about an order before it is made."""

import pytest

from castad.orders.submit import list_remarks
from pipeline_defs.catalog import get_catalog
from resources.process.settings import settings
from tests.api_house import BRIEF


def codes(**fields: object) -> list[str]:
    return [
        each.code for each in list_remarks(get_catalog().default, {**BRIEF, **fields}, settings())
    ]


@pytest.mark.parametrize("genre", ["polka", "국악", "reggaeton, latin"])
def test_remark_says_which_genre_the_studio_does_not_play(genre):
    assert codes(genre=genre) == ["genre_not_played"]


@pytest.mark.parametrize("genre", ["", "pop", "발라드, jazz"])
def test_remark_is_none_on_a_genre_that_is_played(genre):
    assert codes(genre=genre) == []


def test_remark_is_none_on_a_genre_where_a_vendor_plays(monkeypatch):
    monkeypatch.setenv("SUNO_API_KEY", "sk-nothing")
    monkeypatch.setenv("CASTAD_PUBLIC_URL", "https://castad.example")
    settings.cache_clear()
    assert codes(genre="polka") == []


def test_remark_says_that_a_name_is_long():
    assert codes(customer_name="가" * 25) == ["long_name"]
    assert codes(customer_name="가" * 24) == []


def test_remark_says_which_characters_a_film_leaves_out():
    [remark] = list_remarks(
        get_catalog().default,
        {**BRIEF, "customer_name": "카페 \U00013080\U00013080 ☕"},
        settings(),
    )
    assert (remark.code, remark.choices) == ("characters_not_drawn", {"missing": "\U00013080"})


@pytest.mark.parametrize(
    "field",
    [
        *("customer_name", "region", "detail_region_info", "call_to_action", "lyric"),
        *("phone", "address", "opening_hours", "link"),
    ],
)
def test_remark_is_on_every_field_that_a_film_shows(field):
    value = {"phone": "063 123", "link": "https://spring.example/"}.get(field, "la")
    assert codes(**{field: value}) == []
    assert codes(**{field: value + "\U00013080"}) == ["characters_not_drawn"]


def test_remark_is_none_on_a_detail_that_own_words_do_not_sing():
    assert codes(detail_region_info="la \U00013080", lyric="la") == []


def test_remark_is_none_on_emoji_that_are_drawn():
    assert codes(customer_name="봄날 ☕🍞❤️", call_to_action="오세요 👩‍🍳👍🏽") == []


@pytest.mark.parametrize("pipeline", list(get_catalog()), ids=lambda each: each.name)
def test_pipeline_remarks_nothing_on_its_example(pipeline):
    remarks = list_remarks(pipeline, pipeline.normalize(pipeline.example), settings())
    assert list(remarks) == []


def test_remark_on_a_genre_names_the_nearest_and_what_is_played():
    [remark] = list_remarks(get_catalog().default, {**BRIEF, "genre": "reggaeton"}, settings())
    assert remark.sentence.startswith("genre: 'reggaeton' is not played; the nearest is edm; ")
    assert remark.choices == {"nearest": "edm"}
