"""Take over the results and files of a request that has made the same order, so that nothing is made again."""

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from resources.files.artifacts import (
    ArtifactStore,
    MissingArtifactError,
    StoredArtifact,
    generation_name,
)
from resources.ledger.queries.status import newest_result, stage_generations
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.stages import complete_as, find_same
from resources.ledger.workers.attempt import Attempt
from resources.process.crash_points import crash_point
from resources.process.file_locks import disk_errors
from resources.purchase.stage_context import StageOutcome


def take_over(
    attempt: Attempt, stage: str, store: ArtifactStore, key: str, projection_table: str | None
) -> StageOutcome | None:
    """Complete the request with the results of the request that holds its shared key, from this stage on.

    A request that died and was retried keeps its own results. Returns the stage's result. Returns None if the
    request has that already, or if this attempt makes it, as after a redo from a later stage. Raises
    SameOrderError while the other one makes it, and MissingArtifactError if a file of it is gone.
    `projection_table` is that of the pipeline, if it has one.
    """
    if attempt.lease is None or attempt.is_closed:
        return None
    generations = stage_generations(attempt.db, attempt.request.id)
    names = [
        name
        for name in attempt.stage_names[attempt.stage_names.index(stage) :]
        if newest_result(attempt.db, attempt.task_id, name) is None
    ]
    if not names or generations.get(names[0], 1) > generations.get(stage, 1):
        return None
    attempt.ensure_worker_running()
    same = find_same(attempt.db, attempt.lease, key)
    if same is None:
        return None
    taken = _copy_results(attempt, same, names, generations, store)
    if len(taken) < len(names):
        return None
    crash_point(f"{stage}.after_keep")
    request = complete_as(
        attempt.db, attempt.lease, taken, attempt.stage_names, same.task_id, projection_table
    )
    attempt.is_closed = request.status is Status.COMPLETED
    return StageOutcome(taken[stage][0], reused=True, cost=0) if stage in taken else None


def _copy_results(
    attempt: Attempt,
    same: Request,
    stages: Sequence[str],
    generations: Mapping[str, int],
    store: ArtifactStore,
) -> Mapping[str, tuple[Mapping[str, Any], Sequence[StoredArtifact]]]:
    """Return the other request's results with files of this request, except a stage that is being made again."""
    taken = {}
    for stage in stages:
        found = newest_result(attempt.db, same.task_id, stage)
        if found is None:
            continue
        of_same, result = found
        files = [
            _link(store, StoredArtifact(**each), attempt, of_same, generations.get(stage, 1), same)
            for each in result.get("files", ())
        ]
        taken[stage] = ({**result, "files": [asdict(file) for file in files]}, files)
    return taken


def _link(
    store: ArtifactStore,
    file: StoredArtifact,
    attempt: Attempt,
    from_generation: int,
    to_generation: int,
    same: Request,
) -> StoredArtifact:
    """Link the file into this request's folder, so that each request's file can be deleted by itself."""
    name = Path(file.name)
    if from_generation != 1:
        name = Path(f"{name.stem.removesuffix(f'.{from_generation}')}{name.suffix}")
    named = generation_name(name, to_generation)
    linked = replace(file, name=named, where=f"{attempt.task_id}/{named}")
    try:
        source = store.open(vars(file))
    except MissingArtifactError as error:
        raise MissingArtifactError(error.name, f"castad redo {same.task_id}") from None
    with disk_errors(), store.workspace() as folder:
        copy = folder / named
        with suppress(OSError):
            os.link(source, copy)
        if not copy.exists():
            shutil.copyfile(source, copy)
        store.move_in(copy, linked)
    return linked
