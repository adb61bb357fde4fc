"""Remove requests, files, reports and Dagster's rows after the days that the settings keep them."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from math import inf
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
    op,
)

from pipeline_defs.build import make_periodic_job
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
from resources.ledger.queries.hours import count_rows_before
from resources.ledger.queries.retention import (
    collect_uploads_in_use,
    collect_uploads_of_orders,
    find_deleted_names,
    find_known_files,
    list_ended_requests,
    list_requests_with_files,
    read_requests_by_task_id,
)
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

RETENTION_ASSET = AssetKey(["retention"])
_BATCH = 500
"""The most requests of one transaction."""
_RUNS_A_BATCH = 100
_OBSERVATIONS_A_BATCH = 2000
_GENTLE_REST = 5.0
_LONGEST_REST = 1.0
_DAY = 86_400.0
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
    until: float = inf
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


def remove_leftovers(cycle: Cycle) -> None:
    """Remove files that no row lists, while there is time; each folder is checked once a day.

    Those of an order that has ended, or that a person deleted, go after a day, those of an unknown order after
    the days of files: another ledger may have used the folder. Uploads go after a day if no order and no profile
    refers to them, and pictures after the days of files.
    """
    db, store = cycle.db, cycle.store
    hour = None if cycle.is_dry or cycle.until == inf else cycle.at.hour
    day_old = cycle.at.timestamp() - _DAY
    # No pipeline removes files that are younger.
    oldest_kept = cycle.at.timestamp() - cycle.times.longest_of_files() * _DAY
    names = (
        name
        for name in list_request_folders(store)
        if hour in (None, crc32(name.encode(errors="surrogateescape")) % 24)
    )
    while cycle.may_continue() and (page := list(islice(names, _BATCH))):
        found, deleted = read_requests_by_task_id(db, page), find_deleted_names(db, page)
        there = {name: list(list_files_in(store, name)) for name in page}
        known = find_known_files(db, [each[0] for files in there.values() for each in files])
        for name, files in there.items():
            request = found.get(name)
            if request is None or explain_barred(request) is None:
                is_unknown = request is None and name not in deleted
                unlisted = (each for each in files if each[0] not in known)
                _sweep(cycle, unlisted, oldest_kept if is_unknown else day_old)
    if cycle.may_continue():
        needed = collect_uploads_in_use(db)
        unused = [
            (name, each)
            for each in list_files_in(store, UPLOADS)
            if oldest_kept <= each[2] < day_old
            and (name := each[0].rpartition("/")[2]) not in needed
        ]
        if unused:
            named = collect_uploads_of_orders(db)
            _sweep(cycle, (each for name, each in unused if name not in named), day_old)
    if cycle.may_continue() and hour in (None, 0):
        needed = collect_uploads_in_use(db)
        pictures = (
            each for each in list_picture_files(store) if each[0].rpartition("/")[2] not in needed
        )
        _sweep(cycle, pictures, oldest_kept)


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


def remove_old_runs(cycle: Cycle, instance: DagsterInstance) -> None:
    """Remove Dagster's old runs with their events, while there is time."""
    # The log of any order is kept from this time on.
    young = cycle.at - timedelta(
        days=min(cycle.times.shortest(each, Part.LOG) for each in TERMINAL)
    )
    events: Any = instance.event_log_storage
    storage: Any = instance.run_storage
    after = 0
    while cycle.may_continue():
        page: list[OldRun] = storage.list_oldest_runs(after=after, limit=_RUNS_A_BATCH)
        found = read_requests_by_task_id(cycle.db, {run.task_id for run in page if run.task_id})
        gone = [run for run in page if _may_run_go(cycle, run, found.get(run.task_id or ""))]
        ids = [run.run_id for run in gone]
        if ids and cycle.is_dry:
            cycle.counts["runs"] += len(ids)
            cycle.counts["events"] += events.count_events_of(ids)
        elif ids:
            _save_pruned(cycle, {run.task_id for run in gone if run.task_id}, found)
            # Runs last: a run of which only the events were deleted is found again.
            cycle.counts["events"] += events.delete_events_of(ids)
            trigger_crash_point("retention.after_events")
            cycle.counts["runs"] += storage.delete_runs(ids)
        if len(page) < _RUNS_A_BATCH or page[-1].created_at > young:
            return
        after = page[-1].id


def remove_old_observations(cycle: Cycle, instance: DagsterInstance) -> None:
    """Remove the old mirrored events of each order, all together, while there is time."""
    # The log of any order is kept from this time on.
    young = cycle.at - timedelta(
        days=min(cycle.times.shortest(each, Part.LOG) for each in TERMINAL)
    )
    events: Any = instance.event_log_storage
    asset = REQUESTS_ASSET.to_string()
    orphaned = cycle.at - timedelta(days=cycle.times.days("", Status.DEAD, Part.LOG))
    after = 0
    while cycle.may_continue():
        page = events.list_oldest_observations(asset, after=after, limit=_OBSERVATIONS_A_BATCH)
        newest = {each.task_id: each.at for each in page}
        found = read_requests_by_task_id(cycle.db, newest)
        gone = [
            name
            for name, at in newest.items()
            if (cycle.may_go(Part.LOG, found[name]) if name in found else at < orphaned)
        ]
        if gone and cycle.is_dry:
            new = [name for name in gone if name not in cycle.looked_at]
            cycle.looked_at.update(new)
            cycle.counts["events"] += events.count_observations_of(asset, new)
        elif gone:
            _save_pruned(cycle, gone, found)
            cycle.counts["events"] += events.delete_observations_of(asset, gone)
        if len(page) < _OBSERVATIONS_A_BATCH or page[-1].at > young:
            return
        after = page[-1].id


def delete_log(instance: DagsterInstance, task_id: str) -> None:
    """Delete the finished runs and the mirrored events of the order from Dagster's storage."""
    events: Any = instance.event_log_storage
    storage: Any = instance.run_storage
    wanted = RunsFilter(tags={TASK_ID_TAG: task_id}, statuses=[*FINISHED_STATUSES])
    while run_ids := instance.get_run_ids(wanted, limit=_RUNS_A_BATCH):
        events.delete_events_of(run_ids)
        storage.delete_runs(run_ids)
    events.delete_observations_of(REQUESTS_ASSET.to_string(), [task_id])


def _may_run_go(cycle: Cycle, run: OldRun, request: EndedRequest | None) -> bool:
    """Return whether the run and its order, if that exists, have ended long enough ago to be removed."""
    if run.status not in FINISHED_STATUSES:
        return False
    if request is not None:
        days = cycle.times.days(request.pipeline, request.status, Part.LOG)
        return cycle.may_go(Part.LOG, request) and run.ended_at < cycle.at - timedelta(days=days)
    is_done = run.status is DagsterRunStatus.SUCCESS
    days = cycle.times.days("", Status.COMPLETED if is_done else Status.DEAD, Part.LOG)
    return run.ended_at < cycle.at - timedelta(days=days)


def _save_pruned(
    cycle: Cycle, task_ids: Collection[str], found: Mapping[str, EndedRequest]
) -> None:
    """Save in the ledger that the log of these orders is deleted; called before the deletion.

    A crash in between then leaves a note and surplus rows.
    """
    save_log_pruned(cycle.db, [found[name].id for name in task_ids if name in found])


def redrive_dead_letters(cycle: Cycle) -> None:
    """Retry a batch of dead requests whose failure may be over, each once in its life."""
    if not cycle.may_continue():
        return
    names = list_redrivable_requests(cycle.db, _BATCH)
    over = get_catalog().product_reusing_pipelines
    redriven = (
        len(names) if cycle.is_dry else sum(redrive_request(cycle.db, name, over) for name in names)
    )
    cycle.counts["redriven"] += redriven


def remove_old_requests(cycle: Cycle) -> None:
    """Remove old requests with all their rows and files, while there is time."""
    for status in sorted(TERMINAL):
        young = cycle.at - timedelta(days=cycle.times.shortest(status, Part.REQUEST))
        after: int | None = 0
        while after is not None and cycle.may_continue():
            page = list_ended_requests(cycle.db, status, after=after, limit=_BATCH)
            cycle.in_doubt += [
                request.task_id
                for request in page
                if explain_kept(request, Part.REQUEST, cycle.times, cycle.at) is Hold.IN_DOUBT
            ]
            _remove_part(cycle, Part.REQUEST, page, purge_requests, "requests")
            # Ids and times of creation rise together, and no request ends before it is created.
            is_last = len(page) < _BATCH or page[-1].created_at > young
            after = None if is_last else page[-1].id


def remove_old_files(cycle: Cycle) -> None:
    """Remove the files of old requests, while there is time."""
    days = min(cycle.times.shortest(status, Part.FILES) for status in TERMINAL)
    young = cycle.at - timedelta(days=days)
    after: int | None = 0
    while after is not None and cycle.may_continue():
        page, after = list_requests_with_files(cycle.db, after=after, limit=_BATCH)
        _remove_part(cycle, Part.FILES, page, prune_files, "requests_without_files")
        if page and min(request.updated_at for request in page) > young:
            return


def remove_old_reports(cycle: Cycle) -> None:
    """Remove hourly reports that are older than the days of a completed request."""
    days = cycle.times.days("", Status.COMPLETED, Part.REQUEST)
    old = cycle.at - timedelta(days=days)
    count = count_rows_before if cycle.is_dry else purge_reports
    cycle.counts["report_rows"] += count(cycle.db, old)


def _remove_part(
    cycle: Cycle,
    part: Part,
    page: Sequence[EndedRequest],
    purge: Callable[..., Removed],
    counted_as: str,
) -> None:
    """Remove this part, and its files, of those of the requests for which it may go; only count in a dry cycle."""
    may_go: MayGo = partial(cycle.may_go, part)
    ids = [request.id for request in page if may_go(request)]
    if not ids:
        return
    began = time.time()
    removed = (find_removable_requests if cycle.is_dry else purge)(cycle.db, ids, may_go)
    trigger_crash_point("retention.after_commit")
    cycle.counts[counted_as] += len(removed.requests)
    for file in removed.files:
        # Another cycle may have swept it in the meantime. What was written since belongs to another row.
        if cycle.is_dry or remove_stored_file(cycle.store, file.where, older_than=began):
            cycle.counts["files"] += 1
            cycle.counts["bytes"] += file.bytes


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
        partial(remove_old_runs, instance=instance),
        partial(remove_old_observations, instance=instance),
        *(remove_old_requests, remove_old_files, remove_leftovers, remove_old_reports),
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


retention_job = make_periodic_job(
    "retention", remove_old, 600, "What has ended long ago is removed; what it cost stays in sums"
)
retention_schedule = ScheduleDefinition(
    name="retention",
    job=retention_job,
    cron_schedule="33 * * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Hourly, away from the full hour",
)
