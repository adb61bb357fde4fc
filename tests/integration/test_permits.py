"""Permits: a vendor's rate holds over all workers, jobs go in the order of asking, waiting counts nothing."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from castad.cli.order_view import build_headline
from castad.views import snapshot
from castad.views.status_body import build_status_body
from resources.contract.errors import TransientError
from resources.contract.protocol import Rate
from resources.ledger.ledger_errors import LeaseLostError, NoPermitError
from resources.ledger.limits import Limit, Limits
from resources.ledger.queries.dispatch import DispatchSnapshot, read_dispatch_snapshot
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import read_clock
from resources.ledger.queries.workload import WorkloadScope, read_workload
from resources.ledger.rules import classify_failure
from resources.ledger.transitions import dispatch as dispatch_transitions
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.dispatch import (
    acquire_permit,
    acquire_unpaid_call,
    read_vendor_availability,
)
from resources.ledger.transitions.housekeeping import pause_provider
from resources.process.settings import settings
from resources.providers.background_jobs import build_ledger_rate_gate, use_sleep_in_rate_gates
from tests.eventually import eventually
from tests.ledger_steps import AT_ONCE, LEASE_SECONDS, Steps

TWO = Rate(2, 60)
FIRST = (("song_video", "lyric"),)
SLOTS = Limits(
    1000, LEASE_SECONDS, (Limit("vendor:suno", TWO.calls, TWO.seconds),), first_stages=FIRST
)


def dispatch(steps: Steps) -> list[str]:
    return [
        request.task_id for request in dispatch_transitions.dispatch_due_requests(steps.db, SLOTS)
    ]


def outlook(steps: Steps) -> DispatchSnapshot:
    return read_dispatch_snapshot(steps.db, SLOTS, 10)


def at_song(steps: Steps, task_id: str) -> Lease:
    """Its run is about to order a song."""
    if task_id in steps.task_ids():
        lease = steps.take(task_id, dispatched_as=steps.row(task_id).attempt)
    else:
        steps.order(task_id)
        lease = steps.take(task_id)
    steps.begin(lease, "song")
    return lease


def asks(steps: Steps, task_id: str) -> float | None:
    """Seconds until it gets a permit; where that is not soon it has given its request back."""
    lease = at_song(steps, task_id)
    wait = acquire_permit(steps.db, lease, "suno", TWO)
    if wait is None:
        error = NoPermitError("song", "suno")
        steps.fail_as(lease, classify_failure(error, "song"), "song", AT_ONCE)
        since = read_clock(steps.db)
        assert eventually(lambda: read_clock(steps.db) > since)
    return wait


def age(steps: Steps, seconds: float) -> None:
    """All calls were made so much earlier."""
    text = str(bucket(steps))
    window = json.loads(text)
    for kind in ("submissions", "questions"):
        window[kind] = [moment - seconds for moment in window[kind]]
    steps.sql("UPDATE providers SET bucket = :b WHERE name = 'suno'", b=json.dumps(window))


def bucket(steps: Steps) -> object:
    with steps.db.reading() as tx:
        query = "SELECT bucket FROM providers WHERE name = 'suno'"
        return tx.exec_driver_sql(query).scalar_one()


@pytest.fixture
def full(steps: Steps) -> Steps:
    """Two jobs were sent just now, which is all that the vendor allows."""
    assert [asks(steps, name) for name in ("one", "two")] == [0.0, 0.0]
    return steps


# The window


def test_submission_is_sent_at_once_where_the_window_has_room(full):
    age(full, 62)
    assert asks(full, "three") == 0.0


def test_submission_over_the_rate_has_to_wait(full):
    assert asks(full, "three") is None


def test_window_holds_against_submissions_at_the_same_moment(steps):
    leases = [at_song(steps, f"r{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda lease: acquire_permit(steps.db, lease, "suno", TWO), leases))
    assert (waits.count(0.0), waits.count(None)) == (2, 6)


def test_window_holds_against_questions_at_the_same_moment(db):
    waits: list[float] = []
    calls = [
        threading.Thread(target=lambda: waits.append(acquire_unpaid_call(db, "suno", Rate(5, 60))))
        for _ in range(8)
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert waits.count(0.0) == 5


def test_window_of_one_vendor_leaves_the_others_alone(full):
    assert acquire_unpaid_call(full.db, "creatomate", TWO) == 0.0


def test_window_is_not_blocked_by_a_clock_that_was_set_back(full):
    age(full, -7200)
    assert asks(full, "three") == 0.0


def asks_before_its_permit(steps: Steps) -> tuple[str, float]:
    """Who asks shortly before one of two calls is over, and how long it waits; another where it came too late."""
    for number in range(50):
        newest = read_clock(steps.db).timestamp()
        oldest = newest - 1.02 * TWO.seconds + 0.9
        window = json.dumps({"submissions": [oldest, newest], "questions": []})
        steps.sql("UPDATE providers SET bucket = :b WHERE name = 'suno'", b=window)
        wait = asks(steps, f"near-{number}")
        assert wait is not None
        if wait > 0:
            return f"near-{number}", wait
    raise AssertionError("nobody came in time")


def test_permit_that_is_near_is_waited_for_with_the_permit_kept(full):
    name, wait = asks_before_its_permit(full)
    assert wait <= 0.9
    assert full.row(name).permit == "suno"
    assert asks(full, "late") is None


def test_attempt_that_lost_its_lease_gets_no_permit(steps):
    lease = at_song(steps, "r")
    steps.lose_worker("r")
    with pytest.raises(LeaseLostError):
        acquire_permit(steps.db, lease, "suno", TWO)


@pytest.mark.parametrize("kept", ["permit = 'suno'", "waits_for = 'permit:suno'"])
def test_submission_that_is_sent_keeps_neither_its_permit_nor_its_place_among_who_wait(steps, kept):
    lease = at_song(steps, "r")
    steps.edit(kept)
    assert acquire_permit(steps.db, lease, "suno", TWO) == 0.0
    assert (steps.row().permit, steps.row().waits_for) == (None, None)


# Waiting is a state of the row


def test_vendor_that_is_paused_gives_no_permits(full):
    asks(full, "three")
    age(full, 62)
    pause_provider(full.db, "suno", "no credits", 600)
    assert dispatch(full) == []


# Who goes on


def test_no_run_is_started_while_the_window_is_full(full):
    asks(full, "three")
    look = outlook(full)
    assert (look.ready, dispatch_transitions.dispatch_due_requests(full.db, SLOTS, 10)) == (0, [])
    assert look.changes_in is not None
    assert 50 < look.changes_in < 60


def test_run_is_started_a_moment_before_its_permit(full):
    asks(full, "three")
    age(full, 60.5)
    assert outlook(full).ready == 1
    assert dispatch(full) == ["three"]
    wait = asks(full, "three")
    assert wait is not None
    assert 0 <= wait <= 1


def test_no_more_are_started_than_there_are_permits(full):
    for name in ("three", "four", "five"):
        asks(full, name)
    age(full, 62)
    assert dispatch(full) == ["three", "four"]
    assert dispatch(full) == []


def test_who_is_not_yet_to_prepare_hears_so_without_a_transition(full):
    lease = at_song(full, "three")
    before = full.row("three")
    assert read_vendor_availability(full.db, lease, "suno", TWO).wait is None
    assert full.row("three") == before


# Questions beside submissions


def test_question_may_use_the_whole_window_while_no_submission_waits(steps):
    assert [acquire_unpaid_call(steps.db, "suno", Rate(4, 60)) for _ in range(4)] == [0.0] * 4


def test_questions_leave_a_third_of_the_window_to_submissions_that_wait(full):
    asks(full, "three")
    assert acquire_unpaid_call(full.db, "suno", Rate(9, 60)) == 0.0
    waits = [acquire_unpaid_call(full.db, "suno", Rate(9, 60)) for _ in range(6)]
    assert waits.count(0.0) == 5


def test_questions_leave_a_third_of_the_window_to_a_submission_that_holds_a_permit(steps):
    at_song(steps, "one")
    steps.edit("permit = 'suno'", "one")
    waits = [acquire_unpaid_call(steps.db, "suno", Rate(9, 60)) for _ in range(7)]
    assert waits.count(0.0) == 6


@pytest.mark.parametrize("how", ["taken", "given back"])
def test_attempt_whose_request_another_one_has_gets_no_permit(steps, how):
    lease = at_song(steps, "one")
    at_song(steps, "two")
    if how == "taken":
        steps.lose_worker("one")
        steps.take("one")
    else:
        steps.release(lease)
    with pytest.raises(LeaseLostError):
        acquire_permit(steps.db, lease, "suno", TWO)


def test_submissions_leave_room_in_the_window_to_questions_that_were_refused(steps):
    four = Rate(4, 60)
    for number in range(4):
        lease = at_song(steps, f"r{number}")
        assert acquire_permit(steps.db, lease, "suno", four) == 0.0
    assert acquire_unpaid_call(steps.db, "suno", four) > 0
    age_some(steps, 3)
    assert acquire_permit(steps.db, at_song(steps, "a"), "suno", four) == 0.0
    assert acquire_permit(steps.db, at_song(steps, "b"), "suno", four) is None
    assert acquire_unpaid_call(steps.db, "suno", four) == 0.0


def age_some(steps: Steps, count: int) -> None:
    window = json.loads(str(bucket(steps)))
    earlier = timedelta(seconds=62).total_seconds()
    window["submissions"] = [
        moment - earlier * (place < count) for place, moment in enumerate(window["submissions"])
    ]
    steps.sql("UPDATE providers SET bucket = :b WHERE name = 'suno'", b=json.dumps(window))


# The gate before every question


def test_gate_goes_on_as_soon_as_the_window_has_room(db):
    gate = build_ledger_rate_gate(lambda: db, "suno", Rate(2, 1))
    for _ in range(5):
        gate()
    assert acquire_unpaid_call(db, "suno", Rate(1, 1)) > 0


def test_gate_loses_patience_where_nobody_can_end_the_wait(db):
    gate = build_ledger_rate_gate(lambda: db, "suno", TWO, max_wait_seconds=0)
    gate()
    gate()
    with pytest.raises(TransientError) as told:
        gate()
    assert (told.value.code, told.value.retry_after) == ("rate_limited", 60)


def test_gate_waits_as_the_attempt_waits_however_long(db):
    gate = build_ledger_rate_gate(lambda: db, "suno", TWO, max_wait_seconds=0)
    gate()
    gate()
    paused: list[float] = []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == 3:
            raise LeaseLostError("canceled meanwhile")

    with use_sleep_in_rate_gates(pause), pytest.raises(LeaseLostError):
        gate()
    assert len(paused) == 3


def test_gate_takes_a_ledger_that_does_not_answer_for_short_trouble(db):
    with db.writing() as tx:
        tx.exec_driver_sql("ALTER TABLE providers RENAME TO gone")
    try:
        with pytest.raises(TransientError) as told:
            build_ledger_rate_gate(lambda: db, "suno", TWO)()
    finally:
        with db.writing() as tx:
            tx.exec_driver_sql("ALTER TABLE gone RENAME TO providers")
    assert told.value.code == "state_unavailable"


# What people are told


def test_overview_counts_who_stands_before(full):
    for name in ("three", "four", "five"):
        asks(full, name)
    full.edit("priority = 1", "five")
    told = [build_overview(full.db, name).before for name in ("three", "four", "five", "one")]
    assert told == [1, 2, 0, None]


def test_workload_counts_who_waits_for_what(full):
    for name in ("three", "four"):
        asks(full, name)
    assert read_workload(full.db, WorkloadScope({"song_video": "lyric"}, 60)).waiting == {
        "permit:suno": 2
    }


def test_status_tells_whose_permit_is_waited_for_and_about_how_long(full, tmp_path, monkeypatch):
    monkeypatch.setenv("SUNO_API_KEY", "a-key-of-suno")
    settings.cache_clear()
    for name in ("three", "four"):
        asks(full, name)
    seen = snapshot.read_snapshot(full.db, "four", tmp_path)
    assert build_headline(seen) == "waiting for a permit at suno, about 3 s, 1 ahead of it"
    told = build_status_body(seen, "http://127.0.0.1:3000").model_dump()
    assert [
        told[name] for name in ("waits_for", "orders_ahead", "expected_wait_seconds", "error")
    ] == [*("permit:suno", 1, 3.0, None)]
