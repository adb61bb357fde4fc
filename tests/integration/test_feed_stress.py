"""Twenty thousand events whose transactions end in random order: each reaches every listener over HTTP once."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import psycopg2
import pytest
from sqlalchemy.engine import make_url

from tests.api_house import House, served, stream, use_ledger
from tests.eventually import eventually

EVENTS = 20_000
WRITERS = 12
PER_TRANSACTION = 8
ROLLED_BACK = 0.1
LONG, LONGEST_SECONDS = 0.005, 1.5
Event = tuple[str, int]

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def ledger_of_this_test(own_postgres_ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    use_ledger(own_postgres_ledger_url, monkeypatch)
    return own_postgres_ledger_url


@dataclass
class Listener:
    """A client that takes up its stream again after the last id that it has; `patience` events are for one try."""

    houses: list[tuple[House, str]]
    path: str
    patience: int | None = None
    told: list[Event] = field(default_factory=list)
    is_listening: threading.Event = field(default_factory=threading.Event)
    last_id: str | None = None

    def listen(self, is_over: threading.Event) -> None:
        """Read until it is over, now from one house and then from the next."""
        tries = 0
        while not is_over.is_set():
            house, key = self.houses[tries % len(self.houses)]
            tries += 1
            client = house.client(key)
            try:
                self._read(
                    client, random.randint(1, self.patience) if self.patience else None, is_over
                )
            except httpx.TransportError:
                pass
            finally:
                client.close()

    def _read(self, client: httpx.Client, at_most: int | None, is_over: threading.Event) -> None:
        told = 0
        with stream(client, self.path, self.last_id) as frames:
            for frame in frames:
                self.last_id = frame.id or self.last_id
                self.is_listening.set()
                if frame.event == "message":
                    self.told.append((frame.data["task_id"], frame.data["seq"]))
                    told += 1
                if is_over.is_set() or told == at_most:
                    return


@contextmanager
def connected(url: str) -> Iterator[Any]:
    """A connection of a client that writes SQL."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    connection = psycopg2.connect(plain)
    try:
        yield connection
    finally:
        connection.close()


def write_events(url: str, name: str, count: int, rolls: random.Random) -> list[Event]:
    """Commit so many events, in transactions that do things in any order; return them."""
    committed: list[Event] = []
    with connected(url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO requests (task_id, payload, owner) VALUES (%s, '{}', 'shop') RETURNING id",
            (name,),
        )
        request_id, seq = cursor.fetchone()[0], 1
        connection.commit()
        committed.append((name, seq))
        while len(committed) < count:
            wanted = min(rolls.randint(1, PER_TRANSACTION), count - len(committed))
            written = write_some(cursor, request_id, seq, wanted, rolls)
            if rolls.random() < ROLLED_BACK:
                connection.rollback()
                continue
            connection.commit()
            committed += [(name, each) for each in written]
            seq += len(written)
    return committed


def write_some(
    cursor: Any, request_id: int, seq: int, count: int, rolls: random.Random
) -> list[int]:
    """Write so many events and rest here and there; a few transactions rest for long."""
    longest = LONGEST_SECONDS if rolls.random() < LONG else 0.01
    how = rolls.choice(("plain", "number first", "id first"))
    if how == "number first":
        cursor.execute("SELECT pg_current_xact_id()")
        time.sleep(rolls.random() * longest)
    drawn = None
    if how == "id first":
        cursor.execute("SELECT nextval('events_id_seq')")
        drawn = cursor.fetchone()[0]
        time.sleep(rolls.random() * longest)
    seqs = [*range(seq + 1, seq + 1 + count)]
    for each in seqs:
        cursor.execute(
            'INSERT INTO events (id, request_id, seq, type, "to", data) OVERRIDING SYSTEM VALUE '
            f"VALUES ({drawn or 'DEFAULT'}, {request_id}, {each}, 'odd', 'pending', '{{}}')"
        )
        drawn = None
    time.sleep(rolls.random() * longest)
    return seqs


def test_each_of_many_events_reaches_every_listener_once(ledger_of_this_test):
    url, is_over = ledger_of_this_test, threading.Event()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(WRITERS + 5))
        houses = [stack.enter_context(served()) for _ in range(2)]
        for (
            house
        ) in houses:  # each route is built at the first call, and not by two threads at once
            house.admin().get("/v1/stats")
        admin, shop = houses[0].key("admin", "admin"), houses[0].key("shop", "read")
        one, other = ((house, admin) for house in houses)
        listeners = [
            Listener([one], "/v1/admin/events"),
            Listener([other], "/v1/admin/stream"),
            Listener([(houses[0], shop)], "/v1/pipeline/events"),
            Listener([one, other], "/v1/admin/events", patience=800),
            Listener([(house, shop) for house in houses], "/v1/pipeline/events", patience=300),
        ]
        idle = stack.enter_context(connected(url))
        with idle.cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()")
        stack.callback(is_over.set)
        listening = [pool.submit(each.listen, is_over) for each in listeners]
        assert all(each.is_listening.wait(60) for each in listeners)
        share = EVENTS // WRITERS
        counts = [share + (EVENTS - share * WRITERS if n == 0 else 0) for n in range(WRITERS)]
        writing = [
            pool.submit(write_events, url, f"order-{n}", count, random.Random(n))
            for n, count in enumerate(counts)
        ]
        # Half of all is written beside a transaction that does nothing, and half without one.
        assert eventually(lambda: len(listeners[0].told) > EVENTS / 2, patience=120)
        idle.rollback()
        committed = [event for each in writing for event in each.result()]
        assert len(committed) == EVENTS
        eventually(lambda: all(len(each.told) >= EVENTS for each in listeners), patience=30)
    for each in listening:
        each.result()
    missed = [len(set(committed) - set(each.told)) for each in listeners]
    repeated = [sum(count - 1 for count in Counter(each.told).values()) for each in listeners]
    assert (missed, repeated) == ([0] * len(listeners), [0] * len(listeners))
