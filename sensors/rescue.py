"""Rescue the requests of lost workers and of runs that never began."""

import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol, runtime_checkable

from dagster import (
    DagsterInstance,
    DagsterRun,
    DefaultSensorStatus,
    RunsFilter,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)

from resources.dagster.request_resource import (
    ATTEMPT_TAG,
    PIPELINE_TAG,
    TASK_ID_TAG,
    WAITING_STATUSES,
)
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.status import get_request, read_clock
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.rescue import (
    dead_letter_exhausted_requests,
    list_unclaimed_requests,
    prune_lost_workers,
    requeue_request,
    rescue_expired_leases,
    save_redelivery,
)
from resources.ledger.workers.worker import requeue_requests_of_dead_workers
from resources.process.crash_points import trigger_crash_point
from resources.process.settings import settings
from sensors.dispatch_waiter import PERIOD_SECONDS, get_shared_instance

_BATCH = 100
_SCHEDULE_TAG = "dagster/schedule_name"
_REPUBLISHED_TAG = "castad/delivered_again"
_log = logging.getLogger("castad.rescue")
_FORGET_AFTER_LEASES = 10
_LEASES_BETWEEN_COUNTS = 3
# Dagster's stock daemon ticks every 5 s at best (`MIN_INTERVAL_LOOP_TIME` in its sensor loop).
_MISSED_TICKS_SECONDS = 15.0


@runtime_checkable
class RunPublisher(Protocol):
    """A run launcher that publishes runs to the message broker, and can start a worker."""

    def publish_run(self, run_id: str) -> bool:
        """Publish the run; return whether the broker accepted it. Publishing a run twice does no harm."""

    def ensure_worker(self) -> None:
        """Start a worker if workers are started on demand and none is alive."""


UnclaimedRunAction = Literal["republish", "leave", "cancel"]
"""The action for a run that no worker has claimed."""


def choose_action(run: DagsterRun, request: Request | None) -> UnclaimedRunAction:
    """Choose the action for a run that has waited longer than the grace period.

    `request` is the run's request, None if it does not exist. A run of the sensor belongs to one attempt;
    while that attempt is dispatched, `republish_unclaimed` handles it. A run that was launched by hand claims
    its request itself, and is published again. A run that processes its request by now is left.
    """
    at_work = (Status.PROCESSING, run.run_id)
    if request is not None and (request.status, request.run_id) == at_work:
        return "leave"
    if ATTEMPT_TAG not in run.tags or run.parent_run_id is not None:
        return "republish"
    attempt = int(run.tags[ATTEMPT_TAG])
    if request is not None and (request.status, request.attempt) == (Status.DISPATCHED, attempt):
        return "leave"
    return "cancel"


def republish_unclaimed(
    instance: DagsterInstance, launcher: RunPublisher | None, db: Database, grace: float
) -> list[Request]:
    """Publish the runs of requests that are dispatched but not claimed again; return the changed requests.

    `grace` is the seconds after the dispatch until a request counts as unclaimed. A request without a run is
    set pending, for another run; without a `launcher` every unclaimed request is. Stops at the first run that
    the broker rejects, because each further try may take seconds.
    """
    changed: list[Request | None] = []
    for request in list_unclaimed_requests(db, grace):
        run = _find_unclaimed_run(instance, request)
        if launcher is None or run is None:
            changed.append(requeue_request(db, request))
        elif launcher.publish_run(run.run_id):
            changed.append(save_redelivery(db, request))
        else:
            break
    return [row for row in changed if row is not None]


def republish_stale_runs(
    instance: DagsterInstance, launcher: RunPublisher, db: Database, grace: float
) -> None:
    """Publish waiting runs that are older than `grace` seconds again, or mark superseded ones as CANCELED.

    Only runs that were launched by hand or by a schedule are published, at most once in `grace` seconds.
    Publishes none after the first one that the broker rejects.
    """
    broker_accepts = True
    before = datetime.now(UTC) - timedelta(seconds=grace)
    filters = RunsFilter(statuses=list(WAITING_STATUSES), created_before=before)
    for run in instance.get_runs(filters=filters, limit=_BATCH):
        if PIPELINE_TAG not in run.tags and _SCHEDULE_TAG not in run.tags:
            continue
        request = None
        with suppress(UnknownRequestError):
            request = get_request(db, run.tags.get(TASK_ID_TAG, ""))
        action = choose_action(run, request)
        last = run.tags.get(_REPUBLISHED_TAG)
        if action == "cancel":
            instance.report_run_canceled(run, "superseded: its request continued without this run")
        elif (
            action == "republish"
            and broker_accepts
            and (last is None or datetime.fromisoformat(last) <= before)
        ):
            broker_accepts = launcher.publish_run(run.run_id)
            if broker_accepts:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                instance.add_run_tags(run.run_id, {_REPUBLISHED_TAG: now})


def _find_unclaimed_run(instance: DagsterInstance, request: Request) -> DagsterRun | None:
    """Find the run that the sensor launched for the request's attempt; None if it is missing or was claimed."""
    tags = {TASK_ID_TAG: request.task_id, ATTEMPT_TAG: str(request.attempt)}
    # A re-execution inherits the tags of its parent; the sensor's own run has no parent.
    for record in instance.get_run_records(filters=RunsFilter(tags=tags), limit=_BATCH):
        run = record.dagster_run
        if run.parent_run_id is None:
            return run if run.status in WAITING_STATUSES and record.start_time is None else None
    return None


@dataclass(frozen=True)
class DatabaseUptime:
    """The time at which the database last answered, and the time since which it has answered without a gap."""

    seen: datetime
    since: datetime


def compute_uptime(
    last: DatabaseUptime | None, now: datetime, lease_seconds: float
) -> DatabaseUptime:
    """Compute the uptime after an answer of the database at `now`; `last` is the uptime before, None if unknown.

    `since` becomes `now` after a gap longer than a lease and the time of a few missed ticks: no worker could
    renew its leases in it, so that an expired lease proves nothing. Slow ticks leave gaps too. Therefore the
    count restarts at most once in three leases, and rescues are delayed but never suspended for good.
    """
    if last is None:
        return DatabaseUptime(now, now)
    gap = (now - last.seen).total_seconds()
    counted = (now - last.since).total_seconds()
    was_down = gap > max(lease_seconds, _MISSED_TICKS_SECONDS)
    if was_down and counted > _LEASES_BETWEEN_COUNTS * lease_seconds:
        return DatabaseUptime(now, now)
    return DatabaseUptime(now, last.since)


def may_rescue(uptime: DatabaseUptime, lease_seconds: float) -> bool:
    """Return whether the database has answered so long that every living worker has renewed its leases since."""
    return (uptime.seen - uptime.since).total_seconds() >= lease_seconds


def parse_cursor(cursor: str | None, now: datetime) -> DatabaseUptime | None:
    """Parse the sensor's cursor; return None if it is missing, malformed or in the future.

    Every user may set a sensor's cursor in the Dagster UI, and a database's clock may be set back.
    """
    try:
        seen, since = json.loads(cursor or "")
        uptime = DatabaseUptime(datetime.fromisoformat(seen), datetime.fromisoformat(since))
        is_usable = uptime.since <= uptime.seen <= now
    except (ValueError, TypeError, RecursionError):
        return None
    return uptime if is_usable else None


@sensor(
    name="rescue_sensor",
    default_status=DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=PERIOD_SECONDS,
)
def rescue_sensor(context: SensorEvaluationContext) -> SensorResult:
    """Rescue expired leases, republish unclaimed runs, dead-letter exhausted requests, and end expired holds."""
    config = settings()
    db = open_database(config.ledger_url)
    now = read_clock(db)
    uptime = compute_uptime(parse_cursor(context.cursor, now), now, config.lease_seconds)
    rescued = requeue_requests_of_dead_workers(db, config) + dead_letter_exhausted_requests(db)
    if may_rescue(uptime, config.lease_seconds):
        rescued += rescue_expired_leases(db, config.poison_deaths)
        prune_lost_workers(db, config.lease_seconds * _FORGET_AFTER_LEASES)
    instance, grace, problem = get_shared_instance(context), config.dispatch_grace, ""
    launcher = instance.run_launcher
    publisher = launcher if isinstance(launcher, RunPublisher) else None
    try:
        if publisher is not None:
            publisher.ensure_worker()
            republish_stale_runs(instance, publisher, db, grace)
        rescued += republish_unclaimed(instance, publisher, db, grace)
    except Exception as error:  # noqa: BLE001 - a failed tick loses its cursor, and would rescue no lease
        _log.exception("republishing unclaimed runs failed")
        problem = f"; republishing unclaimed runs failed ({type(error).__name__})"
    trigger_crash_point("rescue_sensor.after_take")
    for request in end_expired_holds(db):
        context.log.info(f"hold expired: {request.task_id} is {request.status}")
    for request in rescued:
        context.log.info(
            f"request rescued: {request.task_id} is {request.status} ({request.error_code})"
        )
    return SensorResult(
        cursor=json.dumps([uptime.seen.isoformat(), uptime.since.isoformat()]),
        skip_reason=SkipReason(f"{len(rescued)} requests rescued{problem}"),
    )
