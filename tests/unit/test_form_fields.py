"""The form of an order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from castad.web.forms import build_form_fields, extract_order, group_extra_fields
from castad.web.words import Refusal, Translator
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import list_order_fields

PIPELINES = list(get_catalog())
TEXT = Translator("ko")


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda each: each.name)
def test_form_has_every_field_of_the_order(pipeline):
    shown = {each.name for each in build_form_fields(pipeline, TEXT, {}, {})}
    assert shown == {each.name for each in list_order_fields(pipeline.order_model)}


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda each: each.name)
def test_form_that_is_sent_as_shown_is_the_example(pipeline):
    """What a browser sends of a form filled with the example is the example's order."""
    sent: dict[str, Any] = {}
    for field in build_form_fields(pipeline, TEXT, pipeline.example, {}):
        if field.control != "switch":
            sent[field.name] = field.value
        elif field.value:
            sent[field.name] = "true"
    parsed = {each.name: each for each in list_order_fields(pipeline.order_model)}
    order = {
        name: parsed[name].parse(value) for name, value in extract_order(pipeline, sent).items()
    }
    assert pipeline.normalize(order) == pipeline.normalize(pipeline.example)


@given(name=st.text(max_size=100), value=st.one_of(st.text(max_size=100), st.integers(), st.none()))
def test_form_shows_whatever_an_order_holds(name, value):
    for pipeline in PIPELINES:
        given_fields = {each.name: value for each in list_order_fields(pipeline.order_model)}
        build_form_fields(
            pipeline, TEXT, {**given_fields, name: value}, {name: [Refusal("a", "wrong")]}
        )


def test_form_names_the_error_at_its_field():
    wrong = {"region": [Refusal("invalid_input", "expected it")]}
    fields = build_form_fields(get_catalog().default, TEXT, {}, wrong)
    assert {each.name: each.errors for each in fields if each.errors} == wrong


def test_brand_is_folded_under_its_own_title():
    pipeline = get_catalog().default
    translate = Translator("en", pipeline.name)
    folds = group_extra_fields(build_form_fields(pipeline, translate, {}, {}), translate)
    titles = {title: {each.name for each in fields} for title, fields in folds}
    assert titles.keys() == {translate("more_options"), translate("group_brand")}
    assert titles[translate("group_brand")] >= {"logo", "brand_colors", "phone", "link"}


@pytest.mark.parametrize(("colors", "blanks"), [([], 2), (["#e4572e"], 1), (["#e4572e"] * 2, 0)])
def test_short_list_has_an_entry_for_all_that_it_may_hold(colors, blanks):
    fields = build_form_fields(get_catalog().default, TEXT, {"brand_colors": colors}, {})
    assert [each.blanks for each in fields if each.name == "brand_colors"] == [blanks]


def test_field_of_one_picture_takes_one():
    fields = build_form_fields(get_catalog().default, TEXT, {}, {})
    most = {each.name: each.most_entries for each in fields if each.control == "pictures"}
    assert most == {"images": 10, "logo": 1}


def test_field_of_a_known_kind_has_the_control_of_that_kind():
    fields = build_form_fields(get_catalog().default, TEXT, {}, {})
    kinds = {each.name: each.kind for each in fields if each.kind}
    assert kinds == {"brand_colors": "color", "phone": "tel", "link": "url", "genre": "several"}
