"""The API over a real ledger, on a real socket."""

import io
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import uvicorn
from PIL import Image

from castad.api.server.serve import ConnectionLimits, build_guarded_config
from castad.web.app import create_site
from resources.ledger.db.database import Database
from resources.ledger.queries.access import Scope, Secret, get_active_key
from resources.ledger.transitions.access import create_key, set_webhook_secret
from resources.process.settings import Settings, settings
from tests.eventually import eventually
from tests.ledger_steps import Steps
from tests.webhook_receiver import SECRET

OPEN = (
    "/healthz",
    "/readyz",
    "/readyz/{pipeline}",
    "/openapi.json",
    "/callbacks/{provider}/{token}",
    "/s/{token}/files/{name}",
)
"""The routes that need no key."""
LOGGING_IN_AND_OUT = (("POST", "/v1/session"), ("DELETE", "/v1/session"))
_NEEDED = {
    "/v1/pipeline/redo/{task_id}": {"from": "song"},
    "/v1/pipeline/retry": {"status": "dead"},
    "/v1/pipeline/cancel": {"status": "pending"},
}
_LIMITS = ConnectionLimits(1000)
BRIEF: Mapping[str, Any] = {"customer_name": "봄날 베이커리", "region": "전주"}


@dataclass
class House:
    """What a test asks of it; `as_` makes a client with a key of its own."""

    url: str
    db: Database
    app: Any
    clients: list[httpx.Client] = field(default_factory=list)

    @property
    def steps(self) -> Steps:
        return Steps(self.db)

    def key(self, owner: str, *scopes: str, rate: int | None = None) -> str:
        """A new key."""
        secret = Secret.new()
        chosen = [Scope(name) for name in scopes or ("order", "read")]
        create_key(self.db, secret, name=owner, owner=owner, scopes=chosen, rate_per_minute=rate)
        return secret.text

    def sign_for(self, owner: str) -> None:
        """The webhooks of the owner's orders are signed from now on."""
        set_webhook_secret(self.db, get_active_key(self.db, owner), SECRET, rotate=False)

    def client(self, key: str | None) -> httpx.Client:
        """A client that says this key."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        # Reading the CA certificates takes longer than most tests, and no test uses TLS here.
        client = httpx.Client(
            base_url=self.url, headers=headers, trust_env=False, verify=False, timeout=60
        )
        self.clients.append(client)
        return client

    def as_(self, owner: str, *scopes: str, rate: int | None = None) -> httpx.Client:
        """A client with a new key."""
        return self.client(self.key(owner, *scopes, rate=rate))

    def admin(self) -> httpx.Client:
        """A client that may do everything."""
        return self.as_("admin", "admin")


class _Server(uvicorn.Server):
    """One in a thread of the test."""

    def __init__(self, app: Any, limits: ConnectionLimits) -> None:
        super().__init__(build_guarded_config(app, "127.0.0.1", 0, limits, stop_seconds=1))
        self.thread = threading.Thread(target=self.run, daemon=True)

    @property
    def port(self) -> int:
        return int(self.servers[0].sockets[0].getsockname()[1])


ON_BOTH = pytest.mark.parametrize("house", ["sqlite", "postgres"], indirect=True)
"""Marks a test whose API runs over each kind of database; the others' runs over SQLite."""


def use_ledger(url: str, patch: pytest.MonkeyPatch) -> None:
    """This process' settings lead to this ledger; a SQLite one is where they lead anyway."""
    if url.startswith("postgresql"):
        patch.setenv("CASTAD_DATABASE_URL", url)
        settings.cache_clear()


@contextmanager
def served(config: Settings | None = None, limits: ConnectionLimits = _LIMITS) -> Iterator[House]:
    """The API of these settings, or else of this process', answers while the block runs."""
    app = create_site(config or settings())
    server = _Server(app, limits)
    server.thread.start()
    eventually(lambda: server.started)
    house = House(f"http://127.0.0.1:{server.port}", app.state.api.db, app)
    try:
        yield house
    finally:
        for client in house.clients:
            client.close()
        server.should_exit = True
        server.thread.join()
        house.db.close()


@dataclass(frozen=True)
class Frame:
    """One Server-Sent Event."""

    event: str
    id: str | None
    data: Any


def frames(response: httpx.Response) -> Iterator[Frame]:
    """The events of a stream as they come in; comments are left out."""
    said: dict[str, str] = {}
    for line in response.iter_lines():
        name, _, value = line.partition(":")
        if line and name:
            said[name] = value.strip()
        elif not line and "data" in said:
            yield Frame(said.get("event", "message"), said.get("id"), json.loads(said["data"]))
            said = {}
        elif not line:
            said = {}


@contextmanager
def stream(client: httpx.Client, path: str, after: str | None = None) -> Iterator[Iterator[Frame]]:
    """The frames of a stream, which is left at the end of the block."""
    headers = {} if after is None else {"Last-Event-ID": after}
    with client.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200, response.read()
        with closing(frames(response)) as each:
            yield each


@dataclass(frozen=True)
class Route:
    method: str
    path: str

    @property
    def is_open(self) -> bool:
        return self.path in OPEN or (self.method, self.path) in LOGGING_IN_AND_OUT

    @property
    def is_of_an_order(self) -> bool:
        return "{task_id}" in self.path

    def ask(self, client: httpx.Client, task_id: str = "a") -> httpx.Response:
        """Ask for it; of a stream only the head is read."""
        names = {
            "task_id": task_id,
            "name": "video.mp4",
            "provider": "suno",
            "token": "t",
            "webhook_id": 1,
            "hour": "-1",
            "id": task_id,
            "owner": "shop",
            "repo": "till",
            "pipeline": "song_video",
            "stage": "lyric",
            "key_id": "1a2b3c4d5e6f",
        }
        path, content = (
            self.path.replace(":path}", "}").format_map(defaultdict(lambda: "1", names)),
            b"{}" if self.method in ("POST", "PATCH") else None,
        )
        with client.stream(
            self.method, path, params=_NEEDED.get(self.path), content=content
        ) as response:
            if "event-stream" not in response.headers.get("content-type", ""):
                response.read()
            return response


def described(paths: dict[str, dict[str, object]]) -> list[Route]:
    return [Route(method.upper(), path) for path, item in paths.items() for method in item]


def picture() -> bytes:
    """A small one."""
    file = io.BytesIO()
    Image.new("RGB", (64, 64), "teal").save(file, "PNG")
    return file.getvalue()
