"""A run that waits for a vendor's final status gives its worker's slot to who can use it and loses nothing."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from castad.cli.order_view import build_headline
from castad.views.snapshot import read_snapshot as look_at
from resources.contract.errors import CastadError, TransientError
from resources.contract.protocol import InProgress, Rate
from resources.files.artifacts import ArtifactStore
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import NoFinalStatusError
from resources.ledger.limits import Limit, Limits
from resources.ledger.queries.dispatch import count_starved_requests
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.workload import WorkloadScope, read_workload
from resources.ledger.rules import STAGE_TIMEOUT, classify_failure
from resources.ledger.schema.tables import Status, provider_jobs
from resources.ledger.transitions import dispatch as dispatch_transitions
from resources.ledger.transitions.callbacks import save_callback
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.purchase.failures import close_failed
from resources.purchase.stage_context import StageOutcome
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.fakes.vendor import Vendor
from tests.ledger_laws import assert_laws
from tests.ledger_steps import LEASE_SECONDS, Steps
from tests.song_video import stage_plan
from tests.stage_contexts import buy

# Its jobs are asked after once a minute at most: whoever waits for one has time.
SLOW = Rate(20, 600)
CALLS = Limit("vendor:vendor", SLOW.calls, SLOW.seconds)
LIMITS = Limits(0, LEASE_SECONDS, (CALLS,), first_stages=(("song_video", "song"),))
HALF_FULL = replace(LIMITS, limits=(Limit("stage:song_video.song", 1), CALLS))


@dataclass
class House:
    """A worker, a vendor, and runs in threads."""

    steps: Steps
    worker: Worker
    store: ArtifactStore
    make_settings: MakeSettings
    vendor: Vendor
    pool: ThreadPoolExecutor
    limits: Limits = LIMITS
    before_close: Callable[[], object] = lambda: None

    def dispatch(self) -> list[str]:
        """Who is handed out now."""
        handed = dispatch_transitions.dispatch_due_requests(self.steps.db, self.limits)
        return [request.task_id for request in handed]

    def starts(self, task_id: str, **overrides: float) -> Future[StageOutcome]:
        """Its run begins, and is at the vendor."""
        if task_id not in self.steps.task_ids():
            self.steps.order(task_id)
        self.dispatch()
        asked = self.vendor.polls
        run = self.pool.submit(self.run, task_id, **overrides)
        assert eventually(lambda: run.done() or self.vendor.polls > asked or self.is_sent(task_id))
        return run

    def is_sent(self, task_id: str) -> bool:
        return any(job.external_id for job in self.steps.jobs(task_id))

    def run(self, task_id: str, **overrides: Any) -> StageOutcome:
        """One run; what it raises is closed in the ledger as the ops do it."""
        number = self.steps.row(task_id).attempt
        request, lease = self.steps.claim(
            task_id, dispatched_as=number, owner=self.worker.owner, run_id=f"run of {task_id}"
        )
        assert lease is not None
        slots = overrides.pop("slots_song", None)
        config = self.make_settings(**overrides)
        plan = stage_plan("song", deadline=config.stage_deadline, slots=slots)
        attempt = Attempt(self.steps.db, request, lease, self.worker, config, plan)
        try:
            return self.makes(attempt)
        except CastadError as error:
            self.before_close()
            close_failed(attempt, lease, "song", classify_failure(error, "song"))
            raise
        finally:
            attempt.unregister()

    def makes(self, attempt: Attempt) -> StageOutcome:
        return buy(
            attempt,
            "song",
            self.vendor,
            {},
            self.store,
        )

    def gives_its_slot(self, task_id: str) -> NoFinalStatusError:
        """Its run has ended, since another request lacked a slot."""
        run = self.starts(task_id)
        self.steps.order("other")
        error = run.exception(timeout=30)
        assert isinstance(error, NoFinalStatusError)
        return error

    def time_passes(self, task_id: str) -> None:
        """The moment has come at which the vendor is to be asked."""
        self.steps.edit("not_before = NULL", task_id)


@contextmanager
def house_of(
    db: Database, folder: Path, make_settings: MakeSettings, slots: int
) -> Iterator[House]:
    settings = make_settings(watch_seconds=0.02)
    with closing(Database(db.url)) as own, ThreadPoolExecutor(8) as pool:
        worker = Worker(own, settings, slots, LIMITS)
        worker.start()
        store, vendor = ArtifactStore(folder), Vendor(rate=SLOW)
        house = House(Steps(db), worker, store, make_settings, vendor, pool)
        try:
            yield house
        finally:
            worker.drain()
            pool.shutdown()
            worker.stop()


@pytest.fixture
def house(db: Database, tmp_path: Path, make_settings: MakeSettings) -> Iterator[House]:
    with house_of(db, tmp_path, make_settings, slots=1) as made:
        yield made


# The slot


def test_slot_of_who_waits_for_a_final_status_goes_to_who_can_use_it(house):
    house.gives_its_slot("first")
    assert house.dispatch() == ["other"]
    assert_laws(house.steps, "first")


def test_request_whose_slot_was_given_away_waits_in_its_row(house):
    house.gives_its_slot("first")
    row = house.steps.row("first")
    assert (row.status, row.stage, row.waits_for) == (Status.PENDING, "song", "final_status:vendor")
    assert (row.lease_owner, row.error_code, row.retry_count) == (None, None, 0)


def test_vendor_is_asked_no_sooner_for_a_slot_that_was_given_away(house):
    error = house.gives_its_slot("first")
    assert error.retry_after > 10
    assert house.dispatch() == ["other"]
    assert house.dispatch() == []


def test_no_more_slots_are_given_than_are_lacking(db, tmp_path, make_settings):
    with house_of(db, tmp_path, make_settings, slots=3) as house:
        runs = [house.starts(name) for name in ("one", "two", "three")]
        house.steps.order("other")
        assert eventually(lambda: any(run.done() for run in runs))
        assert house.dispatch() == ["other"]
        statuses = [house.steps.row(name).status for name in ("one", "two", "three")]
    assert sorted(statuses) == [Status.PENDING, Status.PROCESSING, Status.PROCESSING]


def test_slot_of_a_limited_stage_is_never_given_away(db, tmp_path, make_settings):
    with house_of(db, tmp_path, make_settings, slots=2) as house:
        limited = house.starts("limited", slots_song=1)
        free = house.starts("free")
        house.steps.order("other")
        house.steps.order("another")
        assert isinstance(free.exception(timeout=30), NoFinalStatusError)
        assert house.dispatch() == ["other"]
        assert not limited.done()


# Who lacks a slot


def who_lacks(house: House, limits: Limits = LIMITS) -> int:
    return count_starved_requests(house.steps.db, limits, 5)


def test_nobody_lacks_a_slot_while_one_is_free(house):
    house.steps.order("first")
    assert who_lacks(house) == 0


def test_whoever_is_due_lacks_a_slot_where_none_is_free(house):
    for name in ("first", "second", "third"):
        house.steps.order(name)
    house.dispatch()
    assert who_lacks(house) == 2


def test_who_finds_its_stage_full_lacks_no_slot(house):
    house.limits = HALF_FULL
    for name in ("first", "second"):
        house.steps.order(name)
    house.dispatch()
    assert who_lacks(house, HALF_FULL) == 0


def test_who_may_not_call_its_vendor_yet_lacks_no_slot(house):
    house.steps.order("first")
    house.dispatch()
    house.steps.order("second")
    with house.steps.db.writing() as tx:
        waits = "UPDATE requests SET waits_for = 'permit:vendor', asked_at = created_at"
        tx.exec_driver_sql(f"{waits} WHERE task_id = 'second'")
        paused = "INSERT INTO providers (name, paused_until, pause_reason) VALUES "
        tx.exec_driver_sql(f"{paused}('vendor', '9999-01-01 00:00:00', 'busy')")
    assert who_lacks(house) == 0


def test_who_is_to_ask_its_vendor_again_lacks_a_slot(house):
    house.gives_its_slot("first")
    house.dispatch()
    assert who_lacks(house) == 0
    house.time_passes("first")
    assert who_lacks(house) == 1


# How it goes on


def test_song_whose_run_gave_its_slot_away_is_bought_once(house):
    house.gives_its_slot("first")
    house.time_passes("first")
    house.starts("first").result(timeout=30)
    assert house.steps.row("first").status is Status.COMPLETED
    assert len(house.vendor.charged) == 1
    assert_laws(house.steps, "first")


def test_run_that_asks_on_is_no_further_try(house):
    house.gives_its_slot("first")
    began = house.steps.stages("first")[0].started_at
    house.time_passes("first")
    house.starts("first").result(timeout=30)
    [stage] = house.steps.stages("first")
    assert (stage.attempts, stage.retry_count, stage.started_at) == (1, 0, began)


def test_callback_ends_the_wait_without_a_run(house):
    house.gives_its_slot("first")
    [token] = house.vendor.charged
    save_callback(house.steps.db, "vendor", token, "job-1")
    house.steps.edit("status = 'canceled'", "other")
    assert house.dispatch() == ["first"]
    assert_laws(house.steps, "first")


def test_callback_while_the_run_gives_its_slot_makes_the_request_due(house):
    def call_back() -> None:
        [token] = house.vendor.charged
        save_callback(house.steps.db, "vendor", token, "job-1")

    house.before_close = call_back
    house.gives_its_slot("first")
    assert house.steps.row("first").not_before is None
    house.steps.edit("status = 'canceled'", "other")
    assert house.dispatch() == ["first"]
    assert_laws(house.steps, "first")


def test_repeated_callback_leaves_one_event(house):
    house.gives_its_slot("first")
    [token] = house.vendor.charged
    for _ in range(3):
        save_callback(house.steps.db, "vendor", token, "job-1")
    told = [event.type for event in house.steps.events("first")]
    assert told.count("callback_heard") == 1


def test_wait_without_a_run_counts_towards_the_stages_deadline(house):
    house.gives_its_slot("first")
    house.vendor.progress = [InProgress()] * 3
    house.steps.edit("asked_at = '2020-01-01 00:00:00'", "first")
    house.time_passes("first")
    late = house.starts("first").exception(timeout=30)
    assert isinstance(late, TransientError)
    assert (late.code, house.vendor.polls) == (STAGE_TIMEOUT, 1)


def test_request_that_waits_without_a_run_is_canceled_at_once(house):
    house.gives_its_slot("first")
    assert house.steps.cancel("first").status is Status.CANCELED


def test_lost_worker_of_a_run_that_asks_on_leaves_it_due(house):
    house.gives_its_slot("first")
    house.time_passes("first")
    house.steps.edit("status = 'canceled'", "other")
    house.dispatch()
    house.steps.take("first", dispatched_as=house.steps.row("first").attempt, owner="gone:1")
    house.steps.lose_worker("first")
    assert house.dispatch() == ["first"]
    with house.steps.db.reading() as tx:
        assert len(tx.execute(provider_jobs.select()).all()) == 1


# What people read


def test_status_says_that_the_vendor_makes_it(house, tmp_path):
    house.gives_its_slot("first")
    seen = look_at(house.steps.db, "first", tmp_path)
    assert build_headline(seen) == "vendor is making the song; it is polled again later"


def test_nobody_stands_before_who_waits_for_a_final_status(house):
    house.gives_its_slot("first")
    assert build_overview(house.steps.db, "first").before is None


def test_statistics_count_who_waits_for_a_final_status(house):
    house.gives_its_slot("first")
    waiting = read_workload(house.steps.db, WorkloadScope({"song_video": "song"}, 60)).waiting
    assert waiting == {"final_status:vendor": 1}
