"""A walk to each legal transition: the steps that lead a request there."""

from collections.abc import Callable
from contextlib import suppress

from resources.ledger.ledger_errors import LeaseLostError
from resources.ledger.rules import Failure, FailureAction
from resources.ledger.schema.tables import JobStatus, Status
from resources.ledger.transitions.callbacks import attach_job, give_up_submission, resubmit_request
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.orders import reject_order
from resources.ledger.transitions.redo import redrive_request
from tests.ledger_steps import POISON, UNKNOWN, Steps

P, D, R, C, F, X, N = (
    Status.PENDING,
    Status.DISPATCHED,
    Status.PROCESSING,
    Status.COMPLETED,
    Status.FAILED,
    Status.DEAD,
    Status.CANCELED,
)
Edge = tuple[str, Status, Status]


def dispatched(steps: Steps) -> None:
    steps.order()
    steps.dispatch()


def canceled(steps: Steps) -> None:
    steps.order()
    steps.cancel()


def cancel_under_way(steps: Steps) -> None:
    lease = steps.working()
    steps.cancel()
    steps.confirm_cancel(lease)


def poisoned(steps: Steps) -> None:
    for _ in range(POISON):
        steps.working()
        steps.lose_worker()


def spent(steps: Steps) -> None:
    steps.failed()
    steps.edit("max_retries = 0")
    steps.discard_exhausted()


def unreadable(steps: Steps) -> None:
    steps.sql("INSERT INTO requests (task_id, payload) VALUES ('r', '{broken')")


def rejected(steps: Steps) -> None:
    steps.order()
    rejected_as_it_is(steps)


def rejected_as_it_is(steps: Steps) -> None:
    (request,) = steps.dispatch()
    reject_order(steps.db, request, "invalid_payload", "genre: unknown")


def set_aside(steps: Steps) -> None:
    steps.order()
    steps.edit(f"attempt = {2**31 - 1}")
    steps.dispatch()


def settled(status: JobStatus) -> Callable[[Steps], object]:
    def walk(steps: Steps) -> None:
        lease = steps.working()
        entry = steps.begin(lease)
        steps.settle(lease, entry, steps.save_intent(lease, entry), status)

    return walk


def learned_late(status: JobStatus, then: FailureAction) -> Callable[[Steps], object]:
    def walk(steps: Steps) -> None:
        lease = steps.working()
        entry = steps.begin(lease)
        job = steps.save_intent(lease, entry)
        steps.lose_worker()
        looking = steps.take(owner="worker:2")
        steps.settle(looking, entry, job, JobStatus.UNKNOWN)
        steps.fail_as(looking, Failure(UNKNOWN, "lost", then))
        with suppress(LeaseLostError):
            steps.settle(lease, entry, job, status)

    return walk


def redone_after(*last: Callable[[Steps, Lease], object]) -> Callable[[Steps], object]:
    def walk(steps: Steps) -> None:
        lease = steps.working()
        steps.make_stage(lease, "lyric")
        for happens in last:
            happens(steps, lease)
        steps.redo()

    return walk


WALKS: dict[Edge, Callable[[Steps], object]] = {
    ("dispatched", P, D): dispatched,
    ("dispatched", F, D): lambda s: (s.failed(), s.dispatch()),
    ("redelivered", D, D): lambda s: (dispatched(s), s.redelivered()),
    ("undelivered", D, P): lambda s: (dispatched(s), s.undelivered()),
    ("claimed", P, R): lambda s: (s.order(), s.take()),
    ("claimed", D, R): lambda s: s.working(),
    ("claimed", F, R): lambda s: (s.failed(), s.take()),
    ("claimed", X, R): lambda s: (s.dead(), s.take()),
    ("replayed", C, C): lambda s: (s.completed(), s.claim()),
    ("updated", P, P): lambda s: (s.order(), s.order(max_retries=1)),
    ("updated", D, D): lambda s: (dispatched(s), s.order(max_retries=1)),
    ("updated", R, R): lambda s: (s.working(), s.order(max_retries=1)),
    ("updated", F, F): lambda s: (s.failed(), s.order(max_retries=9)),
    ("cover_chosen", C, C): lambda s: s.choose_cover(s.filmed()),
    ("released", R, P): lambda s: s.release(s.working()),
    ("worker_lost", R, P): lambda s: (s.working(), s.lose_worker()),
    ("worker_lost", R, X): poisoned,
    ("stage_started", R, R): lambda s: s.begin(s.working()),
    ("submission_intended", R, R): settled(JobStatus.SUBMITTED),
    **{
        (event, before, P): learned_late(status, then)
        for event, status in (
            ("submitted", JobStatus.SUBMITTED),
            ("submission_succeeded", JobStatus.SUCCEEDED),
            ("submission_failed", JobStatus.FAILED),
        )
        for before, then in ((F, FailureAction.LOOK_UP), (X, FailureAction.DEAD_LETTER))
    },
    ("submitted", R, R): settled(JobStatus.SUBMITTED),
    ("submission_unknown", R, R): settled(JobStatus.UNKNOWN),
    ("submission_failed", R, R): settled(JobStatus.FAILED),
    ("submission_succeeded", R, R): settled(JobStatus.SUCCEEDED),
    ("callback_heard", R, R): lambda s: (settled(JobStatus.UNKNOWN)(s), s.save_callback()),
    ("callback_heard", F, P): lambda s: (s.lost(), s.save_callback()),
    ("callback_heard", X, P): lambda s: (s.lost_for_good(), s.save_callback()),
    ("callback_heard", P, P): lambda s: (s.lost(), s.retry(), s.save_callback()),
    ("callback_heard", D, D): lambda s: (s.lost(), s.retry(), s.dispatch(), s.save_callback()),
    ("callback_heard", C, C): lambda s: (
        s.lost(),
        s.edit("status = 'completed'"),
        s.save_callback(),
    ),
    ("callback_heard", F, F): lambda s: (s.lost(), s.fail(s.take()), s.save_callback()),
    ("callback_heard", X, X): lambda s: (
        s.lost(),
        s.fail(s.take(), FailureAction.DEAD_LETTER),
        s.save_callback(),
    ),
    ("callback_heard", N, N): lambda s: (s.lost(), s.cancel(), s.save_callback()),
    ("stage_completed", R, R): lambda s: s.make_stage(s.working(), "lyric"),
    ("completed", R, C): lambda s: s.completed(),
    ("failed", R, F): lambda s: s.failed(),
    ("waiting", R, P): lambda s: s.fail(s.working(), FailureAction.WAIT),
    ("waiting", D, P): lambda s: (dispatched(s), s.wait_for_settings()),
    ("resolved", P, P): lambda s: (s.lost_for_good(), s.retry(), resubmit_request(s.db, "r")),
    ("resolved", F, P): lambda s: (s.lost(), attach_job(s.db, "r", "x1")),
    ("resolved", X, P): lambda s: (s.lost_for_good(), resubmit_request(s.db, "r")),
    ("resolved", N, P): lambda s: (s.lost(), s.cancel(), attach_job(s.db, "r", "x1")),
    ("resolved", N, N): lambda s: (
        s.lost(),
        s.edit("unique_key = 'k'"),
        s.cancel(),
        s.order("other"),
        s.edit("unique_key = 'k'", "other"),
        attach_job(s.db, "r", "x1"),
    ),
    ("resolved", P, X): lambda s: (s.lost_for_good(), s.retry(), give_up_submission(s.db, "r")),
    ("resolved", F, X): lambda s: (s.lost(), give_up_submission(s.db, "r")),
    ("resolved", X, X): lambda s: (s.lost_for_good(), give_up_submission(s.db, "r")),
    ("resolved", N, X): lambda s: (s.lost(), s.cancel(), give_up_submission(s.db, "r")),
    ("dead", P, X): set_aside,
    ("dead", R, X): lambda s: s.dead(),
    ("dead", D, X): rejected,
    ("dead", F, X): spent,
    ("cancel_requested", R, R): lambda s: (s.working(), s.cancel()),
    ("canceled", P, N): canceled,
    ("canceled", D, N): lambda s: (dispatched(s), s.cancel()),
    ("canceled", F, N): lambda s: (s.failed(), s.cancel()),
    ("canceled", R, N): cancel_under_way,
    ("retried", F, P): lambda s: (s.failed(), s.retry()),
    ("retried", X, P): lambda s: (s.dead(), s.retry()),
    ("redriven", X, P): lambda s: (s.dead(), redrive_request(s.db, "r")),
    ("retried", N, P): lambda s: (canceled(s), s.retry()),
    ("corrected", P, P): lambda s: (unreadable(s), s.order()),
    ("corrected", D, P): lambda s: (unreadable(s), s.dispatch(), s.order()),
    ("corrected", X, P): lambda s: (unreadable(s), rejected_as_it_is(s), s.order()),
    ("corrected", N, P): lambda s: (unreadable(s), s.cancel(), s.order()),
    ("redone", C, P): lambda s: (s.completed(), s.redo()),
    ("redone", F, P): redone_after(lambda s, lease: s.fail(lease, stage="song")),
    ("redone", X, P): redone_after(
        lambda s, lease: s.fail(lease, FailureAction.DEAD_LETTER, "song")
    ),
    ("redone", N, P): redone_after(
        lambda s, lease: s.cancel(), lambda s, lease: s.confirm_cancel(lease)
    ),
    ("redone", P, P): lambda s: (s.held(), s.redo()),
    ("approved", P, P): lambda s: (s.held(), s.approve()),
    ("revised", P, P): lambda s: (s.held(), s.revise(of="other words")),
    ("chosen", P, P): lambda s: (s.held(), s.revise(choice="b", of="the other one")),
    ("rejected", P, N): lambda s: (s.held(), s.reject()),
}
