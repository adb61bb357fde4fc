"""A stage that this machine makes: no intent and no submission, and its result is kept like a bought one."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from resources.contract.protocol import Product
from resources.contract.work import Work
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.ledger.workers.attempt import Attempt
from resources.purchase.stage_run import Finished, StageOutcome, run_stage_once


def run_local_stage(
    attempt: Attempt,
    stage: str,
    work: Callable[[Work], Product],
    *,
    store: ArtifactStore,
    pictures: PictureSource,
) -> StageOutcome:
    """The stage is completed, by this call or by an earlier one.

    After a crash the work is done again from its beginning. Raises what `work` raises, and LeaseLostError,
    CancelRequestedError and WorkerStoppingError where this attempt has to stop.
    """

    def make(folder: Path) -> Finished:
        surroundings = Work(
            task_id=attempt.task_id,
            folder=folder,
            open=store.open,
            picture=pictures.open,
            check=attempt.ensure_may_continue,
        )
        return Finished(work(surroundings))

    return run_stage_once(attempt, stage, store, lambda lease, entry: nullcontext(make))
