"""An order that is sent again with other options: each takes effect and is named, or is refused by its field."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from castad.orders.orders_file import check_order
from castad.orders.submit import submit_order
from resources.ledger.ledger_errors import OtherOptionError
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import settings
from tests.api_house import BRIEF, ON_BOTH, House
from tests.ledger_steps import Steps
from tests.webhook_receiver import SECRET

CALLED = "https://shop.example/hook"
OTHER = "https://shop.example/other"
LATER, EVEN_LATER = "2199-01-31T09:00:00+09:00", "2199-02-28T09:00:00+09:00"
CHANGES = [
    ("callback_url", CALLED, OTHER),
    ("callback_url", None, CALLED),
    ("max_retries", 1, 2),
    ("max_retries", None, 0),
    ("priority", 7, 8),
    ("priority", 7, 0),
    ("not_before", LATER, EVEN_LATER),
    ("not_before", None, LATER),
]


@pytest.fixture
def admin(house: House) -> httpx.Client:
    return signed(house, "admin", "admin")


def signed(house: House, owner: str, *scopes: str) -> httpx.Client:
    """Return a client of an owner whose webhooks are signed."""
    client = house.as_(owner, *scopes)
    house.sign_for(owner)
    return client


def start(client: httpx.Client, **fields: Any) -> httpx.Response:
    given = {name: value for name, value in fields.items() if value is not None}
    return client.post("/v1/pipeline/start", json={**BRIEF, "task_id": "a", **given})


def stored(steps: Steps, name: str) -> Any:
    value = getattr(steps.row("a"), name)
    return value.isoformat() if isinstance(value, datetime) else value


def same(name: str, stored_value: Any, given_value: Any) -> bool:
    if name == "not_before":
        return datetime.fromisoformat(stored_value) == datetime.fromisoformat(given_value)
    return bool(stored_value == given_value)


def refused(answer: httpx.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json()["field"]


# What may change


@ON_BOTH
@pytest.mark.parametrize(("name", "first", "then"), CHANGES)
def test_option_sent_again_takes_effect_and_is_named(house, admin, name, first, then):
    start(admin, **{name: first})
    answer = start(admin, **{name: then})
    assert (answer.status_code, answer.json()["updated"]) == (200, [name])
    assert same(name, stored(house.steps, name), then)


@pytest.mark.parametrize(("name", "first", "_"), CHANGES)
def test_option_sent_again_as_it_is_changes_nothing(house, admin, name, first, _):
    start(admin, **{name: first})
    answer = start(admin, **{name: first})
    assert (answer.status_code, answer.json()["updated"]) == (200, [])
    assert house.steps.row("a").seq == 1


def test_option_that_is_left_out_stays(house, admin):
    start(admin, callback_url=CALLED, max_retries=1)
    assert start(admin).json()["updated"] == []
    assert house.steps.row("a").callback_url == CALLED


def test_several_options_are_all_named(admin):
    start(admin)
    answer = start(admin, callback_url=CALLED, max_retries=1, not_before=LATER)
    assert answer.json()["updated"] == ["callback_url", "max_retries", "not_before"]


def test_changed_options_are_an_event_without_the_link(house, admin):
    start(admin, callback_url=CALLED)
    start(admin, callback_url=OTHER, max_retries=1)
    event = house.steps.last("a")
    assert (event.type, event.data["changed"]) == ("updated", {"max_retries": "1"})
    assert event.data["message"] == "callback_url, max_retries"


@pytest.mark.parametrize("name", ["callback_url", "max_retries", "priority"])
def test_option_of_an_order_at_work_takes_effect_and_leaves_its_attempt(house, admin, name):
    start(admin)
    lease = house.steps.take("a")
    value = CALLED if name == "callback_url" else 2
    assert start(admin, **{name: value}).json()["updated"] == [name]
    house.steps.make_stage(lease, "lyric")
    assert stored(house.steps, name) == value


def test_callback_that_was_sent_later_is_called(house, admin):
    start(admin)
    start(admin, callback_url=CALLED)
    cancel_request(house.db, "a")
    told = admin.get("/v1/pipeline/status/a").json()["webhooks"]
    assert [each["type"] for each in told] == ["request.canceled"]


@ON_BOTH
def test_same_options_at_the_same_moment_are_changed_once(house, admin):
    start(admin)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: start(admin, max_retries=1), range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert sum(bool(answer.json()["updated"]) for answer in answers) == 1
    assert house.steps.row("a").seq == 2


# What may not


def test_schedule_of_an_order_that_has_begun_is_a_conflict(house, admin):
    start(admin)
    house.steps.dispatch()
    assert refused(start(admin, not_before=LATER)) == (409, "not_before")


@pytest.mark.parametrize(
    ("name", "value"),
    [("callback_url", CALLED), ("max_retries", 1), ("priority", 1), ("not_before", LATER)],
)
def test_option_of_an_order_that_has_ended_is_a_conflict(house, admin, name, value):
    start(admin)
    cancel_request(house.db, "a")
    assert refused(start(admin, **{name: value})) == (409, name)


def test_priority_that_an_operator_has_set_is_no_other_keys_to_lower(house):
    shop = house.as_("shop")
    start(shop)
    house.steps.edit("priority = 5", "a")
    assert refused(start(shop, priority=0)) == (409, "priority")


def test_callback_of_an_owners_order_is_not_changed_by_an_order_without_an_owner(
    house, monkeypatch
):
    monkeypatch.setenv("CASTAD_WEBHOOK_SECRET", SECRET)
    settings.cache_clear()
    start(signed(house, "shop"), callback_url=CALLED)
    order = check_order({**BRIEF, "task_id": "a", "callback_url": OTHER})
    with pytest.raises(OtherOptionError, match=r"^callback_url: "):
        submit_order(house.db, order)
    assert submit_order(house.db, replace(order, callback_url=None)).created is False


@ON_BOTH
def test_callback_of_a_shared_order_of_another_owner_is_a_conflict(house):
    url = "/v1/pipeline/start"
    body = {"pipeline": "analysis", "repository": "https://github.com/a/b", "ref": "0" * 40}
    first = signed(house, "one").post(url, json={**body, "callback_url": CALLED})
    assert first.status_code == 202, first.text
    answer = signed(house, "two").post(url, json={**body, "callback_url": OTHER})
    assert refused(answer) == (409, "callback_url")
    assert house.as_("two").post(url, json=body).status_code == 200


def test_order_that_waits_for_a_person_does_not_stop_to_by_an_empty_hold(admin):
    start(admin, hold=["lyric"])
    assert refused(start(admin, hold=[])) == (409, "hold")


def test_conflict_of_an_option_leaves_all_options_as_they_were(house, admin):
    start(admin)
    house.steps.dispatch()
    before = house.steps.row("a")
    start(admin, not_before=LATER, max_retries=1)
    assert house.steps.row("a") == before


def test_dry_run_refuses_what_would_not_take_effect(house, admin):
    start(admin)
    cancel_request(house.db, "a")
    body = {**BRIEF, "task_id": "a", "callback_url": CALLED}
    answer = admin.post("/v1/pipeline/start?dry_run=true", json=body)
    assert refused(answer) == (409, "callback_url")


# Many at once


def test_batch_names_what_was_updated_in_each(house, admin):
    start(admin)
    orders = [{**BRIEF, "task_id": "a", "max_retries": 1}, {**BRIEF, "task_id": "b"}]
    body = admin.post("/v1/pipeline/batch", json=orders).json()
    assert [each["updated"] for each in body["orders"]] == [["max_retries"], []]
    assert (body["created"], body["updated"]) == (1, 1)


def test_batch_with_an_option_that_would_not_take_effect_changes_nothing(house, admin):
    start(admin)
    cancel_request(house.db, "a")
    rows = [{**BRIEF, "task_id": "b"}, {**BRIEF, "task_id": "a", "callback_url": CALLED}]
    answer = admin.post("/v1/pipeline/batch", json=rows)
    assert answer.status_code == 409
    assert [(row["row"], row["field"]) for row in answer.json()["rows"]] == [
        ("entry 2", "callback_url")
    ]
    assert house.steps.task_ids() == ["a"]


# When a scheduled order says that it was to begin


def scheduled_at(client: httpx.Client) -> list[Any]:
    status = client.get("/v1/pipeline/status/a").json()
    [listed] = client.get("/v1/pipeline").json()["orders"]
    return [status["scheduled_at"], listed["scheduled_at"]]


def test_scheduled_order_says_when_at_each_face(admin):
    placed = start(admin, not_before=LATER).json()
    at = "2199-01-31T00:00:00.000Z"
    assert [placed["scheduled_at"], *scheduled_at(admin)] == [at, at, at]


def test_schedule_stays_after_the_dispatch(house, admin):
    start(admin, not_before="2020-01-01T00:00:00Z")
    house.steps.dispatch()
    assert house.steps.row("a").not_before is None
    assert scheduled_at(admin) == ["2020-01-01T00:00:00.000Z"] * 2


@ON_BOTH
def test_schedule_by_sql_stays_after_the_dispatch(house, admin):
    start(admin)
    house.steps.edit("not_before = '2020-01-01 00:00:00+00:00'", "a")
    house.steps.dispatch()
    assert scheduled_at(admin) == ["2020-01-01T00:00:00.000Z"] * 2


@ON_BOTH
def test_schedule_that_an_operator_moves_is_the_new_one(house, admin):
    start(admin, not_before=LATER)
    house.steps.edit("not_before = '2020-01-01 00:00:00+00:00'", "a")
    house.steps.take("a")
    assert scheduled_at(admin) == ["2020-01-01T00:00:00.000Z"] * 2


def test_schedule_sent_again_after_the_dispatch_is_the_same_order(house, admin):
    fields = {"not_before": "2020-01-01T00:00:00.123456Z"}
    start(admin, **fields)
    house.steps.dispatch()
    answer = start(admin, **fields)
    assert (answer.status_code, answer.json()["updated"]) == (200, [])


def test_order_that_was_not_scheduled_has_no_time(house, admin):
    start(admin)
    house.steps.fail(house.steps.take("a"))
    assert scheduled_at(admin) == [None, None]


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "callback_url": st.sampled_from([CALLED, OTHER]),
        "max_retries": st.integers(0, 2),
        "priority": st.integers(-1, 1),
        "not_before": st.sampled_from([LATER, EVEN_LATER]),
    },
)


@ON_BOTH
def test_any_options_sent_again_take_effect_or_change_nothing(house, admin):
    numbers = count()

    @given(first=OPTIONS, then=OPTIONS, begun=st.booleans())
    def law(first: dict[str, Any], then: dict[str, Any], begun: bool) -> None:
        name = f"a-{next(numbers)}"
        start(admin, **{**first, "task_id": name})
        if begun:
            house.steps.take(name)
        before = house.steps.row(name)
        answer = start(admin, **{**then, "task_id": name})
        after = house.steps.row(name)
        if answer.status_code == 409:
            assert answer.json()["field"] in then
            assert after == before
            return
        for option, value in then.items():
            has = after.scheduled_for if option == "not_before" else getattr(after, option)
            given_value = datetime.fromisoformat(value) if option == "not_before" else value
            assert has == given_value
        changed = {option for option in then if getattr(after, option) != getattr(before, option)}
        assert set(answer.json()["updated"]) == changed

    law()
