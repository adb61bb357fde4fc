"""Old runs and events go from Dagster's storage: by their order's end, or by their own where there is none."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter

from resources.dagster.old_rows import OldRun
from resources.dagster.request_runs import FINISHED_STATUSES, TASK_ID_TAG
from resources.ledger.queries.ended import ended_by_task
from resources.ledger.retention_rules import EndedRequest, Part
from resources.ledger.schema.tables import TERMINAL, Status
from resources.ledger.transitions.retention import note_log_pruned
from resources.process.crash_points import crash_point
from sensors.event_mirror import REQUESTS_ASSET
from sensors.retention.cycle import Cycle

_RUNS_A_BATCH = 100
_OBSERVATIONS_A_BATCH = 2000

Found = Mapping[str, EndedRequest]
"""The orders that exist, by task_id."""


def retain_runs(cycle: Cycle, instance: DagsterInstance) -> None:
    """Runs that may go are gone with their events, as far as the time allows."""
    storage: Any = instance.run_storage
    after = 0
    while cycle.goes_on():
        page: list[OldRun] = storage.oldest_runs(after=after, limit=_RUNS_A_BATCH)
        found = ended_by_task(cycle.db, {run.task_id for run in page if run.task_id})
        _delete_runs(
            cycle, instance, [run for run in page if _run_may_go(cycle, run, found)], found
        )
        if len(page) < _RUNS_A_BATCH or page[-1].created_at > _young(cycle):
            return
        after = page[-1].id


def _delete_runs(
    cycle: Cycle, instance: DagsterInstance, runs: Sequence[OldRun], found: Found
) -> None:
    if not runs:
        return
    events: Any = instance.event_log_storage
    storage: Any = instance.run_storage
    ids = [run.run_id for run in runs]
    if cycle.is_dry:
        cycle.counts["runs"] += len(ids)
        cycle.counts["events"] += events.count_events_of(ids)
        return
    _note_pruned(cycle, {run.task_id for run in runs if run.task_id}, found)
    # Runs last: one whose events alone were deleted is found again.
    cycle.counts["events"] += events.delete_events_of(ids)
    crash_point("retention.after_events")
    cycle.counts["runs"] += storage.delete_runs(ids)


def retain_observations(cycle: Cycle, instance: DagsterInstance) -> None:
    """Mirrored events that may go are gone, those of an order together, as far as the time allows."""
    events: Any = instance.event_log_storage
    asset = REQUESTS_ASSET.to_string()
    after = 0
    while cycle.goes_on():
        page = events.oldest_observations(asset, after=after, limit=_OBSERVATIONS_A_BATCH)
        newest = {each.task_id: each.at for each in page}
        found = ended_by_task(cycle.db, newest)
        gone = [name for name, at in newest.items() if _log_may_go(cycle, name, at, found)]
        _delete_observations(cycle, events, gone, found)
        if len(page) < _OBSERVATIONS_A_BATCH or page[-1].at > _young(cycle):
            return
        after = page[-1].id


def _delete_observations(cycle: Cycle, events: Any, gone: Sequence[str], found: Found) -> None:
    if not gone:
        return
    asset = REQUESTS_ASSET.to_string()
    if cycle.is_dry:
        new = [name for name in gone if name not in cycle.looked_at]
        cycle.looked_at.update(new)
        cycle.counts["events"] += events.count_observations_of(asset, new)
        return
    _note_pruned(cycle, gone, found)
    cycle.counts["events"] += events.delete_observations_of(asset, gone)


def delete_log(instance: DagsterInstance, task_id: str) -> None:
    """Dagster's storage has neither ended runs nor mirrored events of the orders of this name."""
    events: Any = instance.event_log_storage
    storage: Any = instance.run_storage
    wanted = RunsFilter(tags={TASK_ID_TAG: task_id}, statuses=[*FINISHED_STATUSES])
    while run_ids := instance.get_run_ids(wanted, limit=_RUNS_A_BATCH):
        events.delete_events_of(run_ids)
        storage.delete_runs(run_ids)
    events.delete_observations_of(REQUESTS_ASSET.to_string(), [task_id])


def _run_may_go(cycle: Cycle, run: OldRun, found: Found) -> bool:
    """Whether the run and its order have both ended long ago."""
    if run.status not in FINISHED_STATUSES:
        return False
    request = found.get(run.task_id or "")
    if request is not None:
        days = cycle.times.days(request.pipeline, request.status, Part.LOG)
        return cycle.may_go(Part.LOG, request) and run.ended_at < cycle.at - timedelta(days=days)
    is_done = run.status is DagsterRunStatus.SUCCESS
    days = cycle.times.days("", Status.COMPLETED if is_done else Status.DEAD, Part.LOG)
    return run.ended_at < cycle.at - timedelta(days=days)


def _log_may_go(cycle: Cycle, task_id: str, at: datetime, found: Found) -> bool:
    """Whether the order has ended long ago, or its last known event happened long ago where it is gone."""
    request = found.get(task_id)
    if request is not None:
        return cycle.may_go(Part.LOG, request)
    return at < cycle.at - timedelta(days=cycle.times.days("", Status.DEAD, Part.LOG))


def _note_pruned(cycle: Cycle, task_ids: Collection[str], found: Found) -> None:
    """Noted before it is done: a process that dies in between leaves a note and too many rows."""
    note_log_pruned(cycle.db, [found[name].id for name in task_ids if name in found])


def _young(cycle: Cycle) -> datetime:
    """What happened after this stays, whichever order it is of."""
    days = min(cycle.times.shortest(status, Part.LOG) for status in TERMINAL)
    return cycle.at - timedelta(days=days)
