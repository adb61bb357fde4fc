"""Run one stage as a Dagster op: the paid stage, and its outcome as Dagster events and errors."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from dagster import Backoff, DagsterExecutionInterruptedError, Jitter, OpExecutionContext
from dagster import RetryPolicy as OpRetryPolicy
from pydantic import BaseModel

from pipeline_defs.pipeline import BoughtStage, Brief, Pipeline, Products, Stage
from pipeline_defs.stage_end import OP_MAX_RETRIES, end_op, ensure_not_ended, log_fields
from pipeline_defs.stage_product import materialization, refuse_unfit, refuse_without_main_file
from pipeline_defs.stage_tools import StageTools
from resources.contract.protocol import Product
from resources.contract.work import Work
from resources.dagster.internals import capture_interrupts, pop_captured_interrupt
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import picture_references
from resources.ledger.queries.reads import stage_result
from resources.ledger.stage_changes import SettledKey
from resources.ledger.transitions.source_checks import schedule_check
from resources.ledger.workers.attempt import Attempt
from resources.process.settings import settings
from resources.purchase.local_stage import run_local_stage
from resources.purchase.paid_stage import run_paid_stage
from resources.purchase.stage_run import StageOutcome
from resources.purchase.take_over import take_over


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
