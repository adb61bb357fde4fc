"""Read what is wrong with requests and runs: stuck requests, lost runs, failures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from sqlalchemy import (
    Row,
    and_,
    case,
    func,
    or_,
    select,
)

from resources.contract.errors import UnknownSubmissionError
from resources.ledger.db.database import Database
from resources.ledger.limits import SETTINGS
from resources.ledger.queries.dispatch import build_due_condition
from resources.ledger.queries.status import EventView
from resources.ledger.queries.workload import (
    WorkerPool,
    WorkloadScope,
    build_scope_condition,
    compute_due_since,
    join_paused_providers,
)
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    IS_OPEN,
    JobStatus,
    Status,
    attempts,
    provider_jobs,
    requests,
    stages,
)

_MOST_LISTED = 100
_LEASE_LOST_CODES = ("worker_lost", "superseded")
FAILURE_EVENTS = ("failed", "dead", "worker_lost")
_GIVEN_UP = "give-up"
_SPAN = ("request_id", "stage", "generation", "started_at", "completed_at")


@dataclass(frozen=True)
class Stuck:
    """A request without progress.

    `since` is when it stopped, `why` a sentence part, `code` its last error code or None.
    """

    task_id: str
    status: Status
    stage: str | None
    since: datetime
    why: str
    code: str | None


@dataclass(frozen=True)
class StuckList:
    """The oldest stuck requests, at most 100, and the number of all."""

    count: int
    oldest: tuple[Stuck, ...]


def list_stuck(
    db: Database, scope: WorkloadScope, seconds: float, worker_pool: WorkerPool | None = None
) -> StuckList:
    """List the requests without progress for `seconds`.

    They are dispatched but not claimed, processing without a valid lease, due, or waiting for settings. A
    request that a living attempt processes is never stuck. The `worker_pool` is used to explain why a due
    request was not dispatched.
    """
    # An operator may have set a status without its time.
    dispatched = func.coalesce(requests.c.dispatched_at, requests.c.updated_at)
    lost = func.coalesce(requests.c.lease_until, requests.c.updated_at)
    is_waiting_for_settings = and_(
        requests.c.status == Status.PENDING, requests.c.waits_for == SETTINGS
    )
    since = case(
        (requests.c.status == Status.DISPATCHED, dispatched),
        (requests.c.status == Status.PROCESSING, lost),
        (is_waiting_for_settings, requests.c.created_at),
        else_=compute_due_since(),
    )
    no_lease = or_(requests.c.lease_until.is_(None), requests.c.lease_until <= now())
    has_no_worker = or_(
        requests.c.status == Status.DISPATCHED,
        and_(requests.c.status == Status.PROCESSING, no_lease),
        build_due_condition(),
        is_waiting_for_settings,
    )
    query = (
        select(
            requests.c.task_id,
            requests.c.status,
            requests.c.pipeline,
            requests.c.stage,
            requests.c.error_code,
            case((is_waiting_for_settings, requests.c.error_message)).label("settings"),
            since.label("since"),
            func.count().over().label("in_all"),
        )
        .select_from(join_paused_providers())
        .where(IS_OPEN, has_no_worker, since <= after(-seconds), build_scope_condition(scope))
        .order_by(since, requests.c.id)
        .limit(_MOST_LISTED)
    )
    rows = db.fetch_all(query)
    count = rows[0].in_all if rows else 0
    return StuckList(count, tuple(_make_stuck(row, scope, worker_pool) for row in rows))


def _make_stuck(row: Row[Any], scope: WorkloadScope, worker_pool: WorkerPool | None) -> Stuck:
    """Build the entry from a row of `list_stuck`."""
    return Stuck(
        task_id=row.task_id,
        status=Status(row.status),
        stage=scope.get_stage(row.pipeline, row.stage),
        since=row.since,
        why=_explain_stuck(row, scope, worker_pool),
        code=row.error_code,
    )


def _explain_stuck(row: Row[Any], scope: WorkloadScope, worker_pool: WorkerPool | None) -> str:
    """Explain why a request is stuck, as the end of a sentence."""
    if row.settings is not None:
        return f"waits for settings: {row.settings}"
    if row.status == Status.DISPATCHED:
        return "no run has claimed it"
    if row.status == Status.PROCESSING:
        return "its lease has expired, and no sensor has rescued it"
    if worker_pool is None:
        return "due, and not dispatched"
    return f"due, and {_explain_due(scope.limits.get_queue(row.pipeline), worker_pool)}"


def _explain_due(queue: str, worker_pool: WorkerPool) -> str:
    """Explain why a due request of the queue is not dispatched, as the end of a sentence."""
    if worker_pool.slots == 0:
        return "no worker is alive"
    if not worker_pool.serves(queue):
        return f"no worker serves queue {queue}"
    return "no sensor dispatches it" if worker_pool.count_free(queue) else "every slot is taken"


@dataclass(frozen=True)
class RunAttempt:
    """The newest attempt of a Dagster run.

    `ended_ago` is the seconds since its end, None while it is open. `lost_lease` is whether another process
    ended it because its lease had expired.
    """

    worker: str
    ended_ago: float | None
    lost_lease: bool


class RunHealth(Enum):
    """The condition of a run that Dagster shows as running."""

    ALIVE = "alive"
    LOST = "its worker was lost"
    ENDED = "its attempt ended, and it did not"
    UNCLAIMED = "it claimed nothing"


def assess_run_health(attempt: RunAttempt | None, *, age: float, grace: float) -> RunHealth:
    """Assess a run by its newest attempt, which is None if the run has claimed no request.

    A run with an open attempt is alive even if the lease has expired: a rescue would end the attempt.

    Args:
        age: seconds since a worker started the run.
        grace: seconds allowed from the run's start to its claim, and from its attempt's end to its own end.
    """
    if attempt is None:
        return RunHealth.ALIVE if age < grace else RunHealth.UNCLAIMED
    if attempt.ended_ago is None:
        return RunHealth.ALIVE
    if attempt.lost_lease:
        return RunHealth.LOST
    return RunHealth.ALIVE if attempt.ended_ago < grace else RunHealth.ENDED


def read_open_run_ids(db: Database) -> frozenset[str]:
    """Read the ids of the runs that are processing a request."""
    held = select(requests.c.run_id).where(requests.c.status == Status.PROCESSING)
    with db.reading() as tx:
        return frozenset(tx.execute(held).scalars())


def read_newest_attempt(db: Database, run_id: str) -> RunAttempt | None:
    """Read the run's newest attempt; None if the run has claimed no request."""
    newest = (
        select(attempts, now().label("db_now"))
        .where(attempts.c.run_id == run_id)
        .order_by(attempts.c.id.desc())
        .limit(1)
    )
    with db.reading() as tx:
        row = tx.execute(newest).one_or_none()
    if row is None:
        return None
    ended_ago = None if row.ended_at is None else (row.db_now - row.ended_at).total_seconds()
    return RunAttempt(row.worker, ended_ago, row.error_code in _LEASE_LOST_CODES)


def read_failure_from_event(event: EventView) -> tuple[str | None, str] | None:
    """Return the stage and error code of the failure that the event reports; None if it reports none.

    A failure ends an attempt, or an order that could not begin; the latter's stage is None. The loss of a
    worker is a failure only if it makes the request dead. A request that waits has not failed. A request with
    a lost submission fails only when the search for it is over.
    """
    return get_failure(event.type, event.before, event.after, event.data)


def get_failure(
    type_: str, before: str | None, after: str, data: Mapping[str, Any]
) -> tuple[str | None, str] | None:
    """Return the stage and error code of an event's failure, given the event's parts; None if it is no failure.

    `before` and `after` are the request's statuses.
    """
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


class SubmissionCost(NamedTuple):
    """The cost that a settled submission was or may have been charged, in micro-dollars."""

    provider: str
    stage: str
    cost: int


class EventOutcomes:
    """The stages and submissions that some events are about, to look up durations and costs."""

    def __init__(self, stage_rows: Iterable[Any], job_rows: Iterable[Any]) -> None:
        self._spans = {(row.request_id, row.stage, row.generation): row for row in stage_rows}
        self._jobs: dict[tuple[int, str], list[Any]] = {}
        for row in job_rows:
            self._jobs.setdefault((row.request_id, row.stage), []).append(row)

    def seconds(self, event: EventView) -> float | None:
        """Return the seconds that the stage completed by this event took, from its first begin.

        None for other events.
        """
        if event.type != "stage_completed":
            return None
        key = (event.request_id, event.data.get("stage"), event.data.get("generation"))
        row = self._spans.get(key)
        if row is None or row.started_at is None or row.completed_at is None:
            return None
        return max(0.0, float((row.completed_at - row.started_at).total_seconds()))

    def submission_cost(self, event: EventView) -> SubmissionCost | None:
        """Return the cost of the submission that this event settled; None if it settled none.

        A submission is settled by the completed stage (its cost is final then), by its failure, or by an
        operator's decision that it is lost. A callback about a replaced submission has the cost that counts
        from then on.
        """
        counted = event.data.get("cost") if event.type == "callback_heard" else None
        if isinstance(counted, int):
            provider, stage = str(event.data.get("provider")), str(event.data.get("stage"))
            return SubmissionCost(provider, stage, counted)
        generation = event.data.get("generation")
        jobs = [
            job
            for job in self._jobs.get((event.request_id, str(event.data.get("stage"))), ())
            if job.status == _get_settled_status(event)
            and generation in (None, job.generation)
            and job.settled_at is not None
        ]
        # An event does not name its submission, but was written in the transaction that settled it.
        job = min(jobs, key=lambda job: abs(job.settled_at - event.at), default=None)
        return None if job is None else SubmissionCost(job.provider, job.stage, job.cost)


def _get_settled_status(event: EventView) -> JobStatus | None:
    """Return the status that this event gave its submission; None if it settled none."""
    if event.type == "stage_completed":
        return JobStatus.SUCCEEDED
    by_hand = event.type == "resolved" and event.data.get("message") == _GIVEN_UP
    return JobStatus.FAILED if by_hand or event.type == "submission_failed" else None


def read_event_outcomes(db: Database, events: Sequence[EventView]) -> EventOutcomes:
    """Read the stages and submissions that these events are about."""
    ids = sorted({each.request_id for each in events if _get_settled_status(each) is not None})
    if not ids:
        return EventOutcomes((), ())
    spans = select(*(stages.c[name] for name in _SPAN)).where(stages.c.request_id.in_(ids))
    jobs = select(provider_jobs).where(provider_jobs.c.request_id.in_(ids))
    return EventOutcomes(db.fetch_all(spans), db.fetch_all(jobs.order_by(provider_jobs.c.id)))
