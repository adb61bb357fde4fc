"""Who may: every route that OpenAPI describes, asked by everybody."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from castad.api.app import create_app
from resources.ledger.queries.access import Secret
from resources.ledger.transitions.access import revoke_key
from resources.ledger.transitions.orders import NewRequest, submit_orders
from resources.process.settings import settings
from tests.api_house import BRIEF, House, Route, described, served, stream

FOR_ADMINS = (
    *("/v1/admin/events", "/v1/admin/stream", "/metrics", "/v1/reports", "/v1/reports/{hour}"),
    "/v1/pipeline/resolve/{task_id}",
    *("/v1/providers/{provider}/pause", "/v1/providers/{provider}/resume"),
    *("/v1/keys", "/v1/keys/{key_id}"),
)
FOR_ANY_KEY = ("/v1/session", "/v1/sessions")
SHARE_LINKS = "/v1/pipeline/share/{task_id}"
"""For the order's own owner alone, as whatever changes it."""


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> list[Route]:
    """All there are."""
    home = tmp_path_factory.mktemp("routes")
    app = create_app(settings().model_copy(update={"home": home}))
    app.state.api.db.close()
    return described(app.openapi()["paths"])


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    with served() as house:
        house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
        yield house


def owners_routes(routes: list[Route]) -> list[Route]:
    """Those about one order that are not for admins alone."""
    return [each for each in routes if each.is_of_an_order and each.path not in FOR_ADMINS]


def strangers(house: House) -> dict[str, httpx.Client]:
    """Everybody without a key, in every way."""
    good, revoked = house.key("shop", "admin"), house.key("shop", "admin")
    secret = Secret.read(revoked)
    assert secret is not None
    revoke_key(house.db, secret.id)
    asked = {
        "nobody": house.client(None),
        "an empty key": house.client(None),
        "a key of another making": house.client("sk-1234567890"),
        "a wrong secret": house.client(good[:-4] + "AAAA"),
        "a revoked key": house.client(revoked),
        "a key in the address": house.client(None),
        "a key by another scheme": house.client(None),
    }
    asked["a key in the address"].params = httpx.QueryParams({"key": good, "token": good})
    asked["an empty key"].headers["Authorization"] = "Bearer"
    asked["a key by another scheme"].headers["Authorization"] = f"Basic {good}"
    return asked


def test_matrix_knows_every_route(routes):
    assert {
        "/v1/pipeline/start",
        "/v1/pipeline/events/{task_id}",
        "/v1/admin/events",
        "/healthz",
    } <= {route.path for route in routes}


def test_who_has_no_key_has_no_access(house, routes):
    closed = [route for route in routes if not route.is_open]
    answers = {
        (who, route): route.ask(client)
        for who, client in strangers(house).items()
        for route in closed
    }
    assert {key for key, answer in answers.items() if answer.status_code != 401} == set()
    bodies = {answer.content for (_, route), answer in answers.items() if route.method != "HEAD"}
    assert len(bodies) == 1


def test_open_routes_need_no_key(house, routes):
    asked = [route.ask(house.client(None)).status_code for route in routes if route.is_open]
    assert 401 not in asked


def test_other_owner_cannot_tell_an_order_from_none(house, routes):
    other = house.as_("other")
    of_an_order = [route for route in owners_routes(routes) if route.method != "HEAD"]
    for route in of_an_order:
        theirs, nobodys = route.ask(other), route.ask(other, "nobody")
        assert theirs.status_code == nobodys.status_code == 404, route
        assert theirs.text.replace("'a'", "'nobody'") == nobodys.text, route


@pytest.fixture
def shared(house: House) -> str:
    """An order of the shop that an order of `other` is too; returns its task_id."""
    order = NewRequest(
        *("shared", dict(BRIEF), "song_video", "test", dict.__eq__),
        unique_key="one",
        shared=True,
        callback_url="https://shop.example/secret",
    )
    for owner in ("shop", "other"):
        submit_orders(house.db, [replace(order, owner=owner)])
    return order.task_id


def test_owner_whose_order_is_anothers_request_reads_it(house, routes, shared):
    other, third = house.as_("other"), house.as_("third")
    reading = [
        route
        for route in routes
        if route.is_of_an_order
        and route.method == "GET"
        and "{name}" not in route.path
        and route.path != SHARE_LINKS
        # The other pipelines' own paths know no order of this one.
        and route.path.startswith("/v1/pipeline/")
    ]
    answers = {
        route.path: [route.ask(who, shared).status_code for who in (other, third)]
        for route in reading
    }
    assert answers == {path: [200, 404] for path in answers}
    assert len(answers) == 3


def test_owner_whose_order_is_anothers_request_changes_nothing(house, routes, shared):
    other = house.as_("other")
    changing = [route for route in owners_routes(routes) if route.method == "POST"]
    codes = {route.ask(other, shared).json()["code"] for route in changing}
    assert codes == {"unknown_task_id"}


def test_owner_whose_order_is_anothers_request_does_not_see_whose_it_is(house, shared):
    other = house.as_("other")
    house.steps.cancel(shared)
    status = other.get(f"/v1/pipeline/status/{shared}").json()
    with stream(other, f"/v1/pipeline/events/{shared}") as each:
        snapshot = next(each).data
    seen = [(body["owner"], body["callback_url"], body["webhooks"]) for body in (status, snapshot)]
    assert seen == [(None, None, [])] * 2


def test_list_and_bulk_of_another_owner_reach_nothing(house):
    other = house.as_("other")
    house.steps.cancel("a")
    listed = other.get("/v1/pipeline", params={"owner": "shop"}).json()["orders"]
    retried = other.post("/v1/pipeline/retry?status=canceled").json()["retried"]
    assert (listed, retried) == ([], 0)


def test_name_of_another_owners_order_is_a_conflict_even_for_the_same_order(house):
    answer = house.as_("other").post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


def test_admin_reaches_everybodys_orders(house):
    assert house.admin().get("/v1/pipeline/status/a").json()["owner"] == "shop"


def test_every_route_is_good_for_one_scope_only(house, routes):
    orderer, reader = house.as_("shop", "order"), house.as_("shop", "read")
    for route in routes:
        if route.is_open or route.path in FOR_ANY_KEY:
            continue
        refused = [route.ask(client).status_code == 403 for client in (orderer, reader)]
        is_write = route.method not in ("GET", "HEAD")
        is_for_admins = route.path in FOR_ADMINS or route == Route("PUT", "/v1/scan/characters")
        expected = [True, True] if is_for_admins else [not is_write, is_write]
        assert refused == expected, route


def test_orders_are_not_placed_with_a_key_for_reading(house):
    answer = house.as_("shop", "read").post("/v1/pipeline/start", json=dict(BRIEF))
    assert (answer.status_code, answer.json()["code"]) == (403, "missing_scope")


def test_key_asks_as_often_as_it_may_and_is_told_when_again(house):
    client = house.as_("shop", rate=3)
    answers = [client.get("/v1/pipeline") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[-1].headers["retry-after"]) <= 20


def test_rate_of_one_key_is_not_anothers(house):
    first, second = house.as_("shop", rate=1), house.as_("shop", rate=1)
    assert [each.get("/v1/pipeline").status_code for each in (first, first, second)] == [
        200,
        429,
        200,
    ]


def test_database_that_is_away_is_said_so_and_asked_again_later(house):
    client = house.as_("shop")
    client.get("/v1/pipeline")
    house.db.close()
    (settings().home / "castad.db").unlink()
    (settings().home / "castad.db").mkdir()
    for suffix in ("-wal", "-shm"):
        (settings().home / f"castad.db{suffix}").unlink(missing_ok=True)
    answer = client.get("/v1/pipeline/status/a")
    assert (answer.status_code, answer.json()["code"]) == (503, "state_unavailable")
    assert int(answer.headers["retry-after"]) > 0
