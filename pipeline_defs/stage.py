"""Run one stage as a Dagster op: the paid call below, Dagster's words around it."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NoReturn, TypeVar

from dagster import (
    AssetKey,
    AssetMaterialization,
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

from resources.contract.errors import TransientError
from resources.contract.protocol import Order
from resources.dagster.exit_message import last_words
from resources.dagster.internals import capture_interrupts, pop_captured_interrupt
from resources.dagster.request_resource import end_canceled
from resources.dagster.request_runs import RETRY_TAG, TASK_ID_TAG
from resources.dagster.stage_io import stage_io_manager
from resources.dagster.stage_tools import StageTools, stage_tools
from resources.files.pictures import picture_references
from resources.ledger.errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.failures import INTERNAL_ERROR, failure_of
from resources.ledger.moves.attempts import confirm_cancel, release
from resources.ledger.queries.reads import get_request
from resources.ledger.rules import retry_policy
from resources.ledger.schema.tables import Status
from resources.ledger.workers.lease import Attempt
from resources.process.log_lines import FACTS
from resources.process.settings import settings
from resources.purchase.paid_stage import Made, make
from resources.purchase.polling import STAGE_TIMEOUT
from resources.purchase.run_end import close_failed

_log = logging.getLogger("castad.run")

_QUICK_RETRIES = 2
_QUICK_SECONDS = 10

SHARED_RESOURCES = {"stages": stage_io_manager, "tools": stage_tools}

ProductT = TypeVar("ProductT", bound=BaseModel)


def quick_retries() -> OpRetryPolicy:
    """Short, transient trouble is sat out inside the step; the delay cannot be interrupted, so it is short."""
    return OpRetryPolicy(
        max_retries=_QUICK_RETRIES,
        delay=settings().step_retry_delay,
        backoff=Backoff.EXPONENTIAL,
        jitter=Jitter.PLUS_MINUS,
    )


def run_stage(
    context: OpExecutionContext,
    attempt: Attempt,
    tools: StageTools,
    order_of: Callable[[], Order],
    product: type[ProductT],
    *,
    stages: Sequence[str],
    pictures: Sequence[str] = (),
    describe: Callable[[ProductT], Mapping[str, Any]],
) -> ProductT:
    """The op's stage is done and its product shown in the catalog; a reused one is not shown again.

    `pictures` are the fields of the order that hold pictures: nothing is bought before each of them is here.

    Raises Failure without further retries once the attempt has been closed in the ledger, and the plain
    error where Dagster's own quick retry comes first.
    """
    stage = context.op.name
    try:
        made = make(
            attempt,
            stage,
            tools.provider(stage),
            order_of(),
            pipeline_stages=stages,
            store=tools.store,
            say=partial(context.log.info, extra=_facts(attempt)),
            shield=_uninterrupted,
            bring_inputs=_picture_bringer(attempt, tools, pictures),
        )
    except CancelRequestedError as error:
        _give_up(attempt, canceled=True)
        _end_run(context, error.message, error)
    except LeaseLostError as error:
        _give_up(attempt, canceled=False)
        _end_run(context, error.message, error)
    except (DagsterExecutionInterruptedError, WorkerStoppingError):
        _interrupted(context, attempt)
    except Exception as error:  # noqa: BLE001 - whatever it was, the request has to hear of it
        _fail(context, attempt, stage, error)
    result = product.model_validate(made.result)
    _show(context, attempt, stage, made, describe(result))
    return result


def _picture_bringer(
    attempt: Attempt, tools: StageTools, fields: Sequence[str]
) -> Callable[[], None] | None:
    references = [*picture_references(attempt.order, fields, attempt.task_id)]
    if not references:
        return None

    def bring() -> None:
        for reference in references:
            attempt.check_worker()
            tools.pictures.open(reference)

    return bring


def _show(
    context: OpExecutionContext,
    attempt: Attempt,
    stage: str,
    made: Made,
    metadata: Mapping[str, Any],
) -> None:
    if made.reused:
        context.log.info(f"{stage}: done before and reused; nothing was bought")
        return
    context.log_event(
        AssetMaterialization(
            AssetKey([attempt.request.pipeline, stage]),
            partition=attempt.task_id,
            metadata={"task_id": attempt.task_id, "cost_usd": made.cost / 1_000_000, **metadata},
        )
    )


def _interrupted(context: OpExecutionContext, attempt: Attempt) -> NoReturn:
    """Terminated by hand cancels the request; a worker that is told to stop gives it back uncounted.

    The interrupt itself must not leave the op: Dagster's op retries would catch it and go on.
    """
    run = context.instance.get_run_by_id(context.run_id)
    by_hand = run is not None and run.status is DagsterRunStatus.CANCELING
    _give_up(attempt, canceled=by_hand)
    _end_run(context, "terminated by hand" if by_hand else "the worker stopped; the request waits")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt that comes meanwhile is raised at the end, in place of any error there.

    Only the main thread is interrupted; an attempt in any other asks whether its worker stops.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = False
    try:
        with capture_interrupts():
            try:
                yield
            finally:
                came = pop_captured_interrupt()
    finally:
        if came:
            raise DagsterExecutionInterruptedError


def _give_up(attempt: Attempt, *, canceled: bool) -> None:
    """Nothing is held any more; where the database does not answer, the lease runs out by itself."""
    attempt.is_closed = True
    if attempt.lease is None:
        return
    with suppress(LeaseLostError, SQLAlchemyError):
        if canceled:
            confirm_cancel(attempt.db, attempt.lease)
        else:
            release(attempt.db, attempt.lease)


def _end_run(
    context: OpExecutionContext, sentence: str, cause: BaseException | None = None
) -> NoReturn:
    end_canceled(context.instance, context.run_id, sentence)
    task_id = context.run.tags.get(TASK_ID_TAG)
    _log.info("%s", sentence, extra={FACTS: {"task_id": task_id, "run_id": context.run_id}})
    last_words(sentence)
    raise Failure(description=sentence, allow_retries=False) from cause


def _fail(context: OpExecutionContext, attempt: Attempt, stage: str, error: Exception) -> NoReturn:
    if _is_quick(error) and context.retry_number < _QUICK_RETRIES:
        if attempt.is_handed_over:
            _interrupted(context, attempt)
        _log.info("%s; it is tried again in the step", error, extra=_facts(attempt))
        asked_to_wait = getattr(error, "retry_after", None)
        if asked_to_wait:
            raise RetryRequested(_QUICK_RETRIES, seconds_to_wait=asked_to_wait) from error
        raise error
    failure = failure_of(error, stage)
    sentence = f"{failure.message} [{failure.code}]"
    if failure.code == INTERNAL_ERROR:
        _log.error("%s", sentence, exc_info=error, extra=_facts(attempt))
    else:
        _log.warning("%s", sentence, extra=_facts(attempt))
    if attempt.lease is not None:
        try:
            outcome = close_failed(attempt, attempt.lease, stage, failure)
        except LeaseLostError as lost:
            attempt.is_closed = True
            _end_run(context, lost.message, lost)
        if outcome.status is Status.CANCELED:
            _end_run(context, f"request {attempt.task_id} was canceled", error)
        if outcome.status is Status.PENDING:
            _end_run(context, sentence)
        policy = retry_policy(get_request(attempt.db, attempt.task_id), outcome.wait)
        context.instance.add_run_tags(context.run_id, {RETRY_TAG: policy})
    last_words(sentence)
    raise Failure(
        description=failure.message, metadata={"code": failure.code}, allow_retries=False
    ) from error


def _facts(attempt: Attempt) -> Mapping[str, Any]:
    return {FACTS: {"task_id": attempt.task_id}}


def _is_quick(error: Exception) -> bool:
    """Whether it may pass in seconds; who has waited the stage's whole deadline does not wait another."""
    return (
        isinstance(error, TransientError)
        and error.code != STAGE_TIMEOUT
        and (error.retry_after or 0) <= _QUICK_SECONDS
    )
