"""What castad leaves behind: processes, and wrongs that Dagster has stored."""

import os
from pathlib import Path

import psutil
from dagster import DagsterInstance, DagsterRunStatus, RunsFilter
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import TickStatus

from castad.dagster_storage.home import make_dagster_home
from resources.process.settings import settings


def left_running(home: Path) -> list[str]:
    """Every process that works on this state, this one excepted."""
    found = []
    for process in psutil.process_iter():
        try:
            alive = process.status() != psutil.STATUS_ZOMBIE
            if (
                alive
                and process.pid != os.getpid()
                and process.environ().get("CASTAD_HOME") == str(home)
            ):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def stored_wrongs() -> list[str]:
    """Ticks that the Dagster UI shows as failed or as under way for ever, and runs that failed."""
    with DagsterInstance.from_config(str(make_dagster_home(settings()))) as instance:
        failed = instance.get_runs(RunsFilter(statuses=[DagsterRunStatus.FAILURE]))
        return [*wrong_ticks(instance), *(f"run {run.run_id} failed" for run in failed)]


def wrong_ticks(instance: DagsterInstance) -> list[str]:
    """Ticks of sensors that failed, or are under way though nothing runs any more."""
    states = instance.all_instigator_state(instigator_type=InstigatorType.SENSOR)
    assert states
    return [
        f"{state.name} {tick.status.value} {tick.error or ''}"
        for state in states
        for tick in instance.get_ticks(state.instigator_origin_id, state.selector_id)
        if tick.status not in (TickStatus.SUCCESS, TickStatus.SKIPPED)
    ]
