"""Who is alive: beats, silence, a worker's own earlier life, and what an attempt asks before it goes on."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.schema.tables import Status, requests, workers
from resources.ledger.transitions.claims import Claimant, claim_request
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.rescue import prune_lost_workers, register_worker
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.request_watcher import ForceCancel
from resources.ledger.workers.worker import Worker, requeue_requests_of_dead_workers
from resources.purchase.failures import close_unfinished
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.ledger_steps import POISON, Steps
from tests.song_video import stage_plan

_PATIENCE = 20.0


def nothing() -> None:
    """Cuts off nobody."""


def slots_of(db: Database) -> dict[str, int]:
    with db.reading() as tx:
        return {row.name: row.slots for row in tx.execute(select(workers))}


def listed(db: Database) -> list[str]:
    return list(slots_of(db))


def has_beaten(db: Database) -> bool:
    """Whether every worker that is listed beats once more."""

    def beaten() -> list[datetime]:
        with db.reading() as tx:
            return list(tx.execute(select(workers.c.beat_at)).scalars())

    before = beaten()
    return eventually(lambda: all(now > then for now, then in zip(beaten(), before, strict=True)))


@dataclass
class Outage:
    """Whether the database answers, and how often it did not."""

    is_on: bool = False
    refused: int = 0


class OutageDatabase(Database):
    """A database whose pool can be told to be exhausted, as in an outage; so are its patient views."""

    def __init__(self, url: str) -> None:
        self.outage = Outage()
        super().__init__(url)

    def reading(self) -> AbstractContextManager[Connection]:
        self._refuse()
        return super().reading()

    def writing(self) -> AbstractContextManager[Connection]:
        self._refuse()
        return super().writing()

    def _refuse(self) -> None:
        if self.outage.is_on:
            self.outage.refused += 1
            raise PoolTimeoutError("QueuePool limit reached")


@pytest.fixture
def outage_db(sqlite_ledger_url: str) -> Iterator[OutageDatabase]:
    database = OutageDatabase(sqlite_ledger_url)
    yield database
    database.close()


@pytest.fixture
def start_worker(make_settings: MakeSettings) -> Iterator[Callable[..., Worker]]:
    started: list[Worker] = []

    def start(db: Database, slots: int = 0, **overrides: object) -> Worker:
        worker = Worker(db, make_settings(**overrides), slots)
        worker.start()
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.stop()


def close(attempt: Attempt, *, canceled: bool = False) -> None:
    """Its run ends before its request does."""
    assert attempt.lease is not None
    close_unfinished(attempt, attempt.lease, canceled=canceled)


def attempt_of(
    steps: Steps, worker: Worker, make_settings: MakeSettings, task_id: str = "r"
) -> Attempt:
    steps.order(task_id)
    request, lease = claim_request(
        steps.db,
        task_id,
        Claimant("run", worker.owner, None),
        lease_seconds=600,
        poison_deaths=POISON,
    )
    return Attempt(steps.db, request, lease, worker, make_settings(), stage_plan("song"))


@pytest.fixture
def attempt(
    steps: Steps, start_worker: Callable[..., Worker], make_settings: MakeSettings
) -> Attempt:
    return attempt_of(steps, start_worker(steps.db), make_settings)


# Workers


class Holder:
    """In a worker's place: it remembers how to cut off what it holds."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.force_cancel: ForceCancel = nothing

    def register(self, lease: Lease, force_cancel: ForceCancel) -> None:
        self.force_cancel = force_cancel


def test_run_whose_attempt_ended_in_time_is_not_cut_off(steps, make_settings):
    ended: list[str] = []
    lease, holder = steps.working(), Holder(steps.db)
    Attempt(
        steps.db,
        steps.row(),
        lease,
        cast("Worker", holder),
        make_settings(),
        stage_plan("song"),
        lambda: ended.append(""),
    )
    steps.release(lease)
    holder.force_cancel()
    assert ended == []


def test_worker_is_listed_while_it_lives(db, make_settings):
    worker = Worker(db, make_settings())
    worker.start()
    assert listed(db) == [worker.name]
    worker.stop()
    assert listed(db) == []


def test_worker_beats_renew_its_leases(steps, start_worker):
    worker = start_worker(steps.db)
    worker.register(steps.working(owner=worker.owner), nothing)
    steps.run_out()
    lapsed = steps.until("lease_until")
    assert eventually(lambda: steps.until("lease_until") > lapsed)


def test_worker_whose_beat_failed_beats_again(outage_db, start_worker):
    steps = Steps(outage_db)
    worker = start_worker(outage_db)
    worker.register(steps.working(owner=worker.owner), nothing)
    outage_db.outage.is_on = True
    assert eventually(lambda: outage_db.outage.refused > 0)
    outage_db.outage.is_on = False
    steps.run_out()
    lapsed = steps.until("lease_until")
    assert eventually(lambda: steps.until("lease_until") > lapsed)


def test_worker_that_cannot_renew_is_no_longer_sure(outage_db, start_worker):
    worker = start_worker(outage_db, lease_seconds=0.2)
    outage_db.outage.is_on = True
    sure_no_more = eventually(lambda: not worker.is_lease_fresh())
    outage_db.outage.is_on = False
    assert sure_no_more


# Its own earlier life


def take_back(steps: Steps, name: str = "w", nonce: str = "2") -> list[str]:
    taken = register_worker(steps.db, name, nonce, slots=1, poison_deaths=POISON)
    return [request.task_id for request in taken]


@pytest.mark.parametrize("name", ["w_", "%", "w\\"], ids=repr)
def test_worker_name_is_no_pattern(steps, name):
    steps.working(owner="w1:1")
    assert take_back(steps, name) == []


# What an attempt asks before it goes on


def test_attempt_that_holds_may_go_on(attempt):
    attempt.ensure_may_continue()


TAKEN_AWAY: dict[str, tuple[Callable[[Steps], object], type[Exception]]] = {
    "canceled": (lambda steps: steps.cancel(), CancelRequestedError),
    "edited": (lambda steps: steps.edit("status = 'dead'"), LeaseLostError),
    "deleted": (lambda steps: steps.sql("DELETE FROM requests"), LeaseLostError),
    "rescued": (lambda steps: steps.lose_worker(), LeaseLostError),
    "claimed by another": (lambda steps: (steps.lose_worker(), steps.take()), LeaseLostError),
}


@pytest.mark.parametrize("case", TAKEN_AWAY.values(), ids=TAKEN_AWAY)
def test_attempt_whose_request_was_taken_away_stops(steps, make_settings, start_worker, case):
    happens, error = case
    # A worker that does not beat again in this test, or it would renew what it lost.
    attempt = attempt_of(steps, start_worker(steps.db, beat_seconds=600), make_settings)
    happens(steps)
    with pytest.raises(error):
        attempt.ensure_may_continue()


@pytest.mark.parametrize("assignment", ["max_retries = 9", "priority = 9"])
def test_attempt_goes_on_under_a_new_policy(steps, attempt, assignment):
    steps.edit(assignment)
    attempt.ensure_may_continue()


def test_pause_ends_at_once_when_somebody_cancels(steps, attempt):
    steps.cancel()
    with pytest.raises(CancelRequestedError):
        attempt.interruptible_sleep(600)


# The database does not answer


@pytest.fixture
def unrenewed(
    steps: Steps, start_worker: Callable[..., Worker], make_settings: MakeSettings
) -> Attempt:
    """An attempt whose worker has not renewed its leases for longer than they hold, as after a SIGSTOP."""
    worker = start_worker(steps.db, beat_seconds=600, lease_seconds=0.001)
    attempt = attempt_of(steps, worker, make_settings)
    steps.run_out()
    assert eventually(lambda: not worker.is_lease_fresh())
    return attempt


def test_lease_that_ran_out_and_that_nobody_took_is_renewed_and_held(steps, unrenewed):
    lapsed = steps.until("lease_until")
    unrenewed.ensure_may_continue()
    assert steps.until("lease_until") > lapsed


def test_lease_that_ran_out_and_was_taken_is_lost(steps, unrenewed):
    steps.rescue()
    steps.take(owner="other:1")
    until = steps.until("lease_until")
    with pytest.raises(LeaseLostError, match="superseded"):
        unrenewed.ensure_may_continue()
    assert steps.until("lease_until") == until


@pytest.mark.parametrize(
    "asks", [Attempt.ensure_may_continue, lambda attempt: attempt.interruptible_sleep(0)]
)
def test_attempt_waits_for_a_database_that_does_not_answer_and_goes_on(
    outage_db, start_worker, make_settings, asks
):
    attempt = attempt_of(
        Steps(outage_db), start_worker(outage_db, lease_seconds=0.001), make_settings
    )
    outage_db.outage.is_on = True
    waiting = threading.Thread(target=asks, args=(attempt,))
    waiting.start()
    refused = outage_db.outage.refused
    assert eventually(lambda: outage_db.outage.refused > refused + 3)
    assert waiting.is_alive()
    outage_db.outage.is_on = False
    waiting.join(_PATIENCE)
    assert not waiting.is_alive()


@pytest.mark.parametrize(
    "asks", [Attempt.ensure_may_continue, lambda attempt: attempt.interruptible_sleep(0)]
)
def test_attempt_gives_up_when_the_outage_outlives_its_patience(
    outage_db, start_worker, make_settings, asks
):
    worker = start_worker(outage_db, lease_seconds=0.001, database_patience=0.01)
    attempt = attempt_of(Steps(outage_db), worker, make_settings)
    outage_db.outage.is_on = True
    with pytest.raises(LeaseLostError, match="could not be renewed"):
        asks(attempt)
    outage_db.outage.is_on = False


def test_worker_that_was_silent_for_so_long_that_it_was_forgotten_is_listed_again(db, start_worker):
    worker = start_worker(db, slots=3)
    prune_lost_workers(db, -1)
    assert eventually(lambda: listed(db) == [worker.name])


# Many attempts of one worker


def test_attempts_that_wait_ask_nothing_of_the_database_themselves(
    outage_db, sqlite_url, start_worker, make_settings
):
    steps = Steps(Database(sqlite_url))
    attempt = attempt_of(steps, start_worker(steps.db, beat_seconds=600), make_settings)
    attempt.db = outage_db
    outage_db.outage.is_on = True
    attempt.interruptible_sleep(0.02)
    assert outage_db.outage.refused == 0


def test_cancel_of_one_stops_that_one_alone(steps, start_worker, make_settings):
    worker = start_worker(steps.db)
    attempts = [attempt_of(steps, worker, make_settings, task_id) for task_id in ("a", "b", "c")]
    steps.cancel("b")
    ended = []
    with ThreadPoolExecutor(3) as pool:
        for attempt, wait in zip(attempts, (0.05, 600, 0.05), strict=True):
            ended.append(pool.submit(attempt.interruptible_sleep, wait))
    assert [type(one.exception()) for one in ended] == [
        type(None),
        CancelRequestedError,
        type(None),
    ]


# A worker that is told to stop


@pytest.mark.parametrize(
    "asks", [Attempt.ensure_may_continue, lambda attempt: attempt.interruptible_sleep(600)]
)
def test_attempt_of_a_worker_that_stops_hands_over(steps, start_worker, make_settings, asks):
    worker = start_worker(steps.db)
    attempt = attempt_of(steps, worker, make_settings)
    worker.drain()
    with pytest.raises(WorkerStoppingError):
        asks(attempt)


def test_attempt_that_waits_is_woken_to_hand_over(steps, start_worker, make_settings):
    # It looks once in ten minutes: only the hand-over itself can wake it.
    worker = start_worker(steps.db, watch_seconds=600)
    attempt = attempt_of(steps, worker, make_settings)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(attempt.interruptible_sleep, 600)
        assert eventually(waiting.running)
        worker.drain()
        assert isinstance(waiting.exception(_PATIENCE), WorkerStoppingError)


def test_worker_that_stops_offers_no_slots(db, start_worker):
    worker = start_worker(db, slots=3)
    worker.drain()
    assert eventually(lambda: slots_of(db) == {worker.name: 0})


def test_worker_that_stops_renews_until_all_is_handed_over(steps, start_worker):
    worker = start_worker(steps.db)
    worker.register(steps.working(owner=worker.owner), nothing)
    worker.drain()
    steps.run_out()
    lapsed = steps.until("lease_until")
    assert eventually(lambda: steps.until("lease_until") > lapsed)


def test_worker_that_leaves_something_behind_stays_listed_for_who_buries_it(steps, make_settings):
    worker = Worker(steps.db, make_settings())
    worker.start()
    steps.working(owner=worker.owner)
    worker.stop()
    buried = requeue_requests_of_dead_workers(steps.db, make_settings())
    assert ([request.task_id for request in buried], listed(steps.db)) == (["r"], [])


def test_unfinished_run_of_a_worker_that_stops_counts_nothing(steps, start_worker, make_settings):
    worker = start_worker(steps.db)
    attempt = attempt_of(steps, worker, make_settings)
    worker.drain()
    close(attempt)
    row = steps.row()
    assert (row.status, row.retry_count, row.deaths) == (Status.PENDING, 0, 0)


def test_replay_may_always_go_on(steps, start_worker, make_settings):
    steps.completed()
    request, lease = steps.claim()
    worker = start_worker(steps.db)
    attempt = Attempt(steps.db, request, lease, worker, make_settings(), stage_plan("song"))
    attempt.ensure_may_continue()
    assert attempt.lease is None


# A run that ends before its request


def test_unfinished_run_counts_as_a_failure(steps, attempt):
    close(attempt)
    row = steps.row()
    assert (row.status, row.error_code, row.retry_count) == (Status.FAILED, "run_ended", 1)


@pytest.mark.parametrize("asked", ["in the UI", "in the ledger"])
def test_unfinished_run_that_was_stopped_is_canceled(steps, attempt, asked):
    if asked == "in the ledger":
        steps.cancel()
    close(attempt, canceled=asked == "in the UI")
    ended = steps.attempts()[-1]
    assert (steps.row().status, ended.error_code) == (Status.CANCELED, "canceled")


def test_unfinished_run_fails_at_the_stage_that_it_had_reached(steps, start_worker, make_settings):
    attempt = attempt_of(steps, start_worker(steps.db), make_settings)
    attempt.stages = stage_plan("lyric", "song")
    assert attempt.lease is not None
    steps.make_stage(attempt.lease, "lyric")
    steps.begin(attempt.lease, "song")
    close(attempt)
    assert steps.last().data["stage"] == "song"


def test_unfinished_run_of_a_stage_that_is_gone_counts_as_a_failure(steps, attempt):
    assert attempt.lease is not None
    steps.begin(attempt.lease, "lyric")
    close(attempt)
    assert (steps.row().error_code, steps.last().data["stage"]) == ("run_ended", "song")


def test_run_whose_request_is_deleted_has_nothing_to_close(steps, attempt):
    steps.sql("DELETE FROM requests")
    close(attempt)
    assert steps.task_ids() == []


def test_unfinished_run_that_lost_its_lease_touches_nothing(steps, attempt):
    steps.edit("status = 'pending'")
    seq = steps.row().seq
    close(attempt)
    assert steps.row().seq == seq


@pytest.mark.parametrize("canceled", [False, True])
def test_run_that_ends_in_an_outage_leaves_its_request_to_the_rescue(
    outage_db, start_worker, make_settings, canceled
):
    steps = Steps(outage_db)
    attempt = attempt_of(steps, start_worker(outage_db), make_settings)
    outage_db.outage.is_on = True
    close(attempt, canceled=canceled)
    attempt.unregister()
    outage_db.outage.is_on = False
    # A beat that was under way when the lease was let go may renew it once more.
    assert has_beaten(outage_db)
    steps.run_out()
    assert has_beaten(outage_db)
    assert [request.task_id for request in steps.rescue()] == ["r"]


@pytest.mark.parametrize("db", ["postgres"], indirect=True)
def test_lease_whose_row_somebody_locks_keeps_no_other_from_being_renewed(
    steps, start_worker, make_settings
):
    worker = start_worker(steps.db)
    for task_id in ("a", "b"):
        attempt_of(steps, worker, make_settings, task_id)
        steps.run_out(task_id)
    with steps.db.writing() as tx:
        tx.execute(select(requests).where(requests.c.task_id == "a").with_for_update())
        lapsed = steps.until("lease_until", "b")
        assert eventually(lambda: steps.until("lease_until", "b") > lapsed)
    assert eventually(lambda: steps.until("lease_until", "a") > lapsed)
    assert steps.rescue() == []
