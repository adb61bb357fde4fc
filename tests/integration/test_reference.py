"""The pages for programmers: every example on them works as it is pasted."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from castad.api.app import build_app
from castad.api.order_schema import get_order_model_name
from castad.web.reference import (
    Operation,
    build_example,
    build_example_webhook,
    group_calls,
    list_codes,
    list_fields,
    read_example,
)
from castad.web.words import LANGUAGES, Translator
from pipeline_defs.catalog import get_catalog
from resources.views.order_body import OwnerStatusBody
from tests.api_house import BRIEF, House, frames, picture, stream
from tests.error_codes import error_codes
from tests.page_visitor import log_in

pytestmark = pytest.mark.usefixtures("sqlite_ledger_url")

DESCRIBED: Mapping[str, Any] = build_app(get_catalog()).openapi()
CALLS = [call for section in group_calls(DESCRIBED) for call in section.operations]
JSON = "application/json"
STATELESS_STREAM = "/v1/scan/classify/completion"
LOG_IN = ("POST", "/v1/session")
MALFORMED = {400, 401, 403, 405, 413, 415, 422}
"""What an example is never answered."""


def bodies() -> Iterator[tuple[str, Any]]:
    """The schema and the example of every JSON body that is sent or answered."""
    for path, item in DESCRIBED["paths"].items():
        for method, operation in item.items():
            of = {"request": operation.get("requestBody", {}), **operation["responses"]}
            for name, each in of.items():
                if JSON in each.get("content", {}):
                    yield f"{method} {path} {name}", each["content"][JSON]


def is_valid(schema: Mapping[str, Any], value: Any) -> bool:
    whole = {**schema, "components": DESCRIBED["components"]}
    validator = jsonschema_rs.validator_for(whole, validate_formats=True)
    return bool(validator.is_valid(value))


def test_every_body_of_the_description_has_a_schema():
    """A client that is generated from it leaves nothing out."""
    assert [name for name, content in bodies() if not content.get("schema")] == []


def test_every_example_of_a_body_is_what_its_schema_says():
    wrong = []
    for name, content in bodies():
        example = content.get("example", build_example(DESCRIBED, content["schema"]))
        if not is_valid(content["schema"], example):
            wrong.append((name, example))
    assert wrong == []


def test_form_and_upload_and_file_have_types_that_generated_clients_know():
    paths = DESCRIBED["paths"]
    upload = paths["/v1/pipeline/images"]["post"]["requestBody"]["content"]
    file = paths["/artifacts/{task_id}/{name}"]["get"]["responses"]["200"]["content"]
    forms = [
        content["multipart/form-data"]["schema"]
        for item in paths.values()
        for operation in item.values()
        if "multipart/form-data" in (content := operation.get("requestBody", {}).get("content", {}))
    ]
    binary = {"type": "string", "format": "binary"}
    assert {"application/octet-stream"} <= set(upload) & set(file)
    assert forms
    assert [each["properties"]["images"]["items"] for each in forms] == [binary] * len(forms)


@pytest.mark.parametrize("pipeline", list(get_catalog()), ids=lambda each: each.name)
def test_order_is_one_model_with_fields_for_generated_clients(pipeline):
    schema = DESCRIBED["components"]["schemas"][get_order_model_name(pipeline)]
    assert {"task_id", *pipeline.order_model.model_fields} <= {*schema["properties"]}
    assert not {"anyOf", "oneOf", "allOf"} & {*schema}


@pytest.fixture
def shelf(house: House, tmp_path: Path) -> House:
    """A house with the order that the examples name, and a folder with the picture that they send."""
    (tmp_path / "shop.jpg").write_bytes(picture())
    house.steps.order("shop-1", dict(BRIEF), owner="admin")
    return house


def run(command: list[str], folder: Path, key: str, **more: str) -> str:
    """What a pasted example prints."""
    environment = {**os.environ, "CASTAD_KEY": key, "NO_PROXY": "*", **more}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_tried(call: Operation) -> bool:
    """Whether it is answered at all: a log-in takes a real key, and an endless stream ends never."""
    return (call.method, call.path) != LOG_IN and (
        not call.is_stream or call.path == STATELESS_STREAM
    )


def is_described(call: Operation, status: str, body: str) -> bool:
    """Whether the call may be answered so, by its own description."""
    described = DESCRIBED["paths"][call.path][call.method.lower()]["responses"].get(status)
    content = {} if described is None else described.get("content", {})
    if JSON in content:
        return is_valid(content[JSON]["schema"], json.loads(body))
    return described is not None


def test_every_call_is_answered_as_described_when_its_curl_is_pasted(shelf, tmp_path):
    key, wrong = shelf.key("admin", "admin"), {}
    for call in filter(is_tried, CALLS):
        ask = call.build_curl(shelf.url).replace("curl ", "curl -sS -w '\\n%{http_code}' ", 1)
        told = run(["sh", "-c", ask], tmp_path, key)
        body, _, status = told.rpartition("\n")
        if int(status) in MALFORMED or not is_described(call, status, body):
            wrong[call.method, call.path] = (status, body[:200])
    assert wrong == {}


def test_every_call_is_answered_when_its_python_is_pasted(shelf, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASTAD_KEY", shelf.key("admin", "admin"))
    monkeypatch.setenv("NO_PROXY", "*")
    wrong = {}
    for call in (each for each in CALLS if is_tried(each) and not each.is_stream):
        exec(compile(call.build_python(shelf.url), call.path, "exec"), {})
        status = int(capsys.readouterr().out.split(maxsplit=1)[0])
        if status in MALFORMED or str(status) not in dict(call.answers):
            wrong[call.method, call.path] = status
    assert wrong == {}


@pytest.mark.parametrize("program", ["upload.sh", "upload.py"])
def test_picture_is_uploaded_and_ordered_as_pasted(shelf, tmp_path, program):
    runs = [sys.executable, "-c"] if program.endswith("py") else ["sh", "-c"]
    ordered = run([*runs, read_example(program, shelf.url)], tmp_path, shelf.key("shop"))
    status = shelf.as_("shop").get(json.loads(ordered)["links"]["self"]).json()
    assert [each[:7] for each in status["brief"]["images"]] == ["upload:"]


def test_form_with_a_picture_is_ordered_as_pasted(shelf, tmp_path):
    ordered = run(["sh", "-c", read_example("form.sh", shelf.url)], tmp_path, shelf.key("shop"))
    status = shelf.as_("shop").get(json.loads(ordered)["links"]["self"]).json()
    assert (status["pipeline"], len(status["brief"]["images"])) == ("image", 1)


def test_order_is_followed_to_its_end_as_pasted(shelf, tmp_path):
    shelf.steps.completed("made")
    told = run(
        [sys.executable, "-c", read_example("follow.py", shelf.url)],
        tmp_path,
        shelf.key("admin", "admin"),
        CASTAD_TASK="made",
    )
    kinds = [line.split(" ", 1)[0] for line in told.splitlines()]
    assert (kinds[0], kinds[1], kinds[-1]) == ("snapshot", "message", "end")


def read_frames(text: str) -> list[Any]:
    class Lines:
        def iter_lines(self) -> Iterator[str]:
            return iter([*text.splitlines(), ""])

    return list(frames(Lines()))  # type: ignore[arg-type]


def test_events_by_example_have_what_a_streams_events_have(shelf):
    shelf.steps.completed("made")
    with stream(shelf.admin(), "/v1/pipeline/events/made") as real:
        seen = {(each.event, each.data.get("type")): each.data for each in real}
    [call] = [each for each in CALLS if each.path == "/v1/pipeline/events/{task_id}"]
    shown = [each for each in read_frames(call.reply) if each.event != "progress"]
    assert {each.event for each in shown} == {"snapshot", "message", "end"}
    for each in shown:
        assert set(each.data) - {"cost_usd"} <= set(seen[each.event, each.data.get("type")])


def test_webhook_by_example_has_every_member_of_a_status():
    body = build_example_webhook()
    assert {*OwnerStatusBody.model_fields} < {*body["data"]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_its_meaning_and_its_remedy(language):
    listed = {each.code: each for each in list_codes(language)}
    assert {*error_codes()} <= {*listed}
    assert [code for code, each in listed.items() if not (each.meaning and each.remedy)] == []


@pytest.mark.parametrize("pipeline", list(get_catalog()), ids=lambda each: each.name)
def test_every_field_of_an_order_has_its_limits_and_its_meaning_in_korean(pipeline):
    fields = list_fields(DESCRIBED, pipeline, Translator("ko", pipeline.name))
    assert {"task_id", "pipeline", *pipeline.order_model.model_fields} <= {f.name for f in fields}
    assert [each.name for each in fields if not each.limits] == []
    assert [each.name for each in fields if not re.search("[가-힣]", each.meaning)] == []


def test_webhooks_code_of_a_status_is_listed():
    assert "http_<status>" in {each.code for each in list_codes("en")}


def test_subject_that_there_is_not_is_no_page(house):
    assert log_in(house).get("/docs/calls/nothing").status_code == 404
