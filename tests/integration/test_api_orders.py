"""Ordering and repairing over HTTP."""

import json
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from resources.ledger.rules import FailureAction
from resources.ledger.transitions.orders import reject_order
from resources.process.settings import settings
from tests.api_house import BRIEF, House, picture, served
from tests.fakes.raw import RawServer, answer, say
from tests.song_video import accept
from tests.tables import rows_beside


@pytest.fixture(scope="module")
def anywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of one API for what is refused before any ledger is asked."""
    home = tmp_path_factory.mktemp("anywhere")
    with served(settings().model_copy(update={"home": home})) as house:
        yield house.as_("shop")


def start(client: httpx.Client, **fields: Any) -> httpx.Response:
    return client.post("/v1/pipeline/start", json={**BRIEF, **fields})


def told(response: httpx.Response) -> tuple[int, str, str | None]:
    body = response.json()
    return response.status_code, body["code"], body["field"]


def test_order_is_accepted_and_says_where_to_go_on(client):
    placed = start(client, task_id="a")
    assert placed.status_code == 202
    assert client.get(placed.headers["location"]).json()["overall_status"] == "pending"
    assert start(client).json()["task_id"].startswith("order-")


def test_same_order_again_is_the_same_order(client):
    start(client, task_id="a")
    again = start(client, task_id="a", language="Korean")
    assert (again.status_code, again.json()["created"]) == (200, False)


@pytest.mark.parametrize(("first", "then"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_order_is_the_same_in_every_form_of_its_text(client, first, then):
    placed, again = (
        start(client, task_id="a", detail_region_info=unicodedata.normalize(form, "말랭이 마을"))
        for form in (first, then)
    )
    assert (placed.status_code, again.status_code, again.json()["created"]) == (202, 200, False)


def test_order_stored_by_sql_is_the_same_in_every_form_of_its_text(client, house):
    payload = unicodedata.normalize("NFD", json.dumps(BRIEF, ensure_ascii=False))
    row = f"('a', '{payload}', 'shop', 'sql')"
    house.steps.sql(f"INSERT INTO requests (task_id, payload, owner, source) VALUES {row}")
    again = start(client, task_id="a")
    assert (again.status_code, again.json()["created"]) == (200, False)


def test_search_finds_an_order_in_every_form_of_its_text(client):
    start(client, task_id="a", detail_region_info="말랭이 마을")
    words = {"q": unicodedata.normalize("NFD", "말랭이")}
    found = client.get("/v1/pipeline", params=words).json()
    assert "a" in json.dumps(found)


def test_same_order_with_a_hold_that_it_had_not_is_refused(client):
    start(client, task_id="a")
    assert told(start(client, task_id="a", hold=["lyric"])) == (409, "conflict", "hold")


def test_other_order_of_the_same_name_is_refused(client):
    start(client, task_id="a")
    assert told(start(client, task_id="a", region="부산")) == (409, "conflict", "task_id")


def test_orders_at_the_same_moment_make_one(client, house):
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: start(client, task_id="a"), range(50)))
    assert sorted(answer.status_code for answer in answers) == [200] * 49 + [202]
    assert house.steps.task_ids() == ["a"]


def test_order_keeps_how_it_is_to_be_handled(house):
    later = "2199-01-31T09:00:00+09:00"
    start(house.admin(), task_id="a", priority=7, max_retries=1, not_before=later)
    row = house.steps.row("a")
    assert (row.priority, row.max_retries, row.owner, row.source) == (7, 1, "admin", "api")
    assert row.not_before == datetime.fromisoformat(later)


@rows_beside
def test_order_that_cannot_be_used_is_refused_by_its_field(fields, field, anywhere):
    answer = start(anywhere, **fields)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


@pytest.mark.parametrize(
    "body",
    [
        *[b"", b"[]", b"null", b"{", b"\xff", b'{"a": NaN}', b'{"a": 1, "a": 2}'],
        *[b"[" * 100_000, b'{"customer_name": "\\ud800", "region": "x"}', b'{"a": 1' + b"0" * 5000],
    ],
)
def test_body_that_is_no_order_is_refused_in_one_sentence(anywhere, body):
    answer = anywhere.post("/v1/pipeline/start", content=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")


def test_body_that_is_too_long_is_not_read(anywhere):
    assert told(anywhere.post("/v1/pipeline/start", content=b" " * 1_000_001))[:2] == (
        413,
        "too_large",
    )


def test_dry_run_is_priced_and_places_nothing(client, house):
    priced = client.post("/v1/pipeline/start?dry_run=true", json=dict(BRIEF)).json()
    assert [stage["stage"] for stage in priced["stages"]] == ["lyric", "song", "video"]
    many = client.post("/v1/pipeline/batch?dry_run=true", json=[dict(BRIEF), dict(BRIEF)]).json()
    assert (many["orders"], many["cost_usd"], house.steps.task_ids()) == (2, 0.0, [])


@pytest.mark.parametrize(
    ("status", "code"), [("404 Not Found", "image_unreachable"), ("200 OK", "invalid_image")]
)
def test_dry_run_names_the_link_that_leads_to_no_picture(monkeypatch, status, code):
    with RawServer(say(answer(picture())), say(answer(b"<html/>", status=status))) as site:
        monkeypatch.setenv("CASTAD_ALLOW_HOSTS", site.netloc)
        settings.cache_clear()
        images = [f"{site.url}/a.png", f"{site.url}/b.png"]
        with served() as house:
            order = {**BRIEF, "images": images}
            refused = house.as_("shop").post("/v1/pipeline/start?dry_run=true", json=order)
    assert told(refused) == (422, code, "images[1]")


# Many


def test_batch_places_every_order_once(client, house):
    orders = [{**BRIEF, "task_id": name} for name in ("a", "b", "a")]
    placed = client.post("/v1/pipeline/batch", json={"orders": orders})
    again = client.post("/v1/pipeline/batch", json=orders)
    assert (placed.status_code, placed.json()["created"]) == (202, 2)
    assert (again.status_code, again.json()["created"]) == (200, 0)
    assert house.steps.task_ids() == ["a", "b"]


def test_batch_of_csv_has_an_order_a_row(house):
    text = "task_id,customer_name,region,priority\na,봄날,전주,3\nb,가을,서울,\n"
    house.admin().post("/v1/pipeline/batch", content=text, headers={"content-type": "text/csv"})
    assert [house.steps.row(name).priority for name in ("a", "b")] == [3, 0]


def test_batch_tells_what_is_wrong_with_each_row_and_places_none(client, house):
    orders = [dict(BRIEF), {"region": "x"}, {**BRIEF, "priority": "high"}]
    refused = client.post("/v1/pipeline/batch", json=orders).json()
    rows = [(row["row"], row["field"]) for row in refused["rows"]]
    assert rows == [("entry 2", "customer_name"), ("entry 3", "priority")]
    assert house.steps.task_ids() == []


def rows_told(response: httpx.Response) -> list[tuple[str, str, str | None]]:
    return [(row["row"], row["code"], row["field"]) for row in response.json()["rows"]]


@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_batch_tells_of_every_name_that_is_another_orders(client, house, query):
    start(client, task_id="b")
    start(client, task_id="c")
    orders = [{**BRIEF, "task_id": name, "region": "부산"} for name in ("a", "b", "c")]
    refused = client.post(f"/v1/pipeline/batch{query}", json=orders)
    assert told(refused) == (409, "conflict", "task_id")
    conflicts = [("entry 2", "conflict", "task_id"), ("entry 3", "conflict", "task_id")]
    assert rows_told(refused) == conflicts
    assert house.steps.task_ids() == ["b", "c"]


@pytest.mark.parametrize("other", [{"priority": 3}, {"not_before": "2030-01-01T00:00:00Z"}])
def test_batch_with_two_orders_of_one_name_tells_both_places(house, other):
    orders = [{**BRIEF, "task_id": "a"}, {**BRIEF, "task_id": "a", **other}]
    refused = house.admin().post("/v1/pipeline/batch", json=orders)
    assert told(refused) == (409, "conflict", *other)
    [row] = refused.json()["rows"]
    assert (row["row"], "entry 1" in row["detail"]) == ("entry 2", True)
    assert house.steps.task_ids() == []


def test_batch_that_is_wrong_in_several_ways_is_told_row_by_row(client, house):
    start(client, task_id="b")
    orders = [{**BRIEF, "task_id": "b", "region": "부산"}, 7, {"region": "x"}]
    refused = client.post("/v1/pipeline/batch", json=orders)
    assert (refused.status_code, refused.json()["code"]) == (422, "batch_refused")
    assert rows_told(refused) == [
        ("entry 1", "conflict", "task_id"),
        ("entry 2", "invalid_input", None),
        ("entry 3", "invalid_input", "customer_name"),
    ]
    assert house.steps.task_ids() == ["b"]


def test_dry_run_is_refused_where_the_name_is_another_orders_alone(client):
    start(client, task_id="a")
    order = {**BRIEF, "task_id": "a"}
    refused = client.post("/v1/pipeline/start?dry_run=true", json={**order, "region": "부산"})
    assert told(refused) == (409, "conflict", "task_id")
    assert client.post("/v1/pipeline/start?dry_run=true", json=order).status_code == 200


# Pictures


def test_uploaded_picture_can_be_ordered_with(client):
    image = client.post("/v1/pipeline/images", content=picture()).json()["image"]
    assert start(client, images=[image]).status_code == 202


def test_picture_that_was_never_uploaded_is_refused(anywhere):
    answer = start(anywhere, images=[f"upload:{'0' * 64}"])
    assert told(answer) == (422, "unknown_upload", "images[0]")


def test_upload_that_is_no_picture_is_refused(anywhere):
    assert anywhere.post("/v1/pipeline/images", content=b"<svg/>").status_code == 422


# How it stands


def test_status_tells_stages_attempts_and_the_next_retry(client, house):
    start(client, task_id="a")
    house.steps.dispatch()
    lease = house.steps.take("a", dispatched_as=1)
    house.steps.make_stage(lease, "lyric")
    house.steps.begin(lease, "song")
    house.steps.fail(lease, stage="song")
    status = client.get("/v1/pipeline/status/a").json()
    assert (status["overall_status"], status["total_stages"], status["progress"]) == (
        "failed",
        3,
        33,
    )
    assert {name: stage["status"] for name, stage in status["stages"].items()} == {
        "lyric": "completed",
        "song": "failed",
        "video": "pending",
    }
    assert status["stages"]["song"]["error"]["code"] == "for_retry"
    assert [attempt["error"]["code"] for attempt in status["attempts"]] == ["for_retry"]
    assert status["next_retry_at"] is not None


def test_list_comes_in_pages_that_hold_every_order_once(client):
    for name in "abcde":
        start(client, task_id=name)
    seen, cursor = [], ""
    while cursor is not None:
        page = client.get(
            "/v1/pipeline", params={"limit": 2, **({"cursor": cursor} if cursor else {})}
        )
        seen += [order["task_id"] for order in page.json()["orders"]]
        cursor = page.json()["next"]
    assert seen == list("edcba")


def test_list_is_filtered(client, house):
    start(client, task_id="a")
    start(client, task_id="b")
    house.steps.cancel("a")
    found = client.get("/v1/pipeline", params={"status": "canceled"}).json()["orders"]
    assert [order["task_id"] for order in found] == ["a"]


@rows_beside
def test_list_refuses_what_it_cannot_filter_by(query, anywhere):
    answer = anywhere.get(f"/v1/pipeline?{query}")
    assert (answer.status_code, answer.json()["field"]) == (422, query.partition("=")[0])


# Transitions


def test_canceled_order_is_brought_back_by_one_retry(client):
    start(client, task_id="a")
    stopped = client.post("/v1/pipeline/cancel/a").json()["status"]
    assert [stopped, client.post("/v1/pipeline/retry/a").json()["status"]] == [
        "canceled",
        "pending",
    ]
    assert told(client.post("/v1/pipeline/retry/a")) == (404, "nothing_to_retry", "task_id")


@pytest.mark.parametrize("way", ["placed again", "payload by SQL"])
def test_order_that_could_not_be_read_goes_on_once_it_is_corrected(client, house, way):
    house.steps.sql(
        "INSERT INTO requests (task_id, payload, owner) VALUES ('a', '{\"region\": 1}', 'shop')"
    )
    (bad,) = house.steps.dispatch()
    reject_order(house.steps.db, bad, "invalid_payload", "region: expected text")
    if way == "placed again":
        assert client.post(
            "/v1/pipeline/start?dry_run=true", json={**BRIEF, "task_id": "a"}
        ).is_success
        assert start(client, task_id="a").status_code == 202
    else:
        house.steps.edit("payload = :payload", "a", payload=json.dumps(BRIEF))
        assert client.post("/v1/pipeline/retry/a").json()["status"] == "pending"
    (held,) = house.steps.dispatch()
    assert accept(held.order() or {})["region"] == BRIEF["region"]


def test_what_is_asked_of_nobody_is_not_found(client):
    asked = [client.get("/v1/pipeline/status/nobody")]
    asked += [
        client.post(f"/v1/pipeline/{act}")
        for act in ("retry/nobody", "cancel/nobody", "redo/nobody?from=song")
    ]
    assert {told(answer) for answer in asked} == {(404, "unknown_task_id", "task_id")}


def made(client: httpx.Client, house: House) -> None:
    """The order `a` is completed."""
    start(client, task_id="a")
    house.steps.dispatch()
    house.steps.make_all(house.steps.take("a", dispatched_as=1))


@pytest.mark.parametrize("act", ["cancel/a", "retry/a", "cancel", "retry", "redo/a"])
def test_event_of_an_act_names_the_key(client, house, act):
    start(client, task_id="a")
    if act.startswith("r"):
        house.steps.dispatch()
        lease = house.steps.take("a", dispatched_as=1)
        house.steps.begin(lease)
        house.steps.fail(lease, FailureAction.DEAD_LETTER)
    named = {"retry": "status=dead", "cancel": "status=pending", "redo/a": "from=lyric"}
    client.post(f"/v1/pipeline/{act}?{named.get(act, '')}")
    assert house.steps.last("a").data["by"] == "shop"


def test_redo_opens_a_new_generation(client, house):
    made(client, house)
    redone = client.post("/v1/pipeline/redo/a?from=song").json()
    stages = client.get("/v1/pipeline/status/a").json()["stages"]
    assert redone["status"] == "pending"
    assert [stage["generation"] for stage in stages.values()] == [1, 2, 2]


def test_dry_run_of_a_redo_prices_the_stage_and_what_follows(client, house):
    made(client, house)
    before = house.steps.row("a").seq
    priced = client.post("/v1/pipeline/redo/a?from=song&dry_run=true").json()
    assert [stage["stage"] for stage in priced["stages"]] == ["song", "video"]
    assert house.steps.row("a").seq == before


@pytest.mark.parametrize(
    ("is_made", "asked", "status"),
    [
        (True, "from=dance", 422),
        (True, "from=video&orientation=askew", 422),
        (False, "from=song", 409),
    ],
)
def test_dry_run_of_a_redo_is_refused_as_the_redo_is(client, house, is_made, asked, status):
    made(client, house) if is_made else start(client, task_id="a")
    redone, tried = (
        client.post(f"/v1/pipeline/redo/a?{asked}&dry_run={dry_run}") for dry_run in (False, True)
    )
    assert (tried.status_code, tried.json()["detail"]) == (status, redone.json()["detail"])


def test_retry_of_many_brings_back_one_s_own_that_match(client, house):
    for name in ("a", "b", "c"):
        start(client, task_id=name)
    start(house.as_("other"), task_id="d")
    for name in ("a", "b", "d"):
        house.steps.cancel(name)
    tried = client.post("/v1/pipeline/retry?status=canceled&dry_run=true").json()
    assert (tried["orders"], house.steps.row("a").status) == (2, "canceled")
    retried = client.post("/v1/pipeline/retry?status=canceled").json()
    assert (retried["task_ids"], retried["more"]) == (["a", "b"], False)
    assert house.steps.row("d").status == "canceled"


def test_retry_of_many_with_the_same_moment_retries_nothing_twice(client, house):
    start(client, task_id="a")
    house.steps.cancel("a")
    first = client.post("/v1/pipeline/retry?status=canceled").json()
    house.steps.cancel("a")
    again = client.post(
        "/v1/pipeline/retry", params={"status": "canceled", "before": first["before"]}
    ).json()
    assert [first["retried"], again["retried"]] == [1, 0]


def test_retry_of_many_refuses_a_moment_without_a_zone(anywhere):
    answer = anywhere.post("/v1/pipeline/retry?status=dead&before=2030-01-01T00:00:00")
    assert told(answer) == (422, "invalid_input", "before")


def test_cancel_of_many_stops_one_s_own_that_match_and_nothing_that_came_later(client, house):
    for name in ("a", "b"):
        start(client, task_id=name)
    start(house.as_("other"), task_id="d")
    tried = client.post("/v1/pipeline/cancel?status=pending&dry_run=true").json()
    start(client, task_id="late")
    params = {"status": "pending", "before": tried["before"]}
    canceled = client.post("/v1/pipeline/cancel", params=params).json()
    assert (tried["orders"], canceled["task_ids"], canceled["more"]) == (2, ["a", "b"], False)
    assert [house.steps.row(name).status for name in ("d", "late")] == ["pending", "pending"]


def test_lost_submission_is_resolved_by_an_admin_with_the_id_that_it_needs(client, house):
    house.steps.lost_for_good("a")
    asked, admin = {"choice": "attach", "external_id": "v-7"}, house.admin()
    refused = client.post("/v1/pipeline/resolve/a", json=asked)
    without = admin.post("/v1/pipeline/resolve/a", json={"choice": "attach"})
    answer = admin.post("/v1/pipeline/resolve/a", json=asked)
    assert told(refused) == (403, "missing_scope", None)
    assert told(without) == (422, "invalid_input", "external_id")
    assert (answer.json()["status"], house.steps.jobs("a")[-1].external_id) == ("pending", "v-7")


# Whatever goes wrong


def test_every_refusal_has_the_same_body(client, house):
    asked = [
        client.get("/nowhere"),
        client.put("/v1/pipeline/start"),
        client.get("/v1/pipeline/status/nobody"),
        house.client(None).get("/v1/pipeline"),
        start(client, region=""),
    ]
    assert {answer.headers["content-type"] for answer in asked} == {"application/problem+json"}
    members = {"type", "title", "status", "detail", "code", "field"}
    assert all(members == set(answer.json()) for answer in asked)


def test_moment_of_the_past_is_no_obstacle(client):
    past = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    assert start(client, not_before=past).status_code == 202


def test_text_comes_back_as_it_was_sent(client, house):
    name = "👩‍👩‍👧 카페 'O''Neil' {{x}} $(rm) %s"
    start(client, task_id="a", customer_name=name)
    assert json.loads(house.steps.row("a").payload)["customer_name"] == name
