"""The sensor that rescues requests whose worker or run was lost."""

import json
import logging
from dataclasses import dataclass
from datetime import datetime

from dagster import (
    DagsterInstance,
    DefaultSensorStatus,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)

from resources.ledger.db.database import Database, open_database
from resources.ledger.queries.reads import clock
from resources.ledger.request import Request
from resources.ledger.transitions.approval import end_expired_holds
from resources.ledger.transitions.dispatch import discard_exhausted, rescue_expired_leases
from resources.ledger.transitions.workers import prune_lost_workers
from resources.ledger.workers.worker import requeue_requests_of_dead_workers
from resources.process.crash_points import crash_point
from resources.process.settings import settings
from sensors.shared_instance import PERIOD_SECONDS, shared_instance
from sensors.unclaimed_runs import RunPublisher, reap_stale_runs, republish_unclaimed

_log = logging.getLogger("castad.rescue")
_FORGET_AFTER_LEASES = 10
_LEASES_BETWEEN_COUNTS = 3
# Dagster's own daemon ticks every 5 s at best (`MIN_INTERVAL_LOOP_TIME` in its sensor loop).
_MISSED_TICKS_SECONDS = 15.0


@dataclass(frozen=True)
class DatabaseUptime:
    """When the database last answered, and since when it has answered without a gap."""

    seen: datetime
    since: datetime


def next_uptime(last: DatabaseUptime | None, now: datetime, lease_seconds: float) -> DatabaseUptime:
    """The uptime after a query at `now`: a gap longer than a lease restarts the count.

    During an outage no worker could renew its leases either. Slow ticks leave gaps too, so the count restarts
    at most once in three leases: rescues are delayed, never suspended for good.
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
    """Whether every living worker has had a whole lease's time to send a heartbeat."""
    return (uptime.seen - uptime.since).total_seconds() >= lease_seconds


def parse_cursor(cursor: str | None, now: datetime) -> DatabaseUptime | None:
    """Return the uptime in a cursor; None for one that cannot be read or lies in the future, as without one.

    Anybody may set a sensor's cursor in the Dagster UI, and a database's clock may be set back.
    """
    try:
        seen, since = json.loads(cursor or "")
        uptime = DatabaseUptime(datetime.fromisoformat(seen), datetime.fromisoformat(since))
        is_usable = uptime.since <= uptime.seen <= now
    except (ValueError, TypeError, RecursionError):
        return None
    return uptime if is_usable else None


def _republish_and_reap(instance: DagsterInstance, db: Database, grace: float) -> list[Request]:
    launcher = instance.run_launcher
    if not isinstance(launcher, RunPublisher):
        return republish_unclaimed(instance, None, db, grace)
    launcher.ensure_worker()
    reap_stale_runs(instance, launcher, db, grace)
    return republish_unclaimed(instance, launcher, db, grace)


def _try_republish_and_reap(
    instance: DagsterInstance, db: Database, grace: float
) -> tuple[list[Request], str]:
    """The requeued requests, and a note for the tick's skip reason where an error occurred.

    The error does not fail the tick: a failed tick loses its cursor, and without it no lease is ever rescued.
    """
    try:
        return _republish_and_reap(instance, db, grace), ""
    except Exception as error:  # noqa: BLE001 - no error may stop the rescue
        _log.exception("republishing unclaimed runs failed")
        return [], f"; republishing unclaimed runs failed ({type(error).__name__})"


@sensor(
    name="rescue_sensor",
    default_status=DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=PERIOD_SECONDS,
)
def rescue_sensor(context: SensorEvaluationContext) -> SensorResult:
    """Rescue expired leases, republish unclaimed runs, dead-letter exhausted requests, and end expired holds."""
    config = settings()
    db = open_database(config.ledger_url)
    now = clock(db)
    uptime = next_uptime(parse_cursor(context.cursor, now), now, config.lease_seconds)
    rescued = requeue_requests_of_dead_workers(db, config) + discard_exhausted(db)
    if may_rescue(uptime, config.lease_seconds):
        rescued += rescue_expired_leases(db, config.poison_deaths)
        prune_lost_workers(db, config.lease_seconds * _FORGET_AFTER_LEASES)
    requeued, problem = _try_republish_and_reap(shared_instance(context), db, config.dispatch_grace)
    rescued += requeued
    crash_point("rescue_sensor.after_take")
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
