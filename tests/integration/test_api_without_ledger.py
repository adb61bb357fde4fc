"""The API while its ledger is away: it lives, answers scans by the keys it knows, and works again by itself."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from castad.api.keys import KnownKeys, has_known_keys
from castad.stack.processes import find_free_port
from resources.ledger.db.database import Database, database_of
from resources.ledger.queries.access import Scope, Secret
from resources.ledger.transitions.access import create_key, revoke_key
from resources.process.settings import Settings, settings
from tests.api_house import served, use_ledger
from tests.command_line import castad
from tests.direct_house import ANSWER, GLASS, events_of
from tests.eventually import eventually
from tests.postgres_server import PostgresServer


@pytest.fixture
def away_url(own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    url = own_server.create(f"away_{uuid4().hex}")
    use_ledger(url, monkeypatch)
    return url


@contextmanager
def stopped(server: PostgresServer) -> Iterator[None]:
    server.shut_down()
    try:
        yield
    finally:
        server.start_again()


def key_of_shop(url: str) -> str:
    """A key that this machine knows from an API that has run before."""
    with served() as house:
        key = house.key("shop")
        assert eventually(lambda: Secret.read(key).hash in keys_file())  # type: ignore[union-attr]
    database_of.cache_clear()
    return key


def keys_file() -> str:
    path = settings().home / "keys.json"
    return path.read_text() if path.is_file() else ""


def test_process_that_starts_without_its_ledger_answers_scans_and_works_once_it_is_back(
    own_server, away_url
):
    key = key_of_shop(away_url)
    with stopped(own_server), served() as house:
        client = house.client(key)
        probes = {path: client.get(path).status_code for path in PROBES}
        assert events_of(client, GLASS)[-1]["result"]
        refused = client.get("/v1/pipeline/status/none")
        own_server.start_again()
        assert eventually(lambda: client.get("/readyz").status_code == 200)
        assert client.get("/v1/pipeline/status/none").status_code == 404
        assert house.admin().get("/metrics").status_code == 200
        own_server.shut_down()
    assert probes == {"/healthz": 200, "/readyz/scan": 200, "/readyz": 503}
    assert (refused.status_code, refused.headers["content-type"]) == (
        503,
        "application/problem+json",
    )


PROBES = ("/healthz", "/readyz/scan", "/readyz")


@pytest.mark.processes
def test_command_starts_without_its_ledger_where_the_keys_are_known(own_server, away_url):
    key = key_of_shop(away_url)
    port = find_free_port()
    command = [sys.executable, "-m", "castad", "api", "--port", str(port)]
    with stopped(own_server):
        process = subprocess.Popen(command, env=os.environ)
        try:
            url = f"http://127.0.0.1:{port}"
            assert eventually(lambda: is_answered(f"{url}/readyz/scan"))
            headers = {"Authorization": f"Bearer {key}"}
            scanned = httpx.post(f"{url}{ANSWER}", headers=headers, json=GLASS, trust_env=False)
            assert '"result"' in scanned.text
        finally:
            process.terminate()
            process.wait()


def is_answered(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def test_command_answers_without_a_ledger_while_a_budget_is_set(monkeypatch):
    monkeypatch.setenv("CASTAD_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    monkeypatch.setenv("CASTAD_DAILY_BUDGET", "1")
    settings.cache_clear()
    answered = castad("scan", "--note", "소주병", "--json")
    assert (answered.returncode, json.loads(answered.stdout)["status"]) == (0, "completed")


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


@contextmanager
def known(db: Database, home: Settings) -> Iterator[KnownKeys]:
    keys = KnownKeys(db, home)
    keys.start()
    try:
        yield keys
    finally:
        keys.stop()


@pytest.fixture
def secret(db: Database) -> Secret:
    secret = Secret.new()
    create_key(db, secret, name="shop", owner="shop", scopes=[Scope.ORDER])
    return secret


def aged(home: Settings, seconds: float, **changes: object) -> None:
    """The copy on this machine is so much older, and otherwise changed."""
    path = home.home / "keys.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({**kept, "read_at": time.time() - seconds, **changes}))


@pytest.fixture
def kept(db: Database, home: Settings, secret: Secret) -> Secret:
    """The key, which is in a copy on this machine."""
    with known(db, home) as keys:
        assert eventually(lambda: keys.find_key(secret) is not None)
        assert eventually(lambda: has_known_keys(home))
    return secret


class Away(Database):
    """A ledger that does not answer."""

    def __init__(self) -> None:
        super().__init__("postgresql://127.0.0.1:1/none", at_once=False)


@pytest.mark.parametrize(
    ("seconds", "serves"), [(0, True), (3500, True), (3700, False), (-600, False)]
)
def test_copy_of_the_keys_serves_for_an_hour(kept, home, seconds, serves):
    aged(home, seconds)
    with known(Away(), home) as keys:
        assert (keys.find_key(kept) is not None, has_known_keys(home)) == (serves, serves)


def test_copy_of_another_ledger_serves_nobody(kept, home):
    aged(home, 0, ledger="other")
    assert not has_known_keys(home)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"keys": 7}', '{"ledger": null}', "\0"])
def test_copy_that_cannot_be_read_is_none(home, content):
    (home.home / "keys.json").write_text(content)
    assert not has_known_keys(home)


def test_copy_holds_no_secret_and_is_the_owners_alone(kept, home):
    path = home.home / "keys.json"
    assert kept.text.rpartition("_")[2] not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_key_that_is_revoked_is_neither_known_nor_in_the_copy(db, kept, home):
    with known(db, home) as keys:
        key = keys.find_key(kept)
        assert key is not None
        revoke_key(db, kept.id)
        assert eventually(lambda: keys.find_key(kept) is None)
        assert eventually(lambda: not keys.is_valid(key))
        assert eventually(lambda: not has_known_keys(home))
