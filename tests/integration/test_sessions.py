"""Sessions: a cookie in the place of a key, for a page of this site and nobody else."""

import logging
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from sqlalchemy import func, select

from castad.api.state import TRIES_PER_ADDRESS
from castad.stack.admin_key import create_login_link, remove_address, save_address
from resources.ledger.ledger_errors import UnknownLoginLinkError
from resources.ledger.queries.access import ApiKey, find_session_key, get_active_key
from resources.ledger.request import Token
from resources.ledger.schema.tables import login_links, sessions
from resources.ledger.transitions.access import (
    begin_session,
    make_login_link,
    revoke_key,
    use_login_link,
)
from resources.process.settings import settings
from tests.api_house import BRIEF, ON_BOTH, House, stream
from tests.canary import leaks, postgres_values, sqlite_values
from tests.command_line import castad
from tests.eventually import eventually

COOKIE = "castad_session"
HEADER = "X-CSRF-Token"
FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
)
LINK_FROM_ELSEWHERE = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}


def key_of(house: House, secret: str) -> ApiKey:
    return get_active_key(house.db, secret.split("_")[1])


def logged_in(house: House, secret: str, *, csrf: bool = True) -> httpx.Client:
    """A client that has the cookie of a session of this key, and says its CSRF token with every call."""
    client = house.client(None)
    assert client.post("/v1/session", json={"key": secret}).status_code == 204
    if csrf:
        client.headers[HEADER] = client.get("/v1/session").json()["csrf_token"]
    return client


def order(client: httpx.Client, **headers: str) -> httpx.Response:
    return client.post("/v1/pipeline/start", json=dict(BRIEF), headers=headers)


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def count(house: House, table: object) -> int:
    with house.db.reading() as tx:
        return int(tx.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]


def test_cookie_is_for_this_site_alone_and_for_no_script(house):
    answer = house.client(None).post("/v1/session", json={"key": house.key("shop")})
    flags = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/", "max-age=2592000"} == flags


def test_cookie_by_tls_is_secure_and_of_this_host_alone(house):
    by_tls = {"X-Forwarded-Proto": "https"}
    answer = house.client(None).post("/v1/session", json={"key": house.key("shop")}, headers=by_tls)
    cookie = answer.headers["set-cookie"]
    again = {**by_tls, "Cookie": cookie.partition(";")[0]}
    who = house.client(None).get("/v1/session", headers=again)
    assert (cookie.startswith(f"__Host-{COOKIE}="), "Secure" in cookie) == (True, True)
    assert who.json()["owner"] == "shop"


def test_session_may_what_its_key_may(house):
    client = logged_in(house, house.key("shop", "order"))
    assert order(client).status_code == 202
    assert told(client.get("/v1/pipeline")) == (403, "missing_scope")


def test_session_reaches_the_orders_of_its_owner_only(house):
    house.as_("shop").post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
    other = logged_in(house, house.key("other"))
    answers = [
        other.get("/v1/pipeline/status/a"),
        other.get("/artifacts/a/video.mp4"),
        other.post("/v1/pipeline/cancel/a"),
        other.post("/v1/pipeline/share/a"),
    ]
    assert [answer.status_code for answer in answers] == [404] * 4


def test_cookie_without_its_own_csrf_token_changes_nothing(house):
    client = logged_in(house, house.key("shop"), csrf=False)
    anothers = logged_in(house, house.key("shop")).headers[HEADER]
    for token in (None, "", "ü", "0" * 64, anothers):
        client.headers = httpx.Headers([] if token is None else [(HEADER.encode(), token.encode())])
        refused = [order(client), client.delete("/v1/sessions")]
        assert [told(answer) for answer in refused] == [(403, "bad_csrf_token")] * 2, token


def test_page_of_another_origin_has_no_use_of_the_cookie(house):
    client = logged_in(house, house.key("shop"))
    for headers in FOREIGN:
        refused = [order(client, **headers), client.get("/v1/pipeline", headers=headers)]
        assert [told(answer) for answer in refused] == [(403, "cross_origin")] * 2
    assert client.get("/v1/pipeline", headers=LINK_FROM_ELSEWHERE).status_code == 200


def test_page_of_another_origin_logs_nobody_in(house):
    key = {"key": house.key("shop")}
    answer = house.client(None).post("/v1/session", json=key, headers=FOREIGN[0])
    assert (told(answer), "set-cookie" in answer.headers) == ((403, "cross_origin"), False)


def test_key_that_is_sent_counts_and_not_the_cookie_beside_it(house):
    client = logged_in(house, house.key("shop"), csrf=False)
    sent = {"Authorization": f"Bearer {house.key('other')}"}
    wrong = {"Authorization": "Bearer castad_wrong"}
    assert client.get("/v1/session", headers=sent).json()["owner"] == "other"
    assert order(client, **sent).status_code == 202
    assert client.get("/v1/session", headers=wrong).status_code == 401


def test_revoked_key_ends_its_sessions(house):
    secret = house.key("shop")
    client = logged_in(house, secret)
    revoke_key(house.db, key_of(house, secret).id)
    assert eventually(lambda: client.get("/v1/session").status_code == 401)


def test_stream_of_a_session_ends_with_its_log_out(house):
    client = logged_in(house, house.key("shop"))
    client.post("/v1/pipeline/start", json={**BRIEF, "task_id": "a"})
    with stream(client, "/v1/pipeline/events/a") as each:
        seen = [next(each), next(each)]
        client.delete("/v1/session")
        seen += list(each)
    assert [frame.event for frame in seen] == ["snapshot", "message"]


def test_log_out_ends_this_session_and_no_other(house):
    secret = house.key("shop")
    here, there = logged_in(house, secret), logged_in(house, secret)
    cookie = here.cookies[COOKIE]
    answer = here.delete("/v1/session")
    again = house.client(None).get("/v1/session", headers={"Cookie": f"{COOKIE}={cookie}"})
    assert (answer.status_code, here.cookies.get(COOKIE)) == (204, None)
    assert (again.status_code, there.get("/v1/session").status_code) == (401, 200)


@ON_BOTH
def test_log_out_everywhere_ends_every_session_and_link_of_the_key(house):
    secret = house.key("shop")
    clients = [logged_in(house, secret) for _ in range(3)]
    other, link = logged_in(house, house.key("other")), Token.new()
    make_login_link(house.db, link, key_of(house, secret))
    clients[0].delete("/v1/sessions")
    assert [each.get("/v1/session").status_code for each in (*clients, other)] == [401] * 3 + [200]
    with pytest.raises(UnknownLoginLinkError):
        use_login_link(house.db, link, Token.new())


def test_log_in_replaces_the_session_that_the_browser_had(house):
    client = logged_in(house, house.key("shop"))
    client.post("/v1/session", json={"key": house.key("other")})
    assert (client.get("/v1/session").json()["owner"], count(house, sessions)) == ("other", 1)


def test_wrong_keys_look_all_alike(house):
    good = house.key("shop")
    revoked = house.key("shop")
    revoke_key(house.db, key_of(house, revoked).id)
    wrong = ("x", f"{good[:-4]}AAAA", revoked)
    answers = [house.client(None).post("/v1/session", json={"key": key}) for key in wrong]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1


def test_tries_to_log_in_are_limited_by_failures_alone(house):
    client, good = house.client(None), {"key": house.key("shop")}
    for _ in range(TRIES_PER_ADDRESS + 1):
        assert client.post("/v1/session", json=good).status_code == 204
    for _ in range(TRIES_PER_ADDRESS):
        assert told(client.post("/v1/session", json={"key": "x"})) == (401, "wrong_key")
    refused = client.post("/v1/session", json=good)
    assert told(refused) == (429, "rate_limited")
    assert 0 < int(refused.headers["retry-after"]) <= 60 / TRIES_PER_ADDRESS


@ON_BOTH
def test_login_link_begins_one_session_however_many_use_it_at_once(house):
    link, secret = Token.new(), house.key("shop")
    make_login_link(house.db, link, key_of(house, secret))

    def use(session: Token) -> bool:
        try:
            return bool(use_login_link(house.db, link, session))
        except UnknownLoginLinkError:
            return False

    tokens = [Token.new() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        used = list(pool.map(use, tokens))
    begun = [find_session_key(house.db, token.hash) is not None for token in tokens]
    assert (used, sum(used), count(house, login_links)) == (begun, 1, 0)


@ON_BOTH
def test_session_ends_by_itself_and_leaves_nothing_behind(house):
    key = key_of(house, house.key("shop"))
    old, new = Token.new(), Token.new()
    begin_session(house.db, old, key.id)
    house.steps.sql("UPDATE sessions SET expires_at = created_at")
    assert find_session_key(house.db, old.hash) is None
    begin_session(house.db, new, key.id)
    assert count(house, sessions) == 1


@ON_BOTH
def test_key_has_a_hundred_sessions_at_most_the_newest(house):
    key = key_of(house, house.key("shop"))
    tokens = [Token.new() for _ in range(102)]
    for token in tokens:
        begin_session(house.db, token, key.id)
    newest = find_session_key(house.db, tokens[-1].hash)
    assert (count(house, sessions), newest is not None) == (100, True)


def test_command_prints_a_login_link_of_the_key(house):
    secret = house.key("shop")
    done = castad("login-link", "--key", "shop", "--url", "https://castad.example/")
    address, _, text = done.stdout.strip().rpartition("/")
    given, session = Token.read(text), Token.new()
    assert given is not None
    assert use_login_link(house.db, given, session) == key_of(house, secret).id
    assert address == "https://castad.example/login"


@ON_BOTH
def test_secrets_are_in_no_log_and_in_no_table(house, caplog):
    caplog.set_level(logging.DEBUG, logger="castad")
    secret = house.key("shop")
    client = logged_in(house, secret)
    order(client)
    link = create_login_link(house.db, key_of(house, secret), "http://x").rpartition("/")[2]
    client.get(f"/s/{link}/files/video.mp4")
    client.get(f"/login/{link}")
    secrets = [secret, link, client.cookies[COOKIE], client.headers[HEADER]]
    url = house.db.url.render_as_string(hide_password=False)
    file = settings().home / "castad.db"
    values = sqlite_values(file) if house.db.is_sqlite else postgres_values(url)
    places = [caplog.text.encode(), *values]
    assert [leaks(each, *places) for each in secrets] == [[]] * 4


def test_login_link_that_was_used_says_so_before_the_tap(house):
    token = Token.new()
    make_login_link(house.db, token, key_of(house, house.key("shop")))
    first, second = house.client(None), house.client(None)
    address = f"/login/{token.text}"
    assert "<button" in first.get(address).text
    assert first.post(address).status_code == 303
    for language, sentence in (("ko", "이미 쓴 주소"), ("en", "was used")):
        after = second.get(f"{address}?lang={language}")
        assert (after.status_code, sentence in after.text) == (404, True)
        assert f'action="{address}"' not in after.text


@pytest.mark.parametrize(
    "content_type", [None, "application/json", "application/x-www-form-urlencoded"]
)
def test_bodies_are_read_alike_whatever_type_the_client_says(house, content_type):
    """As `curl -d` sends them."""
    headers = {} if content_type is None else {"Content-Type": content_type}
    admin = house.as_("admin", "admin")
    order = '{"customer_name": "A", "region": "B", "task_id": "r"}'
    bodies = {
        "/v1/pipeline/start": order,
        "/v1/pipeline/batch": f"[{order}]",
        "/v1/pipeline/resolve/r": '{"choice": "give_up"}',
        "/v1/pipeline/approve/r": '{"stage": "lyric"}',
        "/v1/pipeline/share/r": '{"days": 7}',
    }
    codes = [admin.post(path, content=body, headers=headers) for path, body in bodies.items()]
    assert [each.status_code for each in codes] == [202, 200, 409, 409, 409], [
        each.text for each in codes
    ]


def test_login_link_leads_to_the_address_that_is_running(house):
    house.key("admin", "admin")
    assert castad("login-link").stdout.startswith("http://127.0.0.1:8000/login/")
    save_address(settings().home, "http://127.0.0.1:8123")
    assert castad("login-link").stdout.startswith("http://127.0.0.1:8123/login/")
    remove_address(settings().home)
    assert castad("login-link").stdout.startswith("http://127.0.0.1:8000/login/")
