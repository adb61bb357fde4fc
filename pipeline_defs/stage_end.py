"""How an op ends without its product: retried in its step, failed, or with a run that ends CANCELED."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

from dagster import (
    DagsterExecutionInterruptedError,
    DagsterRunStatus,
    Failure,
    OpExecutionContext,
    RetryRequested,
)
from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import TransientError
from resources.dagster.canceled_run import report_canceling
from resources.dagster.exit_message import set_exit_message
from resources.dagster.request_runs import RETRY_TAG, TASK_ID_TAG
from resources.ledger.failures import INTERNAL_ERROR, STAGE_TIMEOUT, classify_failure
from resources.ledger.ledger_errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.queries.reads import get_request
from resources.ledger.rules import FailureAction, retry_policy
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.attempts import confirm_cancel, release
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.purchase.run_end import close_failed

_log = logging.getLogger("castad.run")

OP_MAX_RETRIES = 2
"""How often Dagster retries a step before the attempt ends."""
_OP_RETRY_MAX_WAIT = 10


def ensure_not_ended(attempt: Attempt, stage: str) -> None:
    """Return while the attempt is at work; raises Failure with the sentence of its end.

    Dagster also begins the ops that need no product of the op which has ended the attempt.
    """
    if attempt.end_reason is not None:
        sentence = f"{stage} was not begun: {attempt.end_reason}"
        raise Failure(description=sentence, allow_retries=False)


def end_op(
    context: OpExecutionContext, attempt: Attempt, stage: str, error: BaseException
) -> NoReturn:
    """The attempt has ended in the ledger, and Failure is raised without further retries.

    Where Dagster retries the step first, the error itself is raised, and nothing has ended.
    """
    match error:
        case CancelRequestedError():
            _cancel_or_release(attempt, canceled=True)
            _end_run_canceled(context, attempt, error.message, error)
        case LeaseLostError():
            _cancel_or_release(attempt, canceled=False)
            _end_run_canceled(context, attempt, error.message, error)
        case DagsterExecutionInterruptedError() | WorkerStoppingError():
            _end_interrupted(context, attempt)
        case _:
            _end_failed(context, attempt, stage, error)


def _end_interrupted(context: OpExecutionContext, attempt: Attempt) -> NoReturn:
    """A run that was terminated in Dagster cancels its request; a stopping worker releases it uncounted.

    The interrupt itself must not leave the op: Dagster's op retries would catch it and continue.
    """
    run = context.instance.get_run_by_id(context.run_id)
    by_hand = run is not None and run.status is DagsterRunStatus.CANCELING
    _cancel_or_release(attempt, canceled=by_hand)
    sentence = "the worker is stopping; the request is pending again"
    _end_run_canceled(context, attempt, "the run was terminated" if by_hand else sentence)


def _cancel_or_release(attempt: Attempt, *, canceled: bool) -> None:
    """The lease is closed; where the database does not answer, it expires."""
    attempt.is_closed = True
    if attempt.lease is None:
        return
    with suppress(LeaseLostError, SQLAlchemyError):
        if canceled:
            confirm_cancel(attempt.db, attempt.lease)
        else:
            release(attempt.db, attempt.lease)


def _end_run_canceled(
    context: OpExecutionContext, attempt: Attempt, sentence: str, cause: BaseException | None = None
) -> NoReturn:
    attempt.end_reason = sentence
    report_canceling(context.instance, context.run, context.run.tags.get(TASK_ID_TAG), sentence)
    raise Failure(description=sentence, allow_retries=False) from cause


def _end_failed(
    context: OpExecutionContext, attempt: Attempt, stage: str, error: BaseException
) -> NoReturn:
    if _is_retried_in_step(error) and context.retry_number < OP_MAX_RETRIES:
        if attempt.is_draining:
            _end_interrupted(context, attempt)
        _log.info("step retried: %s", error, extra=log_fields(attempt))
        retry_after = getattr(error, "retry_after", None)
        if retry_after:
            raise RetryRequested(OP_MAX_RETRIES, seconds_to_wait=retry_after) from error
        raise error
    failure = classify_failure(error, stage)
    sentence = f"{failure.message} [{failure.code}]"
    if failure.code == INTERNAL_ERROR:
        _log.error("stage failed: %s", sentence, exc_info=error, extra=log_fields(attempt))
    elif failure.action is FailureAction.WAIT:
        _log.info("stage waits: %s", sentence, extra=log_fields(attempt))
    else:
        _log.warning("stage failed: %s", sentence, extra=log_fields(attempt))
    if attempt.lease is not None:
        try:
            outcome = close_failed(attempt, attempt.lease, stage, failure)
        except LeaseLostError as lost:
            attempt.is_closed = True
            _end_run_canceled(context, attempt, lost.message, lost)
        if outcome.status is Status.CANCELED:
            _end_run_canceled(context, attempt, f"request {attempt.task_id} was canceled", error)
        if outcome.status is Status.PENDING:
            _end_run_canceled(context, attempt, sentence)
        policy = retry_policy(get_request(attempt.db, attempt.task_id))
        context.instance.add_run_tags(context.run_id, {RETRY_TAG: policy})
        if outcome.status is not Status.DEAD:
            # The attempt has failed, and not the order: as a run it is over, and another one follows.
            _end_run_canceled(context, attempt, f"{sentence}; retry {policy}", error)
    attempt.end_reason = sentence
    set_exit_message(sentence)
    raise Failure(
        description=failure.message, metadata={"code": failure.code}, allow_retries=False
    ) from error


def log_fields(attempt: Attempt) -> Mapping[str, Any]:
    """The fields of a log line about this attempt."""
    return {LOG_FIELDS: {"task_id": attempt.task_id}}


def _is_retried_in_step(error: BaseException) -> bool:
    """Whether the error may pass within seconds; a stage timeout is not retried in the step."""
    return (
        isinstance(error, TransientError)
        and error.code != STAGE_TIMEOUT
        and (error.retry_after or 0) <= _OP_RETRY_MAX_WAIT
    )
