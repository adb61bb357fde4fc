"""`castad worker --queue saves` with a real RabbitMQ: queues by which other programs save and ask."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from amqp.exceptions import PreconditionFailed
from kombu.connection import Connection
from kombu.entity import Queue

from castad.engine.app import make_app
from castad.engine.app import publish as publish_run
from castad.saver import make_dead_queue, make_queue
from pipeline_defs.capabilities import Stateless
from pipeline_defs.catalog import get_catalog
from pipeline_defs.scan.saves import SAVE_OWNERSHIP
from resources.delivery.spool import Entry, Spool
from resources.process.settings import PROJECT_ROOT, settings
from tests.brokers import RabbitServer
from tests.eventually import eventually

pytestmark = pytest.mark.timeout(240)

OWNERSHIP, CHARACTER, MATCH = (
    "castad.character.reward",
    "castad.my.reward",
    "castad.character.match",
)
DAY = 24 * 3600 * 1000
LIVES = {OWNERSHIP: DAY, CHARACTER: DAY, MATCH: 30_000}
TABLES = {
    OWNERSHIP: ("character.db", "character_ownerships"),
    CHARACTER: ("my.db", "my_characters"),
}
SAVE: Mapping[str, Any] = {
    "user_id": "u",
    "code": "char-glass",
    "name": "반짝병",
    "type": "glass",
    "task_id": "s1",
    "won_at": 1.0,
}
GLASS = {"middle_category": "유리병"}
STOP_SECONDS = 15
MESSAGES, KILLS = 100, 3


def as_json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Sent:
    """A message as another program sends it."""

    body: bytes
    properties: Mapping[str, Any]


def sent(body: Any, **properties: Any) -> Sent:
    return Sent(body if isinstance(body, bytes) else as_json(body), properties)


UNREADABLE: Mapping[str, Sent] = {
    "no JSON": sent(b"{"),
    "nothing": sent(b""),
    "no object": sent([]),
    "a number of 10,000 digits": sent(b"1" * 10_000),
    "brackets without end": sent(b"[" * 10_000),
    "no field": sent({"user_id": "u"}),
    "a field of another type": sent({**SAVE, "name": 7}),
    "no time": sent({**SAVE, "won_at": float("inf")}),
    "10,000 characters": sent({**SAVE, "name": "x" * 10_000}),
    "NUL": sent({**SAVE, "name": "a\0b"}),
    "half a character": sent(json.dumps({**SAVE, "name": "\ud800"}).encode()),
    "no UTF-8": sent(b"\xff\xfe"),
    "an encoding that is none": sent(b"\xff", content_encoding="none"),
    "a compression that is none": sent(SAVE, headers={"compression": "none"}),
}
"""What no worker can take; each is a dead letter."""


@pytest.fixture(scope="module")
def rabbitmq() -> Iterator[RabbitServer]:
    with RabbitServer() as server:
        yield server


@pytest.fixture
def broker(rabbitmq: RabbitServer, monkeypatch: pytest.MonkeyPatch) -> RabbitServer:
    """RabbitMQ without a queue of castad's, which the settings name."""
    with channel_of(rabbitmq) as channel:
        for name in LIVES:
            channel.queue_delete(name)
            channel.queue_delete(f"dlq.{name}")
    monkeypatch.setenv("CASTAD_BROKER_URL", rabbitmq.url)
    settings.cache_clear()
    return rabbitmq


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@contextmanager
def channel_of(broker: RabbitServer) -> Iterator[Any]:
    with Connection(broker.url) as connection, connection.channel() as channel:
        yield channel


@contextmanager
def saver(log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker of the queue `saves`; it is gone by SIGKILL after the block."""
    command = [sys.executable, "-m", "castad", "worker", "--queue", "saves"]
    with log.open("ab") as stderr:
        process = subprocess.Popen(command, env=os.environ, stderr=stderr)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def publish(broker: RabbitServer, name: str, *messages: Sent) -> None:
    """The messages are in the queue, which is there whether a worker is or not."""
    queues = get_catalog().get_pipeline("scan").find_extra(Stateless)
    assert queues is not None
    with Connection(broker.url) as connection, connection.channel() as channel:
        make_dead_queue(name)(channel).declare()
        make_queue(name, queues.queues[name].ttl)(channel).declare()
        producer = connection.Producer(channel)
        for message in messages:
            given = {"content_type": "application/json", "content_encoding": "utf-8"}
            producer.publish(
                message.body,
                exchange="castad.saves",
                routing_key=name,
                delivery_mode=2,
                **{**given, **message.properties},
            )


def look(broker: RabbitServer, name: str) -> tuple[int, int]:
    """How many messages wait in the queue, and how many consumers it has."""
    with channel_of(broker) as channel:
        try:
            found = channel.queue_declare(name, passive=True)
        except channel.connection.client.channel_errors:
            return 0, 0
    return found.message_count, found.consumer_count


def dead_letters(broker: RabbitServer, name: str) -> int:
    return look(broker, f"dlq.{name}")[0]


def is_consumed(broker: RabbitServer) -> bool:
    return all(look(broker, name)[1] for name in LIVES)


def saved(name: str) -> list[tuple[str, str]]:
    """User and code of every save in the database of this queue; none before the first has made it."""
    file, table = TABLES[name]
    try:
        with closing(
            sqlite3.connect(f"file:{settings().home / file}?mode=ro", uri=True)
        ) as connection:
            return connection.execute(
                f"SELECT user_id, code FROM {table} ORDER BY user_id"
            ).fetchall()
    except sqlite3.OperationalError:
        return []


def of_users(*users: str) -> list[tuple[str, str]]:
    return sorted((user, "char-glass") for user in users)


def saves_of(users: Sequence[str]) -> list[Sent]:
    return [sent({**SAVE, "user_id": user}) for user in users]


def lines_with(log: Path, text: str) -> int:
    return log.read_text().count(text)


# The queues


def declare_as_documented(broker: RabbitServer, name: str, ttl: int, dead_ttl: int) -> None:
    """Both queues exist with exactly these arguments. Raises PreconditionFailed."""
    arguments = {
        "x-message-ttl": ttl,
        "x-dead-letter-exchange": "castad.dlx",
        "x-dead-letter-routing-key": f"dlq.{name}",
    }
    with channel_of(broker) as channel:
        channel.queue_declare(name, durable=True, auto_delete=False, arguments=arguments)
    with channel_of(broker) as channel:
        dead = {"x-message-ttl": dead_ttl}
        channel.queue_declare(f"dlq.{name}", durable=True, auto_delete=False, arguments=dead)


def test_rabbitmq_queues_have_the_times_and_dead_letters_that_are_documented(broker, log):
    with saver(log):
        assert eventually(lambda: is_consumed(broker))
    for name, ttl in LIVES.items():
        declare_as_documented(broker, name, ttl, 7 * DAY)
        with pytest.raises(PreconditionFailed):
            declare_as_documented(broker, name, ttl + 1, 7 * DAY)
        with pytest.raises(PreconditionFailed):
            declare_as_documented(broker, name, ttl, 7 * DAY + 1)


def test_rabbitmq_queue_that_was_deleted_is_declared_and_consumed_again(broker, log):
    with saver(log):
        assert eventually(lambda: is_consumed(broker))
        with channel_of(broker) as channel:
            channel.queue_delete(CHARACTER)
        assert eventually(lambda: is_consumed(broker))


def test_rabbitmq_queue_that_was_declared_otherwise_is_named_until_it_is_gone(broker, log):
    with channel_of(broker) as channel:
        channel.queue_declare(CHARACTER, durable=True, auto_delete=False)
    with saver(log):
        assert eventually(lambda: bool(lines_with(log, f"queue={CHARACTER} ")))
        with channel_of(broker) as channel:
            channel.queue_delete(CHARACTER)
        assert eventually(lambda: is_consumed(broker))


# Saves


def test_rabbitmq_save_reaches_its_database_once_however_often_it_is_published(broker, log):
    for name in TABLES:
        publish(broker, name, *saves_of(["u", "u", "v"]))
    with saver(log):
        for name in TABLES:
            assert eventually(lambda name=name: saved(name) == of_users("u", "v"))  # type: ignore[misc]
        for name in TABLES:
            publish(broker, name, *saves_of(["u", "w"]))
            assert eventually(lambda name=name: saved(name) == of_users("u", "v", "w"))  # type: ignore[misc]
            assert (look(broker, name)[0], dead_letters(broker, name)) == (0, 0)


@pytest.mark.parametrize("name", TABLES)
def test_rabbitmq_message_that_cannot_be_read_is_a_dead_letter_and_stops_no_other(
    broker, log, name
):
    for message in UNREADABLE.values():
        publish(broker, name, message, *saves_of([uuid4().hex]))
    with saver(log):
        assert eventually(lambda: len(saved(name)) == len(UNREADABLE)), log.read_text()
        assert eventually(lambda: dead_letters(broker, name) == len(UNREADABLE)), log.read_text()
        assert look(broker, name)[0] == 0
    kept = []
    with channel_of(broker) as channel:
        while (letter := channel.basic_get(f"dlq.{name}", no_ack=True)) is not None:
            kept.append(letter.body if isinstance(letter.body, bytes) else letter.body.encode())
    assert sorted(kept) == sorted(message.body for message in UNREADABLE.values())


def test_rabbitmq_save_in_another_encoding_is_read_as_it_says(broker, log):
    korean = {**SAVE, "user_id": "한글"}
    body = json.dumps(korean, ensure_ascii=False).encode("utf-16")
    publish(broker, OWNERSHIP, sent(body, content_encoding="utf-16"))
    with saver(log):
        assert eventually(lambda: saved(OWNERSHIP) == of_users("한글"))


@pytest.mark.parametrize("name", ["correlation_id", "reply_to", "content_encoding", "message_id"])
def test_rabbitmq_message_with_a_property_that_is_no_utf_8_stops_no_other(broker, log, name):
    publish(broker, OWNERSHIP, sent(SAVE, **{name: b"\xff"}), *saves_of(["v"]))
    publish(broker, MATCH, sent(GLASS, **{name: b"\xff"}))
    with saver(log):
        assert eventually(lambda: saved(OWNERSHIP) == of_users("u", "v"))
        assert ask(broker, as_json(GLASS))[1]["match"]
        assert eventually(
            lambda: (look(broker, OWNERSHIP), look(broker, MATCH)) == ((0, 1), (0, 1))
        )


def test_rabbitmq_save_waits_in_its_queue_while_the_spool_cannot_be_used(broker, log):
    spool = settings().home / "spool.db"
    spool.mkdir(parents=True)
    users = [f"u{number}" for number in range(10)]
    publish(broker, OWNERSHIP, *saves_of(users))
    with saver(log):
        assert eventually(lambda: lines_with(log, "not spooled") > 0)
        before = lines_with(log, "saves not begun")
        assert eventually(lambda: lines_with(log, "saves not begun") > before + 10)
        assert lines_with(log, "not spooled") < 10, "it is tried in circles"
        assert ask(broker, as_json(GLASS))[1]["match"], "a call needs no spool"
        spool.rmdir()
        assert eventually(lambda: saved(OWNERSHIP) == of_users(*users))
    assert dead_letters(broker, OWNERSHIP) == 0


# Calls


def ask(broker: RabbitServer, body: bytes) -> tuple[str, Any]:
    """The reply to a call: its correlation id and its content."""
    answers: list[tuple[str, Any]] = []
    reply = Queue(f"reply-{uuid4().hex}", exclusive=True, auto_delete=True, durable=False)
    with channel_of(broker) as channel:
        bound = reply(channel)
        bound.declare()
        publish(broker, MATCH, sent(body, reply_to=reply.name, correlation_id="c1"))

        def has_come() -> bool:
            message = bound.get(no_ack=True)
            if message is not None:
                answers.append((message.properties["correlation_id"], message.decode()))
            return bool(answers)

        assert eventually(has_come)
    return answers[0]


def test_rabbitmq_call_is_answered_to_who_asked(broker, log):
    with saver(log):
        correlation, answer = ask(broker, as_json(GLASS))
        assert (correlation, answer["match"]["code"]) == ("c1", "char-glass")
        correlation, answer = ask(broker, as_json({"middle_category": "없는 것"}))
        assert (correlation, answer["match"]["type"]) == ("c1", "default")
        for unread in (b"{", b"\xff", b"[" * 10_000, as_json([]), as_json({"middle_category": 7})):
            correlation, answer = ask(broker, unread)
            assert (correlation, answer["error"]["code"]) == ("c1", "invalid_input")
    assert answer["error"]["message"] == "middle_category: expected text"


def test_rabbitmq_call_is_answered_without_a_reply_queue(broker, log):
    answers: list[Any] = []
    direct = "amq.rabbitmq.reply-to"
    with saver(log), channel_of(broker) as channel:
        assert eventually(lambda: is_consumed(broker))
        channel.basic_consume(
            direct, no_ack=True, callback=lambda reply: answers.append(json.loads(reply.body))
        )
        call = channel.prepare_message(as_json(GLASS), properties={"reply_to": direct})
        channel.basic_publish(call, exchange="castad.saves", routing_key=MATCH)
        channel.connection.drain_events(timeout=60)
    assert [answer["match"]["code"] for answer in answers] == ["char-glass"]


def test_rabbitmq_call_that_nobody_took_in_time_is_a_dead_letter(broker):
    # By the message's own time to live, which is shorter than the queue's 30 s and ends in the same way.
    publish(broker, MATCH, sent(GLASS, expiration=0.05))
    assert eventually(lambda: dead_letters(broker, MATCH) == 1)


def test_rabbitmq_call_whose_asker_is_gone_stops_no_other(broker, log):
    nowhere = ("reply-gone", "amq.rabbitmq.reply-to.gone", "x" * 255, "")
    publish(broker, MATCH, *(sent(GLASS, reply_to=where) for where in nowhere), sent(GLASS))
    publish(broker, MATCH, sent(GLASS, headers={"compression": "none"}, reply_to="reply-gone"))
    with saver(log):
        assert ask(broker, as_json(GLASS))[1]["match"]
        assert eventually(lambda: look(broker, MATCH)[0] == 0)
    assert lines_with(log, "Connection to broker lost") == 0


# What is killed, and what ends


def test_rabbitmq_that_was_killed_is_consumed_again(broker, log):
    with saver(log):
        publish(broker, OWNERSHIP, *saves_of(["u"]))
        assert eventually(lambda: saved(OWNERSHIP) == of_users("u"))
        broker.kill()
        broker.start()
        publish(broker, OWNERSHIP, *saves_of(["v"]))
        assert eventually(lambda: saved(OWNERSHIP) == of_users("u", "v"))


def test_rabbitmq_save_is_lost_by_no_kill_of_the_worker(broker, log):
    users = [f"u{number}" for number in range(MESSAGES)]
    for kill in range(KILLS):
        with saver(log):
            assert eventually(lambda: is_consumed(broker))
            publish(broker, OWNERSHIP, *saves_of(users[kill::KILLS]))
    with saver(log):
        assert eventually(lambda: saved(OWNERSHIP) == of_users(*users))
        assert eventually(lambda: look(broker, OWNERSHIP)[0] == 0)
    assert dead_letters(broker, OWNERSHIP) == 0


@contextmanager
def trouble(broker: RabbitServer, kind: str) -> Iterator[None]:
    if kind == "hangs":
        broker.pause()
    if kind == "is down":
        broker.kill()
    try:
        yield
    finally:
        if kind == "hangs":
            broker.resume()
        if kind == "is down":
            broker.start()


@pytest.mark.parametrize("kind", ["is well", "hangs", "is down"])
def test_rabbitmq_worker_that_is_told_to_stop_ends_well(broker, log, kind):
    with saver(log) as process:
        assert eventually(lambda: is_consumed(broker))
        with trouble(broker, kind):
            if kind == "is down":
                assert eventually(lambda: bool(lines_with(log, "trying again")))
            process.send_signal(signal.SIGTERM)
            assert process.wait(STOP_SECONDS) == 0


def test_rabbitmq_that_refuses_ends_the_worker_and_is_named(broker, log, monkeypatch):
    monkeypatch.setenv("CASTAD_BROKER_URL", broker.url.replace(broker.password, "wrong"))
    with saver(log) as process:
        assert process.wait(60) == 1
    assert lines_with(log, "CASTAD_BROKER_URL") == 1
    assert lines_with(log, "wrong") == 0


def test_worker_without_rabbitmq_delivers_the_spool_and_takes_no_run(log):
    Spool(settings().home).append([Entry(SAVE_OWNERSHIP, "u:char-glass", SAVE)])
    publish_run(make_app(settings()), "a run")
    runs = sorted((settings().home / "broker").glob("*.msg"))
    assert len(runs) == 1
    with saver(log) as process:
        assert eventually(lambda: saved(OWNERSHIP) == of_users("u"))
        assert eventually(lambda: not Spool(settings().home).waiting())
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
    assert sorted((settings().home / "broker").glob("*.msg")) == runs


# Another language


@pytest.mark.slow
def test_rabbitmq_save_and_call_from_node(broker, log, tmp_path):
    script = tmp_path / "save.mjs"
    script.write_text((PROJECT_ROOT / "examples" / "save.mjs").read_text())
    subprocess.run(["npm", "install", "--silent", "amqplib"], cwd=tmp_path, check=True, timeout=60)
    command = ["node", str(script), broker.url.rstrip("/"), json.dumps(SAVE)]
    with saver(log):
        assert eventually(lambda: is_consumed(broker))
        answer = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        assert json.loads(answer.stdout)["match"]["code"] == "char-glass"
        for name in TABLES:
            assert eventually(lambda name=name: saved(name) == of_users("u"))  # type: ignore[misc]
