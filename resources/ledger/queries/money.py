"""Read providers' submissions: their costs, the ones in doubt, orphans, and pauses."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.status import build_events_query, list_columns, make_event_view
from resources.ledger.request import Request
from resources.ledger.rules import MAX_RETRIES, FailureHistory
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    AT_WORK,
    IN_DOUBT,
    JobStatus,
    Status,
    events,
    orphans,
    provider_jobs,
    providers,
    requests,
    spent_days,
    spool_costs,
    stages,
)

_JOBS_READ = 5000
_JOBS_REMEMBERED = 20
_JOBS_NEEDED = 3
SUBMISSION_LOST = "submission_lost"
ORDER_CHANGED = "order_changed"
PROVIDER_CHANGED = "provider_changed"
ABANDONED_CODES = (SUBMISSION_LOST, ORDER_CHANGED, PROVIDER_CHANGED)
"""Codes of submissions that were replaced without a final status and without an operator's decision."""
_MANUAL_TRANSITIONS = ("retried", "redone", "resolved")
_MOST_LISTED = 100


@dataclass(frozen=True)
class ProviderPause:
    """The pause of a provider: until when, and why ("" if unknown)."""

    provider: str
    until: datetime
    why: str


def read_pauses(db: Database) -> list[ProviderPause]:
    """Read the pauses of providers that have not ended, by the provider's name."""
    query = select(providers).where(providers.c.paused_until > now()).order_by(providers.c.name)
    return [
        ProviderPause(row.name, row.paused_until, row.pause_reason or "")
        for row in db.fetch_all(query)
    ]


def count_waiting_for(db: Database, provider: str) -> int:
    """Count the pending requests that wait for a paused provider."""
    query = select(func.count()).where(
        requests.c.waits_for == provider, requests.c.status == Status.PENDING
    )
    return int(db.fetch_value(query) or 0)


def count_polled_jobs(db: Database, provider: str) -> int:
    """Count the submitted jobs of a provider whose requests are being processed, so that they are polled."""
    return int(db.fetch_value(_select_polled_jobs(provider, func.count())) or 0)


def list_polled_external_ids(db: Database, provider: str) -> list[str]:
    """List the external ids of the provider's submitted jobs that are polled; their requests are processing."""
    return [
        str(each)
        for each in db.fetch_column(_select_polled_jobs(provider, provider_jobs.c.external_id))
    ]


def _select_polled_jobs(provider: str, column: ColumnElement[Any]) -> Select[Any]:
    """Build the SELECT of one column or aggregate over the provider's jobs that are being polled."""
    return (
        select(column)
        .select_from(provider_jobs)
        .join(requests)
        .where(
            provider_jobs.c.provider == provider,
            provider_jobs.c.status == JobStatus.SUBMITTED.value,
            requests.c.status == Status.PROCESSING,
            requests.c.stage == provider_jobs.c.stage,
        )
    )


def compute_usual_seconds(db: Database, pipeline: str, stage: str, provider: str) -> float | None:
    """Compute the median duration of the stage's last 20 successful jobs at a provider; None for fewer than three.

    Only the newest 5,000 submissions of the whole ledger are searched, so that the query's cost is bounded.
    """
    oldest = select(func.max(provider_jobs.c.id) - _JOBS_READ).scalar_subquery()
    query = (
        select(provider_jobs.c.submitted_at, provider_jobs.c.settled_at)
        .join(requests)
        .where(
            provider_jobs.c.id > oldest,
            provider_jobs.c.stage == stage,
            provider_jobs.c.provider == provider,
            provider_jobs.c.status == JobStatus.SUCCEEDED.value,
            provider_jobs.c.submitted_at.is_not(None),
            requests.c.pipeline == pipeline,
        )
        .order_by(provider_jobs.c.id.desc())
        .limit(_JOBS_REMEMBERED)
    )
    rows = db.fetch_all(query)
    if len(rows) < _JOBS_NEEDED:
        return None
    seconds: list[float] = [(row.settled_at - row.submitted_at).total_seconds() for row in rows]
    return median(seconds)


def list_requests_in_doubt(db: Database, limit: int) -> list[str]:
    """List the task_ids of requests that have a lost submission and no attempt that processes them, newest first.

    A submission about which the vendor has called back is not lost.
    """
    query = (
        select(requests.c.task_id)
        .join(provider_jobs)
        .where(
            is_lost(),
            requests.c.status != Status.PROCESSING,
        )
        .order_by(provider_jobs.c.id.desc())
        .limit(limit)
    )
    return list(db.fetch_column(query))


@retry_transient
def read_failure_history(
    db: Database, request_id: int, stage: str, generation: int, code: str
) -> FailureHistory:
    """Count the stage's submissions that failed with this code.

    The result also says whether a person has asked for more retries.
    """
    of_stage = _build_failed_conditions(request_id, stage, generation)
    times = select(func.count()).where(*of_stage, provider_jobs.c.error_code == code)
    retries = select(requests.c.max_retries).where(requests.c.id == request_id)
    with db.reading() as tx:
        many = int(tx.execute(retries).scalar() or 0) > MAX_RETRIES
        decided = tx.execute(_select_last_manual_transition(request_id)).scalar() is not None
        return FailureHistory(
            int(tx.execute(times).scalar_one()), retries_requested=many or decided
        )


@retry_transient
def sum_abandoned_cost(db: Database, request_id: int, stage: str, generation: int) -> int:
    """Sum the possible cost of a stage's submissions that were replaced by another one, in micro-dollars.

    Only submissions since a person last made the request due count: that decision allows the same cost again.
    """
    query = select(func.sum(provider_jobs.c.cost)).where(
        *_build_failed_conditions(request_id, stage, generation),
        provider_jobs.c.error_code.in_(ABANDONED_CODES),
    )
    with db.reading() as tx:
        since = tx.execute(_select_last_manual_transition(request_id)).scalar()
        counted = query if since is None else query.where(provider_jobs.c.settled_at >= since)
        return int(tx.execute(counted).scalar() or 0)


def read_intended_cost(tx: Connection, job: Row[Any]) -> int:
    """Read the cost that a submission was expected to have when it was stored, in micro-dollars; 0 if unknown.

    `job` is a row of `provider_jobs`.
    """
    intent = build_events_query().where(
        events.c.request_id == job.request_id,
        events.c.type == "submission_intended",
        events.c.at <= job.created_at,
    )
    newest = tx.execute(intent.order_by(events.c.seq.desc()).limit(1)).one_or_none()
    cost = None if newest is None else make_event_view(newest._mapping).data.get("cost")
    return cost if isinstance(cost, int) else 0


def _build_failed_conditions(
    request_id: int, stage: str, generation: int
) -> tuple[ColumnElement[bool], ...]:
    """Build the SQL conditions that select the failed submissions of a stage's generation."""
    return (
        provider_jobs.c.request_id == request_id,
        provider_jobs.c.stage == stage,
        provider_jobs.c.generation == generation,
        provider_jobs.c.status == JobStatus.FAILED.value,
    )


def _select_last_manual_transition(request_id: int) -> Select[Any]:
    """Build the SELECT of the time when a person last made the request due, by a command or by SQL."""
    by_hand = and_(events.c.type == "edited", events.c["to"] == Status.PENDING.value)
    from_elsewhere = events.c["from"] != Status.PENDING.value
    return select(func.max(events.c.at)).where(
        events.c.request_id == request_id,
        or_(events.c.type.in_(_MANUAL_TRANSITIONS), and_(by_hand, from_elsewhere)),
    )


def select_newest_in_doubt(request_id: int) -> Select[Any]:
    """Build the SELECT of the request's newest submission that has no final status and may still deliver."""
    return (
        select(provider_jobs)
        .where(
            provider_jobs.c.request_id == request_id,
            provider_jobs.c.status.in_(IN_DOUBT),
            is_newest_generation(),
        )
        .order_by(provider_jobs.c.id.desc())
        .limit(1)
    )


def select_task_of_job(provider: str, external_id: str, *, other_than: int) -> CompoundSelect[Any]:
    """Build the SELECT of the task_ids whose submissions have this external id at the provider.

    The submission with the id `other_than` is left out. Orphans of deleted requests are included.
    """
    called = (provider_jobs.c.external_id == external_id, provider_jobs.c.heard_id == external_id)
    there = (
        select(requests.c.task_id)
        .join(provider_jobs)
        .where(
            provider_jobs.c.provider == provider,
            or_(*called),
            provider_jobs.c.id != other_than,
        )
    )
    deleted = select(orphans.c.task_id).where(
        orphans.c.provider == provider, orphans.c.external_id == external_id
    )
    return there.union_all(deleted)


def is_lost() -> ColumnElement[bool]:
    """Build the SQL condition on `provider_jobs` that a submission is lost.

    A submission is not lost if the vendor has called back about it, or a newer generation has replaced it.
    """
    return and_(
        provider_jobs.c.status == JobStatus.UNKNOWN.value,
        provider_jobs.c.heard_id.is_(None),
        is_newest_generation(),
    )


def is_newest_generation() -> ColumnElement[bool]:
    """Build the SQL condition on `provider_jobs` that a submission belongs to its stage's newest generation.

    The results of older generations are no longer awaited.
    """
    newest = (
        select(func.max(stages.c.generation))
        .where(
            stages.c.request_id == provider_jobs.c.request_id,
            stages.c.stage == provider_jobs.c.stage,
        )
        .scalar_subquery()
    )
    return provider_jobs.c.generation == newest


def find_submission_in_doubt(db: Database, request: Request) -> Row[Any] | None:
    """Find the request's newest submission without a final status, as a row of `provider_jobs`.

    None if there is none.
    """
    row: Row[Any] | None = db.fetch_one(select_newest_in_doubt(request.id))
    return row


def select_deleted_costs(
    *grouped: Any, since: datetime | None = None, owner: str | None = None
) -> Select[Any]:
    """Build the SELECT of the summed cost of deleted submissions, in micro-dollars, grouped by these columns.

    Args:
        grouped: columns of `spent_days`; without any, one sum.
        since: only days from this midnight (UTC) on.
        owner: only this owner's submissions; None for all.
    """
    query = select(*grouped, func.sum(spent_days.c.cost))
    if since is not None:
        query = query.where(spent_days.c.day >= get_day(since))
    if owner is not None:
        query = query.where(spent_days.c.owner == owner)
    return query.group_by(*grouped) if grouped else query


# The submission may still be stored, with its final cost.
_KNOWN_COST = func.coalesce(
    select(provider_jobs.c.cost).where(provider_jobs.c.token == orphans.c.token).scalar_subquery(),
    orphans.c.cost,
)


@dataclass(frozen=True)
class OrphanJob:
    """A submission that may have cost money and whose request was deleted or could not be stored.

    `cost` is in micro-dollars, the final one if it is known. `task_id` is that of the former request.
    `external_id` is the provider's id of the job, None if unknown.
    """

    provider: str
    external_id: str | None
    task_id: str
    stage: str
    cost: int
    at: datetime
    why: str


@dataclass(frozen=True)
class OrphanList:
    """The newest orphaned submissions, and the number and cost (micro-dollars) of all of them."""

    count: int
    cost: int
    newest: tuple[OrphanJob, ...]


def list_orphans(tx: Connection, limit: int = _MOST_LISTED) -> OrphanList:
    """Read the newest orphaned submissions, at most `limit`, with the number and cost of all of them."""
    count, cost = tx.execute(select(func.count(), func.sum(_KNOWN_COST))).one()
    columns = (
        _KNOWN_COST if each is orphans.c.cost else each for each in list_columns(orphans, OrphanJob)
    )
    rows = tx.execute(select(*columns).order_by(orphans.c.id.desc()).limit(limit))
    return OrphanList(count, int(cost or 0), tuple(OrphanJob(*row) for row in rows))


def select_orphan_costs(*grouped: Any) -> Select[Any]:
    """Build the SELECT of the summed cost of orphans, in micro-dollars, grouped by these columns of `orphans`.

    Orphans whose submission is still stored are left out, because it is counted there.
    """
    counted = exists().where(provider_jobs.c.token == orphans.c.token)
    query = select(*grouped, func.sum(orphans.c.cost)).where(orphans.c.cost > 0, ~counted)
    return query.group_by(*grouped) if grouped else query


@retry_transient
def sum_spent_today(db: Database, but_spool: str | None = None) -> int:
    """Sum the cost of all submissions since midnight (UTC), in micro-dollars, with deleted requests and orphans.

    Costs in spools that are not imported yet count too, except those of the spool named `but_spool`.
    """
    with db.reading() as tx:
        return sum_spent_of_day(tx, but_spool)[0]


def sum_spent_of_day(
    tx: Connection, but_spool: str | None = None
) -> tuple[int, datetime, datetime]:
    """Sum the costs since midnight (UTC) in micro-dollars; return the sum, the database's time, and that midnight.

    Costs in spools that are not imported yet count too, except those of the spool named `but_spool`.
    """
    at = tx.execute(select(now())).scalar_one()
    midnight = get_midnight(at)
    orphaned = tx.execute(select_orphan_costs().where(orphans.c.at >= midnight)).scalar()
    deleted = tx.execute(select_deleted_costs(since=midnight)).scalar()
    kept = sum_job_costs(tx, provider_jobs.c.created_at >= midnight)
    spooled = tx.execute(_SPOOLED, {"day": get_day(at), "but_spool": but_spool or ""}).scalar()
    return kept + int(orphaned or 0) + int(deleted or 0) + int(spooled or 0), at, midnight


def get_midnight(moment: datetime) -> datetime:
    """Return the beginning of the moment's day, in the moment's time zone."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def get_day(moment: datetime) -> str:
    """Format the moment's day as YYYY-MM-DD, as in the columns `day`."""
    return f"{moment:%Y-%m-%d}"


_SPOOLED = select(func.sum(spool_costs.c.cost)).where(
    spool_costs.c.day == bindparam("day"), spool_costs.c.spool != bindparam("but_spool")
)


def sum_job_costs(tx: Connection, condition: ColumnElement[bool]) -> int:
    """Sum the cost of the submissions that match the condition on `provider_jobs`, in micro-dollars."""
    costs = select(func.sum(provider_jobs.c.cost)).where(condition, provider_jobs.c.cost > 0)
    return int(tx.execute(costs).scalar() or 0)


@dataclass(frozen=True)
class SubmissionView:
    """One submission of a request to a provider.

    `cost` in micro-dollars was or may have been charged. `external_id` is the provider's id of the job,
    `heard_id` the id that the vendor's callback named.
    """

    id: int
    stage: str
    generation: int
    provider: str
    status: str
    token: str
    external_id: str | None
    heard_id: str | None
    cost: int
    error_code: str | None
    error_message: str | None
    created_at: datetime
    submitted_at: datetime | None
    settled_at: datetime | None


@dataclass(frozen=True)
class Submissions:
    """A request's submissions, the oldest first.

    `in_doubt` is the lost one that an operator has to decide about, None if there is none.
    """

    views: tuple[SubmissionView, ...]
    in_doubt: SubmissionView | None


@retry_transient
def list_submissions(db: Database, request: Request) -> Submissions:
    """Read the submissions of this request, and which of them an operator has to decide about."""
    columns = list_columns(provider_jobs, SubmissionView)
    query = select(*columns).where(provider_jobs.c.request_id == request.id)
    with db.reading() as tx:
        rows = tx.execute(query.order_by(provider_jobs.c.id)).mappings()
        views = tuple(SubmissionView(**row) for row in rows)
        doubt = tx.execute(select_newest_in_doubt(request.id)).one_or_none()
    lost = None if doubt is None else next(each for each in views if each.id == doubt.id)
    return Submissions(views, lost if _needs_decision(request, lost) else None)


def _needs_decision(request: Request, doubt: SubmissionView | None) -> bool:
    """Return whether an operator has to decide about the submission: it is lost, and no attempt is at work."""
    is_lost = doubt is not None and doubt.status == JobStatus.UNKNOWN and doubt.heard_id is None
    return is_lost and request.status not in AT_WORK
