"""One execution of a stage: begin, make, keep its files, complete. What is completed is never made again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from resources.contract.errors import PermanentError
from resources.contract.protocol import Product
from resources.files.artifacts import (
    ArtifactStore,
    MissingArtifactError,
    StoredArtifact,
    generation_name,
)
from resources.ledger.queries.listing import find_artifact
from resources.ledger.queries.reads import stage_result
from resources.ledger.schema.tables import Status
from resources.ledger.stage_changes import ProjectionChange, SettledKey
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.stages import (
    StageEntry,
    begin_stage,
    complete_request,
    complete_stage,
)
from resources.ledger.workers.attempt import Attempt
from resources.process.crash_points import crash_point
from resources.purchase.made_products import ensure_product
from resources.purchase.product_files import product_files, refuse_taken_names


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


SettleKey = Callable[[Mapping[str, Any]], SettledKey | None]
"""The unique key of the request by the result of a stage, None where it stays as it is."""


def no_key(result: Mapping[str, Any]) -> None:
    """The result says nothing of the unique key."""


def run_stage_once(
    attempt: Attempt,
    stage: str,
    store: ArtifactStore,
    prepare: Prepare,
    check: CheckResult,
    settle_key: SettleKey = no_key,
    projection: ProjectionChange | None = None,
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one, with a result that passes the check.

    Where the attempt has completed its request, the result is only read: Dagster may begin the ops of a graph
    with branches in another order than the stages'.

    Raises what `prepare` and its `Make` raise, and LeaseLostError, CancelRequestedError, WorkerStoppingError.
    """
    if attempt.lease is None or attempt.is_closed:
        return StageOutcome(_completed_result(attempt, stage), reused=True, cost=0)
    attempt.ensure_worker_running()
    crash_point(f"{stage}.before_stage")
    slots, names = attempt.stage(stage).slots, attempt.stage_names
    entry = begin_stage(attempt.db, attempt.lease, stage, names, slots, projection)
    if entry.result is not None:
        if stage == attempt.stage_names[-1]:
            request = complete_request(attempt.db, attempt.lease, attempt.stage_names)
            attempt.is_closed = request.status is Status.COMPLETED
        return StageOutcome(entry.result, reused=True, cost=0)
    crash_point(f"{stage}.after_begin")
    with _redo_of_missing_artifact(attempt), prepare(attempt.lease, entry) as make:
        return _make_and_complete(attempt, attempt.lease, entry, store, make, check, settle_key)


@contextmanager
def _redo_of_missing_artifact(attempt: Attempt) -> Iterator[None]:
    """The error about a file that is gone names the redo of the stage that made the file."""
    try:
        yield
    except MissingArtifactError as error:
        artifact = find_artifact(attempt.db, attempt.task_id, error.name)
        if artifact is None:
            raise
        command = f"castad redo {attempt.task_id} --from {artifact.stage}"
        raise MissingArtifactError(artifact.name, command) from None


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
    settle_key: SettleKey,
) -> StageOutcome:
    with store.workspace() as folder:
        finished = make(folder)
        product = ensure_product(entry.stage, finished.product)
        crash_point(f"{entry.stage}.after_fetch")
        attempt.ensure_may_continue()
        result, files = _check_and_keep(attempt, entry, store, product, folder, check)
    crash_point(f"{entry.stage}.after_keep")
    request = complete_stage(
        attempt.db,
        lease,
        entry,
        result=result,
        cost=finished.cost,
        token=finished.token,
        files=files,
        pipeline_stages=attempt.stage_names,
        settled=settle_key(result),
    )
    attempt.is_closed = request.status is Status.COMPLETED
    crash_point(f"{entry.stage}.after_complete")
    return StageOutcome(result, reused=False, cost=finished.cost)


def _check_and_keep(
    attempt: Attempt,
    entry: StageEntry,
    store: ArtifactStore,
    product: Product,
    folder: Path,
    check: CheckResult,
) -> tuple[Mapping[str, Any], Sequence[StoredArtifact]]:
    """The result and the files, which are in the store; none of them is where the product is refused."""
    made = {
        store.describe(file, attempt.task_id, generation_name(file, entry.generation)): file
        for file in product_files(entry.stage, product, folder)
    }
    refuse_taken_names(attempt.db, attempt.task_id, entry.stage, (each.name for each in made))
    result = {**product.result, "files": [asdict(artifact) for artifact in made]}
    check(result)
    for artifact, file in made.items():
        store.move_in(file, artifact)
    return result, list(made)
