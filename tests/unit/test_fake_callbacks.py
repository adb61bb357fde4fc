"""The fake vendors call back over real HTTP, as a test wants it, and nobody but this machine."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.eventually import eventually
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.listener import Listener
from tests.fakes.server import FakeVendor
from tests.fakes.suno import FakeSuno

SONG = {"customMode": True, "instrumental": True, "model": "V4_5", "style": "pop", "title": "Paws"}
VIDEO = {
    "output_format": "mp4",
    "width": 320,
    "height": 568,
    "frame_rate": 30,
    "duration": 2,
    "elements": [{"type": "text", "text": "Happy paws"}],
}


@pytest.fixture
def suno(tmp_path: Path) -> Iterator[FakeSuno]:
    with FakeSuno(tmp_path) as fake:
        yield fake


@pytest.fixture
def creatomate(tmp_path: Path) -> Iterator[FakeCreatomate]:
    with FakeCreatomate(tmp_path) as fake:
        yield fake


def ask(fake: FakeVendor, method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {fake.key}"}
    with httpx.Client(
        base_url=fake.url, headers=headers, timeout=20, trust_env=False, verify=False
    ) as client:
        return client.request(method, path, json=body).json()


def song(suno: FakeSuno, address: str) -> str:
    """The task of a song whose order wants to be called back there."""
    answer = ask(suno, "POST", "/api/v1/generate", {**SONG, "callBackUrl": address})
    return str(answer["data"]["taskId"])


def render(creatomate: FakeCreatomate, address: str) -> str:
    return str(ask(creatomate, "POST", "/v2/renders", {**VIDEO, "webhook_url": address})["id"])


@dataclass
class Called:
    """Who is called back, and with what."""

    address: str
    bodies: list[Any] = field(default_factory=list)
    status: int = 200

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.bodies.append(json.loads(handler.rfile.read(int(handler.headers["Content-Length"]))))
        handler.send_response(self.status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()


@pytest.fixture
def called() -> Iterator[Called]:
    listener = Listener(0, lambda handler: who.answer(handler))
    who = Called(f"{listener.origin}/callbacks/some/token")
    listener.start()
    yield who
    listener.close()


@pytest.mark.parametrize(("kind", "audible"), [("text", 0), ("first", 1), ("complete", 2)])
def test_sunos_callback_names_the_task_and_the_songs_that_are_there(suno, called, kind, audible):
    task = song(suno, called.address)
    assert suno.call_back(task, kind) == [200]
    [body] = called.bodies
    told = body["data"]
    assert (body["code"], told["callbackType"], told["task_id"]) == (200, kind, task)
    assert [bool(one["audio_url"]) for one in told["data"]].count(True) == audible


def test_nobody_is_called_back_unless_a_test_wants_it(suno, called):
    song(suno, called.address)
    suno.close()
    assert called.bodies == []


def test_callback_that_is_not_answered_well_comes_again(creatomate, called):
    called.status = 503
    creatomate.set(calls_back=True)
    render(creatomate, called.address)
    assert eventually(lambda: len(called.bodies) == 1)
    called.status = 200
    assert eventually(lambda: len(called.bodies) == 2)


@pytest.mark.parametrize(
    "address", ["https://castad.invalid/callbacks/suno/t", "http://192.0.2.1/callbacks/suno/t"]
)
def test_nobody_but_this_machine_is_ever_called(suno, address):
    suno.set(early=["text"], calls_back=True)
    task = song(suno, address)
    with pytest.raises(ValueError, match="nobody to be called"):
        suno.call_back(task, "text")
