"""Each transition by itself: where it leads, what it counts, and what it refuses."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from resources.contract.protocol import InProgress
from resources.ledger.ledger_errors import (
    ClaimRefusedError,
    ConflictError,
    IllegalTransitionError,
    LeaseLostError,
    NothingToRetryError,
    UnknownRequestError,
)
from resources.ledger.queries.feed import unmirrored_events
from resources.ledger.queries.status import stage_result, task_id_of_run
from resources.ledger.request import Request
from resources.ledger.rules import TRANSITIONS, Failure, FailureAction, Outcome, RetryDelays
from resources.ledger.schema.tables import JobStatus, Status, requests
from resources.ledger.transitions.claims import RunOrder, fail
from resources.ledger.transitions.core import Lease, set_bookkeeping
from resources.ledger.transitions.housekeeping import mark_mirrored
from resources.ledger.transitions.jobs import Job, live_job
from resources.ledger.transitions.orders import NewRequest, reject, retry, submit_orders
from resources.ledger.transitions.redo import order_after_redo, redo
from resources.ledger.transitions.rescue import (
    leave_unclaimed,
    register_worker,
    requeue,
    save_redelivery,
)
from resources.ledger.transitions.stages import StageEntry, complete_request, save_progress
from resources.views.event_text import describe_event
from tests.ledger_laws import assert_laws, edges
from tests.ledger_steps import OVER, POISON, STAGES, UNKNOWN, Steps
from tests.legal_walks import (
    WALKS,
    C,
    D,
    Edge,
    F,
    N,
    P,
    R,
    X,
    canceled,
    dispatched,
    poisoned,
    rejected_as_it_is,
    unreadable,
)

NEW = NewRequest("r", {}, "song_video", "test", lambda stored, given: stored == given)


def test_walks_cover_every_legal_transition() -> None:
    assert set(WALKS) == {
        (kind, *edge) for kind, transitions in TRANSITIONS.items() for edge in transitions
    }


@pytest.mark.parametrize("edge", WALKS, ids=lambda edge: ":".join(edge))
def test_every_legal_transition_can_be_made_and_keeps_the_laws(steps: Steps, edge: Edge) -> None:
    WALKS[edge](steps)
    assert edge in edges(steps.events())
    assert_laws(steps)


# Orders


def test_same_order_again_is_the_same_request(steps: Steps) -> None:
    assert steps.order().id == steps.order().id


def test_order_of_something_else_under_a_known_name_is_a_conflict(steps: Steps) -> None:
    steps.order()
    with pytest.raises(ConflictError, match="'r'"):
        steps.order(payload={"brief": 2})


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, {"hold": "lyric"}),
        ({"hold": "lyric"}, {"hold": "lyric,song"}),
        ({"hold": "lyric", "hold_seconds": 60}, {"hold": "lyric"}),
        (
            {"hold": "lyric", "hold_seconds": 60, "hold_then": "continue"},
            {"hold": "lyric", "hold_seconds": 60, "hold_then": "cancel"},
        ),
    ],
)
def test_same_order_with_another_hold_is_a_conflict(
    steps: Steps, first: dict[str, Any], then: dict[str, Any]
) -> None:
    steps.order(**first)
    with pytest.raises(ConflictError, match=r"^hold: order 'r' is there already") as refused:
        steps.order(**then)
    assert (refused.value.code, refused.value.field) == ("conflict", "hold")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"hold": "lyric,song"}, {"hold": "song,lyric"}),
        ({"hold": "lyric"}, {}),
        (
            {"hold": "lyric", "hold_seconds": 60},
            {"hold": "lyric", "hold_seconds": 60, "hold_then": "cancel"},
        ),
    ],
)
def test_same_order_with_the_same_hold_or_none_is_the_same_request(
    steps: Steps, first: dict[str, Any], then: dict[str, Any]
) -> None:
    assert steps.order(**first) == steps.order(**then)


def test_corrected_order_takes_the_place_of_one_that_could_never_be_read(steps: Steps) -> None:
    unreadable(steps)
    rejected_as_it_is(steps)
    steps.order(payload={"brief": 2}, priority=4)
    row = steps.row()
    assert (row.status, row.order(), row.priority) == (P, {"brief": 2}, 4)
    assert (row.error_code, steps.dispatch()[0].task_id) == (None, "r")


def test_corrected_order_has_no_hold_but_its_own(steps: Steps) -> None:
    unreadable(steps)
    steps.edit("hold = 'lyric', hold_seconds = 60, hold_then = 'continue'")
    row = steps.order(hold="song")
    assert (row.hold, row.hold_seconds, row.hold_then) == ("song", None, None)


@pytest.mark.parametrize("owner", [None, "other"])
def test_order_that_cannot_be_read_is_corrected_by_its_owner_alone(
    steps: Steps, owner: str | None
) -> None:
    unreadable(steps)
    steps.edit("owner = :owner", owner=owner)
    with pytest.raises(ConflictError):
        submit_orders(steps.db, [replace(NEW, owner="we")])
    assert steps.row().status is P


def test_order_that_was_worked_on_once_is_no_longer_replaced(steps: Steps) -> None:
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    steps.fail(lease, FailureAction.DEAD_LETTER, stage="song")
    steps.edit("payload = '{broken'")
    with pytest.raises(ConflictError):
        steps.order()


def test_order_keeps_what_was_chosen(steps: Steps) -> None:
    request = steps.order(max_retries=0, priority=4)
    assert (request.max_retries, request.priority) == (0, 4)


def test_payload_that_is_no_object_is_compared_with_no_order(steps: Steps) -> None:
    steps.order()
    steps.edit("payload = '[]'")
    order = replace(NEW, same_order=lambda stored, given: stored.keys() == given.keys())
    assert [each.created for each in submit_orders(steps.db, [order])] == [True]


def test_order_that_is_not_even_the_same_as_itself_is_replaced(steps: Steps) -> None:
    steps.order()
    steps.edit("payload = '{}'")
    order = replace(NEW, same_order=lambda stored, given: bool(stored) and stored == given)
    assert [each.created for each in submit_orders(steps.db, [order])] == [True]


def test_option_that_is_changed_without_an_owner_is_changed_by_its_source(steps: Steps) -> None:
    steps.order()
    steps.order(priority=5)
    assert (steps.last().type, steps.last().data["by"]) == ("updated", "test")


def test_unknown_name_is_told_so(steps: Steps) -> None:
    with pytest.raises(UnknownRequestError, match="nobody"):
        steps.cancel("nobody")


# Dispatch


def test_dispatch_takes_the_higher_priority_first_and_then_the_older(steps: Steps) -> None:
    steps.order("old")
    steps.order("new")
    steps.order("urgent", priority=1)
    assert [request.task_id for request in steps.dispatch(2)] == ["urgent", "old"]


@pytest.mark.parametrize("slots", [0, 1, 2], ids=lambda slots: f"{slots}-slots")
def test_dispatch_hands_out_no_more_than_the_free_slots(steps: Steps, slots: int) -> None:
    register_worker(steps.db, "worker", "1", slots=1 + slots, poison_deaths=POISON)
    steps.working("busy")
    for task_id in ("a", "b", "c"):
        steps.order(task_id)
    assert len(steps.dispatch()) == slots


def test_dispatch_leaves_alone_what_is_not_due(steps: Steps) -> None:
    steps.order()
    steps.edit("not_before = '2999-01-01 00:00:00'")
    assert steps.dispatch() == []


def test_every_dispatch_counts_an_attempt(steps: Steps) -> None:
    steps.order()
    numbers = []
    for _ in range(3):
        numbers += [request.attempt for request in steps.dispatch()]
        steps.undelivered()
    assert numbers == [1, 2, 3]


def test_dispatched_request_within_its_grace_is_left_alone(steps: Steps) -> None:
    dispatched(steps)
    assert steps.undelivered(grace=600) == []


@pytest.mark.parametrize("deliver", [requeue, save_redelivery])
def test_request_that_a_run_has_claimed_is_not_given_back(steps: Steps, deliver) -> None:
    steps.working()
    assert deliver(steps.db, steps.row()) is None


@pytest.mark.parametrize(("canceled", "status"), [(False, Status.PENDING), (True, Status.CANCELED)])
def test_request_whose_run_ends_unclaimed_is_due_again_unless_it_is_canceled(
    steps: Steps, canceled: bool, status: Status
) -> None:
    dispatched(steps)
    leave_unclaimed(steps.db, "r", 1, canceled=canceled)
    assert steps.row().status is status


# Claims


def test_late_run_takes_a_request_that_fell_back_as_a_new_attempt(steps: Steps) -> None:
    dispatched(steps)
    steps.undelivered()
    assert steps.take(dispatched_as=1).attempt == 2


def test_claim_raises_the_fence(steps: Steps) -> None:
    first = steps.working()
    steps.release(first)
    assert steps.take().fence > first.fence


def test_run_brings_its_own_order_where_there_is_no_row(steps: Steps) -> None:
    order = RunOrder("song_video", {"brief": 1}, lambda stored, given: stored == given)
    request, _ = steps.claim("fresh", order=order)
    assert (request.source, request.status, request.attempt) == ("dagster", R, 1)


def test_run_with_another_order_than_the_rows_is_refused(steps: Steps) -> None:
    steps.order()
    order = RunOrder("song_video", {"brief": 2}, lambda stored, given: stored == given)
    with pytest.raises(ConflictError):
        steps.claim(order=order)


def test_run_with_a_corrected_order_takes_the_place_of_one_that_could_never_be_read(
    steps: Steps,
) -> None:
    unreadable(steps)
    rejected_as_it_is(steps)
    order = RunOrder("song_video", {"brief": 2}, lambda stored, given: stored == given)
    request, _ = steps.claim(order=order)
    assert (request.status, request.order(), request.error_code) == (R, {"brief": 2}, None)


def test_refused_claim_leaves_no_trace_of_the_order_it_brought(steps: Steps) -> None:
    order = RunOrder("song_video", {}, lambda stored, given: True)
    with pytest.raises(ClaimRefusedError):
        steps.claim("fresh", order=order, dispatched_as=7)
    assert steps.task_ids() == []


def test_run_by_hand_after_the_lease_ran_out_counts_the_death(steps: Steps) -> None:
    steps.working()
    steps.run_out()
    steps.take()
    assert steps.row().deaths == 1


def test_run_is_known_by_its_request(steps: Steps) -> None:
    steps.order()
    steps.take(run_id="run-7")
    assert task_id_of_run(steps.db, "run-7") == "r"


def test_replay_gives_no_lease(steps: Steps) -> None:
    steps.completed()
    request, lease = steps.claim()
    assert (request.status, lease) == (C, None)


# What counts


def test_failure_followed_by_a_retry_counts(steps: Steps) -> None:
    steps.failed()
    assert (steps.row().retry_count, steps.row().deaths) == (1, 0)


def test_failures_end_dead_once_every_retry_was_used(steps: Steps) -> None:
    steps.order(max_retries=2)
    seen = []
    for _ in range(3):
        steps.dispatch()
        request, _ = steps.fail(steps.take(dispatched_as=steps.row().attempt))
        seen.append((request.status, request.retry_count))
    assert seen == [(F, 1), (F, 2), (X, 2)]


def test_completed_stage_starts_the_count_of_retries_again(steps: Steps) -> None:
    steps.failed()
    steps.make_stage(steps.take(), "lyric")
    assert steps.row().retry_count == 0


def test_retries_of_one_stage_lengthen_no_wait_of_the_next(steps: Steps) -> None:
    steps.failed()
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    steps.begin(lease, "song")
    _, outcome = steps.fail(lease, stage="song", delays=RetryDelays(retry=60, unknown_grace=600))
    assert outcome == Outcome(F, 1, 54)


def test_every_stage_has_all_of_its_retries(steps: Steps) -> None:
    steps.order(max_retries=1)
    lease = steps.take()
    for stage in STAGES:
        steps.fail(lease, stage=stage)
        lease = steps.take()
        steps.make_stage(lease, stage)
    assert steps.row().status is C


def test_failure_before_its_stage_began_is_of_that_stage(steps: Steps) -> None:
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    steps.fail(lease, stage="song")
    assert steps.row().stage == "song"


def test_lost_worker_counts_as_no_retry(steps: Steps) -> None:
    steps.working()
    steps.lose_worker()
    assert (steps.row().retry_count, steps.row().deaths) == (0, 1)


def test_completed_stage_forgets_the_deaths(steps: Steps) -> None:
    steps.working()
    steps.lose_worker()
    steps.make_stage(steps.take(), "lyric")
    assert steps.row().deaths == 0


def test_poison_says_so(steps: Steps) -> None:
    poisoned(steps)
    assert (steps.row().status, steps.row().error_code) == (X, "poison")


def test_release_counts_nothing(steps: Steps) -> None:
    steps.release(steps.working())
    row = steps.row()
    assert (row.status, row.retry_count, row.deaths) == (P, 0, 0)


def test_release_of_a_request_to_be_canceled_cancels_it(steps: Steps) -> None:
    lease = steps.working()
    steps.cancel()
    steps.release(lease)
    assert steps.row().status is N


def test_lost_worker_of_a_request_to_be_canceled_cancels_it(steps: Steps) -> None:
    steps.working()
    steps.cancel()
    steps.lose_worker()
    assert steps.row().status is N


def test_cancel_after_the_lease_ran_out_needs_nobody_to_confirm(steps: Steps) -> None:
    steps.working()
    steps.run_out()
    assert steps.cancel().status is N


@pytest.mark.parametrize("status", ["canceled", "asked"])
def test_cancel_twice_changes_nothing(steps: Steps, status: str) -> None:
    (canceled if status == "canceled" else cancel_asked)(steps)
    seq = steps.row().seq
    assert steps.cancel().seq == seq


def cancel_asked(steps: Steps) -> None:
    steps.working()
    steps.cancel()


def test_failure_of_a_request_to_be_canceled_cancels_it(steps: Steps) -> None:
    lease = steps.working()
    steps.cancel()
    request, outcome = steps.fail(lease)
    assert (request.status, outcome.status, outcome.wait) == (N, N, None)


def test_request_that_completed_in_spite_of_a_cancel_forgets_the_cancel(steps: Steps) -> None:
    lease = steps.working()
    steps.cancel()
    for stage in STAGES:
        steps.make_stage(lease, stage)
    assert (steps.row().status, steps.row().cancel_requested) == (C, False)


def test_cancel_asked_again_after_the_lease_ran_out_is_done_at_once(steps: Steps) -> None:
    cancel_asked(steps)
    steps.run_out()
    assert steps.cancel().status is N


def test_retry_starts_counting_again_and_keeps_the_attempt(steps: Steps) -> None:
    lease = steps.working()
    steps.fail(lease, FailureAction.DEAD_LETTER)
    row = steps.retry()
    assert (row.retry_count, row.deaths, row.error_code, row.attempt) == (0, 0, None, 1)


def test_second_click_on_retry_is_refused(steps: Steps) -> None:
    steps.dead()
    steps.retry()
    with pytest.raises(NothingToRetryError, match="nothing to retry"):
        steps.retry()


@pytest.mark.parametrize("earlier", [timedelta(0), timedelta(milliseconds=1)])
def test_retry_of_many_leaves_what_has_changed_since_they_were_chosen(
    steps: Steps, earlier: timedelta
) -> None:
    steps.dead()
    changed_at = steps.row().updated_at
    with pytest.raises(NothingToRetryError):
        retry(steps.db, "r", changed_at - earlier)
    later = changed_at + timedelta(milliseconds=1)
    assert retry(steps.db, "r", later).status is Status.PENDING


def test_failure_takes_its_message_to_the_row_the_attempt_and_the_stage(steps: Steps) -> None:
    lease = steps.working()
    steps.begin(lease)
    steps.fail(lease)
    told = [steps.row(), *steps.attempts(), *steps.stages()]
    assert {entry.error_message for entry in told} == {"it went wrong"}


# Stages and submissions


def test_done_stage_is_read_back_and_not_begun_again(steps: Steps) -> None:
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    seq = steps.row().seq
    assert steps.begin(lease).result == {"of": "lyric"}
    assert steps.row().seq == seq


def test_stage_begun_again_is_the_same_row(steps: Steps) -> None:
    lease = steps.working()
    steps.begin(lease)
    steps.begin(lease)
    assert [stage.attempts for stage in steps.stages()] == [2]


@pytest.mark.parametrize(
    "status", [JobStatus.INTENT, JobStatus.SUBMITTED, JobStatus.UNKNOWN, JobStatus.SUCCEEDED]
)
def test_second_submission_beside_a_live_one_is_impossible(steps: Steps, status: JobStatus) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry, "first")
    if status is not JobStatus.INTENT:
        steps.settle(lease, entry, job, status)
    with pytest.raises(IntegrityError):
        steps.save_intent(lease, entry, "second")


def test_failed_submission_allows_another(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "first"), JobStatus.FAILED)
    assert steps.save_intent(lease, entry, "second").status is JobStatus.INTENT


def test_failed_submission_is_never_live_again(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.FAILED)
    with pytest.raises(IllegalTransitionError):
        steps.settle(lease, entry, job, JobStatus.SUCCEEDED)


def test_submission_keeps_its_external_id(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUBMITTED)
    steps.settle(lease, entry, job, JobStatus.SUCCEEDED)
    found = live_job(steps.db, lease, entry)
    assert found is not None
    assert found.external_id == "x1"


@pytest.mark.parametrize("late", [JobStatus.UNKNOWN, JobStatus.FAILED, JobStatus.SUBMITTED])
def test_submission_that_changed_since_it_was_read_is_not_settled(
    steps: Steps, late: JobStatus
) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    before = (steps.jobs(), steps.row().seq)
    with pytest.raises(IllegalTransitionError):
        steps.settle(lease, entry, job, late)
    assert (steps.jobs(), steps.row().seq) == before


def test_attempt_that_waited_before_it_sent_anything_is_not_counted(steps: Steps) -> None:
    began = []
    for action in (FailureAction.WAIT, FailureAction.RETRY, FailureAction.WAIT):
        lease = steps.working() if not steps.task_ids() else steps.take()
        steps.begin(lease)
        steps.fail(lease, action)
        (stage,) = steps.stages()
        began.append((stage.attempts, stage.started_at is not None))
    assert began == [(0, False), (1, True), (1, True)]


def test_progress_is_no_transition(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    seq = steps.row().seq
    save_progress(steps.db, lease, entry, HALFWAY)
    assert (steps.row().seq, *told(steps)) == (seq, 0.5, "frame 5 of 10")


HALFWAY = InProgress(0.5, "frame 5 of 10")
NOTHING_TOLD = (None, None)


def told(steps: Steps) -> tuple[float | None, str | None]:
    """The stored progress of the newest generation of the stage begun last."""
    newest = steps.stages()[-1]
    return newest.progress, newest.progress_note


def test_progress_of_an_attempt_that_lost_its_lease_is_not_stored(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.lose_worker()
    steps.begin(steps.take())
    save_progress(steps.db, lease, entry, HALFWAY)
    assert told(steps) == NOTHING_TOLD


def begun_again(steps: Steps, lease: Lease) -> None:
    steps.lose_worker()
    steps.begin(steps.take())


def redone(steps: Steps, lease: Lease) -> None:
    steps.make_all(lease)
    steps.redo()
    steps.begin(steps.take())


@pytest.mark.parametrize(
    "change",
    [
        lambda steps, lease: steps.fail(lease),
        lambda steps, lease: steps.complete(lease, StageEntry("lyric", 1, None)),
        begun_again,
        redone,
    ],
    ids=["failed", "completed", "begun again", "redone"],
)
def test_progress_ends_with_the_try_that_made_it(
    steps: Steps, change: Callable[[Steps, Lease], object]
) -> None:
    lease = steps.working()
    save_progress(steps.db, lease, steps.begin(lease), HALFWAY)
    change(steps, lease)
    assert told(steps) == NOTHING_TOLD


def test_progress_stays_while_the_request_waits_for_a_final_status_without_a_run(
    steps: Steps,
) -> None:
    lease = steps.working()
    save_progress(steps.db, lease, steps.begin(lease), HALFWAY)
    waits = Failure(
        "no_final_status", "polled later", FailureAction.WAIT, waits_for="final_status:vendor"
    )
    steps.fail_as(lease, waits)
    steps.begin(steps.take())
    assert told(steps) == (HALFWAY.progress, HALFWAY.note)


def test_last_stage_completes_the_request_in_the_same_commit(steps: Steps) -> None:
    lease = steps.working()
    for stage in STAGES[:-1]:
        steps.make_stage(lease, stage)
    assert steps.make_stage(lease, STAGES[-1]).status is C


def test_request_whose_last_stage_was_done_before_can_be_completed(steps: Steps) -> None:
    steps.completed()
    steps.edit("status = 'pending'")
    assert complete_request(steps.db, steps.take(), STAGES).status is C


def test_request_with_a_stage_to_be_made_again_cannot_be_completed(steps: Steps) -> None:
    steps.completed()
    steps.redo()
    assert complete_request(steps.db, steps.take(), STAGES).status is R


# Redo


def test_redo_opens_a_generation_of_the_stage_and_of_what_follows(steps: Steps) -> None:
    steps.completed()
    steps.redo(stage="song")
    newest = {stage.stage: stage.generation for stage in steps.stages()}
    assert newest == {"lyric": 1, "song": 2, "video": 2}


def test_redo_numbers_the_generations_of_each_stage_apart(steps: Steps) -> None:
    steps.completed()
    steps.redo(stage="song")
    steps.make_all(steps.take())
    steps.redo(generation=1)
    newest = {stage.stage: stage.generation for stage in steps.stages()}
    assert newest == {"lyric": 2, "song": 3, "video": 3}


def test_redo_keeps_what_the_earlier_generation_made(steps: Steps) -> None:
    steps.completed()
    steps.redo()
    kept = [stage.result for stage in steps.stages() if stage.stage == "lyric"]
    assert kept == ['{"of": "lyric"}', None]


def test_redo_of_a_changed_order_keeps_the_stages_before_it(steps: Steps) -> None:
    steps.completed()
    redo(steps.db, "r", "video", STAGES, lambda order: {**order, "orientation": "horizontal"})
    newest = {stage.stage: stage.generation for stage in steps.stages()}
    assert newest == {"lyric": 1, "song": 1, "video": 2}
    assert (steps.row().order() or {})["orientation"] == "horizontal"


def test_dry_run_of_a_redo_has_the_changed_order_and_writes_nothing(steps: Steps) -> None:
    steps.completed()
    before = steps.row().seq
    order = order_after_redo(steps.db, "r", "video", STAGES, lambda order: {**order, "x": 1})
    assert (order["x"], steps.row().seq) == (1, before)


def test_redo_tells_what_it_changed_of_the_order(steps: Steps) -> None:
    steps.completed()
    redo(steps.db, "r", "video", STAGES, lambda order: {**order, "orientation": "horizontal"})
    assert steps.events()[-1].data["changed"] == {"orientation": "horizontal"}


def test_redo_of_a_changed_order_is_told_in_the_history(steps: Steps) -> None:
    steps.completed()
    redo(steps.db, "r", "video", STAGES, lambda order: {**order, "orientation": "horizontal"})
    assert "orientation = horizontal" in describe_event(steps.last())


def test_redo_that_changes_nothing_of_the_order_tells_of_no_change(steps: Steps) -> None:
    steps.completed()
    redo(steps.db, "r", "video", STAGES, lambda order: order)
    assert "changed" not in steps.events()[-1].data


def test_redone_stage_has_nothing_to_show_until_it_is_made_again(steps: Steps) -> None:
    steps.completed()
    steps.redo()
    assert stage_result(steps.db, "r", "lyric") is None


def test_stage_made_again_has_its_newest_result_to_show(steps: Steps) -> None:
    steps.completed()
    steps.redo()
    steps.make_stage(steps.take(), "lyric")
    assert stage_result(steps.db, "r", "lyric") == {"of": "lyric"}


def redone_but_for_the_video(steps: Steps) -> Lease:
    """Lyric and song are to be made again; the video was never begun."""
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    steps.make_stage(lease, "song")
    steps.fail(lease, stage="video")
    steps.redo()
    return steps.take()


def test_last_stage_completes_nothing_while_an_earlier_one_is_to_be_made_again(
    steps: Steps,
) -> None:
    assert steps.make_stage(redone_but_for_the_video(steps), "video").status is R
    assert_laws(steps)


def test_request_redone_is_completed_once_every_stage_is_made_again(steps: Steps) -> None:
    lease = redone_but_for_the_video(steps)
    for stage in STAGES:
        steps.make_stage(lease, stage)
    assert steps.row().status is C
    assert_laws(steps)


def test_last_stage_completes_nothing_while_an_earlier_one_was_never_begun(steps: Steps) -> None:
    assert steps.make_stage(steps.working(), "video").status is R


def test_redo_allows_one_new_submission(steps: Steps) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "first"), JobStatus.SUCCEEDED)
    steps.fail(lease)
    steps.redo()
    again = steps.take()
    assert steps.save_intent(again, steps.begin(again), "second").status is JobStatus.INTENT


@pytest.mark.parametrize(
    ("stage", "words"), [("poster", "is not a stage"), ("lyric", "was never begun")]
)
def test_redo_of_what_there_is_not_is_refused(steps: Steps, stage: str, words: str) -> None:
    canceled(steps)
    with pytest.raises(IllegalTransitionError, match=words):
        steps.redo(stage=stage)


def test_redo_while_it_is_worked_on_is_refused(steps: Steps) -> None:
    steps.make_stage(steps.working(), "lyric")
    with pytest.raises(IllegalTransitionError, match="cancel it"):
        steps.redo()


# Lost submissions


def lost(steps: Steps) -> Lease:
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)
    return lease


def test_status_is_not_changed_without_a_transition(steps: Steps) -> None:
    steps.order()
    with steps.db.writing() as tx, pytest.raises(IllegalTransitionError, match="status"):
        set_bookkeeping(tx, requests.c.task_id == "r", status="dead", permit="v")
    assert steps.row().status is P


def test_lost_submission_waits_and_counts_nothing(steps: Steps) -> None:
    request, _ = steps.fail(lost(steps), FailureAction.LOOK_UP)
    assert (request.status, request.retry_count) == (F, 0)


def test_lost_submission_is_for_a_person_once_the_grace_is_over(steps: Steps) -> None:
    request, _ = steps.fail(lost(steps), FailureAction.LOOK_UP, delays=OVER)
    assert (request.status, request.error_code) == (X, UNKNOWN)


def test_lost_submission_of_an_earlier_generation_shortens_no_grace(steps: Steps) -> None:
    steps.fail(lost(steps), FailureAction.LOOK_UP, delays=OVER)
    steps.sql("UPDATE provider_jobs SET created_at = '2020-01-01 00:00:00'")
    steps.redo()
    lease = steps.take()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "second"), JobStatus.UNKNOWN)
    request, _ = steps.fail(lease, FailureAction.LOOK_UP)
    assert request.status is F


@pytest.mark.parametrize(
    ("of", "columns"),
    [
        ("another request", ""),
        ("another stage", ""),
        ("refused", "status = 'failed', "),
        ("heard of", "heard_id = 'x1', "),
        ("nothing sent yet", "status = 'intent', "),
        ("lost", ""),
    ],
)
def test_failure_is_told_how_long_its_submission_is_in_doubt(
    steps: Steps, of: str, columns: str
) -> None:
    told: list[float] = []

    def decide(request: Request, unknown_for: float) -> Outcome:
        told.append(unknown_for)
        return Outcome(F, 1, 0)

    steps.order("other")
    lease = lost(steps)
    steps.sql(f"UPDATE provider_jobs SET {columns}created_at = '2020-01-01 00:00:00'")
    failing = steps.take("other") if of == "another request" else lease
    stage = "song" if of == "another stage" else "lyric"
    fail(steps.db, failing, stage, Failure("lost", "it was lost", FailureAction.RETRY), decide)
    assert (told[0] > 0) == (of in ("nothing sent yet", "lost"))


def test_live_submission_is_that_of_its_request_stage_and_generation(steps: Steps) -> None:
    steps.lost("other")
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "first"), JobStatus.FAILED)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "second"), JobStatus.SUCCEEDED)
    found = {
        (stage, generation): live_job(steps.db, lease, StageEntry(stage, generation, None))
        for stage, generation in (("lyric", 1), ("lyric", 2), ("song", 1))
    }
    assert {key: job and job.token for key, job in found.items()} == {
        ("lyric", 1): "second",
        ("lyric", 2): None,
        ("song", 1): None,
    }


def test_failure_is_of_its_stage_alone(steps: Steps) -> None:
    lease = steps.working()
    steps.begin(lease, "lyric")
    steps.begin(lease, "song")
    steps.fail(lease, stage="song")
    assert {(row.stage, row.error_code is None) for row in steps.stages()} == {
        ("lyric", True),
        ("song", False),
    }


def test_approval_is_of_its_stage_and_request_alone(steps: Steps) -> None:
    """The next stage is held by what its own request has, not by what stands beside it unapproved."""
    steps.held("before")
    for generation in (1, 2):
        steps.revise("before", of=f"other words {generation}")
    steps.held()
    steps.approve()
    steps.held("after")
    assert steps.begin(steps.take(), "song").result is None


def test_only_what_waits_for_its_run_too_long_is_given_back(steps: Steps) -> None:
    lease = steps.working("at-work")
    steps.completed("completed")
    steps.failed("failed")
    steps.order("waits")
    steps.sql("UPDATE requests SET dispatched_at = '2020-01-01 00:00:00'")
    steps.edit("not_before = '2999-01-01 00:00:00'", "failed")
    steps.edit("not_before = '2999-01-01 00:00:00'", "waits")
    steps.order("just-now")
    steps.dispatch()
    steps.order("without-a-time")
    steps.dispatch()
    steps.edit("dispatched_at = NULL", "without-a-time")
    assert [each.task_id for each in steps.undelivered(600)] == ["without-a-time"]
    assert steps.release(lease)


# Leases that are worth nothing any more


@pytest.mark.parametrize("how", ["released", "rescued", "deleted", "edited"])
def test_lost_lease_writes_nothing(steps: Steps, how: str) -> None:
    lease = steps.working()
    {
        "released": lambda: steps.release(lease),
        "rescued": lambda: steps.lose_worker(),
        "deleted": lambda: steps.sql("DELETE FROM requests"),
        "edited": lambda: steps.edit("status = 'dead'"),
    }[how]()
    with pytest.raises(LeaseLostError):
        steps.begin(lease)


OF_A_LEASE: dict[str, Callable[[Steps, Lease, StageEntry, Job], object]] = {
    "begins": lambda steps, lease, entry, job: steps.begin(lease, "song"),
    "intends": lambda steps, lease, entry, job: steps.save_intent(lease, entry, "another"),
    "settles": lambda steps, lease, entry, job: steps.settle(
        lease, entry, replace(job, status=JobStatus.SUBMITTED), JobStatus.FAILED
    ),
    "completes": lambda steps, lease, entry, job: steps.complete(lease, entry),
    "completes all": lambda steps, lease, entry, job: complete_request(steps.db, lease, STAGES),
    "fails": lambda steps, lease, entry, job: steps.fail(lease),
    "stops": lambda steps, lease, entry, job: steps.confirm_cancel(lease),
}


@pytest.mark.parametrize("work", OF_A_LEASE.values(), ids=OF_A_LEASE.keys())
def test_lease_that_another_attempt_has_by_now_writes_nothing(
    steps: Steps, work: Callable[[Steps, Lease, StageEntry, Job], object]
) -> None:
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    steps.lose_worker()
    steps.begin(steps.take())
    before = (steps.row(), steps.stages(), steps.jobs())
    with pytest.raises(LeaseLostError):
        work(steps, lease, entry, job)
    assert (steps.row(), steps.stages(), steps.jobs()) == before


def test_transition_of_what_has_changed_since_it_was_read_is_refused(steps: Steps) -> None:
    """It is dispatched still, by another run than the one that was refused."""
    steps.order()
    (read,) = steps.dispatch()
    save_redelivery(steps.db, read)
    with pytest.raises(IllegalTransitionError, match="changed while"):
        reject(steps.db, read, "invalid_payload", "genre: unknown")
    assert steps.row().status is D


def test_release_of_a_lost_lease_is_false(steps: Steps) -> None:
    lease = steps.working()
    steps.lose_worker()
    assert steps.release(lease) is False


# Outbox


def test_failed_request_keeps_the_last_retry_that_it_has(steps: Steps) -> None:
    steps.failed()
    assert steps.edit("max_retries = 1").retry_count == 1
    assert steps.discard_exhausted() == []


def test_mirrored_events_are_not_given_out_again(steps: Steps) -> None:
    dispatched(steps)
    first, second = unmirrored_events(steps.db, 10)
    mark_mirrored(steps.db, [first.id])
    assert [event.id for event in unmirrored_events(steps.db, 10)] == [second.id]
