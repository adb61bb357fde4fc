"""Every committed event reaches every listener once, in whatever order transactions draw, write and end."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import psycopg2
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from psycopg2.extensions import TRANSACTION_STATUS_IDLE
from sqlalchemy import select
from sqlalchemy.engine import make_url

from resources.ledger.db.database import Database
from resources.ledger.queries.feed import Cursor, Feed, open_feed_from_now
from resources.ledger.schema.tables import events
from tests.ledger_steps import Steps
from tests.postgres_server import PostgresServer

NUMBER = "SELECT pg_current_xact_id()"
DRAW = "SELECT nextval('events_id_seq')"
WRITE = "write"
COMMIT, ROLLBACK = "COMMIT", "ROLLBACK"
SAVEPOINT, BACK = "SAVEPOINT here", "ROLLBACK TO SAVEPOINT here"
PREPARE, COMMIT_PREPARED = "PREPARE TRANSACTION '{name}'", "COMMIT PREPARED '{name}'"
ENDS = (COMMIT, ROLLBACK, COMMIT_PREPARED)
STORIES = (
    (NUMBER, DRAW, WRITE, COMMIT),
    (DRAW, NUMBER, WRITE, COMMIT),
    (DRAW, NUMBER, ROLLBACK),
    (WRITE, WRITE, COMMIT),
    (WRITE, WRITE, ROLLBACK),
    (NUMBER, WRITE, COMMIT),
    (DRAW, DRAW, WRITE, COMMIT),
    (SAVEPOINT, DRAW, BACK, WRITE, COMMIT),
    (DRAW, WRITE, PREPARE, COMMIT_PREPARED),
)
"""What a transaction does, in this order. Without NUMBER it has no number before it writes."""
Step = tuple[int, str]


def orders(lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every order in which so many steps of each can be taken."""
    if not any(lengths):
        yield ()
    for each, left in enumerate(lengths):
        if left:
            rest = [*lengths[:each], left - 1, *lengths[each + 1 :]]
            yield from ((each, *order) for order in orders(rest))


def taken_in(order: Iterable[int], stories: Sequence[Sequence[str]]) -> list[Step]:
    """Return the steps of the stories in this order."""
    left = [iter(story) for story in stories]
    return [(each, next(left[each])) for each in order]


@dataclass
class Writer:
    """A connection whose transactions, one after the other, write events of one request."""

    connection: Any
    name: str
    request_id: int
    seq: int = 1
    drawn: list[int] = field(default_factory=list)
    written: set[int] = field(default_factory=set)

    def take(self, step: str) -> set[int]:
        """Take the step; return the events that it commits."""
        with self.connection.cursor() as cursor:
            if self._is_outside and step != COMMIT_PREPARED:
                cursor.execute("BEGIN")
            if step == WRITE:
                self.written.add(self._write(cursor))
            else:
                cursor.execute(step.format(name=self.name))
            if step == DRAW:
                self.drawn.append(cursor.fetchone()[0])
        if step not in ENDS:
            return set()
        committed, self.written, self.drawn = self.written, set(), []
        return set() if step == ROLLBACK else committed

    @property
    def _is_outside(self) -> bool:
        return bool(self.connection.info.transaction_status == TRANSACTION_STATUS_IDLE)

    def _write(self, cursor: Any) -> int:
        """Write an event, with the newest id that was drawn for it or else with the next one."""
        self.seq += 1
        given = self.drawn.pop() if self.drawn else None
        how = "DEFAULT" if given is None else str(given)
        cursor.execute(
            'INSERT INTO events (id, request_id, seq, type, "to", data) OVERRIDING SYSTEM VALUE '
            f"VALUES ({how}, {self.request_id}, {self.seq}, 'odd', 'pending', '{{}}') RETURNING id"
        )
        return int(cursor.fetchone()[0])


@dataclass
class Listener:
    """One that looks after every so many steps; `expected` are the events that it has to be told."""

    feed: Feed
    every: int = 1
    resumes: bool = False
    expected: set[int] = field(default_factory=set)
    told: list[int] = field(default_factory=list)

    def look(self) -> None:
        """Read what is new, once."""
        if self.resumes:
            cursor = Cursor.read(str(self.feed.cursor))
            assert cursor is not None
            self.feed = Feed(self.feed._db, cursor)
        self.told += [event.id for event in self.feed.list_new_events()]


class Stage:
    """Three writers and a ledger that they have for themselves."""

    def __init__(self, ledger: Database) -> None:
        self.ledger = ledger
        url = make_url(ledger.url).set(drivername="postgresql").render_as_string(False)
        steps = Steps(ledger)
        self.writers = [
            Writer(psycopg2.connect(url), f"writer-{n}", steps.order(f"writer-{n}").id)
            for n in range(3)
        ]
        for writer in self.writers:
            writer.connection.autocommit = True

    def play(self, steps: Sequence[Step], starts: Callable[[int], bool] = lambda at: False) -> None:
        """Take the steps, and see that every listener was told of every event once."""
        now = self.newest()
        listeners = [
            Listener(Feed(self.ledger, now)),
            Listener(Feed(self.ledger, now), every=3),
            Listener(Feed(self.ledger, now), resumes=True),
        ]
        for at, (number, step) in enumerate(steps):
            if starts(at):
                listeners.append(Listener(open_feed_from_now(self.ledger), resumes=bool(at % 2)))
            committed = self.writers[number].take(step)
            for each in listeners:
                each.expected |= committed
                if at % each.every == 0:
                    each.look()
        for each in listeners:
            for _ in range(3):
                each.look()
        assert [sorted(each.told) for each in listeners] == [
            sorted(each.expected) for each in listeners
        ]
        assert not listeners[0].feed.cursor.gaps

    def newest(self) -> Cursor:
        """Return the cursor after everything, while nothing is open."""
        with self.ledger.reading() as tx:
            return Cursor(
                tx.execute(select(events.c.id).order_by(events.c.id.desc()).limit(1)).scalar_one()
            )

    def close(self) -> None:
        """End what a failed play has left open."""
        for writer in self.writers:
            writer.connection.close()
        self.ledger.close()


@pytest.fixture(scope="module")
def stage(postgres_server: PostgresServer, new_postgres_ledger: str) -> Iterator[Stage]:
    stage = Stage(Database(postgres_server.create("feed_orders", new_postgres_ledger)))
    yield stage
    stage.close()
    postgres_server.drop("feed_orders")


TWO = [
    pytest.param(pair, id=f"{STORIES.index(pair[0])}-{STORIES.index(pair[1])}")
    for pair in product(STORIES[:4], repeat=2)
]


@pytest.mark.parametrize("stories", TWO)
def test_each_event_is_told_once_in_every_order_of_two_transactions(stage, stories):
    for order in orders([len(story) for story in stories]):
        stage.play(taken_in(order, stories))


@st.composite
def plays(draw: st.DrawFn) -> list[Step]:
    """Draw a story or two for each of three writers, and an order of all steps."""
    of_writer = st.lists(st.sampled_from(STORIES), min_size=1, max_size=2)
    stories = [[step for story in draw(of_writer) for step in story] for _ in range(3)]
    order = draw(st.permutations([n for n, story in enumerate(stories) for _ in story]))
    return taken_in(order, stories)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plays(), st.sets(st.integers(0, 30), max_size=2))
def test_each_event_is_told_once_in_any_order_of_three_transactions(stage, steps, starts):
    stage.play(steps, starts.__contains__)
