"""What a key or a session has opened is kept by no cache between the server and its reader."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api_house import BRIEF, House, Route, served

KEPT_BY_NONE = "private, no-store"


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    with served() as house:
        house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
        yield house


def routes_of(router: Any) -> Iterator[Route]:
    """Yield the routes of an application or a router, those of the routers in it too."""
    for each in router.routes:
        inner = getattr(each, "original_router", None)
        if inner is not None:
            yield from routes_of(inner)
        else:
            yield from (Route(method, each.path) for method in getattr(each, "methods", None) or ())


def all_routes(house: House) -> list[Route]:
    """Return every route, the pages' too; those that end what the test needs come last."""
    found = sorted(routes_of(house.app), key=lambda each: (each.path, each.method))
    assert {"/login", "/dashboard", "/metrics", "/artifacts/{task_id}/{name}"} <= {
        each.path for each in found
    }
    return sorted(found, key=lambda each: (each.method == "DELETE", "logout" in each.path))


def logged_in(house: House, key: str) -> httpx.Client:
    client = house.client(None)
    assert client.post("/v1/session", json={"key": key}).status_code == 204
    return client


@pytest.mark.parametrize("scope", ["read", "admin"])
@pytest.mark.parametrize("how", ["key", "session"])
def test_no_cache_keeps_what_a_key_or_a_session_has_opened(house, how, scope):
    key = house.key("shop", scope)
    client = house.client(key) if how == "key" else logged_in(house, key)
    kept = {
        f"{each.method} {each.path}": (answer.status_code, said)
        for each in all_routes(house)
        if (said := (answer := each.ask(client)).headers.get("cache-control")) != KEPT_BY_NONE
    }
    assert kept == {}


def test_what_is_the_same_for_all_is_kept(house):
    page = house.client(None).get("/login").text
    [style, *_] = re.findall(r'href="(/static[^"]+\.css)"', page)
    assert "immutable" in logged_in(house, house.key("shop")).get(style).headers["cache-control"]
