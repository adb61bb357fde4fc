"""Whatever an attempt that has lost its lease learns of a submission changes the request that waits for it."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.rules import STAGE_TIMEOUT, Failure, FailureAction
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.callbacks import give_up_submission
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.jobs import Job, find_live_submission, save_outcome
from resources.ledger.transitions.stages import StageEntry
from tests.ledger_laws import assert_laws
from tests.ledger_steps import UNKNOWN, Steps

ACCEPTED: dict[str, dict[str, Any]] = {
    "accepted": {"status": JobStatus.SUBMITTED, "external_id": "late"},
    "answered": {"status": JobStatus.SUCCEEDED, "external_id": "late", "answer": {"text": "la"}},
}
REFUSED: dict[str, Any] = {"status": JobStatus.FAILED, "cost": 0, "code": "rejected"}
WAITS = [FailureAction.LOOK_UP, FailureAction.DEAD_LETTER]


@dataclass(frozen=True)
class Stopped:
    """A worker was stopped inside its submission; another attempt has looked for it in the meantime."""

    steps: Steps
    lease: Lease
    entry: StageEntry
    job: Job

    def continues(self, **outcome: Any) -> None:
        """The worker goes on, and the vendor's answer is there."""
        with suppress(LeaseLostError):
            save_outcome(self.steps.db, self.lease, self.entry, self.job, **outcome)


def stopped(steps: Steps, then: FailureAction) -> Stopped:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    steps.lose_worker()
    looking = steps.take(owner="worker:2")
    steps.settle(looking, entry, job, JobStatus.UNKNOWN)
    steps.fail_as(looking, Failure(UNKNOWN, "may or may not have been accepted", then))
    return Stopped(steps, lease, entry, job)


@pytest.mark.parametrize("then", WAITS)
@pytest.mark.parametrize("answer", ACCEPTED)
def test_late_answer_brings_back_what_waited_or_died_for_it(steps, answer, then):
    stopped(steps, then).continues(**ACCEPTED[answer])
    row = steps.row()
    assert (row.status, row.error_code, row.not_before) == (Status.PENDING, None, None)
    assert_laws(steps)


@pytest.mark.parametrize("answer", ACCEPTED)
def test_next_attempt_goes_on_with_the_job_of_a_late_answer(steps, answer):
    late = stopped(steps, FailureAction.DEAD_LETTER)
    late.continues(**ACCEPTED[answer])
    lease = steps.take(owner="worker:3")
    job = find_live_submission(steps.db, lease, late.entry)
    assert job is not None
    assert (job.external_id, job.status) == ("late", ACCEPTED[answer]["status"])
    assert len(steps.jobs()) == 1


def test_late_answer_is_told_by_its_event(steps):
    stopped(steps, FailureAction.DEAD_LETTER).continues(**ACCEPTED["accepted"])
    assert (steps.last().type, steps.last().data["external_id"]) == ("submitted", "late")


@pytest.mark.parametrize("then", WAITS)
def test_late_refusal_ends_the_doubt_and_costs_nothing(steps, then):
    steps.lost_for_good("another-without-an-id")
    stopped(steps, then).continues(**REFUSED)
    assert (steps.row().status, [job.cost for job in steps.jobs()]) == (Status.PENDING, [0])
    assert_laws(steps)


def test_look_up_of_an_attempt_that_lost_its_lease_brings_it_back(steps):
    late = stopped(steps, FailureAction.DEAD_LETTER)
    known = Job(**{**vars(late.job), "status": JobStatus.UNKNOWN})
    Stopped(steps, late.lease, late.entry, known).continues(**ACCEPTED["accepted"])
    assert (steps.row().status, steps.jobs()[0].external_id) == (Status.PENDING, "late")


def test_late_look_up_that_found_nothing_settles_nothing(steps):
    """The attempt that holds the request by now looks for itself."""
    late = stopped(steps, FailureAction.DEAD_LETTER)
    known = Job(**{**vars(late.job), "status": JobStatus.UNKNOWN})
    before = steps.jobs()
    Stopped(steps, late.lease, late.entry, known).continues(**REFUSED)
    assert steps.jobs() == before


def test_late_answer_without_news_changes_nothing(steps):
    late = stopped(steps, FailureAction.DEAD_LETTER)
    before = steps.row()
    late.continues(status=JobStatus.UNKNOWN, code=UNKNOWN)
    assert steps.row() == before


def lose_another(steps):
    """Have another generation, whose submission got lost too."""
    steps.redo()
    lease = steps.take(owner="worker:3")
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "newer"), JobStatus.UNKNOWN)
    steps.fail_as(lease, Failure(UNKNOWN, "lost too", FailureAction.DEAD_LETTER))


MEANWHILE = {
    "died of something else": (
        FailureAction.LOOK_UP,
        lambda s: s.fail(s.take(owner="worker:3"), FailureAction.DEAD_LETTER),
    ),
    "was given up by a person": (
        FailureAction.DEAD_LETTER,
        lambda s: give_up_submission(s.db, "r"),
    ),
    "was canceled": (FailureAction.LOOK_UP, lambda s: s.cancel()),
    "is made again": (FailureAction.DEAD_LETTER, lambda s: s.redo()),
    "died for another generation": (FailureAction.DEAD_LETTER, lose_another),
}


@pytest.mark.parametrize(("then", "happens"), MEANWHILE.values(), ids=MEANWHILE.keys())
def test_late_answer_is_kept_and_leaves_what_does_not_wait_for_it(steps, then, happens):
    late = stopped(steps, then)
    happens(steps)
    before = steps.row()
    late.continues(**ACCEPTED["accepted"])
    assert (steps.row(), steps.jobs()[0].external_id) == (before, "late")


def test_late_answer_is_kept_though_another_request_does_the_order(steps):
    steps.order(unique_key="k")
    late = stopped(steps, FailureAction.DEAD_LETTER)
    steps.order("another", unique_key="k")
    before = steps.row()
    late.continues(**ACCEPTED["accepted"])
    assert (steps.row(), steps.jobs()[0].external_id) == (before, "late")


def timed_out(steps: Steps, then: FailureAction = FailureAction.DEAD_LETTER) -> Stopped:
    """The vendor has the job and was slower than the stage's deadline; a worker still polls it."""
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUBMITTED)
    steps.lose_worker()
    late = Failure(STAGE_TIMEOUT, "it did not finish", then)
    steps.fail_as(steps.take(owner="worker:2"), late)
    return Stopped(steps, lease, entry, job)


@pytest.mark.parametrize("named", [{}, {"external_id": "song-1"}], ids=["unnamed", "named"])
def test_late_final_status_brings_back_what_died_because_the_vendor_was_late(steps, named):
    timed_out(steps).continues(status=JobStatus.SUCCEEDED, answer={}, **named)
    assert steps.row().status is Status.PENDING
    assert_laws(steps)


def test_late_final_status_of_a_submission_in_doubt_leaves_what_died_because_the_vendor_was_late(
    steps,
):
    late = timed_out(steps)
    doubtful = Job(**{**vars(late.job), "status": JobStatus.UNKNOWN})
    Stopped(steps, late.lease, late.entry, doubtful).continues(
        status=JobStatus.SUCCEEDED, answer={}
    )
    assert steps.row().status is Status.DEAD


def test_late_refusal_leaves_what_died_because_the_vendor_was_late(steps):
    late = timed_out(steps)
    before = steps.row()
    late.continues(status=JobStatus.FAILED)
    assert steps.row() == before


def test_late_final_status_leaves_what_is_tried_again_by_itself(steps):
    late = timed_out(steps, FailureAction.RETRY)
    before = steps.row()
    late.continues(status=JobStatus.SUCCEEDED, answer={})
    assert (before.status, steps.row()) == (Status.FAILED, before)


def test_callback_brings_back_what_died_because_the_vendor_was_late(steps):
    timed_out(steps)
    assert steps.save_callback(token="token").status is Status.PENDING
    assert len(steps.jobs()) == 1
    assert_laws(steps)
