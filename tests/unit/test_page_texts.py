"""The texts of the pages."""

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from castad.web.words import (
    LANGUAGES,
    TextError,
    Translator,
    _merge_texts,
    build_refusal,
    mark_code,
    mark_moment,
    read_pipeline_texts,
    read_site_texts,
)
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import list_order_fields
from resources.contract.errors import load_expectation_templates

PIPELINES = list(get_catalog())
ROOT = Path(__file__).parents[2]
TEMPLATES = [*ROOT.glob("castad/web/templates/*.html"), *ROOT.glob("pipeline_defs/*/page/*.html")]


def test_texts_are_there_in_every_language():
    assert all(set(text) == set(LANGUAGES) for text in read_site_texts().values())


@pytest.mark.parametrize("content", ['[a]\nko = "가"', 'a = "가"', '[a]\nko = "가"\nen = ""'])
def test_text_without_a_language_is_refused(tmp_path, content):
    file = tmp_path / "x.toml"
    file.write_text(content, "utf-8")
    with pytest.raises(TextError, match=r"x\.toml: a: expected a text in ko and en"):
        _merge_texts([file])


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda each: each.name)
def test_pipeline_has_a_text_for_every_field_choice_and_stage(pipeline):
    needed = {"kind", "title", "lead", *(f"stage_{name}" for name in pipeline.stage_names)}
    for field in list_order_fields(pipeline.order_model):
        needed |= {f"field_{field.name}", f"help_{field.name}"}
        needed |= {f"choice_{value}" for value in field.type.choices}
    assert needed - set(read_pipeline_texts(pipeline.name)) == set()


@pytest.mark.parametrize("sentence", sorted(set(load_expectation_templates().values())))
def test_what_a_field_expects_is_said_in_the_language_of_the_page_alone(sentence):
    context = dict.fromkeys(re.findall(r"{(\w+)}", sentence), "7")
    context |= {"expected": "'a' or 'b'", "error": "expected at least 1 visible character"}
    said = build_refusal(Translator("ko"), "invalid_input", f"field: {sentence.format(**context)}")
    assert said.detail == ""
    assert re.search("[가-힣]", said.sentence)
    assert "expected" not in said.sentence


def test_time_names_its_zone_where_no_script_names_the_readers():
    at = datetime(2030, 1, 31, 9, 5, 6, tzinfo=timezone(timedelta(hours=9)))
    shown = '<time datetime="2030-01-31T00:05:06Z">2030-01-31 00:05:06 UTC</time>'
    assert (mark_moment(at), mark_moment(None)) == (shown, "")


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.name)
def test_template_marks_no_time_by_itself(template):
    assert not re.search(r"<time\b|strftime", template.read_text("utf-8"))


def test_text_of_a_pipeline_goes_before_the_sites():
    own = Translator("ko", get_catalog().default.name)
    assert own("title") != own("log_in")
    assert Translator("en").find("no_such_text", "as written") == "as written"


def test_code_in_a_text_is_marked_and_the_text_is_escaped():
    assert mark_code("`a<b` & c") == "<code>a&lt;b</code> &amp; c"
