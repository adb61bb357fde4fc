"""What is read in a callback's body: the name of the job, whatever else anybody writes into it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.contract.protocol import build_callback_url
from resources.providers.vendor import VENDORS, may_call_back, read_callback_job_id

MOST = 200
NAMES = st.sampled_from(["data", "task_id", "taskId", "id", "code", "callbackType"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
NAMED: dict[str, tuple[str, Any]] = {
    "suno's callback": ("suno", {"code": 200, "msg": "ok", "data": {"task_id": "job-1"}}),
    "in the style of its record": ("suno", {"code": 200, "data": {"taskId": "job-1"}}),
    "of an error": ("suno", {"code": 451, "data": {"task_id": "job-1", "data": None}}),
    "creatomate's render": ("creatomate", {"id": "job-1", "status": "succeeded"}),
}
UNNAMED: dict[str, tuple[str, Any]] = {
    "suno's error without data": ("suno", {"code": 500, "msg": "error", "data": None}),
    "another place": ("suno", {"task_id": "job-1"}),
    "a list of songs": ("suno", {"data": [{"task_id": "job-1"}]}),
    "a list of renders": ("creatomate", [{"id": "job-1"}]),
    "no object": ("creatomate", "job-1"),
}
BAD_IDS: dict[str, Any] = {
    "empty": "",
    "too long": "x" * (MOST + 1),
    "two lines": "job\n1",
    "a null character": "job\0",
    "half of a character": "job\ud800",
    "a number": 1,
    "a list": ["job-1"],
    "true": True,
}


def body_with(provider: str, job: Any) -> Any:
    return {"data": {"task_id": job}} if provider == "suno" else {"id": job}


every_provider = pytest.mark.parametrize("provider", ["suno", "creatomate"])


@pytest.mark.parametrize(("provider", "body"), NAMED.values(), ids=NAMED)
def test_job_is_named(provider, body):
    assert read_callback_job_id(provider, body) == "job-1"


@pytest.mark.parametrize(("provider", "body"), UNNAMED.values(), ids=UNNAMED)
def test_body_of_another_shape_names_no_job(provider, body):
    assert read_callback_job_id(provider, body) is None


@every_provider
@pytest.mark.parametrize("job", BAD_IDS.values(), ids=BAD_IDS)
def test_id_that_cannot_be_kept_is_none(provider, job):
    assert read_callback_job_id(provider, body_with(provider, job)) is None


@every_provider
@settings(max_examples=100, deadline=None)
@given(body=ANYTHING)
def test_whatever_comes_names_a_usable_id_or_none(provider, body):
    named = read_callback_job_id(provider, body)
    assert named is None or (0 < len(named) <= MOST and named.isprintable())
    assert named is None or json.dumps(named)[1:-1] in json.dumps(body)


def test_only_vendors_that_call_back_are_listened_to():
    assert [name for name in VENDORS if may_call_back(name)] == ["suno", "creatomate"]


@pytest.mark.parametrize("name", ["openai", "studio", "nobody", "..", ""])
def test_nobody_else_is_listened_to_whatever_the_name(name):
    assert not may_call_back(name)
    assert read_callback_job_id(name, {"id": "job-1"}) is None


def test_callback_address_holds_provider_and_token():
    address = build_callback_url("https://castad.example/base", "suno", "t-1")
    assert address == "https://castad.example/base/callbacks/suno/t-1"
