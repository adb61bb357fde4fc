"""Places of a stage: no more at work than there are, first come first served, and none lost with a worker."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import func, select

from resources.artifacts import ArtifactStore
from resources.ledger.database import Database
from resources.ledger.errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.lease import Attempt, Worker
from resources.ledger.moves.core import Lease
from resources.ledger.moves.places import take_place
from resources.ledger.moves.stages import StageEntry
from resources.ledger.paid_stage import Made, make
from resources.ledger.sqltime import now
from resources.ledger.tables import stages
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.fakes.vendor import Vendor
from tests.ledger_steps import Steps

SONG = StageEntry("song", 1, None)
_PATIENCE = 60.0


@dataclass
class Crowd:
    """Many requests for one stage on one worker; its vendor works until it is let go."""

    steps: Steps
    worker: Worker
    store: ArtifactStore
    make_settings: MakeSettings
    pool: ThreadPoolExecutor
    at_work: list[str] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    may_finish: threading.Event = field(default_factory=threading.Event)
    places: int | None = 2

    def begin(self, task_id: str) -> Future[Made]:
        """Its run has begun the stage, and has its place or waits for one."""
        attempt = self.attempt(task_id)
        begun = self.pool.submit(self.make, attempt)
        assert eventually(lambda: task_id in self.at_work or begun.done() or self.waits(task_id))
        return begun

    def attempt(self, task_id: str) -> Attempt:
        if task_id not in self.steps.task_ids():
            self.steps.order(task_id)
        request, lease = self.steps.claim(task_id, owner=self.worker.owner)
        self.said[task_id] = []
        config = self.make_settings(places_song=self.places)
        return Attempt(self.steps.db, request, lease, self.worker, config)

    def waits(self, task_id: str) -> bool:
        return any("waiting for a place" in line for line in self.said[task_id])

    def make(self, attempt: Attempt) -> Made:
        vendor = Vendor(while_working=lambda: self._work(attempt))
        return make(
            attempt,
            "song",
            vendor,
            {},
            pipeline_stages=("song",),
            store=self.store,
            say=self.said[attempt.task_id].append,
            shield=nullcontext,
        )

    def _work(self, attempt: Attempt) -> None:
        self.at_work.append(attempt.task_id)
        self.seen.append(len(self.at_work))
        self.may_finish.wait(_PATIENCE)
        self.at_work.remove(attempt.task_id)


@pytest.fixture
def crowd(db: Database, tmp_path: Path, make_settings: MakeSettings) -> Iterator[Crowd]:
    # No beat comes in between: a lease that a test lets run out stays so.
    worker = Worker(db, make_settings(beat_seconds=600, lease_seconds=600))
    worker.start()
    with ThreadPoolExecutor(8) as pool:
        crowd = Crowd(Steps(db), worker, ArtifactStore(tmp_path / "files"), make_settings, pool)
        yield crowd
        crowd.may_finish.set()
        worker.hand_over()
    worker.stop()


def test_no_more_are_at_work_than_there_are_places(crowd: Crowd) -> None:
    begun = [crowd.begin(f"r{number}") for number in range(5)]
    assert crowd.at_work == ["r0", "r1"]
    crowd.may_finish.set()
    assert [one.result(_PATIENCE).reused for one in begun] == [False] * 5
    assert max(crowd.seen) == 2


def test_who_waits_says_so_once(crowd: Crowd) -> None:
    crowd.places = 1
    begun = [crowd.begin("first"), crowd.begin("second")]
    crowd.may_finish.set()
    [one.result(_PATIENCE) for one in begun]
    told = [line for line in crowd.said["second"] if "place" in line]
    assert told == ["song: waiting for a place (1 of 1 taken)"]


def test_who_waits_may_be_canceled(crowd: Crowd) -> None:
    crowd.places = 1
    crowd.begin("first")
    waiting = crowd.begin("second")
    crowd.steps.cancel("second")
    assert isinstance(waiting.exception(_PATIENCE), CancelRequestedError)


def test_who_waits_hands_over_with_its_worker(crowd: Crowd) -> None:
    crowd.places = 1
    crowd.begin("first")
    waiting = crowd.begin("second")
    crowd.worker.hand_over()
    assert isinstance(waiting.exception(_PATIENCE), WorkerStoppingError)


def test_who_waits_hears_that_its_request_was_taken(crowd: Crowd) -> None:
    crowd.places = 1
    crowd.begin("first")
    waiting = crowd.begin("second")
    crowd.steps.edit("status = 'pending'", "second")
    assert isinstance(waiting.exception(_PATIENCE), LeaseLostError)


def test_stage_that_is_done_needs_no_place(crowd: Crowd) -> None:
    crowd.places = 1
    crowd.may_finish.set()
    crowd.begin("done").result(_PATIENCE)
    crowd.may_finish.clear()
    crowd.begin("first")
    assert crowd.pool.submit(crowd.make, crowd.attempt("done")).result(_PATIENCE).reused


def test_stage_without_a_limit_asks_for_no_place(crowd: Crowd) -> None:
    crowd.places = None
    crowd.may_finish.set()
    crowd.begin("r").result(_PATIENCE)
    assert [row.asked_at for row in crowd.steps.stages("r")] == [None]


# The line, as the ledger keeps it for all workers


def stand_in_line(steps: Steps, task_id: str, owner: str = "w:1") -> Lease:
    """Its run holds the request and has begun the stage."""
    if task_id not in steps.task_ids():
        steps.order(task_id)
    lease = steps.take(task_id, owner=owner)
    steps.begin(lease, "song")
    return lease


def asks(steps: Steps, lease: Lease, places: int = 1) -> bool:
    return take_place(steps.db, lease, SONG, places)


def clock_moves_on(steps: Steps) -> None:
    """Whoever asks from here on asks at a later moment; SQLite's clock tells milliseconds."""
    with steps.db.reading() as tx:
        asked = tx.execute(select(func.max(stages.c.asked_at))).scalar_one()
        assert eventually(lambda: tx.execute(select(now())).scalar_one() > asked)


def test_of_many_that_ask_at_once_only_so_many_get_a_place(steps: Steps) -> None:
    leases = [stand_in_line(steps, f"r{number}", f"w{number}:1") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda lease: asks(steps, lease, 3), leases)) == 3


def test_who_asked_first_is_served_first(steps: Steps) -> None:
    first, second, third = (stand_in_line(steps, name) for name in ("first", "second", "third"))
    assert [asks(steps, lease) for lease in (first, third)] == [True, False]
    clock_moves_on(steps)
    assert not asks(steps, second)
    steps.complete(first, SONG)
    assert [asks(steps, lease) for lease in (second, third)] == [False, True]


GIVES_BACK: dict[str, Callable[[Steps, Lease], object]] = {
    "done": lambda steps, lease: steps.complete(lease, SONG),
    "failed": lambda steps, lease: steps.fail(lease, stage="song"),
    "handed over": lambda steps, lease: steps.release(lease),
    "canceled": lambda steps, lease: (steps.cancel("first"), steps.confirm_cancel(lease)),
    "worker lost": lambda steps, lease: steps.lose_worker("first"),
    "edited": lambda steps, lease: steps.edit("status = 'dead'", "first"),
    "deleted": lambda steps, lease: steps.sql("DELETE FROM requests WHERE task_id = 'first'"),
}


@pytest.mark.parametrize("ends", GIVES_BACK.values(), ids=GIVES_BACK)
def test_place_is_free_again_however_the_stage_ends(
    steps: Steps, ends: Callable[[Steps, Lease], object]
) -> None:
    first, second = stand_in_line(steps, "first"), stand_in_line(steps, "second")
    assert [asks(steps, lease) for lease in (first, second)] == [True, False]
    ends(steps, first)
    assert asks(steps, second)


def test_who_had_a_place_and_lost_its_worker_is_served_before_later_ones(steps: Steps) -> None:
    first, second, third = (stand_in_line(steps, name) for name in ("first", "second", "third"))
    assert [asks(steps, lease) for lease in (first, second, third)] == [True, False, False]
    steps.lose_worker("first")
    again = stand_in_line(steps, "first")
    assert [asks(steps, lease) for lease in (third, again)] == [False, True]


def test_nobody_waits_behind_a_worker_that_is_gone(steps: Steps) -> None:
    first, gone, third = (stand_in_line(steps, name) for name in ("first", "gone", "third"))
    assert [asks(steps, lease) for lease in (first, gone, third)] == [True, False, False]
    steps.run_out("gone")
    steps.complete(first, SONG)
    assert asks(steps, third)


def test_places_of_one_stage_are_not_those_of_another(steps: Steps) -> None:
    first = stand_in_line(steps, "first")
    assert asks(steps, first)
    steps.order("other")
    other = steps.take("other")
    assert take_place(steps.db, other, steps.begin(other, "video"), 1)


def test_attempt_that_lost_its_lease_gets_no_place(steps: Steps) -> None:
    lease = stand_in_line(steps, "r")
    steps.lose_worker()
    with pytest.raises(LeaseLostError):
        asks(steps, lease)
