"""The broker that is a folder: every message is taken once, whole, oldest first."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.entity import Exchange, Queue

from castad.engine.app import (
    BROKER_QUEUE,
    build_broker_options,
    get_broker_queue,
    make_app,
    publish,
)
from resources.ledger.limits import DEFAULT_QUEUE
from resources.process.settings import Settings
from tests.conftest import MakeSettings


@pytest.fixture
def config(make_settings: MakeSettings) -> Settings:
    return make_settings()


@pytest.fixture
def connection(config: Settings) -> Iterator[Connection]:
    options = build_broker_options(config)
    url, transport = options["broker_url"], options["broker_transport_options"]
    with Connection(url, transport_options=transport) as opened:
        yield opened


def take_all(connection: Connection, queue: str = DEFAULT_QUEUE) -> list[str]:
    taken = []
    with connection.clone() as own, own.SimpleQueue(_queue(queue), no_ack=True) as opened:
        while True:
            try:
                taken.append(opened.get(block=False).payload[0][0])
            except Empty:
                return taken


def _queue(queue: str = DEFAULT_QUEUE) -> Queue:
    name = get_broker_queue(queue)
    return Queue(name, Exchange(name, type="direct"), routing_key=name)


def publish_all(config: Settings, names: list[str]) -> None:
    app = make_app(config)
    for name in names:
        publish(app, name)


def test_messages_are_taken_oldest_first(config, connection):
    names = [f"run-{number}" for number in range(20)]
    publish_all(config, names)
    assert take_all(connection) == names


@pytest.mark.parametrize("queue", ["quick", BROKER_QUEUE])
def test_run_of_a_queue_is_taken_by_its_consumers_only(config, connection, queue):
    app = make_app(config, (DEFAULT_QUEUE, queue))
    publish(app, "of the default queue")
    publish(app, "of the queue", queue)
    assert take_all(connection) == ["of the default queue"]
    assert take_all(connection, queue) == ["of the queue"]


def test_worker_consumes_its_queues_only(config):
    assert set(make_app(config, ("quick",)).amqp.queues) == {"castad-quick"}
    assert set(make_app(config).amqp.queues) == {"castad"}


def test_each_message_is_taken_once_by_many_takers(config, connection):
    names = [f"run-{number}" for number in range(100)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda part: publish_all(config, part), [names[i::4] for i in range(4)]))
        taken = list(pool.map(lambda _: take_all(connection), range(4)))
    assert sorted(chain.from_iterable(taken)) == sorted(names)


def test_half_a_message_is_taken_by_nobody(config, connection):
    publish_all(config, ["whole"])
    whole = next(config.home.joinpath("broker").glob("*.msg"))
    (whole.parent / f".{whole.name}").write_text(whole.read_text()[:20])
    assert take_all(connection) == ["whole"]


def test_taken_message_leaves_no_file(config, connection):
    publish_all(config, ["one"])
    take_all(connection)
    left = [path for path in config.home.joinpath("broker").iterdir() if path.is_file()]
    assert left == []


def test_messages_go_on_where_their_folder_was_moved_away(config, connection, tmp_path):
    app = make_app(config)
    publish(app, "moved")
    folder: Path = config.home / "broker"
    folder.rename(tmp_path / "elsewhere")
    assert take_all(connection) == []
    publish(app, "later")
    assert take_all(connection) == ["later"]
    assert folder.stat().st_mode & 0o077 == 0


def test_who_waits_for_a_message_looks_up_soon(connection):
    """A worker that is told to stop sees it then only, and waits once more."""
    an_hour = 3600
    with connection.SimpleQueue(_queue()), pytest.raises(TimeoutError):
        connection.drain_events(timeout=an_hour)


def test_folder_of_messages_is_closed_to_others(config):
    build_broker_options(config)
    folder: Path = config.home / "broker"
    assert folder.stat().st_mode & 0o077 == 0
