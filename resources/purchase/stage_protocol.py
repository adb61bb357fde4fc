"""Execute a stage: the one call in which money is spent.

If a process dies between two steps, the next attempt reads from the ledger which step was reached and continues
there. Between the intent and the saved job id the outcome is unknown: that is `submission_unknown`, and the job
is sent again only if it is cheap and its provider is `repeatable`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

from resources.contract.errors import PermanentError
from resources.contract.protocol import InProgress, Product, Work
from resources.files.artifacts import MissingArtifactError, StoredArtifact, format_generation_name
from resources.purchase.failures import make_timeout_error
from resources.purchase.polling import poll_until_done
from resources.purchase.stage_context import (
    FinishedStage,
    ProviderJob,
    StageContext,
    StageLedger,
    StageOutcome,
)
from resources.purchase.submission import Submission


def execute_stage(context: StageContext) -> StageOutcome:
    """Complete a stage, buying its product at most once; return the result.

    A stage that this machine makes leaves out steps 2 to 7; after a crash its work is done again. No database
    connection is held during calls to the provider.

    Raises:
        ProviderError: the stage could not be made; see `resources.contract.errors`.
        ProviderPausedError, DailyBudgetError, OverMaxCostError, WaitsError: nothing may be bought now.
        DuplicateOrderError: another request holds the unique key that the result gives.
        LeaseLostError, CancelRequestedError, WorkerStoppingError: this attempt has to stop.
    """
    ledger = context.ledger
    # 1. Reuse the result of a completed stage, or begin the stage.
    context.pass_crash_point("before_stage")
    completed = ledger.begin(context.projection)
    if completed is not None:
        return StageOutcome(completed, reused=True, cost=0)
    context.pass_crash_point("after_begin")
    with _name_redo_of_missing_file(ledger), ExitStack() as guards:
        submission = None
        if isinstance(context.maker, ProviderJob):
            submission = Submission(context, context.maker)
            job = submission.find_live_job()
            if job is None:
                # 2. Fetch the pictures: nothing is bought if one cannot be used.
                submission.fetch_pictures()
            guards.enter_context(submission.stop_and_pause_on_errors())
            job = submission.reconcile(job)
            if job is None:
                # 3. Do what is free at the vendor, and take a permit of its rate window.
                submission.prepare()
                with context.defer_interrupts():
                    # 4. Commit the intent, with a token and the expected cost, within the budgets.
                    intent = submission.save_intent()
                    # 5. and 6. Submit once, and commit the vendor's job id.
                    job = submission.submit(intent)
                context.pass_crash_point("after_save")
            # 7. Poll until the vendor gives a final status.
            poll_until_done(submission, job)
            context.pass_crash_point("after_answer")
        # 8. Fetch or make the files, move them into their place, complete the stage.
        with context.store.workspace() as folder:
            finished = submission.fetch(folder) if submission else _do_local_work(context, folder)
            product = _ensure_product(context.ledger.stage.name, finished.product)
            context.pass_crash_point("after_fetch")
            ledger.ensure_may_continue()
            result, files = _check_and_store(context, product, folder)
        context.pass_crash_point("after_keep")
        ledger.complete(result, files, finished, context.rules.settle_key(result))
        context.pass_crash_point("after_complete")
    return StageOutcome(result, reused=False, cost=finished.cost)


_EVERY_CHANGE = 0.0


def _do_local_work(context: StageContext, folder: Path) -> FinishedStage:
    """Do the stage's work, with its files in `folder`, and save its progress.

    Raises what the work raises, TransientError `stage_timeout` from the work's next call after the deadline, and
    LeaseLostError, CancelRequestedError and WorkerStoppingError if this attempt has to stop.
    """
    assert not isinstance(context.maker, ProviderJob)  # noqa: S101 - such a stage has a submission
    supervisor = _Supervisor(context)
    surroundings = Work(
        task_id=context.ledger.task_id,
        folder=folder,
        open=context.store.open,
        picture=context.pictures.open,
        check=supervisor.check,
        report=supervisor.report,
        calling=context.ledger.calling,
    )
    try:
        return FinishedStage(context.maker(surroundings))
    except BaseException:
        supervisor.save()
        raise


class _Supervisor:
    """Stops a stage's local work if its attempt has to stop or its deadline is over, and saves its progress.

    The newest report is saved at most once in CASTAD_WATCH_SECONDS, by the next report or check.
    """

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._ledger = context.ledger
        self._started = monotonic()
        self._saved_at = float("-inf")
        self._newest = InProgress()

    def check(self) -> None:
        """Raise if the work has to stop; save the newest report if that is due. Reads the request's row."""
        self._ensure_in_time()
        if self._is_due:
            self.save()
        self._ledger.ensure_may_continue()

    def report(self, progress: float | None, note: str = "") -> None:
        """Keep the progress in [0, 1] and the note as the newest report, and raise if the work has to stop.

        Saves the report and reads the request's row only if that is due.
        """
        self._newest = InProgress(progress, note)
        if self._is_due:
            self.check()
        else:
            self._ledger.ensure_running()
            self._ensure_in_time()

    def save(self) -> None:
        """Save the newest report now."""
        self._saved_at = monotonic()
        self._context.save_progress(self._newest, _EVERY_CHANGE)

    @property
    def _is_due(self) -> bool:
        """Whether CASTAD_WATCH_SECONDS have passed since a report was last saved."""
        return monotonic() - self._saved_at >= self._context.settings.watch_seconds

    def _ensure_in_time(self) -> None:
        """Raise TransientError `stage_timeout` if the stage's deadline is over."""
        if monotonic() - self._started >= self._ledger.stage.deadline:
            raise make_timeout_error(self._ledger.stage, "its work")


@contextmanager
def _name_redo_of_missing_file(ledger: StageLedger) -> Iterator[None]:
    """Add the command that makes the file again to a MissingArtifactError that the block raises."""
    try:
        yield
    except MissingArtifactError as error:
        stage = ledger.find_file_stage(error.name)
        if stage is None:
            raise
        command = f"castad redo {ledger.task_id} --from {stage}"
        raise MissingArtifactError(error.name, command) from None


def _check_and_store(
    context: StageContext, product: Product, folder: Path
) -> tuple[Mapping[str, Any], Sequence[StoredArtifact]]:
    """Check the product and move its files into the store; return the result to be stored, and the files.

    Raises PermanentError if the product is refused; no file is stored then.
    """
    ledger, stage, store = context.ledger, context.ledger.stage.name, context.store
    made = {
        store.sync_and_describe(
            file, ledger.task_id, format_generation_name(file, ledger.generation)
        ): file
        for file in _check_files(stage, product, folder)
    }
    for artifact in made:
        taken_by = ledger.find_file_stage(artifact.name)
        if taken_by is not None:
            raise _make_unfit_error(
                stage,
                f"its product names the file {artifact.name!r}, which {taken_by} has made; "
                "expected a name of its own",
            )
    result = {**product.result, "files": [asdict(artifact) for artifact in made]}
    context.rules.check(result)
    for artifact, file in made.items():
        store.move_into_store(file, artifact)
    return result, list(made)


PRODUCT_UNFIT = "product_unfit"
"""The code of a product that a stage must not have."""


def _ensure_product(stage: str, made: object) -> Product:
    """Return `made` if it is a valid Product; raise PermanentError `product_unfit` otherwise.

    Its result must be JSON and its files paths in a tuple.
    """
    if not isinstance(made, Product):
        raise _make_unfit_error(stage, f"expected a Product, got {_name_type(made)}")
    if not isinstance(made.result, Mapping):
        raise _make_unfit_error(
            stage, f"its result: expected a JSON object, got {_name_type(made.result)}"
        )
    if not isinstance(made.files, tuple | list):
        raise _make_unfit_error(
            stage, f"its files: expected paths in a tuple, got {_name_type(made.files)}"
        )
    for file in made.files:
        if not isinstance(file, Path):
            raise _make_unfit_error(
                stage, f"its files: expected paths in a tuple, got {_name_type(file)} in it"
            )
    try:
        json.dumps(dict(made.result), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _make_unfit_error(stage, f"its result is not JSON: {error}") from None
    return made


def _check_files(stage: str, product: Product, folder: Path) -> Sequence[Path]:
    """Check the product's files, and return them.

    Raises PermanentError `product_unfit` for a file that was not written, is outside the folder or a link, or has
    the name of another.
    """
    names: set[str] = set()
    for file in product.files:
        fault = _find_file_fault(file, folder, names)
        if fault is not None:
            raise _make_unfit_error(stage, f"its product names the file {file.name!r}, {fault}")
        names.add(file.name)
    return product.files


def _find_file_fault(file: Path, folder: Path, names: set[str]) -> str | None:
    """Describe why a stage's file may not be stored; None if it may. `names` are those of the files before it."""
    if file.is_symlink() or not file.resolve().is_relative_to(folder.resolve()):
        return "which is not in the folder that it was given"
    if not file.is_file():
        return "which it has not written"
    return "twice" if file.name in names else None


def _name_type(value: object) -> str:
    """Return the name of the value's type."""
    return type(value).__name__


def _make_unfit_error(stage: str, fault: str) -> PermanentError:
    """Make the error of a product that a stage must not have."""
    return PermanentError(f"{stage}: {fault}", code=PRODUCT_UNFIT)
