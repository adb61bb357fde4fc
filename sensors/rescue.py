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
from resources.ledger.moves.dispatch import bury_spent, rescue_lost
from resources.ledger.moves.workers import forget_lost_workers
from resources.ledger.queries.reads import clock
from resources.ledger.request import Request
from resources.ledger.workers.lease import bury_dead_neighbours
from resources.process.crash_points import crash_point
from resources.process.settings import settings
from sensors.delivery import Deliverer, deliver_late, tidy_waiting_runs
from sensors.instance import shared_instance

_log = logging.getLogger("castad.rescue")
_FORGET_AFTER_LEASES = 10
_LEASES_BETWEEN_COUNTS = 3
# Dagster's sensor loop ticks every 5 s at best (see `MIN_INTERVAL_LOOP_TIME` in its daemon).
_MISSED_TICKS_SECONDS = 15.0


@dataclass(frozen=True)
class Calm:
    """When the database was last seen, and since when it has been seen without a gap."""

    seen: datetime
    since: datetime


def next_calm(last: Calm | None, now: datetime, lease_seconds: float) -> Calm:
    """How long the database has been in sight: a gap of a lease begins the count anew.

    While it was out of sight nobody could renew a lease either. A daemon whose ticks are merely slow
    leaves gaps too, so the count begins anew at most once in a few leases: somebody is always rescued.
    """
    if last is None:
        return Calm(now, now)
    gap = (now - last.seen).total_seconds()
    counted = (now - last.since).total_seconds()
    lost_sight = gap > max(lease_seconds, _MISSED_TICKS_SECONDS)
    if lost_sight and counted > _LEASES_BETWEEN_COUNTS * lease_seconds:
        return Calm(now, now)
    return Calm(now, last.since)


def may_rescue(calm: Calm, lease_seconds: float) -> bool:
    """Whether every living worker has had a whole lease to show itself."""
    return (calm.seen - calm.since).total_seconds() >= lease_seconds


def _read(cursor: str | None) -> Calm | None:
    if not cursor:
        return None
    seen, since = json.loads(cursor)
    return Calm(datetime.fromisoformat(seen), datetime.fromisoformat(since))


def _deliver(instance: DagsterInstance, db: Database, grace: float) -> list[Request]:
    launcher = instance.run_launcher
    if not isinstance(launcher, Deliverer):
        return deliver_late(instance, None, db, grace)
    launcher.ensure_worker()
    tidy_waiting_runs(instance, launcher, db, grace)
    return deliver_late(instance, launcher, db, grace)


def _try_to_deliver(
    instance: DagsterInstance, db: Database, grace: float
) -> tuple[list[Request], str]:
    """What was taken back on the way, and what went wrong, if anything did.

    A tick that failed would not keep its cursor, and without one nobody who lost a lease is ever rescued.
    """
    try:
        return _deliver(instance, db, grace), ""
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
    calm = next_calm(_read(context.cursor), clock(db), config.lease_seconds)
    taken = bury_dead_neighbours(db, config) + bury_spent(db)
    if may_rescue(calm, config.lease_seconds):
        taken += rescue_lost(db, config.poison_deaths)
        forget_lost_workers(db, config.lease_seconds * _FORGET_AFTER_LEASES)
    delivered, trouble = _try_to_deliver(shared_instance(context), db, config.dispatch_grace)
    taken += delivered
    crash_point("rescue_sensor.after_take")
    for request in taken:
        context.log.info(f"{request.task_id} is {request.status} ({request.error_code})")
    return SensorResult(
        cursor=json.dumps([calm.seen.isoformat(), calm.since.isoformat()]),
        skip_reason=SkipReason(f"{len(taken)} requests taken back{trouble}"),
    )
