"""Lanes are served in turn by the workers that serve them, and no pipeline has more at work than its places."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import Engine, event, select

from castad.engine.worker import run_worker
from pipeline_defs.catalog import Catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.moves.dispatch import dispatch_due
from resources.ledger.moves.orders import NewRequest, submit_orders
from resources.ledger.moves.workers import record_heartbeat, register_worker
from resources.ledger.queries.due import Capacity
from resources.ledger.queries.queue_snapshot import count_starved, read_queue_snapshot
from resources.ledger.schema.tables import Status, requests, workers
from sensors.dispatch_waiter import idle_reason
from sensors.limits import admission_limits
from tests.conftest import MakeSettings
from tests.ledger_laws import assert_laws
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps
from tests.small_pipelines import small_pipeline

SCAN = small_pipeline("scan", lane="quick")
SURVEY = small_pipeline("survey")
COUNT = small_pipeline("count")
ALL = Catalog({each.name: each for each in (SURVEY, COUNT, SCAN)})
ONE_LANE = Catalog({SURVEY.name: SURVEY})

Room = Callable[..., Capacity]


@pytest.fixture
def room(make_settings: MakeSettings) -> Room:
    """The capacity with so many places on demand, and a limit for each pipeline that is named."""

    def make(on_demand: int = 0, catalog: Catalog = ALL, **limits: int) -> Capacity:
        given_limits = {f"CASTAD_PLACES_{name.upper()}": str(n) for name, n in limits.items()}
        config = make_settings(stage_variables=tuple(sorted(given_limits.items())))
        return Capacity(on_demand, LEASE_SECONDS, admission_limits(config, catalog))

    return make


def due(steps: Steps, pipeline: str, count: int = 1, **chosen: Any) -> None:
    before = len(steps.task_ids())
    submit_orders(
        steps.db,
        [
            NewRequest(f"{pipeline}-{before + n:03}", {}, pipeline, "test", dict.__eq__, **chosen)
            for n in range(count)
        ],
    )


def works(steps: Steps, name: str, places: int, *lanes: str) -> None:
    """A worker is alive that serves these lanes, or all."""
    register_worker(steps.db, name, "1", places=places, poison_deaths=POISON, lanes=lanes or None)


def dispatched(steps: Steps, capacity: Capacity, at_most: int = 50) -> Counter[str]:
    """How many of each pipeline are dispatched now."""
    return Counter(each.pipeline for each in dispatch_due(steps.db, capacity, at_most))


def test_lane_with_many_due_requests_delays_another_lane_by_no_more_than_its_share(
    steps: Steps, room: Room
) -> None:
    due(steps, "survey", 200)
    due(steps, "scan")
    assert dispatched(steps, room(4)) == {"survey": 3, "scan": 1}


def test_lanes_are_served_in_turn_while_places_come_free_one_by_one(
    steps: Steps, room: Room
) -> None:
    due(steps, "survey", 20, priority=5)
    due(steps, "scan", 20)
    order = [next(iter(dispatched(steps, room(9), at_most=1))) for _ in range(6)]
    assert order in (["survey", "scan"] * 3, ["scan", "survey"] * 3)


def test_lane_without_due_requests_keeps_no_place_from_another(steps: Steps, room: Room) -> None:
    due(steps, "survey", 9)
    assert dispatched(steps, room(9)) == {"survey": 9}


def test_request_of_an_unknown_pipeline_is_in_the_default_lane(steps: Steps, room: Room) -> None:
    works(steps, "w", 9, "default")
    due(steps, "nonsense")
    assert dispatched(steps, room()) == {"nonsense": 1}


def test_nothing_is_dispatched_into_a_lane_that_no_worker_serves(steps: Steps, room: Room) -> None:
    works(steps, "w", 9, "default")
    due(steps, "scan", 3)
    snapshot = read_queue_snapshot(steps.db, room(), 10)
    assert (snapshot.ready, dispatched(steps, room())) == (0, {})
    assert "no worker serves lane quick: start `castad worker --lane quick`" in idle_reason(
        steps.db, snapshot
    )


def test_default_lane_waits_while_only_another_lane_is_served(steps: Steps, room: Room) -> None:
    works(steps, "w", 9, "quick")
    due(steps, "survey")
    due(steps, "scan")
    assert read_queue_snapshot(steps.db, room(), 10).unserved == ("default",)
    assert dispatched(steps, room()) == {"scan": 1}


def test_lane_that_nobody_waits_in_is_not_missed(steps: Steps, room: Room) -> None:
    works(steps, "w", 9, "default")
    due(steps, "survey")
    assert read_queue_snapshot(steps.db, room(), 10).unserved == ()


def test_free_places_are_those_of_the_lanes_own_workers(steps: Steps, room: Room) -> None:
    works(steps, "slow", 2, "default")
    works(steps, "fast", 3, "quick")
    due(steps, "survey", 9)
    due(steps, "scan", 9)
    assert dispatched(steps, room()) == {"survey": 2, "scan": 3}
    assert dispatched(steps, room()) == {}


def test_worker_of_all_lanes_serves_what_the_others_cannot(steps: Steps, room: Room) -> None:
    works(steps, "all", 2)
    works(steps, "fast", 3, "quick")
    due(steps, "scan", 3)
    assert dispatched(steps, room()) == {"scan": 3}
    due(steps, "survey", 9)
    assert dispatched(steps, room()) == {"survey": 2}


def test_place_of_a_lane_is_free_again_when_its_request_has_ended(steps: Steps, room: Room) -> None:
    works(steps, "fast", 1, "quick")
    due(steps, "scan", 2)
    assert dispatched(steps, room()) == {"scan": 1}
    lease = steps.take("scan-000", owner="fast:1")
    assert dispatched(steps, room()) == {}
    steps.make_all(lease)
    assert dispatched(steps, room()) == {"scan": 1}


def test_pipeline_has_no_more_at_work_than_its_places(steps: Steps, room: Room) -> None:
    due(steps, "survey", 9)
    limited = room(100, survey=2)
    assert dispatched(steps, limited) == {"survey": 2}
    lease = steps.take("survey-000")
    assert (dispatched(steps, limited), read_queue_snapshot(steps.db, limited, 9).ready) == ({}, 0)
    steps.release(lease)
    assert dispatched(steps, limited) == {"survey": 1}


def test_full_pipeline_does_not_hide_another_one_of_its_lane(steps: Steps, room: Room) -> None:
    due(steps, "survey", 60)
    due(steps, "count")
    limited = room(5, survey=1)
    assert sum((dispatched(steps, limited) for _ in range(2)), Counter()) == {
        "survey": 1,
        "count": 1,
    }


def test_places_of_a_pipeline_hold_under_parallel_dispatchers(db: Database, room: Room) -> None:
    steps, limited, together = Steps(db), room(100, survey=5), Barrier(6)
    due(steps, "survey", 40)
    due(steps, "scan", 40)

    def dispatch(number: int) -> Counter[str]:
        together.wait()
        return sum((dispatched(steps, limited, 3) for _ in range(6)), Counter())

    with ThreadPoolExecutor(6) as threads:
        total = sum(threads.map(dispatch, range(6)), Counter())
    assert total == {"survey": 5, "scan": 40}
    for task_id in steps.task_ids():
        assert_laws(steps, task_id)


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    seen: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


def test_lanes_cost_no_statement_where_there_is_only_one(steps: Steps, room: Room) -> None:
    due(steps, "survey")
    with counted_statements() as seen:
        read_queue_snapshot(steps.db, room(9, ONE_LANE), 10)
    assert len([statement for statement in seen if "SELECT" in statement]) == 1


def waits_for_turn(steps: Steps, task_id: str, asked: str) -> None:
    steps.edit("waits_for = 'turn:nobody', asked_at = :at", task_id, at=asked)


def test_lane_without_a_place_does_not_hold_up_another_lane_in_a_wait_queue(
    steps: Steps, room: Room
) -> None:
    works(steps, "w", 1, "default")
    due(steps, "scan", 3)
    due(steps, "survey")
    for number, task_id in enumerate(sorted(steps.task_ids())):
        waits_for_turn(steps, task_id, f"2026-01-01 00:00:0{number}")
    assert dispatched(steps, room()) == {"survey": 1}


def test_worker_of_a_lane_is_asked_for_places_by_its_own_lane_only(
    steps: Steps, room: Room
) -> None:
    works(steps, "fast", 1, "quick")
    works(steps, "slow", 1, "default")
    due(steps, "survey", 3)
    due(steps, "scan", 2)
    dispatch_due(steps.db, room(), 50)
    asked = {
        lane: count_starved(steps.db, room(), 9, frozenset({lane})) for lane in ("default", "quick")
    }
    assert asked == {"default": 2, "quick": 1}
    works(steps, "slower", 5, "default")
    assert count_starved(steps.db, room(), 9, frozenset({"default"})) == 0


def test_row_of_a_worker_says_which_lanes_it_serves_even_after_a_long_silence(
    steps: Steps,
) -> None:
    works(steps, "all", 1)
    works(steps, "some", 1, "quick", "default")
    record_heartbeat(steps.db, "pruned", "1", places=1, lanes=["quick"])
    with steps.db.reading() as tx:
        rows = dict(tx.execute(select(workers.c.name, workers.c.lanes)).tuples().all())
    assert rows == {"all": None, "some": "default,quick", "pruned": "quick"}


def test_worker_of_a_lane_that_does_not_exist_is_refused(make_settings: MakeSettings) -> None:
    with pytest.raises(InvalidInputError, match="lane: expected default"):
        run_worker(make_settings(), 1, ["nonsense"], while_needed=False)


LANES = st.sampled_from([(), ("default",), ("quick",), ("default", "quick")])
HOUSES = st.lists(st.tuples(LANES, st.integers(1, 3)), min_size=1, max_size=3)
AMOUNTS = st.fixed_dictionaries({name: st.integers(0, 4) for name in ALL.names})
LIMITS = st.dictionaries(st.sampled_from(ALL.names), st.integers(1, 3))


@examples(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(house=HOUSES, amounts=AMOUNTS, limits=LIMITS)
def test_whatever_is_due_no_lane_and_no_pipeline_has_more_than_its_places_and_none_idles(
    steps: Steps,
    room: Room,
    house: Sequence[tuple[Sequence[str], int]],
    amounts: dict[str, int],
    limits: dict[str, int],
) -> None:
    steps.empty()
    for number, (lanes, places) in enumerate(house):
        works(steps, f"w{number}", places, *lanes)
    for pipeline, count in amounts.items():
        due(steps, pipeline, count)
    capacity = room(0, **limits)
    total: Counter[str] = Counter()
    while now := dispatched(steps, capacity, at_most=3):
        total += now
    assert read_queue_snapshot(steps.db, capacity, 10).ready == 0
    served = {lane: [p for lanes, p in house if not lanes or lane in lanes] for lane in ALL.lanes}
    for lane, places_of_lane in served.items():
        of_lane = [name for name in ALL.names if ALL.lane_of(name) == lane]
        assert sum(total[name] for name in of_lane) <= sum(places_of_lane)
    assert sum(total.values()) <= sum(places for _, places in house)
    for name in ALL.names:
        assert total[name] <= min(limits.get(name, 9), amounts[name])
    wanting = [n for n in ALL.names if total[n] < min(limits.get(n, 9), amounts[n])]
    for name in wanting:
        own = sum(places for lanes, places in house if lanes == (ALL.lane_of(name),))
        of_lane = [each for each in ALL.names if ALL.lane_of(each) == ALL.lane_of(name)]
        assert sum(total[each] for each in of_lane) >= own
    with steps.db.reading() as tx:
        states = tx.execute(select(requests.c.status)).scalars().all()
    assert set(states) <= {Status.PENDING, Status.DISPATCHED}
