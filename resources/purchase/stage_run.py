"""One execution of a stage: begin, make, keep its files, complete. What is completed is never made again."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from resources.files.artifacts import ArtifactStore, generation_name
from resources.ledger.moves.core import Lease
from resources.ledger.moves.stages import (
    StageEntry,
    begin_stage,
    complete_request,
    complete_stage,
)
from resources.ledger.queries.reads import stage_result
from resources.ledger.schema.tables import Status
from resources.ledger.workers.attempt import Attempt
from resources.process.crash_points import crash_point
from resources.purchase.product_files import product_files


@dataclass(frozen=True)
class StageOutcome:
    """A completed stage's result.

    `result` is as stored; `reused` is whether it existed before this call; `cost` is in micro-dollars.
    """

    result: Mapping[str, Any]
    reused: bool
    cost: int


@dataclass(frozen=True)
class Finished:
    """What a stage has made; `token` is that of a submission whose cost became known only now."""

    product: Product
    cost: int = 0
    token: str | None = None


Make = Callable[[Path], Finished]
"""Makes the product of a stage, its files in the given folder."""
Prepare = Callable[[Lease, StageEntry], AbstractContextManager[Make]]
"""Everything that precedes the product's files; the stage is completed inside the block."""


CheckResult = Callable[[Mapping[str, Any]], object]
"""Raises PermanentError where a result must not be stored."""


def any_result(result: Mapping[str, Any]) -> None:
    """Every result may be stored."""


def run_stage_once(
    attempt: Attempt, stage: str, store: ArtifactStore, prepare: Prepare, check: CheckResult
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one, with a result that passes the check.

    Raises what `prepare` and its `Make` raise, and LeaseLostError, CancelRequestedError, WorkerStoppingError.
    """
    if attempt.lease is None:
        return StageOutcome(_completed_result(attempt, stage), reused=True, cost=0)
    attempt.ensure_worker_running()
    crash_point(f"{stage}.before_stage")
    entry = begin_stage(attempt.db, attempt.lease, stage, attempt.stage(stage).places)
    if entry.result is not None:
        if stage == attempt.stage_names[-1]:
            request = complete_request(attempt.db, attempt.lease, attempt.stage_names)
            attempt.is_closed = request.status is Status.COMPLETED
        return StageOutcome(entry.result, reused=True, cost=0)
    crash_point(f"{stage}.after_begin")
    with prepare(attempt.lease, entry) as make:
        return _make_and_complete(attempt, attempt.lease, entry, store, make, check)


def _completed_result(attempt: Attempt, stage: str) -> Mapping[str, Any]:
    result = stage_result(attempt.db, attempt.task_id, stage)
    if result is None:
        raise PermanentError(
            f"{stage}: request {attempt.task_id} is completed but has no {stage}; "
            "`castad redo` makes it again",
            code="stage_missing",
        )
    return result


def _make_and_complete(
    attempt: Attempt,
    lease: Lease,
    entry: StageEntry,
    store: ArtifactStore,
    make: Make,
    check: CheckResult,
) -> StageOutcome:
    with store.workspace() as folder:
        finished = make(folder)
        crash_point(f"{entry.stage}.after_fetch")
        attempt.ensure_may_continue()
        files = product_files(entry.stage, finished.product, folder)
        kept = [
            store.keep(file, attempt.task_id, generation_name(file, entry.generation))
            for file in files
        ]
    crash_point(f"{entry.stage}.after_keep")
    result = {**finished.product.result, "files": [asdict(file) for file in kept]}
    check(result)
    request = complete_stage(
        attempt.db,
        lease,
        entry,
        result=result,
        cost=finished.cost,
        token=finished.token,
        files=kept,
        pipeline_stages=attempt.stage_names,
    )
    attempt.is_closed = request.status is Status.COMPLETED
    crash_point(f"{entry.stage}.after_complete")
    return StageOutcome(result, reused=False, cost=finished.cost)
