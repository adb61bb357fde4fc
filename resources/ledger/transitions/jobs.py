"""Save the submissions to providers: the intent before anything is sent, then the outcome.

Also checks the budget, guards provider ids against a second owner, and keeps orphans: submissions that no
request waits for.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from resources.contract.errors import UnknownSubmissionError
from resources.ledger.db.database import Database
from resources.ledger.db.retry import AdvisoryLock, retry_transient
from resources.ledger.ledger_errors import (
    CancelRequestedError,
    DailyBudgetError,
    IllegalTransitionError,
    LeaseLostError,
    OverMaxCostError,
    TakenIdError,
)
from resources.ledger.queries.money import select_task_of_job, sum_job_costs, sum_spent_of_day
from resources.ledger.queries.status import is_superseded
from resources.ledger.request import Request
from resources.ledger.rules import STAGE_TIMEOUT
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    LIVE_JOBS,
    WITHOUT_ID,
    JobStatus,
    Status,
    deleted_requests,
    orphans,
    provider_jobs,
    requests,
    stages,
)
from resources.ledger.transitions.core import (
    DUE_NOW,
    Lease,
    build_upsert,
    lock_matching_request,
    transition,
    transition_leased_request,
)
from resources.ledger.transitions.stages import StageEntry

ACCEPTED_UNWANTED = "it was accepted after an operator had decided not to wait for it"


@dataclass(frozen=True)
class Job:
    """One submission to a provider; `cost` in micro-dollars, `age` in seconds since the provider accepted it.

    `external_id` is the provider's id, `heard_id` the id that a callback gave before the provider's answer
    did. `token` is castad's idempotency key, `answer` the provider's stored answer.
    """

    id: int
    provider: str
    status: JobStatus
    token: str
    external_id: str | None
    request_hash: str
    answer: Mapping[str, Any] | None
    cost: int
    age: float = 0.0
    heard_id: str | None = None


@dataclass(frozen=True)
class Budget:
    """The limits on spending, in micro-dollars: per order, and for all orders of one day (UTC)."""

    order: int | None = None
    day: int | None = None


@retry_transient
def save_intent(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    *,
    provider: str,
    token: str,
    request_hash: str,
    cost: int,
    budget: Budget,
) -> Job:
    """Save the submission with the status `intent`, before anything is sent; return it.

    A unique index on live jobs refuses a second one for the same stage and generation. `cost` is the expected
    cost in micro-dollars. Raises LeaseLostError, CancelRequestedError, and OverMaxCostError or
    DailyBudgetError if the cost exceeds a limit.
    """
    with db.writing() as tx:
        request = transition_leased_request(
            tx, lease, "submission_intended", stage=entry.stage, provider=provider, cost=cost
        )
        if request.cancel_requested:
            raise CancelRequestedError(f"request {request.task_id} was canceled")
        _ensure_within_budget(tx, request, entry.stage, cost, budget)
        values = {
            "request_id": request.id,
            "stage": entry.stage,
            "generation": entry.generation,
            "attempt": lease.attempt,
            "provider": provider,
            "token": token,
            "request_hash": request_hash,
            "cost": cost,
        }
        key = tx.execute(_INSERT_INTENT, values).scalar_one()
    return Job(key, provider, JobStatus.INTENT, token, None, request_hash, None, cost)


def _ensure_within_budget(
    tx: Connection, request: Request, stage: str, cost: int, budget: Budget
) -> None:
    """Raise OverMaxCostError or DailyBudgetError if this cost, in micro-dollars, exceeds a limit."""
    if not cost:
        return
    if budget.order is not None:
        spent = sum_job_costs(tx, provider_jobs.c.request_id == request.id)
        if spent + cost > budget.order:
            raise OverMaxCostError(stage, spent, cost, budget.order)
    if budget.day is not None:
        if cost > budget.day:
            raise OverMaxCostError(stage, 0, cost, budget.day, "CASTAD_DAILY_BUDGET")
        # Two concurrent orders would not see each other's cost.
        AdvisoryLock.BUDGET.take(tx)
        spent, at, midnight = sum_spent_of_day(tx)
        if spent + cost > budget.day:
            wait = (midnight + timedelta(days=1) - at).total_seconds()
            raise DailyBudgetError(stage, spent, cost, budget.day, wait)


@retry_transient
def find_live_submission(db: Database, lease: Lease, entry: StageEntry) -> Job | None:
    """Return the submission of this stage and generation that may still deliver, or None."""
    of = {"request_id": lease.request_id, "stage": entry.stage, "generation": entry.generation}
    with db.reading() as tx:
        row = tx.execute(_LIVE_JOB, of).one_or_none()
    if row is None:
        return None
    return Job(
        id=row.id,
        provider=row.provider,
        status=JobStatus(row.status),
        token=row.token,
        external_id=row.external_id,
        request_hash=row.request_hash,
        answer=None if row.answer is None else json.loads(row.answer),
        cost=row.cost,
        age=0.0 if row.submitted_at is None else (row.at - row.submitted_at).total_seconds(),
        heard_id=row.heard_id,
    )


@retry_transient
def save_outcome(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    job: Job,
    status: JobStatus,
    *,
    external_id: str | None = None,
    answer: Mapping[str, Any] | None = None,
    cost: int | None = None,
    code: str | None = None,
    message: str | None = None,
) -> Job:
    """Save the new `status` of a submission, with the provider's answer, and its event; return the submission.

    `cost`, in micro-dollars, corrects the expected one; `code` and `message` are the error. After a lost
    lease the outcome of a submission in doubt is still saved, because the next attempt must know whether
    money was spent. If the request waits for this outcome, or died for lack of it, the request becomes due.
    The outcome of a deleted submission becomes an orphan, unless it was settled before.

    Raises IllegalTransitionError if the submission is no longer as in `job`. Raises TakenIdError, and saves
    nothing, if `external_id` belongs to another submission. Raises LeaseLostError.
    """
    values = {
        "status": status,
        "external_id": external_id or job.external_id,
        "cost": job.cost if cost is None else cost,
        "error_code": code,
        "error_message": message,
    }
    known = {"provider": job.provider, "external_id": values["external_id"]}
    corrected = None if values["cost"] == job.cost else values["cost"]
    about = {**known, "cost": corrected, "code": code, "message": message}
    event_type = "submitted" if status is JobStatus.SUBMITTED else f"submission_{status}"
    text = None if answer is None else json.dumps(answer, ensure_ascii=False)
    made = _Outcome(lease, entry, job, event_type, about, external_id, {**values, "answer": text})
    try:
        with db.writing() as tx:
            _save_leased_outcome(tx, made)
    except LeaseLostError:
        with db.writing() as tx:
            _save_late_outcome(tx, made)
        raise
    return replace(made.saved, answer=answer)


@dataclass(frozen=True)
class _Outcome:
    """The outcome of a submission: its event, its column values, and the provider id that it `brings`, if any."""

    lease: Lease
    entry: StageEntry
    job: Job
    event_type: str
    about: Mapping[str, Any]
    brings: str | None
    values: Mapping[str, Any]

    @property
    def saved(self) -> Job:
        """The submission after the outcome, without the provider's answer."""
        names = ("status", "external_id", "cost")
        return replace(self.job, **{name: self.values[name] for name in names}, answer=None)


def _save_leased_outcome(tx: Connection, made: _Outcome) -> None:
    """Save the outcome and its event under the lease.

    Raises LeaseLostError, TakenIdError, and IllegalTransitionError if the submission has another status by
    now.
    """
    job = made.job
    transition_leased_request(tx, made.lease, made.event_type, stage=made.entry.stage, **made.about)
    if made.brings is not None and find_id_owner(tx, job, made.brings) is not None:
        raise TakenIdError(describe_duplicate_id(job.provider, made.brings))
    if not _update_job(tx, made, [status for status in LIVE_JOBS if status is job.status]):
        raise IllegalTransitionError(
            f"submission {job.id} of {made.lease.task_id} is settled already"
        )


def _save_late_outcome(tx: Connection, made: _Outcome) -> None:
    """Save the outcome of a submission whose lease was lost, if the submission was in doubt or deleted."""
    job = made.job
    if _is_submission_deleted(tx, made.lease, made.entry, job):
        _save_deleted_submission(tx, made.lease, made.entry, job, made.saved)
    elif job.status is JobStatus.INTENT or (made.brings and job.status in WITHOUT_ID):
        if _save_outcome_without_lease(tx, made):
            _make_request_due(tx, made, UnknownSubmissionError.code)
    elif job.status is JobStatus.SUBMITTED and made.values["status"] is JobStatus.SUCCEEDED:
        # The next attempt polls it, and has the final status at once.
        _make_request_due(tx, made, STAGE_TIMEOUT)


def _save_outcome_without_lease(tx: Connection, made: _Outcome) -> bool:
    """Save the outcome of a submission in doubt; return whether the doubt is over.

    If an operator has resolved the submission meanwhile, the request no longer waits for it: a job that the
    provider has accepted becomes an orphan.
    """
    external_id = made.values["external_id"]
    if external_id is not None and find_id_owner(tx, made.job, external_id) is not None:
        message = describe_duplicate_id(made.job.provider, external_id)
        taken = {"error_code": TakenIdError.code, "error_message": message}
        without_id = {"status": JobStatus.UNKNOWN, "external_id": None, "answer": None}
        made = replace(made, values={**made.values, **without_id, **taken})
    if _update_job(tx, made, WITHOUT_ID):
        return made.values["status"] is not JobStatus.UNKNOWN
    if not made.values["external_id"]:
        return False
    accepted = {name: made.values[name] for name in ("external_id", "cost")}
    identity = _build_job_parameters(made.lease, made.entry, made.job)
    if tx.execute(_UPDATE_UNWANTED, {**identity, **accepted}).rowcount:
        _save_submission_as_orphan(tx, made.lease, made.entry, made.saved, ACCEPTED_UNWANTED)
    return False


def _update_job(tx: Connection, made: _Outcome, expected: Sequence[JobStatus]) -> bool:
    """Write the outcome to the submission; return False, without a change, if its status is none of `expected`."""
    is_accepted = made.brings is not None and made.values["external_id"] is not None
    is_settled = made.values["status"] is not JobStatus.SUBMITTED
    named = {
        **_build_job_parameters(made.lease, made.entry, made.job),
        "expected": expected,
        **made.values,
    }
    return tx.execute(_UPDATE_JOB[is_accepted, is_settled], named).one_or_none() is not None


def _make_request_due(tx: Connection, made: _Outcome, code: str) -> None:
    """Make the request due by the event of this outcome, if it failed or died with the error `code`.

    Does nothing if the stage has a newer generation, or if another request holds its unique key.
    """
    stage = made.entry.stage
    found = lock_matching_request(tx, requests.c.id == made.lease.request_id)
    newest = select(func.max(stages.c.generation)).where(
        stages.c.request_id == made.lease.request_id, stages.c.stage == stage
    )
    if found is None or tx.execute(newest).scalar() != made.entry.generation:
        return
    request, _ = found
    waits = request.status is Status.DEAD or (
        request.status is Status.FAILED and code == UnknownSubmissionError.code
    )
    if waits and request.error_code == code and not is_superseded(tx, request):
        transition(tx, request, made.event_type, DUE_NOW, stage=stage, **made.about)


@retry_transient
def save_orphan_if_deleted(db: Database, lease: Lease, entry: StageEntry, job: Job) -> None:
    """Save the submission as an orphan if it or its request was deleted before it was settled."""
    with db.writing() as tx:
        if _is_submission_deleted(tx, lease, entry, job):
            _save_deleted_submission(tx, lease, entry, job, job)


def _build_job_parameters(lease: Lease, entry: StageEntry, job: Job) -> Mapping[str, Any]:
    """Build the parameters that identify a submission; its id alone may be reused."""
    return {
        "of_id": job.id,
        "of_request": lease.request_id,
        "of_stage": entry.stage,
        "of_generation": entry.generation,
        "of_token": job.token,
    }


def _is_submission_deleted(tx: Connection, lease: Lease, entry: StageEntry, job: Job) -> bool:
    """Return whether the submission or its request was deleted, after locking the request."""
    tx.execute(select(requests.c.id).where(requests.c.id == lease.request_id).with_for_update())
    return tx.execute(_FIND_JOB, _build_job_parameters(lease, entry, job)).scalar() is None


def _save_deleted_submission(
    tx: Connection, lease: Lease, entry: StageEntry, job: Job, saved: Job
) -> None:
    """Save the deleted submission as an orphan, unless its cost is in `spent_days` or it has cost nothing.

    A person cannot delete a request while a submission is in doubt: one with an id was settled. One without may
    have been settled as never sent.
    """
    by_person = deleted_requests.c.request_id == lease.request_id
    found = select(deleted_requests.c.request_id).where(by_person)
    is_summed = job.external_id is not None and tx.execute(found).scalar() is not None
    if not is_summed and (saved.status is not JobStatus.FAILED or saved.cost):
        _save_submission_as_orphan(tx, lease, entry, saved, "its request was deleted")


def _save_submission_as_orphan(
    tx: Connection, lease: Lease, entry: StageEntry, job: Job, why: str
) -> None:
    """Save the submission of this lease and stage as an orphan, with the reason `why`."""
    of_job = {"token": job.token, "provider": job.provider, "external_id": job.external_id}
    of_request = {"task_id": lease.task_id, "stage": entry.stage, "cost": job.cost, "why": why}
    save_orphan(tx, **of_job, **of_request)


def save_orphan(tx: Connection, **orphan: Any) -> None:
    """Save a submission that no request waits for, with these columns of `orphans`, once per token.

    A later call for the same token updates the cost, and adds the provider's id.
    """
    insert = build_upsert(tx, orphans).values(**orphan, at=now())
    known = func.coalesce(insert.excluded.external_id, orphans.c.external_id)
    tx.execute(
        insert.on_conflict_do_update(
            index_elements=[orphans.c.token],
            set_={"external_id": known, "cost": insert.excluded.cost},
        )
    )


def set_orphan_external_id(
    tx: Connection, provider: str, token: str, external_id: str | None
) -> None:
    """Store the provider's id of the orphan with this token, if the orphan has none."""
    without_id = (
        orphans.c.token == token,
        orphans.c.provider == provider,
        orphans.c.external_id.is_(None),
    )
    tx.execute(update(orphans).where(*without_id).values(external_id=external_id))


def find_id_owner(tx: Connection, job: Job | Row[Any], external_id: str) -> str | None:
    """Return the task_id of another submission with this provider id, or None.

    No other submission gets the id until the transaction ends. The caller has locked the request of `job`.
    """
    # Two concurrent submissions would both find the id free.
    AdvisoryLock.EXTERNAL_ID.take(tx, f"{job.provider} {external_id}")
    query = select_task_of_job(job.provider, external_id, other_than=job.id)
    owner = tx.execute(query).scalars().first()
    return None if owner is None else str(owner)


def describe_duplicate_id(provider: str, external_id: str) -> str:
    """Format the error message about a provider id that another submission has."""
    return f"{provider} calls it {external_id}, which is the id of another submission"


_INSERT_INTENT = (
    insert(provider_jobs)
    .values(status=JobStatus.INTENT, created_at=now())
    .returning(provider_jobs.c.id)
)
_LIVE_JOB = select(provider_jobs, now().label("at")).where(
    provider_jobs.c.request_id == bindparam("request_id"),
    provider_jobs.c.stage == bindparam("stage"),
    provider_jobs.c.generation == bindparam("generation"),
    provider_jobs.c.status.in_(LIVE_JOBS),
)
_IS_THIS_JOB = (
    provider_jobs.c.id == bindparam("of_id"),
    provider_jobs.c.request_id == bindparam("of_request"),
    provider_jobs.c.stage == bindparam("of_stage"),
    provider_jobs.c.generation == bindparam("of_generation"),
    provider_jobs.c.token == bindparam("of_token"),
)
_FIND_JOB = select(provider_jobs.c.id).where(*_IS_THIS_JOB)
_UPDATE_EXPECTED = (
    update(provider_jobs)
    .where(*_IS_THIS_JOB, provider_jobs.c.status.in_(bindparam("expected", expanding=True)))
    .returning(provider_jobs.c.id)
)
_UPDATE_UNWANTED = (
    update(provider_jobs)
    .where(*_IS_THIS_JOB, provider_jobs.c.external_id.is_(None))
    .values(external_id=bindparam("external_id"), cost=bindparam("cost"))
)
_UPDATE_JOB = {
    (is_accepted, is_settled): _UPDATE_EXPECTED.values(
        {
            **({"submitted_at": now()} if is_accepted else {}),
            **({"settled_at": now()} if is_settled else {}),
        }
    )
    for is_accepted in (False, True)
    for is_settled in (False, True)
}
"""The statement that saves an outcome: one that is accepted by it, and one that is settled by it."""
