"""Bought once: whatever goes wrong at whatever point, the vendor's own books show one charge."""

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from resources.artifacts import ArtifactStore
from resources.errors import CastadError
from resources.ledger.database import Database
from resources.ledger.errors import CancelRequestedError, LeaseLostError
from resources.ledger.failures import failure_of
from resources.ledger.lease import Attempt, Worker
from resources.ledger.moves import orders as order_moves
from resources.ledger.moves.stages import StoredArtifact
from resources.ledger.paid_stage import Made, make, order_hash
from resources.ledger.run_end import close_failed
from resources.ledger.tables import JobStatus, Status
from resources.providers.errors import (
    OutOfCreditsError,
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from tests.conftest import MakeSettings
from tests.fakes.vendor import CHEAP, KilledProcessError, Vendor
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps

ORDER = {"genre": "city pop"}
PIPELINE = ("song",)


class DyingStore(ArtifactStore):
    """A folder of finished files whose disk gives up once."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.wrong: list[BaseException] = []

    def keep(self, file: Path, folder: str, name: str) -> StoredArtifact:
        if self.wrong:
            raise self.wrong.pop()
        return super().keep(file, folder, name)


@dataclass
class Shop:
    """One request for one paid stage, and runs that try to make it."""

    steps: Steps
    worker: Worker
    store: DyingStore
    make_settings: MakeSettings
    vendor: Vendor

    def attempt(self) -> Attempt:
        if "r" not in self.steps.task_ids():
            self.steps.order()
        request, lease = self.steps.claim(owner=self.worker.owner)
        return Attempt(self.steps.db, request, lease, self.worker, self.make_settings())

    def make(self, attempt: Attempt | None = None, vendor: Vendor | None = None) -> Made:
        """One run: what goes wrong in it is closed in the ledger as the ops do it."""
        attempt = attempt or self.attempt()
        try:
            return self.call(attempt, vendor)
        except (LeaseLostError, CancelRequestedError, KilledProcessError):
            raise
        except Exception as error:
            assert attempt.lease is not None
            close_failed(attempt, attempt.lease, "song", failure_of(error, "song"))
            raise

    def call(self, attempt: Attempt, vendor: Vendor | None = None) -> Made:
        return make(
            attempt,
            "song",
            vendor or self.vendor,
            ORDER,
            pipeline_stages=PIPELINE,
            store=self.store,
            say=lambda sentence: None,
        )

    def goes_wrong(self, point: str, error: BaseException) -> None:
        """One run that ends in this; a killed one is found out by its silence."""
        if point == "store":
            self.store.wrong.append(error)
        else:
            self.vendor.wrong[point] = error
        with pytest.raises((CastadError, OSError, RuntimeError, KilledProcessError)):
            self.make()
        if isinstance(error, KilledProcessError):
            self.steps.lose_worker()

    def jobs(self) -> list[str]:
        return [job.status for job in self.steps.jobs()]


@pytest.fixture
def shop(db: Database, tmp_path: Path, make_settings: MakeSettings) -> Iterator[Shop]:
    # No beat comes in between: a lease that a test lets run out stays so.
    worker = Worker(db, make_settings(beat_seconds=600, lease_seconds=600))
    worker.start()
    yield Shop(Steps(db), worker, DyingStore(tmp_path / "artifacts"), make_settings, Vendor())
    worker.stop()


# When all is well


def test_stage_is_bought_once_and_done(shop: Shop) -> None:
    made = shop.make()
    assert (made.reused, made.cost, len(shop.vendor.charged)) == (False, shop.vendor.cost, 1)
    assert shop.steps.row().status is Status.COMPLETED
    assert_laws(shop.steps)


def test_file_of_a_done_stage_is_in_its_place(shop: Shop) -> None:
    (reference,) = shop.make().result["files"]
    assert shop.store.open(reference).read_bytes() == b"job-1"


def test_making_leaves_no_file_behind_but_the_artifact(shop: Shop) -> None:
    shop.make()
    files = [path.name for path in shop.store.root.rglob("*") if path.is_file()]
    assert files == ["song.wav"]


def test_done_stage_is_shown_again_and_never_bought_again(shop: Shop) -> None:
    shop.make()
    assert shop.make().reused
    assert len(shop.vendor.charged) == 1


def test_done_stage_of_a_request_that_is_not_completes_it(shop: Shop) -> None:
    shop.make()
    shop.steps.edit("status = 'pending'")
    assert shop.make().reused
    assert shop.steps.row().status is Status.COMPLETED


def test_redo_buys_again_under_a_new_name(shop: Shop) -> None:
    shop.make()
    order_moves.redo(shop.steps.db, "r", "song", PIPELINE)
    (file,) = shop.make().result["files"]
    assert (file["name"], len(shop.vendor.charged)) == ("song.2.wav", 2)


# One charge, whatever goes wrong


ONE_CHARGE = {
    "before it was sent": ("before_submit", TransientError("busy")),
    "polled in vain": ("poll", RuntimeError("bug")),
    "killed while polling": ("poll", KilledProcessError()),
    "poll refused": ("poll", OutOfCreditsError("locked")),
    "fetched in vain": ("fetch", TransientError("connection reset")),
    "fetched into a bug": ("fetch", RuntimeError("bug")),
    "killed while fetching": ("fetch", KilledProcessError()),
    "disk full at fetch": ("fetch", OSError(errno.ENOSPC, "No space left on device")),
    "disk full at store": ("store", TransientError("no space left", code="disk_full")),
    "killed while storing": ("store", KilledProcessError()),
}


@pytest.mark.parametrize("wrong", ONE_CHARGE.values(), ids=ONE_CHARGE)
def test_second_attempt_finishes_with_one_charge(
    shop: Shop, wrong: tuple[str, BaseException]
) -> None:
    shop.goes_wrong(*wrong)
    shop.make()
    assert (shop.steps.row().status, len(shop.vendor.charged)) == (Status.COMPLETED, 1)
    assert_laws(shop.steps)


LOST = {
    "no answer": ("after_submit", UnknownSubmissionError("timeout")),
    "a bug after sending": ("after_submit", RuntimeError("bug")),
    "killed after sending": ("after_submit", KilledProcessError()),
    "killed before sending": ("before_submit", KilledProcessError()),
}
lost = pytest.mark.parametrize("wrong", LOST.values(), ids=LOST)


@lost
def test_lost_paid_submission_is_unknown_and_never_sent_again(
    shop: Shop, wrong: tuple[str, BaseException]
) -> None:
    shop.goes_wrong(*wrong)
    charged = len(shop.vendor.charged)
    for _ in range(3):
        with pytest.raises(UnknownSubmissionError):
            shop.make()
    assert len(shop.vendor.charged) == charged
    assert shop.jobs() == [JobStatus.UNKNOWN]


@lost
def test_lost_submission_waits_without_counting(
    shop: Shop, wrong: tuple[str, BaseException]
) -> None:
    shop.goes_wrong(*wrong)
    with pytest.raises(UnknownSubmissionError):
        shop.make()
    row = shop.steps.row()
    assert (row.status, row.error_code) == (Status.FAILED, "submission_unknown")
    assert row.retry_count == 0


@lost
def test_lost_cheap_submission_is_sent_again(shop: Shop, wrong: tuple[str, BaseException]) -> None:
    shop.vendor.cost = CHEAP
    shop.goes_wrong(*wrong)
    shop.make()
    assert shop.jobs() == [JobStatus.FAILED, JobStatus.SUCCEEDED]


@pytest.mark.parametrize("how", ["no answer", "killed after sending"])
def test_lost_submission_found_by_its_token_goes_on(shop: Shop, how: str) -> None:
    shop.vendor.finds = True
    shop.goes_wrong(*LOST[how])
    shop.make()
    assert (shop.jobs(), len(shop.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)


def test_look_up_that_fails_leaves_the_submission_unknown(shop: Shop) -> None:
    shop.goes_wrong(*LOST["no answer"])
    shop.goes_wrong("find", TransientError("busy"))
    assert shop.jobs() == [JobStatus.UNKNOWN]


def test_process_killed_at_every_step_in_turn_is_charged_once(shop: Shop) -> None:
    shop.vendor.finds = True
    for point in ("after_submit", "poll", "fetch", "store"):
        shop.goes_wrong(point, KilledProcessError())
        shop.steps.edit("deaths = 0")
    shop.make()
    assert len(shop.vendor.charged) == 1


# What allows a new submission


@pytest.mark.parametrize(
    "error",
    [TransientError("busy"), OutOfCreditsError("empty")],
    ids=lambda error: error.code,
)
def test_order_that_was_not_accepted_is_sent_again(shop: Shop, error: CastadError) -> None:
    shop.goes_wrong("before_submit", error)
    shop.make()
    assert shop.jobs() == [JobStatus.FAILED, JobStatus.SUCCEEDED]


def test_vendors_verdict_of_failure_allows_a_new_submission(shop: Shop) -> None:
    shop.goes_wrong("poll", SubmissionFailedError("moderated"))
    shop.make()
    assert shop.jobs() == [JobStatus.FAILED, JobStatus.SUCCEEDED]


@pytest.mark.parametrize("point", ["before_submit", "poll", "fetch"])
def test_permanent_error_ends_it(shop: Shop, point: str) -> None:
    shop.goes_wrong(point, PermanentError("bad prompt"))
    assert shop.steps.row().status is Status.DEAD


def test_out_of_credits_burns_no_retry(shop: Shop) -> None:
    shop.goes_wrong("before_submit", OutOfCreditsError("empty"))
    assert (shop.steps.row().status, shop.steps.row().retry_count) == (Status.FAILED, 0)


# Patience


def test_poll_that_stumbles_once_is_asked_again(shop: Shop) -> None:
    shop.vendor.wrong["poll"] = TransientError("busy")
    shop.make()
    assert shop.steps.row().attempt == 1


def test_poll_that_never_answers_gives_up_and_keeps_the_submission(shop: Shop) -> None:
    shop.vendor.while_working = lambda: shop.vendor.wrong.update(poll=TransientError("busy"))
    with pytest.raises(TransientError):
        shop.make()
    assert shop.jobs() == [JobStatus.SUBMITTED]


def test_stage_that_takes_too_long_keeps_the_submission(shop: Shop) -> None:
    shop.vendor.while_working = lambda: shop.vendor.wrong.update(poll=TransientError("busy"))
    attempt = shop.attempt()
    attempt.settings = shop.make_settings(stage_deadline=0.000001)
    with pytest.raises(TransientError) as told:
        shop.make(attempt)
    assert (told.value.code, shop.jobs()) == ("stage_timeout", [JobStatus.SUBMITTED])


# Another provider is set


def test_paid_submission_is_not_left_for_another_provider(shop: Shop) -> None:
    shop.goes_wrong("poll", KilledProcessError())
    other = Vendor("other")
    with pytest.raises(PermanentError) as told:
        shop.make(vendor=other)
    assert (told.value.code, other.charged) == ("provider_changed", [])


def test_cheap_submission_is_left_for_another_provider(shop: Shop) -> None:
    shop.vendor.cost = CHEAP
    shop.goes_wrong("poll", KilledProcessError())
    other = Vendor("other")
    shop.make(vendor=other)
    assert len(other.charged) == 1


# Taken away while the vendor works


def test_cancel_while_the_vendor_works_stops_the_attempt(shop: Shop) -> None:
    shop.vendor.while_working = lambda: stop_working(shop, lambda: shop.steps.cancel())
    shop.vendor.wrong["poll"] = TransientError("busy")
    with pytest.raises(CancelRequestedError):
        shop.make()


def stop_working(shop: Shop, what: object) -> None:
    shop.vendor.while_working = lambda: None
    assert callable(what)
    what()


def test_edit_while_the_vendor_works_stops_the_attempt(shop: Shop) -> None:
    shop.vendor.while_working = lambda: stop_working(
        shop, lambda: shop.steps.edit("status = 'pending'")
    )
    with pytest.raises(LeaseLostError):
        shop.make()
    assert shop.jobs() == [JobStatus.SUBMITTED]


@pytest.mark.parametrize(("cost", "stopped"), [(0, ["job-1"]), (500_000, [])])
def test_only_what_runs_for_free_is_stopped_with_the_attempt(
    shop: Shop, cost: int, stopped: list[str]
) -> None:
    shop.vendor.cost = cost
    shop.vendor.while_working = lambda: stop_working(
        shop, lambda: shop.steps.edit("status = 'pending'")
    )
    with pytest.raises(LeaseLostError):
        shop.make()
    assert shop.vendor.canceled == stopped


def test_attempt_that_lost_its_lease_buys_nothing(shop: Shop) -> None:
    attempt = shop.attempt()
    shop.steps.lose_worker()
    with pytest.raises(LeaseLostError):
        shop.call(attempt)
    assert shop.vendor.charged == []


def test_canceled_attempt_buys_nothing(shop: Shop) -> None:
    attempt = shop.attempt()
    shop.steps.cancel()
    with pytest.raises(CancelRequestedError):
        shop.call(attempt)
    assert shop.vendor.charged == []


# The record


def test_intent_carries_the_orders_hash_and_the_price(shop: Shop) -> None:
    shop.make()
    (job,) = shop.steps.jobs()
    assert (job.request_hash, job.cost) == (order_hash(ORDER), shop.vendor.cost)


def test_order_hash_is_the_same_for_the_same_content() -> None:
    assert order_hash({"a": 1, "b": "가"}) == order_hash({"b": "가", "a": 1})


def test_replay_of_a_stage_that_is_missing_says_how_to_get_it(shop: Shop) -> None:
    shop.steps.order()
    shop.steps.edit("status = 'completed'")
    with pytest.raises(PermanentError, match="castad redo"):
        shop.call(shop.attempt())
