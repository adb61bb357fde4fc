"""Webhooks at every face: the documents' receiver, the status, the list, the command line, the metrics."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from castad.api.metrics import Metrics
from castad.cli.doctor import examine_waiting
from castad.stack.local_daemon import DaemonHealth
from castad.views.status_body import StatusBody
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.delivery.webhooks import (
    MOST_BYTES,
    build_webhook_body,
    make_secret,
    make_webhook_loop,
    signed,
)
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.webhooks import list_deliveries
from resources.ledger.schema.tables import DeliveryStatus, Status
from resources.ledger.transitions.webhooks import claim_delivery, save_delivery_try
from resources.process.settings import PROJECT_ROOT, Settings, settings
from sensors.event_mirror import FACTS, read_result
from tests.api_house import House, served
from tests.command_line import castad
from tests.eventually import eventually
from tests.ledger_steps import Steps
from tests.page_visitor import log_in
from tests.webhook_receiver import SECRET

URL = "https://shop.example/castad"


@pytest.fixture
def own(sqlite_ledger_url: str) -> Steps:
    """The ledger to which this test's settings lead."""
    return Steps(open_database(sqlite_ledger_url))


def given_up(steps: Steps, task_id: str = "r", owner: str | None = None) -> int:
    """An order whose webhook is dead; the webhook's id."""
    steps.order(task_id, callback_url=URL, owner=owner)
    steps.cancel(task_id)
    webhook = claim_delivery(steps.db, 60)
    assert webhook is not None
    said = "the receiver answers 500"
    save_delivery_try(steps.db, webhook, DeliveryStatus.DEAD, code="http_500", message=said)
    return webhook.id


# The receiver of the documents


@contextmanager
def receiver_of_the_document(secret: str, printed: list[Any]) -> Iterator[str]:
    """The receiver of docs/webhooks.md as it is written there; its address."""
    text = (PROJECT_ROOT / "docs" / "webhooks.md").read_text()
    [source] = [
        block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "app," in block
    ]
    assert len(source.strip().splitlines()) < 22
    names: dict[str, Any] = {"print": lambda *words: printed.append(words)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEBHOOK_SECRET", secret)
        exec(source, names)
    config = uvicorn.Config(names["app"], host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert eventually(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/castad"
    finally:
        server.should_exit = True
        thread.join()


def test_receiver_of_the_document_verifies_and_keeps_each_once(steps, make_settings):
    printed: list[Any] = []
    config = make_settings(
        allow_hosts=("127.0.0.1",), webhook_secret=SECRET, webhook_seconds=0.01, webhook_waits=()
    )
    with receiver_of_the_document(SECRET, printed) as url:
        steps.order("good", callback_url=url)
        steps.cancel("good")
        sender = make_webhook_loop(steps.db, config, FACTS)
        sender.stay_awake(60)
        assert eventually(
            lambda: [each.status for each in list_deliveries(steps.db)] == ["delivered"]
        )
        [webhook] = list_deliveries(steps.db)
        sender.rest()
        forged = signed(webhook, '{"type": "x"}', [make_secret()], webhook.created_at)
        answer = httpx.post(url, content=forged.body, headers=dict(forged.headers), trust_env=False)
    assert printed == [("request.canceled", "good")]
    assert answer.status_code == 401


# The body


def body_of(db: Database) -> tuple[str, dict[str, Any]]:
    [webhook] = list_deliveries(db)
    overview = build_overview(db, "r")
    text = build_webhook_body(webhook, overview, read_result(overview))
    return text, json.loads(text)


def body_with(db: Database, **columns: str) -> str:
    """The body of the one webhook, with these values in its request's row."""
    [webhook] = list_deliveries(db)
    overview = build_overview(db, "r")
    written = replace(overview, request=replace(overview.request, **columns))
    return build_webhook_body(webhook, written, read_result(written))


def canceled(steps: Steps) -> None:
    steps.order(callback_url=URL, owner="shop")
    steps.cancel()


def canceled_before_its_day(steps: Steps) -> None:
    steps.order(callback_url=URL, not_before=datetime(2099, 1, 1, tzinfo=UTC))
    steps.cancel()


def completed_and_edited(steps: Steps) -> None:
    steps.order(callback_url=URL)
    steps.make_all(steps.take())
    steps.edit("completed_at = '2026-01-01 00:00:00', created_at = '2025-12-31 23:59:00'")


def canceled_amid_its_stages(steps: Steps) -> None:
    steps.order(callback_url=URL)
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    steps.cancel()
    steps.confirm_cancel(lease)


@pytest.mark.parametrize(
    "end", [canceled, canceled_before_its_day, completed_and_edited, canceled_amid_its_stages]
)
def test_body_has_the_values_of_the_apis_status_under_the_same_names(own, end):
    end(own)
    with served() as house:
        status = house.admin().get("/v1/pipeline/status/r").json()
    _, body = body_of(own.db)
    data = body["data"]
    assert body["type"] == f"request.{data['overall_status']}"
    assert data.pop("left_out") == []
    assert data.pop("links") == {"self": status["links"]["self"]}
    assert data == {name: status[name] for name in data}
    assert set(data) < set(StatusBody.model_fields)


def test_body_that_would_be_too_large_leaves_out_what_is_large(own):
    own.order(callback_url=URL)
    own.cancel()
    rows = ", ".join(
        f"((SELECT id FROM requests), 'song', 1, 'file-{number}.mp3', '{'0' * 64}', 1, 'audio/mpeg', 'x', "
        "'2026-11-23 12:00:00.000')"
        for number in range(200)
    )
    own.sql(
        "INSERT INTO artifacts (request_id, stage, generation, name, sha256, bytes, media_type, "
        f'"where", created_at) VALUES {rows}'
    )
    own.edit("error_code = 'x', error_message = :m", m="\U0001f3b5" * 30_000)
    text, body = body_of(own.db)
    assert len(text) < MOST_BYTES
    assert body["data"]["left_out"] == ["result", "artifacts", "error"]
    assert body["data"]["artifacts"] is body["data"]["error"] is None
    assert body["data"]["overall_status"] == "canceled"


@pytest.mark.parametrize(("more", "is_whole"), [(-1, True), (0, False)])
def test_body_is_shorter_than_20_kb(own, more, is_whole):
    own.order(callback_url=URL)
    own.cancel()
    length = len(body_with(own.db, stage=""))
    body = body_with(own.db, stage="x" * (MOST_BYTES - length + more))
    assert (json.loads(body)["data"]["left_out"] == []) is is_whole


def test_body_whose_largest_texts_are_not_enough_is_told_without_them(own):
    own.order(callback_url=URL)
    own.cancel()
    body = json.loads(body_with(own.db, task_id="r" * MOST_BYTES))
    assert body["data"]["left_out"] == [
        "result",
        "artifacts",
        "error",
        "owner",
        "stage",
        "pipeline",
    ]


@pytest.mark.parametrize(
    ("status", "pipeline", "result"),
    [
        (Status.COMPLETED, "song_video", "made"),
        (Status.COMPLETED, "gone", None),
        (Status.CANCELED, "song_video", None),
    ],
)
def test_result_is_that_of_a_completed_order_whose_pipeline_is_there(
    own, monkeypatch, status, pipeline, result
):
    own.order(callback_url=URL)
    monkeypatch.setattr(Pipeline, "build_result", lambda self, results: "made")
    overview = build_overview(own.db, "r")
    request = replace(overview.request, status=status, pipeline=pipeline)
    assert read_result(replace(overview, request=request)) == result


# The API


@pytest.fixture
def house(own: Steps) -> Iterator[House]:
    with served() as house:
        yield house


def test_status_and_list_show_an_orders_webhooks(house):
    number = given_up(house.steps, owner="shop")
    client = house.as_("shop")
    [in_status] = client.get("/v1/pipeline/status/r").json()["webhooks"]
    [in_list] = client.get("/v1/webhooks?status=dead&task_id=r").json()["webhooks"]
    assert in_list.pop("task_id") == "r"
    assert in_status == in_list
    assert (in_status["id"], in_status["status"], in_status["tries"]) == (number, "dead", 1)
    assert in_status["error"] == {"code": "http_500", "message": "the receiver answers 500"}
    assert in_status["due_at"] is None


def test_reference_shows_ones_webhooks_with_their_tries_and_errors(house):
    given_up(house.steps, owner="shop")
    page = log_in(house, "shop").get("/docs/webhooks").text
    log = page[page.index('id="webhook-log"') :]
    assert (
        '<td class="number">1</td><td><span lang="en">the receiver answers 500</span></td>' in log
    )


def test_list_of_webhooks_goes_on_page_by_page(house):
    ids = [given_up(house.steps, f"r-{number}", "shop") for number in range(5)]
    client, seen, cursor = house.as_("shop"), [], None
    while True:
        page = client.get(
            "/v1/webhooks", params={"limit": 2, "cursor": cursor} if cursor else {"limit": 2}
        )
        seen += [each["id"] for each in page.json()["webhooks"]]
        cursor = page.json()["next"]
        if cursor is None:
            break
    assert seen == ids[::-1]


def test_webhook_is_replayed_by_its_owner_and_an_admin_only(house):
    number = given_up(house.steps, owner="shop")
    path = f"/v1/webhooks/{number}/replay"
    refused = house.as_("other").post(path)
    nobodys = house.as_("other").post("/v1/webhooks/999/replay")
    assert refused.status_code == nobodys.status_code == 404
    assert refused.json()["code"] == nobodys.json()["code"] == "unknown_webhook"
    assert house.as_("other").get("/v1/webhooks").json()["webhooks"] == []
    for client in (house.as_("shop"), house.admin()):
        answer = client.post(path).json()
        assert (answer["status"], answer["tries"]) == ("pending", 0)


# The command line


def test_castad_webhooks_lists_and_replays(own):
    number = given_up(own)
    listed = json.loads(castad("webhooks", "--failed", "--json").stdout)["webhooks"]
    assert [(each["id"], each["task_id"], each["status"]) for each in listed] == [
        (number, "r", "dead")
    ]
    assert "answers 500" in " ".join(castad("webhooks").stdout.split())
    assert "webhook" in castad("status", "r").stdout
    assert json.loads(castad("webhooks", "--replay", str(number), "--json").stdout) == {
        "replayed": 1
    }
    assert json.loads(castad("webhooks", "--failed", "--json").stdout)["webhooks"] == []
    assert json.loads(castad("webhooks", "--replay-failed", "--json").stdout) == {"replayed": 0}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("--replay", "9"), "unknown_webhook"), (("--replay", "9", "--failed"), "invalid_input")],
)
def test_castad_webhooks_refuses_in_one_sentence(own, arguments, code):
    done = castad("webhooks", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.rstrip().endswith(f"[{code}]")


def test_webhook_secret_is_printed_once_and_rotated_on_demand(own):
    castad("key", "create", "shop")
    first = castad("key", "webhook-secret", "shop").stdout.strip()
    again = castad("key", "webhook-secret", "shop")
    assert (again.returncode, again.stdout) == (2, "")
    assert "[secret_exists]" in again.stderr
    second = castad("key", "webhook-secret", "shop", "--rotate").stdout.strip()
    assert first.startswith("whsec_")
    assert second.startswith("whsec_")
    assert first != second
    castad("key", "create", "shop")
    assert "[several_keys]" in castad("key", "webhook-secret", "shop", "--rotate").stderr
    assert "[unknown_key]" in castad("key", "webhook-secret", "nobody").stderr
    shown = castad("key", "list", "--json").stdout + castad("key", "list").stdout
    assert first not in shown
    assert second not in shown


# What watches


def test_metrics_and_doctor_tell_of_webhooks_that_were_given_up(own):
    given_up(own)
    own.order("waits", callback_url=URL)
    own.cancel("waits")
    own.sql(
        "UPDATE webhook_deliveries SET due_at = '2026-11-23 12:00:00.000' WHERE status = 'pending'"
    )
    health = DaemonHealth(3.0, 4.0, tick_ages={})
    body, _ = Metrics(
        own.db, Settings(home=Path("/nowhere")), get_catalog(), lambda: health
    ).render()
    lines = body.decode().splitlines()
    assert 'castad_webhooks{status="dead"} 1.0' in lines
    assert 'castad_webhooks{status="pending"} 1.0' in lines
    assert 'castad_webhooks{status="delivered"} 0.0' in lines
    [late] = [line for line in lines if line.startswith("castad_webhooks_oldest_due_seconds ")]
    assert float(late.split()[1]) >= 0
    found = [each for each in examine_waiting(settings()) if each.check == "webhooks"]
    assert "given up: 1" in found[0].message
    assert not found[0].broken
