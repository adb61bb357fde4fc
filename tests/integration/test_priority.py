"""An order goes before those of others only by an operator: every other key's priority is refused by its field."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from castad.orders.submit import validate_order
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.status import list_requests
from resources.ledger.request import make_task_id
from resources.process.settings import settings
from tests.api_house import BRIEF, House, picture, served
from tests.page_visitor import log_in

IMAGE = {"template": "poster", "images": ["https://a.example/x.png"]}
CSV = "customer_name,region,priority\n봄날,전주,{}\n"
PLAIN = {"content-type": "text/csv"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home = tmp_path_factory.mktemp("priority")
    with served(settings().model_copy(update={"home": home})) as house:
        yield house


def analysis(value: int) -> dict[str, Any]:
    return {"repository": "https://github.com/a/b", "priority": value}


DOORS: dict[str, Callable[[httpx.Client, int], httpx.Response]] = {
    "start": lambda c, v: c.post("/v1/pipeline/start", json={**BRIEF, "priority": v}),
    "start as text": lambda c, v: c.post("/v1/pipeline/start", json={**BRIEF, "priority": str(v)}),
    "dry run": lambda c, v: c.post("/v1/pipeline/start?dry_run=1", json={**BRIEF, "priority": v}),
    "batch": lambda c, v: c.post("/v1/pipeline/batch", json=[{**BRIEF, "priority": v}]),
    "batch dry run": lambda c, v: c.post(
        "/v1/pipeline/batch?dry_run=1", json=[{**BRIEF, "priority": v}]
    ),
    "csv": lambda c, v: c.post("/v1/pipeline/batch", content=CSV.format(v), headers=PLAIN),
    "image": lambda c, v: c.post("/v1/image/jobs", json={**IMAGE, "priority": v}),
    "image form": lambda c, v: c.post(
        "/v1/image/jobs",
        data={"template": "poster", "priority": str(v)},
        files={"images": picture()},
    ),
    "analysis": lambda c, v: c.post("/v1/analysis", json=analysis(v)),
}


@pytest.mark.parametrize(
    ("door", "value"), [*((door, 1) for door in DOORS), ("start", -1), ("start", 1_000_000)]
)
def test_priority_of_a_key_that_is_no_operators_is_refused_at_each_door(house, door, value):
    owner = make_task_id()
    answer = DOORS[door](house.as_(owner), value)
    body = answer.json()
    assert (answer.status_code, body["field"]) == (422, "priority"), body
    assert "operator" in body["detail"]
    assert [each for each in list_requests(house.db) if each.owner == owner] == []


def test_priority_of_nought_needs_no_operator(house):
    answer = house.as_(make_task_id()).post("/v1/pipeline/start", json={**BRIEF, "priority": 0})
    assert answer.status_code == 202


@pytest.mark.parametrize("door", ["start", "batch", "csv"])
def test_operators_key_sets_a_priority(house, door):
    answer = DOORS[door](house.admin(), 7)
    assert answer.status_code == 202
    assert 7 in {each.priority for each in list_requests(house.db)}


@pytest.mark.parametrize("action", ["check", "order"])
def test_priority_in_a_file_at_the_page_is_refused(house, action):
    shop = log_in(house, make_task_id())
    answer = shop.post(
        "/batches", {"action": action}, files={"file": ("a.csv", CSV.format(3).encode())}
    )
    assert (answer.status_code, "priority" in answer.text) == (422, True)


def test_priority_in_a_form_at_the_page_is_not_read(house):
    shop = log_in(house, make_task_id())
    sent = {**BRIEF, "action": "order", "priority": "5", "task_id": (name := make_task_id())}
    shop.post("/order/song_video", sent, files={"images": ("", b"")})
    [made] = [each for each in list_requests(house.db) if each.task_id == name]
    assert made.priority == 0


def test_priority_from_a_stream_is_refused():
    with pytest.raises(InvalidInputError) as caught:
        validate_order({**BRIEF, "priority": 3}, settings(), by_operator=False)
    assert caught.value.field == "priority"
