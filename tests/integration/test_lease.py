"""Who is alive: beats, silence, a worker's own earlier life, and what an attempt asks before it goes on."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resources.ledger.database import Database
from resources.ledger.errors import CancelRequestedError, LeaseLostError
from resources.ledger.lease import Attempt, Worker
from resources.ledger.moves.attempts import (
    Claimant,
    announce_worker,
    claim,
    forget_lost_workers,
    renew_leases,
)
from resources.ledger.run_end import end_unfinished
from resources.ledger.tables import Status, workers
from tests.conftest import MakeSettings
from tests.ledger_steps import POISON, Steps

_PATIENCE = 20.0


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it comes true before a deadline that no healthy machine reaches."""
    deadline = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.005)
    return True


def listed(db: Database) -> list[str]:
    with db.reading() as tx:
        return list(tx.execute(select(workers.c.name)).scalars())


class OutageDatabase(Database):
    """A database whose pool can be told to be exhausted, as in an outage."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.is_out = False
        self.refused = 0

    def reading(self) -> AbstractContextManager[Connection]:
        self._refuse()
        return super().reading()

    def writing(self) -> AbstractContextManager[Connection]:
        self._refuse()
        return super().writing()

    def _refuse(self) -> None:
        if getattr(self, "is_out", False):
            self.refused += 1
            raise PoolTimeoutError("QueuePool limit reached")


@pytest.fixture
def outage_db(sqlite_url: str) -> Iterator[OutageDatabase]:
    database = OutageDatabase(sqlite_url)
    yield database
    database.close()


@pytest.fixture
def start_worker(make_settings: MakeSettings) -> Iterator[Callable[..., Worker]]:
    started: list[Worker] = []

    def start(db: Database, **overrides: object) -> Worker:
        worker = Worker(db, make_settings(**overrides))
        worker.start()
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.stop()


def attempt_of(steps: Steps, worker: Worker, make_settings: MakeSettings) -> Attempt:
    steps.order()
    request, lease = claim(
        steps.db,
        "r",
        Claimant("run", worker.owner, None),
        lease_seconds=600,
        poison_deaths=POISON,
    )
    return Attempt(steps.db, request, lease, worker, make_settings())


@pytest.fixture
def attempt(
    steps: Steps, start_worker: Callable[..., Worker], make_settings: MakeSettings
) -> Attempt:
    return attempt_of(steps, start_worker(steps.db), make_settings)


# Workers


def test_worker_is_listed_while_it_lives(db: Database, start_worker: Callable[..., Worker]) -> None:
    worker = start_worker(db)
    assert listed(db) == [worker.name]


def test_worker_that_stopped_is_not_listed(db: Database, make_settings: MakeSettings) -> None:
    worker = Worker(db, make_settings())
    worker.start()
    worker.stop()
    assert listed(db) == []


def test_worker_beats_renew_its_leases(steps: Steps, start_worker: Callable[..., Worker]) -> None:
    worker = start_worker(steps.db)
    steps.working(owner=worker.owner)
    steps.run_out()
    lapsed = steps.until("lease_until")
    assert eventually(lambda: steps.until("lease_until") > lapsed)


def test_worker_whose_beat_failed_beats_again(
    outage_db: OutageDatabase, start_worker: Callable[..., Worker]
) -> None:
    steps = Steps(outage_db)
    steps.working(owner=start_worker(outage_db).owner)
    outage_db.is_out = True
    assert eventually(lambda: outage_db.refused > 0)
    outage_db.is_out = False
    steps.run_out()
    lapsed = steps.until("lease_until")
    assert eventually(lambda: steps.until("lease_until") > lapsed)


def test_worker_that_cannot_renew_is_no_longer_sure(
    outage_db: OutageDatabase, start_worker: Callable[..., Worker]
) -> None:
    worker = start_worker(outage_db, lease_seconds=0.2)
    outage_db.is_out = True
    sure_no_more = eventually(lambda: not worker.is_sure())
    outage_db.is_out = False
    assert sure_no_more


def test_beat_renews_no_lease_of_anybody_else(steps: Steps) -> None:
    steps.working(owner="other:1")
    until = steps.until("lease_until")
    renew_leases(steps.db, "w", "1", 6000)
    assert steps.until("lease_until") == until


def test_beat_of_an_earlier_life_renews_nothing(steps: Steps) -> None:
    steps.working(owner="w:2")
    until = steps.until("lease_until")
    renew_leases(steps.db, "w", "1", 6000)
    assert steps.until("lease_until") == until


def test_silent_worker_loses_its_request(steps: Steps) -> None:
    steps.working()
    steps.run_out()
    assert [request.status for request in steps.rescue()] == [Status.PENDING]


def test_lease_that_holds_is_left_alone(steps: Steps) -> None:
    steps.working()
    assert steps.rescue() == []


def test_worker_that_was_silent_for_long_is_forgotten(db: Database) -> None:
    announce_worker(db, "w", "1", places=1, poison_deaths=POISON)
    forget_lost_workers(db, -1)
    assert listed(db) == []


# Its own earlier life


def take_back(steps: Steps, name: str = "w", nonce: str = "2") -> list[str]:
    taken = announce_worker(steps.db, name, nonce, places=1, poison_deaths=POISON)
    return [request.task_id for request in taken]


def test_worker_takes_back_own_life(steps: Steps) -> None:
    steps.working(owner="w:1")
    assert take_back(steps) == ["r"]
    assert (steps.row().status, steps.row().deaths) == (Status.PENDING, 1)


def test_worker_takes_back_nothing_of_anybody_else(steps: Steps) -> None:
    steps.working("a", owner="ww:1")
    steps.working("b", owner="w2:1")
    assert take_back(steps) == []


def test_worker_takes_back_nothing_of_this_life(steps: Steps) -> None:
    steps.working(owner="w:2")
    assert take_back(steps) == []


def test_worker_takes_back_nothing_that_was_given_back_before(steps: Steps) -> None:
    steps.release(steps.working(owner="w:1"))
    assert take_back(steps) == []


@pytest.mark.parametrize("name", ["w_", "%", "w\\"], ids=repr)
def test_worker_name_is_no_pattern(steps: Steps, name: str) -> None:
    steps.working(owner="w1:1")
    assert take_back(steps, name) == []


# What an attempt asks before it goes on


def test_attempt_that_holds_may_go_on(attempt: Attempt) -> None:
    attempt.check()


TAKEN_AWAY: dict[str, tuple[Callable[[Steps], object], type[Exception]]] = {
    "canceled": (lambda steps: steps.cancel(), CancelRequestedError),
    "edited": (lambda steps: steps.edit("status = 'dead'"), LeaseLostError),
    "deleted": (lambda steps: steps.sql("DELETE FROM requests"), LeaseLostError),
    "rescued": (lambda steps: steps.lose_worker(), LeaseLostError),
    "claimed by another": (lambda steps: (steps.lose_worker(), steps.take()), LeaseLostError),
}


@pytest.mark.parametrize("case", TAKEN_AWAY.values(), ids=TAKEN_AWAY)
def test_attempt_whose_request_was_taken_away_stops(
    steps: Steps,
    make_settings: MakeSettings,
    start_worker: Callable[..., Worker],
    case: tuple[Callable[[Steps], object], type[Exception]],
) -> None:
    happens, error = case
    # A worker that does not beat again in this test, or it would renew what it lost.
    attempt = attempt_of(steps, start_worker(steps.db, beat_seconds=600), make_settings)
    happens(steps)
    with pytest.raises(error):
        attempt.check()


@pytest.mark.parametrize("assignment", ["max_retries = 9", "priority = 9"])
def test_attempt_goes_on_under_a_new_policy(
    steps: Steps, attempt: Attempt, assignment: str
) -> None:
    steps.edit(assignment)
    attempt.check()


def test_pause_ends_at_once_when_somebody_cancels(steps: Steps, attempt: Attempt) -> None:
    steps.cancel()
    with pytest.raises(CancelRequestedError):
        attempt.pause(600)


def test_attempt_goes_on_through_an_outage_while_its_lease_holds(
    outage_db: OutageDatabase, start_worker: Callable[..., Worker], make_settings: MakeSettings
) -> None:
    attempt = attempt_of(Steps(outage_db), start_worker(outage_db), make_settings)
    outage_db.is_out = True
    attempt.check()
    outage_db.is_out = False


def test_attempt_stops_when_the_outage_outlives_its_lease(
    outage_db: OutageDatabase, start_worker: Callable[..., Worker], make_settings: MakeSettings
) -> None:
    worker = start_worker(outage_db, lease_seconds=0.2)
    attempt = attempt_of(Steps(outage_db), worker, make_settings)
    outage_db.is_out = True
    eventually(lambda: not worker.is_sure())
    with pytest.raises(LeaseLostError, match="could not be renewed"):
        attempt.check()
    outage_db.is_out = False


def test_replay_may_always_go_on(
    steps: Steps, start_worker: Callable[..., Worker], make_settings: MakeSettings
) -> None:
    steps.completed()
    request, lease = steps.claim()
    attempt = Attempt(steps.db, request, lease, start_worker(steps.db), make_settings())
    attempt.check()
    assert attempt.lease is None


# A run that ends before its request


def test_unfinished_run_counts_as_a_failure(steps: Steps, attempt: Attempt) -> None:
    end_unfinished(attempt, canceled=False)
    row = steps.row()
    assert (row.status, row.error_code, row.retry_count) == (Status.FAILED, "run_ended", 1)


@pytest.mark.parametrize("asked", ["in the UI", "in the ledger"])
def test_unfinished_run_that_was_stopped_is_canceled(
    steps: Steps, attempt: Attempt, asked: str
) -> None:
    if asked == "in the ledger":
        steps.cancel()
    end_unfinished(attempt, canceled=asked == "in the UI")
    assert steps.row().status is Status.CANCELED


def test_unfinished_run_that_lost_its_lease_touches_nothing(steps: Steps, attempt: Attempt) -> None:
    steps.edit("status = 'pending'")
    seq = steps.row().seq
    end_unfinished(attempt, canceled=False)
    assert steps.row().seq == seq


@pytest.mark.parametrize("canceled", [False, True])
def test_run_that_ends_in_an_outage_leaves_its_request_to_the_rescue(
    outage_db: OutageDatabase,
    start_worker: Callable[..., Worker],
    make_settings: MakeSettings,
    canceled: bool,
) -> None:
    steps = Steps(outage_db)
    attempt = attempt_of(steps, start_worker(outage_db), make_settings)
    outage_db.is_out = True
    end_unfinished(attempt, canceled=canceled)
    outage_db.is_out = False
    assert steps.row().status is Status.PROCESSING
