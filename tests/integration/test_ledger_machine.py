"""Whatever happens to a request, in whatever order, the ledger's laws hold: on both databases."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from resources.ledger.ledger_errors import (
    CancelRequestedError,
    ClaimRefusedError,
    ConflictError,
    HeldError,
    IllegalTransitionError,
    LeaseLostError,
    NoSlotError,
    NotHeldError,
    TakenIdError,
    UnknownCallbackError,
)
from resources.ledger.queries.dispatch import select_holder_count
from resources.ledger.queries.status import read_clock
from resources.ledger.rules import FailureAction, classify_failure
from resources.ledger.schema.tables import TERMINAL, WITHOUT_ID, JobStatus, Status, metadata
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.jobs import Job, find_live_submission
from resources.ledger.transitions.redo import redrive_request
from resources.ledger.transitions.rescue import renew_leases, save_heartbeat
from resources.ledger.transitions.stages import StageEntry, complete_request
from tests.ledger_laws import assert_laws
from tests.ledger_steps import AT_ONCE, OVER, STAGES, Steps

TASKS = st.sampled_from(["a", "b"])
POLICIES = st.sampled_from(
    [
        "max_retries = 0",
        "max_retries = 5",
        "priority = priority + 1",
        "not_before = NULL",
        "not_before = '2020-01-01 00:00:00'",
        "not_before = '2999-01-01 00:00:00'",
        "owner = 'somebody'",
        "hold = 'lyric'",
        "hold = 'lyric,song', hold_seconds = 1, hold_then = 'continue'",
        "hold = NULL",
    ]
)
SETTLED = st.sampled_from(
    [JobStatus.SUBMITTED, JobStatus.UNKNOWN, JobStatus.FAILED, JobStatus.SUCCEEDED]
)


class LedgerMachine(RuleBasedStateMachine):
    """Two requests, and everything that can be done to them by anybody."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self.steps = steps
        self.leases: list[Lease] = []
        self.token = 0
        # A worker that an earlier story left listed would decide what this one hands out.
        steps.empty()

    # The way things usually go, so that the rest also happens to requests that have come far

    @initialize(
        far=st.sampled_from([3, 5, 8, 12, 17, 30]),
        hold=st.sampled_from([None, "lyric"]),
        taken_over=st.booleans(),
    )
    def began(self, far: int, hold: str | None, taken_over: bool) -> None:
        """Bring one request far; in half of the stories its first worker is lost and still tries to work."""
        self.steps.order("b", hold=hold)
        self.goes_on("a", far)
        if taken_over and self.steps.row("a").status is Status.PROCESSING:
            self.steps.lose_worker("a")
            self.goes_on("a", 3)

    @rule(task=TASKS, transitions=st.integers(1, 8))
    def goes_on(self, task: str, transitions: int) -> None:
        for _ in range(transitions):
            self.next_transition(task)

    def next_transition(self, task: str) -> None:
        status = self.steps.row(task).status if task in self.tasks() else None
        if status is None:
            self.steps.order(task)
        elif status in (Status.PENDING, Status.FAILED):
            self.steps.dispatch()
        elif status is Status.DISPATCHED:
            self.claim_dispatched(task, "w:1")
        elif status is Status.PROCESSING:
            self.next_stage_transition(task)

    def next_stage_transition(self, task: str) -> None:
        lease = next((one for one in self.leases if one.task_id == task and self.holds(one)), None)
        if lease is None:
            self.steps.rescue()
            return
        if self.steps.row(task).cancel_requested:
            self.steps.confirm_cancel(lease)
            return
        entry = self.entry(lease)
        if entry is None:
            made = {row.stage for row in self.steps.stages(task) if row.status == "completed"}
            next_stage = next((name for name in STAGES if name not in made), "video")
            self.begin_or_wait(lease, next_stage, None)
            return
        job = self.live(lease, entry)
        if job is None:
            self.token += 1
            self.steps.save_intent(lease, entry, f"{self.token}")
        elif job.status is JobStatus.SUCCEEDED:
            self.steps.complete(lease, entry)
        else:
            sent = job.status is JobStatus.SUBMITTED
            after = JobStatus.SUCCEEDED if sent else JobStatus.SUBMITTED
            self.steps.settle(lease, entry, job, after, external_id=f"of {job.token}")

    # People and clients

    @rule(task=TASKS)
    def order(self, task: str) -> None:
        known = task in self.tasks()
        before = self.world()
        self.steps.order(task)
        assert not known or self.world() == before

    @rule(task=TASKS)
    def order_something_else(self, task: str) -> None:
        if task in self.tasks():
            self.refused(ConflictError, lambda: self.steps.order(task, {"brief": 2}))

    @rule(task=TASKS)
    def cancel(self, task: str) -> None:
        if task not in self.tasks():
            return
        if self.steps.row(task).status in (Status.COMPLETED, Status.DEAD):
            self.refused(IllegalTransitionError, lambda: self.steps.cancel(task))
            return
        row = self.steps.cancel(task)
        assert row.cancel_requested or row.status is Status.CANCELED

    @rule(task=TASKS)
    def retry(self, task: str) -> None:
        if task not in self.tasks():
            return
        if self.steps.row(task).status in (Status.FAILED, Status.DEAD, Status.CANCELED):
            assert self.steps.retry(task).retry_count == 0
        else:
            self.refused(IllegalTransitionError, lambda: self.steps.retry(task))

    @rule(task=TASKS)
    def redrive(self, task: str) -> None:
        if task in self.tasks():
            redrive_request(self.steps.db, task)

    @rule(task=TASKS, stage=st.sampled_from(STAGES))
    def redo(self, task: str, stage: str) -> None:
        if task not in self.tasks():
            return
        row = self.steps.row(task)
        begun = [made.generation for made in self.steps.stages(task) if made.stage == stage]
        if begun and (row.held_stage or row.status in (*TERMINAL, Status.FAILED)):
            # Who names no generation is refused a second time, if money was spent in between.
            again = self.steps.redo(task, stage, generation=max(begun))
            assert again.status is Status.PENDING
        else:
            self.refused(IllegalTransitionError, lambda: self.steps.redo(task, stage))

    @rule(task=TASKS, act=st.sampled_from([Steps.approve, Steps.reject, Steps.revise]))
    def act_on_hold(self, task: str, act: Callable[..., Any]) -> None:
        if task not in self.tasks():
            return
        row = self.steps.row(task)
        is_rejected = row.status is Status.CANCELED and row.error_code == "rejected"
        if row.held_stage is None and not (act is Steps.reject and is_rejected):
            self.refused(NotHeldError, lambda: act(self.steps, task))
        elif act is Steps.revise:
            act(self.steps, task, str(row.held_stage), of=f"words {row.seq}")
        else:
            act(self.steps, task)

    # Operators

    @rule(task=TASKS, status=st.sampled_from(list(Status)))
    def type_status(self, task: str, status: Status) -> None:
        if task not in self.tasks():
            return
        before = self.steps.row(task)
        row = self.steps.edit(f"status = '{status}'", task)
        assert row.status is status
        assert (row.fence > before.fence) is (status is not before.status)

    @rule(task=TASKS, assignment=POLICIES)
    def type_policy(self, task: str, assignment: str) -> None:
        if task in self.tasks():
            before = self.steps.row(task)
            assert self.steps.edit(assignment, task).fence == before.fence

    # Sensors

    @rule(slots=st.integers(0, 3))
    def dispatch(self, slots: int) -> None:
        for request in self.steps.dispatch(slots):
            assert request.status is Status.DISPATCHED

    @rule()
    def rescue(self) -> None:
        self.steps.rescue()

    @rule()
    def undelivered(self) -> None:
        self.steps.undelivered()

    @rule(task=TASKS)
    def waits_for_settings(self, task: str) -> None:
        if task in self.tasks() and self.steps.row(task).status is Status.DISPATCHED:
            self.steps.wait_for_settings(task)

    @rule()
    def discard_exhausted(self) -> None:
        rows = [self.steps.row(task) for task in self.tasks()]
        exhausted = {
            row.task_id
            for row in rows
            if row.status is Status.FAILED and row.retry_count > row.max_retries
        }
        assert {request.task_id for request in self.steps.discard_exhausted()} == exhausted
        assert all(self.steps.row(task).status is Status.DEAD for task in exhausted)

    @rule()
    def end_expired_holds(self) -> None:
        for request in end_expired_holds(self.steps.db):
            assert request.held_stage is None

    # Runs and workers

    @rule(task=TASKS, owner=st.sampled_from(["w:1", "w:2", "v:1"]))
    def claim_dispatched(self, task: str, owner: str) -> None:
        if task in self.tasks():
            row = self.steps.row(task)
            held_back = row.not_before is not None and row.not_before > read_clock(self.steps.db)
            must = row.status is Status.DISPATCHED and not held_back
            self.claim(task, must=must, dispatched_as=row.attempt, owner=owner)

    @rule(task=TASKS)
    def claim_by_hand(self, task: str) -> None:
        if task in self.tasks():
            must = self.steps.row(task).status in (Status.PENDING, Status.FAILED, Status.DEAD)
            self.claim(task, must=must, dispatched_as=None, owner="hand:1")

    @rule(task=TASKS)
    def claim_stale(self, task: str) -> None:
        if task in self.tasks():
            stale = self.steps.row(task).attempt - 1
            self.refused(ClaimRefusedError, lambda: self.steps.claim(task, dispatched_as=stale))

    @rule(task=TASKS)
    def lease_runs_out(self, task: str) -> None:
        if task in self.tasks() and self.steps.row(task).status is Status.PROCESSING:
            seq = self.steps.row(task).seq
            self.steps.run_out(task)
            assert self.steps.row(task).seq == seq

    @rule(worker=st.sampled_from(["w", "v", "hand"]))
    def beat(self, worker: str) -> None:
        before = self.world(without=("lease_until",))
        keys = [self.steps.row(task).id for task in self.tasks()]
        renew_leases(self.steps.db, f"{worker}:1", keys, lease_seconds=600)
        save_heartbeat(self.steps.db, worker, "1", slots=1)
        assert self.world(without=("lease_until",)) == before

    # Vendors

    @rule(task=TASKS, which=st.integers(0, 2), named=st.sampled_from(["x1", "x2", "x3", None]))
    def call_back(self, task: str, which: int, named: str | None) -> None:
        jobs = self.steps.jobs(task) if task in self.tasks() else []
        if not jobs:
            return
        token = jobs[-1 - which % len(jobs)].token
        self.steps.save_callback(named, task, token)
        before = self.world(without=("callbacks",))
        self.steps.save_callback(named, task, token)
        assert self.world(without=("callbacks",)) == before

    @rule()
    def call_back_falsely(self) -> None:
        self.refused(UnknownCallbackError, lambda: self.steps.save_callback(token="false"))

    # Work under a lease, which may be worth nothing by now

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), stage=st.sampled_from(STAGES))
    def begin(self, data: st.DataObject, stage: str) -> None:
        lease = self.some_lease(data)
        self.under(lease, lambda: self.begin_or_wait(lease, stage, None))

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def ask_for_the_only_slot(self, data: st.DataObject) -> None:
        lease = self.some_lease(data)
        self.under(lease, lambda: self.begin_or_wait(lease, "song"))
        with self.steps.db.reading() as tx:
            assert (
                tx.execute(select(select_holder_count("stage:song_video.song"))).scalar_one() <= 1
            )

    def begin_or_wait(self, lease: Lease, stage: str, slots: int | None = 1) -> None:
        try:
            self.steps.begin(lease, stage, slots)
        except (NoSlotError, HeldError) as error:
            self.steps.fail_as(lease, classify_failure(error, stage), stage, AT_ONCE)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), cost=st.sampled_from([0, 500_000]))
    def save_intent(self, data: st.DataObject, cost: int) -> None:
        lease = self.some_lease(data)
        entry = self.entry(lease)
        if entry is None:
            return
        self.token += 1

        def save_intent() -> None:
            self.steps.save_intent(lease, entry, f"{self.token}", cost)

        if self.holds(lease) and self.steps.row(lease.task_id).cancel_requested:
            self.refused(CancelRequestedError, save_intent)
        elif self.holds(lease) and self.live(lease, entry) is not None:
            self.refused(IntegrityError, save_intent)
        else:
            self.under(lease, save_intent)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), status=SETTLED, named=st.sampled_from(["x1", "x2", "x3"]))
    def settle(self, data: st.DataObject, status: JobStatus, named: str) -> None:
        lease = self.some_lease(data)
        entry = self.entry(lease)
        job = None if entry is None else self.live(lease, entry)
        if entry is None or job is None:
            return

        def settle() -> None:
            self.steps.settle(lease, entry, job, status, external_id=named)

        if self.holds(lease) and status is JobStatus.SUBMITTED and self.is_anothers(named, job):
            self.refused(TakenIdError, settle)
            return
        if self.holds(lease) or job.status not in WITHOUT_ID:
            self.under(lease, settle)
            return
        # What became of a submission in doubt is knowledge about money: noted without a lease, and nothing else.
        before = self.world(but="provider_jobs")
        with pytest.raises(LeaseLostError):
            settle()
        assert self.world(but="provider_jobs") == before

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def complete(self, data: st.DataObject) -> None:
        lease = self.some_lease(data)
        entry = self.entry(lease)
        if entry is not None:
            self.under(lease, lambda: self.steps.complete(lease, entry))

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), action=st.sampled_from(list(FailureAction)), over=st.booleans())
    def fail(self, data: st.DataObject, action: FailureAction, over: bool) -> None:
        lease = self.some_lease(data)
        delays = OVER if over else AT_ONCE
        self.under(lease, lambda: self.steps.fail(lease, action, delays=delays))

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        lease = self.some_lease(data)
        held, before = self.holds(lease), self.world()
        assert self.steps.release(lease) is held
        assert held or self.world() == before

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def confirm_cancel(self, data: st.DataObject) -> None:
        lease = self.some_lease(data)
        self.under(lease, lambda: self.steps.confirm_cancel(lease))

    @precondition(lambda self: self.leases)
    @rule()
    def zombies_try_everything(self) -> None:
        for lease in self.leases[-3:]:
            if not self.holds(lease):
                self.zombie_tries_everything(lease)

    def zombie_tries_everything(self, lease: Lease) -> None:
        entry = StageEntry("lyric", 1, None)
        job = Job(0, "vendor", JobStatus.INTENT, "zombie", None, "0", None, 0)
        for tried in (
            lambda: self.steps.begin(lease),
            lambda: self.steps.save_intent(lease, entry, "zombie"),
            lambda: self.steps.settle(lease, entry, job, JobStatus.SUBMITTED),
            lambda: self.steps.complete(lease, entry),
            lambda: complete_request(self.steps.db, lease, STAGES),
            lambda: self.steps.fail(lease),
            lambda: self.steps.confirm_cancel(lease),
        ):
            # A submission that is stored nowhere was deleted, as far as anybody can tell.
            self.refused(LeaseLostError, tried, but="orphans")

    @invariant()
    def laws_hold(self) -> None:
        for task in self.tasks():
            assert_laws(self.steps, task)

    # What the rules above are made of

    def is_anothers(self, named: str, job: Job) -> bool:
        """Whether another submission of any request was ever called so."""
        others = [
            each for task in self.tasks() for each in self.steps.jobs(task) if each.id != job.id
        ]
        return any(named in (each.external_id, each.heard_id) for each in others)

    def tasks(self) -> list[str]:
        return self.steps.task_ids()

    def world(self, without: tuple[str, ...] = (), but: str = "") -> list[Any]:
        """Everything that is in the ledger, but for who is listed as a worker."""
        passed_over = ("workers", but)
        tables = [table for table in metadata.sorted_tables if table.name not in passed_over]
        with self.steps.db.reading() as tx:
            return [
                tx.execute(
                    select(*(column for column in table.c if column.name not in without)).order_by(
                        table.primary_key.columns[0]
                    )
                ).all()
                for table in tables
            ]

    def claim(self, task: str, *, must: bool, **claimant: Any) -> None:
        before = self.world()
        try:
            _, lease = self.steps.claim(task, **claimant)
        except ClaimRefusedError:
            assert not must
            assert self.world() == before
            return
        if lease is not None:
            self.leases.append(lease)

    def refused(
        self, error: type[Exception], transition: Callable[[], object], but: str = ""
    ) -> None:
        before = self.world(but=but)
        with pytest.raises(error):
            transition()
        assert self.world(but=but) == before

    def under(self, lease: Lease, transition: Callable[[], object]) -> None:
        """The transition succeeds exactly where the lease stands; else nothing changes."""
        if self.holds(lease):
            transition()
        else:
            self.refused(LeaseLostError, transition)

    def some_lease(self, data: st.DataObject) -> Lease:
        """Mostly the newest: it may still be good for something."""
        back = data.draw(st.sampled_from([1, 1, 1, 2, 3]), label="lease")
        return self.leases[-min(back, len(self.leases))]

    def holds(self, lease: Lease) -> bool:
        row = self.steps.row(lease.task_id)
        return row.fence == lease.fence and row.status is Status.PROCESSING

    def entry(self, lease: Lease) -> StageEntry | None:
        begun = [made for made in self.steps.stages(lease.task_id) if made.status == "processing"]
        return StageEntry(begun[-1].stage, begun[-1].generation, None) if begun else None

    def live(self, lease: Lease, entry: StageEntry) -> Job | None:
        return find_live_submission(self.steps.db, lease, entry)


def test_ledger_keeps_its_laws_whatever_happens(db):
    class Story(LedgerMachine):
        def __init__(self) -> None:
            super().__init__(Steps(db))

    examples, length = (12, 40) if db.is_sqlite else (8, 30)
    run_state_machine_as_test(
        Story,
        settings=settings(
            max_examples=examples * int(os.environ.get("LEDGER_STORIES", "1")),
            stateful_step_count=length,
            deadline=None,
            database=None,
            # The story as it was found: making it shorter would take minutes.
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
