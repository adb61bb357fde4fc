"""Every error has its status, its words on the pages and its remedy."""

import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from castad.api.problems import ApiError, reply_to_error
from castad.web.words import (
    _PICTURES,
    LANGUAGES,
    Translator,
    build_error_sentence,
    build_refusal,
    find_operators_remedy,
)
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import CastadError, InvalidInputError
from resources.views.order_body import ErrorBody
from tests.error_codes import error_codes, errors_page

CODES = sorted(error_codes())
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errors.md"
_DEFINES_ERROR = re.compile(r"^class \w+Error\(", re.MULTILINE)


def _classes() -> list[type[CastadError]]:
    """Return every class of error, of every module."""
    for folder in ("castad", "pipeline_defs", "resources", "sensors"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if _DEFINES_ERROR.search(file.read_text("utf-8")):
                importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    return sorted(_below(CastadError), key=lambda each: each.__qualname__)


def _below(kind: type[CastadError]) -> Iterator[type[CastadError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _below(each)


def _error(kind: type[CastadError], code: str) -> CastadError:
    """Return an error of this class without calling its constructor, whose arguments differ."""
    error = kind.__new__(kind)
    CastadError.__init__(error, "name: expected something", code=code)
    return error


def test_no_refusal_is_a_bug_whatever_its_class_and_code():
    plain = [each for each in _classes() if each is not ApiError]
    answers = {
        (kind.__name__, code): reply_to_error(_error(kind, code)).status_code
        for kind in plain
        for code in CODES
    }
    wrong = {each for each, status in answers.items() if status < 400 or status == 500}
    assert len(plain) > 50
    assert wrong == set()


@given(code=st.text(max_size=70), detail=st.text(max_size=200))
def test_refusal_of_an_unknown_code_is_a_sentence_and_no_bug(code, detail):
    answer = reply_to_error(_error(CastadError, code))
    assert answer.status_code == 409
    assert json.loads(bytes(answer.body))["code"] == code
    for language in LANGUAGES:
        said = build_refusal(Translator(language), code, detail)
        assert said.sentence or not detail


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_a_remedy(language):
    translate = Translator(language)
    assert {code for code in CODES if not find_operators_remedy(translate, code)} == set()


def test_page_of_errors_says_every_code():
    """`.venv/bin/python -m tests.error_codes > docs/errors.md` writes it."""
    assert PAGE.read_text("utf-8") == errors_page()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_words_of_its_own_on_the_pages(language):
    translate = Translator(language)
    own = {
        name
        for each in get_catalog()
        for name in Translator(language, each.name).list_with_prefix("code_")
    }
    known = {*own, *_PICTURES, *translate.list_with_prefix("refusal_")}
    assert set(CODES) - known == set()


@pytest.mark.parametrize("code", CODES)
def test_order_that_ended_by_a_code_says_what_failed(code):
    """In Korean never "for an unknown reason" where the code is known."""
    pipeline = next(
        (
            each.name
            for each in get_catalog()
            if Translator("ko", each.name).find(f"code_{code}", "")
        ),
        get_catalog().default.name,
    )
    translate = Translator("ko", pipeline)
    said = build_error_sentence(ErrorBody(code=code, message="what happened"), translate)
    assert said is not None
    assert said.sentence != translate("code_other")


def test_field_that_is_refused_keeps_its_own_code():
    answer = reply_to_error(
        InvalidInputError("external_id", "expected this job", code="job_unknown")
    )
    body = json.loads(bytes(answer.body))
    assert (answer.status_code, body["code"], body["field"]) == (422, "job_unknown", "external_id")
