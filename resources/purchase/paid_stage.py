"""The one call in which money is spent: memo, intent, submit, record, poll, fetch, store, done.

Whatever dies between two of these steps, the next attempt finds in the ledger how far it came, and goes
on from there. Between intent and record nobody knows: that is `submission_unknown`, and it is never sent
again by guess.
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
from resources.contract.protocol import Order, Provider
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
from resources.ledger.workers.lease import Attempt
from resources.process.crash_points import crash_point
from resources.providers.rate_gate import waiting_by
from resources.purchase.submission import Say, Shield, Submission, parked


@dataclass(frozen=True)
class Made:
    """What a stage has to show.

    `result` is as stored, `reused` tells whether it was there before; cost in micro-dollars.
    """

    result: Mapping[str, Any]
    reused: bool
    cost: int


def make(
    attempt: Attempt,
    stage: str,
    provider: Provider,
    order: Order,
    *,
    pipeline_stages: Sequence[str],
    store: ArtifactStore,
    say: Say,
    shield: Shield,
    bring_inputs: Callable[[], None] | None = None,
) -> Made:
    """The stage is completed, by this call or by an earlier one, and was bought at most once.

    `bring_inputs` makes sure of what the order needs from elsewhere; nothing is bought where it raises.
    `shield` delays interrupts while an order is between its intent and the record of its id. No database
    connection is held while the provider is asked. Raises the errors of `resources.contract.errors` where
    it could not be made; ProviderParkedError, DailyBudgetError, OverMaxCostError or WaitsError where
    nothing may be bought now; LeaseLostError, CancelRequestedError or WorkerStoppingError where this attempt
    has to stop.
    """
    if attempt.lease is None:
        return Made(_completed_result(attempt, stage), reused=True, cost=0)
    attempt.check_worker()
    crash_point(f"{stage}.before_stage")
    entry = begin_stage(attempt.db, attempt.lease, stage, attempt.settings.places(stage))
    if entry.result is not None:
        if stage == pipeline_stages[-1]:
            request = complete_request(attempt.db, attempt.lease, pipeline_stages)
            attempt.is_closed = request.status is Status.COMPLETED
        return Made(entry.result, reused=True, cost=0)
    crash_point(f"{stage}.after_begin")
    call = Submission(attempt, attempt.lease, entry, provider, order, say, shield)
    if bring_inputs is not None and not call.is_bought():
        bring_inputs()
    try:
        with waiting_by(attempt.pause):
            job, answer = call.job_with_answer()
            return _deliver(call, job, answer, store, pipeline_stages)
    except OutOfCreditsError as error:
        raise parked(attempt, provider, error) from None
    except TransientError as error:
        wait = error.retry_after
        if error.code != RATE_LIMITED or not wait:
            raise
        if provider.rate is not None and wait <= provider.rate.seconds:
            # A call that came late has met one that came early; the others keep their turns.
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
            "`castad redo` makes it anew",
            code="stage_missing",
        )
    return result


def _deliver(
    call: Submission,
    job: Job,
    answer: Mapping[str, Any],
    store: ArtifactStore,
    pipeline_stages: Sequence[str],
) -> Made:
    with store.workspace() as folder:
        product = call.provider.fetch(call.order, answer, folder)
        crash_point(f"{call.entry.stage}.after_fetch")
        call.attempt.check()
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
    return Made(result, reused=False, cost=cost)
