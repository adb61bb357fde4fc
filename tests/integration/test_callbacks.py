"""What vendors call back: it finds lost submissions and wakes who waits, and does no harm whenever it comes."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from resources.contract.errors import CastadError
from resources.contract.protocol import BeforeSend, Receipt, StageInput, allow_send
from resources.files.artifacts import ArtifactStore
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    CancelRequestedError,
    IllegalTransitionError,
    TakenIdError,
    UnknownCallbackError,
)
from resources.ledger.limits import FINAL_STATUS_PREFIX, format_wait
from resources.ledger.queries.money import list_requests_in_doubt
from resources.ledger.queries.status import RequestState, read_request_state
from resources.ledger.rules import STAGE_TIMEOUT, Failure, FailureAction, classify_failure
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.callbacks import (
    attach_job,
    give_up_submission,
    resubmit_request,
    save_callback,
)
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.jobs import Job, save_outcome
from resources.ledger.transitions.stages import StageEntry
from resources.ledger.workers.attempt import Attempt
from resources.ledger.workers.worker import Worker
from resources.providers.suno.band import SunoBand
from resources.purchase.failures import close_failed
from resources.purchase.stage_context import StageOutcome
from tests.api_house import served
from tests.conftest import MakeSettings
from tests.eventually import eventually
from tests.fakes.faults import Fault
from tests.fakes.suno import FakeSuno
from tests.fakes.vendor import KilledProcessError
from tests.integration.vendor_house import ONE_EACH, House, open_house
from tests.ledger_laws import assert_laws
from tests.ledger_steps import UNKNOWN, Steps
from tests.song_video import stage_plan
from tests.stage_contexts import buy

LOST = Fault("lose_reply", "submit")
NEVER = 1e9
REPEATED = "vendor calls it x1, which is the id of another submission"
ORDER: StageInput = {
    "seed": "r",
    "lyric": "[Verse]\nMorning light is dancing down the street",
    "title": "Morning",
    "language": "English",
    "genre": "pop",
    "duration_seconds": 20,
    "vocals": False,
    "stems": False,
}


def types(steps: Steps) -> list[str]:
    return [event.type for event in steps.events()]


def heard(steps: Steps, task_id: str = "r") -> list[str | None]:
    return [job.heard_id for job in steps.jobs(task_id)]


def everything(steps: Steps, task_id: str = "r") -> tuple[object, ...]:
    rows = (steps.row(task_id), steps.jobs(task_id), steps.stages(task_id))
    return (*rows, steps.events(task_id))


def now(steps: Steps) -> RequestState:
    found = read_request_state(steps.db, steps.row().id)
    assert found is not None
    return found


@dataclass
class Sent:
    """A submission on its way, and the attempt that sent it."""

    steps: Steps
    lease: Lease
    entry: StageEntry
    job: Job

    def replied(self, external_id: str) -> Job:
        """The vendor's reply to the submission has come after all."""
        accepted: dict[str, Any] = {"external_id": external_id}
        return save_outcome(
            self.steps.db, self.lease, self.entry, self.job, JobStatus.SUBMITTED, **accepted
        )


@pytest.fixture
def sent(steps: Steps) -> Sent:
    lease = steps.working()
    entry = steps.begin(lease)
    return Sent(steps, lease, entry, steps.save_intent(lease, entry))


# Whose callback it is


FORGED = {
    "another token": ("vendor", "tokem"),
    "no token": ("vendor", ""),
    "the token at another provider": ("suno", "token"),
    "a provider that does not exist": ("nobody", "token"),
    "more than any token": ("vendor", "token" * 1000),
    "a pattern": ("vendor", "tok%"),
    "no text of a database": ("vendor", "token\0"),
    "half of a character": ("vendor", "token\ud800"),
    "another alphabet": ("vendor", "토큰"),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_forged_callback_is_refused_and_changes_nothing(sent, forged):
    before = everything(sent.steps)
    with pytest.raises(UnknownCallbackError) as refused:
        save_callback(sent.steps.db, *forged, "x1")
    assert everything(sent.steps) == before
    assert refused.value.code == "unknown_callback"
    assert "token" not in refused.value.message.replace("this token", "")


def test_callback_of_a_deleted_request_is_nobodys(sent):
    sent.steps.edit("status = 'canceled'")
    sent.steps.sql("DELETE FROM requests")
    with pytest.raises(UnknownCallbackError):
        sent.steps.save_callback(token="token")


# What it tells while the job is being sent


def test_first_id_that_is_named_is_kept_with_one_event(sent):
    sent.steps.save_callback("x1")
    told = sent.steps.last()
    assert heard(sent.steps) == ["x1"]
    assert (told.type, told.data["stage"], told.data["provider"], told.data["external_id"]) == (
        *("callback_heard", "lyric"),
        *("vendor", "x1"),
    )
    assert_laws(sent.steps)


def test_attempt_at_work_hears_of_every_callback_and_keeps_the_first_id_alone(sent):
    for named in (None, "x1", "x1", None, "x2"):
        sent.steps.save_callback(named)
    assert (now(sent.steps).callbacks, heard(sent.steps)) == (5, ["x1"])
    assert types(sent.steps).count("callback_heard") == 1


@pytest.mark.parametrize("replied", ["x1", "x2"], ids=["the same", "another"])
def test_reply_after_the_callback_is_what_the_submission_is_called_by(sent, replied):
    sent.steps.save_callback("x1")
    sent.replied(replied)
    [job] = sent.steps.jobs()
    assert (job.status, job.external_id, job.heard_id) == (JobStatus.SUBMITTED, replied, "x1")
    assert_laws(sent.steps)


def test_callback_after_the_reply_only_wakes(sent):
    sent.replied("x1")
    before = everything(sent.steps)[1:]
    sent.steps.save_callback("x2")
    assert (everything(sent.steps)[1:], now(sent.steps).callbacks) == (before, 1)


@pytest.mark.parametrize("how", ["attached", "heard"])
def test_id_of_another_submission_is_not_heard_and_that_is_said_once(sent, how):
    sent.steps.lost("other")
    if how == "attached":
        attach_job(sent.steps.db, "other", "x1")
    else:
        sent.steps.save_callback("x1", "other")
    before = sent.steps.events()
    for _ in range(3):
        sent.steps.save_callback("x1")
    [told] = sent.steps.events()[len(before) :]
    assert (heard(sent.steps), told.data["message"]) == ([None], REPEATED)
    assert_laws(sent.steps)


def test_request_that_waits_for_an_id_says_that_it_was_given_anothers(steps):
    steps.lost("other")
    attach_job(steps.db, "other", "x1")
    steps.lost()
    told = steps.save_callback("x1")
    assert (told.status, told.error_code) == (Status.FAILED, UNKNOWN)
    assert REPEATED in str(told.error_message)
    assert_laws(steps)


def test_id_that_was_heard_cannot_be_attached_elsewhere(steps):
    steps.lost("other")
    steps.save_callback("x1", "other")
    steps.lost()
    with pytest.raises(TakenIdError, match="'other'"):
        attach_job(steps.db, "r", "x1")


# What it brings back


def test_lost_submission_that_was_heard_of_is_due_at_once_and_counts_nothing(steps):
    steps.lost()
    request = steps.save_callback()
    assert (request.status, request.not_before, request.error_code) == (Status.PENDING, None, None)
    assert request.retry_count == 0
    assert_laws(steps)


def test_intent_of_a_dead_worker_is_heard_of(sent):
    sent.steps.lose_worker()
    sent.steps.save_callback()
    assert (heard(sent.steps), sent.steps.row().status) == (["x1"], Status.PENDING)


def test_second_callback_brings_back_what_died_although_the_first_was_heard(sent):
    sent.steps.save_callback()
    failure = Failure(UNKNOWN, "nobody looked", FailureAction.DEAD_LETTER)
    sent.steps.fail_as(sent.lease, failure)
    assert sent.steps.save_callback().status is Status.PENDING
    assert_laws(sent.steps)


def test_callback_that_names_nothing_brings_nothing_back(steps):
    steps.lost("another-without-an-id")
    steps.lost_for_good()
    before = everything(steps)
    steps.save_callback(None)
    assert everything(steps) == before


def test_callback_while_the_loss_is_being_saved_keeps_the_request_from_dying(sent):
    sent.steps.settle(sent.lease, sent.entry, sent.job, JobStatus.UNKNOWN)
    sent.steps.sql("UPDATE provider_jobs SET created_at = '2020-01-01 00:00:00'")
    sent.steps.save_callback()
    request, _ = sent.steps.fail_as(
        sent.lease, Failure(UNKNOWN, "no answer", FailureAction.LOOK_UP)
    )
    assert request.status is Status.FAILED


def test_submission_of_an_older_generation_wakes_nobody(steps):
    steps.lost_for_good()
    steps.redo()
    lease = steps.take()
    steps.begin(lease)
    steps.save_callback()
    assert (heard(steps), now(steps).callbacks) == (["x1"], 0)


def accepted(steps: Steps, *then: Any) -> None:
    """The vendor has the job, and the attempt has ended by this failure."""
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUBMITTED)
    steps.fail_as(lease, Failure(*then))


def waiting_for_a_final_status(steps: Steps) -> None:
    accepted(
        steps,
        "final_status",
        "m",
        FailureAction.WAIT,
        format_wait(FINAL_STATUS_PREFIX, "vendor"),
        600,
    )


def canceled_while_it_waited_for_a_final_status(steps: Steps) -> None:
    waiting_for_a_final_status(steps)
    steps.cancel()


def waiting_for_a_vendor_that_is_down(steps: Steps) -> None:
    accepted(steps, "vendor_down", "m", FailureAction.WAIT, "vendor", 600)


def dead_of_something_else(steps: Steps) -> None:
    accepted(steps, "internal_error", "m", FailureAction.DEAD_LETTER)


def tried_again_after_the_vendor_was_late(steps: Steps) -> None:
    accepted(steps, STAGE_TIMEOUT, "m", FailureAction.RETRY)


def dead_before_it_was_accepted(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)
    steps.fail_as(lease, Failure(STAGE_TIMEOUT, "m", FailureAction.DEAD_LETTER))


def at_work_after_a_refusal(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.FAILED)


def named_by_an_operator(steps: Steps) -> None:
    steps.lost()
    steps.sql("UPDATE provider_jobs SET external_id = 'x1'")


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (canceled_while_it_waited_for_a_final_status, None),
        (waiting_for_a_vendor_that_is_down, None),
        (dead_of_something_else, None),
        (tried_again_after_the_vendor_was_late, None),
        (dead_before_it_was_accepted, None),
        (at_work_after_a_refusal, "x2"),
        (named_by_an_operator, "x2"),
    ],
)
def test_callback_changes_nothing_of_what_does_not_wait_for_it(steps, make, named):
    make(steps)
    before = everything(steps)
    steps.save_callback(named)
    assert everything(steps) == before


def test_run_that_polls_after_a_wait_without_a_run_hears_of_the_callback(steps):
    waiting_for_a_final_status(steps)
    steps.edit("not_before = NULL")
    steps.take()
    steps.save_callback()
    assert now(steps).callbacks == 1


@pytest.mark.parametrize(
    "then", [Steps.cancel, lambda steps: steps.fail(steps.take(), FailureAction.DEAD_LETTER)]
)
def test_id_of_another_submission_is_no_error_of_what_waits_for_none(steps, then):
    steps.lost("other")
    attach_job(steps.db, "other", "x1")
    steps.lost()
    then(steps)
    before = steps.row().error_message
    assert steps.save_callback("x1").error_message == before


# What a person has decided


@pytest.mark.parametrize("decide", [give_up_submission, resubmit_request])
def test_decision_of_a_person_is_not_undone(steps, decide):
    steps.lost_for_good()
    decide(steps.db, "r")
    before = now(steps)
    steps.save_callback()
    assert now(steps) == before
    assert_laws(steps)


@pytest.mark.parametrize("decide", [give_up_submission, resubmit_request])
def test_submission_that_was_heard_of_is_neither_given_up_nor_sent_again(steps, decide):
    steps.lost()
    steps.save_callback()
    with pytest.raises(IllegalTransitionError, match="vendor's job x1"):
        decide(steps.db, "r")


def test_submission_that_was_heard_of_is_in_doubt_no_more(steps):
    steps.lost()
    before = list_requests_in_doubt(steps.db, 9)
    steps.save_callback()
    assert (before, list_requests_in_doubt(steps.db, 9)) == (["r"], [])


def test_late_callback_of_a_completed_request_changes_nothing(sent):
    job = sent.replied("x1")
    sent.steps.settle(sent.lease, sent.entry, job, JobStatus.SUCCEEDED)
    sent.steps.complete(sent.lease, sent.entry)
    for stage in ("song", "video"):
        sent.steps.make_stage(sent.lease, stage)
    before = everything(sent.steps)
    sent.steps.save_callback("x1", token="token")
    assert (sent.steps.row().status, everything(sent.steps)) == (Status.COMPLETED, before)


# Through the paid stage


class DyingBand(SunoBand):
    """Its process is killed when the job has been accepted, where it was told so."""

    dies = False

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        receipt = super().submit(job_input, token, before_send)
        if self.dies:
            raise KilledProcessError
        return receipt


@dataclass
class Shop:
    """One request for one song by Suno, and runs that try to make it."""

    steps: Steps
    worker: Worker
    suno: FakeSuno
    band: DyingBand
    store: ArtifactStore
    make_settings: MakeSettings
    lease: Lease | None = None

    def run(self, **chosen: Any) -> StageOutcome:
        """One attempt: what goes wrong in it is closed in the ledger as the ops do it."""
        if "r" not in self.steps.task_ids():
            self.steps.order()
        request, lease = self.steps.claim(owner=self.worker.owner)
        assert lease is not None
        self.lease = lease
        settings = self.make_settings(**chosen)
        plan = stage_plan("song", deadline=settings.stage_deadline)
        attempt = Attempt(self.steps.db, request, lease, self.worker, settings, plan)
        try:
            return self._make(attempt)
        except CastadError as error:
            close_failed(attempt, lease, "song", classify_failure(error, "song"))
            raise
        finally:
            attempt.unregister()

    def _make(self, attempt: Attempt) -> StageOutcome:
        return buy(
            attempt,
            "song",
            self.band,
            ORDER,
            self.store,
        )

    def loses_the_reply(self) -> None:
        """One attempt whose submission is accepted and never answered."""
        self.suno.script(LOST)
        with suppress(CastadError):
            self.run()
        assert self.steps.row().error_code == UNKNOWN

    @property
    def task(self) -> str:
        """What Suno calls the song that was ordered first."""
        return str(self.suno.charges()[0]["id"])

    @property
    def end(self) -> tuple[Status, int, list[str]]:
        """How it stands, how often it was charged, and its submissions."""
        jobs = [job.status for job in self.steps.jobs()]
        return self.steps.row().status, len(self.suno.charges()), jobs

    def is_looked_after(self, times: int) -> None:
        """The worker has looked at the request, and told its attempt, so many times more."""
        assert self.lease is not None
        for _ in range(times):
            at = time.monotonic()
            self.worker.watcher.wait_for_wake(self.lease, since=at, until=at)

    def polls(self) -> int:
        return [call.route for call in self.suno.calls].count("poll")


BOUGHT_ONCE = (Status.COMPLETED, 1, [JobStatus.SUCCEEDED])


@pytest.fixture
def shop(db: Database, tmp_path: Path, make_settings: MakeSettings) -> Iterator[Shop]:
    url = None if db.is_sqlite else db.url.render_as_string(hide_password=False)
    with (
        closing(Database(db.url)) as own,
        FakeSuno(tmp_path / "books") as suno,
        served(make_settings(database_url=url)) as api,
    ):
        band = DyingBand(
            suno.key,
            base_url=suno.url,
            model="V4_5",
            credits=12,
            usd_per_credit=0.005,
            public_url=api.url,
            allow_hosts=(),
            gate=lambda: None,
            deadline_seconds=20,
            download_seconds=20,
        )
        worker = Worker(own, make_settings())
        worker.start()
        store = ArtifactStore(tmp_path / "artifacts")
        yield Shop(Steps(db), worker, suno, band, store, make_settings)
        worker.stop()


def test_lost_song_is_found_by_its_callback_and_bought_once(shop):
    shop.loses_the_reply()
    shop.suno.call_back(shop.task, "complete")
    assert shop.steps.row().status is Status.PENDING
    shop.run()
    assert shop.end == BOUGHT_ONCE
    assert_laws(shop.steps)


def test_callback_before_the_lost_reply_saves_the_attempt(shop):
    shop.suno.early = ("text",)
    shop.suno.script(LOST)
    shop.run()
    assert (shop.end, shop.steps.row().attempt) == (BOUGHT_ONCE, 1)
    assert_laws(shop.steps)


def test_callback_before_a_reply_that_refuses_the_job_shows_that_it_was_taken(shop):
    shop.suno.early = ("text",)
    refusal = b'{"code": 430, "msg": "too often", "data": null}'
    shop.suno.script(Fault("garbage_after", "submit", raw=refusal))
    shop.run()
    assert shop.end == BOUGHT_ONCE


def test_callback_before_the_reply_is_harmless(shop):
    shop.suno.early = ("text", "first", "text")
    shop.run()
    [job] = shop.steps.jobs()
    assert (shop.end, job.external_id) == (BOUGHT_ONCE, shop.task)
    assert_laws(shop.steps)


def test_song_of_a_process_killed_before_it_was_saved_is_found_by_its_callback(shop):
    def is_found_out() -> bool:
        shop.steps.run_out()
        return bool(shop.steps.rescue())

    shop.suno.early, shop.band.dies = ("text",), True
    with pytest.raises(KilledProcessError):
        shop.run()
    # A heartbeat that is under way when the attempt dies renews the lease once more.
    assert eventually(is_found_out)
    shop.run()
    assert shop.end == BOUGHT_ONCE
    assert_laws(shop.steps)


def test_song_that_was_heard_of_while_canceled_is_taken_up_by_a_retry(shop):
    shop.loses_the_reply()
    shop.steps.cancel()
    shop.suno.call_back(shop.task, "complete")
    shop.steps.retry()
    shop.run()
    assert shop.end == BOUGHT_ONCE


def test_error_that_is_called_back_is_no_final_status(shop):
    shop.loses_the_reply()
    shop.suno.call_back(shop.task, "error")
    shop.run()
    assert shop.end == BOUGHT_ONCE


def test_callbacks_out_of_order_and_twice_are_harmless(shop):
    shop.loses_the_reply()
    for kind in ("complete", "text", "error", "complete", "first"):
        assert shop.suno.call_back(shop.task, kind, times=2) == [200, 200]
    shop.run()
    assert shop.end == BOUGHT_ONCE
    assert types(shop.steps).count("callback_heard") == 1


def test_callback_under_another_token_finds_nothing(shop):
    shop.loses_the_reply()
    before = everything(shop.steps)
    forged = f"{shop.suno.callback_address(shop.task)}x"
    assert shop.suno.call_back(shop.task, "complete", address=forged) == [404]
    assert everything(shop.steps) == before


PATIENT = {"poll_seconds": 1000, "poll_longest": 1000, "stage_deadline": 5000}
"""Who polls by this clock and is not woken never ends."""


def started(shop: Shop) -> threading.Thread:
    """An attempt by that clock."""
    running = threading.Thread(target=shop.run, kwargs=PATIENT, daemon=True)
    running.start()
    return running


def waiting(shop: Shop) -> threading.Thread:
    """An attempt that waits for the vendor, or is about to."""
    running = started(shop)
    assert eventually(lambda: [job.status for job in shop.steps.jobs()] == [JobStatus.SUBMITTED])
    return running


def ends(running: threading.Thread) -> bool:
    return eventually(lambda: not running.is_alive())


def test_song_that_was_heard_of_is_asked_after_at_once(shop):
    shop.loses_the_reply()
    shop.suno.call_back(shop.task, "complete")
    assert ends(started(shop))
    assert shop.end == BOUGHT_ONCE


def test_callback_wakes_who_waits(shop):
    running = waiting(shop)
    shop.suno.call_back(shop.task, "complete")
    assert ends(running)
    assert shop.end == BOUGHT_ONCE


def test_callback_that_came_before_the_wait_ends_it(shop):
    shop.suno.early = ("complete",)
    assert ends(started(shop))
    assert shop.end == BOUGHT_ONCE


def test_callback_that_comes_while_the_vendor_is_asked_is_not_missed(shop):
    """The vendor answers that it is not done, and is done and has said so before the wait begins."""
    real = shop.band.poll

    def poll(job_input: StageInput, external_id: str) -> Any:
        report = real(job_input, external_id)
        if shop.suno.delay:
            shop.suno.delay = 0.0
            shop.suno.call_back(external_id, "complete")
        return report

    shop.suno.delay, shop.suno.early = NEVER, ("text",)
    shop.band.poll = poll  # type: ignore[method-assign]
    assert ends(started(shop))
    assert (shop.end, shop.polls()) == (BOUGHT_ONCE, 2)


def test_callback_before_the_song_is_done_is_one_question_and_no_more(shop):
    shop.suno.delay = NEVER
    running = waiting(shop)
    shop.suno.call_back(shop.task, "text")
    assert eventually(lambda: shop.polls() == 1)
    shop.is_looked_after(10)
    shop.suno.delay = 0.0
    shop.suno.call_back(shop.task, "complete")
    assert ends(running)
    assert (shop.end, shop.polls()) == (BOUGHT_ONCE, 2)


def test_vendor_that_asked_to_be_left_alone_is_left_alone_though_it_calls_back(shop):
    def run() -> None:
        with suppress(CancelRequestedError):
            shop.run(**PATIENT)

    shop.suno.early = ("text",)
    shop.suno.script(Fault("rate_limited", "poll", retry_after=900))
    running = threading.Thread(target=run, daemon=True)
    running.start()
    assert eventually(lambda: shop.polls() == 1)
    shop.suno.call_back(shop.task, "complete")
    shop.is_looked_after(10)
    shop.steps.cancel()
    assert ends(running)
    assert shop.polls() == 1


# Through a whole order


@pytest.fixture
def house(
    tmp_path: Path, sqlite_ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[House]:
    """A house that its vendors can call back."""
    with open_house(tmp_path) as empty, served() as api:
        yield empty.enter(monkeypatch, CASTAD_PUBLIC_URL=api.url)


def test_lost_song_and_lost_video_are_found_by_their_callbacks(house):
    suno, creatomate = house.vendors.suno, house.vendors.creatomate
    suno.script(LOST)
    creatomate.script(LOST)
    house.made()
    suno.call_back(suno.charges()[0]["id"], "complete")
    house.work()
    assert house.state == (Status.FAILED, UNKNOWN)
    creatomate.call_back(creatomate.charges()[0]["id"], "succeeded")
    house.work()
    assert (house.state, house.vendors.charges()) == ((Status.COMPLETED, None), ONE_EACH)
    house.assert_laws()


def test_order_whose_vendors_call_back_by_themselves_survives_lost_replies(house):
    suno, creatomate = house.vendors.suno, house.vendors.creatomate
    suno.set(early=["text"], calls_back=True)
    creatomate.set(early=["succeeded"], calls_back=True)
    suno.script(LOST)
    creatomate.script(LOST)
    house.made()
    assert (house.state, house.request.attempt) == ((Status.COMPLETED, None), 1)
    assert house.vendors.charges() == ONE_EACH
    house.assert_laws()
