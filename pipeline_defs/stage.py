"""Run one stage as a Dagster op: the paid stage, and its outcome as Dagster events and errors."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from dagster import (
    Backoff,
    DagsterExecutionInterruptedError,
    DagsterRunStatus,
    Failure,
    Jitter,
    OpExecutionContext,
    RetryRequested,
)
from dagster import RetryPolicy as OpRetryPolicy
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from pipeline_defs.pipeline import BoughtStage, Pipeline, Products, Stage
from pipeline_defs.stage_product import materialization, refuse_unfit
from resources.contract.errors import TransientError
from resources.dagster.canceled_run import report_canceling
from resources.dagster.exit_message import set_exit_message
from resources.dagster.internals import capture_interrupts, pop_captured_interrupt
from resources.dagster.request_runs import RETRY_TAG, TASK_ID_TAG
from resources.dagster.stage_tools import StageTools
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import picture_references
from resources.ledger.errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.failures import INTERNAL_ERROR, classify_failure
from resources.ledger.moves.attempts import confirm_cancel, release
from resources.ledger.queries.reads import get_request, stage_result
from resources.ledger.rules import retry_policy
from resources.ledger.schema.tables import Status
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import settings
from resources.purchase.local_stage import run_local_stage
from resources.purchase.paid_stage import run_paid_stage
from resources.purchase.polling import STAGE_TIMEOUT
from resources.purchase.run_end import close_failed
from resources.purchase.stage_run import StageOutcome

_log = logging.getLogger("castad.run")

_OP_MAX_RETRIES = 2
_OP_RETRY_MAX_WAIT = 10


@dataclass(frozen=True)
class StageExecution:
    """One execution of a stage's op; `inputs` are the products that the op was given, by stage."""

    pipeline: Pipeline
    stage: Stage
    inputs: Mapping[str, BaseModel]
    describe: Callable[[Any, ArtifactStore], Mapping[str, Any]]

    def products(self, attempt: Attempt) -> Products:
        """The inputs; the product of any other completed stage is read when it is asked for."""
        return _ProductsSoFar(self.inputs, self.pipeline, attempt)


class _ProductsSoFar(dict[str, Any]):
    def __init__(
        self, inputs: Mapping[str, BaseModel], pipeline: Pipeline, attempt: Attempt
    ) -> None:
        super().__init__(inputs)
        self._pipeline = pipeline
        self._attempt = attempt

    def __missing__(self, name: str) -> Any:
        result = self._stored(name)
        if result is None:
            names = self._pipeline.stage_names
            there = ", ".join(each for each in names if self._stored(each) is not None)
            raise KeyError(f"no product of {name!r}; there are: {there or 'none yet'}")
        self[name] = self._pipeline.stage("stage", name).product.model_validate(result)
        return self[name]

    def _stored(self, name: str) -> Mapping[str, Any] | None:
        return stage_result(self._attempt.db, self._attempt.task_id, name)


def op_retry_policy() -> OpRetryPolicy:
    """Dagster retries a transient error in the step; the delay cannot be interrupted, so it is short."""
    return OpRetryPolicy(
        max_retries=_OP_MAX_RETRIES,
        delay=settings().step_retry_delay,
        backoff=Backoff.EXPONENTIAL,
        jitter=Jitter.PLUS_MINUS,
    )


def run_stage(
    context: OpExecutionContext, attempt: Attempt, tools: StageTools, execution: StageExecution
) -> Any:
    """The op's stage is completed and its product materialized; a reused product is not materialized again.

    Raises Failure without further retries once the attempt has been closed in the ledger, and the error itself
    where Dagster retries the step first.
    """
    stage = execution.stage.name
    try:
        stage_outcome = _execute(context, attempt, tools, execution)
    except CancelRequestedError as error:
        _cancel_or_release(attempt, canceled=True)
        _end_run_canceled(context, error.message, error)
    except LeaseLostError as error:
        _cancel_or_release(attempt, canceled=False)
        _end_run_canceled(context, error.message, error)
    except (DagsterExecutionInterruptedError, WorkerStoppingError):
        _end_interrupted(context, attempt)
    except Exception as error:  # noqa: BLE001 - the ledger records any error
        _end_failed(context, attempt, stage, error)
    result = execution.stage.product.model_validate(stage_outcome.result)
    if stage_outcome.reused:
        context.log.info(f"stage reused: {stage} was completed before, nothing was bought")
    else:
        describe = partial(execution.describe, result, tools.store)
        context.log_event(materialization(attempt, stage, stage_outcome.cost, describe))
    return result


def _execute(
    context: OpExecutionContext, attempt: Attempt, tools: StageTools, execution: StageExecution
) -> StageOutcome:
    brief, products = execution.pipeline.parse(attempt.order), execution.products(attempt)
    stage = execution.stage
    if not isinstance(stage, BoughtStage):
        return run_local_stage(
            attempt,
            stage.name,
            partial(stage.work, brief, products),
            store=tools.store,
            pictures=tools.pictures,
            check=partial(refuse_unfit, stage),
        )
    return run_paid_stage(
        attempt,
        stage.name,
        tools.provider(attempt.stage(stage.name)),
        stage.order(brief, attempt.task_id, products),
        store=tools.store,
        log=partial(context.log.info, extra=_log_fields(attempt)),
        defer_interrupts=_defer_interrupts,
        fetch_inputs=_picture_fetcher(attempt, tools, execution.pipeline.pictures),
        check=partial(refuse_unfit, stage),
    )


def _picture_fetcher(
    attempt: Attempt, tools: StageTools, fields: Sequence[str]
) -> Callable[[], None] | None:
    references = [*picture_references(attempt.order, fields, attempt.task_id)]
    if not references:
        return None

    def fetch_pictures() -> None:
        for reference in references:
            attempt.ensure_worker_running()
            tools.pictures.open(reference)

    return fetch_pictures


def _end_interrupted(context: OpExecutionContext, attempt: Attempt) -> NoReturn:
    """A run that was terminated in Dagster cancels its request; a stopping worker releases it uncounted.

    The interrupt itself must not leave the op: Dagster's op retries would catch it and continue.
    """
    run = context.instance.get_run_by_id(context.run_id)
    by_hand = run is not None and run.status is DagsterRunStatus.CANCELING
    _cancel_or_release(attempt, canceled=by_hand)
    _end_run_canceled(
        context,
        "the run was terminated"
        if by_hand
        else "the worker is stopping; the request is pending again",
    )


@contextmanager
def _defer_interrupts() -> Iterator[None]:
    """An interrupt during the block is raised at its end, in place of any error.

    Only the main thread is interrupted; an attempt in another thread checks whether its worker is draining.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    was_interrupted = False
    try:
        with capture_interrupts():
            try:
                yield
            finally:
                was_interrupted = pop_captured_interrupt()
    finally:
        if was_interrupted:
            raise DagsterExecutionInterruptedError


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
    context: OpExecutionContext, sentence: str, cause: BaseException | None = None
) -> NoReturn:
    report_canceling(context.instance, context.run, context.run.tags.get(TASK_ID_TAG), sentence)
    raise Failure(description=sentence, allow_retries=False) from cause


def _end_failed(
    context: OpExecutionContext, attempt: Attempt, stage: str, error: Exception
) -> NoReturn:
    if _is_retried_in_step(error) and context.retry_number < _OP_MAX_RETRIES:
        if attempt.is_draining:
            _end_interrupted(context, attempt)
        _log.info("step retried: %s", error, extra=_log_fields(attempt))
        retry_after = getattr(error, "retry_after", None)
        if retry_after:
            raise RetryRequested(_OP_MAX_RETRIES, seconds_to_wait=retry_after) from error
        raise error
    failure = classify_failure(error, stage)
    sentence = f"{failure.message} [{failure.code}]"
    if failure.code == INTERNAL_ERROR:
        _log.error("%s", sentence, exc_info=error, extra=_log_fields(attempt))
    else:
        _log.warning("%s", sentence, extra=_log_fields(attempt))
    if attempt.lease is not None:
        try:
            outcome = close_failed(attempt, attempt.lease, stage, failure)
        except LeaseLostError as lost:
            attempt.is_closed = True
            _end_run_canceled(context, lost.message, lost)
        if outcome.status is Status.CANCELED:
            _end_run_canceled(context, f"request {attempt.task_id} was canceled", error)
        if outcome.status is Status.PENDING:
            _end_run_canceled(context, sentence)
        policy = retry_policy(get_request(attempt.db, attempt.task_id), outcome.wait)
        context.instance.add_run_tags(context.run_id, {RETRY_TAG: policy})
    set_exit_message(sentence)
    raise Failure(
        description=failure.message, metadata={"code": failure.code}, allow_retries=False
    ) from error


def _log_fields(attempt: Attempt) -> Mapping[str, Any]:
    return {LOG_FIELDS: {"task_id": attempt.task_id}}


def _is_retried_in_step(error: Exception) -> bool:
    """Whether the error may pass within seconds; a stage timeout is not retried in the step."""
    return (
        isinstance(error, TransientError)
        and error.code != STAGE_TIMEOUT
        and (error.retry_after or 0) <= _OP_RETRY_MAX_WAIT
    )
