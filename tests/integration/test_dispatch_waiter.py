"""Waiting for due requests: what wakes who waits, what is handed out, and where to."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from sqlalchemy import Connection, Engine, event, text

from pipeline_defs.catalog import get_catalog
from resources.contract.errors import StateUnavailableError
from resources.contract.protocol import Rate
from resources.ledger.db.database import Database, open_database
from resources.ledger.db.notifications import ChangeWatcher, watch_changes
from resources.ledger.db.retry import AdvisoryLock
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import read_dispatch_snapshot
from resources.ledger.schema.tables import WAKE_CHANNEL, Status
from resources.ledger.transitions.dispatch import acquire_permit, dispatch_due_requests
from resources.ledger.transitions.housekeeping import pause_provider, resume_provider
from resources.ledger.transitions.rescue import (
    register_worker,
    renew_leases,
    save_heartbeat,
    withdraw_worker_slots,
)
from resources.process.settings import settings
from sensors.dispatch_waiter import (
    LEDGER_IS_SILENT,
    SENSOR_IS_OFF,
    SERVER_IS_STOPPING,
    DispatchBatch,
    DispatchWaiter,
)
from tests.eventually import eventually
from tests.ledger_steps import LEASE_SECONDS, POISON, Steps

# Longer than a test may last: who is not woken fails by the suite's own time-out.
FOR_EVER = 3600.0
ONE = Limits(1, LEASE_SECONDS)
NOBODY = Limits(0, LEASE_SECONDS)
ORDER = json.dumps({"customer_name": "봄날", "region": "전주"})


@pytest.fixture
def watch(db: Database) -> Iterator[ChangeWatcher]:
    """A watch that has begun."""
    with watch_changes(db) as made:
        made.wait(FOR_EVER)
        yield made


def announce(steps: Steps, name: str, slots: int) -> None:
    register_worker(steps.db, name, "1", slots=slots, poison_deaths=POISON)


# What wakes


def finished(steps: Steps) -> Callable[[], object]:
    lease = steps.working()
    return lambda: steps.make_all(lease)


def failed(steps: Steps) -> Callable[[], object]:
    lease = steps.working()
    return lambda: steps.fail(lease)


def released(steps: Steps) -> Callable[[], object]:
    lease = steps.working()
    return lambda: steps.release(lease)


def retyped(assignment: str) -> Callable[[Steps], Callable[[], object]]:
    def begin(steps: Steps) -> Callable[[], object]:
        steps.dead()
        return lambda: steps.edit(assignment)

    return begin


def sooner(steps: Steps) -> Callable[[], object]:
    steps.order()
    steps.edit("not_before = '2999-01-01 00:00:00'")
    return lambda: steps.edit("not_before = NULL")


def deleted(steps: Steps) -> Callable[[], object]:
    steps.working()
    return lambda: steps.sql("DELETE FROM requests")


def new_worker(steps: Steps) -> Callable[[], object]:
    return lambda: announce(steps, "w", 4)


def more_slots(steps: Steps) -> Callable[[], object]:
    announce(steps, "w", 4)
    return lambda: steps.sql("UPDATE workers SET slots = 8")


def resumed(steps: Steps) -> Callable[[], object]:
    pause_provider(steps.db, "vendor", "no credits", 600)
    return lambda: resume_provider(steps.db, "vendor")


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param(lambda steps: steps.order, id="new-order"),
        *(finished, failed, released, deleted, sooner, new_worker, more_slots, resumed),
        pytest.param(retyped("status = 'pending'"), id="status-typed"),
    ],
)
def test_whoever_waits_is_woken(steps: Steps, begin: Callable[[Steps], Callable[[], Any]]) -> None:
    happens = begin(steps)
    with watch_changes(steps.db) as watch:
        watch.wait(FOR_EVER)
        happens()
        watch.wait(FOR_EVER)


def test_what_is_committed_between_two_waits_is_not_missed(
    watch: ChangeWatcher, steps: Steps
) -> None:
    steps.order()
    watch.wait(FOR_EVER)
    assert read_dispatch_snapshot(steps.db, ONE, 10).ready == 1


def test_wait_ends_where_nothing_happens(watch: ChangeWatcher, db: Database) -> None:
    watch.wait(0.001)
    assert read_dispatch_snapshot(db, ONE, 10).ready == 0


on_postgres = pytest.mark.parametrize("db", ["postgres"], indirect=True)
on_sqlite = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@contextmanager
def listening(db: Database) -> Iterator[Callable[[], int]]:
    """How many words were sent up to now."""
    _, arguments = db.url.get_dialect()().create_connect_args(db.url)
    connection = psycopg2.connect(**arguments)
    connection.autocommit = True

    def count() -> int:
        with connection.cursor() as cursor:
            # A NOTIFY of one's own comes after all that was sent before it.
            cursor.execute(f"NOTIFY {WAKE_CHANNEL}, 'end'")
        connection.poll()
        payloads = [notify.payload for notify in connection.notifies]
        assert payloads[-1] == "end"
        return len(payloads) - 1

    try:
        with connection.cursor() as cursor:
            cursor.execute(f"LISTEN {WAKE_CHANNEL}")
        yield count
    finally:
        connection.close()


@on_postgres
def test_work_inside_an_attempt_wakes_nobody(steps: Steps) -> None:
    announce(steps, "worker", 4)
    lease = steps.working()
    with listening(steps.db) as words:
        renew_leases(steps.db, lease.owner, [lease.request_id], lease_seconds=LEASE_SECONDS)
        save_heartbeat(steps.db, "worker", "1", slots=4)
        steps.make_stage(lease, "lyric")
        acquire_permit(steps.db, lease, "vendor", Rate(5, 60))
        assert words() == 0


@on_postgres
def test_dispatch_and_claim_wake_nobody(steps: Steps) -> None:
    steps.order()
    with listening(steps.db) as words:
        steps.dispatch()
        steps.take(dispatched_as=1)
        assert words() == 0


@on_postgres
def test_many_orders_of_one_transaction_are_one_word(steps: Steps) -> None:
    with listening(steps.db) as words:
        steps.sql(
            "INSERT INTO requests (task_id, payload) SELECT 'r' || n, '{}' FROM generate_series(1, 50) n"
        )
        assert words() == 1


@on_postgres
def test_watch_whose_connection_is_cut_listens_again(watch: ChangeWatcher, steps: Steps) -> None:
    steps.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'castad waiting' AND datname = current_database()"
    )
    watch.wait(FOR_EVER)  # hears of the end
    watch.wait(FOR_EVER)  # connects
    steps.order()
    watch.wait(FOR_EVER)
    assert read_dispatch_snapshot(steps.db, ONE, 10).ready == 1


@on_sqlite
def test_waiting_writes_nothing(watch: ChangeWatcher, steps: Steps) -> None:
    steps.order()
    watch.wait(FOR_EVER)
    log = Path(f"{steps.db.url.database}-wal")
    before = log.stat().st_size
    for _ in range(50):
        watch.wait(0)
    assert log.stat().st_size == before


# Where to


def order_many(steps: Steps, count: int) -> None:
    for number in range(count):
        steps.order(f"r{number}")


def silent(steps: Steps) -> None:
    announce(steps, "silent", 2)
    steps.sql("UPDATE workers SET beat_at = '2020-01-01 00:00:00' WHERE name = 'silent'")


def stopping(steps: Steps) -> None:
    announce(steps, "stopping", 2)
    withdraw_worker_slots(steps.db, "stopping", "1")


def by_hand(steps: Steps) -> None:
    announce(steps, "by-hand", 0)
    steps.working("r", owner="by-hand:1")


# Besides a worker of two slots where there is one: who else, the limits, and how many of five are dispatched.
OFFERS = {
    "workers that are alive offer their slots": (
        True,
        lambda steps: announce(steps, "b", 1),
        ONE,
        3,
    ),
    "a worker that went silent offers none": (True, silent, ONE, 2),
    "a worker that was told to stop offers none": (True, stopping, ONE, 2),
    "who offers no slot occupies none": (True, by_hand, ONE, 2),
    "what a worker works on takes a slot": (True, lambda s: s.working("busy", owner="a:1"), ONE, 1),
    "without a worker those on demand count": (False, None, Limits(3, LEASE_SECONDS), 3),
    "without anybody to start one the backlog stays": (False, None, NOBODY, 0),
}


@pytest.mark.parametrize("case", OFFERS.values(), ids=OFFERS)
def test_as_many_are_dispatched_as_workers_offer_slots(steps, case):
    has_worker, others, limits, expected = case
    if has_worker:
        announce(steps, "a", 2)
        others(steps)
    order_many(steps, 5)
    assert len(dispatch_due_requests(steps.db, limits)) == expected


def test_no_more_at_once_than_asked_for(steps: Steps) -> None:
    order_many(steps, 5)
    assert len(dispatch_due_requests(steps.db, Limits(9, LEASE_SECONDS), at_most=2)) == 2


def test_outlook_tells_when_the_next_request_comes_due(steps: Steps) -> None:
    order_many(steps, 2)
    for task_id, moment in (("r0", "2999-01-02"), ("r1", "2999-01-01")):
        steps.edit(f"not_before = '{moment} 00:00:00'", task_id)
    until = steps.until("not_before", "r1") - steps.until("updated_at", "r1")
    assert read_dispatch_snapshot(steps.db, ONE, 10).changes_in == pytest.approx(
        until.total_seconds(), abs=60
    )


def test_outlook_without_anything_to_come_waits_for_word(db: Database) -> None:
    assert read_dispatch_snapshot(db, ONE, 10).changes_in is None


@on_sqlite
@pytest.mark.parametrize(
    "question",
    [
        pytest.param(lambda steps: read_dispatch_snapshot(steps.db, ONE, 10), id="look"),
        pytest.param(lambda steps: dispatch_due_requests(steps.db, ONE, 10), id="hand-out"),
        pytest.param(lambda steps: steps.claim("r", slots=1), id="claim"),
    ],
)
def test_no_question_reads_or_sorts_every_request(steps, question):
    steps.order()
    asked: list[tuple[str, Any]] = []

    def note(_c: Connection, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "WITH")) and "requests" in statement:
            asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        question(steps)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    plans = {each[0]: plan(steps.db, *each) for each in asked}
    for due in (lines for statement, lines in plans.items() if "priority DESC" in statement):
        assert any("requests_due" in line for line in due)
        assert not any("TEMP B-TREE" in line for line in due)
    for line in (line for lines in plans.values() for line in lines):
        assert not line.startswith(("SCAN requests", "SCAN other")) or "INDEX" in line


def plan(db: Database, statement: str, values: Any) -> list[str]:
    with db.reading() as tx:
        rows = tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        return [str(row.detail) for row in rows]


_DISPATCHER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from resources.ledger.db.database import Database
from resources.ledger.limits import Limits
from resources.ledger.transitions.dispatch import dispatch_due_requests
db = Database(sys.argv[1])
sys.stdin.readline()
def work(_):
    taken = []
    while held := dispatch_due_requests(db, Limits(1000, 60), at_most=7):
        taken += [request.task_id for request in held]
    return taken
with ThreadPoolExecutor(4) as pool:
    for taken in pool.map(work, range(4)):
        print(*taken, sep="\\n")
"""


def test_two_daemons_dispatch_every_request_once(steps: Steps) -> None:
    with steps.db.writing() as tx:
        rows = [{"task_id": f"r{number}"} for number in range(200)]
        tx.execute(text("INSERT INTO requests (task_id, payload) VALUES (:task_id, '{}')"), rows)
    url = steps.db.url.render_as_string(hide_password=False)
    daemons = [
        subprocess.Popen(
            [sys.executable, "-c", _DISPATCHER, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for daemon in daemons:
        assert daemon.stdin is not None
        daemon.stdin.write("\n")
        daemon.stdin.flush()
    told = [daemon.communicate(timeout=120)[0].split() for daemon in daemons]
    assert Counter(told[0] + told[1]) == Counter(f"r{number}" for number in range(200))


# Ticks that wait


@pytest.fixture
def stood(db: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator["Stood"]:
    """Ticks over this ledger, whose launcher starts a worker of one slot."""
    if not db.is_sqlite:
        url = db.url.render_as_string(hide_password=False)
        monkeypatch.setenv("CASTAD_DATABASE_URL", url)
    monkeypatch.setenv("CASTAD_CONCURRENT_RUNS", "1")
    settings.cache_clear()
    with ThreadPoolExecutor(2) as pool:
        yield Stood(Steps(open_database(settings().ledger_url)), pool)


@contextmanager
def locked_requests(stood: "Stood") -> Iterator[None]:
    """No query on requests is answered during the block."""
    with stood.steps.db.writing() as tx:
        tx.execute(text("LOCK TABLE requests IN ACCESS EXCLUSIVE MODE"))
        stood.fail_soon()
        yield


class Stood:
    """Ticks that wait, each in a thread of its own; `now` is one that takes what is there."""

    def __init__(self, steps: Steps, pool: ThreadPoolExecutor) -> None:
        self.steps = steps
        self.is_off = False
        self._waiter = DispatchWaiter(get_catalog(), FOR_EVER, silent_seconds=FOR_EVER)
        self._pool = pool

    def fail_soon(self) -> None:
        """Ticks fail where the ledger does not answer them within a few seconds."""
        self._waiter = DispatchWaiter(get_catalog(), FOR_EVER, silent_seconds=5)

    def stop(self) -> None:
        self._waiter.stop()

    def now(self) -> DispatchBatch:
        return DispatchWaiter(get_catalog(), 0).wait_for_batch(lambda: self.is_off)

    def tick(self) -> "Future[DispatchBatch]":
        """A tick that waits, or has ended already."""
        waiting = len(self._waiter._waiting)
        future = self._pool.submit(self._waiter.wait_for_batch, lambda: self.is_off)
        assert eventually(lambda: future.done() or len(self._waiter._waiting) > waiting)
        return future


def names(found: DispatchBatch) -> list[str]:
    return [request.task_id for request in found.requests]


def test_tick_that_waits_comes_back_with_a_new_order(stood: Stood) -> None:
    tick = stood.tick()
    stood.steps.order()
    assert names(tick.result()) == ["r"]


def test_tick_that_waits_comes_back_when_an_order_comes_due(stood: Stood) -> None:
    stood.steps.order()
    now = "strftime('%Y-%m-%d %H:%M:%f', 'now', '+0.3 seconds')"
    later = now if stood.steps.db.is_sqlite else "now() + interval '0.3 seconds'"
    stood.steps.edit(f"not_before = {later}")
    assert names(stood.tick().result()) == ["r"]


def test_tick_that_waits_comes_back_when_a_slot_is_free(stood: Stood) -> None:
    announce(stood.steps, "worker", 1)
    lease = stood.steps.working("busy")
    stood.steps.order("next")
    tick = stood.tick()
    stood.steps.make_all(lease)
    assert names(tick.result()) == ["next"]


def test_newest_tick_is_answered_first(stood: Stood) -> None:
    older, newer = stood.tick(), stood.tick()
    stood.steps.order("a")
    assert names(newer.result()) == ["a"]
    stood.steps.cancel("a")
    stood.steps.order("b")
    assert names(older.result()) == ["b"]


def test_tick_whose_time_is_over_says_why_there_is_nothing(stood: Stood) -> None:
    assert stood.now() == DispatchBatch(reason="nothing is due")


def test_tick_of_a_sensor_that_is_off_touches_nothing(stood: Stood) -> None:
    stood.is_off = True
    stood.steps.order()
    assert stood.now() == DispatchBatch(reason=SENSOR_IS_OFF)
    assert stood.steps.row().status is Status.PENDING


def test_tick_that_waits_ends_when_the_code_server_is_about_to_stop(stood: Stood) -> None:
    tick = stood.tick()
    stood.stop()
    assert tick.result() == DispatchBatch(reason=SERVER_IS_STOPPING)


def test_tick_that_comes_while_the_code_server_stops_hands_out_nothing(stood: Stood) -> None:
    stood.stop()
    stood.steps.order()
    assert stood.tick().result() == DispatchBatch(reason=SERVER_IS_STOPPING)
    assert stood.steps.row().status is Status.PENDING


def test_sensor_switched_off_while_it_waits_hands_out_nothing(stood: Stood) -> None:
    tick = stood.tick()
    stood.is_off = True
    stood.steps.order()
    assert tick.result() == DispatchBatch(reason=SENSOR_IS_OFF)
    assert stood.steps.row().status is Status.PENDING


def test_tick_says_that_no_worker_is_alive(stood: "Stood", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASTAD_BROKER_URL", "redis://127.0.0.1:1/0")
    settings.cache_clear()
    stood.steps.order()
    assert stood.now() == DispatchBatch(reason="no worker is alive: start `castad worker`")


def test_tick_says_that_every_slot_is_taken(stood: "Stood") -> None:
    announce(stood.steps, "worker", 1)
    stood.steps.working()
    assert stood.now() == DispatchBatch(reason="no slot is free: 1 of 1 are in use")


# When the ledger does not answer


@on_postgres
def test_tick_fails_while_the_database_hangs(stood: Stood) -> None:
    with locked_requests(stood), pytest.raises(StateUnavailableError, match=LEDGER_IS_SILENT):
        stood.tick().result()


@on_postgres
def test_tick_that_waits_when_a_hang_is_over_ends_at_once_and_says_what_is_true(
    stood: Stood,
) -> None:
    with locked_requests(stood):
        failed = stood.tick()
        with pytest.raises(StateUnavailableError):
            failed.result()
        next_one = stood.tick()
    # Without the ending it would wait for its time: longer than this test may last.
    assert next_one.result() == DispatchBatch(reason="nothing is due")


@on_postgres
def test_what_was_ordered_before_a_hang_is_dispatched_after_it(stood: Stood) -> None:
    stood.steps.order()
    with locked_requests(stood):
        with pytest.raises(StateUnavailableError):
            stood.tick().result()
        tick = stood.tick()
    assert names(tick.result()) == ["r"]


@on_postgres
def test_what_a_hanging_dispatch_commits_late_is_handed_to_the_next_tick(stood: Stood) -> None:
    stood.steps.order()
    stood.fail_soon()
    with stood.steps.db.writing() as tx:
        AdvisoryLock.DISPATCH.take(tx)
        with pytest.raises(StateUnavailableError):
            stood.tick().result()
    assert eventually(lambda: stood.steps.row().status is Status.DISPATCHED)
    assert names(stood.tick().result()) == ["r"]


@on_sqlite
def test_tick_says_that_the_ledger_was_moved_away_and_the_next_continues_when_it_is_back(
    stood: Stood, tmp_path: Path
) -> None:
    stood.steps.order()
    file = Path(str(stood.steps.db.url.database))
    file.rename(tmp_path / "elsewhere")
    with pytest.raises(StateUnavailableError, match=f"{file} was moved away or deleted"):
        stood.now()
    (tmp_path / "elsewhere").rename(file)
    assert names(stood.tick().result()) == ["r"]


def test_what_breaks_is_raised_in_a_tick(stood: Stood) -> None:
    stood.steps.sql("ALTER TABLE workers RENAME TO gone")
    try:
        with pytest.raises(Exception, match="workers"):
            stood.tick().result()
    finally:
        stood.steps.sql("ALTER TABLE gone RENAME TO workers")
