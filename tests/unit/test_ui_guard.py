"""The Dagster UI's guard before every route that Dagster's own application has."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from dagster_webserver.webserver import DagsterWebserver
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import Message, Receive, Scope, Send

from castad.api.dagster_ui.guard import (
    GuardedUi,
    UiAuthenticator,
    find_refusal,
    list_own_hosts,
    requires_credentials,
)
from castad.api.keys import ApiKeyCache
from resources.ledger.db.database import Database
from resources.ledger.queries.access import Scope as KeyScope
from resources.ledger.queries.access import Secret
from resources.ledger.transitions.access import create_key
from resources.process.settings import Settings
from tests.hostile import LINK, READING, Ask, hostile_asks, hostile_graphql, launching

HOST = "127.0.0.1:3000"
HOSTS = list_own_hosts("127.0.0.1", 3000)
PASSWORD = "a long password"
ROUTES = DagsterWebserver(None).build_routes()
PAGES = ("index_html_endpoint", "root_static", "vendor_static", "_next_static")


def path_of(route: Any) -> str:
    """A path that the route matches."""
    path = route.path.replace("{path:path}", "a/b").replace("{asset_key:path}", "requests")
    return str(path.replace("{run_id:str}", "run") or "/")


HTTP = [route for route in ROUTES if isinstance(route, Route)]
DATA = [path_of(route) for route in HTTP if route.name not in PAGES]


class Stock:
    """In the place of Dagster's application; it keeps what reaches it."""

    def __init__(self) -> None:
        self.reached: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(scope["path"])
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await PlainTextResponse("data")(scope, receive, send)


def ask(stock: Stock, asked: Ask, credentials: UiAuthenticator | None = None) -> httpx.Response:
    """What the guarded application answers."""

    async def answer() -> httpx.Response:
        transport = httpx.ASGITransport(GuardedUi(stock, HOSTS, credentials))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            return await client.request(
                asked.method, asked.path, headers=asked.headers, content=asked.content
            )

    return asyncio.run(answer())


def every_hostile_ask() -> Iterator[Ask]:
    for route in HTTP:
        yield from hostile_asks(path_of(route), frozenset(route.methods or ()) - {"HEAD"})
    for path in DATA:
        yield Ask("followed link", "GET", path, 403, LINK)
        yield Ask("form that leads there", "POST", path, 403, LINK)
    for operation in (launching("hostile"), READING):
        yield from hostile_graphql(operation)


def test_no_hostile_request_reaches_any_route():
    stock, wrong = Stock(), {}
    for asked in every_hostile_ask():
        answer = ask(stock, asked)
        if answer.status_code != asked.refused or answer.json()["status"] != asked.refused:
            wrong[str(asked)] = (answer.status_code, asked.refused)
    assert (wrong, stock.reached) == ({}, [])


def test_every_kind_of_route_is_known():
    kinds = {type(route) for route in ROUTES}
    sockets = [route.path for route in ROUTES if isinstance(route, WebSocketRoute)]
    mounts = {route.name for route in ROUTES if isinstance(route, Mount)}
    assert (kinds, sockets) == ({Route, Mount, WebSocketRoute}, ["/graphql"])
    assert mounts <= set(PAGES)


OWN = {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
AS_JSON = {"content-type": "application/json; charset=utf-8"}
FRIENDLY = [
    Ask("page", "GET", "/", 200, {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}),
    Ask("link from elsewhere", "GET", "/runs/some-run", 200, LINK),
    Ask("file", "GET", "/_next/static/x.js", 200, {"sec-fetch-site": "same-origin"}),
    Ask("operation", "POST", "/graphql", 200, {**OWN, **AS_JSON}, b"{}"),
    Ask("operation of a program", "POST", "/graphql", 200, AS_JSON, b"{}"),
    Ask("playground", "GET", "/graphql", 200, {**OWN, "accept": "text/html,*/*"}),
    Ask("download", "GET", "/download_debug/run", 200, {"sec-fetch-site": "same-origin"}),
    Ask("curl", "GET", "/server_info", 200),
    Ask("localhost", "GET", "/", 200, {"host": "localhost:3000"}),
]


@pytest.mark.parametrize("friendly", FRIENDLY, ids=str)
def test_what_the_ui_itself_asks_is_passed_on(friendly):
    stock = Stock()
    assert ask(stock, friendly).status_code == friendly.refused
    assert stock.reached == [friendly.path]


def test_no_other_page_frames_embeds_or_holds_what_is_answered():
    headers = ask(Stock(), FRIENDLY[0]).headers
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"


def opened(stock: Stock, **headers: str) -> list[Message]:
    """What is sent to a WebSocket that is opened with these headers."""
    sent: list[Message] = []
    pairs = [(b"host", HOST.encode())] if "host" not in headers else []
    pairs += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "websocket", "path": "/graphql", "query_string": b"", "headers": pairs}

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(GuardedUi(stock, HOSTS, None)(scope, receive, send))
    return sent


FOREIGN_SOCKETS = [
    ({"origin": "http://elsewhere.example"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": "http://127.0.0.1:3001"}, 403),
    ({"origin": f"http://{HOST}", "sec_fetch_site": "cross-site"}, 403),
    ({"sec_fetch_site": "same-site", "sec_fetch_mode": "navigate"}, 403),
    ({"host": "elsewhere.example", "origin": "http://elsewhere.example"}, 421),
]


@pytest.mark.parametrize(("headers", "status"), FOREIGN_SOCKETS)
def test_websocket_of_another_origin_is_refused(headers, status):
    stock = Stock()
    answer = opened(stock, **headers)[0]
    assert (answer["type"], answer["status"]) == ("websocket.http.response.start", status)
    assert stock.reached == []


@pytest.mark.parametrize("headers", [{"origin": f"http://{HOST}"}, {}])
def test_websocket_of_the_ui_is_passed_on(headers):
    assert opened(Stock(), **headers) == [{"type": "websocket.accept"}]


HEADER = st.tuples(
    st.sampled_from(
        [b"host", b"origin", b"content-type", b"sec-fetch-site", b"sec-fetch-mode", b"accept"]
    ),
    st.one_of(
        st.binary(max_size=30),
        st.sampled_from([HOST.encode(), b"http://" + HOST.encode(), b"application/json"]),
    ),
)


@given(
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "OPTIONS"]),
    path=st.one_of(st.sampled_from(["/graphql", "/runs"]), st.text().map("/".__add__)),
    query=st.sampled_from([b"", b"query={}"]),
    headers=st.lists(HEADER, max_size=6),
)
def test_whatever_is_passed_on_comes_from_nowhere_else_and_changes_only_as_json(
    method, path, query, headers
):
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query,
        "headers": headers,
    }
    if find_refusal(scope, HOSTS) is not None:
        return
    values = {name: [value for key, value in headers if key == name] for name, _ in headers}
    hosts = [host.strip().lower() for host in values[b"host"]]
    assert [host.decode() in HOSTS for host in hosts] == [True]
    assert {origin.strip().lower() for origin in values.get(b"origin", [])} <= {
        b"http://" + hosts[0],
        b"https://" + hosts[0],
    }
    kinds = [kind.partition(b";")[0].strip() for kind in values.get(b"content-type", [])]
    assert method in ("GET", "HEAD") or (method == "POST" and kinds == [b"application/json"])
    assert path != "/graphql" or method == "POST" or query == b""


def test_names_that_are_set_are_answered_to():
    hosts = list_own_hosts("10.0.0.5", 3000, {"castad.example.com", "other.example.com:8443"})
    told = {
        name: find_refusal(
            {
                "type": "http",
                "method": "GET",
                "path": "/",
                "query_string": b"",
                "headers": [(b"host", name.encode())],
            },
            hosts,
        )
        is None
        for name in (
            "10.0.0.5:3000",
            "localhost:3000",
            "castad.example.com",
            "Castad.Example.com:444",
            "other.example.com:8443",
            "other.example.com",
            "10.0.0.5",
            "evil.castad.example.com",
        )
    }
    assert [name for name, is_own in told.items() if not is_own] == [
        "other.example.com",
        "10.0.0.5",
        "evil.castad.example.com",
    ]


@pytest.mark.parametrize(
    ("host", "others", "password", "asks"),
    [
        ("127.0.0.1", (), None, False),
        ("::1", ("localhost:8080", "[::1]"), None, False),
        ("127.0.0.1", (), SecretStr(PASSWORD), True),
        ("127.0.0.1", ("castad.example.com",), None, True),
        ("127.0.0.1", ("castad.example.com:443",), None, True),
        ("0.0.0.0", (), None, True),
        ("10.0.0.5", (), None, True),
    ],
)
def test_ui_that_is_reached_from_elsewhere_asks(make_settings, host, others, password, asks):
    config: Settings = make_settings(ui_hosts=",".join(others), ui_password=password)
    assert requires_credentials(config, host) is asks


@pytest.fixture
def ledger(sqlite_ledger_url: str) -> Iterator[Database]:
    db = Database(sqlite_ledger_url)
    yield db
    db.close()


def key(db: Database, scope: KeyScope) -> str:
    secret = Secret.new()
    create_key(db, secret, name="k", owner="k", scopes=[scope])
    return secret.text


def basic(password: str) -> str:
    return f"Basic {b64encode(f'anybody:{password}'.encode()).decode()}"


def status_with(db: Database, password: str | None, authorization: str | None) -> int:
    secret = None if password is None else SecretStr(password)
    headers = {} if authorization is None else {"authorization": authorization}
    page = Ask("page", "GET", "/", 200, headers)
    return ask(Stock(), page, UiAuthenticator(secret, ApiKeyCache(db))).status_code


def test_password_and_an_admins_key_open_the_ui(ledger):
    admin = key(ledger, KeyScope.ADMIN)
    given = (basic(PASSWORD), basic(admin), f"Bearer {admin}")
    assert [status_with(ledger, PASSWORD, each) for each in given] == [200, 200, 200]


def test_nothing_else_opens_the_ui(ledger):
    orderer = key(ledger, KeyScope.ORDER)
    given = (
        None,
        "",
        "Basic",
        "Basic %",
        "Basic 8J+Y",
        basic(""),
        basic(PASSWORD[:-1]),
        basic(orderer),
        f"Bearer {orderer}",
        f"Bearer {PASSWORD}",
        f"Bearer {Secret.new().text}",
    )
    assert [status_with(ledger, PASSWORD, each) for each in given] == [401] * len(given)


def test_without_a_password_none_is_guessed(ledger):
    assert [status_with(ledger, None, basic(word)) for word in ("", "None")] == [401, 401]


def test_who_is_asked_is_told_so_as_a_browser_understands(ledger):
    credentials = UiAuthenticator(None, ApiKeyCache(ledger))
    answer = ask(Stock(), Ask("page", "GET", "/", 401), credentials)
    assert answer.headers["www-authenticate"].startswith('Basic realm="castad"')
    assert json.loads(answer.text)["code"] == "unauthorized"
