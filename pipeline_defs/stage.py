"""Run a stage as an op."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
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

from pipeline_defs.capabilities import (
    MainFile,
    Projection,
    SourceCheck,
    get_shared_key_before,
    settle_key,
)
from pipeline_defs.fields import find_first_input_error
from pipeline_defs.pipeline import BoughtStage, Brief, Pipeline, Stage
from resources.contract.errors import PermanentError
from resources.contract.protocol import Provider, StageSettings
from resources.dagster.internals import capture_interrupts, pop_captured_interrupt
from resources.dagster.request_resource import (
    RETRY_TAG,
    TASK_ID_TAG,
    report_canceling,
    set_exit_message,
)
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import get_picture_source, list_picture_references
from resources.ledger.ledger_errors import CancelRequestedError, LeaseLostError, WorkerStoppingError
from resources.ledger.queries.status import get_request
from resources.ledger.request import ProjectionChange, SettledKey
from resources.ledger.rules import (
    INTERNAL_ERROR,
    STEP_RETRIES,
    FailureAction,
    classify_failure,
    is_retried_in_step,
    retry_policy,
)
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.claims import confirm_cancel, release_request
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.process.settings import Settings, settings
from resources.providers.vendor import make_provider
from resources.purchase.attempt_ledger import AttemptLedger
from resources.purchase.failures import close_failed
from resources.purchase.stage_context import (
    LocalWork,
    ProviderJob,
    ResultRules,
    StageContext,
    StageOutcome,
)
from resources.purchase.stage_protocol import PRODUCT_UNFIT, execute_stage

_log = logging.getLogger("castad.run")

_OP_RETRY_MAX_WAIT = 10


def end_op(
    context: OpExecutionContext, attempt: Attempt, stage: str, error: BaseException
) -> NoReturn:
    """Close the attempt in the ledger after an error, and raise Failure, so that Dagster retries nothing.

    If the error is one that Dagster retries in the step, raise it, or RetryRequested, and close nothing.
    """
    if isinstance(error, DagsterExecutionInterruptedError | WorkerStoppingError):
        _end_interrupted(context, attempt)
    if isinstance(error, CancelRequestedError | LeaseLostError):
        _cancel_or_release(attempt, canceled=isinstance(error, CancelRequestedError))
        _end_run_canceled(context, attempt, error.message, error)
    fields = {LOG_FIELDS: {"task_id": attempt.task_id}}
    if is_retried_in_step(error, context.retry_number, _OP_RETRY_MAX_WAIT):
        if attempt.is_draining:
            _end_interrupted(context, attempt)
        _log.info("step retried: %s", error, extra=fields)
        retry_after = getattr(error, "retry_after", None)
        if retry_after:
            raise RetryRequested(STEP_RETRIES, seconds_to_wait=retry_after) from error
        raise error
    failure = classify_failure(error, stage)
    sentence = f"{failure.message} [{failure.code}]"
    if failure.code == INTERNAL_ERROR:
        _log.error("stage failed: %s", sentence, exc_info=error, extra=fields)
    elif failure.action is FailureAction.WAIT:
        _log.info("stage waits: %s", sentence, extra=fields)
    else:
        _log.warning("stage failed: %s", sentence, extra=fields)
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
            # The attempt has failed, but not the order: this run ends and another one follows.
            _end_run_canceled(context, attempt, f"{sentence}; retry {policy}", error)
    attempt.end_reason = sentence
    set_exit_message(sentence)
    raise Failure(
        description=failure.message, metadata={"code": failure.code}, allow_retries=False
    ) from error


def _end_interrupted(context: OpExecutionContext, attempt: Attempt) -> NoReturn:
    """Cancel the request if its run was terminated in Dagster, otherwise release it; raise Failure.

    A release does not count as an attempt. The interrupt itself must not leave the op: Dagster's op retries
    would catch it and continue.
    """
    run = context.instance.get_run_by_id(context.run_id)
    by_hand = run is not None and run.status is DagsterRunStatus.CANCELING
    _cancel_or_release(attempt, canceled=by_hand)
    sentence = "the worker is stopping; the request is pending again"
    _end_run_canceled(context, attempt, "the run was terminated" if by_hand else sentence)


def _cancel_or_release(attempt: Attempt, *, canceled: bool) -> None:
    """Cancel or release the attempt's request; ignore a lost lease or an unavailable database."""
    attempt.is_closed = True
    if attempt.lease is None:
        return
    with suppress(LeaseLostError, SQLAlchemyError):
        if canceled:
            confirm_cancel(attempt.db, attempt.lease)
        else:
            release_request(attempt.db, attempt.lease)


def _end_run_canceled(
    context: OpExecutionContext, attempt: Attempt, sentence: str, cause: BaseException | None = None
) -> NoReturn:
    """Mark the run CANCELING with the sentence, and raise Failure."""
    attempt.end_reason = sentence
    report_canceling(context.instance, context.run, context.run.tags.get(TASK_ID_TAG), sentence)
    raise Failure(description=sentence, allow_retries=False) from cause


def check_result_fits(stage: Stage, result: Mapping[str, Any]) -> None:
    """Raise PermanentError `product_unfit` if the result does not fit the stage's model."""
    try:
        stage.product.model_validate(result)
    except ValidationError as error:
        fault = find_first_input_error(error, tuple(stage.product.model_fields))
        raise PermanentError(
            f"{stage.name}: its result does not fit {stage.product.__name__}: {fault.message}",
            code=PRODUCT_UNFIT,
        ) from None


def check_main_file(
    pipeline: Pipeline,
    stage: Stage,
    result: Mapping[str, Any],
    stored: Callable[[str], Mapping[str, Any] | None],
) -> None:
    """Raise PermanentError `product_unfit` if this is the last result and no stage has made the main file.

    `stored` returns the result of another stage, None while that is not completed.
    """
    main = pipeline.find_extra(MainFile)
    if main is None or any(
        stage.name in pipeline.get_needed_stages(each) for each in pipeline.stages
    ):
        return
    if any(map(main.matches, _list_media_types(result))):
        return
    others = [stored(name) for name in pipeline.stage_names if name != stage.name]
    if None in others:
        return
    made = {kind for each in (result, *others) for kind in _list_media_types(each or {})}
    if not any(map(main.matches, made)):
        raise PermanentError(
            f"pipeline_defs/{pipeline.name}: MainFile.media_type: expected the type of a file that "
            f"a stage has made: {', '.join(sorted(made)) or 'there is none'}, got {main.media_type}",
            code=PRODUCT_UNFIT,
        )


def _list_media_types(result: Mapping[str, Any]) -> set[str]:
    return {file["media_type"] for file in result.get("files", ())}


def make_materialization(
    attempt: Attempt, stage: str, cost: int, describe: Callable[[], Mapping[str, Any]]
) -> AssetMaterialization:
    """Make the Dagster materialization of a completed stage's product; `cost` is in micro-dollars.

    `describe` returns the stage's metadata. If it raises, they are left out: the product is made and paid for.
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
    """The settings, and the store of finished files, with which a stage is executed.

    They are no Dagster resource: each resource of a run costs memory while the run waits, and time at its start.
    """

    settings: Settings
    store: ArtifactStore

    def provider(self, stage: StageSettings) -> Provider:
        """Make the provider that the settings choose for this stage."""
        return make_provider(stage.maker, stage.kind, self.settings)


@dataclass(frozen=True)
class StageExecution:
    """One execution of a stage's op; `inputs` are the products that Dagster gave to the op, by stage.

    `describe` returns the metadata of the product.
    """

    pipeline: Pipeline
    stage: Stage
    inputs: Mapping[str, BaseModel]
    describe: Callable[[Any, ArtifactStore], Mapping[str, Any]]
    ledger: AttemptLedger


@dataclass(frozen=True)
class _ResultRules(ResultRules):
    """What the pipeline requires of a stage's result, and the unique key that it reads from the result."""

    pipeline: Pipeline
    stage: Stage
    brief: Brief
    ledger: AttemptLedger

    def check(self, result: Mapping[str, Any]) -> None:
        """Raise PermanentError `product_unfit` if the result must not be stored."""
        check_result_fits(self.stage, result)
        check_main_file(self.pipeline, self.stage, result, self.ledger.read_result)

    def settle_key(self, result: Mapping[str, Any]) -> SettledKey | None:
        """Return the unique key that follows from the stage's result; None keeps the present one.

        Schedules the checks of the order's source, if it has one.
        """
        settled = settle_key(self.pipeline, self.stage, self.brief, result)
        check = self.pipeline.find_extra(SourceCheck)
        if settled is not None and check is not None and check.stage == self.stage.name:
            source = check.source_key(self.brief, self.stage.product.model_validate(result))
            if source is not None:
                self.ledger.schedule_check(source.subject, source.part, settled.key)
        return settled


class ProductsSoFar(dict[str, Any]):
    """The products made so far, by stage: those given to the op.

    Any other is read from the ledger at its first use. Raises KeyError for a stage that is not completed.
    """

    def __init__(self, execution: StageExecution) -> None:
        super().__init__(execution.inputs)
        self._pipeline = execution.pipeline
        self._ledger = execution.ledger

    def __missing__(self, name: str) -> Any:
        result = self._ledger.read_result(name)
        if result is None:
            names = self._pipeline.stage_names
            there = ", ".join(each for each in names if self._ledger.read_result(each) is not None)
            raise KeyError(f"no product of {name!r}; there are: {there or 'none yet'}")
        self[name] = self._pipeline.get_stage("stage", name).product.model_validate(result)
        return self[name]


def make_op_retry_policy() -> OpRetryPolicy:
    """Make the policy by which Dagster retries a step; its delay cannot be interrupted, so it is short."""
    return OpRetryPolicy(
        max_retries=STEP_RETRIES,
        delay=settings().step_retry_delay,
        backoff=Backoff.EXPONENTIAL,
        jitter=Jitter.PLUS_MINUS,
    )


def run_stage(
    context: OpExecutionContext, attempt: Attempt, tools: StageTools, execution: StageExecution
) -> Any:
    """Complete the op's stage, and return its product; materialize the product unless it was reused.

    Raises Failure without further retries once the attempt has been closed in the ledger, and the error itself
    if Dagster retries the step first. An attempt that another op has closed begins nothing and raises Failure.
    """
    stage = execution.stage.name
    if attempt.end_reason is not None:
        # Dagster also begins ops that do not depend on the op that ended the attempt.
        sentence = f"{stage} was not begun: {attempt.end_reason}"
        raise Failure(description=sentence, allow_retries=False)
    try:
        stage_outcome = _reuse_or_execute(context, tools, execution)
    except (Exception, DagsterExecutionInterruptedError) as error:  # noqa: BLE001 - the ledger stores any error
        end_op(context, attempt, stage, error)
    result = execution.stage.product.model_validate(stage_outcome.result)
    if stage_outcome.reused:
        context.log.info(f"stage reused: {stage} was completed before, nothing was bought")
    else:
        describe = partial(execution.describe, result, tools.store)
        context.log_event(make_materialization(attempt, stage, stage_outcome.cost, describe))
    return result


def _reuse_or_execute(
    context: OpExecutionContext, tools: StageTools, execution: StageExecution
) -> StageOutcome:
    """Reuse the stage's product of another request if there is one, otherwise execute the stage."""
    pipeline, stage, ledger = execution.pipeline, execution.stage, execution.ledger
    brief, products = pipeline.parse(ledger.payload), ProductsSoFar(execution)
    key = get_shared_key_before(pipeline, stage, brief, products)
    kept = pipeline.find_extra(Projection)
    if key is not None:
        taken = ledger.take_over(tools.store, key, None if kept is None else kept.table)
        if taken is not None:
            return taken
    projection = None
    maker: ProviderJob | LocalWork | None = stage.find_local_work(brief, products)
    if maker is not None:
        names = pipeline.stage_names
        if kept is not None and names.index(stage.name) >= names.index(kept.since):
            projection = ProjectionChange(kept.table, kept.values(brief, products))
    else:
        assert isinstance(stage, BoughtStage)  # noqa: S101 - no other stage is without local work
        job_input = stage.job_input(brief, ledger.task_id, products)
        pictures = [*list_picture_references(ledger.payload, pipeline.uploads, ledger.task_id)]
        maker = ProviderJob(tools.provider(ledger.stage), job_input, pictures)
    fields = {LOG_FIELDS: {"task_id": ledger.task_id}}
    return execute_stage(
        StageContext(
            ledger,
            maker,
            settings=tools.settings,
            store=tools.store,
            pictures=get_picture_source(tools.settings),
            rules=_ResultRules(pipeline, stage, brief, ledger),
            log=logging.LoggerAdapter(context.log, fields),
            projection=projection,
            defer_interrupts=_defer_interrupts,
        )
    )


@contextmanager
def _defer_interrupts() -> Iterator[None]:
    """Hold back an interrupt during the block, and raise it at the block's end in place of any error.

    Only the main thread is interrupted; an attempt in another thread checks whether its worker is stopping.
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
