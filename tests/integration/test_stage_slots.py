"""Slots of a stage: no more at work than there are, in the order of asking, and none lost with a worker."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from resources.files.artifacts import ArtifactStore
from resources.ledger.ledger_errors import NoSlotError
from resources.ledger.limits import Limit, Limits
from resources.ledger.queries.dispatch import DispatchSnapshot, read_dispatch_snapshot
from resources.ledger.rules import classify_failure
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import requests
from resources.ledger.transitions import dispatch as dispatch_transitions
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.rescue import register_worker
from resources.ledger.transitions.stages import StageEntry
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from tests.eventually import eventually
from tests.fakes.vendor import Vendor
from tests.ledger_steps import AT_ONCE, LEASE_SECONDS, POISON, Steps
from tests.song_video import stage_plan
from tests.stage_contexts import buy

SONG = StageEntry("song", 1, None)
FIRST = (("song_video", "lyric"),)


def slots(runs: int = 1000, **stages: int) -> Limits:
    limits = (Limit(f"stage:song_video.{stage}", count) for stage, count in stages.items())
    return Limits(runs, LEASE_SECONDS, tuple(limits), first_stages=FIRST)


def dispatch(steps: Steps, runs: int = 1000, **stages: int) -> list[str]:
    """Who was dispatched, in that order."""
    handed = dispatch_transitions.dispatch_due_requests(steps.db, slots(runs, **stages))
    return [request.task_id for request in handed]


def outlook(steps: Steps, **stages: int) -> DispatchSnapshot:
    return read_dispatch_snapshot(steps.db, slots(**stages), 10)


def reaches_song(steps: Steps, task_id: str, count: int = 1) -> Lease | None:
    """Its run asks for one of so many slots of the song, and gives the request back where it has none."""
    if task_id in steps.task_ids():
        return asks(steps, steps.take(task_id, dispatched_as=steps.row(task_id).attempt), count)
    steps.order(task_id)
    lease = steps.take(task_id)
    steps.make_stage(lease, "lyric")
    return asks(steps, lease, count)


def asks(steps: Steps, lease: Lease, count: int = 1) -> Lease | None:
    try:
        steps.begin(lease, "song", count)
    except NoSlotError as error:
        steps.fail_as(lease, classify_failure(error, "song"), "song", AT_ONCE)
        clock_moves_on(steps)
        return None
    return lease


def clock_moves_on(steps: Steps) -> None:
    """Whoever asks from here on asks at a later moment; SQLite's clock tells milliseconds."""
    with steps.db.reading() as tx:
        asked = tx.execute(select(func.max(requests.c.asked_at))).scalar_one()
        assert eventually(lambda: tx.execute(select(now())).scalar_one() > asked)


@pytest.fixture
def first(steps: Steps) -> Lease:
    """The run that has the only slot."""
    lease = reaches_song(steps, "first")
    assert lease is not None
    return lease


# Waiting is a state of the row


def test_events_name_the_line_that_is_waited_in_and_the_slot_that_is_given(steps, first):
    reaches_song(steps, "second")
    assert steps.last("second").data["waits_for"] == "slot:song"
    steps.make_stage(first, "song")
    assert dispatch(steps, song=1) == ["second"]
    assert steps.last("second").data["slot"] == "song"


def test_stage_is_not_begun_by_who_waits_for_its_slot(steps, first):
    reaches_song(steps, "second")
    assert [stage.stage for stage in steps.stages("second")] == ["lyric"]


def test_run_without_a_slot_leaves_its_thread(steps, first, tmp_path, make_settings):
    steps.order("second")
    config = make_settings()
    worker = Worker(steps.db, config)
    worker.start()
    try:
        request, lease = steps.claim("second", owner=worker.owner)
        vendor = Vendor()
        with pytest.raises(NoSlotError) as told:
            buy(
                Attempt(steps.db, request, lease, worker, config, stage_plan("song", slots=1)),
                "song",
                vendor,
                {},
                ArtifactStore(tmp_path),
            )
    finally:
        worker.stop()
    assert told.value.message == ("song: its slot is taken; the order waits for one")
    assert vendor.charged == []


# Who goes on


def test_run_goes_straight_on_where_a_slot_is_free(steps):
    assert reaches_song(steps, "first", 2) is not None
    assert reaches_song(steps, "second", 2) is not None


def test_orders_at_a_full_stage_keep_no_other_from_its_own(steps):
    worker_of_two = {"runs": 2, "video": 1}
    steps.order("a")
    steps.order("b")
    steps.order("c")
    assert dispatch(steps, **worker_of_two) == ["a", "b"]
    leases = [steps.take(name, dispatched_as=1, owner="w:1") for name in ("a", "b")]
    register_worker(steps.db, "w", "1", slots=2, poison_deaths=POISON)
    for lease in leases:
        steps.make_stage(lease, "lyric")
        steps.make_stage(lease, "song")
    steps.begin(leases[0], "video", 1)
    with pytest.raises(NoSlotError) as told:
        steps.begin(leases[1], "video", 1)
    steps.fail_as(leases[1], classify_failure(told.value, "video"), "video", AT_ONCE)
    assert dispatch(steps, **worker_of_two) == ["c"]


def test_first_stage_has_slots_too(steps):
    for number in range(4):
        steps.order(f"r{number}")
    assert dispatch(steps, lyric=2) == ["r0", "r1"]
    assert outlook(steps, lyric=2).ready == 0
    assert dispatch(steps, lyric=2) == []


def test_full_first_stage_keeps_nobody_from_a_later_one(steps):
    for name in ("new", "retried"):
        steps.order(name)
    lease = steps.take("retried")
    steps.make_stage(lease, "lyric")
    steps.begin(lease, "song")
    steps.fail(lease, stage="song")
    busy = steps.take("new")
    steps.begin(busy, "lyric", 1)
    steps.order("newer")
    assert dispatch(steps, lyric=1) == ["retried"]


def test_who_stopped_between_two_stages_needs_a_slot_of_the_next(steps):
    for name in ("between", "new"):
        steps.order(name)
    lease = steps.take("between")
    steps.make_stage(lease, "lyric")
    steps.release(lease)
    steps.begin(steps.take("new"), "lyric", 1)
    assert dispatch(steps, lyric=1) == ["between"]


def test_stage_without_a_limit_gives_back_the_slot_of_another(steps):
    for name in ("first", "second"):
        steps.order(name)
    assert dispatch(steps, lyric=1) == ["first"]
    steps.begin(steps.take("first", dispatched_as=1), "song")
    assert dispatch(steps, lyric=1) == ["second"]


def test_name_of_no_stage_keeps_nobody_from_a_free_slot(steps):
    for name in ("odd", "busy", "next"):
        steps.order(name)
    steps.edit("stage = ''", "odd")
    steps.edit("stage = 'song'", "next")
    steps.begin(steps.take("busy"), "lyric", 1)
    handed = [*dispatch(steps, runs=1, lyric=1), *dispatch(steps, runs=2, lyric=1)]
    assert handed == ["odd", "next"]


def test_stage_that_is_edited_keeps_nobody_behind_it_from_a_slot(steps, first):
    reaches_song(steps, "second")
    reaches_song(steps, "third")
    steps.order("busy")
    steps.edit("stage = 'lyric'", "second")
    steps.begin(steps.take("busy"), "lyric", 1)
    steps.complete(first, SONG)
    assert dispatch(steps, song=1, lyric=1) == ["second"]


@pytest.mark.parametrize("line", ["slot:gone", "permit:elsewhere", "slot:"])
def test_line_of_nothing_that_is_known_goes_on(steps, line):
    steps.order("second")
    steps.edit(f"waits_for = '{line}', asked_at = CURRENT_TIMESTAMP", "second")
    assert outlook(steps).ready == 1
    assert dispatch(steps) == ["second"]


def test_stage_without_a_limit_takes_no_slot(steps):
    lease = steps.working()
    steps.begin(lease, "lyric")
    assert steps.row().slot is None


# Slots are never lost, and never given twice


GIVES_BACK: dict[str, Callable[[Steps, Lease], object]] = {
    "done": lambda steps, lease: steps.complete(lease, SONG),
    "failed": lambda steps, lease: steps.fail(lease, stage="song", delays=AT_ONCE),
    "handed over": lambda steps, lease: steps.release(lease),
    "canceled": lambda steps, lease: (steps.cancel("first"), steps.confirm_cancel(lease)),
    "worker lost": lambda steps, lease: steps.lose_worker("first"),
    "edited": lambda steps, lease: steps.edit("status = 'dead'", "first"),
    "deleted": lambda steps, lease: steps.sql("DELETE FROM requests WHERE task_id = 'first'"),
}


@pytest.mark.parametrize("ends", GIVES_BACK.values(), ids=GIVES_BACK)
def test_slot_is_free_again_however_the_stage_ends(steps, first, ends):
    reaches_song(steps, "second")
    ends(steps, first)
    assert len(dispatch(steps, song=1)) == 1


def test_of_many_that_ask_at_once_only_so_many_get_a_slot(steps):
    leases = []
    for number in range(8):
        steps.order(f"r{number}")
        leases.append(steps.take(f"r{number}", owner=f"w{number}:1"))
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda lease: begins(steps, lease, "song"), leases)) == 3


def begins(steps: Steps, lease: Lease, stage: str) -> bool:
    try:
        steps.begin(lease, stage, 3)
    except NoSlotError:
        return False
    return True


def test_dispatchers_and_runs_together_give_no_slot_twice(steps):
    for number in range(6):
        steps.order(f"new{number}")
        steps.order(f"run{number}")
    leases = [steps.take(f"run{number}", owner=f"w{number}:1") for number in range(6)]
    with ThreadPoolExecutor(12) as pool:
        run = [pool.submit(begins, steps, lease, "lyric") for lease in leases]
        started = [pool.submit(dispatch, steps, lyric=3) for _ in range(6)]
        given = sum(each.result() for each in run) + sum(len(each.result()) for each in started)
    assert given == 3


def test_who_had_a_slot_and_lost_its_worker_is_served_before_later_ones(steps, first):
    reaches_song(steps, "second")
    steps.lose_worker("first")
    assert dispatch(steps, song=1) == ["first"]
