"""Apply what is learned of a submission later: by the vendor's callback, or by an operator's decision.

A callback may give the submission its id or make the request due; it is no final status. A callback that only
wakes the attempt is counted without an event, because a vendor may repeat it at will.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, select, update

from resources.contract.errors import UnknownSubmissionError
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import (
    ChangedMeanwhileError,
    IllegalTransitionError,
    TakenIdError,
    UnknownCallbackError,
)
from resources.ledger.limits import FINAL_STATUS_PREFIX, parse_wait
from resources.ledger.queries.money import (
    is_newest_generation,
    read_intended_cost,
    select_newest_in_doubt,
)
from resources.ledger.queries.status import is_superseded
from resources.ledger.request import Request
from resources.ledger.rules import STAGE_TIMEOUT, make_unknown_submission_error
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    IN_DOUBT,
    WITHOUT_ID,
    JobStatus,
    Status,
    provider_jobs,
    requests,
)
from resources.ledger.transitions.approval import Act, ensure_no_paid_repeat, is_act_done
from resources.ledger.transitions.core import (
    DUE_NOW,
    NOT_WAITING,
    lock_matching_request,
    lock_request,
    set_bookkeeping_columns,
    transition,
)
from resources.ledger.transitions.jobs import (
    ACCEPTED_UNWANTED,
    describe_duplicate_id,
    find_id_owner,
    save_orphan,
    set_orphan_external_id,
)

GIVEN_UP = "given_up"
RESUBMITTED = "resubmitted"
WITHOUT_IT = (GIVEN_UP, RESUBMITTED)
"""The codes of submissions that an operator has decided not to wait for."""
_WITHOUT_ATTEMPT = (Status.PENDING, Status.FAILED, Status.DEAD, Status.CANCELED)
_FAILED_OR_DEAD = (Status.FAILED, Status.DEAD)
_DUE_WITHOUT_DEATHS: Mapping[str, Any] = {**DUE_NOW, "deaths": 0}


@retry_transient
def save_callback(db: Database, provider: str, token: str, external_id: str | None) -> Request:
    """Save a provider's callback about the submission with this token; return its request.

    A callback may come late, early or repeatedly. Its `external_id` is stored if the submission has none,
    unless the id belongs to another submission; such a duplicate is saved once. The request becomes due at
    once if it waited or died for lack of the id, died because the vendor was late, or waits for the final
    status without a run. An attempt that waits for the callback is woken. A submission that an operator has
    decided not to wait for becomes an orphan. Raises UnknownCallbackError if there is no such submission, or
    it was deleted; an orphan still gets the id.
    """
    if not token.isprintable():
        # No token of castad's, and not text for every database.
        raise UnknownCallbackError
    with db.writing() as tx:
        found = _lock_submission_by_token(tx, provider, token)
        if found is not None:
            return _apply_callback(tx, *found, external_id)
        set_orphan_external_id(tx, provider, token, external_id)
    raise UnknownCallbackError


def _lock_submission_by_token(
    tx: Connection, provider: str, token: str
) -> tuple[Request, Row[Any]] | None:
    """Lock the request of the submission with this token; return it with the submission's row, or None."""
    of_token = (provider_jobs.c.token == token, provider_jobs.c.provider == provider)
    key = tx.execute(select(provider_jobs.c.request_id).where(*of_token)).scalar()
    held = None if key is None else lock_matching_request(tx, requests.c.id == key)
    if held is None:
        return None
    is_newest = is_newest_generation().label("is_newest")
    return held[0], tx.execute(select(provider_jobs, is_newest).where(*of_token)).one()


def _apply_callback(
    tx: Connection, request: Request, job: Row[Any], external_id: str | None
) -> Request:
    """Apply the callback to the locked request and its submission; return the request."""
    if job.error_code in WITHOUT_IT:
        return _save_unwanted_job(tx, request, job, external_id)
    learned, refused = _learn_external_id(tx, job, external_id)
    known = job.heard_id or learned
    woken = {} if is_superseded(tx, request) else _build_wake_up_columns(request, job, known)
    changes = {**woken, **_build_refusal_columns(request, job, refused)}
    if learned is not None or refused is not None or "status" in changes:
        detail = {"stage": job.stage, "provider": job.provider, "external_id": known}
        detail["message"] = refused
        return transition(tx, request, "callback_heard", changes, **detail)
    if changes:
        set_bookkeeping_columns(tx, requests.c.id == request.id, **changes)
    return request


def _save_unwanted_job(
    tx: Connection, request: Request, job: Row[Any], external_id: str | None
) -> Request:
    """Save a job that the vendor accepted although no request waits for it, as an orphan at its expected cost.

    Returns the request, unchanged if the id is None, known already, or that of another submission.
    """
    if external_id is None or job.external_id or job.heard_id:
        return request
    if find_id_owner(tx, job, external_id) is not None:
        return request
    cost = job.cost or read_intended_cost(tx, job)
    _set_job_columns(tx, job, heard_id=external_id, cost=cost)
    of_job = {"stage": job.stage, "provider": job.provider, "external_id": external_id}
    save_orphan(
        tx, token=job.token, task_id=request.task_id, cost=cost, why=ACCEPTED_UNWANTED, **of_job
    )
    newly_counted = None if cost == job.cost else cost
    return transition(
        tx, request, "callback_heard", cost=newly_counted, message=ACCEPTED_UNWANTED, **of_job
    )


def _learn_external_id(
    tx: Connection, job: Row[Any], external_id: str | None
) -> tuple[str | None, str | None]:
    """Store the provider's id if the submission has none; return the pair of the new id and a refusal.

    The refusal is the message about an id that another submission has, if it is not saved already. Both are
    None if there is nothing new.
    """
    if external_id is None or job.status not in WITHOUT_ID or job.external_id or job.heard_id:
        return None, None
    if find_id_owner(tx, job, external_id) is None:
        _set_job_columns(tx, job, heard_id=external_id)
        return external_id, None
    refused = describe_duplicate_id(job.provider, external_id)
    if refused in (job.error_message or ""):
        return None, None
    _set_job_columns(
        tx,
        job,
        error_message=make_unknown_submission_error(job.stage, job.provider, refused).message,
    )
    return None, refused


def _set_job_columns(tx: Connection, job: Row[Any], **known: str | int) -> None:
    is_it = (provider_jobs.c.request_id == job.request_id, provider_jobs.c.token == job.token)
    tx.execute(update(provider_jobs).where(*is_it).values(known))


def _build_refusal_columns(
    request: Request, job: Row[Any], refused: str | None
) -> Mapping[str, Any]:
    """Build the new error message of a request that waits for an id, if the id was refused; empty otherwise."""
    waits = request.error_code == UnknownSubmissionError.code and request.status in _FAILED_OR_DEAD
    if refused is None or not waits:
        return {}
    return {
        "error_message": make_unknown_submission_error(job.stage, job.provider, refused).message
    }


def _build_wake_up_columns(request: Request, job: Row[Any], known: str | None) -> Mapping[str, Any]:
    """Build the column changes that make the request due or wake its attempt; empty if it waits for no callback.

    `known` is the provider's id, None if it is not known.
    """
    if job.status not in IN_DOUBT or not job.is_newest:
        return {}
    if (
        request.status is Status.PENDING
        and parse_wait(FINAL_STATUS_PREFIX, request.waits_for) == job.provider
    ):
        return {} if request.not_before is None else {"status": Status.PENDING, "not_before": None}
    if request.status is Status.PROCESSING:
        return {"callbacks": requests.c.callbacks + 1}
    wants_id = request.error_code == UnknownSubmissionError.code
    if known and wants_id and request.status in _FAILED_OR_DEAD:
        return DUE_NOW
    # The vendor was slower than the stage's deadline: the job is there, and is polled again.
    is_late = request.error_code == STAGE_TIMEOUT and job.status == JobStatus.SUBMITTED
    return DUE_NOW if is_late and request.status is Status.DEAD else {}


@retry_transient
def attach_job(
    db: Database,
    task_id: str,
    external_id: str,
    by: str | None = None,
    attempt: int | None = None,
) -> Request:
    """Attach the provider's job `external_id` to the submission in doubt, and make the request due.

    The request then waits for the job's final status. A dead or canceled request stays so while another one
    holds its unique key, but the job is attached. `by` is the operator, `attempt` the last one that the
    operator has seen: repeating the act changes nothing. Raises UnknownRequestError, IllegalTransitionError if
    no submission is in doubt,
    ChangedMeanwhileError if another attempt is the last, and TakenIdError if the job belongs to another
    request.
    """
    act = Act("resolved", attempt, {"choice": "attach", "external_id": external_id})
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        if attempt is not None and is_act_done(tx, request, act):
            return request
        request, job = _lock_submission_in_doubt(tx, task_id, attempt)
        owner = find_id_owner(tx, job, external_id)
        if owner is not None:
            raise TakenIdError(f"--attach: {external_id} is the job of {owner!r}")
        known = {"status": JobStatus.SUBMITTED, "external_id": external_id, "submitted_at": now()}
        _update_job(tx, job, {**known, "error_code": None, "error_message": None})
        changes = {} if is_superseded(tx, request) else _DUE_WITHOUT_DEATHS
        return _transition_resolved_request(
            tx, request, job, changes, "attach", by, external_id=external_id, act=act.key
        )


@retry_transient
def resubmit_request(
    db: Database, task_id: str, by: str | None = None, attempt: int | None = None
) -> Request:
    """Make the request due and let it submit again, because the vendor does not have the first submission.

    That one counts as free, unless the vendor names its job later. `attempt` is the last one that the
    operator has seen: repeating the act changes nothing. Raises UnknownRequestError, and
    IllegalTransitionError if no submission is in doubt or its provider id is known. Raises
    ChangedMeanwhileError if another attempt is the last, or if none is named and an earlier resubmission has
    cost money.
    """
    act = Act("resolved", attempt, {"choice": RESUBMITTED})
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        if attempt is not None and is_act_done(tx, request, act):
            return request
        request, job = _lock_submission_in_doubt(tx, task_id, attempt)
        ensure_no_paid_repeat(
            tx, request, act, of="order", newest=request.attempt, number="attempt"
        )
        _ensure_id_unknown(job, task_id)
        failed = _build_failure_columns(RESUBMITTED, "submitted again by an operator's decision")
        _update_job(tx, job, {**failed, "cost": 0})
        known = {"cost": 0, "act": act.key}
        return _transition_resolved_request(
            tx, request, job, _DUE_WITHOUT_DEATHS, "resubmit", by, **known
        )


@retry_transient
def give_up_submission(
    db: Database, task_id: str, by: str | None = None, attempt: int | None = None
) -> Request:
    """Set a request with a submission in doubt `dead`; a retry submits again.

    The possible cost of the submission stays counted. `by` is the operator, `attempt` the last one that the
    operator has seen: repeating the act changes nothing. Raises UnknownRequestError, ChangedMeanwhileError if
    another attempt is the last, and
    IllegalTransitionError if no submission is in doubt or its provider id is known.
    """
    act = Act("resolved", attempt, {"choice": GIVEN_UP})
    with db.writing() as tx:
        request, _ = lock_request(tx, task_id)
        if attempt is not None and is_act_done(tx, request, act):
            return request
        request, job = _lock_submission_in_doubt(tx, task_id, attempt)
        _ensure_id_unknown(job, task_id)
        detail = (
            f"{job.stage}: the submission to {job.provider} was given up by an operator's decision"
        )
        _update_job(tx, job, _build_failure_columns(GIVEN_UP, detail))
        dead = {"status": Status.DEAD, "not_before": None, **NOT_WAITING}
        error = {"error_code": GIVEN_UP, "error_message": detail}
        return _transition_resolved_request(
            tx, request, job, {**dead, **error}, "give-up", by, act=act.key
        )


def _lock_submission_in_doubt(
    tx: Connection, task_id: str, attempt: int | None
) -> tuple[Request, Row[Any]]:
    """Lock the request; return it with the row of its submission in doubt.

    Raises UnknownRequestError, IllegalTransitionError if no submission is in doubt or an attempt is at work,
    and ChangedMeanwhileError if another attempt than `attempt` is the last.
    """
    request, _ = lock_request(tx, task_id)
    job = tx.execute(select_newest_in_doubt(request.id)).one_or_none()
    if job is None:
        raise IllegalTransitionError(
            f"task_id: {task_id!r} has no submission in doubt; nothing to resolve"
        )
    if request.status not in _WITHOUT_ATTEMPT:
        raise IllegalTransitionError(
            f"task_id: {task_id!r} is {request.status}; wait until its attempt has ended, or cancel it"
        )
    if attempt not in (None, request.attempt):
        raise ChangedMeanwhileError("order", request.attempt, attempt, "attempt")
    return request, job


def _ensure_id_unknown(job: Row[Any], task_id: str) -> None:
    """Raise IllegalTransitionError if the submission's provider id is known: that job may still deliver."""
    known = job.external_id or job.heard_id
    if known is not None:
        raise IllegalTransitionError(
            f"task_id: {task_id!r} is {job.provider}'s job {known}; `castad retry {task_id}` continues "
            f"with it, `castad redo {task_id} --from {job.stage}` buys another"
        )


def _build_failure_columns(code: str, message: str) -> Mapping[str, Any]:
    return {
        "status": JobStatus.FAILED,
        "settled_at": now(),
        "error_code": code,
        "error_message": message,
    }


def _update_job(tx: Connection, job: Row[Any], values: Mapping[str, Any]) -> None:
    """Change the submission; raise IllegalTransitionError if its status has changed since it was read."""
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


def _transition_resolved_request(
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
