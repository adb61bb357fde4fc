"""A real browser that opens a page of another origin, beside a running `castad up` whose vendors keep books."""

import http.server
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from castad.stack.processes import find_free_port
from tests.browser.chromium import REBOUND, Tab, browsing
from tests.castad_up import Up, castad_up, running
from tests.eventually import eventually
from tests.hostile import READING, in_address, launching
from tests.integration.vendor_house import set_environment

PAGES = Path(__file__).parent
PASSWORD = "long enough to ask for"
NOTHING: dict[str, int] = {"lyric": 0, "song": 0, "video": 0}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("up")
    with castad_up(folder, folder / "home") as up:
        yield up


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    with browsing(tmp_path) as tab:
        yield tab


@pytest.fixture(scope="module")
def attacker() -> Iterator[int]:
    """The port of a web server that has the hostile page."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=PAGES))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("site", ["127.0.0.1", "localhost", REBOUND])
@pytest.mark.parametrize("operation", [launching("hostile"), READING], ids=["launch", "read"])
def test_page_of_another_origin_neither_launches_nor_reads(up, tab, attacker, site, operation):
    tab.go(f"http://{site}:{attacker}/attack.html")
    seen = tab.evaluate(
        f"attack({json.dumps(up.ui)}, {json.dumps(up.api)}, {json.dumps(operation)})"
    )
    assert {what: text for what, text in seen.items() if text is not None} == {}
    assert up.bought() == (NOTHING, [])
    assert runs_of(up) == []


def test_name_that_has_come_to_lead_here_opens_nothing(up, tab):
    port = up.ui.rpartition(":")[2]
    tab.go(f"http://{REBOUND}:{port}/")
    for operation in (launching("rebound"), READING):
        assert tab.evaluate(posting(operation)) == 421
        assert tab.evaluate(f"fetch('/graphql?{in_address(operation)}').then(r => r.status)") == 421
    assert up.bought() == (NOTHING, [])


def test_link_from_another_page_opens_the_ui_and_it_works(up, tab, attacker):
    tab.go(f"http://localhost:{attacker}/attack.html")
    tab.evaluate(f"void (location.href = {json.dumps(up.ui + '/locations')})")
    assert_ui_is_shown(tab)
    assert tab.evaluate(posting(READING)) == 200


@pytest.fixture
def ui_with_password(up: Up, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A second UI of the same state, which asks for a password."""
    set_environment(monkeypatch, {"CASTAD_HOME": str(Path(up.db.url.database or "").parent)})
    monkeypatch.setenv("CASTAD_UI_PASSWORD", PASSWORD)
    port = find_free_port()
    with running(tmp_path, ["ui", "--port", str(port)], f"http://127.0.0.1:{port}/server_info"):
        yield f"127.0.0.1:{port}"


def test_ui_works_for_who_has_the_password(ui_with_password, tab):
    # In place of the prompt; a page whose own address held the password could ask for nothing.
    tab.go(f"http://anybody:{quote(PASSWORD)}@{ui_with_password}/server_info")
    tab.go(f"http://{ui_with_password}/locations")
    assert_ui_is_shown(tab)


def assert_ui_is_shown(tab: Tab) -> None:
    """The page, what it asks by GraphQL, and its WebSocket."""
    assert eventually(lambda: tab.shows("castad"))
    opening = (
        "new Promise((yes, no) => { const s = new WebSocket(`ws://${location.host}/graphql`, 'graphql-ws');"
        " s.onopen = () => yes('open'); s.onerror = () => yes('refused') })"
    )
    assert tab.evaluate(opening) == "open"


def posting(operation: dict[str, object]) -> str:
    """A script that sends it as the UI does, and comes to the answer's status."""
    head = {"method": "POST", "headers": {"content-type": "application/json"}}
    sent = json.dumps({**head, "body": json.dumps(operation)})
    return f"fetch('/graphql', {sent}).then(r => r.status)"


def runs_of(up: Up) -> list[object]:
    answer = httpx.post(f"{up.ui}/graphql", json=READING, trust_env=False).json()
    runs: list[object] = answer["data"]["runsOrError"]["results"]
    return runs
