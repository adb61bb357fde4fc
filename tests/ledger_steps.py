"""Short words for what happens to a request, so that a test reads as its story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select, text, update

from resources.contract.errors import UnknownSubmissionError
from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import HeldError
from resources.ledger.limits import Limits
from resources.ledger.queries.overview import ArtifactView
from resources.ledger.queries.status import EventView, get_request, list_event_views
from resources.ledger.request import Request, SettledKey
from resources.ledger.rules import (
    Failure,
    FailureAction,
    Outcome,
    RetryDelays,
    classify_failure,
    decide_failure,
)
from resources.ledger.schema.tables import (
    JobStatus,
    api_keys,
    attempts,
    deleted_requests,
    orphans,
    profiles,
    provider_jobs,
    providers,
    reports,
    requests,
    source_checks,
    spent_days,
    spool_costs,
    stages,
    workers,
)
from resources.ledger.transitions import approval as approval_transitions
from resources.ledger.transitions import approval as cover_transitions
from resources.ledger.transitions import callbacks as callback_transitions
from resources.ledger.transitions import claims as attempt_transitions
from resources.ledger.transitions import claims as claim_transitions
from resources.ledger.transitions import dispatch as dispatch_transitions
from resources.ledger.transitions import jobs as intent_transitions
from resources.ledger.transitions import jobs as job_transitions
from resources.ledger.transitions import orders as order_transitions
from resources.ledger.transitions import redo as redo_transitions
from resources.ledger.transitions import rescue as unclaimed_transitions
from resources.ledger.transitions import stages as stage_transitions
from resources.ledger.transitions.claims import Claimant, RunOrder
from resources.ledger.transitions.core import KeyOf, Lease
from resources.ledger.transitions.jobs import Budget, Job
from resources.ledger.transitions.stages import StageEntry
from tests.one_order import submit_order

_EMPTIED = (
    *(requests, workers, providers, orphans, api_keys, reports, deleted_requests),
    *(source_checks, profiles),
    # Last: what is deleted with its request is summed there.
    spent_days,
    spool_costs,
)
STAGES = ("lyric", "song", "video")
AT_ONCE = RetryDelays(retry=0, unknown_grace=600)
OVER = RetryDelays(retry=0, unknown_grace=0)
POISON = 3
UNKNOWN = UnknownSubmissionError.code
LEASE_SECONDS = 600.0


@dataclass
class Steps:
    """Transitions of the ledger with everything that a story does not turn on filled in.

    Waits after a failure are nought, so that whatever is due is due at once.
    """

    db: Database

    def order(
        self, task_id: str = "r", payload: dict[str, Any] | None = None, **chosen: Any
    ) -> Request:
        request, _ = submit_order(
            self.db,
            task_id,
            {"brief": 1} if payload is None else payload,
            pipeline="song_video",
            source="test",
            same_order=lambda stored, given: stored == given,
            **chosen,
        )
        return request

    def dispatch(self, slots: int = 1000) -> list[Request]:
        return dispatch_transitions.dispatch_due_requests(self.db, Limits(slots, LEASE_SECONDS))

    def claim(
        self,
        task_id: str = "r",
        *,
        dispatched_as: int | None = None,
        owner: str = "worker:1",
        run_id: str = "run",
        order: RunOrder | None = None,
        key_of: KeyOf | None = None,
        slots: int | None = None,
        reexecuted_at: datetime | None = None,
    ) -> tuple[Request, Lease | None]:
        return claim_transitions.claim_request(
            self.db,
            task_id,
            Claimant(run_id, owner, dispatched_as, slots=slots, reexecuted_at=reexecuted_at),
            lease_seconds=LEASE_SECONDS,
            poison_deaths=POISON,
            order=order,
            key_of=key_of,
        )

    def take(self, task_id: str = "r", **claimant: Any) -> Lease:
        """Claim it and expect the lease."""
        _, lease = self.claim(task_id, **claimant)
        assert lease is not None
        return lease

    def working(self, task_id: str = "r", owner: str = "worker:1") -> Lease:
        """Order it, hand it out and have the run claim it."""
        self.order(task_id)
        self.dispatch()
        return self.take(task_id, dispatched_as=self.row(task_id).attempt, owner=owner)

    def begin(self, lease: Lease, stage: str = "lyric", slots: int | None = None) -> StageEntry:
        return stage_transitions.begin_stage(self.db, lease, stage, STAGES, slots)

    def save_intent(
        self,
        lease: Lease,
        entry: StageEntry,
        token: str = "token",
        cost: int = 500_000,
        budget: Budget | None = None,
    ) -> Job:
        return intent_transitions.save_intent(
            self.db,
            lease,
            entry,
            provider="vendor",
            token=token,
            request_hash="0",
            cost=cost,
            budget=budget or Budget(),
        )

    def settle(
        self,
        lease: Lease,
        entry: StageEntry,
        job: Job,
        status: JobStatus,
        cost: int | None = None,
        external_id: str = "x1",
    ) -> Job:
        known: dict[str, Any] = {"cost": cost}
        if status is JobStatus.SUBMITTED:
            known["external_id"] = external_id
        return job_transitions.save_outcome(self.db, lease, entry, job, status, **known)

    def complete(
        self,
        lease: Lease,
        entry: StageEntry,
        unique_key: str | None = None,
        files: Sequence[StoredArtifact] = (),
        result: Mapping[str, Any] | None = None,
        token: str | None = None,
    ) -> Request:
        return stage_transitions.complete_stage(
            self.db,
            lease,
            entry,
            result={"of": entry.stage} if result is None else result,
            cost=7,
            token=token,
            files=files,
            pipeline_stages=STAGES,
            settled=None if unique_key is None else SettledKey(unique_key, is_shared=False),
        )

    def make_stage(self, lease: Lease, stage: str) -> Request:
        return self.complete(lease, self.begin(lease, stage))

    def completed(self, task_id: str = "r") -> Lease:
        """Order it and make every stage."""
        lease = self.working(task_id)
        self.make_all(lease)
        return lease

    def make_all(self, lease: Lease) -> None:
        for stage in STAGES:
            self.make_stage(lease, stage)

    def filmed(self, task_id: str = "r", name: str = "video.mp4") -> ArtifactView:
        """Order it and make every stage, the last one with a video."""
        lease = self.working(task_id)
        for stage in STAGES[:-1]:
            self.make_stage(lease, stage)
        video = StoredArtifact(name, "0" * 64, 1, "video/mp4", f"{task_id}/{name}")
        self.complete(lease, self.begin(lease, STAGES[-1]), files=[video])
        return ArtifactView(**vars(video), stage=STAGES[-1], generation=1)

    def choose_cover(
        self, video: ArtifactView, task_id: str = "r", seconds: float = 1.5, by: str = "Mina"
    ) -> list[ArtifactView]:
        picture = StoredArtifact("cover.jpg", "1" * 64, 1, "image/jpeg", f"{task_id}/chosen.jpg")
        return cover_transitions.choose_cover(self.db, task_id, video, seconds, [picture], by)

    def fail(
        self,
        lease: Lease,
        action: FailureAction = FailureAction.RETRY,
        stage: str = "lyric",
        delays: RetryDelays = AT_ONCE,
    ) -> tuple[Request, Outcome]:
        code = UNKNOWN if action is FailureAction.LOOK_UP else f"for_{action.value}"
        failure = Failure(code, "it went wrong", action)
        return self.fail_as(lease, failure, stage, delays)

    def fail_as(
        self, lease: Lease, failure: Failure, stage: str = "lyric", delays: RetryDelays = AT_ONCE
    ) -> tuple[Request, Outcome]:
        def decide_outcome(request: Request, unknown_for: float) -> Outcome:
            return decide_failure(request, failure, delays, jitter=0, unknown_for=unknown_for)

        return attempt_transitions.fail_attempt(self.db, lease, stage, failure, decide_outcome)

    def dead(self, task_id: str = "r") -> Lease:
        """Order it and have it fail for good."""
        lease = self.working(task_id)
        self.fail(lease, FailureAction.DEAD_LETTER)
        return lease

    def failed(self, task_id: str = "r") -> Lease:
        """Order it and have it fail with another attempt due."""
        lease = self.working(task_id)
        self.fail(lease)
        return lease

    def lost(self, task_id: str = "r", action: FailureAction = FailureAction.LOOK_UP) -> None:
        """Order it and have its submission get lost on the way."""
        lease = self.working(task_id)
        entry = self.begin(lease)
        self.settle(
            lease, entry, self.save_intent(lease, entry, f"token of {task_id}"), JobStatus.UNKNOWN
        )
        self.fail_as(lease, Failure(UNKNOWN, "it went wrong", action))

    def lost_for_good(self, task_id: str = "r") -> None:
        """As `lost`, with nobody looking for it any more."""
        self.lost(task_id, FailureAction.DEAD_LETTER)

    def save_callback(
        self, external_id: str | None = "x1", task_id: str = "r", token: str | None = None
    ) -> Request:
        """The vendor calls back about the newest submission."""
        token = token or self.jobs(task_id)[-1].token
        return callback_transitions.save_callback(self.db, "vendor", token, external_id)

    def release(self, lease: Lease) -> bool:
        return attempt_transitions.release_request(self.db, lease)

    def cancel(self, task_id: str = "r") -> Request:
        return order_transitions.cancel_request(self.db, task_id)

    def confirm_cancel(self, lease: Lease) -> Request:
        return attempt_transitions.confirm_cancel(self.db, lease)

    def retry(self, task_id: str = "r", attempt: int | None = None) -> Request:
        return order_transitions.retry_request(self.db, task_id, attempt=attempt)

    def redo(
        self, task_id: str = "r", stage: str = "lyric", generation: int | None = None
    ) -> Request:
        return redo_transitions.redo_stages(self.db, task_id, stage, STAGES, generation=generation)

    def meets_hold(self, lease: Lease, stage: str) -> Request:
        """The next stage would begin, and the request waits for a person's approval instead."""
        try:
            self.begin(lease, stage)
        except HeldError as error:
            return self.fail_as(lease, classify_failure(error, stage), stage)[0]
        raise AssertionError("no approval is waited for")

    def held(self, task_id: str = "r", hold: str = "lyric", **chosen: Any) -> Lease:
        """Order it, and have it wait for the approval of its lyric."""
        self.order(task_id, hold=hold, **chosen)
        lease = self.take(task_id)
        self.make_stage(lease, "lyric")
        self.meets_hold(lease, "song")
        return lease

    def approve(
        self,
        task_id: str = "r",
        stage: str | None = None,
        by: str = "Mina",
        generation: int | None = None,
    ) -> Request:
        return approval_transitions.approve_stage(self.db, task_id, stage, by, generation)

    def reject(self, task_id: str = "r", reason: str | None = None, by: str = "Mina") -> Request:
        return approval_transitions.reject_held_request(self.db, task_id, by, reason)

    def revise(
        self,
        task_id: str = "r",
        stage: str = "lyric",
        choice: str | None = None,
        generation: int | None = None,
        **fields: str,
    ) -> Request:
        """Mina has changed these fields of the stage's result."""

        def change(request: Request, result: Mapping[str, Any]) -> Mapping[str, Any]:
            return {**result, **fields}

        seen: dict[str, Any] = {"choice": choice, "generation": generation}
        return approval_transitions.revise_stage(
            self.db, task_id, stage, change, "Mina", about=fields, **seen
        ).request

    def redelivered(self) -> list[Request]:
        late = unclaimed_transitions.list_unclaimed_requests(self.db, 0)
        noted = [unclaimed_transitions.save_redelivery(self.db, request) for request in late]
        return [request for request in noted if request is not None]

    def undelivered(self, grace: float = 0) -> list[Request]:
        late = unclaimed_transitions.list_unclaimed_requests(self.db, grace)
        given_back = [unclaimed_transitions.requeue_request(self.db, request) for request in late]
        return [request for request in given_back if request is not None]

    def rescue(self) -> list[Request]:
        return unclaimed_transitions.rescue_expired_leases(self.db, POISON)

    def wait_for_settings(self, task_id: str = "r", seconds: float = 0) -> None:
        """It was dispatched, and the settings cannot fulfill it."""
        why = "CASTAD_MAX_COST: expected at least 0.2 USD for this order"
        order_transitions.set_waiting_for_settings(
            self.db, self.row(task_id), "over_max_cost", why, seconds
        )

    def discard_exhausted(self) -> list[Request]:
        return unclaimed_transitions.dead_letter_exhausted_requests(self.db)

    def run_out(self, task_id: str = "r") -> None:
        """The lease has run out: `lease_until` alone, which is no edit."""
        past = "datetime('now', '-1 hour')" if self.db.is_sqlite else "now() - interval '1 hour'"
        self.sql(f"UPDATE requests SET lease_until = {past} WHERE task_id = :r", r=task_id)

    def lose_worker(self, task_id: str = "r") -> None:
        """The worker has gone silent and was found out."""
        self.run_out(task_id)
        self.rescue()

    def empty(self) -> None:
        """The ledger is as new: no request, and nothing that would decide about the next one."""
        with self.db.writing() as tx:
            tx.execute(update(provider_jobs).values(status=JobStatus.FAILED))
            for table in _EMPTIED:
                tx.execute(delete(table))

    def forget(self, task_id: str) -> None:
        """Remove the request as if it had never been, with what is kept of deleted ones."""
        key = self.row(task_id).id
        with self.db.writing() as tx:
            own = provider_jobs.c.request_id == key
            tx.execute(update(provider_jobs).where(own).values(status=JobStatus.FAILED))
            tx.execute(delete(requests).where(requests.c.id == key))
            for table in (orphans, deleted_requests, spent_days):
                tx.execute(delete(table))

    def sql(self, statement: str, **values: Any) -> None:
        """What an operator types."""
        with self.db.writing() as tx:
            tx.execute(text(statement), values)

    def edit(self, assignment: str, task_id: str = "r", **values: Any) -> Request:
        """What an operator types after SET."""
        self.sql(f"UPDATE requests SET {assignment} WHERE task_id = :r", r=task_id, **values)
        return self.row(task_id)

    def row(self, task_id: str = "r") -> Request:
        return get_request(self.db, task_id)

    def events(self, task_id: str = "r") -> list[EventView]:
        return list_event_views(self.db, self.row(task_id))

    def last(self, task_id: str = "r") -> EventView:
        return self.events(task_id)[-1]

    def stages(self, task_id: str = "r") -> list[Row[Any]]:
        return self._rows(stages, task_id)

    def jobs(self, task_id: str = "r") -> list[Row[Any]]:
        return self._rows(provider_jobs, task_id)

    def attempts(self, task_id: str = "r") -> list[Row[Any]]:
        return self._rows(attempts, task_id)

    def task_ids(self) -> list[str]:
        with self.db.reading() as tx:
            return list(tx.execute(select(requests.c.task_id).order_by(requests.c.id)).scalars())

    def until(self, column: str, task_id: str = "r") -> datetime:
        value = getattr(self.row(task_id), column)
        assert isinstance(value, datetime)
        return value

    def _rows(self, table: Any, task_id: str) -> list[Row[Any]]:
        of_task = requests.c.task_id == task_id
        query = select(table).join(requests).where(of_task).order_by(table.c.id)
        with self.db.reading() as tx:
            return list(tx.execute(query).all())
