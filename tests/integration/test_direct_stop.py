"""A process that is stopped amid scans: every client has an end."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from castad.stack.processes import find_free_port
from resources.process.settings import settings
from tests.direct_house import ANSWER
from tests.eventually import eventually
from tests.fakes.faults import ALWAYS, Fault
from tests.fakes.openai import FakeOpenAI
from tests.integration.test_direct_vendor import KEY

pytestmark = pytest.mark.processes
STREAMS = 60


@pytest.fixture
def openai(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_ledger_url: str
) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(tmp_path / "vendor", key=KEY) as vendor:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
        settings.cache_clear()
        yield vendor


@contextmanager
def api(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """An API of its own at this port, which answers."""
    command = [sys.executable, "-m", "castad", "api", "--port", str(port)]
    process = subprocess.Popen(command, env=os.environ, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: is_answered(f"http://127.0.0.1:{port}/healthz"))
        yield process
    finally:
        process.kill()
        process.wait()


def is_answered(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


class Clients:
    """So many clients of one key, each with its stream: `ends` are the last events, None where there was none."""

    def __init__(self, url: str) -> None:
        key = (settings().home / "admin.key").read_text().strip()
        self._url = url
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"}, trust_env=False, timeout=90
        )
        self._pool = ThreadPoolExecutor(STREAMS)
        self._begun = threading.Semaphore(0)
        self._scans: list[Future[str]] = []

    def close(self) -> None:
        self._pool.shutdown()
        self._client.close()

    def begin(self, least: int = STREAMS) -> None:
        """So many streams have begun, and the others are on their way."""
        self._scans = [self._pool.submit(self._scan, number) for number in range(STREAMS)]
        for _ in range(least):
            assert self._begun.acquire(timeout=60)

    def ends(self) -> Counter[str]:
        """How the streams have ended."""
        return Counter(each.result(timeout=90) for each in self._scans)

    def _scan(self, number: int) -> str:
        order = {"note": "소주병", "task_id": f"s{number}"}
        last = {}
        try:
            with self._client.stream("POST", f"{self._url}{ANSWER}", json=order) as answer:
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        if not last:
                            self._begun.release()
                        last = json.loads(line[6:])
        except httpx.HTTPError as error:
            return type(error).__name__
        if answer.status_code != 200:
            return str(answer.status_code)
        return "answered" if "result" in last else str(last.get("error", {}).get("code"))


def test_stop_lets_running_scans_end_and_ends_the_others(openai, monkeypatch):
    monkeypatch.setenv("CASTAD_DIRECT_THREADS", "16")
    openai.script(Fault("drip_headers", "submit", times=ALWAYS, pause=0.01))
    port = find_free_port()
    with api(port) as process, closing(Clients(f"http://127.0.0.1:{port}")) as clients:
        clients.begin()
        process.send_signal(signal.SIGTERM)
        ends = clients.ends()
        process.wait(60)
    assert set(ends) == {"answered", "stopping"}
    assert ends.total() == STREAMS


def test_streams_that_outlast_the_grace_have_an_end(openai, monkeypatch):
    monkeypatch.setenv("CASTAD_STOP_GRACE", "1")
    openai.script(Fault("hang_headers", "submit", times=ALWAYS))
    port = find_free_port()
    with api(port) as process, closing(Clients(f"http://127.0.0.1:{port}")) as clients:
        clients.begin()
        process.send_signal(signal.SIGTERM)
        ends = clients.ends()
        process.wait(60)
    assert ends == {"stopping": STREAMS}


def test_clients_that_arrive_amid_the_stop_have_an_end(openai, monkeypatch):
    monkeypatch.setenv("CASTAD_STOP_GRACE", "1")
    openai.script(Fault("hang_headers", "submit", times=ALWAYS))
    port = find_free_port()
    with api(port) as process, closing(Clients(f"http://127.0.0.1:{port}")) as clients:
        clients.begin(5)
        process.send_signal(signal.SIGTERM)
        ends = clients.ends()
        process.wait(60)
    assert set(ends) <= {"stopping", "503", "ConnectError"}
