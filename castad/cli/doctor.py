"""`castad doctor`: checks of everything that castad needs, with a remedy for each problem."""

import os
import shutil
import ssl
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain

import typer
from rich.table import Table
from rich.text import Text
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from castad.cli.context import AsJson
from castad.dagster_storage.home import make_dagster_home
from castad.engine.app import get_broker_name, ping_broker
from castad.engine.on_demand import is_on_demand
from castad.stack.local_daemon import (
    DaemonHealth,
    format_time_ago,
    open_instance,
    read_daemon_health,
)
from castad.stack.output import print_json, print_result
from castad.views.scope import make_workload_scope
from pipeline_defs.catalog import Catalog, get_catalog
from pipeline_defs.pipeline import BoughtStage, Pipeline
from resources.contract.errors import CastadError
from resources.delivery.spool import open_spool
from resources.http.vendor_client import NotSentError
from resources.ledger.db.database import Database, open_database, with_short_timeouts
from resources.ledger.db.retry import describe_db_error
from resources.ledger.db.sqlite_file import DatabaseFileError
from resources.ledger.queries.dispatch import list_queues_without_worker
from resources.ledger.queries.health import list_stuck
from resources.ledger.queries.hours import STUCK_AFTER
from resources.ledger.queries.listing import RequestFilter, list_oldest_task_ids
from resources.ledger.queries.money import (
    count_waiting_for,
    list_orphans,
    list_requests_in_doubt,
    read_pauses,
)
from resources.ledger.queries.webhooks import sum_deliveries
from resources.ledger.queries.workload import read_worker_pool
from resources.ledger.schema.tables import UNDELIVERED, Status
from resources.ledger.transitions.core import ROW_UNUSABLE
from resources.process.configure_logging import format_utc
from resources.process.settings import PROJECT_ROOT, Settings, settings
from resources.providers.vendor import VENDORS, NeededProgram, load_vendor
from studio.errors import StudioError

_LEAST_FREE = 1_000_000_000
app = typer.Typer(add_completion=False)
_MAX_NAMED = 10
_LATE_SECONDS = 60


@dataclass(frozen=True)
class Finding:
    """The result of one check. One that is not `fine` and has `broken` False is only a notice."""

    check: str
    fine: bool
    message: str
    remedy: str = ""
    broken: bool = True


def run_check(check: str, probe: Callable[[], str], remedy: str) -> Finding:
    """Run the probe; return its sentence as a finding, or the error that it raises."""
    try:
        return Finding(check, True, probe())
    except NotSentError as error:
        message, _, own_remedy = error.message.partition("; ")
        return Finding(check, False, message, own_remedy)
    except Exception as error:  # noqa: BLE001 - every error is a finding
        message = f"{type(error).__name__}: {error}"[:200]
        if isinstance(error, DatabaseFileError):
            message = error.sentence
        elif isinstance(error, (CastadError, StudioError)):
            message = error.message
        return Finding(check, False, message, remedy)


@app.command(epilog="castad doctor --json")
def doctor(as_json: AsJson = False) -> None:
    """Check everything that castad needs, and print a remedy for each problem."""
    findings = list(_find_all())
    broken = any(not finding.fine and finding.broken for finding in findings)
    if as_json:
        print_json({"ok": not broken, "checks": [asdict(finding) for finding in findings]})
    else:
        print_result(_tabulate(findings))
    raise typer.Exit(int(broken))


def _find_all() -> Iterator[Finding]:
    try:
        config = settings()
    except CastadError as error:
        yield Finding("settings", False, error.message, "correct it in the environment or in .env")
        return
    stages = run_check("settings", partial(_check_stages, config), "correct it there")
    yield stages
    remedy = "set CASTAD_HOME to a folder of your own"
    yield run_check("state folder", partial(_check_state_folder, config), remedy)
    remedy = "check CASTAD_DATABASE_URL and CASTAD_HOME"
    database = run_check("database", partial(_check_database, config), remedy)
    yield database
    remedy = "check CASTAD_BROKER_URL; orders wait until it answers"
    yield run_check("broker", partial(_check_broker, config), remedy)
    if config.intake_url is not None:
        remedy = "check CASTAD_INTAKE_URL, or start `castad intake`"
        yield run_check("intake", partial(_check_intake, config.intake_url), remedy)
    if config.mail_url is not None:
        yield run_check("mail", partial(_check_mail, config), "check CASTAD_MAIL_URL")
    yield run_check("saves", partial(_count_saves, config), "check CASTAD_HOME and its disk")
    yield run_check("ffmpeg", _find_ffmpeg, "`make install` installs it")
    folder = next(path for path in (config.home, *config.home.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    remedy = "free some space: 1 GB is needed"
    yield Finding("disk", free > _LEAST_FREE, f"{free / 1e9:.1f} GB free", remedy)
    if stages.fine:
        yield from map(check_program, _list_needed_programs())
        for name in VENDORS:
            if account := load_vendor(name).account:
                yield run_check(name, partial(account, config), "check its key and base URL")
        for pipeline in get_catalog():
            yield from _check_pipeline(pipeline, config)
        remedy = "correct the folder that it names"
        location = run_check("code location", _check_code_location, remedy)
        yield location
    if database.fine:
        is_loadable = stages.fine and location.fine
        yield from _daemon(config, _list_scheduled_names() if is_loadable else frozenset())
    if database.fine and stages.fine:
        yield from _examine_ledger(config)


def _examine_ledger(config: Settings) -> Iterator[Finding]:
    """Yield what the ledger says; stop where it does not answer within a short timeout."""
    try:
        yield from examine_waiting(config)
        yield count_worker_slots(config)
        yield from find_unserved_queues(config, get_catalog())
    except SQLAlchemyError as error:
        message = (
            f"the ledger does not answer ({describe_db_error(error)}), so nothing is dispatched"
        )
        remedy = "end the transaction that has locked its tables, such as one of psql"
        yield Finding("requests", False, message, remedy)


def _check_state_folder(config: Settings) -> str:
    probe = make_dagster_home(config) / f".doctor-{os.getpid()}"
    probe.touch()
    probe.unlink()
    return str(config.home)


def _check_database(config: Settings) -> str:
    """Ask the database, and take its write lock within a short timeout."""
    db = open_database(with_short_timeouts(config.ledger_url))
    with db.writing() as tx:
        tx.execute(select(1))
    return f"{db.address}, its schema is up to date"


def _check_broker(config: Settings) -> str:
    ping_broker(config)
    return get_broker_name(config)


def _check_intake(url: str) -> str:
    from castad.intake.stream import describe_stream

    return describe_stream(url)


def _count_saves(config: Settings) -> str:
    counts = open_spool(config.home).counts()
    dead = sum(count for (_, is_dead), count in counts.items() if is_dead)
    waiting = sum(counts.values()) - dead
    return f"{waiting} waiting on this machine, {dead} dead (`castad dead --saves`)"


def _find_ffmpeg() -> str:
    from studio.ffmpeg import find_ffmpeg

    return find_ffmpeg()


def _check_stages(config: Settings) -> str:
    get_catalog().resolve_stage_settings(config)
    return f"the environment and {'.env' if (PROJECT_ROOT / '.env').is_file() else 'no .env'}"


def _list_needed_programs() -> Iterator[NeededProgram]:
    stages = [stage for pipeline in get_catalog() for stage in pipeline.stages]
    makers = (stage.makers for stage in stages if isinstance(stage, BoughtStage))
    for maker in dict.fromkeys(chain.from_iterable(makers)):
        yield from load_vendor(maker).needs


def check_program(needed: NeededProgram) -> Finding:
    """Look for a program; without an optional one nothing is broken."""
    finding = run_check(needed.name, needed.find, needed.remedy)
    return replace(finding, broken=not needed.is_optional)


def _check_code_location() -> str:
    from dagster import Definitions

    from pipeline_defs.definitions import defs

    Definitions.validate_loadable(defs())
    return f"Dagster loads its jobs: {', '.join(get_catalog().names)}"


def _check_pipeline(pipeline: Pipeline, config: Settings) -> Iterator[Finding]:
    """Build its job, and ask the provider of each bought stage."""

    def count_ops() -> str:
        from pipeline_defs.build import make_job

        return f"{len(make_job(pipeline).nodes)} ops"

    def ask_provider(stage: str) -> str:
        provider = get_catalog().make_stage_provider(pipeline, stage, config)
        if provider is None:
            return "this machine"
        return f"{provider.name}: {provider.account_status()}"

    yield run_check(f"{pipeline.name}: job", count_ops, "correct its stages")
    for stage in pipeline.stages:
        if isinstance(stage, BoughtStage):
            check, remedy = f"{pipeline.name}: {stage.name} by", "check its key and base URL"
            yield run_check(check, partial(ask_provider, stage.name), remedy)


def _daemon(config: Settings, scheduled: Collection[str]) -> Iterator[Finding]:
    try:
        with open_instance(config) as instance:
            daemon_health = read_daemon_health(instance)
    except Exception as error:  # noqa: BLE001 - every error is a finding
        message = f"{type(error).__name__}: {error}"[:200]
        yield Finding("Dagster", False, message, "check dagster.yaml")
        return
    yield describe_daemon(daemon_health)
    yield from find_failed_ticks(daemon_health, scheduled)


def _list_scheduled_names() -> frozenset[str]:
    """Return the sensors and schedules of this release; storage may also know removed ones."""
    from pipeline_defs.definitions import defs

    known = defs().get_repository_def()
    sensors = {each.name for each in known.sensor_defs}
    return frozenset(sensors | {each.name for each in known.schedule_defs})


def find_failed_ticks(daemon_health: DaemonHealth, names: Collection[str]) -> Iterator[Finding]:
    """Yield each of these sensors and schedules whose last ticks failed; a notice without a daemon."""
    for failure in daemon_health.failures:
        if failure.name in names:
            remedy = "Automation in the Dagster UI shows its ticks, and the daemon's log the trace"
            yield Finding(
                failure.name, False, failure.sentence, remedy, broken=daemon_health.is_running
            )


def describe_daemon(daemon_health: DaemonHealth) -> Finding:
    """Describe the state of the Dagster daemon."""
    if daemon_health.is_switched_off:
        remedy = "switch it on in the Dagster UI, Automation"
        return Finding("daemon", False, "requests_sensor is switched off", remedy)
    tick = format_time_ago(daemon_health.tick_age)
    heartbeat = format_time_ago(daemon_health.heartbeat_age)
    message = f"last tick {tick}, last heartbeat {heartbeat}"
    remedy = "`castad up` starts one; `castad make` starts its own"
    if daemon_health.is_running:
        return Finding("daemon", True, message)
    return Finding("daemon", False, f"not running, or blocked ({message})", remedy, broken=False)


def _tabulate(findings: list[Finding]) -> Table:
    table = Table.grid(padding=(0, 2))
    for finding in findings:
        if finding.fine:
            mark = Text("✓", style="green")
        else:
            mark = Text("✗", style="red") if finding.broken else Text("·", style="yellow")
        message = Text(finding.message, overflow="fold")
        if not finding.fine:
            message.append(f"; {finding.remedy}", style="bold")
        table.add_row(mark, finding.check, message)
    return table


def examine_waiting(config: Settings) -> Iterator[Finding]:
    """Yield what waits for a person, each kind only if there is some."""
    db = _ledger(config)
    yield from _find_troubled_submissions(db)
    names = list_oldest_task_ids(
        db, RequestFilter(status=Status.DEAD, code=ROW_UNUSABLE), _MAX_NAMED
    )
    if names:
        message = f"dead, because their rows hold unusable values: {', '.join(names)}"
        remedy = "`castad dead` shows why; correct the row, then run `castad retry`"
        yield Finding("rows", False, message, remedy, broken=False)
    scope = make_workload_scope(get_catalog(), config.lease_seconds)
    stuck = list_stuck(db, scope, STUCK_AFTER, read_worker_pool(db, scope.limits))
    if stuck.count:
        named = ", ".join(f"{each.task_id} ({each.why})" for each in stuck.oldest[:_MAX_NAMED])
        remedy = "`castad stats` lists them; the log names rows that cannot be changed"
        message = f"no progress for {STUCK_AFTER:.0f} s: {named}"
        yield Finding("stuck", False, message, remedy, broken=False)
    yield from _find_undelivered_webhooks(db)


def _ledger(config: Settings) -> Database:
    """Open the ledger with short timeouts, so that the doctor can report that it hangs."""
    return open_database(with_short_timeouts(config.ledger_url))


def _find_troubled_submissions(db: Database) -> Iterator[Finding]:
    for pause in read_pauses(db):
        message = (
            f"paused until {format_utc(pause.until)}, "
            f"orders waiting: {count_waiting_for(db, pause.provider)}; {pause.why}"
        )
        remedy = f"fix that, then run `castad resume {pause.provider}`"
        yield Finding(pause.provider, False, message, remedy)
    names = list_requests_in_doubt(db, _MAX_NAMED)
    if names:
        message = f"submissions of unknown outcome: {', '.join(names)}"
        yield Finding("in doubt", False, message, "see `castad resolve --help`", broken=False)
    with db.reading() as tx:
        known = list_orphans(tx, _MAX_NAMED)
    if known.count:
        named = [
            f"{orphan.provider} {orphan.external_id or 'without an id'} of {orphan.task_id} ({orphan.stage})"
            for orphan in known.newest
        ]
        message = f"charged, but no longer part of an order: {', '.join(named)}"
        remedy = "ask the vendor for them, or ignore them; `castad stats` shows their cost"
        yield Finding("orphans", False, message, remedy, broken=False)


def _check_mail(config: Settings) -> str:
    """Connect to the mail server and log in, without sending a mail."""
    from resources.delivery.mail import open_mail_server

    with open_mail_server(config) as server:
        encrypted = "encrypted" if isinstance(server.sock, ssl.SSLSocket) else "not encrypted"
    link = (
        "" if config.public_url else "; mails link to this machine until CASTAD_PUBLIC_URL is set"
    )
    return f"accepts the log-in, {encrypted}{link}"


def _find_undelivered_webhooks(db: Database) -> Iterator[Finding]:
    webhooks = sum_deliveries(db)
    given_up = sum(webhooks.by_status[status] for status in UNDELIVERED)
    if given_up:
        remedy = "`castad webhooks --failed` says why, `castad webhooks --replay-failed` sends them again"
        yield Finding("webhooks", False, f"given up: {given_up}", remedy, broken=False)
    if webhooks.oldest_due_seconds > _LATE_SECONDS:
        message = f"the oldest one has been due for {webhooks.oldest_due_seconds:.0f} s"
        remedy = "they are sent while the daemon runs and outbox_sensor is on"
        yield Finding("webhooks", False, message, remedy, broken=False)


def count_worker_slots(config: Settings) -> Finding:
    """Count the slots of the living workers."""
    scope = make_workload_scope(get_catalog(), config.lease_seconds)
    pool = read_worker_pool(_ledger(config), scope.limits)
    if pool.slots:
        return Finding("workers", True, f"slots {pool.slots}, free {pool.free}")
    if is_on_demand(config):
        return Finding("workers", True, "started on demand")
    remedy = "`castad worker` or `castad up` starts one"
    return Finding("workers", False, "none is alive", remedy, broken=False)


def find_unserved_queues(config: Settings, pipelines: Catalog) -> Iterator[Finding]:
    """Yield each queue that no living worker serves, if any worker is alive."""
    slots = pipelines.collect_limits(config)
    for queue, is_waited_in in list_queues_without_worker(_ledger(config), slots).items():
        orders = "orders wait in it" if is_waited_in else "no order waits in it"
        remedy = f"`castad worker --queue {queue}` starts one"
        message = f"no living worker serves it, and {orders}"
        yield Finding(f"queue {queue}", False, message, remedy, broken=False)
