"""A task_id that two orders have: each owner finds its own answer, and what was bought is stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from castad.direct.ledger_import import DirectJob, build_import_entry, make_substitute_id
from castad.direct.pool import list_targets
from pipeline_defs.catalog import get_catalog
from resources.delivery.spool import append_entry, deliver_spool, open_spool
from resources.ledger.queries.status import get_request, list_event_views, list_requests
from resources.process.settings import settings
from tests.api_house import House, served
from tests.direct_house import ANSWER, events_of
from tests.eventually import eventually

GLASS = {"note": "소주병", "task_id": "s1"}
PAPER = {"note": "신문지", "task_id": "s1"}


@contextmanager
def another_process(house: House) -> Iterator[House]:
    """One over the same state, which has no answer in memory."""
    with served() as other:
        yield other


def key_in(client: httpx.Client) -> str:
    return str(client.headers["Authorization"]).removeprefix("Bearer ")


def is_delivered() -> bool:
    deliver_spool(open_spool(settings().home), list_targets(get_catalog()))
    return not open_spool(settings().home).waiting()


def answer(house: House, owner: str, order: dict[str, Any]) -> httpx.Client:
    """The order is answered and its import delivered; this machine has forgotten whose the name is."""
    client = house.as_(owner)
    assert events_of(client, order)[-1]["result"]
    assert eventually(is_delivered)
    return client


def forget(house: House) -> None:
    """Nothing of an earlier answer is in memory or in the spool."""
    house.app.state.api.direct.pools["scan"]._jobs.clear()
    with open_spool(settings().home).writing() as tx:
        tx.execute("DELETE FROM holders")


def seen(client: httpx.Client) -> str:
    """What the thing is by the result that the client reads."""
    result = client.get("/v1/scan/s1/result")
    assert result.status_code == 200, result.text
    body = result.json()
    assert body["task_id"] == "s1"
    return str(body["pipeline_result"]["classification_result"]["classification"]["minor_category"])


@pytest.fixture
def both(house: House) -> tuple[httpx.Client, httpx.Client]:
    """Two owners whose orders were answered under one name, which only the ledger could have known."""
    first = answer(house, "shop", GLASS)
    forget(house)
    return first, answer(house, "other", PAPER)


def test_each_owner_finds_its_own_answer_while_one_is_in_memory(both):
    first, second = both
    assert (seen(first), seen(second)) == ("소주병", "신문지")


def test_each_owner_finds_its_own_answer_in_another_process(house, both):
    with another_process(house) as other:
        clients = [other.client(key_in(each)) for each in both]
        assert [seen(each) for each in clients] == ["소주병", "신문지"]


def test_answer_under_anothers_name_is_stored_under_one_that_names_it(house, both):
    request = get_request(house.db, make_substitute_id("s1", "other"))
    assert (request.owner, request.task_id.partition(":")[0]) == ("other", "s1")
    claimed = next(each for each in list_event_views(house.db, request) if each.type == "claimed")
    assert "'s1'" in claimed.data["message"]


def test_third_order_of_a_name_is_stored_too(house, both):
    forget(house)
    answer(house, "other", {"note": "우유팩", "task_id": "s1"})
    assert len(list_requests(house.db)) == 3


def test_conflict_that_was_learnt_is_refused_by_every_process(house, both):
    with another_process(house) as other:
        refused = other.client(key_in(both[1])).post(ANSWER, json=PAPER)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


def test_owner_of_the_name_is_served_after_the_conflict(house, both):
    with another_process(house) as other:
        assert events_of(other.client(key_in(both[0])), GLASS)[-1]["result"]


@pytest.mark.parametrize(
    ("owner", "note"), [("other", "소주병"), ("shop", "신문지"), ("other", "신문지")]
)
def test_conflict_with_an_answer_of_the_spool_is_refused(house, owner, note):
    wait_in_spool("shop", "소주병")
    refused = house.as_(owner).post(ANSWER, json={"note": note, "task_id": "s1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


def wait_in_spool(owner: str, note: str) -> None:
    """The import of an answer of another process is in the spool, and not due yet."""
    pipeline = get_catalog().get_pipeline("scan")
    payload = get_catalog().accept_order(pipeline, {"note": note}, settings())
    entry = build_import_entry(pipeline, DirectJob("s1", owner, payload), "one", [], None)
    spool = open_spool(settings().home)
    with spool.writing() as tx:
        append_entry(tx, entry, spool.now, 3600)
