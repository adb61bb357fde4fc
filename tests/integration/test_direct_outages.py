"""Databases that are away, and processes that are killed, delay what is kept of an answer and lose none of it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest

from castad.direct.pool import list_targets
from castad.stack.processes import find_free_port
from pipeline_defs.catalog import get_catalog
from pipeline_defs.scan.characters.store import list_owned
from resources.delivery.spool import deliver_spool, open_spool
from resources.ledger.db.database import open_database
from resources.ledger.queries.status import get_request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from tests.api_house import served, use_ledger
from tests.direct_house import ANSWER, GLASS, events_of
from tests.eventually import eventually
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.processes


@pytest.fixture
def away_url(own_server: PostgresServer) -> str:
    return own_server.create(f"away_{uuid4().hex}")


@contextmanager
def stopped(server: PostgresServer) -> Iterator[None]:
    """The server is down while the block runs."""
    server.shut_down()
    try:
        yield
    finally:
        server.start_again()


def waiting_targets() -> set[str]:
    return {each.target for each in open_spool(settings().home).waiting()}


def test_postgres_stopped_amid_fifty_scans_delays_saves_and_no_answer(
    own_server, away_url, monkeypatch
):
    monkeypatch.setenv("CASTAD_CHARACTER_DATABASE_URL", away_url)
    monkeypatch.setenv("CASTAD_MY_DATABASE_URL", away_url)
    use_ledger(away_url, monkeypatch)
    orders = [{**GLASS, "task_id": f"s{n}", "user_id": f"u{n}"} for n in range(50)]
    with served() as house, ThreadPoolExecutor(5) as clients:
        client = house.as_("shop")

        def last_of(order: dict[str, Any]) -> dict[str, Any]:
            return events_of(client, order)[-1]

        before = list(clients.map(last_of, orders[:25]))
        with stopped(own_server):
            after = list(clients.map(last_of, orders[25:]))
        assert all(last["result"]["kept"] for last in (*before, *after))
        assert eventually(lambda: not waiting_targets())
        db = open_database(settings().ledger_url)
        assert {get_request(db, f"s{n}").status for n in range(50)} == {Status.COMPLETED}
        assert {tuple(list_owned(away_url, f"u{n}")) for n in range(50)} == {("char-glass",)}
        db.close()
    assert open_spool(settings().home).dead() == []


def test_key_that_was_made_right_before_the_outage_is_known(own_server, away_url, monkeypatch):
    use_ledger(away_url, monkeypatch)
    with served() as house:
        client = house.as_("shop")
        events_of(client, {**GLASS, "task_id": "s1"})
        with stopped(own_server):
            assert events_of(client, {**GLASS, "task_id": "s2"})[-1]["result"]["kept"]


@pytest.mark.parametrize("which", ["character", "my"])
def test_one_save_database_that_is_away_delays_its_own_saves_only(
    which, own_server, away_url, sqlite_ledger_url, monkeypatch
):
    monkeypatch.setenv(f"CASTAD_{which.upper()}_DATABASE_URL", away_url)
    settings.cache_clear()
    with served() as house:
        with stopped(own_server):
            last = events_of(house.as_("shop"), {**GLASS, "task_id": "s1"})[-1]
            assert last["result"]["reward"]
            assert eventually(lambda: len(waiting_targets()) == 1)
            assert waiting_targets().pop().startswith(f"{which}.")
        assert eventually(lambda: not waiting_targets())


def test_process_killed_right_after_the_last_event_loses_nothing(sqlite_ledger_url):
    port = find_free_port()
    command = [sys.executable, "-m", "castad", "api", "--port", str(port)]
    api = subprocess.Popen(command, env=os.environ, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        assert eventually(lambda: _answers(url))
        key = (settings().home / "admin.key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        order = {**GLASS, "task_id": "s1"}
        with httpx.stream("POST", f"{url}{ANSWER}", headers=headers, json=order) as response:
            assert any('"result"' in line for line in response.iter_lines())
            api.send_signal(signal.SIGKILL)
    finally:
        api.kill()
        api.wait()
    assert eventually(_all_delivered)
    db = open_database(settings().ledger_url)
    assert get_request(db, "s1").status is Status.COMPLETED
    assert list_owned(f"sqlite:///{settings().home / 'character.db'}", "user-1") == ["char-glass"]
    db.close()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def _all_delivered() -> bool:
    deliver_spool(open_spool(settings().home), list_targets(get_catalog()))
    return not waiting_targets()
