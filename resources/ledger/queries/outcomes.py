"""What events mean for metrics: failures, durations, costs. Read-only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from resources.contract.errors import UnknownSubmissionError
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.reads import EventView
from resources.ledger.schema.tables import JobStatus, Status, provider_jobs, stages

FAILURE_EVENTS = ("failed", "dead", "worker_lost")
_GIVEN_UP = "give-up"


def failure_from_event(event: EventView) -> tuple[str | None, str] | None:
    """The stage and error code of the failure in an event; None where it is not a failure.

    A failure ends an attempt, or an order that could not be begun. The loss of a worker is one only if it makes
    the request dead. A request that waits has not failed, and one with a lost submission fails only when the
    search for it is over. An order that could not be begun has no stage.
    """
    return failure_of(event.type, event.before, event.after, event.data)


def failure_of(
    type_: str, before: str | None, after: str, data: Mapping[str, Any]
) -> tuple[str | None, str] | None:
    """The same, of an event's parts."""
    at_work = before in (Status.PROCESSING, Status.DISPATCHED)
    failed = after in (Status.FAILED, Status.DEAD)
    if type_ not in FAILURE_EVENTS or not at_work or not failed:
        return None
    changed, stage = data.get("set"), data.get("stage")
    # An operator's SQL may have stored anything.
    code = changed.get("error_code") if isinstance(changed, Mapping) else None
    if after == Status.FAILED and code == UnknownSubmissionError.code:
        return None
    return stage if isinstance(stage, str) else None, str(code or "no_code")


@dataclass(frozen=True)
class SubmissionCost:
    """What a settled submission was or may have been charged, in micro-dollars."""

    provider: str
    stage: str
    cost: int


class EventOutcomes:
    """The stages and submissions that belong to some events."""

    def __init__(self, stage_rows: Iterable[Any], job_rows: Iterable[Any]) -> None:
        self._spans = {(row.request_id, row.stage, row.generation): row for row in stage_rows}
        self._jobs: dict[tuple[int, str], list[Any]] = {}
        for row in job_rows:
            self._jobs.setdefault((row.request_id, row.stage), []).append(row)

    def seconds(self, event: EventView) -> float | None:
        """How long the stage completed by this event took, from its first begin."""
        if event.type != "stage_completed":
            return None
        key = (event.request_id, event.data.get("stage"), event.data.get("generation"))
        row = self._spans.get(key)
        if row is None or row.started_at is None or row.completed_at is None:
            return None
        return max(0.0, float((row.completed_at - row.started_at).total_seconds()))

    def submission_cost(self, event: EventView) -> SubmissionCost | None:
        """The cost of the submission that this event settled; None where it settled none.

        A submission is settled by the completed stage (its cost is final then), by its failure, or by an
        operator's decision that it is lost. A callback about one that was submitted again has the cost that is
        counted from then on.
        """
        counted = event.data.get("cost") if event.type == "callback_heard" else None
        if isinstance(counted, int):
            provider, stage = str(event.data.get("provider")), str(event.data.get("stage"))
            return SubmissionCost(provider, stage, counted)
        generation = event.data.get("generation")
        jobs = [
            job
            for job in self._jobs.get((event.request_id, str(event.data.get("stage"))), ())
            if job.status == _end_of_submission(event)
            and generation in (None, job.generation)
            and job.settled_at is not None
        ]
        # An event does not name its submission, but was written in the transaction that settled it.
        job = min(jobs, key=lambda job: abs(job.settled_at - event.at), default=None)
        return None if job is None else SubmissionCost(job.provider, job.stage, job.cost)


def _end_of_submission(event: EventView) -> JobStatus | None:
    if event.type == "stage_completed":
        return JobStatus.SUCCEEDED
    by_hand = event.type == "resolved" and event.data.get("message") == _GIVEN_UP
    return JobStatus.FAILED if by_hand or event.type == "submission_failed" else None


@retry_transient
def read_event_outcomes(db: Database, events: Sequence[EventView]) -> EventOutcomes:
    """Read the stages and submissions of these events."""
    ids = {event.request_id for event in events if _end_of_submission(event) is not None}
    if not ids:
        return EventOutcomes((), ())
    of = {"ids": sorted(ids)}
    with db.reading() as tx:
        return EventOutcomes(tx.execute(_SPANS, of).all(), tx.execute(_JOBS, of).all())


_SPANS = select(
    stages.c.request_id,
    stages.c.stage,
    stages.c.generation,
    stages.c.started_at,
    stages.c.completed_at,
).where(stages.c.request_id.in_(bindparam("ids", expanding=True)))
_JOBS = (
    select(
        provider_jobs.c.request_id,
        provider_jobs.c.stage,
        provider_jobs.c.generation,
        provider_jobs.c.provider,
        provider_jobs.c.status,
        provider_jobs.c.cost,
        provider_jobs.c.settled_at,
    )
    .where(provider_jobs.c.request_id.in_(bindparam("ids", expanding=True)))
    .order_by(provider_jobs.c.id)
)
