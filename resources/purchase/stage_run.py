"""Run one stage: reuse its result, or make and store its product."""

import json
import logging
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from resources.contract.errors import (
    RATE_LIMITED,
    VENDOR_DOWN,
    OutOfCreditsError,
    PermanentError,
    TransientError,
)
from resources.contract.protocol import Product, StageInput, StageSettings
from resources.files.artifacts import (
    ArtifactStore,
    MissingArtifactError,
    StoredArtifact,
    generation_name,
)
from resources.ledger.admission import parse_final_status_wait
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    LedgerError,
    ProviderPausedError,
    TooOftenError,
    VendorDownError,
)
from resources.ledger.queries.listing import find_artifact
from resources.ledger.queries.status import get_request_by_id, stage_result
from resources.ledger.request import ProjectionChange, Request, SettledKey
from resources.ledger.rules import (
    STAGE_TIMEOUT,
    Failure,
    FailureAction,
    Outcome,
    RetryDelays,
    decide_failure,
)
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.claims import confirm_cancel, fail, release
from resources.ledger.transitions.core import Lease, ensure_leased
from resources.ledger.transitions.dispatch import vendor_availability
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.stages import (
    StageEntry,
    begin_stage,
    complete_request,
    complete_stage,
)
from resources.ledger.workers.attempt import Attempt
from resources.process.configure_logging import LOG_FIELDS
from resources.process.crash_points import crash_point

PRODUCT_UNFIT = "product_unfit"
"""The code of a product that a stage must not have."""


def product_files(stage: str, product: Product, folder: Path) -> Sequence[Path]:
    """The product's files, which may be stored.

    Raises PermanentError `product_unfit` for a file that was not written, is outside the folder or a link, or has
    the name of another.
    """
    names: set[str] = set()
    for file in product.files:
        fault = _fault(file, folder, names)
        if fault is not None:
            raise PermanentError(
                f"{stage}: its product names the file {file.name!r}, {fault}", code=PRODUCT_UNFIT
            )
        names.add(file.name)
    return product.files


def refuse_taken_names(db: Database, task_id: str, stage: str, names: Iterable[str]) -> None:
    """Return if the request has no artifact of these names yet; raises PermanentError `product_unfit`."""
    for name in names:
        taken = find_artifact(db, task_id, name)
        if taken is not None:
            raise PermanentError(
                f"{stage}: its product names the file {name!r}, which {taken.stage} has made; "
                "expected a name of its own",
                code=PRODUCT_UNFIT,
            )


def _fault(file: Path, folder: Path, names: set[str]) -> str | None:
    if file.is_symlink() or not file.resolve().is_relative_to(folder.resolve()):
        return "which is not in the folder that it was given"
    if not file.is_file():
        return "which it has not written"
    return "twice" if file.name in names else None


def ensure_product(stage: str, made: object) -> Product:
    """What the stage has made, whose result is JSON; raises PermanentError `product_unfit` where it is not so."""
    if not isinstance(made, Product):
        raise _unfit(stage, f"expected a Product, got {_kind(made)}")
    if not isinstance(made.result, Mapping):
        raise _unfit(stage, f"its result: expected a JSON object, got {_kind(made.result)}")
    if not isinstance(made.files, tuple | list):
        raise _unfit(stage, f"its files: expected paths in a tuple, got {_kind(made.files)}")
    for file in made.files:
        if not isinstance(file, Path):
            raise _unfit(stage, f"its files: expected paths in a tuple, got {_kind(file)} in it")
    _refuse_what_is_not_json(stage, made)
    return made


def _refuse_what_is_not_json(stage: str, product: Product) -> None:
    try:
        json.dumps(dict(product.result), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _unfit(stage, f"its result is not JSON: {error}") from None


def _kind(value: object) -> str:
    return type(value).__name__


def _unfit(stage: str, fault: str) -> PermanentError:
    return PermanentError(f"{stage}: {fault}", code=PRODUCT_UNFIT)


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


SEED = "seed"


def seeded_for(job_input: StageInput, generation: int) -> StageInput:
    """The input of this generation: what is made again has another seed, so that it comes out another way.

    A seed that is no text stays as it is: its maker expects its type.
    """
    seed = job_input.get(SEED)
    if generation == 1 or not isinstance(seed, str):
        return job_input
    return {**job_input, SEED: f"{seed}#{generation}"}


_log = logging.getLogger("castad.request")


def close_failed(attempt: Attempt, lease: Lease, stage: str, failure: Failure) -> Outcome:
    """The attempt's failure is stored, and the next attempt, if any, is due. Raises LeaseLostError.

    A wait for a vendor's final status is over at once where a callback came that the attempt has not seen.
    """
    delays = RetryDelays(attempt.stage(stage).retry_seconds, attempt.settings.unknown_grace)
    waits_for_final_status = parse_final_status_wait(failure.waits_for) is not None

    def decide(request: Request, unknown_for: float) -> Outcome:
        is_heard = waits_for_final_status and attempt.has_missed_callback(request)
        return decide_failure(
            request,
            replace(failure, retry_after=0.0) if is_heard else failure,
            delays,
            jitter=random.random(),  # noqa: S311 - jitter needs no secrecy
            unknown_for=unknown_for,
        )

    _, outcome = fail(attempt.db, lease, stage, failure, decide)
    return outcome


def close_unfinished(attempt: Attempt, lease: Lease, *, canceled: bool) -> None:
    """The attempt holds no request: it is canceled where the run was terminated, else due again.

    That counts as a retry unless the worker is stopping. A run that leaves its request open met an error outside
    any stage, or executed only some of the ops; without counting, a repeated fault would loop forever.
    """
    try:
        request = get_request_by_id(attempt.db, attempt.request.id)
        if request is None:
            return
        ensure_leased(request.status, request.attempt, request.fence, lease)
        if canceled or request.cancel_requested:
            confirm_cancel(attempt.db, lease)
            return
        if attempt.is_draining:
            release(attempt.db, lease)
            return
        first = attempt.stage_names[0]
        stage = request.stage if request.stage in attempt.stage_names else first
        failure = Failure("run_ended", "the run ended before the request did", FailureAction.RETRY)
        close_failed(attempt, lease, stage, failure)
    except LedgerError as error:
        fields = {"task_id": attempt.task_id}
        _log.debug("nothing to requeue: %s", error.message, extra={LOG_FIELDS: fields})
    except SQLAlchemyError as error:
        fields = {"task_id": attempt.task_id, "error": type(error).__name__}
        _log.warning(
            "request not closed, waits for its lease to expire", extra={LOG_FIELDS: fields}
        )


def timeout_error(stage: StageSettings, subject: str) -> TransientError:
    """The error of a stage whose deadline is over; `subject` is what did not finish."""
    return TransientError(
        f"{stage.name}: {subject} did not finish within {stage.deadline:g} s", code=STAGE_TIMEOUT
    )


_pause_log = logging.getLogger("castad.providers")
_USUAL_PAUSES = {RATE_LIMITED: 20.0}
"""For a vendor that names no pause: no rate of a vendor's uses up a retry."""
_WAITS = {RATE_LIMITED: TooOftenError, VENDOR_DOWN: VendorDownError}


def check_not_paused(attempt: Attempt, lease: Lease, vendor: str) -> None:
    """Return if the vendor may be called; raises ProviderPausedError."""
    availability = vendor_availability(attempt.db, lease, vendor, None)
    if availability.pause_reason is not None:
        raise ProviderPausedError(vendor, availability.pause_reason)


@contextmanager
def pause_on_refusal(db: Database, vendor: str, credit_pause: float) -> Iterator[None]:
    """A refusal in the block that holds for all jobs pauses the vendor, for `credit_pause` if it names no time.

    OutOfCreditsError becomes ProviderPausedError, a TransientError `rate_limited` TooOftenError, and one that is
    `vendor_down` and names its pause VendorDownError.
    """
    try:
        yield
    except OutOfCreditsError as error:
        raise _pause_unpaid(db, vendor, error, credit_pause) from None
    except TransientError as error:
        waits = _WAITS.get(error.code)
        pause = error.retry_after or _USUAL_PAUSES.get(error.code)
        if waits is None or not pause:
            raise
        pause_provider(db, vendor, error.message, pause)
        raise waits(vendor, error.message, pause) from None


def _pause_unpaid(
    db: Database, vendor: str, error: OutOfCreditsError, pause: float
) -> ProviderPausedError:
    pause_provider(db, vendor, error.message, pause)
    fields = {"provider": vendor, "seconds": round(pause)}
    _pause_log.warning("provider paused: %s", error.message, extra={LOG_FIELDS: fields})
    return ProviderPausedError(vendor, error.message, error.code)
