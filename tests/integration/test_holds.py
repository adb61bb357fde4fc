"""Waiting for a person: no run and no capacity meanwhile, and every act is a transition that says who made it."""

import pytest

from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import (
    ChangedMeanwhileError,
    HeldError,
    IllegalTransitionError,
    NotHeldError,
)
from resources.ledger.limits import Limits
from resources.ledger.queries.dispatch import read_dispatch_snapshot
from resources.ledger.queries.health import list_stuck
from resources.ledger.queries.workload import WorkloadScope
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import Status
from resources.ledger.transitions import approval as approval_transitions
from resources.ledger.transitions.dispatch import dispatch_due_requests
from tests.ledger_laws import assert_laws
from tests.ledger_steps import LEASE_SECONDS, Steps

CAPACITY = Limits(1000, LEASE_SECONDS)
ENDED = "not_before = '2020-01-01 00:00:00+00:00'"


def expire(steps: Steps, task_id: str = "r") -> Status:
    """The time of its hold is over, and `rescue_sensor` has seen it."""
    steps.edit(ENDED, task_id)
    approval_transitions.end_expired_holds(steps.db)
    return steps.row(task_id).status


# Where it waits


def test_next_stage_does_not_begin_before_the_approval(steps):
    steps.order(hold="lyric")
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    with pytest.raises(HeldError, match=r"^lyric: the order waits until a person approves it$"):
        steps.begin(lease, "song")
    assert [each.stage for each in steps.stages()] == ["lyric"]


def test_stage_that_is_not_named_is_not_waited_for(steps):
    steps.order(hold="song")
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    assert steps.begin(lease, "song").generation == 1


def test_held_request_is_pending_and_its_attempt_has_ended(steps):
    steps.held()
    row = steps.row()
    assert (row.status, row.waits_for, row.not_before) == (Status.PENDING, "approval:lyric", None)
    assert (row.lease_owner, row.slot, row.permit, row.error_code) == (None, None, None, None)
    assert (row.retry_count, steps.last().type) == (0, "waiting")
    assert_laws(steps)


def test_held_request_waits_for_no_slot_of_the_next_stage(steps):
    steps.order(hold="lyric")
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    with pytest.raises(HeldError):
        steps.begin(lease, "song", slots=1)


def test_held_request_is_not_dispatched_and_others_are(steps):
    steps.held(hold_seconds=1)
    steps.edit(ENDED)
    steps.order("other")
    assert [each.task_id for each in dispatch_due_requests(steps.db, CAPACITY)] == ["other"]


def test_held_request_is_nothing_that_capacity_is_missing_for(steps):
    steps.held()
    snapshot = read_dispatch_snapshot(steps.db, CAPACITY, 10)
    scope = WorkloadScope({"song_video": "lyric"}, LEASE_SECONDS)
    assert (snapshot.ready, snapshot.changes_in) == (0, None)
    assert list_stuck(steps.db, scope, 0).count == 0


def test_run_by_hand_of_a_held_request_waits_again(steps):
    steps.held()
    row = steps.meets_hold(steps.take(), "song")
    assert (row.status, row.waits_for) == (Status.PENDING, "approval:lyric")


def test_run_by_hand_does_not_make_the_wait_longer(steps):
    steps.held(hold_seconds=600)
    steps.edit(ENDED)
    until = steps.row().not_before
    assert steps.meets_hold(steps.take(), "song").not_before == until
    assert expire(steps) is Status.CANCELED


def test_run_by_hand_that_fails_waits_no_shorter_than_its_failure_says(steps):
    steps.held(hold_seconds=600)
    until = steps.until("not_before")
    down = Failure("vendor_down", "m", FailureAction.WAIT, "vendor", 3600)
    steps.fail_as(steps.take(), down, "song")
    assert steps.until("not_before") > until


def test_next_wait_is_as_long_as_the_first_was(steps):
    steps.held(hold="lyric,song", hold_seconds=600)
    steps.edit("not_before = '2020-01-01 00:00:00+00:00'")
    steps.approve()
    lease = steps.take()
    steps.make_stage(lease, "song")
    assert steps.meets_hold(lease, "video").not_before > steps.row().created_at


def test_attempt_that_died_before_it_could_wait_loses_nothing(steps):
    steps.order(hold="lyric")
    steps.make_stage(steps.take(), "lyric")
    steps.lose_worker()
    steps.dispatch()
    lease = steps.take(dispatched_as=steps.row().attempt)
    assert steps.begin(lease, "lyric").result == {"of": "lyric"}
    assert steps.meets_hold(lease, "song").waits_for == "approval:lyric"


def test_order_by_sql_may_be_held(steps):
    steps.sql(
        "INSERT INTO requests (task_id, pipeline, payload, hold, hold_seconds) "
        "VALUES ('r', 'song_video', '{}', 'lyric, song', 600)"
    )
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    row = steps.meets_hold(lease, "song")
    assert (row.waits_for, row.not_before is None) == ("approval:lyric", False)


@pytest.mark.parametrize(
    "hold", ["lyrik", "Lyric", '["lyric"]', "lyric;song", "lyric song", "video"]
)
def test_hold_that_names_no_stage_to_approve_lets_nothing_begin(steps, hold):
    steps.order()
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    steps.edit("hold = :hold", hold=hold)
    with pytest.raises(InvalidInputError) as refused:
        steps.begin(lease, "song")
    expected = "hold: expected stages before the last one: lyric, song"
    assert refused.value.message == f"{expected}, got {hold!r}"


# What a person does


def test_approved_request_is_due_and_goes_on(steps):
    steps.held(hold_seconds=600)
    row = steps.approve()
    assert (row.status, row.waits_for, row.not_before) == (Status.PENDING, None, None)
    assert [each.task_id for each in steps.dispatch()] == ["r"]
    lease = steps.take(dispatched_as=steps.row().attempt)
    assert steps.begin(lease, "song").generation == 1


def test_approval_is_stored_with_its_person(steps):
    steps.held()
    steps.approve(by="Mina")
    (lyric,) = steps.stages()
    assert (lyric.approved_by, lyric.approved_at is None) == ("Mina", False)
    event = steps.last()
    assert (event.type, event.data["stage"], event.data["by"]) == ("approved", "lyric", "Mina")
    assert_laws(steps)


def test_every_named_stage_is_waited_for(steps):
    steps.held(hold="lyric,song")
    steps.approve()
    lease = steps.take()
    steps.make_stage(lease, "song")
    assert steps.meets_hold(lease, "video").waits_for == "approval:song"


def test_approval_of_a_named_stage_may_be_repeated(steps):
    steps.held()
    approved = steps.approve(stage="lyric")
    assert steps.approve(stage="lyric") == approved


@pytest.mark.parametrize(
    "edit", ["DELETE FROM stages", "UPDATE stages SET approved_at = '2020-01-01 00:00:00'"]
)
def test_held_request_is_approved_whatever_an_operator_did_to_its_stage(steps, edit):
    steps.held()
    steps.sql(edit)
    assert steps.approve(stage="lyric", generation=1).waits_for is None


def test_approval_of_what_waits_for_none_is_refused(steps):
    steps.held()
    steps.approve()
    with pytest.raises(NotHeldError, match="is pending, and waits for no approval") as refused:
        steps.approve()
    assert refused.value.code == "not_held"


def test_rejected_request_is_canceled_with_the_reason(steps):
    steps.held()
    row = steps.reject(reason="not our shop")
    assert (row.status, row.error_code) == (Status.CANCELED, "rejected")
    assert row.error_message == "lyric: rejected by Mina: not our shop"
    assert (steps.last().type, steps.reject()) == ("rejected", row)
    assert_laws(steps)


@pytest.mark.parametrize("end", [Steps.reject, Steps.cancel])
def test_retry_of_an_ended_hold_waits_again(steps, end):
    steps.held()
    end(steps)
    steps.retry()
    assert steps.meets_hold(steps.take(), "song").waits_for == "approval:lyric"


def test_revision_is_a_new_generation_that_waits_as_before(steps):
    steps.held(hold_seconds=600)
    before = steps.row()
    after = steps.revise(of="new words")
    former, revised = steps.stages()
    assert (former.generation, former.result) == (1, '{"of": "lyric"}')
    assert (revised.generation, revised.status, revised.cost) == (2, "completed", 0)
    assert (revised.result, revised.approved_at) == ('{"of": "new words"}', None)
    assert (after.waits_for, after.not_before) == (before.waits_for, before.not_before)
    assert (steps.last().type, steps.last().data["by"]) == ("revised", "Mina")
    assert_laws(steps)


def test_next_stage_is_made_of_the_revision(steps):
    steps.held()
    steps.revise(of="new words")
    steps.approve()
    lease = steps.take()
    assert steps.begin(lease, "lyric").result == {"of": "new words"}
    assert steps.begin(lease, "song").generation == 1


def test_revision_that_changes_nothing_is_no_transition(steps):
    steps.held()
    seq = steps.row().seq
    assert steps.revise(of="lyric").seq == seq


def test_revision_of_what_is_not_waited_for_is_refused(steps):
    steps.held(hold="lyric,song")
    with pytest.raises(NotHeldError):
        steps.revise(stage="song", of="x")


@pytest.mark.parametrize(
    "act",
    [
        lambda steps: steps.approve(stage="lyric", generation=1),
        lambda steps: steps.revise(generation=1, of="my words"),
        lambda steps: steps.revise(generation=1, choice="b", of="the other one"),
    ],
)
def test_act_on_what_was_changed_meanwhile_is_refused(steps, act):
    steps.held()
    steps.revise(of="another person's words")
    before = steps.row()
    with pytest.raises(ChangedMeanwhileError, match=r"expected its newest one, 2, got 1$"):
        act(steps)
    assert steps.row() == before


def test_act_on_what_was_seen_is_done(steps):
    steps.held()
    steps.revise(generation=1, of="my words")
    approved = steps.approve(stage="lyric", generation=2)
    assert approved.held_stage is None
    assert steps.approve(stage="lyric", generation=2) == approved
    with pytest.raises(ChangedMeanwhileError):
        steps.approve(stage="lyric", generation=1)


def test_redo_of_a_held_request_needs_an_approval_again(steps):
    steps.held()
    row = steps.redo(stage="lyric")
    assert (row.status, row.waits_for) == (Status.PENDING, None)
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    assert steps.meets_hold(lease, "song").waits_for == "approval:lyric"
    assert_laws(steps)


def test_stage_that_is_made_again_needs_no_approval_before_it_is_made(steps):
    steps.held(hold="lyric,song")
    steps.approve()
    lease = steps.take()
    steps.make_stage(lease, "song")
    steps.meets_hold(lease, "video")
    steps.redo(stage="lyric")
    assert steps.begin(steps.take(), "lyric").generation == 2


def test_redo_of_a_pending_request_that_waits_for_no_approval_is_refused(steps):
    steps.held()
    steps.approve()
    with pytest.raises(IllegalTransitionError, match="is pending; cancel it before"):
        steps.redo(stage="lyric")


# Its end by time


def test_hold_goes_on_by_itself_where_that_was_ordered(steps):
    steps.held(hold_seconds=600, hold_then="continue")
    assert expire(steps) is Status.PENDING
    (lyric,) = steps.stages()
    assert (lyric.approved_by, steps.row().waits_for) == ("time", None)
    assert_laws(steps)


@pytest.mark.parametrize("then", ["cancel", None])
def test_hold_is_canceled_by_itself_otherwise(steps, then):
    steps.held(hold_seconds=600, hold_then=then)
    assert expire(steps) is Status.CANCELED
    assert steps.row().error_message == "lyric: rejected by time: nobody approved it in time"


def test_hold_whose_time_is_not_over_stays(steps):
    steps.held("timed", hold_seconds=600)
    steps.held("endless")
    assert approval_transitions.end_expired_holds(steps.db) == []


def test_hold_whose_end_was_taken_away_waits_without_end(steps):
    steps.held(hold_seconds=3600)
    steps.edit("hold_seconds = NULL, hold_then = NULL")
    assert steps.meets_hold(steps.take(), "song").not_before is None


@pytest.mark.parametrize("change", ["DELETE FROM stages", "UPDATE stages SET status = 'failed'"])
def test_stage_that_is_not_done_any_more_is_not_revised(steps, change):
    steps.held()
    steps.sql(change)
    with pytest.raises(NotHeldError):
        steps.revise(of="other words")


def test_request_that_waits_for_another_one_has_no_error(steps):
    lease = steps.working()
    waits = Failure("same_order", "it is made by another", FailureAction.WAIT, waits_for="order:a")
    request, _ = steps.fail_as(lease, waits)
    assert (request.waits_for, request.error_code) == ("order:a", None)
