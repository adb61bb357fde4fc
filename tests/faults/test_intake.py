"""10,000 orders through `castad intake`, whose processes and whose Valkey are killed meanwhile: each once."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import redis
from sqlalchemy import func, select

from castad.intake.messages import derive_task_id
from castad.intake.stream import ORDERS, REFUSED
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import requests
from resources.process.settings import PROJECT_ROOT
from tests.brokers import RedisServer
from tests.eventually import eventually

pytestmark = pytest.mark.timeout(900)

MESSAGES = 10_000
POISON_EVERY = 50
INTAKES = 2
KILLS = 12
PATIENCE_SECONDS = 300
BRIEF = {"customer_name": "봄날 베이커리", "region": "전주"}


@pytest.fixture
def valkey() -> Iterator[RedisServer]:
    with RedisServer(keeps=True) as server:
        yield server


class Intakes:
    """Processes of `castad intake`, of which one may be killed: another begins in its place."""

    def __init__(self, valkey: RedisServer, home: Path) -> None:
        self._environment = {
            **os.environ,
            "CASTAD_INTAKE_URL": valkey.url,
            "CASTAD_HOME": str(home),
            "CASTAD_LEASE_SECONDS": "1",
            "CASTAD_BEAT_SECONDS": "0.5",
        }
        self._running = [self._start() for _ in range(INTAKES)]

    def kill_one(self) -> None:
        """The oldest is gone by SIGKILL, and a new one begins."""
        oldest = self._running.pop(0)
        oldest.kill()
        oldest.wait()
        self._running.append(self._start())

    def end(self) -> None:
        for process in self._running:
            process.kill()
            process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "castad", "intake"]
        return subprocess.Popen(
            command, env=self._environment, cwd=PROJECT_ROOT, stderr=subprocess.DEVNULL
        )


@contextmanager
def intakes(valkey: RedisServer, home: Path) -> Iterator[Intakes]:
    started = Intakes(valkey, home)
    try:
        yield started
    finally:
        started.end()


def is_poison(number: int) -> bool:
    return number % POISON_EVERY == 0


def message_id(number: int) -> str:
    """An id of the sender's own: sending it again after a lost reply adds nothing."""
    return f"{number}-1"


def send_all(valkey: RedisServer) -> None:
    """Every message is in the stream once, however often Valkey was away."""
    with redis.Redis.from_url(valkey.url) as client:
        for number in range(1, MESSAGES + 1):
            text = "poison" if is_poison(number) else json.dumps(BRIEF)
            while not _sent(client, number, text):
                threading.Event().wait(0.05)


def _sent(client: "redis.Redis", number: int, text: str) -> bool:
    try:
        client.xadd(ORDERS, {"order": text}, id=message_id(number))
    except redis.ResponseError as error:
        return "equal or smaller" in str(error)
    except redis.RedisError:
        return False
    return True


def count(db: Database) -> int:
    with db.reading() as tx:
        return int(tx.execute(select(func.count()).select_from(requests)).scalar_one())


def stream_length(valkey: RedisServer, stream: str) -> int:
    with suppress(redis.RedisError), redis.Redis.from_url(valkey.url) as client:
        return int(client.xlen(stream))
    return -1


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_orders_are_each_once_in_the_ledger_however_often_intake_and_valkey_are_killed(
    valkey, home
):
    home.mkdir(mode=0o700)
    db = Database(f"sqlite:///{home / 'castad.db'}")
    expected = MESSAGES - MESSAGES // POISON_EVERY
    sender = threading.Thread(target=send_all, args=(valkey,))
    with intakes(valkey, home) as processes:
        sender.start()
        for kill in range(1, KILLS + 1):
            passed = expected * kill // (KILLS + 2)
            assert eventually(lambda passed=passed: count(db) >= passed, PATIENCE_SECONDS)
            processes.kill_one()
            if kill % 4 == 0:
                valkey.kill()
                valkey.start()
        sender.join()
        assert eventually(lambda: stream_length(valkey, ORDERS) == 0, PATIENCE_SECONDS)
    with db.reading() as tx:
        found = [str(name) for name in tx.execute(select(requests.c.task_id)).scalars()]
    good = (number for number in range(1, MESSAGES + 1) if not is_poison(number))
    assert sorted(found) == sorted(derive_task_id(message_id(number), ORDERS) for number in good)
    assert stream_length(valkey, REFUSED) == MESSAGES // POISON_EVERY
    db.close()
