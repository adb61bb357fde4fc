"""What `castad doctor` finds in the ledger: what waits for a person, and what works on it."""

from collections.abc import Iterator

from castad.cli.finding import Finding
from castad.engine.on_demand import is_on_demand
from castad.readmodels.stats import workload_scope
from pipeline_defs.catalog import Catalog, get_catalog
from resources.ledger.db.database import Database, open_database, with_short_timeouts
from resources.ledger.queries.dispatch import list_queues_without_worker
from resources.ledger.queries.health import list_stuck
from resources.ledger.queries.listing import RequestFilter, list_oldest_task_ids
from resources.ledger.queries.money import (
    count_waiting_for,
    list_orphans,
    list_requests_in_doubt,
    read_pauses,
)
from resources.ledger.queries.statistics import STUCK_AFTER
from resources.ledger.queries.webhooks import sum_deliveries
from resources.ledger.queries.workload import read_worker_pool
from resources.ledger.schema.tables import UNDELIVERED, Status
from resources.ledger.transitions.core import ROW_UNUSABLE
from resources.process.configure_logging import format_utc
from resources.process.settings import Settings

_MAX_NAMED = 10
_LATE_SECONDS = 60


def ledger_findings(config: Settings) -> Iterator[Finding]:
    """What waits for a person, each kind only where there is some."""
    yield from _paused(config)
    yield from _in_doubt(config)
    yield from _orphans(config)
    yield from _set_aside(config)
    yield from _stuck(config)
    yield from _webhooks(config)


def _ledger(config: Settings) -> Database:
    """The ledger, whose locks are waited for only a few seconds: the doctor has to say that it hangs."""
    return open_database(with_short_timeouts(config.ledger_url))


def _paused(config: Settings) -> Iterator[Finding]:
    db = _ledger(config)
    for pause in read_pauses(db):
        message = (
            f"paused until {format_utc(pause.until)}, "
            f"orders waiting: {count_waiting_for(db, pause.provider)}; {pause.why}"
        )
        remedy = f"fix that, then run `castad resume {pause.provider}`"
        yield Finding(pause.provider, False, message, remedy)


def _in_doubt(config: Settings) -> Iterator[Finding]:
    names = list_requests_in_doubt(_ledger(config), _MAX_NAMED)
    if names:
        message = f"submissions of unknown outcome: {', '.join(names)}"
        yield Finding("in doubt", False, message, "see `castad resolve --help`", broken=False)


def _orphans(config: Settings) -> Iterator[Finding]:
    with _ledger(config).reading() as tx:
        known = list_orphans(tx, _MAX_NAMED)
    if known.count:
        named = [
            f"{orphan.provider} {orphan.external_id or 'without an id'} of {orphan.task_id} ({orphan.stage})"
            for orphan in known.newest
        ]
        message = f"charged, but no longer part of an order: {', '.join(named)}"
        remedy = "ask the vendor for them, or ignore them; `castad stats` shows their cost"
        yield Finding("orphans", False, message, remedy, broken=False)


def _set_aside(config: Settings) -> Iterator[Finding]:
    wanted = RequestFilter(status=Status.DEAD, code=ROW_UNUSABLE)
    names = list_oldest_task_ids(_ledger(config), wanted, _MAX_NAMED)
    if names:
        message = f"dead, because their rows hold unusable values: {', '.join(names)}"
        remedy = "`castad dead` shows why; correct the row, then run `castad retry`"
        yield Finding("rows", False, message, remedy, broken=False)


def _stuck(config: Settings) -> Iterator[Finding]:
    db, scope = _ledger(config), workload_scope(get_catalog(), config.lease_seconds)
    stuck = list_stuck(db, scope, STUCK_AFTER, read_worker_pool(db, scope.limits))
    if stuck.count:
        named = ", ".join(f"{each.task_id} ({each.why})" for each in stuck.oldest[:_MAX_NAMED])
        remedy = "`castad stats` lists them; the log names rows that cannot be changed"
        message = f"no progress for {STUCK_AFTER:.0f} s: {named}"
        yield Finding("stuck", False, message, remedy, broken=False)


def _webhooks(config: Settings) -> Iterator[Finding]:
    webhooks = sum_deliveries(_ledger(config))
    given_up = sum(webhooks.by_status[status] for status in UNDELIVERED)
    if given_up:
        remedy = "`castad webhooks --failed` says why, `castad webhooks --replay-failed` sends them again"
        yield Finding("webhooks", False, f"given up: {given_up}", remedy, broken=False)
    if webhooks.oldest_due_seconds > _LATE_SECONDS:
        message = f"the oldest one has been due for {webhooks.oldest_due_seconds:.0f} s"
        remedy = "they are sent while the daemon runs and outbox_sensor is on"
        yield Finding("webhooks", False, message, remedy, broken=False)


def workers_finding(config: Settings) -> Finding:
    """The slots of the living workers."""
    scope = workload_scope(get_catalog(), config.lease_seconds)
    pool = read_worker_pool(_ledger(config), scope.limits)
    if pool.slots:
        return Finding("workers", True, f"slots {pool.slots}, free {pool.free}")
    if is_on_demand(config):
        return Finding("workers", True, "started on demand")
    remedy = "`castad worker` or `castad up` starts one"
    return Finding("workers", False, "none is alive", remedy, broken=False)


def queue_findings(config: Settings, pipelines: Catalog) -> Iterator[Finding]:
    """Every queue that no living worker serves, where some worker is alive."""
    slots = pipelines.collect_limits(config)
    for queue, is_waited_in in list_queues_without_worker(_ledger(config), slots).items():
        orders = "orders wait in it" if is_waited_in else "no order waits in it"
        remedy = f"`castad worker --queue {queue}` starts one"
        message = f"no living worker serves it, and {orders}"
        yield Finding(f"queue {queue}", False, message, remedy, broken=False)
