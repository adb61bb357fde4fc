"""Queues are served in turn by the workers that serve them, and no pipeline has more at work than its slots."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import Engine, event, select

from castad.cli.doctor import find_unserved_queues
from castad.engine.worker_process import run_worker
from castad.views.scope import make_workload_scope
from pipeline_defs.catalog import Catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import ClaimRefusedError
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import (
    count_starved_requests,
    list_queues_without_worker,
    read_dispatch_snapshot,
)
from resources.ledger.queries.health import list_stuck
from resources.ledger.queries.workload import read_worker_pool
from resources.ledger.schema.tables import Status, requests, workers
from resources.ledger.transitions.claims import RunOrder
from resources.ledger.transitions.dispatch import dispatch_due_requests
from resources.ledger.transitions.orders import NewRequest, submit_orders
from resources.ledger.transitions.rescue import (
    recover_worker,
    register_worker,
    save_heartbeat,
    withdraw_worker_slots,
)
from sensors.dispatch_waiter import explain_idle
from tests.conftest import MakeSettings
from tests.ledger_laws import assert_laws
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps
from tests.small_pipelines import small_pipeline

SCAN = small_pipeline("scan", queue="quick")
SURVEY = small_pipeline("survey")
COUNT = small_pipeline("count")
ALL = Catalog({each.name: each for each in (SURVEY, COUNT, SCAN)})
ONE_QUEUE = Catalog({SURVEY.name: SURVEY})

Room = Callable[..., Limits]


@pytest.fixture
def room(make_settings: MakeSettings) -> Room:
    """The capacity with so many slots on demand, and a limit for each pipeline that is named."""

    def make(on_demand: int = 0, catalog: Catalog = ALL, **limits: int) -> Limits:
        given_limits = {f"CASTAD_SLOTS_{name.upper()}": str(n) for name, n in limits.items()}
        config = make_settings(stage_variables=tuple(sorted(given_limits.items())))
        return replace(
            catalog.collect_limits(config), on_demand=on_demand, lease_seconds=LEASE_SECONDS
        )

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


def works(steps: Steps, name: str, slots: int, *queues: str) -> None:
    """A worker is alive that serves these queues, or all."""
    register_worker(steps.db, name, "1", slots=slots, poison_deaths=POISON, queues=queues or None)


def dispatched(steps: Steps, capacity: Limits, at_most: int = 50) -> Counter[str]:
    """How many of each pipeline are dispatched now."""
    return Counter(each.pipeline for each in dispatch_due_requests(steps.db, capacity, at_most))


# The slots of each worker by its queues, what is due, what is dispatched, and the queues that lack a worker.
SHARES = {
    "of two queues each has its share": ({"": 4}, {"survey": 200, "scan": 1}, (3, 1), {}),
    "a queue without due requests keeps nothing": ({"": 9}, {"survey": 9}, (9, 0), {}),
    "an unknown pipeline is in the default queue": ({"default": 9}, {"nonsense": 1}, (1, 0), None),
    "each queue has its own workers": (
        {"default": 2, "quick": 3},
        {"survey": 9, "scan": 9},
        (2, 3),
        {},
    ),
    "who serves all serves what others cannot": (
        {"": 2, "quick": 3},
        {"scan": 3, "survey": 9},
        (2, 3),
        {},
    ),
    "a queue without a worker waits": (
        {"quick": 9},
        {"survey": 1, "scan": 1},
        (0, 1),
        {"default": True},
    ),
    "nobody misses a worker where nothing is due": (
        {"default": 9},
        {"survey": 1},
        (1, 0),
        {"quick": False},
    ),
}


@pytest.mark.parametrize("case", SHARES.values(), ids=SHARES)
def test_queues_share_the_slots_of_those_who_serve_them(steps, room, case):
    house, waiting, (default, quick), lacking = case
    for name, slots in house.items():
        works(steps, f"of {name}", slots, *filter(None, [name]))
    for pipeline, count in waiting.items():
        due(steps, pipeline, count)
    found = list_queues_without_worker(steps.db, room())
    unserved = read_dispatch_snapshot(steps.db, room(), 10).unserved
    handed = dispatched(steps, room())
    assert (handed.total() - handed["scan"], handed["scan"]) == (default, quick)
    assert not dispatched(steps, room())
    if lacking is not None:
        assert (found, unserved) == (lacking, tuple(queue for queue in lacking if lacking[queue]))


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        pytest.param("survey-001", {"slots": 2}, id="a free slot"),
        pytest.param("count-002", {"slots": 1}, id="of another pipeline"),
        pytest.param("survey-000", {"slots": 1, "dispatched_as": 1}, id="dispatched to it"),
    ],
)
def test_run_begins_with_a_slot_of_its_pipeline(steps, room, name, chosen):
    due(steps, "survey", 2)
    dispatched(steps, room(9, survey=1))
    due(steps, "count")
    assert steps.take(name, **chosen)


def test_queues_are_served_in_turn_while_slots_come_free_one_by_one(steps, room):
    due(steps, "survey", 20, priority=5)
    due(steps, "scan", 20)
    order = [next(iter(dispatched(steps, room(9), at_most=1))) for _ in range(6)]
    assert order in (["survey", "scan"] * 3, ["scan", "survey"] * 3)


def test_queues_are_served_in_turn_where_each_request_ends_before_the_next_begins(steps, room):
    due(steps, "survey", 4)
    due(steps, "scan", 2)
    order = []
    for _ in range(4):
        [request] = dispatch_due_requests(steps.db, room(1))
        order.append(request.pipeline)
        steps.make_all(steps.take(request.task_id))
    assert order == ["survey", "scan", "survey", "scan"]


def test_nothing_is_dispatched_into_a_queue_that_no_worker_serves(steps, room):
    works(steps, "w", 9, "default")
    due(steps, "scan", 3)
    snapshot = read_dispatch_snapshot(steps.db, room(), 10)
    assert (snapshot.ready, dispatched(steps, room())) == (0, {})
    assert "no worker serves queue quick: start `castad worker --queue quick`" in explain_idle(
        steps.db, snapshot
    )


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_doctor_says_which_worker_a_queue_lacks(steps, make_settings):
    works(steps, "w", 9, "default")
    due(steps, "scan")
    [finding] = find_unserved_queues(make_settings(), ALL)
    assert (finding.check, finding.fine, finding.message, finding.remedy) == (
        *("queue quick", False, "no living worker serves it, and orders wait in it"),
        "`castad worker --queue quick` starts one",
    )


def test_queue_whose_slots_are_taken_is_named_while_another_one_has_some(steps, room):
    works(steps, "slow", 1, "default")
    works(steps, "fast", 3, "quick")
    due(steps, "survey", 2)
    dispatched(steps, room())
    snapshot = read_dispatch_snapshot(steps.db, room(), 10)
    assert explain_idle(steps.db, snapshot) == "no slot is free in queue default"


def killed(steps: Steps, worker: str) -> None:
    recover_worker(steps.db, worker, poison_deaths=POISON)


def drained(steps: Steps, worker: str) -> None:
    withdraw_worker_slots(steps.db, worker, "1")


@pytest.fixture(params=[killed, drained])
def lost_queue(request: pytest.FixtureRequest, steps: Steps, room: Room) -> Steps:
    """The worker of `quick` ended after its requests were dispatched; the other one has two free slots."""
    works(steps, "slow", 2, "default")
    works(steps, "fast", 3, "quick")
    due(steps, "scan", 3)
    dispatched(steps, room())
    request.param(steps, "fast")
    return steps


def test_requests_dispatched_to_a_lost_worker_take_no_slot_of_another_queue(lost_queue, room):
    due(lost_queue, "survey", 2)
    assert read_dispatch_snapshot(lost_queue.db, room(), 10).ready == 2
    assert dispatched(lost_queue, room()) == {"survey": 2}


def test_free_slots_of_a_queue_are_counted_while_another_one_is_not_served(lost_queue):
    due(lost_queue, "scan")
    pool = read_worker_pool(lost_queue.db, make_workload_scope(ALL, LEASE_SECONDS).limits)
    assert (pool.slots, pool.free, pool.unserved) == (2, 2, ("quick",))


@pytest.mark.parametrize(
    ("pipeline", "why"),
    [("scan", "due, and no worker serves queue quick"), ("survey", "due, and every slot is taken")],
)
def test_request_of_a_queue_is_stuck_for_the_reason_of_its_queue(steps, room, pipeline, why):
    works(steps, "slow", 1, "default")
    due(steps, "survey")
    dispatched(steps, room())
    due(steps, pipeline)
    scope = make_workload_scope(ALL, LEASE_SECONDS)
    stuck = list_stuck(steps.db, scope, 0, read_worker_pool(steps.db, scope.limits))
    assert stuck.oldest[-1].why == why


def test_slot_of_a_queue_is_free_again_when_its_request_has_ended(steps, room):
    works(steps, "fast", 1, "quick")
    due(steps, "scan", 2)
    assert dispatched(steps, room()) == {"scan": 1}
    lease = steps.take("scan-000", owner="fast:1")
    assert dispatched(steps, room()) == {}
    steps.make_all(lease)
    assert dispatched(steps, room()) == {"scan": 1}


def test_pipeline_has_no_more_at_work_than_its_slots(steps, room):
    due(steps, "survey", 9)
    limited = room(100, survey=2)
    assert dispatched(steps, limited) == {"survey": 2}
    lease = steps.take("survey-000")
    assert (dispatched(steps, limited), read_dispatch_snapshot(steps.db, limited, 9).ready) == (
        {},
        0,
    )
    steps.release(lease)
    assert dispatched(steps, limited) == {"survey": 1}


def test_full_pipeline_does_not_hide_another_one_of_its_queue(steps, room):
    due(steps, "survey", 60)
    due(steps, "count")
    limited = room(5, survey=1)
    assert sum((dispatched(steps, limited) for _ in range(2)), Counter()) == {
        "survey": 1,
        "count": 1,
    }


def test_slots_of_a_pipeline_hold_under_parallel_dispatchers(db, room):
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


def test_run_started_by_hand_has_no_slot_beyond_those_of_its_pipeline(steps, room):
    due(steps, "survey", 2)
    dispatched(steps, room(9, survey=1))
    before = steps.row("survey-001")
    with pytest.raises(ClaimRefusedError) as refused:
        steps.claim("survey-001", slots=1)
    assert refused.value.message == "survey: its slot is taken; request survey-001 is pending"
    assert steps.row("survey-001") == before


def test_order_of_a_run_without_a_slot_is_dispatched_to_the_next_free_one(steps, room):
    due(steps, "survey")
    dispatched(steps, room(9, survey=1))
    with pytest.raises(ClaimRefusedError):
        steps.claim("new", order=RunOrder("survey", {}, dict.__eq__), slots=1)
    steps.edit("status = 'dead'", "survey-000")
    assert [each.task_id for each in dispatch_due_requests(steps.db, room(9, survey=1))] == ["new"]


def test_completed_request_is_replayed_while_every_slot_is_taken(steps, room):
    due(steps, "survey", 2)
    steps.make_all(steps.take("survey-000"))
    dispatched(steps, room(9, survey=1))
    assert steps.claim("survey-000", slots=1)[1] is None


def test_runs_started_by_hand_and_dispatchers_together_keep_the_slots_of_a_pipeline(db, room):
    steps, limited, together = Steps(db), room(100, survey=3), Barrier(8)
    due(steps, "survey", 24)

    def begin(number: int) -> int:
        together.wait()
        if number % 2:
            return dispatched(steps, limited, 1)["survey"]
        try:
            steps.take(f"survey-{10 + number:03}", owner=f"w{number}:1", slots=3)
        except ClaimRefusedError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(begin, range(8))) == 3


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    seen: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize("catalog", [ONE_QUEUE, ALL])
def test_queues_cost_no_statements(steps, room, catalog):
    due(steps, "survey")
    due(steps, "scan")
    with counted_statements() as seen:
        read_dispatch_snapshot(steps.db, room(9, catalog), 10)
    assert len([statement for statement in seen if "SELECT" in statement]) == 3


def waits_for_permit(steps: Steps, task_id: str, asked: str) -> None:
    steps.edit("waits_for = 'permit:nobody', asked_at = :at", task_id, at=asked)


def test_queue_without_a_slot_does_not_hold_up_another_queue_at_a_limit(steps, room):
    works(steps, "w", 1, "default")
    due(steps, "scan", 3)
    due(steps, "survey")
    for number, task_id in enumerate(sorted(steps.task_ids())):
        waits_for_permit(steps, task_id, f"2026-01-01 00:00:0{number}")
    assert dispatched(steps, room()) == {"survey": 1}


@pytest.fixture(params=["permit:suno", "final_status:suno"])
def shared_limit(request: pytest.FixtureRequest, steps: Steps) -> Steps:
    """Twenty requests of one queue, and behind them two of another, wait for the same vendor."""
    due(steps, "survey", 20)
    due(steps, "scan", 2)
    for number, task_id in enumerate(steps.task_ids()):
        at = f"2026-01-01 00:00:{number:02}"
        steps.edit("waits_for = :limit, asked_at = :at", task_id, limit=request.param, at=at)
    return steps


def test_queue_with_many_requests_at_a_limit_delays_another_by_no_more_than_its_share(
    shared_limit, room
):
    assert dispatched(shared_limit, room(2)) == {"survey": 1, "scan": 1}


def test_queues_at_a_limit_are_served_in_turn_while_slots_come_free_one_by_one(shared_limit, room):
    order = [next(iter(dispatched(shared_limit, room(9), at_most=1))) for _ in range(4)]
    assert order == ["survey", "scan", "survey", "scan"]


def test_worker_of_a_queue_is_asked_for_slots_by_its_own_queue_only(steps, room):
    works(steps, "fast", 1, "quick")
    works(steps, "slow", 1, "default")
    due(steps, "survey", 3)
    due(steps, "scan", 2)
    dispatch_due_requests(steps.db, room(), 50)
    asked = {
        queue: count_starved_requests(steps.db, room(), 9, frozenset({queue}))
        for queue in ("default", "quick")
    }
    assert asked == {"default": 2, "quick": 1}
    works(steps, "slower", 5, "default")
    assert count_starved_requests(steps.db, room(), 9, frozenset({"default"})) == 0


def test_row_of_a_worker_says_which_queues_it_serves_even_after_a_long_silence(steps):
    works(steps, "all", 1)
    works(steps, "some", 1, "quick", "default")
    save_heartbeat(steps.db, "pruned", "1", slots=1, queues=["quick"])
    with steps.db.reading() as tx:
        rows = dict(tx.execute(select(workers.c.name, workers.c.queues)).tuples().all())
    assert rows == {"all": None, "some": "default,quick", "pruned": "quick"}


def test_worker_of_a_queue_that_does_not_exist_is_refused(make_settings):
    with pytest.raises(InvalidInputError, match="queue: expected default"):
        run_worker(make_settings(), 1, ["nonsense"], while_needed=False)


QUEUES = st.sampled_from([(), ("default",), ("quick",), ("default", "quick")])
HOUSES = st.lists(st.tuples(QUEUES, st.integers(1, 3)), min_size=1, max_size=3)
AMOUNTS = st.fixed_dictionaries({name: st.integers(0, 4) for name in ALL.names})
LIMITS = st.dictionaries(st.sampled_from(ALL.names), st.integers(1, 3))


@examples(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(house=HOUSES, amounts=AMOUNTS, limits=LIMITS)
def test_whatever_is_due_no_queue_and_no_pipeline_has_more_than_its_slots_and_none_idles(
    steps, room, house, amounts, limits
):
    steps.empty()
    for number, (queues, slots) in enumerate(house):
        works(steps, f"w{number}", slots, *queues)
    for pipeline, count in amounts.items():
        due(steps, pipeline, count)
    capacity = room(0, **limits)
    total: Counter[str] = Counter()
    while now := dispatched(steps, capacity, at_most=3):
        total += now
    assert read_dispatch_snapshot(steps.db, capacity, 10).ready == 0
    served = {
        queue: [p for queues, p in house if not queues or queue in queues] for queue in ALL.queues
    }
    for queue, slots_of_queue in served.items():
        of_queue = [name for name in ALL.names if ALL.get_queue(name) == queue]
        assert sum(total[name] for name in of_queue) <= sum(slots_of_queue)
    assert sum(total.values()) <= sum(slots for _, slots in house)
    for name in ALL.names:
        assert total[name] <= min(limits.get(name, 9), amounts[name])
    wanting = [n for n in ALL.names if total[n] < min(limits.get(n, 9), amounts[n])]
    for name in wanting:
        own = sum(slots for queues, slots in house if queues == (ALL.get_queue(name),))
        of_queue = [each for each in ALL.names if ALL.get_queue(each) == ALL.get_queue(name)]
        assert sum(total[each] for each in of_queue) >= own
    with steps.db.reading() as tx:
        states = tx.execute(select(requests.c.status)).scalars().all()
    assert set(states) <= {Status.PENDING, Status.DISPATCHED}
