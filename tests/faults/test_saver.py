"""`castad worker --lane saves` with a real RabbitMQ: queues by which other programs save and ask."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from kombu.connection import Connection
from kombu.entity import Queue

from castad.saver.queues import DEAD_SECONDS, dead_queue, declared_queue
from pipeline_defs.catalog import catalog
from pipeline_defs.scan.characters.store import owned, sqlite_url
from resources.process.settings import PROJECT_ROOT, settings
from tests.brokers import RabbitServer
from tests.eventually import eventually

OWNERSHIP, CHARACTER, MATCH = (
    "castad.character.reward",
    "castad.my.reward",
    "castad.character.match",
)
SAVE: Mapping[str, Any] = {
    "user_id": "u",
    "code": "char-glass",
    "name": "반짝병",
    "type": "glass",
    "task_id": "s1",
    "won_at": 1.0,
}
UNREADABLE = {
    "no-json": b"{",
    "no-object": b"[]",
    "no-field": json.dumps({"user_id": "u"}).encode(),
    "too-long": json.dumps({**SAVE, "name": "x" * 10_000}).encode(),
    "no-utf-8": b"\xff\xfe",
}


@pytest.fixture(scope="module")
def rabbitmq() -> Iterator[RabbitServer]:
    with RabbitServer() as server:
        yield server


@pytest.fixture
def broker(rabbitmq: RabbitServer, monkeypatch: pytest.MonkeyPatch) -> RabbitServer:
    rabbitmq.flush()
    monkeypatch.setenv("CASTAD_BROKER_URL", rabbitmq.url)
    settings.cache_clear()
    return rabbitmq


@contextmanager
def saver(log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker of the lane `saves`; it is gone after the block."""
    command = [sys.executable, "-m", "castad", "worker", "--lane", "saves"]
    with log.open("ab") as stderr:
        process = subprocess.Popen(command, env=os.environ, stderr=stderr)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def queue_of(name: str) -> Queue:
    queues = catalog().pipeline("scan").stateless
    assert queues is not None
    return declared_queue(name, queues.queues[name].ttl)


def publish(broker: RabbitServer, name: str, *bodies: bytes, **properties: Any) -> None:
    """The messages are in the queue, which is there whether a worker is or not."""
    with Connection(broker.url) as connection, connection.channel() as channel:
        dead_queue(name)(channel).declare()
        queue_of(name)(channel).declare()
        producer = connection.Producer(channel)
        for body in bodies:
            producer.publish(
                body,
                exchange="castad.saves",
                routing_key=name,
                content_type="application/json",
                content_encoding="utf-8",
                delivery_mode=2,
                **properties,
            )


def messages_in(broker: RabbitServer, queue: Queue) -> int:
    with Connection(broker.url) as connection, connection.channel() as channel:
        return int(queue(channel).queue_declare(passive=True).message_count)


def as_json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def owned_by(user: str) -> list[str]:
    return owned(sqlite_url(settings().home, "character"), user)


def my_rows() -> int:
    """How many characters users have; none before the first save has made the table."""
    with sqlite3.connect(settings().home / "my.db") as connection, suppress(sqlite3.Error):
        query = "SELECT count(*) FROM my_characters"
        return int(connection.execute(query).fetchone()[0])
    return 0


def test_rabbitmq_save_reaches_its_database_once(broker: RabbitServer, tmp_path: Path) -> None:
    publish(broker, OWNERSHIP, as_json(SAVE), as_json(SAVE))
    publish(broker, CHARACTER, as_json(SAVE), as_json(SAVE))
    with saver(tmp_path / "log"):
        assert eventually(lambda: owned_by("u") == ["char-glass"])
        assert eventually(lambda: my_rows() == 1)


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_rabbitmq_message_that_cannot_be_read_is_a_dead_letter_and_stops_no_other(
    broker: RabbitServer, tmp_path: Path, body: bytes
) -> None:
    publish(broker, OWNERSHIP, body, as_json(SAVE))
    with saver(tmp_path / "log"):
        assert eventually(lambda: owned_by("u") == ["char-glass"])
        assert eventually(lambda: messages_in(broker, dead_queue(OWNERSHIP)) == 1)


def test_rabbitmq_queues_have_the_times_of_the_source_system() -> None:
    lives = {name: queue_of(name).queue_arguments["x-message-ttl"] for name in (OWNERSHIP, MATCH)}
    assert lives == {OWNERSHIP: 86_400_000, MATCH: 30_000}
    assert dead_queue(OWNERSHIP).queue_arguments == {"x-message-ttl": DEAD_SECONDS * 1000}


def ask(broker: RabbitServer, body: bytes) -> tuple[str, Any]:
    """The reply to a call: its correlation id and its content."""
    answers: list[tuple[str, Any]] = []
    with Connection(broker.url) as connection, connection.channel() as channel:
        reply = Queue(f"reply-{uuid4().hex}", exclusive=True, auto_delete=True, durable=False)
        bound = reply(channel)
        bound.declare()
        publish(broker, MATCH, body, reply_to=reply.name, correlation_id="c1")

        def has_come() -> bool:
            message = bound.get(no_ack=True)
            if message is not None:
                answers.append((message.properties["correlation_id"], message.decode()))
            return bool(answers)

        assert eventually(has_come)
    return answers[0]


def test_rabbitmq_call_is_answered_to_who_asked(broker: RabbitServer, tmp_path: Path) -> None:
    with saver(tmp_path / "log"):
        correlation, answer = ask(broker, as_json({"middle_category": "유리병"}))
    assert (correlation, answer["match"]["code"]) == ("c1", "char-glass")


def test_rabbitmq_call_that_cannot_be_read_is_answered_with_its_error(
    broker: RabbitServer, tmp_path: Path
) -> None:
    with saver(tmp_path / "log"):
        _, answer = ask(broker, as_json({"middle_category": 7}))
    assert answer["error"]["message"] == "middle_category: expected text"


def test_rabbitmq_that_was_killed_is_consumed_again(broker: RabbitServer, tmp_path: Path) -> None:
    with saver(tmp_path / "log"):
        publish(broker, OWNERSHIP, as_json(SAVE))
        assert eventually(lambda: owned_by("u") == ["char-glass"])
        broker.kill()
        broker.start()
        publish(broker, OWNERSHIP, as_json({**SAVE, "user_id": "u2"}))
        assert eventually(lambda: owned_by("u2") == ["char-glass"])


def test_rabbitmq_save_is_lost_by_no_kill_of_the_worker(
    broker: RabbitServer, tmp_path: Path
) -> None:
    users = [f"u{number}" for number in range(100)]
    publish(broker, OWNERSHIP, *(as_json({**SAVE, "user_id": user}) for user in users))
    for kill_at in (5, 40):
        with saver(tmp_path / "log"):
            assert eventually(
                lambda at=kill_at: sum(bool(owned_by(user)) for user in users) >= at  # type: ignore[misc]
            )
    with saver(tmp_path / "log"):
        assert eventually(lambda: all(owned_by(user) == ["char-glass"] for user in users))


def test_rabbitmq_worker_that_is_told_to_stop_ends_well(
    broker: RabbitServer, tmp_path: Path
) -> None:
    publish(broker, OWNERSHIP, as_json(SAVE))
    with saver(tmp_path / "log") as process:
        assert eventually(lambda: owned_by("u") == ["char-glass"])
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


@pytest.mark.slow
def test_rabbitmq_save_and_call_from_node(broker: RabbitServer, tmp_path: Path) -> None:
    script = tmp_path / "save.mjs"
    script.write_text((PROJECT_ROOT / "examples" / "save.mjs").read_text())
    subprocess.run(["npm", "install", "--silent", "amqplib"], cwd=tmp_path, check=True)
    publish(broker, MATCH)
    publish(broker, OWNERSHIP)
    publish(broker, CHARACTER)
    command = ["node", str(script), broker.url.rstrip("/"), json.dumps(SAVE)]
    with saver(tmp_path / "log"):
        answer = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        assert json.loads(answer.stdout)["match"]["code"] == "char-glass"
        assert eventually(lambda: owned_by("u") == ["char-glass"])
        assert eventually(lambda: my_rows() == 1)
