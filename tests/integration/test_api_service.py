"""What the API tells of the service: statistics, metrics, history, its own description."""

import json
import logging
import re

import httpx
import pytest

from castad.api.app import build_app
from castad.api.bodies import BatchReceipt, OrderPrice, OrderReceipt, OrderState, RetriedOrders
from castad.views.history import History
from castad.views.order_list import Page
from castad.views.status_body import StatusBody
from pipeline_defs.catalog import get_catalog
from resources.process.configure_logging import OneLineFormatter
from resources.views.report import HoursPage, ReportBody
from resources.views.statistics import StatsBody
from tests.api_house import BRIEF, House, stream
from tests.command_line import castad

A_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ][^\s\"]*")
ONE_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def admin(house: House) -> httpx.Client:
    return house.admin()


def test_statistics_of_an_owner_are_of_its_own_orders(house):
    house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
    counted = [
        house.as_(who).get("/v1/stats").json()["requests"]["pending"] for who in ("shop", "other")
    ]
    assert counted == [1, 0]


def test_statistics_tell_an_admin_of_workers_and_stuck_orders(house, admin):
    house.steps.working()
    house.steps.run_out()
    told = admin.get("/v1/stats", params={"stuck_after": 0.001}).json()
    assert [order["task_id"] for order in told["stuck"]["requests"]] == ["r"]
    assert told["workers"] is not None


def test_statistics_are_told_of_whatever_an_operator_typed(house, admin):
    house.steps.order()
    house.steps.edit("status = 'dead', stage = 'nowhere'")
    assert admin.get("/v1/stats").json()["requests"]["dead"] == 1


def test_metrics_count_calls_by_route_and_events_once(house, admin):
    admin.get("/v1/pipeline/status/nobody")
    admin.get("/metrics")
    house.steps.completed()
    told = admin.get("/metrics").text
    route = (
        'castad_http_requests_total{method="GET",route="/pipeline/status/{task_id}",status="404"}'
    )
    assert f"{route} 1.0" in told
    assert 'castad_requests_ended_total{status="completed"} 1.0' in told


def test_metrics_count_the_clients_that_follow(house, admin):
    house.steps.order()
    with stream(admin, "/v1/pipeline/events/r") as each:
        next(each)
        told = house.admin().get("/metrics").text
    assert "castad_sse_clients 1.0" in told


def test_history_over_http_links_every_run(house, admin):
    house.steps.working()
    entries = admin.get("/v1/pipeline/history/r").json()["history"]
    assert [entry["seq"] for entry in entries] == [1, 2, 3]
    assert entries[-1]["run_url"] == "http://127.0.0.1:3000/runs/run"


def test_every_answer_tells_moments_in_one_form(house, admin):
    house.steps.completed()
    paths = (
        "/v1/pipeline",
        *(f"/v1/pipeline/{what}/r" for what in ("status", "history", "events")),
    )
    for path in ("/v1/stats", *paths):
        told = A_MOMENT.findall(admin.get(path).text)
        assert told
        assert [moment for moment in told if not ONE_FORM.fullmatch(moment)] == []


def test_health_needs_no_key_and_tells_nothing_else(house):
    assert house.client(None).get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/pipeline/start"), ("POST", "/pipeline/retry/r"), ("GET", "/pipeline/status/r"),
     ("POST", "/scan/classify/completion"), ("GET", "/admin/stream")],
)  # fmt: skip
def test_path_of_the_sources_api_needs_no_version(house, method, path):
    answers = [house.client(None).request(method, each) for each in (path, f"/v1{path}")]
    assert [each.status_code for each in answers] == [401, 401]


@pytest.mark.parametrize("path", ["/pipeline", "/pipeline/cancel/r", "/reports/-1", "/stats"])
def test_path_without_its_version_is_refused_with_the_path_that_it_lacks(house, path):
    answer = house.admin().get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["detail"] == "path: expected it to begin with /v1"


def test_description_needs_no_key_and_is_what_the_command_prints(house):
    assert house.client(None).get("/openapi.json").text == castad("api", "--openapi").stdout.strip()


def test_every_link_of_the_description_leads_to_an_operation_that_there_is():
    operations = [
        operation
        for item in build_app(get_catalog()).openapi()["paths"].values()
        for operation in item.values()
    ]
    there = {operation["operationId"] for operation in operations}
    linked = {
        link["operationId"]
        for operation in operations
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    }
    assert linked
    assert linked - there == set()


def test_every_body_is_described_with_an_example_that_is_one():
    described = build_app(get_catalog()).openapi()
    schemas = described["components"]["schemas"]
    named = {
        found.rpartition("/")[2]
        for item in described["paths"].values()
        for operation in item.values()
        for found in re.findall(r"#/components/schemas/\w+", json.dumps(operation))
    }
    assert {"StatusBody", "NewOrder", "Problem", "StatsBody"} <= named
    words = {name for name in named if "enum" in schemas[name]}
    assert [name for name in named - words if not schemas[name].get("examples")] == []


@pytest.mark.parametrize(
    "body",
    [
        StatusBody,
        StatsBody,
        ReportBody,
        HoursPage,
        History,
        OrderReceipt,
        OrderPrice,
        BatchReceipt,
        RetriedOrders,
        OrderState,
        Page,
    ],
)
def test_example_of_a_body_fits_it(body):
    for example in body.model_json_schema()["examples"]:
        body.model_validate(example)


def test_odd_text_of_an_operator_spoils_no_list(house, admin):
    house.steps.order("odd")
    house.steps.order("good")
    odd = "CAST(X'ff' AS TEXT)"
    house.steps.edit(f"owner = {odd}, error_message = {odd}, error_code = {odd}", "odd")
    listed = admin.get("/v1/pipeline").json()["orders"]
    assert [order["task_id"] for order in listed] == ["good", "odd"]
    assert admin.get("/v1/pipeline/status/odd").status_code == 200


# One line


def line_of(message: str, **facts: object) -> str:
    record = logging.makeLogRecord({"name": "castad.api", "msg": message, "facts": facts})
    return OneLineFormatter().format(record)


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "\x1b[31mred", "\u2028", "\x00", "a" * 9000])
def test_log_line_is_one_line_whatever_it_holds(text):
    line = line_of(text, task_id=text)
    assert line.isprintable()
    assert len(line) < 2100


def test_log_line_tells_what_it_is_about():
    assert line_of("done", task_id="a", run_id="r", key=None).endswith(
        "castad.api done task_id=a run_id=r"
    )
