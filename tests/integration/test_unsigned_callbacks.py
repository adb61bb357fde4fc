"""An order whose webhook nothing would sign is refused at every door; one that is there needs a secret."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from resources.ledger.db.database import open_database
from resources.ledger.schema.tables import DeliveryStatus
from resources.ledger.transitions.webhooks import claim_delivery, save_delivery_try
from resources.process.settings import settings
from resources.views.webhooks import UNSIGNED
from tests.api_house import BRIEF
from tests.command_line import castad
from tests.ledger_steps import Steps
from tests.page_visitor import log_in
from tests.webhook_receiver import SECRET

CALLED = "https://shop.example/hook"
ORDERS: Mapping[str, Mapping[str, Any]] = {
    "song_video": BRIEF,
    "image": {"pipeline": "image", "template": "poster", "images": ["https://example.com/a.jpg"]},
    "analysis": {"pipeline": "analysis", "repository": "psf/requests"},
}
CSV = f"customer_name,region,callback_url\n봄날,전주,{CALLED}\n가을,전주,\n겨울,,{CALLED}\n"


@pytest.fixture
def own(sqlite_ledger_url: str) -> Steps:
    """The ledger of the command line."""
    return Steps(open_database(sqlite_ledger_url))


def refused(answer: httpx.Response) -> tuple[int, str, str]:
    body = answer.json()
    return answer.status_code, body["code"], body["field"]


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("pipeline", ORDERS)
def test_order_that_nothing_would_sign_is_refused_by_its_callback_url(house, pipeline, dry_run):
    body = {**ORDERS[pipeline], "callback_url": CALLED}
    answer = house.as_("shop").post("/v1/pipeline/start", json=body, params={"dry_run": dry_run})
    assert refused(answer) == (422, UNSIGNED, "callback_url")
    assert "castad key webhook-secret" in answer.json()["detail"]
    assert house.steps.task_ids() == []


def test_secret_of_the_environment_does_not_sign_for_an_owner_of_keys(house, monkeypatch):
    monkeypatch.setenv("CASTAD_WEBHOOK_SECRET", SECRET)
    settings.cache_clear()
    answer = house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "callback_url": CALLED})
    assert refused(answer) == (422, UNSIGNED, "callback_url")


def test_order_that_a_key_would_sign_is_accepted(house):
    client = house.as_("shop")
    house.sign_for("shop")
    assert client.post("/v1/pipeline/start", json={**BRIEF, "callback_url": CALLED}).is_success


def test_order_that_is_sent_again_with_an_unsigned_callback_url_keeps_its_own(house):
    client, body = house.as_("shop"), {**BRIEF, "task_id": "a"}
    client.post("/v1/pipeline/start", json=body)
    answer = client.post("/v1/pipeline/start", json={**body, "callback_url": CALLED})
    assert refused(answer) == (422, UNSIGNED, "callback_url")
    assert house.steps.row("a").callback_url is None


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("kind", ["text/csv", "application/json"])
def test_batch_names_each_row_that_nothing_would_sign_beside_the_others(house, kind, dry_run):
    called = {"callback_url": CALLED}
    orders = [{**BRIEF, **called}, BRIEF, {"customer_name": "겨울", **called}]
    content = CSV if kind == "text/csv" else json.dumps(orders)
    answer = house.as_("shop").post(
        "/v1/pipeline/batch",
        content=content.encode(),
        headers={"Content-Type": kind},
        params={"dry_run": dry_run},
    )
    assert answer.status_code == 422
    codes = [(row["code"], row["field"]) for row in answer.json()["rows"]]
    assert codes == [(UNSIGNED, "callback_url"), ("invalid_input", "region")]
    assert house.steps.task_ids() == []


def test_page_of_batches_says_what_is_missing_in_the_readers_language(house):
    shop = log_in(house)
    files = {"file": ("a.csv", CSV.replace("겨울,,", "겨울,제주,").encode())}
    answer = shop.post("/batches", {"action": "check"}, files=files)
    assert answer.status_code == 422
    assert "비밀값" in answer.text
    assert answer.text.count("body row") == 2
    assert house.steps.task_ids() == []


@pytest.mark.parametrize(
    "command", [("submit",), ("submit", "--dry-run"), ("make", "--dry-run"), ("make",)]
)
def test_command_line_refuses_what_the_environments_secret_does_not_sign(own, tmp_path, command):
    file = tmp_path / "order.yaml"
    file.write_text(json.dumps({**BRIEF, "callback_url": CALLED}), "utf-8")
    done = castad(command[0], str(file), *command[1:])
    assert (done.returncode, done.stdout) == (2, "")
    assert "callback_url: " in done.stderr
    assert "CASTAD_WEBHOOK_SECRET" in done.stderr
    assert done.stderr.rstrip().endswith(f"[{UNSIGNED}]")
    assert own.task_ids() == []


def test_command_line_submits_what_the_environments_secret_signs(own, tmp_path, monkeypatch):
    monkeypatch.setenv("CASTAD_WEBHOOK_SECRET", SECRET)
    file = tmp_path / "order.yaml"
    file.write_text(json.dumps({**BRIEF, "task_id": "a", "callback_url": CALLED}), "utf-8")
    assert castad("submit", str(file)).returncode == 0
    assert own.task_ids() == ["a"]


# What is there already


@pytest.fixture
def unsigned(own: Steps) -> int:
    """The id of the webhook of an order by SQL that nothing signs."""
    own.order("r", callback_url=CALLED, owner="shop")
    own.cancel("r")
    webhook = claim_delivery(own.db, 60)
    assert webhook is not None
    told = "needs a secret to sign with; do it, then replay it"
    save_delivery_try(own.db, webhook, DeliveryStatus.DEAD, code=UNSIGNED, message=told)
    return webhook.id


@pytest.mark.usefixtures("unsigned")
@pytest.mark.parametrize("command", [("webhooks",), ("status", "r")])
def test_webhook_without_a_secret_needs_one_at_the_command_line(command):
    shown = " ".join(castad(*command).stdout.split())
    assert "needs a secret" in shown
    assert "dead" not in shown


@pytest.mark.usefixtures("unsigned")
@pytest.mark.parametrize("path", ["/docs/webhooks", "/dashboard/-/webhooks", "/dashboard/r"])
def test_webhook_without_a_secret_needs_one_at_each_page(house, path):
    page = log_in(house, "shop", "admin").get(path).text
    assert "비밀값 필요" in page
    assert "<code>castad key webhook-secret</code>" in page
    assert "needs a secret" not in page


def test_failed_attempt_is_told_with_its_error_on_the_dashboard(house):
    house.steps.order("r")
    house.steps.dead("r")
    page = log_in(house, "shop", "admin").get("/dashboard/r")
    assert page.status_code == 200
    assert house.steps.attempts("r")[0].error_code in page.text[page.text.index("timeline") :]
