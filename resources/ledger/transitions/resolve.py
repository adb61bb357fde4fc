"""Transitions by which an operator resolves a submission in doubt."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, update

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ChangedMeanwhileError,
    IllegalTransitionError,
    TakenIdError,
)
from resources.ledger.queries.key_holders import is_superseded
from resources.ledger.queries.spending import newest_in_doubt
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import JobStatus, Status, provider_jobs
from resources.ledger.transitions.acts import Act, ensure_first, was_done
from resources.ledger.transitions.core import DUE_NOW, NOT_WAITING, lock_task, transition
from resources.ledger.transitions.job_ids import find_id_owner

GIVEN_UP = "given_up"
RESUBMITTED = "resubmitted"
WITHOUT_IT = (GIVEN_UP, RESUBMITTED)
"""The codes of a submission that an operator has decided not to wait for."""
_OPEN = (Status.PENDING, Status.FAILED, Status.DEAD, Status.CANCELED)
_DUE_AGAIN: Mapping[str, Any] = {**DUE_NOW, "deaths": 0}


@retry_transient
def attach(
    db: Database,
    task_id: str,
    external_id: str,
    by: str | None = None,
    attempt: int | None = None,
) -> Request:
    """The submission is the provider's job `external_id`; the request is due, and waits for its final status.

    A dead or canceled request stays so while another one holds its unique key; the job is its own all the same.
    Raises UnknownRequestError, IllegalTransitionError where no submission is in doubt, and TakenIdError where the
    job belongs to another request.
    """
    with db.writing() as tx:
        request, job = _lock_in_doubt(tx, task_id, attempt)
        _refuse_taken(tx, job, external_id)
        known = {"status": JobStatus.SUBMITTED, "external_id": external_id, "submitted_at": now()}
        _update_job(tx, job, {**known, "error_code": None, "error_message": None})
        changes = {} if is_superseded(tx, request) else _DUE_AGAIN
        return _transition_resolved(
            tx, request, job, changes, "attach", by, external_id=external_id
        )


@retry_transient
def resubmit(
    db: Database, task_id: str, by: str | None = None, attempt: int | None = None
) -> Request:
    """The request is due and submits again: by the operator's word the vendor does not have the first submission.

    So that one costs nothing, until the vendor names its job after all. `attempt` is the last one that the
    operator has seen: the same act again is the same one and changes nothing. Raises UnknownRequestError,
    IllegalTransitionError, and ChangedMeanwhileError where another attempt is the last, or none is named and a
    former submission was sent again.
    """
    act = Act("resolved", attempt, {"choice": RESUBMITTED})
    with db.writing() as tx:
        request, _ = lock_task(tx, task_id)
        if attempt is not None and was_done(tx, request, act):
            return request
        request, job = _lock_in_doubt(tx, task_id, attempt)
        ensure_first(tx, request, act, of="order", newest=request.attempt, number="attempt")
        _refuse_identified(job, task_id)
        failed = _failed(RESUBMITTED, "submitted again by an operator's decision")
        _update_job(tx, job, {**failed, "cost": 0})
        known = {"cost": 0, "act": act.key}
        return _transition_resolved(tx, request, job, _DUE_AGAIN, "resubmit", by, **known)


@retry_transient
def give_up(
    db: Database, task_id: str, by: str | None = None, attempt: int | None = None
) -> Request:
    """The request is dead; a retry submits again. What the first submission may have cost stays counted.

    Raises UnknownRequestError and IllegalTransitionError.
    """
    with db.writing() as tx:
        request, job = _lock_in_doubt(tx, task_id, attempt)
        _refuse_identified(job, task_id)
        detail = (
            f"{job.stage}: the submission to {job.provider} was given up by an operator's decision"
        )
        _update_job(tx, job, _failed(GIVEN_UP, detail))
        dead = {"status": Status.DEAD, "not_before": None, **NOT_WAITING}
        error = {"error_code": GIVEN_UP, "error_message": detail}
        return _transition_resolved(tx, request, job, {**dead, **error}, "give-up", by)


def _lock_in_doubt(tx: Connection, task_id: str, attempt: int | None) -> tuple[Request, Row[Any]]:
    request, _ = lock_task(tx, task_id)
    job = tx.execute(newest_in_doubt(request.id)).one_or_none()
    if job is None:
        raise IllegalTransitionError(
            f"task_id: {task_id!r} has no submission in doubt; nothing to resolve"
        )
    if request.status not in _OPEN:
        raise IllegalTransitionError(
            f"task_id: {task_id!r} is {request.status}; wait until its attempt has ended, or cancel it"
        )
    if attempt not in (None, request.attempt):
        raise ChangedMeanwhileError("order", request.attempt, attempt, "attempt")
    return request, job


def _refuse_identified(job: Row[Any], task_id: str) -> None:
    """Refuse to resubmit or give up a submission whose id is known: that job may still deliver."""
    known = job.external_id or job.heard_id
    if known is not None:
        raise IllegalTransitionError(
            f"task_id: {task_id!r} is {job.provider}'s job {known}; `castad retry {task_id}` continues "
            f"with it, `castad redo {task_id} --from {job.stage}` buys another"
        )


def _refuse_taken(tx: Connection, job: Row[Any], external_id: str) -> None:
    owner = find_id_owner(tx, job.provider, external_id, other_than=job.id)
    if owner is not None:
        raise TakenIdError(f"--attach: {external_id} is the job of {owner!r}")


def _failed(code: str, message: str) -> Mapping[str, Any]:
    return {
        "status": JobStatus.FAILED,
        "settled_at": now(),
        "error_code": code,
        "error_message": message,
    }


def _update_job(tx: Connection, job: Row[Any], values: Mapping[str, Any]) -> None:
    guarded = (
        update(provider_jobs)
        .where(provider_jobs.c.token == job.token, provider_jobs.c.status == job.status)
        .values(values)
        .returning(provider_jobs.c.id)
    )
    if tx.execute(guarded).one_or_none() is None:
        raise IllegalTransitionError(
            f"{job.stage}: the submission has changed since it was read; check its status and try again"
        )


def _transition_resolved(
    tx: Connection,
    request: Request,
    job: Row[Any],
    changes: Mapping[str, Any],
    verb: str,
    by: str | None,
    **known: Any,
) -> Request:
    detail = {"stage": job.stage, "provider": job.provider, "message": verb, "by": by, **known}
    return transition(tx, request, "resolved", changes, **detail)
