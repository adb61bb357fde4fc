"""The line of history of an event, whatever an operator has written into its data."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from resources.ledger.queries.status import make_event_view
from resources.views.text import as_markdown, describe_event
from tests.tables import read_beside, rows_beside

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY_JSON = st.recursive(
    LEAVES | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
NAMES = read_beside(__file__)["NAMES"]
KNOWN = st.dictionaries(st.sampled_from(NAMES), ANY_JSON | st.just(10**400))


def told(data: str) -> str:
    row: dict[str, Any] = {"id": 1, "request_id": 1, "task_id": "x", "pipeline": "song_video"}
    row |= {"seq": 1, "type": "edited", "owner": None}
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    return describe_event(
        make_event_view(row | {"from": "a", "to": "a", "data": data, "at": moment})
    )


@settings(deadline=None, max_examples=150)
@given(data=st.one_of((KNOWN | ANY_JSON).map(json.dumps), st.text(max_size=10)))
def test_sentence_tells_of_any_data_in_text_that_can_be_written(data):
    assert told(data).encode().startswith(b"edited")


MARKUP = st.text(st.sampled_from("![a](b)<i>`*_~|#&;\\ -:/.\n"), max_size=30)


@given(words=MARKUP | st.text(max_size=20))
@example(
    words="![pic](http://127.0.0.1/x.png) <img src=x> [click](y) **bold** &amp; https://a.example"
)
def test_sentence_in_the_catalog_is_shown_as_it_is(words):
    line = told(json.dumps({"message": words}))
    [_, shown, _] = MarkdownIt("commonmark").enable("strikethrough").parse(as_markdown(line))
    kinds = {part.type for part in shown.children or ()}
    assert kinds <= {"text", "text_special"}
    assert "".join(part.content for part in shown.children or ()) == line.replace("\0", "\ufffd")


def test_sentence_is_one_line():
    assert told(json.dumps({"message": "a\nb\r\nc"})) == "edited (a b c)"


@pytest.mark.parametrize("data", ["[]", "not json", "", "7", '"x"', "[" * 100_000])
def test_data_that_are_no_object_are_none(data):
    assert told(data) == "edited"


@rows_beside
def test_an_odd_value_is_told_as_it_is_or_left_out(data, line):
    assert told(json.dumps(data)) == line
