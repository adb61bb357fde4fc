"""The hourly retention: its asset, the job that removes what is old, and the schedule."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from typing import Any

from dagster import (
    AssetKey,
    AssetMaterialization,
    DagsterInstance,
    DefaultScheduleStatus,
    OpExecutionContext,
    ScheduleDefinition,
    in_process_executor,
    job,
    op,
)

from pipeline_defs.catalog import catalog
from pipeline_defs.config import LOGGERS
from resources.files.artifacts import artifact_store
from resources.ledger.db.database import open_database
from resources.ledger.queries.reads import clock
from resources.ledger.retention_rules import KeepDays, KeepTimes
from resources.process.settings import Settings, settings
from sensors.retention.cycle import Cycle
from sensors.retention.dagster_rows import retain_observations, retain_runs
from sensors.retention.dead_letters import redrive_dead_letters
from sensors.retention.leftovers import retain_leftovers
from sensors.retention.old_requests import retain_files, retain_reports, retain_requests

RETENTION_ASSET = AssetKey(["retention"])
_MAX_SECONDS = "600"
_GENTLE_REST = 5.0
_COUNTS = (
    "redriven",
    "runs",
    "events",
    "requests",
    "requests_without_files",
    "files",
    "leftover_files",
    "bytes",
    "report_rows",
)
"""What every cycle counts, in the order in which it is shown."""


def retain(
    instance: DagsterInstance,
    *,
    seconds: float = inf,
    is_dry: bool = False,
    is_gentle: bool = False,
) -> Cycle:
    """What is old was removed, for about so long; the cycle says what that was.

    A dry one removes nothing; a gentle one rests five times as long as it works.
    """
    config = settings()
    db = open_database(config.ledger_url)
    until = time.monotonic() + seconds
    store, times = artifact_store(config), keep_times(config)
    rest = _GENTLE_REST if is_gentle else 0.0
    cycle = Cycle(db, store, times, clock(db), until, is_dry, rest=rest)
    if config.dead_redrive:
        redrive_dead_letters(cycle)
    # Dagster's rows first: what decides about them is the order's end, which goes with the order.
    parts: list[Callable[[Cycle], None]] = [
        partial(retain_runs, instance=instance),
        partial(retain_observations, instance=instance),
        *(retain_requests, retain_files, retain_leftovers, retain_reports),
    ]
    # Each comes first in its hour, so that none takes all the time for ever.
    first = 0 if seconds == inf else cycle.at.hour % len(parts)
    for retain_part in (*parts[first:], *parts[:first]):
        retain_part(cycle)
    return cycle


def keep_times(config: Settings) -> KeepTimes:
    """How long what has ended is kept, by the settings and the pipelines."""
    days: KeepDays = {
        "runs": config.keep_runs,
        "failed_runs": config.keep_failed_runs,
        "files": config.keep_files,
        "dead": config.keep_dead,
        "requests": config.keep_requests,
    }
    return KeepTimes(days, {pipeline.name: pipeline.keep for pipeline in catalog()})


def retained(cycle: Cycle) -> Mapping[str, Any]:
    """What the cycle removed and what it had to keep, counted, and whether it left something for the next."""
    counts = {name: cycle.counts[name] for name in _COUNTS}
    return {**counts, "kept_in_doubt": len(cycle.in_doubt), "unfinished": cycle.is_cut}


@op
def remove_old(context: OpExecutionContext) -> None:
    """Remove what is older than it is to be kept, for at most CASTAD_RETENTION_SECONDS."""
    seconds = settings().retention_seconds
    cycle = retain(context.instance, seconds=seconds, is_gentle=True)
    context.log_event(AssetMaterialization(RETENTION_ASSET, metadata=dict(retained(cycle))))


@job(
    name="retention",
    description="What has ended long ago is removed; what it cost stays in sums",
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    # What it leaves the next hour's removes. A run whose worker was lost ends by its time.
    tags={"dagster/max_retries": "0", "dagster/max_runtime": _MAX_SECONDS},
)
def retention_job() -> None:
    """The job of the schedule; it may be started by hand too."""
    remove_old()


retention_schedule = ScheduleDefinition(
    name="retention",
    job=retention_job,
    cron_schedule="33 * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Hourly, away from the hour's turn",
)
