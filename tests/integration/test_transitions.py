"""Each transition by itself: where it leads, what it counts, and what it refuses."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

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
from resources.ledger.queries.feed import list_unmirrored_events
from resources.ledger.queries.status import find_task_id_of_run, read_stage_result
from resources.ledger.request import Request
from resources.ledger.rules import TRANSITIONS, Failure, FailureAction, Outcome, RetryDelays
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.claims import RunOrder, fail_attempt
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.housekeeping import mark_events_mirrored
from resources.ledger.transitions.jobs import Job, find_live_submission
from resources.ledger.transitions.orders import (
    NewRequest,
    reject_order,
    retry_request,
    submit_orders,
)
from resources.ledger.transitions.redo import build_order_after_redo, redo_stages
from resources.ledger.transitions.rescue import (
    register_worker,
    release_unclaimed_request,
    requeue_request,
    save_redelivery,
)
from resources.ledger.transitions.stages import StageEntry, complete_request, save_progress
from resources.views.text import describe_event
from tests.ledger_laws import assert_laws, edges
from tests.ledger_steps import OVER, POISON, STAGES, UNKNOWN, Steps
from tests.legal_walks import (
    WALKS,
    C,
    D,
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


def test_walks_cover_every_legal_transition():
    assert set(WALKS) == {
        (kind, *edge) for kind, transitions in TRANSITIONS.items() for edge in transitions
    }


@pytest.mark.parametrize("edge", WALKS, ids=lambda edge: ":".join(edge))
def test_every_legal_transition_can_be_made_and_keeps_the_laws(steps, edge):
    WALKS[edge](steps)
    assert edge in edges(steps.events())
    assert_laws(steps)


def cancel_asked(steps):
    lease = steps.working()
    steps.cancel()
    return lease


def lost(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.UNKNOWN)
    return lease


def at_song(steps):
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    return lease


def redone_but_for_the_video(steps):
    """Lyric and song are to be made again; the video was never begun."""
    lease = at_song(steps)
    steps.make_stage(lease, "song")
    steps.fail(lease, stage="video")
    steps.redo()
    return steps.take()


def brought(brief):
    return RunOrder("song_video", {"brief": brief}, lambda stored, given: stored == given)


ROWS = {
    "order keeps what was chosen": (
        lambda s: s.order(max_retries=0, priority=4),
        {"max_retries": 0, "priority": 4},
    ),
    "corrected order takes the place of one that could never be read": (
        lambda s: (unreadable(s), rejected_as_it_is(s), s.order(payload={"brief": 2}, priority=4)),
        {"status": P, "payload": '{"brief": 2}', "priority": 4, "error_code": None},
    ),
    "corrected order has no hold but its own": (
        lambda s: (
            unreadable(s),
            s.edit("hold = 'lyric', hold_seconds = 60, hold_then = 'continue'"),
            s.order(hold="song"),
        ),
        {"hold": "song", "hold_seconds": None, "hold_then": None},
    ),
    "dispatch leaves alone what is not due": (
        lambda s: (s.order(), s.edit("not_before = '2999-01-01 00:00:00'"), s.dispatch()),
        {"status": P},
    ),
    "dispatched request within its grace is left alone": (
        lambda s: (dispatched(s), s.undelivered(grace=600)),
        {"status": D},
    ),
    "request whose run ends unclaimed is due again": (
        lambda s: (dispatched(s), release_unclaimed_request(s.db, "r", 1, canceled=False)),
        {"status": P},
    ),
    "request whose run ends unclaimed is canceled with it": (
        lambda s: (dispatched(s), release_unclaimed_request(s.db, "r", 1, canceled=True)),
        {"status": N},
    ),
    "late run takes a request that fell back as a new attempt": (
        lambda s: (dispatched(s), s.undelivered(), s.take(dispatched_as=1)),
        {"attempt": 2},
    ),
    "run brings its own order where there is no row": (
        lambda s: s.claim(order=brought(1)),
        {"source": "dagster", "status": R, "attempt": 1},
    ),
    "run with a corrected order takes the place of one that could never be read": (
        lambda s: (unreadable(s), rejected_as_it_is(s), s.claim(order=brought(2))),
        {"status": R, "payload": '{"brief": 2}', "error_code": None},
    ),
    "run by hand after the lease ran out counts the death": (
        lambda s: (s.working(), s.run_out(), s.take()),
        {"deaths": 1},
    ),
    "failure followed by a retry counts": (
        lambda s: s.failed(),
        {"retry_count": 1, "deaths": 0},
    ),
    "failed request keeps the last retry that it has": (
        lambda s: (s.failed(), s.edit("max_retries = 1"), s.discard_exhausted()),
        {"status": F, "retry_count": 1},
    ),
    "completed stage starts the count of retries again": (
        lambda s: (s.failed(), s.make_stage(s.take(), "lyric")),
        {"retry_count": 0},
    ),
    "failure before its stage began is of that stage": (
        lambda s: s.fail(at_song(s), stage="song"),
        {"stage": "song"},
    ),
    "lost worker counts as no retry": (
        lambda s: (s.working(), s.lose_worker()),
        {"retry_count": 0, "deaths": 1},
    ),
    "completed stage forgets the deaths": (
        lambda s: (s.working(), s.lose_worker(), s.make_stage(s.take(), "lyric")),
        {"deaths": 0},
    ),
    "poison says so": (poisoned, {"status": X, "error_code": "poison"}),
    "release counts nothing": (
        lambda s: s.release(s.working()),
        {"status": P, "retry_count": 0, "deaths": 0},
    ),
    "release of what is to be canceled cancels it": (
        lambda s: s.release(cancel_asked(s)),
        {"status": N},
    ),
    "lost worker of what is to be canceled cancels it": (
        lambda s: (cancel_asked(s), s.lose_worker()),
        {"status": N},
    ),
    "cancel after the lease ran out needs nobody to confirm": (
        lambda s: (s.working(), s.run_out(), s.cancel()),
        {"status": N},
    ),
    "cancel asked again after the lease ran out is done at once": (
        lambda s: (cancel_asked(s), s.run_out(), s.cancel()),
        {"status": N},
    ),
    "request that completed in spite of a cancel forgets the cancel": (
        lambda s: s.make_all(cancel_asked(s)),
        {"status": C, "cancel_requested": False},
    ),
    "retry starts counting again and keeps the attempt": (
        lambda s: (s.fail(s.working(), FailureAction.DEAD_LETTER), s.retry()),
        {"retry_count": 0, "deaths": 0, "error_code": None, "attempt": 1},
    ),
    "last stage completes the request": (lambda s: s.make_all(s.working()), {"status": C}),
    "request whose last stage was done before can be completed": (
        lambda s: (
            s.completed(),
            s.edit("status = 'pending'"),
            complete_request(s.db, s.take(), STAGES),
        ),
        {"status": C},
    ),
    "request with a stage to be made again cannot be completed": (
        lambda s: (s.completed(), s.redo(), complete_request(s.db, s.take(), STAGES)),
        {"status": R},
    ),
    "last stage completes nothing while an earlier one was never begun": (
        lambda s: s.make_stage(s.working(), "video"),
        {"status": R},
    ),
    "last stage completes nothing while an earlier one is to be made again": (
        lambda s: s.make_stage(redone_but_for_the_video(s), "video"),
        {"status": R},
    ),
    "request redone is completed once every stage is made again": (
        lambda s: s.make_all(redone_but_for_the_video(s)),
        {"status": C},
    ),
    "lost submission waits and counts nothing": (
        lambda s: s.fail(lost(s), FailureAction.LOOK_UP),
        {"status": F, "retry_count": 0},
    ),
    "lost submission is for a person once the grace is over": (
        lambda s: s.fail(lost(s), FailureAction.LOOK_UP, delays=OVER),
        {"status": X, "error_code": UNKNOWN},
    ),
}


@pytest.mark.parametrize(("act", "columns"), ROWS.values(), ids=ROWS.keys())
def test_request_is_as_it_should_be_after(steps, act, columns):
    act(steps)
    row = steps.row()
    assert {name: getattr(row, name) for name in columns} == columns
    assert_laws(steps)


# Orders


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
def test_same_order_with_another_hold_is_a_conflict(steps, first, then):
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
def test_same_order_with_the_same_hold_or_none_is_the_same_request(steps, first, then):
    assert steps.order(**first) == steps.order(**then)


@pytest.mark.parametrize("owner", [None, "other"])
def test_order_that_cannot_be_read_is_corrected_by_its_owner_alone(steps, owner):
    unreadable(steps)
    steps.edit("owner = :owner", owner=owner)
    with pytest.raises(ConflictError):
        submit_orders(steps.db, [replace(NEW, owner="we")])
    assert steps.row().status is P


def test_order_that_was_worked_on_once_is_no_longer_replaced(steps):
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    steps.fail(lease, FailureAction.DEAD_LETTER, stage="song")
    steps.edit("payload = '{broken'")
    with pytest.raises(ConflictError):
        steps.order()


def test_payload_that_is_no_object_is_compared_with_no_order(steps):
    steps.order()
    steps.edit("payload = '[]'")
    order = replace(NEW, same_order=lambda stored, given: stored.keys() == given.keys())
    assert [each.created for each in submit_orders(steps.db, [order])] == [True]


def test_order_that_is_not_even_the_same_as_itself_is_replaced(steps):
    steps.order()
    steps.edit("payload = '{}'")
    order = replace(NEW, same_order=lambda stored, given: bool(stored) and stored == given)
    assert [each.created for each in submit_orders(steps.db, [order])] == [True]


def test_option_that_is_changed_without_an_owner_is_changed_by_its_source(steps):
    steps.order()
    steps.order(priority=5)
    assert (steps.last().type, steps.last().data["by"]) == ("updated", "test")


def test_unknown_name_is_told_so(steps):
    with pytest.raises(UnknownRequestError, match="nobody"):
        steps.cancel("nobody")


# Dispatch


def test_dispatch_takes_the_higher_priority_first_and_then_the_older(steps):
    steps.order("old")
    steps.order("new")
    steps.order("urgent", priority=1)
    assert [request.task_id for request in steps.dispatch(2)] == ["urgent", "old"]


@pytest.mark.parametrize("slots", [0, 1, 2], ids=lambda slots: f"{slots}-slots")
def test_dispatch_hands_out_no_more_than_the_free_slots(steps, slots):
    register_worker(steps.db, "worker", "1", slots=1 + slots, poison_deaths=POISON)
    steps.working("busy")
    for task_id in ("a", "b", "c"):
        steps.order(task_id)
    assert len(steps.dispatch()) == slots


def test_every_dispatch_counts_an_attempt(steps):
    steps.order()
    numbers = []
    for _ in range(3):
        numbers += [request.attempt for request in steps.dispatch()]
        steps.undelivered()
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize("deliver", [requeue_request, save_redelivery])
def test_request_that_a_run_has_claimed_is_not_given_back(steps, deliver):
    steps.working()
    assert deliver(steps.db, steps.row()) is None


# Claims


def test_claim_raises_the_fence(steps):
    first = steps.working()
    steps.release(first)
    assert steps.take().fence > first.fence


def test_run_with_another_order_than_the_rows_is_refused(steps):
    steps.order()
    order = RunOrder("song_video", {"brief": 2}, lambda stored, given: stored == given)
    with pytest.raises(ConflictError):
        steps.claim(order=order)


def test_refused_claim_leaves_no_trace_of_the_order_it_brought(steps):
    order = RunOrder("song_video", {}, lambda stored, given: True)
    with pytest.raises(ClaimRefusedError):
        steps.claim("fresh", order=order, dispatched_as=7)
    assert steps.task_ids() == []


def test_run_is_known_by_its_request(steps):
    steps.order()
    steps.take(run_id="run-7")
    assert find_task_id_of_run(steps.db, "run-7") == "r"


def test_replay_gives_no_lease(steps):
    steps.completed()
    request, lease = steps.claim()
    assert (request.status, lease) == (C, None)


# What counts


def test_failures_end_dead_once_every_retry_was_used(steps):
    steps.order(max_retries=2)
    seen = []
    for _ in range(3):
        steps.dispatch()
        request, _ = steps.fail(steps.take(dispatched_as=steps.row().attempt))
        seen.append((request.status, request.retry_count))
    assert seen == [(F, 1), (F, 2), (X, 2)]


def test_retries_of_one_stage_lengthen_no_wait_of_the_next(steps):
    steps.failed()
    lease = steps.take()
    steps.make_stage(lease, "lyric")
    steps.begin(lease, "song")
    _, outcome = steps.fail(lease, stage="song", delays=RetryDelays(retry=60, unknown_grace=600))
    assert outcome == Outcome(F, 1, 54)


def test_every_stage_has_all_of_its_retries(steps):
    steps.order(max_retries=1)
    lease = steps.take()
    for stage in STAGES:
        steps.fail(lease, stage=stage)
        lease = steps.take()
        steps.make_stage(lease, stage)
    assert steps.row().status is C


@pytest.mark.parametrize("status", ["canceled", "asked"])
def test_cancel_twice_changes_nothing(steps, status):
    (canceled if status == "canceled" else cancel_asked)(steps)
    seq = steps.row().seq
    assert steps.cancel().seq == seq


def test_failure_of_a_request_to_be_canceled_cancels_it(steps):
    lease = steps.working()
    steps.cancel()
    request, outcome = steps.fail(lease)
    assert (request.status, outcome.status, outcome.wait) == (N, N, None)


def test_second_click_on_retry_is_refused(steps):
    steps.dead()
    steps.retry()
    with pytest.raises(NothingToRetryError, match="nothing to retry"):
        steps.retry()


@pytest.mark.parametrize("earlier", [timedelta(0), timedelta(milliseconds=1)])
def test_retry_of_many_leaves_what_has_changed_since_they_were_chosen(steps, earlier):
    steps.dead()
    changed_at = steps.row().updated_at
    with pytest.raises(NothingToRetryError):
        retry_request(steps.db, "r", changed_at - earlier)
    later = changed_at + timedelta(milliseconds=1)
    assert retry_request(steps.db, "r", later).status is Status.PENDING


def test_failure_takes_its_message_to_the_row_the_attempt_and_the_stage(steps):
    lease = steps.working()
    steps.begin(lease)
    steps.fail(lease)
    told = [steps.row(), *steps.attempts(), *steps.stages()]
    assert {entry.error_message for entry in told} == {"it went wrong"}


# Stages and submissions


def test_done_stage_is_read_back_and_not_begun_again(steps):
    lease = steps.working()
    steps.make_stage(lease, "lyric")
    seq = steps.row().seq
    assert steps.begin(lease).result == {"of": "lyric"}
    assert steps.row().seq == seq


def test_stage_begun_again_is_the_same_row(steps):
    lease = steps.working()
    steps.begin(lease)
    steps.begin(lease)
    assert [stage.attempts for stage in steps.stages()] == [2]


@pytest.mark.parametrize(
    "status", [JobStatus.INTENT, JobStatus.SUBMITTED, JobStatus.UNKNOWN, JobStatus.SUCCEEDED]
)
def test_second_submission_beside_a_live_one_is_impossible(steps, status):
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry, "first")
    if status is not JobStatus.INTENT:
        steps.settle(lease, entry, job, status)
    with pytest.raises(IntegrityError):
        steps.save_intent(lease, entry, "second")


def test_failed_submission_allows_another(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "first"), JobStatus.FAILED)
    assert steps.save_intent(lease, entry, "second").status is JobStatus.INTENT


def test_failed_submission_is_never_live_again(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.FAILED)
    with pytest.raises(IllegalTransitionError):
        steps.settle(lease, entry, job, JobStatus.SUCCEEDED)


def test_submission_keeps_its_external_id(steps):
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.settle(lease, entry, steps.save_intent(lease, entry), JobStatus.SUBMITTED)
    steps.settle(lease, entry, job, JobStatus.SUCCEEDED)
    found = find_live_submission(steps.db, lease, entry)
    assert found is not None
    assert found.external_id == "x1"


@pytest.mark.parametrize("late", [JobStatus.UNKNOWN, JobStatus.FAILED, JobStatus.SUBMITTED])
def test_submission_that_changed_since_it_was_read_is_not_settled(steps, late):
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    steps.settle(lease, entry, job, JobStatus.SUBMITTED)
    before = (steps.jobs(), steps.row().seq)
    with pytest.raises(IllegalTransitionError):
        steps.settle(lease, entry, job, late)
    assert (steps.jobs(), steps.row().seq) == before


def test_attempt_that_waited_before_it_sent_anything_is_not_counted(steps):
    began = []
    for action in (FailureAction.WAIT, FailureAction.RETRY, FailureAction.WAIT):
        lease = steps.working() if not steps.task_ids() else steps.take()
        steps.begin(lease)
        steps.fail(lease, action)
        (stage,) = steps.stages()
        began.append((stage.attempts, stage.started_at is not None))
    assert began == [(0, False), (1, True), (1, True)]


def test_progress_is_no_transition(steps):
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
def test_progress_ends_with_the_try_that_made_it(steps, change):
    lease = steps.working()
    save_progress(steps.db, lease, steps.begin(lease), HALFWAY)
    change(steps, lease)
    assert told(steps) == NOTHING_TOLD


def test_progress_stays_while_the_request_waits_for_a_final_status_without_a_run(steps):
    lease = steps.working()
    save_progress(steps.db, lease, steps.begin(lease), HALFWAY)
    waits = Failure(
        "no_final_status", "polled later", FailureAction.WAIT, waits_for="final_status:vendor"
    )
    steps.fail_as(lease, waits)
    steps.begin(steps.take())
    assert told(steps) == (HALFWAY.progress, HALFWAY.note)


# Redo


def test_redo_numbers_the_generations_of_each_stage_apart(steps):
    steps.completed()
    steps.redo(stage="song")
    steps.make_all(steps.take())
    steps.redo(generation=1)
    newest = {stage.stage: stage.generation for stage in steps.stages()}
    assert newest == {"lyric": 2, "song": 3, "video": 3}


def test_redo_keeps_what_the_earlier_generation_made(steps):
    steps.completed()
    steps.redo()
    kept = [stage.result for stage in steps.stages() if stage.stage == "lyric"]
    assert kept == ['{"of": "lyric"}', None]


def test_redo_of_a_changed_order_keeps_the_stages_before_it(steps):
    steps.completed()
    redo_stages(
        steps.db, "r", "video", STAGES, lambda order: {**order, "orientation": "horizontal"}
    )
    newest = {stage.stage: stage.generation for stage in steps.stages()}
    assert newest == {"lyric": 1, "song": 1, "video": 2}
    assert (steps.row().order() or {})["orientation"] == "horizontal"
    assert steps.last().data["changed"] == {"orientation": "horizontal"}
    assert "orientation = horizontal" in describe_event(steps.last())


def test_dry_run_of_a_redo_has_the_changed_order_and_writes_nothing(steps):
    steps.completed()
    before = steps.row().seq
    order = build_order_after_redo(steps.db, "r", "video", STAGES, lambda order: {**order, "x": 1})
    assert (order["x"], steps.row().seq) == (1, before)


def test_redo_that_changes_nothing_of_the_order_tells_of_no_change(steps):
    steps.completed()
    redo_stages(steps.db, "r", "video", STAGES, lambda order: order)
    assert "changed" not in steps.events()[-1].data


def test_redone_stage_has_nothing_to_show_until_it_is_made_again(steps):
    steps.completed()
    steps.redo()
    assert read_stage_result(steps.db, "r", "lyric") is None


def test_stage_made_again_has_its_newest_result_to_show(steps):
    steps.completed()
    steps.redo()
    steps.make_stage(steps.take(), "lyric")
    assert read_stage_result(steps.db, "r", "lyric") == {"of": "lyric"}


def test_redo_allows_one_new_submission(steps):
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
def test_redo_of_what_there_is_not_is_refused(steps, stage, words):
    canceled(steps)
    with pytest.raises(IllegalTransitionError, match=words):
        steps.redo(stage=stage)


def test_redo_while_it_is_worked_on_is_refused(steps):
    steps.make_stage(steps.working(), "lyric")
    with pytest.raises(IllegalTransitionError, match="cancel it"):
        steps.redo()


# Lost submissions


def test_lost_submission_of_an_earlier_generation_shortens_no_grace(steps):
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
def test_failure_is_told_how_long_its_submission_is_in_doubt(steps, of, columns):
    told: list[float] = []

    def decide(request: Request, unknown_for: float) -> Outcome:
        told.append(unknown_for)
        return Outcome(F, 1, 0)

    steps.order("other")
    lease = lost(steps)
    steps.sql(f"UPDATE provider_jobs SET {columns}created_at = '2020-01-01 00:00:00'")
    failing = steps.take("other") if of == "another request" else lease
    stage = "song" if of == "another stage" else "lyric"
    fail_attempt(
        steps.db, failing, stage, Failure("lost", "it was lost", FailureAction.RETRY), decide
    )
    assert (told[0] > 0) == (of in ("nothing sent yet", "lost"))


def test_live_submission_is_that_of_its_request_stage_and_generation(steps):
    steps.lost("other")
    lease = steps.working()
    entry = steps.begin(lease)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "first"), JobStatus.FAILED)
    steps.settle(lease, entry, steps.save_intent(lease, entry, "second"), JobStatus.SUCCEEDED)
    found = {
        (stage, generation): find_live_submission(
            steps.db, lease, StageEntry(stage, generation, None)
        )
        for stage, generation in (("lyric", 1), ("lyric", 2), ("song", 1))
    }
    assert {key: job and job.token for key, job in found.items()} == {
        ("lyric", 1): "second",
        ("lyric", 2): None,
        ("song", 1): None,
    }


def test_failure_is_of_its_stage_alone(steps):
    lease = steps.working()
    steps.begin(lease, "lyric")
    steps.begin(lease, "song")
    steps.fail(lease, stage="song")
    assert {(row.stage, row.error_code is None) for row in steps.stages()} == {
        ("lyric", True),
        ("song", False),
    }


def test_approval_is_of_its_stage_and_request_alone(steps):
    """The next stage is held by what its own request has, not by what stands beside it unapproved."""
    steps.held("before")
    for generation in (1, 2):
        steps.revise("before", of=f"other words {generation}")
    steps.held()
    steps.approve()
    steps.held("after")
    assert steps.begin(steps.take(), "song").result is None


def test_only_what_waits_for_its_run_too_long_is_given_back(steps):
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
def test_lost_lease_writes_nothing(steps, how):
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
def test_lease_that_another_attempt_has_by_now_writes_nothing(steps, work):
    lease = steps.working()
    entry = steps.begin(lease)
    job = steps.save_intent(lease, entry)
    steps.lose_worker()
    steps.begin(steps.take())
    before = (steps.row(), steps.stages(), steps.jobs())
    with pytest.raises(LeaseLostError):
        work(steps, lease, entry, job)
    assert (steps.row(), steps.stages(), steps.jobs()) == before


def test_transition_of_what_has_changed_since_it_was_read_is_refused(steps):
    """It is dispatched still, by another run than the one that was refused."""
    steps.order()
    (read,) = steps.dispatch()
    save_redelivery(steps.db, read)
    with pytest.raises(IllegalTransitionError, match="changed while"):
        reject_order(steps.db, read, "invalid_payload", "genre: unknown")
    assert steps.row().status is D


def test_release_of_a_lost_lease_is_false(steps):
    lease = steps.working()
    steps.lose_worker()
    assert steps.release(lease) is False


# Outbox


def test_mirrored_events_are_not_given_out_again(steps):
    dispatched(steps)
    first, second = list_unmirrored_events(steps.db, 10)
    mark_events_mirrored(steps.db, [first.id])
    assert [event.id for event in list_unmirrored_events(steps.db, 10)] == [second.id]
