"""The queue `saves` without RabbitMQ: what becomes of messages; tests/faults has a real RabbitMQ."""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kombu.connection import Connection
from kombu.entity import Queue

from castad.direct.pool import list_targets
from castad.saver import SaveConsumer, make_queue, run_saver
from pipeline_defs.capabilities import Stateless
from pipeline_defs.catalog import get_catalog
from resources.delivery.spool import Entry, make_spool_loop, open_spool
from resources.process.settings import settings
from tests.brokers import RedisServer
from tests.eventually import eventually

OWNERSHIP, MATCH = "castad.character.reward", "castad.character.match"
SAVE = {"user_id": "u", "code": "c", "name": "n", "type": "t", "task_id": "s", "won_at": 1.0}


@pytest.fixture(scope="module")
def broker() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def consumer(broker: RedisServer) -> Iterator[SaveConsumer]:
    stateless = get_catalog().get_pipeline("scan").find_extra(Stateless)
    assert stateless is not None
    made = SaveConsumer(Connection(broker.url), stateless.queues, open_spool(settings().home))
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    yield made
    made.should_stop = True
    thread.join(10)


def publish(broker: RedisServer, name: str, body: Any, **properties: Any) -> None:
    with Connection(broker.url) as connection, connection.channel() as channel:
        make_queue(name, 60)(channel).declare()
        connection.Producer(channel).publish(
            body if isinstance(body, bytes) else json.dumps(body).encode(),
            exchange="castad.saves",
            routing_key=name,
            content_type="application/json",
            content_encoding="utf-8",
            **properties,
        )


def test_save_is_in_the_spool_and_an_unreadable_one_stops_no_other(broker, consumer):
    for body in (b"{", {"user_id": 7}, {**SAVE, "name": "a\0b"}, SAVE):
        publish(broker, OWNERSHIP, body)
    assert eventually(lambda: bool(open_spool(settings().home).waiting()))
    [waiting] = open_spool(settings().home).waiting()
    assert (waiting.target, waiting.body["user_id"]) == ("character.save_ownership", "u")


@pytest.mark.parametrize(
    ("asked", "member"),
    [({"middle_category": "유리병"}, "match"), ({"middle_category": 7}, "error")],
)
def test_call_is_answered(broker, consumer, asked, member):
    with Connection(broker.url) as connection, connection.channel() as channel:
        reply = Queue(f"reply-{member}", durable=False)(channel)
        reply.declare()
        publish(broker, MATCH, asked, reply_to=reply.name, correlation_id="c1")
        answers: list[Any] = []

        def has_come() -> bool:
            message = reply.get(no_ack=True)
            answers.extend([] if message is None else [message.decode()])
            return bool(answers)

        assert eventually(has_come)
    assert answers[0][member]


def test_queue_of_saves_delivers_the_spool_until_it_is_told_to_stop():
    spool = open_spool(settings().home)
    spool.append([Entry("my.save_character", "k", SAVE)])

    def stop() -> None:
        eventually(lambda: not spool.waiting())
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=stop, daemon=True).start()
    assert run_saver(settings()) == 0
    assert spool.waiting() == []


def test_database_that_hangs_holds_up_its_own_saves_only(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("CASTAD_CHARACTER_DATABASE_URL", f"postgresql://castad@{address}/none")
        settings.cache_clear()
        spool = open_spool(settings().home)
        for target in ("character.save_ownership", "my.save_character"):
            spool.append(
                [Entry(target, str(number), {**SAVE, "code": str(number)}) for number in range(20)]
            )
        delivery = make_spool_loop(spool, list_targets(get_catalog()))
        delivery.stay_awake()
        left = {"character.save_ownership"}
        assert eventually(lambda: {each.target for each in spool.waiting()} == left)
    delivery.rest()
