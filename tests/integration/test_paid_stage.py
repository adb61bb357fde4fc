"""Bought once: whatever goes wrong at whatever point, the vendor's own books show one charge."""

import errno
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError

from resources.contract.errors import (
    CastadError,
    OutOfCreditsError,
    PermanentError,
    SubmissionFailedError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import InProgress, Product, Rate, StageInput
from resources.files.artifacts import ArtifactStore, StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    CancelRequestedError,
    DailyBudgetError,
    LeaseLostError,
    NoPermitError,
    OverMaxCostError,
    ProviderPausedError,
    TakenIdError,
    TooOftenError,
)
from resources.ledger.queries.money import read_pauses
from resources.ledger.queries.overview import build_overview
from resources.ledger.rules import MAX_RETRIES, Failure, FailureAction, classify_failure
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.dispatch import acquire_permit
from resources.ledger.transitions.housekeeping import pause_provider, resume_provider
from resources.ledger.transitions.jobs import find_live_submission, save_outcome
from resources.ledger.transitions.redo import redo_stages
from resources.ledger.transitions.stages import StageEntry
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.purchase.failures import close_failed, pause_on_refusal
from resources.purchase.stage_context import Log, ProviderJob, StageOutcome, hash_payload
from tests.conftest import MakeSettings
from tests.fakes.vendor import CHEAP, PAID, KilledProcessError, Vendor
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps
from tests.song_video import stage_plan
from tests.stage_contexts import execute

JOB_INPUT = {"genre": "city pop"}
OTHER = {"brief": 2}
PIPELINE = ("song",)


class DyingStore(ArtifactStore):
    """A folder of finished files whose disk gives up once."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.wrong: list[BaseException] = []

    def move_into_store(self, file: Path, artifact: StoredArtifact) -> None:
        if self.wrong:
            raise self.wrong.pop()
        super().move_into_store(file, artifact)


@dataclass
class Shop:
    """One request for one paid stage, and runs that try to make it."""

    steps: Steps
    worker: Worker
    store: DyingStore
    make_settings: MakeSettings
    vendor: Vendor
    job_input: dict[str, Any] = field(default_factory=lambda: dict(JOB_INPUT))
    defer_interrupts: Callable[[], AbstractContextManager[None]] = nullcontext
    pictures: tuple[dict[str, str], ...] = ()
    fetched: list[object] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def attempt(self) -> Attempt:
        if "r" not in self.steps.task_ids():
            self.steps.order()
        request, lease = self.steps.claim(owner=self.worker.owner)
        config = self.make_settings()
        return Attempt(self.steps.db, request, lease, self.worker, config, stage_plan(*PIPELINE))

    def run_paid_stage(
        self, attempt: Attempt | None = None, vendor: Vendor | None = None
    ) -> StageOutcome:
        """One run: what goes wrong in it is closed in the ledger as the ops do it."""
        attempt = attempt or self.attempt()
        try:
            return self.call(attempt, vendor)
        except (LeaseLostError, CancelRequestedError, KilledProcessError):
            raise
        except Exception as error:
            assert attempt.lease is not None
            close_failed(attempt, attempt.lease, "song", classify_failure(error, "song"))
            raise

    def call(self, attempt: Attempt, vendor: Vendor | None = None) -> StageOutcome:
        job = ProviderJob(vendor or self.vendor, self.job_input, self.pictures)
        return execute(
            attempt,
            "song",
            job,
            self.store,
            pictures=SimpleNamespace(open=self.fetched.append),
            log=cast(Log, SimpleNamespace(info=self.log.append)),
            defer_interrupts=self.defer_interrupts,
        )

    def goes_wrong(self, point: str, error: BaseException) -> None:
        """One run that ends in this; a killed one is found out by its silence."""
        if point == "store":
            self.store.wrong.append(error)
        else:
            self.vendor.wrong[point] = error
        with pytest.raises((CastadError, OSError, RuntimeError, KilledProcessError)):
            self.run_paid_stage()
        if isinstance(error, KilledProcessError):
            self.steps.lose_worker()

    def jobs(self) -> list[str]:
        return [job.status for job in self.steps.jobs()]


class Blockade:
    """Another program that writes in the ledger and releases its lock as soon as somebody has given up waiting."""

    def __init__(self, db: Database) -> None:
        self.errors = 0
        self._db = db
        self._engine = create_engine(db.url, isolation_level="AUTOCOMMIT")
        self._held: Connection | None = None

    def begin(self) -> None:
        self._held = self._engine.connect()
        if self._db.is_sqlite:
            self._held.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            self._held.exec_driver_sql("BEGIN")
            self._held.exec_driver_sql(
                "LOCK TABLE requests, stages, provider_jobs IN EXCLUSIVE MODE"
            )

    def end(self, failed: object = None) -> None:
        self.errors += 1
        if self._held is not None:
            self._held.exec_driver_sql("ROLLBACK")
            self._held.close()
            self._held = None
        self._engine.dispose()


@pytest.fixture
def blockade(shop: Shop) -> Iterator[Blockade]:
    """The shop's runs give up waiting soon."""
    url = shop.steps.db.url
    limit = {"timeout": "0.05"} if shop.steps.db.is_sqlite else {"options": "-c lock_timeout=50"}
    blockade = Blockade(shop.steps.db)
    with closing(Database(url.update_query_dict(limit))) as impatient:
        shop.steps = Steps(impatient)
        event.listen(Engine, "handle_error", blockade.end)
        yield blockade
        event.remove(Engine, "handle_error", blockade.end)


@pytest.fixture
def shop(db: Database, tmp_path: Path, make_settings: MakeSettings) -> Iterator[Shop]:
    # No beat comes in between: a lease that a test lets run out stays so.
    settings = make_settings(beat_seconds=600, lease_seconds=600)
    with closing(Database(db.url)) as own:
        worker = Worker(own, settings)
        worker.start()
        yield Shop(Steps(db), worker, DyingStore(tmp_path / "artifacts"), make_settings, Vendor())
        worker.stop()


# When all is well


def test_stage_is_bought_once_and_done(shop):
    made = shop.run_paid_stage()
    assert (made.reused, made.cost, len(shop.vendor.charged)) == (False, shop.vendor.cost, 1)
    assert shop.steps.row().status is Status.COMPLETED
    assert_laws(shop.steps)


def test_file_of_a_done_stage_is_in_its_place(shop):
    (reference,) = shop.run_paid_stage().result["files"]
    assert shop.store.open(reference).read_bytes() == b"job-1"


class Forgetful(Vendor):
    """A vendor whose fetch names a file that it has not written."""

    def fetch(self, job_input: StageInput, answer: Mapping[str, Any], folder: Path) -> Product:
        made = super().fetch(job_input, answer, folder)
        made.files[0].unlink()
        return made


def test_file_that_a_vendors_fetch_has_not_written_is_no_trouble_of_the_disk(shop):
    with pytest.raises(
        PermanentError, match=r"^song: its product names the file 'song\.wav', which"
    ):
        shop.run_paid_stage(vendor=Forgetful())
    request = shop.steps.row()
    assert (request.status, request.error_code) == (Status.DEAD, "product_unfit")


def test_making_leaves_no_file_behind_but_the_artifact(shop):
    shop.run_paid_stage()
    files = [path.name for path in shop.store.root.rglob("*") if path.is_file()]
    assert files == ["song.wav"]


def test_done_stage_is_shown_again_and_never_bought_again(shop):
    shop.run_paid_stage()
    assert shop.run_paid_stage().reused
    assert len(shop.vendor.charged) == 1


def test_done_stage_of_a_request_that_is_not_completes_it(shop):
    shop.run_paid_stage()
    shop.steps.edit("status = 'pending'")
    assert shop.run_paid_stage().reused
    assert shop.steps.row().status is Status.COMPLETED


def test_redo_buys_again_under_a_new_name(shop):
    shop.run_paid_stage()
    redo_stages(shop.steps.db, "r", "song", PIPELINE)
    (file,) = shop.run_paid_stage().result["files"]
    assert (file["name"], len(shop.vendor.charged)) == ("song.2.wav", 2)


# One charge, whatever goes wrong


ONE_CHARGE = {
    "before it was sent": ("before_submit", TransientError("busy")),
    "polled without success": ("poll", RuntimeError("bug")),
    "killed while polling": ("poll", KilledProcessError()),
    "poll refused": ("poll", OutOfCreditsError("locked")),
    "fetched without success": ("fetch", TransientError("connection reset")),
    "fetched into a bug": ("fetch", RuntimeError("bug")),
    "killed while fetching": ("fetch", KilledProcessError()),
    "disk full at fetch": ("fetch", OSError(errno.ENOSPC, "No space left on device")),
    "disk full at store": ("store", TransientError("no space left", code="disk_full")),
    "killed while storing": ("store", KilledProcessError()),
}


@pytest.mark.parametrize("wrong", ONE_CHARGE.values(), ids=ONE_CHARGE)
def test_second_attempt_finishes_with_one_charge(shop, wrong):
    shop.goes_wrong(*wrong)
    shop.run_paid_stage()
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
def test_lost_paid_submission_is_unknown_and_never_sent_again(shop, wrong):
    shop.goes_wrong(*wrong)
    charged = len(shop.vendor.charged)
    for _ in range(3):
        with pytest.raises(UnknownSubmissionError):
            shop.run_paid_stage()
    assert len(shop.vendor.charged) == charged
    assert shop.jobs() == [JobStatus.UNKNOWN]


@lost
def test_lost_submission_waits_without_counting(shop, wrong):
    shop.goes_wrong(*wrong)
    with pytest.raises(UnknownSubmissionError):
        shop.run_paid_stage()
    row = shop.steps.row()
    assert (row.status, row.error_code) == (Status.FAILED, "submission_unknown")
    assert row.retry_count == 0


@pytest.mark.parametrize(
    ("cost", "code", "retries"), [(CHEAP, "submission_lost", 1), (PAID, "submission_unknown", 0)]
)
def test_lost_answer_counts_as_a_retry_where_its_submission_is_cheap(shop, cost, code, retries):
    shop.vendor.cost = cost
    shop.goes_wrong(*LOST["no answer"])
    row = shop.steps.row()
    assert (row.error_code, row.retry_count) == (code, retries)


@lost
def test_lost_cheap_submission_is_sent_again(shop, wrong):
    shop.vendor.cost = CHEAP
    shop.goes_wrong(*wrong)
    shop.run_paid_stage()
    assert shop.jobs() == [JobStatus.FAILED, JobStatus.SUCCEEDED]


def lose_all(shop: Shop) -> int:
    """Every order gets lost, however often it is tried; how many were charged."""
    before = len(shop.vendor.charged)
    while True:
        shop.vendor.wrong["after_submit"] = UnknownSubmissionError("timeout")
        try:
            shop.run_paid_stage()
        except UnknownSubmissionError:
            shop.vendor.wrong.clear()
            return len(shop.vendor.charged) - before
        except TransientError:
            continue


@pytest.mark.parametrize(("below", "bought"), [(1.0, 1), (1.5, 2), (3.0, 3), (3.5, 4)])
def test_lost_cheap_submissions_are_sent_again_below_the_limit_of_them_all(shop, below, bought):
    shop.vendor.cost = CHEAP
    shop.make_settings = partial(shop.make_settings, resubmit_below=below * CHEAP / 1_000_000)
    shop.attempt()
    shop.steps.edit("max_retries = 100")
    shop.steps.lose_worker()
    assert lose_all(shop) == bought
    row = shop.steps.row()
    assert (row.status, row.error_code) == (Status.FAILED, "submission_unknown")
    assert sum(job.cost for job in shop.steps.jobs()) == bought * CHEAP
    assert_laws(shop.steps)


def test_limit_of_lost_cheap_submissions_is_named_with_what_they_cost(shop):
    shop.vendor.cost = CHEAP
    shop.make_settings = partial(shop.make_settings, resubmit_below=1.5 * CHEAP / 1_000_000)
    lose_all(shop)
    told = str(shop.steps.row().error_message)
    assert "lost jobs for 0.0010 USD were sent again already" in told
    assert "`castad retry r` allows as much again" in told


@pytest.mark.parametrize(
    ("below", "is_repeatable"), [(0.5, True), (1.0, True), (2.5, True), (2.5, False)]
)
def test_limit_of_lost_submissions_is_not_named_where_others_used_none_of_it(
    shop, below, is_repeatable
):
    shop.vendor.cost = CHEAP
    shop.vendor.repeatable = is_repeatable
    shop.make_settings = partial(shop.make_settings, resubmit_below=below * CHEAP / 1_000_000)
    shop.goes_wrong("after_submit", UnknownSubmissionError("timeout"))
    assert "sent again already" not in str(shop.steps.jobs()[0].error_message)


def test_retry_by_a_person_allows_as_much_again(shop):
    shop.vendor.cost = CHEAP
    shop.make_settings = partial(shop.make_settings, resubmit_below=2.5 * CHEAP / 1_000_000)
    assert lose_all(shop) == 3
    shop.steps.retry()
    assert lose_all(shop) == 2
    shop.steps.retry(attempt=shop.steps.row().attempt)
    shop.run_paid_stage()
    assert shop.jobs() == [JobStatus.FAILED] * 5 + [JobStatus.SUCCEEDED]


@pytest.mark.parametrize("how", ["no answer", "killed after sending"])
def test_lost_submission_found_by_its_token_goes_on(shop, how):
    shop.vendor.finds = True
    shop.goes_wrong(*LOST[how])
    shop.run_paid_stage()
    assert (shop.jobs(), len(shop.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)


def test_look_up_that_fails_leaves_the_submission_unknown(shop):
    shop.goes_wrong(*LOST["no answer"])
    shop.goes_wrong("find", TransientError("busy"))
    assert shop.jobs() == [JobStatus.UNKNOWN]


def test_process_killed_at_every_step_in_turn_is_charged_once(shop):
    shop.vendor.finds = True
    for point in ("after_submit", "poll", "fetch", "store"):
        shop.goes_wrong(point, KilledProcessError())
        shop.steps.edit("deaths = 0")
    shop.run_paid_stage()
    assert len(shop.vendor.charged) == 1


# The database or another attempt gets in between


def once(vendor: Vendor, point: str, what: Callable[[], object]) -> None:
    """Let it happen the first time only."""

    def happen() -> None:
        setattr(vendor, point, lambda: None)
        what()

    setattr(vendor, point, happen)


def test_submission_is_stored_though_the_database_fails_right_after_it_was_sent(shop, blockade):
    once(shop.vendor, "while_sending", blockade.begin)
    shop.run_paid_stage()
    assert blockade.errors > 0
    assert (shop.jobs(), len(shop.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)
    assert_laws(shop.steps)


def test_order_whose_id_the_database_refuses_beyond_the_grace_is_left_to_the_next_attempt(
    shop, blockade
):
    shop.make_settings = partial(shop.make_settings, unknown_grace=0.000001)
    once(shop.vendor, "while_sending", blockade.begin)
    with pytest.raises(OperationalError):
        shop.call(shop.attempt())
    assert (shop.jobs(), len(shop.vendor.charged)) == ([JobStatus.INTENT], 1)


def test_progress_that_cannot_be_noted_fails_no_stage(shop, blockade):
    shop.vendor.progress = [InProgress(0.5)]
    once(shop.vendor, "while_working", blockade.begin)
    shop.run_paid_stage()
    assert blockade.errors > 0
    assert (shop.steps.row().status, shop.steps.row().attempt) == (Status.COMPLETED, 1)


def noted(shop: Shop, *reports: InProgress) -> list[tuple[float | None, str]]:
    """What people see of a job's progress, each time after the vendor was asked."""
    seen: list[tuple[float | None, str]] = []

    def look() -> None:
        [view] = [
            view
            for view in build_overview(shop.steps.db, shop.steps.row().task_id).stages
            if not view.result
        ]
        seen.append((view.progress, view.progress_note))

    shop.vendor.progress = [*reports]
    shop.vendor.while_working = look
    shop.run_paid_stage()
    return seen[1:]


def test_progress_is_stored_in_words_and_figures(shop):
    halfway = InProgress(0.5, "frame 5 of 10")
    assert noted(shop, halfway) == [(0.5, "frame 5 of 10")]


def test_progress_in_words_is_gone_when_it_is_true_no_more(shop):
    waits = InProgress(note="waits for a free slot")
    assert noted(shop, waits, InProgress()) == [(None, "waits for a free slot"), (None, "")]


def test_first_progress_takes_the_place_of_words(shop):
    waits, begun = InProgress(note="waits for a free slot"), InProgress(0.001, "frame 1 of 999")
    assert noted(shop, waits, begun)[-1] == (0.001, "frame 1 of 999")


def test_progress_of_less_than_a_hundredth_is_not_saved(shop):
    halfway, hardly_more = InProgress(0.5), InProgress(0.505)
    assert [share for share, _ in noted(shop, halfway, hardly_more)] == [0.5, 0.5]


def test_note_is_in_the_log_where_the_progress_has_grown_by_a_tenth(shop):
    shares = (0.25, "a"), (0.3, "b"), (0.5, ""), (0.55, "c")
    shop.vendor.progress = [InProgress(*each) for each in shares]
    shop.run_paid_stage()
    assert [line for line in shop.log if "job" not in line] == ["song: a", "song: c"]


def zombie_saves(shop: Shop, zombie: Attempt) -> None:
    """An attempt that lost its lease while it was sending hears of the provider's id at last."""
    entry = StageEntry("song", 1, None)
    assert zombie.lease is not None
    job = find_live_submission(shop.steps.db, zombie.lease, entry)
    assert job is not None
    with suppress(LeaseLostError):
        save_outcome(
            shop.steps.db, zombie.lease, entry, job, JobStatus.SUBMITTED, external_id="job-1"
        )


@pytest.mark.parametrize("finds", [False, True], ids=["not found", "found"])
@pytest.mark.parametrize("cost", [CHEAP, PAID], ids=["cheap", "dear"])
def test_id_saved_while_another_attempt_looks_for_it_is_what_the_next_goes_on_with(
    shop, cost, finds
):
    shop.vendor.cost, shop.vendor.finds = cost, finds
    zombie = shop.attempt()
    shop.vendor.wrong["after_submit"] = KilledProcessError()
    with pytest.raises(KilledProcessError):
        shop.call(zombie)
    shop.steps.lose_worker()
    once(shop.vendor, "while_looking", lambda: zombie_saves(shop, zombie))
    with pytest.raises(TransientError) as told:
        shop.run_paid_stage()
    assert told.value.code == "submission_changed"
    shop.run_paid_stage()
    assert (shop.jobs(), len(shop.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)
    assert_laws(shop.steps)


def test_submission_that_was_ended_by_sql_while_it_was_sent_is_read_again(shop):
    shop.vendor.while_sending = lambda: shop.steps.sql("UPDATE provider_jobs SET status = 'failed'")
    shop.vendor.wrong["after_submit"] = UnknownSubmissionError("timeout")
    with pytest.raises(TransientError) as told:
        shop.run_paid_stage()
    assert (told.value.code, shop.jobs()) == ("submission_changed", [JobStatus.FAILED])


# An id that is another's


@pytest.fixture
def sold(shop: Shop) -> Shop:
    """Another order has the vendor's job x1, and the vendor calls every job so."""
    lease = shop.steps.working("other")
    entry = shop.steps.begin(lease, "song")
    job = shop.steps.save_intent(lease, entry, "token of another")
    shop.steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    shop.vendor.calls_all = "x1"
    return shop


REPEATED = "vendor calls it x1, which is the id of another submission"


@pytest.mark.parametrize(("at_once", "is_unique"), [(False, True), (False, False), (True, True)])
def test_id_of_another_order_in_an_answer_leaves_the_submission_unknown(sold, at_once, is_unique):
    sold.vendor.answers_at_once, sold.vendor.unique_ids = at_once, is_unique
    with pytest.raises(UnknownSubmissionError, match=REPEATED):
        sold.run_paid_stage()
    row, [job] = sold.steps.row(), sold.steps.jobs()
    assert (row.status, row.error_code) == (Status.FAILED, "submission_unknown")
    assert (job.status, job.external_id) == (JobStatus.UNKNOWN, None)
    assert REPEATED in str(row.error_message)
    assert_laws(sold.steps)


def test_id_of_another_order_in_a_look_up_leaves_the_submission_unknown(sold):
    sold.vendor.finds = True
    sold.goes_wrong(*LOST["no answer"])
    with pytest.raises(UnknownSubmissionError, match=REPEATED):
        sold.run_paid_stage()
    assert (sold.jobs(), len(sold.vendor.charged)) == ([JobStatus.UNKNOWN], 1)


def test_id_of_another_order_heard_of_too_late_leaves_the_submission_unknown(sold):
    attempt = sold.attempt()
    sold.vendor.while_sending = sold.steps.lose_worker
    with pytest.raises(LeaseLostError):
        sold.call(attempt)
    [job] = sold.steps.jobs()
    assert (job.status, job.external_id, job.error_message) == (JobStatus.UNKNOWN, None, REPEATED)


def test_answer_of_a_vendor_whose_ids_repeat_is_kept_under_a_name_of_its_own(sold):
    sold.vendor.unique_ids, sold.vendor.answers_at_once = False, True
    sold.run_paid_stage()
    [job] = sold.steps.jobs()
    assert (job.status, job.external_id) == (JobStatus.SUCCEEDED, f"x1#{job.id}")


def test_id_of_another_order_in_an_answer_gives_way_to_the_one_that_was_called_back(sold):
    sold.vendor.while_sending = lambda: sold.steps.save_callback("job-1")
    sold.run_paid_stage()
    assert [(job.status, job.external_id) for job in sold.steps.jobs()] == [("succeeded", "job-1")]


def test_one_of_two_submissions_gets_an_id_that_both_are_given_at_the_same_moment(steps):
    refused: list[TakenIdError] = []
    begin = Barrier(2)

    def settle(task_id: str) -> None:
        lease = steps.working(task_id)
        entry = steps.begin(lease)
        job = steps.save_intent(lease, entry, f"token of {task_id}")
        begin.wait()
        try:
            steps.settle(lease, entry, job, JobStatus.SUBMITTED)
        except TakenIdError as error:
            refused.append(error)

    for task_id in ("first", "second"):
        steps.order(task_id)
    threads = [Thread(target=settle, args=(task_id,)) for task_id in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = [job.external_id for each in ("first", "second") for job in steps.jobs(each)]
    assert (len(refused), sorted(map(str, ids))) == (1, ["None", "x1"])


# An interrupt gets in between


@dataclass
class Watch:
    """A shield that notes which submissions are stored when it begins and when it ends."""

    shop: Shop
    seen: list[list[str]] = field(default_factory=list)

    @contextmanager
    def defer_interrupts(self) -> Iterator[None]:
        self.seen.append(self.shop.jobs())
        try:
            yield
        finally:
            self.seen.append(self.shop.jobs())


SENT = {
    "accepted": (None, JobStatus.SUBMITTED),
    "refused": (TransientError("busy"), JobStatus.FAILED),
    "no answer": (UnknownSubmissionError("timeout"), JobStatus.UNKNOWN),
    "a bug": (RuntimeError("bug"), JobStatus.UNKNOWN),
}


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
def test_no_interrupt_comes_between_intent_and_saved_id(shop, sent):
    error, status = sent
    watch = Watch(shop)
    shop.defer_interrupts = watch.defer_interrupts
    if error is not None:
        shop.vendor.wrong["after_submit"] = error
    with suppress(CastadError):
        shop.run_paid_stage()
    assert watch.seen == [[], [status]]


def test_interrupt_that_was_held_back_loses_no_submission(shop):
    @contextmanager
    def interrupted_at_the_end() -> Iterator[None]:
        yield
        raise KilledProcessError

    shop.defer_interrupts = interrupted_at_the_end
    with pytest.raises(KilledProcessError):
        shop.run_paid_stage()
    shop.steps.lose_worker()
    shop.defer_interrupts = nullcontext
    shop.run_paid_stage()
    assert (shop.jobs(), len(shop.vendor.charged)) == ([JobStatus.SUCCEEDED], 1)


# What allows a new submission


@pytest.mark.parametrize(
    "error", [TransientError("busy"), OutOfCreditsError("empty")], ids=lambda error: error.code
)
def test_submission_that_was_not_accepted_is_sent_again(shop, error):
    shop.goes_wrong("before_submit", error)
    shop.run_paid_stage()
    assert shop.jobs() == [JobStatus.FAILED, JobStatus.SUCCEEDED]


def test_vendors_final_status_of_failure_allows_a_new_submission(shop):
    shop.goes_wrong("poll", SubmissionFailedError("moderated"))
    shop.run_paid_stage()
    assert shop.jobs() == [JobStatus.FAILED, JobStatus.SUCCEEDED]


@pytest.mark.parametrize("point", ["before_submit", "poll", "fetch"])
def test_permanent_error_ends_it(shop, point):
    shop.goes_wrong(point, PermanentError("bad prompt"))
    assert shop.steps.row().status is Status.DEAD


OFTEN = Rate(20, 10)
PAUSES = {
    "within the window": ("rate_limited", 9.0, OFTEN, False),
    "the window": ("rate_limited", 10.0, OFTEN, False),
    "longer than the window": ("rate_limited", 11.0, OFTEN, True),
    "no pause named": ("rate_limited", None, OFTEN, True),
    "no window": ("rate_limited", 9.0, None, True),
    "the vendor is down": ("vendor_down", 9.0, OFTEN, True),
    "down for an unknown time": ("vendor_down", None, OFTEN, False),
    "another trouble": ("busy", 9.0, OFTEN, False),
}


@pytest.mark.parametrize("case", PAUSES.values(), ids=PAUSES)
def test_vendor_is_paused_for_a_pause_that_is_longer_than_its_window(shop, case):
    code, asked, shop.vendor.rate, is_paused = case
    shop.goes_wrong("before_submit", TransientError("no", code=code, retry_after=asked))
    assert bool(read_pauses(shop.steps.db)) is is_paused


@pytest.mark.parametrize(("asked", "seconds"), [(7.0, 7), (None, 20)])
def test_vendor_is_paused_for_as_long_as_it_asks(db, asked, seconds):
    error = TransientError("too often", code="rate_limited", retry_after=asked)
    with (
        pytest.raises(TooOftenError, match=f"waits {seconds} s, as vendor demands"),
        pause_on_refusal(db, "vendor", 600),
    ):
        raise error


WAITING = {
    "a final status that was heard of": (1, "final_status:vendor", None),
    "a final status": (0, "final_status:vendor", 60.0),
    "something else": (1, "vendor", 60.0),
}


@pytest.mark.parametrize("case", WAITING.values(), ids=WAITING)
def test_callback_ends_the_wait_for_a_final_status_alone(shop, case):
    callbacks, waits_for, wait = case
    attempt = shop.attempt()
    assert attempt.lease is not None
    shop.steps.edit(f"callbacks = {callbacks}")
    failure = Failure("for_wait", "it waits", FailureAction.WAIT, waits_for, 60.0)
    assert close_failed(attempt, attempt.lease, "song", failure).wait == wait


# Its permit


RARE = Rate(1, 600)


def another_asks(shop: Shop) -> None:
    shop.steps.order("other")
    shop.steps.edit("waits_for = 'permit:vendor', asked_at = created_at", "other")


def test_submission_whose_permit_is_not_near_is_not_prepared(shop):
    shop.vendor.rate = RARE
    shop.vendor.wrong["prepare"] = PermanentError("it was prepared")
    attempt = shop.attempt()
    another_asks(shop)
    with pytest.raises(NoPermitError):
        shop.call(attempt)


class Slow(Vendor):
    """A vendor that another order asks while this one is prepared."""

    while_preparing: Callable[[], object] = lambda: None

    def prepare(self, job_input: StageInput) -> None:
        super().prepare(job_input)
        self.while_preparing()


def test_submission_whose_permit_went_to_another_while_it_was_prepared_is_not_sent(shop):
    vendor = Slow(rate=RARE)
    vendor.while_preparing = lambda: another_asks(shop)
    with pytest.raises(NoPermitError):
        shop.run_paid_stage(vendor=vendor)
    assert (vendor.charged, shop.jobs()) == ([], [])


def test_permit_that_is_held_and_comes_late_is_waited_for_without_the_run(shop):
    elsewhere = shop.steps.working("elsewhere")
    assert acquire_permit(shop.steps.db, elsewhere, "vendor", RARE) == 0
    shop.vendor.rate = RARE
    attempt = shop.attempt()
    shop.steps.edit("permit = 'vendor'")

    def interruptible_sleep(seconds: float) -> float:
        raise KilledProcessError

    attempt.interruptible_sleep = interruptible_sleep  # type: ignore[method-assign,assignment]
    with pytest.raises(NoPermitError):
        shop.call(attempt)


def test_out_of_credits_burns_no_retry(shop):
    shop.goes_wrong("before_submit", OutOfCreditsError("empty"))
    assert (shop.steps.row().status, shop.steps.row().retry_count) == (Status.PENDING, 0)


def test_out_of_credits_pauses_the_provider_for_everybody(shop):
    shop.make_settings = partial(shop.make_settings, credit_pause=600)
    shop.goes_wrong("before_submit", OutOfCreditsError("empty"))
    with pytest.raises(ProviderPausedError, match="empty"):
        shop.run_paid_stage()
    assert (shop.vendor.charged, shop.jobs()) == ([], [JobStatus.FAILED])


def test_resumed_provider_is_bought_from_once(shop):
    shop.make_settings = partial(shop.make_settings, credit_pause=600)
    shop.goes_wrong("before_submit", OutOfCreditsError("empty"))
    resume_provider(shop.steps.db, "vendor")
    shop.run_paid_stage()
    assert (len(shop.vendor.charged), shop.steps.row().status) == (1, Status.COMPLETED)
    assert_laws(shop.steps)


def test_submission_under_way_is_waited_for_though_its_provider_is_paused(shop):
    shop.goes_wrong("poll", KilledProcessError())
    pause_provider(shop.steps.db, "vendor", "empty", 600)
    shop.run_paid_stage()
    assert (len(shop.vendor.charged), shop.steps.row().status) == (1, Status.COMPLETED)


@pytest.mark.parametrize("error", [TransientError("busy"), PermanentError("dry run failed")])
def test_what_goes_wrong_before_the_submission_leaves_no_intent(shop, error):
    shop.goes_wrong("prepare", error)
    assert shop.jobs() == []


def test_order_over_its_limit_is_dead_and_nothing_was_bought(shop):
    shop.make_settings = partial(shop.make_settings, max_cost=0.1)
    with pytest.raises(OverMaxCostError):
        shop.run_paid_stage()
    assert (shop.steps.row().status, shop.vendor.charged) == (Status.DEAD, [])


def spend_elsewhere(shop: Shop) -> None:
    lease = shop.steps.working("elsewhere")
    shop.steps.save_intent(lease, shop.steps.begin(lease), "elsewhere", PAID)


def test_order_over_the_daily_budget_waits_and_nothing_was_bought(shop):
    spend_elsewhere(shop)
    shop.make_settings = partial(shop.make_settings, daily_budget=0.6)
    with pytest.raises(DailyBudgetError):
        shop.run_paid_stage()
    row = shop.steps.row()
    assert (row.status, row.retry_count, shop.vendor.charged) == (Status.PENDING, 0, [])
    assert [pause.provider for pause in read_pauses(shop.steps.db)] == ["budget"]


def test_order_over_the_daily_budget_is_bought_once_the_budget_allows_it(shop):
    spend_elsewhere(shop)
    enough = shop.make_settings
    shop.make_settings = partial(enough, daily_budget=0.6)
    with pytest.raises(DailyBudgetError):
        shop.run_paid_stage()
    shop.make_settings = enough
    resume_provider(shop.steps.db, "budget")
    shop.run_paid_stage()
    assert len(shop.vendor.charged) == 1


def test_failure_that_the_same_order_will_repeat_ends_the_submission(shop):
    shop.goes_wrong("poll", PermanentError("sensitive words"))
    assert shop.jobs() == [JobStatus.FAILED]


def judged(shop: Shop, *, most: int | None = 1) -> Status:
    """One more run ends because the vendor reports that the job failed."""
    shop.goes_wrong("poll", SubmissionFailedError("source gone", code="x", resubmissions=most))
    return shop.steps.row().status


@pytest.mark.parametrize(("most", "tries"), [(0, 1), (1, 2), (None, 4)])
def test_failure_is_submitted_again_as_often_as_it_allows(shop, most, tries):
    statuses = [judged(shop, most=most) for _ in range(tries)]
    assert statuses == [Status.FAILED] * (tries - 1) + [Status.DEAD]
    assert len(shop.vendor.charged) == tries


def test_failure_that_is_not_submitted_again_says_why_and_how_it_would_be(shop):
    judged(shop)
    judged(shop)
    assert shop.steps.row().error_message == (
        "source gone [the same failure for the 2nd time]; castad does not submit it again: "
        "`castad retry r` submits it again, as often as it has retries"
    )


def more_by_retry(shop: Shop) -> None:
    judged(shop)
    assert judged(shop) is Status.DEAD
    shop.steps.retry()


def more_by_sql(shop: Shop) -> None:
    judged(shop)
    assert judged(shop) is Status.DEAD
    shop.steps.edit("status = 'pending', retry_count = 0")


def more_by_order(shop: Shop) -> None:
    shop.steps.order(max_retries=5)
    judged(shop)
    judged(shop)


def more_by_edit(shop: Shop) -> None:
    judged(shop)
    shop.steps.edit("max_retries = 5")
    judged(shop)


def test_usual_retries_are_those_of_an_order_that_names_none(shop):
    assert shop.steps.order().max_retries == MAX_RETRIES


MORE = (more_by_retry, more_by_sql, more_by_order, more_by_edit)


@pytest.mark.parametrize("more", MORE, ids=lambda more: more.__name__)
def test_tries_that_a_person_wants_are_all_bought(shop, more):
    more(shop)
    statuses = [judged(shop) for _ in range(4)]
    assert statuses == [*(Status.FAILED,) * 3, Status.DEAD]
    assert len(shop.vendor.charged) == 6
    assert "the 6th time" in str(shop.steps.row().error_message)
    assert_laws(shop.steps)


def test_failures_of_another_kind_are_counted_apart(shop):
    shop.goes_wrong("poll", SubmissionFailedError("moderated", code="y"))
    shop.goes_wrong("poll", SubmissionFailedError("source gone", code="x", resubmissions=1))
    shop.run_paid_stage()
    assert len(shop.vendor.charged) == 3


@pytest.mark.parametrize("seconds", [60, None])
def test_order_that_a_vendor_puts_off_has_not_been_tried(shop, seconds):
    put_off = TransientError("too often", code="rate_limited", retry_after=seconds)
    shop.goes_wrong("before_submit", put_off)
    [stage] = shop.steps.stages()
    assert (shop.steps.row().status, stage.attempts, stage.started_at) == (Status.PENDING, 0, None)


def waits_of(shop: Shop, attempt: Attempt) -> list[tuple[float, float, bool]]:
    """How long the run has waited each time, and for how long at least, and whether it would yield its slot."""
    waits: list[tuple[float, float, bool]] = []
    patient = attempt.interruptible_sleep

    def interruptible_sleep(seconds: float, *, at_least: float, yields: bool) -> float:
        waits.append((seconds, at_least, yields))
        return patient(0)

    attempt.interruptible_sleep = interruptible_sleep  # type: ignore[method-assign]
    shop.run_paid_stage(attempt)
    return waits


def test_poll_waits_as_long_as_the_vendor_asked(shop):
    shop.vendor.wrong["poll"] = TransientError("busy", retry_after=15)
    assert waits_of(shop, shop.attempt()) == [(15, 15, False)]


def test_vendor_of_a_rate_is_not_asked_right_after_the_submission(shop):
    shop.vendor.rate = OFTEN
    assert len(waits_of(shop, shop.attempt())) == 1


def test_vendor_that_has_called_back_is_asked_at_once(shop):
    shop.vendor.rate = OFTEN
    shop.vendor.while_sending = lambda: shop.steps.save_callback("job-1")
    shop.vendor.wrong["after_submit"] = UnknownSubmissionError("timeout")
    assert waits_of(shop, shop.attempt()) == []


def test_vendor_is_asked_at_once_by_the_run_that_resumes_the_wait_for_its_final_status(shop):
    shop.goes_wrong("poll", KilledProcessError())
    shop.vendor.rate = OFTEN
    attempt = shop.attempt()
    since = {"waits_for": "final_status:vendor", "asked_at": attempt.request.updated_at}
    attempt.request = replace(attempt.request, stage="song", **since)
    assert waits_of(shop, attempt) == []


@pytest.mark.parametrize(("slots", "yields"), [(None, True), (2, False)])
def test_slot_is_given_away_where_it_is_no_limited_one(shop, slots, yields):
    shop.vendor.rate = OFTEN
    attempt = shop.attempt()
    attempt.stages = tuple(replace(each, slots=slots) for each in attempt.stages)
    assert [each[-1] for each in waits_of(shop, attempt)] == [yields]


def test_refunded_failure_costs_nothing(shop):
    shop.goes_wrong("poll", SubmissionFailedError("refunded", cost=0))
    assert [job.cost for job in shop.steps.jobs()] == [0]


def test_refusal_that_was_charged_keeps_its_cost(shop):
    shop.goes_wrong("after_submit", PermanentError("refused", cost=300))
    assert [(job.status, job.cost) for job in shop.steps.jobs()] == [("failed", 300)]


def test_answer_that_comes_with_the_receipt_is_not_polled_for(shop):
    shop.vendor.answers_at_once = True
    made = shop.run_paid_stage()
    assert (shop.vendor.polls, made.cost) == (0, shop.vendor.cost // 2)


def test_answer_that_came_with_the_receipt_survives_the_worker(shop):
    shop.vendor.answers_at_once = True
    shop.goes_wrong("fetch", KilledProcessError())
    shop.run_paid_stage()
    assert (len(shop.vendor.charged), shop.vendor.polls) == (1, 0)


# Patience


def test_poll_that_stumbles_once_is_asked_again(shop):
    shop.vendor.wrong["poll"] = TransientError("busy")
    shop.run_paid_stage()
    assert shop.steps.row().attempt == 1


def test_polls_that_stumble_are_counted_from_the_last_good_one(shop):
    weather = [TransientError("busy")] * 4
    stumbles = [*weather, None, *weather]
    shop.vendor.progress = [InProgress()]

    def stumble() -> None:
        if stumbles and (error := stumbles.pop(0)) is not None:
            shop.vendor.wrong["poll"] = error

    shop.vendor.while_working = stumble
    shop.run_paid_stage()
    assert (shop.vendor.polls, shop.steps.row().attempt) == (10, 1)


def test_poll_that_comes_too_often_is_no_failure(shop):
    stumbles = [TransientError("too often", code="rate_limited")] * 9

    def stumble() -> None:
        if stumbles:
            shop.vendor.wrong["poll"] = stumbles.pop()

    shop.vendor.while_working = stumble
    shop.run_paid_stage()
    assert (shop.vendor.polls, shop.steps.row().attempt) == (10, 1)


def test_poll_that_never_answers_gives_up_and_keeps_the_submission(shop):
    shop.vendor.while_working = lambda: shop.vendor.wrong.update(poll=TransientError("busy"))
    with pytest.raises(TransientError):
        shop.run_paid_stage()
    assert (shop.vendor.polls, shop.jobs()) == (5, [JobStatus.SUBMITTED])


def test_stage_that_takes_too_long_keeps_the_submission(shop):
    shop.vendor.while_working = lambda: shop.vendor.wrong.update(poll=TransientError("busy"))
    attempt = shop.attempt()
    attempt.stages = stage_plan(*PIPELINE, deadline=0.000001)
    shop.vendor.rate = Rate(20, 10)
    with pytest.raises(TransientError) as told:
        shop.run_paid_stage(attempt)
    assert (told.value.code, shop.jobs()) == ("stage_timeout", [JobStatus.SUBMITTED])
    assert shop.vendor.polls == 1


# What an order needs is fetched for a submission that is still to be made


def test_inputs_are_fetched_once_for_a_submission_that_outlives_its_worker(shop):
    shop.pictures = ({"url": "https://example.com/a.png"},)
    shop.goes_wrong("poll", KilledProcessError())
    shop.run_paid_stage()
    assert (len(shop.fetched), len(shop.vendor.charged)) == (1, 1)


# Another provider is set


def test_paid_submission_is_not_left_for_another_provider(shop):
    shop.goes_wrong("poll", KilledProcessError())
    other = Vendor("other")
    with pytest.raises(PermanentError) as told:
        shop.run_paid_stage(vendor=other)
    assert (told.value.code, other.charged) == ("provider_changed", [])


@pytest.mark.parametrize("is_repeatable", [True, False])
def test_cheap_submission_is_left_for_another_provider(shop, is_repeatable):
    shop.vendor.cost = CHEAP
    shop.goes_wrong("poll", KilledProcessError())
    other = Vendor("other", repeatable=is_repeatable)
    shop.run_paid_stage(vendor=other)
    assert len(other.charged) == 1


# Another order is asked for


def order_changes_after(shop: Shop, point: str, cost: int) -> None:
    shop.vendor.cost = cost
    shop.goes_wrong(point, KilledProcessError())
    shop.steps.edit("payload = :p", p=json.dumps(OTHER))


SENT_BEFORE = pytest.mark.parametrize("point", ["after_submit", "poll", "fetch"])


@SENT_BEFORE
def test_paid_submission_is_not_left_for_another_order(shop, point):
    order_changes_after(shop, point, PAID)
    status = shop.jobs()
    with pytest.raises(PermanentError, match="redo song") as told:
        shop.run_paid_stage()
    assert told.value.code == "order_changed"
    assert (shop.jobs(), len(shop.vendor.charged)) == (status, 1)


@SENT_BEFORE
def test_cheap_submission_is_left_for_another_order(shop, point):
    order_changes_after(shop, point, CHEAP)
    shop.run_paid_stage()
    old, new = shop.steps.jobs()
    assert (old.status, old.error_code) == (JobStatus.FAILED, "order_changed")
    assert (new.status, new.request_hash) == (JobStatus.SUCCEEDED, hash_payload(OTHER))
    assert_laws(shop.steps)


# Taken away while the vendor works


def test_cancel_while_the_vendor_works_stops_the_attempt(shop):
    shop.vendor.while_working = lambda: stop_working(shop, lambda: shop.steps.cancel())
    shop.vendor.wrong["poll"] = TransientError("busy")
    with pytest.raises(CancelRequestedError):
        shop.run_paid_stage()


def stop_working(shop: Shop, what: object) -> None:
    shop.vendor.while_working = lambda: None
    assert callable(what)
    what()


def test_edit_while_the_vendor_works_stops_the_attempt(shop):
    shop.vendor.while_working = lambda: stop_working(
        shop, lambda: shop.steps.edit("status = 'pending'")
    )
    with pytest.raises(LeaseLostError):
        shop.run_paid_stage()
    assert shop.jobs() == [JobStatus.SUBMITTED]


@pytest.mark.parametrize(("cost", "stopped"), [(0, ["job-1"]), (500_000, [])])
def test_only_what_runs_for_free_is_stopped_with_the_attempt(shop, cost, stopped):
    shop.vendor.cost = cost
    shop.vendor.while_working = lambda: stop_working(
        shop, lambda: shop.steps.edit("status = 'pending'")
    )
    with pytest.raises(LeaseLostError):
        shop.run_paid_stage()
    assert shop.vendor.canceled == stopped


def test_what_has_ended_for_free_is_not_stopped_with_the_attempt(shop):
    shop.vendor.cost = 0
    shop.vendor.wrong["fetch"] = CancelRequestedError("canceled")
    with pytest.raises(CancelRequestedError):
        shop.run_paid_stage()
    assert (shop.jobs(), shop.vendor.canceled) == ([JobStatus.SUCCEEDED], [])


def test_attempt_that_lost_its_lease_buys_nothing(shop):
    attempt = shop.attempt()
    shop.steps.lose_worker()
    with pytest.raises(LeaseLostError):
        shop.call(attempt)
    assert shop.vendor.charged == []


def losing_its_lease_after_the_intent(shop: Shop) -> Attempt:
    attempt, real = shop.attempt(), Attempt.ensure_may_continue

    def ensure_may_continue() -> None:
        if shop.jobs() == [JobStatus.INTENT]:
            shop.steps.lose_worker()
        real(attempt)

    attempt.ensure_may_continue = ensure_may_continue  # type: ignore[method-assign]
    return attempt


def test_attempt_that_slept_over_its_lease_after_the_intent_sends_nothing(shop):
    with pytest.raises(LeaseLostError):
        shop.call(losing_its_lease_after_the_intent(shop))
    assert shop.vendor.charged == []


def test_intent_that_was_never_sent_costs_nothing_and_leaves_room(shop):
    with pytest.raises(LeaseLostError):
        shop.call(losing_its_lease_after_the_intent(shop))
    assert [(job.status, job.cost) for job in shop.steps.jobs()] == [("failed", 0)]
    shop.run_paid_stage()
    assert len(shop.vendor.charged) == 1


def test_release_that_asks_otherwise_for_the_same_order_buys_nothing_again(shop):
    shop.goes_wrong("fetch", KilledProcessError())
    shop.job_input["prompt"] = "in other words"
    shop.run_paid_stage()
    assert len(shop.vendor.charged) == 1


def test_cancel_right_before_the_intent_leaves_no_intent(shop):
    lease = shop.steps.working()
    entry = shop.steps.begin(lease, "song")
    shop.steps.cancel()
    with pytest.raises(CancelRequestedError):
        shop.steps.save_intent(lease, entry)
    assert shop.jobs() == []


def test_canceled_attempt_buys_nothing(shop):
    attempt = shop.attempt()
    shop.steps.cancel()
    with pytest.raises(CancelRequestedError):
        shop.call(attempt)
    assert shop.vendor.charged == []


# What is saved


def test_intent_carries_the_orders_hash_and_the_price(shop):
    shop.run_paid_stage()
    (job,) = shop.steps.jobs()
    assert (job.request_hash, job.cost) == (hash_payload({"brief": 1}), shop.vendor.cost)


def test_lost_song_is_never_sent_again_however_cheap_it_is(shop):
    shop.vendor.cost, shop.vendor.repeatable = CHEAP, False
    shop.goes_wrong("after_submit", UnknownSubmissionError("timeout"))
    with pytest.raises(UnknownSubmissionError):
        shop.run_paid_stage()
    assert len(shop.vendor.charged) == 1


def test_payload_hash_is_the_same_for_the_same_content():
    assert hash_payload({"a": 1, "b": "가"}) == hash_payload({"b": "가", "a": 1})


def test_replay_of_a_stage_that_is_missing_says_how_to_get_it(shop):
    shop.steps.order()
    shop.steps.edit("status = 'completed'")
    with pytest.raises(PermanentError, match="castad redo"):
        shop.call(shop.attempt())
