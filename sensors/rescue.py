"""The sensor that takes back what nobody works on any more."""

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
from resources.ledger.moves.dispatch import discard_exhausted, rescue_expired_leases
from resources.ledger.moves.workers import prune_lost_workers
from resources.ledger.queries.reads import clock
from resources.ledger.request import Request
from resources.ledger.workers.worker import recover_local_workers
from resources.process.crash_points import crash_point
from resources.process.settings import settings
from sensors.instance import shared_instance
from sensors.unclaimed_runs import RunPublisher, reap_stale_runs, republish_unclaimed

_log = logging.getLogger("castad.rescue")
_FORGET_AFTER_LEASES = 10
_LEASES_BETWEEN_COUNTS = 3
# Dagster's sensor loop ticks every 5 s at best (see `MIN_INTERVAL_LOOP_TIME` in its daemon).
_MISSED_TICKS_SECONDS = 15.0


@dataclass(frozen=True)
class DatabaseUptime:
    """When the database was last seen, and since when it has been seen without a gap."""

    seen: datetime
    since: datetime


def next_uptime(last: DatabaseUptime | None, now: datetime, lease_seconds: float) -> DatabaseUptime:
    """How long the database has been in sight: a gap of a lease begins the count anew.

    While it was out of sight nobody could renew a lease either. A daemon whose ticks are merely slow
    leaves gaps too, so the count begins anew at most once in a few leases: somebody is always rescued.
    """
    if last is None:
        return DatabaseUptime(now, now)
    gap = (now - last.seen).total_seconds()
    counted = (now - last.since).total_seconds()
    lost_sight = gap > max(lease_seconds, _MISSED_TICKS_SECONDS)
    if lost_sight and counted > _LEASES_BETWEEN_COUNTS * lease_seconds:
        return DatabaseUptime(now, now)
    return DatabaseUptime(now, last.since)


def may_rescue(uptime: DatabaseUptime, lease_seconds: float) -> bool:
    """Whether every living worker has had a whole lease to show itself."""
    return (uptime.seen - uptime.since).total_seconds() >= lease_seconds


def _parse_cursor(cursor: str | None) -> DatabaseUptime | None:
    if not cursor:
        return None
    seen, since = json.loads(cursor)
    return DatabaseUptime(datetime.fromisoformat(seen), datetime.fromisoformat(since))


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
    """What was taken back on the way, and what went wrong, if anything did.

    A tick that failed would not keep its cursor, and without one nobody who lost a lease is ever rescued.
    """
    try:
        return _republish_and_reap(instance, db, grace), ""
    except Exception as error:  # noqa: BLE001 - whatever it was, the rescue goes on
        _log.exception("runs that nobody began could not be looked after")
        return [], f"; runs that nobody began could not be looked after ({type(error).__name__})"


@sensor(
    name="rescue_sensor", default_status=DefaultSensorStatus.RUNNING, minimum_interval_seconds=1
)
def rescue_sensor(context: SensorEvaluationContext) -> SensorResult:
    """Give back lost leases, deliver runs that nobody began, and bury what has no retries left."""
    config = settings()
    db = open_database(config.ledger_url)
    uptime = next_uptime(_parse_cursor(context.cursor), clock(db), config.lease_seconds)
    taken = recover_local_workers(db, config) + discard_exhausted(db)
    if may_rescue(uptime, config.lease_seconds):
        taken += rescue_expired_leases(db, config.poison_deaths)
        prune_lost_workers(db, config.lease_seconds * _FORGET_AFTER_LEASES)
    delivered, trouble = _try_republish_and_reap(
        shared_instance(context), db, config.dispatch_grace
    )
    taken += delivered
    crash_point("rescue_sensor.after_take")
    for request in taken:
        context.log.info(f"{request.task_id} is {request.status} ({request.error_code})")
    return SensorResult(
        cursor=json.dumps([uptime.seen.isoformat(), uptime.since.isoformat()]),
        skip_reason=SkipReason(f"{len(taken)} requests taken back{trouble}"),
    )
