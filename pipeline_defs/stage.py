"""Run a stage as an op."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

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
from pydantic import BaseModel, ValidationError
from sqlalchemy.exc import SQLAlchemyError

from pipeline_defs.fields import first_input_error
from pipeline_defs.pipeline import BoughtStage, Brief, Pipeline, Products, Stage
from resources.contract.errors import PermanentError, TransientError
from resources.contract.protocol import Product, Provider, StageSettings, Work
from resources.dagster.internals import capture_interrupts, pop_captured_interrupt
from resources.dagster.request_resource import (
    RETRY_TAG,
    TASK_ID_TAG,
    report_canceling,
    set_exit_message,
)
from resources.files.artifacts import ArtifactStore, artifact_store
from resources.files.pictures import PictureSource, picture_references, picture_source
from resources.ledger.ledger_errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.queries.status import get_request, stage_result
from resources.ledger.request import SettledKey
from resources.ledger.rules import (
    INTERNAL_ERROR,
    STAGE_TIMEOUT,
    FailureAction,
    classify_failure,
    retry_policy,
)
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.claims import confirm_cancel, release
from resources.ledger.transitions.source_checks import schedule_check
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings, settings
from resources.providers.vendor import make_provider
from resources.purchase.local_stage import run_local_stage
from resources.purchase.paid_stage import run_paid_stage
from resources.purchase.stage_run import PRODUCT_UNFIT, StageOutcome, close_failed
from resources.purchase.take_over import take_over

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


def refuse_unfit(stage: Stage, result: Mapping[str, Any]) -> None:
    """Return if the result fits the stage's model; raises PermanentError `product_unfit`."""
    try:
        stage.product.model_validate(result)
    except ValidationError as error:
        fault = first_input_error(error, tuple(stage.product.model_fields))
        raise PermanentError(
            f"{stage.name}: its result does not fit {stage.product.__name__}: {fault.message}",
            code=PRODUCT_UNFIT,
        ) from None


def refuse_without_main_file(
    pipeline: Pipeline,
    stage: Stage,
    result: Mapping[str, Any],
    stored: Callable[[str], Mapping[str, Any] | None],
) -> None:
    """Return unless this result is the pipeline's last one, and no stage has made the main file.

    `stored` gives the result of another stage once that is completed. Raises PermanentError `product_unfit`.
    """
    if not pipeline.main_file or pipeline.is_needed(stage):
        return
    if any(map(pipeline.is_main, _media_types(result))):
        return
    others = [stored(name) for name in pipeline.stage_names if name != stage.name]
    if None in others:
        return
    made = {kind for each in (result, *others) for kind in _media_types(each or {})}
    if not any(map(pipeline.is_main, made)):
        raise PermanentError(
            f"pipeline_defs/{pipeline.name}: main_file: expected the type of a file that a stage has made: "
            f"{', '.join(sorted(made)) or 'there is none'}, got {pipeline.main_file}",
            code=PRODUCT_UNFIT,
        )


def _media_types(result: Mapping[str, Any]) -> set[str]:
    return {file["media_type"] for file in result.get("files", ())}


def materialization(
    attempt: Attempt, stage: str, cost: int, describe: Callable[[], Mapping[str, Any]]
) -> AssetMaterialization:
    """The materialization of a completed stage's product, which cost so many micro-dollars.

    Where `describe` fails it lacks the stage's own metadata: the product is made and paid for.
    """
    key = AssetKey([attempt.request.pipeline, stage])
    known: dict[str, Any] = {"task_id": attempt.task_id, "cost_usd": cost / 1_000_000}
    try:
        return AssetMaterialization(
            key, partition=attempt.task_id, metadata={**known, **describe()}
        )
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        fields = {"task_id": attempt.task_id, "stage": stage, "error": type(error).__name__}
        _log.warning("metadata not shown", extra={LOG_FIELDS: fields})
        return AssetMaterialization(key, partition=attempt.task_id, metadata=known)


@dataclass(frozen=True)
class StageTools:
    """The providers chosen by the settings, and the folder of finished files."""

    settings: Settings
    store: ArtifactStore

    def provider(self, stage: StageSettings) -> Provider:
        """The provider of this stage."""
        return make_provider(stage.maker, stage.kind, self.settings)

    @property
    def pictures(self) -> PictureSource:
        """The pictures of orders."""
        return picture_source(self.settings)


def stage_tools() -> StageTools:
    """The tools that this process's settings say.

    They are no Dagster resource: each resource of a run costs memory while the run waits, and time at its start.
    """
    return StageTools(settings(), artifact_store(settings()))


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

    def local_work(self, brief: Brief, products: Products) -> Callable[[Work], Product] | None:
        """What this machine does for the stage; None where a maker has to."""
        if not isinstance(self.stage, BoughtStage):
            return partial(self.stage.work, brief, products)
        known = self.stage.known_result(brief, products)
        return None if known is None else lambda work: Product(known)

    def check(self, attempt: Attempt, result: Mapping[str, Any]) -> None:
        """Return if the result may be stored; raises PermanentError `product_unfit`."""
        refuse_unfit(self.stage, result)
        stored = partial(stage_result, attempt.db, attempt.task_id)
        refuse_without_main_file(self.pipeline, self.stage, result, stored)

    def settle(
        self, attempt: Attempt, brief: Brief, result: Mapping[str, Any]
    ) -> SettledKey | None:
        """The order's unique key by the stage's result; its source is checked from now on."""
        settled = self.pipeline.settle_key(self.stage, brief, result)
        source = self.pipeline.source_key(self.stage, brief, result)
        if settled is not None and source is not None:
            of = (self.pipeline.name, source.subject, source.part)
            schedule_check(attempt.db, *of, payload=attempt.order, found=settled.key)
        return settled


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
        max_retries=OP_MAX_RETRIES,
        delay=settings().step_retry_delay,
        backoff=Backoff.EXPONENTIAL,
        jitter=Jitter.PLUS_MINUS,
    )


def run_stage(
    context: OpExecutionContext, attempt: Attempt, tools: StageTools, execution: StageExecution
) -> Any:
    """The op's stage is completed and its product materialized; a reused product is not materialized again.

    Raises Failure without further retries once the attempt has been closed in the ledger, and the error itself
    where Dagster retries the step first. An attempt that another op has closed begins nothing.
    """
    stage = execution.stage.name
    ensure_not_ended(attempt, stage)
    try:
        stage_outcome = _execute(context, attempt, tools, execution)
    except (Exception, DagsterExecutionInterruptedError) as error:  # noqa: BLE001 - the ledger stores any error
        end_op(context, attempt, stage, error)
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
    stage, check = execution.stage, partial(execution.check, attempt)
    key = execution.pipeline.shared_key_before(stage, brief, products)
    if key is not None:
        taken = take_over(
            attempt, stage.name, tools.store, key, execution.pipeline.projection_table
        )
        if taken is not None:
            return taken
    work = execution.local_work(brief, products)
    if work is not None:
        return run_local_stage(
            attempt,
            stage.name,
            work,
            store=tools.store,
            pictures=tools.pictures,
            check=check,
            settle_key=partial(execution.settle, attempt, brief),
            projection=execution.pipeline.projection_change(stage, brief, products),
        )
    assert isinstance(stage, BoughtStage)  # noqa: S101 - no other stage is without local work
    return run_paid_stage(
        attempt,
        stage.name,
        tools.provider(attempt.stage(stage.name)),
        stage.job_input(brief, attempt.task_id, products),
        store=tools.store,
        log=partial(context.log.info, extra=log_fields(attempt)),
        defer_interrupts=_defer_interrupts,
        fetch_inputs=_picture_fetcher(attempt, tools, execution.pipeline.pictures),
        check=check,
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
