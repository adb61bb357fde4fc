"""Remove requests, files, reports and Dagster's rows after the days that the settings keep them."""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any
from zlib import crc32

from dagster import (
    AssetKey,
    AssetMaterialization,
    DagsterInstance,
    DagsterRunStatus,
    DefaultScheduleStatus,
    OpExecutionContext,
    RunsFilter,
    ScheduleDefinition,
    in_process_executor,
    job,
    op,
)
from sqlalchemy import create_engine, text

from pipeline_defs.build import LOGGERS
from pipeline_defs.catalog import get_catalog
from resources.dagster.request_resource import FINISHED_STATUSES, TASK_ID_TAG
from resources.dagster.run_log import OldRun
from resources.files.artifacts import ArtifactStore, open_artifact_store
from resources.files.pictures import (
    UPLOADS,
    list_files_in,
    list_picture_files,
    list_request_folders,
    remove_stored_file,
)
from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.retention import (
    collect_uploads_in_use,
    collect_uploads_of_orders,
    find_deleted_names,
    find_known_files,
    list_ended_requests,
    list_requests_with_files,
    read_requests_by_task_id,
)
from resources.ledger.queries.statistics import count_rows_before
from resources.ledger.queries.status import read_clock
from resources.ledger.retention_rules import (
    EndedRequest,
    Hold,
    KeepDays,
    KeepTimes,
    MayGo,
    Part,
    explain_barred,
    explain_kept,
)
from resources.ledger.schema.tables import TERMINAL, Status
from resources.ledger.transitions.housekeeping import (
    Removed,
    find_removable_requests,
    prune_files,
    purge_reports,
    purge_requests,
    save_log_pruned,
)
from resources.ledger.transitions.redo import list_redrivable_requests, redrive_request
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import Settings, settings
from sensors.event_mirror import REQUESTS_ASSET

BATCH = 500
"""The most requests of one transaction."""
_LONGEST_REST = 1.0
_HOURS = 24
_DAY = 86_400.0
_RUNS_A_BATCH = 100
_OBSERVATIONS_A_BATCH = 2000
Found = Mapping[str, EndedRequest]
"""The orders that exist, by task_id."""


@dataclass
class Cycle:
    """A run of retention, which removes old rows and files until its time is over.

    `at` is the database's time at its start, `until` the monotonic time at its end. `counts` has the removed
    rows and files; if it `is_dry`, those that would have been removed.
    """

    db: Database
    store: ArtifactStore
    times: KeepTimes
    at: datetime
    until: float = float("inf")
    is_dry: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    in_doubt: list[str] = field(default_factory=list)
    """The orders that are old enough, and stay because a submission has no final status."""
    rest: float = 0.0
    """The rest after a batch, in multiples of its duration, so that the database is idle most of the time.

    A rest is a second at most: a batch that waited for a hanging database does not show how busy that is.
    """
    batch_began: float | None = None
    looked_at: set[str] = field(default_factory=set)
    """The orders whose mirrored events were counted: a dry cycle finds them again on every page."""
    is_cut: bool = False
    """Whether the time was over before everything was checked."""

    def may_continue(self) -> bool:
        """Rest after the last batch; return whether there is time for another one."""
        if self.rest and self.batch_began is not None:
            now = time.monotonic()
            wanted = min((now - self.batch_began) * self.rest, _LONGEST_REST)
            time.sleep(max(0.0, min(wanted, self.until - now)))
        self.batch_began = time.monotonic()
        if time.monotonic() >= self.until:
            self.is_cut = True
        return not self.is_cut

    def may_go(self, part: Part, request: EndedRequest) -> bool:
        """Return whether this part of the request may be removed; False for files of a request that goes whole."""
        if part is Part.FILES and self.may_go(Part.REQUEST, request):
            return False
        return explain_kept(request, part, self.times, self.at) is None

    def note_in_doubt(self, requests: Iterable[EndedRequest]) -> None:
        """Remember those of the requests that are kept only because a submission has no final status."""
        self.in_doubt += [
            request.task_id
            for request in requests
            if explain_kept(request, Part.REQUEST, self.times, self.at) is Hold.IN_DOUBT
        ]

    def remove(self, removed: Removed, counted_as: str, older_than: float) -> None:
        """Delete the files of removed requests, and add both to the counts.

        `counted_as` is the name of the requests' count. Files that were written after `older_than`, a Unix
        time, are kept.
        """
        self.counts[counted_as] += len(removed.requests)
        for file in removed.files:
            # Another cycle may have swept it in the meantime.
            if self.is_dry or remove_stored_file(self.store, file.where, older_than=older_than):
                self.counts["files"] += 1
                self.counts["bytes"] += file.bytes


def retain_leftovers(cycle: Cycle) -> None:
    """Remove files that no row lists, while there is time; each folder is checked once a day."""
    hour = None if cycle.is_dry or cycle.until == float("inf") else cycle.at.hour
    names = (
        name for name in list_request_folders(cycle.store) if hour in (None, _compute_hour(name))
    )
    while cycle.may_continue() and (page := list(islice(names, BATCH))):
        _sweep_folders(cycle, page)
    if cycle.may_continue():
        _sweep_unused_uploads(cycle)
    if cycle.may_continue() and hour in (None, 0):
        _sweep_pictures(cycle)


def _compute_hour(name: str) -> int:
    """Compute the hour of the day, 0 to 23, in which the folder of this name is checked."""
    return crc32(name.encode(errors="surrogateescape")) % _HOURS


def _sweep_folders(cycle: Cycle, names: Sequence[str]) -> None:
    """Remove the files in these folders that no order lists.

    An ended order's go after a day, an unknown order's after the days of files: another ledger may have used
    the folder. Those of an order that a person deleted go after a day too.
    """
    found, deleted = read_requests_by_task_id(cycle.db, names), find_deleted_names(cycle.db, names)
    there = {name: list(list_files_in(cycle.store, name)) for name in names}
    known = find_known_files(cycle.db, [each[0] for files in there.values() for each in files])
    for name, files in there.items():
        oldest = _compute_sweep_time(cycle, found.get(name), is_deleted=name in deleted)
        if oldest is not None:
            _sweep(cycle, (each for each in files if each[0] not in known), oldest)


def _compute_sweep_time(
    cycle: Cycle, request: EndedRequest | None, *, is_deleted: bool
) -> float | None:
    """Compute the Unix time before which a file that no row lists must be written to be removed; None if all stay.

    `request` is the ended order of the folder, None if it is unknown.
    """
    if request is not None:
        return None if explain_barred(request) else cycle.at.timestamp() - _DAY
    return cycle.at.timestamp() - _DAY if is_deleted else _compute_oldest_kept(cycle)


def _sweep_unused_uploads(cycle: Cycle) -> None:
    """Remove uploads older than a day that no order and no profile refers to."""
    oldest = cycle.at.timestamp() - _DAY
    by_other_sweep = _compute_oldest_kept(cycle)
    needed = collect_uploads_in_use(cycle.db)
    old = [
        (name, each)
        for each in list_files_in(cycle.store, UPLOADS)
        if by_other_sweep <= each[2] < oldest and (name := each[0].rpartition("/")[2]) not in needed
    ]
    if old:
        named = collect_uploads_of_orders(cycle.db)
        _sweep(cycle, (each for name, each in old if name not in named), oldest)


def _sweep_pictures(cycle: Cycle) -> None:
    """Remove pictures after the days of files, except uploads to which an open order or a profile refers."""
    needed = collect_uploads_in_use(cycle.db)
    unneeded = (
        each for each in list_picture_files(cycle.store) if each[0].rpartition("/")[2] not in needed
    )
    _sweep(cycle, unneeded, _compute_oldest_kept(cycle))


def _sweep(cycle: Cycle, files: Iterable[tuple[str, int, float]], oldest: float) -> None:
    """Remove those of the files that were written before the Unix time `oldest`, and count them.

    `files` are tuples of path, size in bytes and Unix time of writing.
    """
    for where, size, written in files:
        if written < oldest and (
            cycle.is_dry or remove_stored_file(cycle.store, where, older_than=oldest)
        ):
            cycle.counts["leftover_files"] += 1
            cycle.counts["bytes"] += size


def _compute_oldest_kept(cycle: Cycle) -> float:
    """Compute the Unix time since which no pipeline removes files."""
    return cycle.at.timestamp() - cycle.times.longest_of_files() * _DAY


def retain_runs(cycle: Cycle, instance: DagsterInstance) -> None:
    """Remove Dagster's old runs with their events, while there is time."""
    storage: Any = instance.run_storage
    after = 0
    while cycle.may_continue():
        page: list[OldRun] = storage.list_oldest_runs(after=after, limit=_RUNS_A_BATCH)
        found = read_requests_by_task_id(cycle.db, {run.task_id for run in page if run.task_id})
        _delete_runs(
            cycle, instance, [run for run in page if _may_run_go(cycle, run, found)], found
        )
        if len(page) < _RUNS_A_BATCH or page[-1].created_at > _compute_young(cycle):
            return
        after = page[-1].id


def _delete_runs(
    cycle: Cycle, instance: DagsterInstance, runs: Sequence[OldRun], found: Found
) -> None:
    """Delete the runs and their events, and count them; only count them in a dry cycle.

    `found` are the runs' orders that exist.
    """
    if not runs:
        return
    events: Any = instance.event_log_storage
    storage: Any = instance.run_storage
    ids = [run.run_id for run in runs]
    if cycle.is_dry:
        cycle.counts["runs"] += len(ids)
        cycle.counts["events"] += events.count_events_of(ids)
        return
    _save_pruned(cycle, {run.task_id for run in runs if run.task_id}, found)
    # Runs last: a run of which only the events were deleted is found again.
    cycle.counts["events"] += events.delete_events_of(ids)
    trigger_crash_point("retention.after_events")
    cycle.counts["runs"] += storage.delete_runs(ids)


def retain_observations(cycle: Cycle, instance: DagsterInstance) -> None:
    """Remove the old mirrored events of each order, all together, while there is time."""
    events: Any = instance.event_log_storage
    asset = REQUESTS_ASSET.to_string()
    after = 0
    while cycle.may_continue():
        page = events.list_oldest_observations(asset, after=after, limit=_OBSERVATIONS_A_BATCH)
        newest = {each.task_id: each.at for each in page}
        found = read_requests_by_task_id(cycle.db, newest)
        gone = [name for name, at in newest.items() if _may_log_go(cycle, name, at, found)]
        _delete_observations(cycle, events, gone, found)
        if len(page) < _OBSERVATIONS_A_BATCH or page[-1].at > _compute_young(cycle):
            return
        after = page[-1].id


def _delete_observations(cycle: Cycle, events: Any, gone: Sequence[str], found: Found) -> None:
    """Delete the mirrored events of the orders `gone`, and count them; only count them in a dry cycle."""
    if not gone:
        return
    asset = REQUESTS_ASSET.to_string()
    if cycle.is_dry:
        new = [name for name in gone if name not in cycle.looked_at]
        cycle.looked_at.update(new)
        cycle.counts["events"] += events.count_observations_of(asset, new)
        return
    _save_pruned(cycle, gone, found)
    cycle.counts["events"] += events.delete_observations_of(asset, gone)


def delete_log(instance: DagsterInstance, task_id: str) -> None:
    """Delete the finished runs and the mirrored events of the order from Dagster's storage."""
    events: Any = instance.event_log_storage
    storage: Any = instance.run_storage
    wanted = RunsFilter(tags={TASK_ID_TAG: task_id}, statuses=[*FINISHED_STATUSES])
    while run_ids := instance.get_run_ids(wanted, limit=_RUNS_A_BATCH):
        events.delete_events_of(run_ids)
        storage.delete_runs(run_ids)
    events.delete_observations_of(REQUESTS_ASSET.to_string(), [task_id])


def _may_run_go(cycle: Cycle, run: OldRun, found: Found) -> bool:
    """Return whether the run and its order have both ended long enough ago to be removed."""
    if run.status not in FINISHED_STATUSES:
        return False
    request = found.get(run.task_id or "")
    if request is not None:
        days = cycle.times.days(request.pipeline, request.status, Part.LOG)
        return cycle.may_go(Part.LOG, request) and run.ended_at < cycle.at - timedelta(days=days)
    is_done = run.status is DagsterRunStatus.SUCCESS
    days = cycle.times.days("", Status.COMPLETED if is_done else Status.DEAD, Part.LOG)
    return run.ended_at < cycle.at - timedelta(days=days)


def _may_log_go(cycle: Cycle, task_id: str, at: datetime, found: Found) -> bool:
    """Return whether the mirrored events of the order may be removed; `at` is the time of the last one."""
    request = found.get(task_id)
    if request is not None:
        return cycle.may_go(Part.LOG, request)
    return at < cycle.at - timedelta(days=cycle.times.days("", Status.DEAD, Part.LOG))


def _save_pruned(cycle: Cycle, task_ids: Collection[str], found: Found) -> None:
    """Save in the ledger that the log of these orders is deleted; called before the deletion.

    A crash in between then leaves a note and surplus rows.
    """
    save_log_pruned(cycle.db, [found[name].id for name in task_ids if name in found])


def _compute_young(cycle: Cycle) -> datetime:
    """Compute the time after which the log of any order is kept."""
    days = min(cycle.times.shortest(status, Part.LOG) for status in TERMINAL)
    return cycle.at - timedelta(days=days)


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
    if not cycle.may_continue():
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
    while cycle.may_continue():
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
    while after is not None and cycle.may_continue():
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
    store, times = open_artifact_store(config), build_keep_times(config)
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


def build_keep_times(config: Settings) -> KeepTimes:
    """Build the retention times from the settings and the pipelines."""
    days: KeepDays = {
        "runs": config.keep_runs,
        "failed_runs": config.keep_failed_runs,
        "files": config.keep_files,
        "dead": config.keep_dead,
        "requests": config.keep_requests,
    }
    return KeepTimes(days, {pipeline.name: pipeline.retention for pipeline in get_catalog()})


def summarize_cycle(cycle: Cycle) -> Mapping[str, Any]:
    """Build the summary of the cycle: the counts of removed and kept requests, and whether time ran out."""
    counts = {name: cycle.counts[name] for name in _COUNTS}
    return {**counts, "kept_in_doubt": len(cycle.in_doubt), "unfinished": cycle.is_cut}


@op
def remove_old(context: OpExecutionContext) -> None:
    """Run a gentle cycle of retention for at most CASTAD_RETENTION_SECONDS, and report its counts to Dagster."""
    seconds = settings().retention_seconds
    cycle = retain(context.instance, seconds=seconds, is_gentle=True)
    context.log_event(AssetMaterialization(RETENTION_ASSET, metadata=dict(summarize_cycle(cycle))))


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
