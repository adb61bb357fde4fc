"""Remove requests, files, reports and Dagster's rows after the days that the settings keep them."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from math import inf
from pathlib import Path
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
from sqlalchemy import create_engine, text

from pipeline_defs.build import LOGGERS
from pipeline_defs.catalog import get_catalog
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.retention import list_ended_requests, list_requests_with_files
from resources.ledger.queries.statistics import count_rows_before
from resources.ledger.queries.status import read_clock
from resources.ledger.retention_rules import EndedRequest, KeepDays, KeepTimes, MayGo, Part
from resources.ledger.schema.tables import TERMINAL, Status
from resources.ledger.transitions.housekeeping import (
    Removed,
    find_removable_requests,
    prune_files,
    purge_reports,
    purge_requests,
)
from resources.ledger.transitions.redo import list_redrivable_requests, redrive_request
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import Settings, settings
from sensors.retention.leftovers import (
    BATCH,
    Cycle,
    retain_leftovers,
    retain_observations,
    retain_runs,
)

_PURGES: dict[Part, tuple[Callable[..., Removed], str]] = {
    Part.REQUEST: (purge_requests, "requests"),
    Part.FILES: (prune_files, "requests_without_files"),
}
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
"""The counts of every cycle, in the order of display."""
_LOCK_SECONDS = 30.0


def redrive_dead_letters(cycle: Cycle) -> None:
    """Retry a batch of dead requests whose failure may be over, each once in its life."""
    if not cycle.goes_on():
        return
    names = list_redrivable_requests(cycle.db, BATCH)
    over = get_catalog().product_reusing_pipelines
    redriven = (
        len(names) if cycle.is_dry else sum(redrive_request(cycle.db, name, over) for name in names)
    )
    cycle.counts["redriven"] += redriven


def retain_requests(cycle: Cycle) -> None:
    """Remove old requests with all their rows and files, while there is time."""
    for status in sorted(TERMINAL):
        _purge_ended(cycle, status)


def _purge_ended(cycle: Cycle, status: Status) -> None:
    """Remove old requests that have ended with this status, while there is time."""
    young = cycle.at - timedelta(days=cycle.times.shortest(status, Part.REQUEST))
    after = 0
    while cycle.goes_on():
        page = list_ended_requests(cycle.db, status, after=after, limit=BATCH)
        cycle.note_in_doubt(page)
        _remove(cycle, Part.REQUEST, page)
        # Ids and times of creation rise together, and no request ends before it is created.
        if len(page) < BATCH or page[-1].created_at > young:
            return
        after = page[-1].id


def retain_files(cycle: Cycle) -> None:
    """Remove the files of old requests, while there is time."""
    days = min(cycle.times.shortest(status, Part.FILES) for status in TERMINAL)
    young = cycle.at - timedelta(days=days)
    after: int | None = 0
    while after is not None and cycle.goes_on():
        page, after = list_requests_with_files(cycle.db, after=after, limit=BATCH)
        _remove(cycle, Part.FILES, page)
        if page and min(request.updated_at for request in page) > young:
            return


def retain_reports(cycle: Cycle) -> None:
    """Remove hourly reports that are older than the days of a completed request."""
    days = cycle.times.days("", Status.COMPLETED, Part.REQUEST)
    old = cycle.at - timedelta(days=days)
    count = count_rows_before if cycle.is_dry else purge_reports
    cycle.counts["report_rows"] += count(cycle.db, old)


def _remove(cycle: Cycle, part: Part, page: Sequence[EndedRequest]) -> None:
    """Remove this part, and its files, of those of the requests for which it may go; only count in a dry cycle."""
    may_go: MayGo = partial(cycle.may_go, part)
    ids = [request.id for request in page if may_go(request)]
    if not ids:
        return
    purge, counted_as = _PURGES[part]
    began = time.time()
    removed = (find_removable_requests if cycle.is_dry else purge)(cycle.db, ids, may_go)
    trigger_crash_point("retention.after_commit")
    cycle.remove(removed, counted_as, older_than=began)


def retain(
    instance: DagsterInstance,
    *,
    seconds: float = inf,
    is_dry: bool = False,
    is_gentle: bool = False,
) -> Cycle:
    """Run a cycle of retention for about `seconds`; return the cycle with its counts.

    With `is_dry` nothing is removed; with `is_gentle` it rests five times as long as it works.
    """
    config = settings()
    db = open_database(config.ledger_url)
    until = time.monotonic() + seconds
    store, times = open_artifact_store(config), keep_times(config)
    rest = _GENTLE_REST if is_gentle else 0.0
    cycle = Cycle(db, store, times, read_clock(db), until, is_dry, rest=rest)
    if config.dead_redrive:
        redrive_dead_letters(cycle)
    # Dagster's rows first: they are kept by the order's end, which goes with the order.
    parts: list[Callable[[Cycle], None]] = [
        partial(retain_runs, instance=instance),
        partial(retain_observations, instance=instance),
        *(retain_requests, retain_files, retain_leftovers, retain_reports),
    ]
    # Each part comes first in its hour, so that no part always takes all the time.
    first = 0 if seconds == inf else cycle.at.hour % len(parts)
    for retain_part in (*parts[first:], *parts[:first]):
        retain_part(cycle)
    return cycle


def keep_times(config: Settings) -> KeepTimes:
    """Build the retention times from the settings and the pipelines."""
    days: KeepDays = {
        "runs": config.keep_runs,
        "failed_runs": config.keep_failed_runs,
        "files": config.keep_files,
        "dead": config.keep_dead,
        "requests": config.keep_requests,
    }
    return KeepTimes(days, {pipeline.name: pipeline.retention for pipeline in get_catalog()})


def retained(cycle: Cycle) -> Mapping[str, Any]:
    """Build the summary of the cycle: the counts of removed and kept requests, and whether time ran out."""
    counts = {name: cycle.counts[name] for name in _COUNTS}
    return {**counts, "kept_in_doubt": len(cycle.in_doubt), "unfinished": cycle.is_cut}


@op
def remove_old(context: OpExecutionContext) -> None:
    """Run a gentle cycle of retention for at most CASTAD_RETENTION_SECONDS, and report its counts to Dagster."""
    seconds = settings().retention_seconds
    cycle = retain(context.instance, seconds=seconds, is_gentle=True)
    context.log_event(AssetMaterialization(RETENTION_ASSET, metadata=dict(retained(cycle))))


@job(
    name="retention",
    description="What has ended long ago is removed; what it cost stays in sums",
    executor_def=in_process_executor,
    logger_defs=LOGGERS,
    # The next hour's run continues its work. A run whose worker was lost ends by its time limit.
    tags={"dagster/max_retries": "0", "dagster/max_runtime": _MAX_SECONDS},
)
def retention_job() -> None:
    """Remove what is old; started by the schedule or by an operator."""
    remove_old()


retention_schedule = ScheduleDefinition(
    name="retention",
    job=retention_job,
    cron_schedule="33 * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Hourly, away from the full hour",
)


def shrink_database(db: Database, files: Iterable[Path]) -> tuple[int, int]:
    """Compact the database; return its size in bytes before and after.

    On SQLite the other `files` are compacted and counted too. Raises sqlite3.OperationalError if another
    process holds a lock for 30 s, and SQLAlchemyError.
    """
    if not db.is_sqlite:
        return _shrink_postgres(db)
    found = [Path(str(db.url.database)), *files]
    before = sum(_measure_size(file) for file in found)
    for file in found:
        # VACUUM runs outside of a transaction, also of the driver's.
        with closing(sqlite3.connect(file, _LOCK_SECONDS, isolation_level=None)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before, sum(_measure_size(file) for file in found)


def _measure_size(file: Path) -> int:
    """Return the size in bytes of the file and its write-ahead log."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def _shrink_postgres(db: Database) -> tuple[int, int]:
    """Compact the Postgres database; return its size in bytes before and after."""
    # The pool's connections have statement timeouts, and VACUUM runs in no transaction.
    engine = create_engine(db.url, isolation_level="AUTOCOMMIT")
    size = text("SELECT pg_database_size(current_database())")
    try:
        with engine.connect() as connection:
            before = int(connection.execute(size).scalar_one())
            connection.execute(text("VACUUM (FULL, ANALYZE)"))
            return before, int(connection.execute(size).scalar_one())
    finally:
        engine.dispose()
