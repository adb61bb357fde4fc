"""The one call in which money is spent: check for a result, intent, submit, record, poll, fetch, store, complete.

When a process dies between two of these steps, the next attempt finds in the ledger which step was reached and
continues there. Between intent and record the outcome is unknown: that is `submission_unknown`, and the order is
never sent again on a guess.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from resources.contract.errors import (
    RATE_LIMITED,
    OutOfCreditsError,
    PermanentError,
    TransientError,
)
from resources.contract.protocol import Provider, StageInput
from resources.files.artifacts import ArtifactStore, generation_name
from resources.ledger.errors import (
    CancelRequestedError,
    DailyBudgetError,
    LeaseLostError,
    NoTurnError,
    TooOftenError,
    WorkerStoppingError,
)
from resources.ledger.moves.jobs import Job
from resources.ledger.moves.providers import park
from resources.ledger.moves.stages import begin_stage, complete_request, complete_stage
from resources.ledger.queries.reads import stage_result
from resources.ledger.schema.tables import Status
from resources.ledger.workers.attempt import Attempt
from resources.process.crash_points import crash_point
from resources.providers.rate_gate import rate_gate_sleeping_with
from resources.purchase.submission import DeferInterrupts, Log, Submission, park_provider


@dataclass(frozen=True)
class StageOutcome:
    """A completed stage's result.

    `result` is as stored; `reused` is whether it existed before this call; `cost` is in micro-dollars.
    """

    result: Mapping[str, Any]
    reused: bool
    cost: int


def run_paid_stage(
    attempt: Attempt,
    stage: str,
    provider: Provider,
    order: StageInput,
    *,
    pipeline_stages: Sequence[str],
    store: ArtifactStore,
    log: Log,
    defer_interrupts: DeferInterrupts,
    fetch_inputs: Callable[[], None] | None = None,
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one, and was bought at most once.

    `fetch_inputs` fetches the files that the order needs; nothing is bought where it raises. `defer_interrupts`
    delays interrupts between an order's intent and the record of its id. No database connection is held during
    calls to the provider.

    Raises:
        ProviderError: the stage could not be made; see `resources.contract.errors`.
        ProviderParkedError, DailyBudgetError, OverMaxCostError, WaitsError: nothing may be bought now.
        LeaseLostError, CancelRequestedError, WorkerStoppingError: this attempt has to stop.
    """
    if attempt.lease is None:
        return StageOutcome(_completed_result(attempt, stage), reused=True, cost=0)
    attempt.ensure_worker_running()
    crash_point(f"{stage}.before_stage")
    entry = begin_stage(attempt.db, attempt.lease, stage, attempt.settings.places(stage))
    if entry.result is not None:
        if stage == pipeline_stages[-1]:
            request = complete_request(attempt.db, attempt.lease, pipeline_stages)
            attempt.is_closed = request.status is Status.COMPLETED
        return StageOutcome(entry.result, reused=True, cost=0)
    crash_point(f"{stage}.after_begin")
    call = Submission(attempt, attempt.lease, entry, provider, order, log, defer_interrupts)
    if fetch_inputs is not None and not call.has_live_job():
        fetch_inputs()
    try:
        with rate_gate_sleeping_with(attempt.interruptible_sleep):
            job, answer = call.resolve_job()
            return _fetch_and_complete(call, job, answer, store, pipeline_stages)
    except OutOfCreditsError as error:
        raise park_provider(attempt, provider, error) from None
    except TransientError as error:
        wait = error.retry_after
        if error.code != RATE_LIMITED or not wait:
            raise
        if provider.rate is not None and wait <= provider.rate.seconds:
            # Calls reached the vendor closer together than they were sent; other orders keep their turns.
            raise NoTurnError(stage, provider.name, wait) from None
        park(attempt.db, provider.name, error.message, wait)
        raise TooOftenError(provider.name, error.message, wait) from None
    except DailyBudgetError as error:
        park(attempt.db, error.waits_for, error.message, error.wait)
        raise
    except (CancelRequestedError, LeaseLostError, WorkerStoppingError):
        call.stop()
        raise


def _completed_result(attempt: Attempt, stage: str) -> Mapping[str, Any]:
    result = stage_result(attempt.db, attempt.task_id, stage)
    if result is None:
        raise PermanentError(
            f"{stage}: request {attempt.task_id} is completed but has no {stage}; "
            "`castad redo` makes it again",
            code="stage_missing",
        )
    return result


def _fetch_and_complete(
    call: Submission,
    job: Job,
    answer: Mapping[str, Any],
    store: ArtifactStore,
    pipeline_stages: Sequence[str],
) -> StageOutcome:
    with store.workspace() as folder:
        product = call.provider.fetch(call.order, answer, folder)
        crash_point(f"{call.entry.stage}.after_fetch")
        call.attempt.ensure_may_continue()
        files = [
            store.keep(file, call.attempt.task_id, generation_name(file, call.entry.generation))
            for file in product.files
        ]
    cost = job.cost if product.cost is None else product.cost
    crash_point(f"{call.entry.stage}.after_keep")
    result = {**product.result, "files": [asdict(file) for file in files]}
    request = complete_stage(
        call.attempt.db,
        call.lease,
        call.entry,
        result=result,
        cost=cost,
        token=None if cost == job.cost else job.token,
        files=files,
        pipeline_stages=pipeline_stages,
    )
    call.attempt.is_closed = request.status is Status.COMPLETED
    crash_point(f"{call.entry.stage}.after_complete")
    return StageOutcome(result, reused=False, cost=cost)
