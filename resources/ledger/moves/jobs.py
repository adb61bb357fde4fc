"""Moves of a submission: intended, sent, settled. What is sent here costs money."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from resources.ledger.database import Database
from resources.ledger.errors import IllegalMoveError, LeaseLostError
from resources.ledger.moves.core import Lease, lock_held, move
from resources.ledger.moves.stages import StageEntry
from resources.ledger.sqltime import now
from resources.ledger.tables import LIVE_JOBS, JobStatus, provider_jobs


@dataclass(frozen=True)
class Job:
    """One submission to a provider; `cost` in micro-dollars."""

    id: int
    provider: str
    status: JobStatus
    token: str
    external_id: str | None
    request_hash: str
    answer: Mapping[str, Any] | None
    cost: int


def live_job(db: Database, lease: Lease, entry: StageEntry) -> Job | None:
    """The one submission of this stage and generation that may still deliver, if there is one."""
    query = select(provider_jobs).where(
        provider_jobs.c.request_id == lease.request_id,
        provider_jobs.c.stage == entry.stage,
        provider_jobs.c.generation == entry.generation,
        provider_jobs.c.status.in_(LIVE_JOBS),
    )
    with db.reading() as tx:
        row = tx.execute(query).one_or_none()
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
    )


def intend(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    *,
    provider: str,
    token: str,
    request_hash: str,
    cost: int,
) -> Job:
    """The submission is on record before anything is sent. Raises LeaseLostError.

    The unique index on live jobs refuses a second one for the same stage and generation.
    """
    with db.writing() as tx:
        request, _ = lock_held(tx, lease)
        values = {
            "request_id": request.id,
            "stage": entry.stage,
            "generation": entry.generation,
            "attempt": lease.attempt,
            "provider": provider,
            "status": JobStatus.INTENT,
            "token": token,
            "request_hash": request_hash,
            "cost": cost,
            "created_at": now(),
        }
        statement = insert(provider_jobs).values(values).returning(provider_jobs.c.id)
        key = tx.execute(statement).scalar_one()
        move(tx, request, "submission_intended", stage=entry.stage, provider=provider, cost=cost)
    return Job(key, provider, JobStatus.INTENT, token, None, request_hash, None, cost)


def settle_job(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    job: Job,
    status: JobStatus,
    *,
    external_id: str | None = None,
    answer: Mapping[str, Any] | None = None,
    code: str | None = None,
    message: str | None = None,
) -> Job:
    """What is known of a submission now is on record, with its event.

    Raises IllegalMoveError where the submission is no longer as `job` says: somebody knows more.
    Raises LeaseLostError; what became of an intent is recorded all the same, without an event: it is
    knowledge about money, and the next attempt must not have to guess.
    """
    kept_id = external_id or job.external_id
    values = {
        "status": status,
        "external_id": kept_id,
        "answer": None if answer is None else json.dumps(answer, ensure_ascii=False),
        "error_code": code,
        "error_message": message,
        "submitted_at" if status is JobStatus.SUBMITTED else "settled_at": now(),
    }
    known: Mapping[str, Any] = {
        "provider": job.provider,
        "external_id": kept_id,
        "code": code,
        "message": message,
    }
    kind = "submitted" if status is JobStatus.SUBMITTED else f"submission_{status}"
    try:
        with db.writing() as tx:
            request, _ = lock_held(tx, lease)
            expected = [status for status in LIVE_JOBS if status is job.status]
            if not _settle(tx, job, expected, values):
                raise IllegalMoveError(f"submission {job.id} of {lease.task_id} was settled before")
            move(tx, request, kind, stage=entry.stage, **known)
    except LeaseLostError:
        if job.status is JobStatus.INTENT:
            with db.writing() as tx:
                _settle(tx, job, (JobStatus.INTENT, JobStatus.UNKNOWN), values)
        raise
    return Job(job.id, job.provider, status, job.token, kept_id, job.request_hash, answer, job.cost)


def _settle(
    tx: Connection, job: Job, expected: Sequence[JobStatus], values: Mapping[str, Any]
) -> bool:
    guarded = (
        update(provider_jobs)
        .where(provider_jobs.c.id == job.id, provider_jobs.c.status.in_(expected))
        .values(values)
        .returning(provider_jobs.c.id)
    )
    return tx.execute(guarded).one_or_none() is not None


def note_progress(db: Database, job: Job, progress: float) -> None:
    """How far the provider says it is, in [0, 1], for people to look at; no move and no event."""
    with db.writing() as tx:
        tx.execute(
            update(provider_jobs)
            .where(provider_jobs.c.id == job.id, provider_jobs.c.status == JobStatus.SUBMITTED)
            .values(progress=progress)
        )
