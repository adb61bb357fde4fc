"""`castad doctor`: checks of everything that castad needs, with a remedy for each problem."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from rich.table import Table
from rich.text import Text
from sqlalchemy import select

from castad.dagster_storage.home import dagster_home
from castad.engine.broker import broker_name
from castad.engine.broker_health import ping_broker
from castad.engine.on_demand import is_on_demand
from castad.stack.local_daemon import DaemonHealth, open_instance, read_daemon_health
from castad.stack.output import print_json, print_result
from pipeline_defs.catalog import catalog
from pipeline_defs.pipeline import BoughtStage, Pipeline
from resources.contract.errors import CastadError
from resources.http.vendor_client import NotSentError
from resources.ledger.db.connections import with_short_timeouts
from resources.ledger.db.database import open_database
from resources.ledger.db.file_errors import DatabaseFileError
from resources.ledger.moves.unusable_rows import ROW_UNUSABLE
from resources.ledger.queries.due import Capacity
from resources.ledger.queries.listing import RequestFilter, oldest_task_ids
from resources.ledger.queries.orphans import orphan_list
from resources.ledger.queries.queue_snapshot import read_queue_snapshot
from resources.ledger.queries.spending import count_waiting_for, parked_providers, requests_in_doubt
from resources.ledger.queries.statistics import STUCK_AFTER
from resources.ledger.queries.stuck import stuck_requests
from resources.ledger.queries.workload import WorkloadScope
from resources.ledger.schema.tables import Status
from resources.process.settings import PROJECT_ROOT, Settings, settings
from resources.process.traceback_log import utc_text
from studio.errors import StudioError

_MAX_NAMED = 10
_LEAST_FREE = 1_000_000_000


@dataclass(frozen=True)
class Finding:
    """The result of one check. One that is not `fine` and has `broken` False is only a notice."""

    check: str
    fine: bool
    told: str
    remedy: str = ""
    broken: bool = True


def run_doctor(*, as_json: bool) -> int:
    """The findings were printed; returns 1 where something is broken, else 0."""
    findings = list(_findings())
    broken = any(not finding.fine and finding.broken for finding in findings)
    if as_json:
        print_json({"ok": not broken, "checks": [asdict(finding) for finding in findings]})
    else:
        print_result(_table(findings))
    return int(broken)


def _findings() -> Iterator[Finding]:
    try:
        config = settings()
    except CastadError as error:
        yield Finding("settings", False, error.message, "correct it in the environment or in .env")
        return
    source = ".env" if (PROJECT_ROOT / ".env").is_file() else "no .env"
    stages = _run_check("settings", lambda: _stages(config, source), "correct it there")
    yield stages
    yield _run_check(
        "state folder",
        lambda: str(_state_folder(config)),
        "set CASTAD_HOME to a folder of your own",
    )
    remedy = "check CASTAD_DATABASE_URL and CASTAD_HOME"
    database = _run_check("database", lambda: _database(config), remedy)
    yield database
    yield _run_check(
        "broker", lambda: _broker(config), "check CASTAD_BROKER_URL; orders wait until it answers"
    )
    yield _run_check("ffmpeg", _ffmpeg, "`make install` installs it")
    yield _run_check("Korean font", _font, "`make install` installs one")
    yield _run_check("singer", _singer, "`make install` installs it; instrumentals do not need it")
    yield _disk(config)
    if stages.fine:
        for pipeline in catalog():
            yield from _makers(pipeline, config)
    if database.fine:
        yield from _parked(config)
        yield from _in_doubt(config)
        yield from _orphans(config)
        yield from _set_aside(config)
        yield from _stuck(config)
        yield _daemon(config)
        yield _workers(config)


def _run_check(check: str, probe: Callable[[], str], remedy: str) -> Finding:
    try:
        return Finding(check, True, probe())
    except NotSentError as error:
        told, _, own_remedy = error.message.partition("; ")
        return Finding(check, False, told, own_remedy)
    except Exception as error:  # noqa: BLE001 - every error is a finding
        return Finding(check, False, _describe_error(error), remedy)


def _describe_error(error: Exception) -> str:
    if isinstance(error, DatabaseFileError):
        return error.sentence
    if isinstance(error, (CastadError, StudioError)):
        return error.message
    return f"{type(error).__name__}: {error}"[:200]


def _state_folder(config: Settings) -> Path:
    probe = dagster_home(config) / f".doctor-{os.getpid()}"
    probe.touch()
    probe.unlink()
    return config.home


def _database(config: Settings) -> str:
    """The database answers, and its write lock is free within a short timeout."""
    db = open_database(with_short_timeouts(config.ledger_url))
    with db.writing() as tx:
        tx.execute(select(1))
    return f"{db.address}, its schema is up to date"


def _broker(config: Settings) -> str:
    ping_broker(config)
    return broker_name(config)


def _ffmpeg() -> str:
    from studio.ffmpeg import find_ffmpeg

    return find_ffmpeg()


def _font() -> str:
    from studio.camera.fonts import find_font

    return str(find_font().path)


def _singer() -> str:
    from studio.singer.espeak import espeak, find_espeak

    with espeak(installation := find_espeak()) as speaker:
        speaker.spell(["a"], "ko")
    return str(installation.library)


def _stages(config: Settings, source: str) -> str:
    """The settings of all stages can be used too."""
    catalog().resolve(config)
    return f"the environment and {source}"


def _makers(pipeline: Pipeline, config: Settings) -> Iterator[Finding]:
    """Each bought stage's provider answers."""
    for stage in pipeline.stages:
        if isinstance(stage, BoughtStage):
            yield _run_check(
                f"{pipeline.name}: {stage.name} by",
                partial(_check_provider, pipeline, stage.name, config),
                "check its key and base URL",
            )


def _check_provider(pipeline: Pipeline, stage: str, config: Settings) -> str:
    provider = catalog().provider(pipeline, stage, config)
    return "this machine" if provider is None else f"{provider.name}: {provider.account_status()}"


def _parked(config: Settings) -> Iterator[Finding]:
    db = open_database(config.ledger_url)
    for parking in parked_providers(db):
        message = (
            f"parked until {utc_text(parking.until)}, "
            f"orders waiting: {count_waiting_for(db, parking.provider)}; {parking.why}"
        )
        remedy = f"fix that, then run `castad unpark {parking.provider}`"
        yield Finding(parking.provider, False, message, remedy)


def _in_doubt(config: Settings) -> Iterator[Finding]:
    names = requests_in_doubt(open_database(config.ledger_url), _MAX_NAMED)
    if names:
        message = f"submissions of unknown outcome: {', '.join(names)}"
        yield Finding("in doubt", False, message, "see `castad resolve --help`", broken=False)


def _orphans(config: Settings) -> Iterator[Finding]:
    with open_database(config.ledger_url).reading() as tx:
        known = orphan_list(tx, _MAX_NAMED)
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
    names = oldest_task_ids(open_database(config.ledger_url), wanted, _MAX_NAMED)
    if names:
        message = f"dead, because their rows hold unusable values: {', '.join(names)}"
        remedy = "`castad dead` shows why; correct the row, then run `castad retry`"
        yield Finding("rows", False, message, remedy, broken=False)


def _stuck(config: Settings) -> Iterator[Finding]:
    scope = WorkloadScope({}, config.lease_seconds)
    stuck = stuck_requests(open_database(config.ledger_url), scope, STUCK_AFTER)
    if stuck.count:
        named = ", ".join(f"{each.task_id} ({each.why})" for each in stuck.oldest[:_MAX_NAMED])
        remedy = "`castad stats` lists them; the log names rows that cannot be moved"
        message = f"no progress for {STUCK_AFTER:.0f} s: {named}"
        yield Finding("stuck", False, message, remedy, broken=False)


def _disk(config: Settings) -> Finding:
    folder = next(path for path in (config.home, *config.home.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    return Finding(
        "disk", free > _LEAST_FREE, f"{free / 1e9:.1f} GB free", "free some space: 1 GB is needed"
    )


def _daemon(config: Settings) -> Finding:
    try:
        with open_instance(config) as instance:
            daemon_health = read_daemon_health(instance)
    except Exception as error:  # noqa: BLE001 - every error is a finding
        return Finding(
            "Dagster", False, f"{type(error).__name__}: {error}"[:200], "check dagster.yaml"
        )
    return daemon_finding(daemon_health)


def daemon_finding(daemon_health: DaemonHealth) -> Finding:
    """The finding about the Dagster daemon."""
    if daemon_health.is_switched_off:
        remedy = "switch it on in the Dagster UI, Automation"
        return Finding("daemon", False, "requests_sensor is switched off", remedy)
    tick, heartbeat = _age_text(daemon_health.tick_age), _age_text(daemon_health.heartbeat_age)
    message = f"last tick {tick}, last heartbeat {heartbeat}"
    remedy = "`castad up` starts one; `castad make` starts its own"
    if daemon_health.is_running:
        return Finding("daemon", True, message)
    return Finding("daemon", False, f"not running ({message})", remedy, broken=False)


def _workers(config: Settings) -> Finding:
    capacity = Capacity(on_demand=0, lease_seconds=config.lease_seconds)
    queue_snapshot = read_queue_snapshot(open_database(config.ledger_url), capacity, at_most=1)
    if queue_snapshot.offered:
        return Finding(
            "workers", True, f"places {queue_snapshot.offered}, free {queue_snapshot.free}"
        )
    if is_on_demand(config):
        return Finding("workers", True, "started on demand")
    remedy = "`castad worker` or `castad up` starts one"
    return Finding("workers", False, "none is alive", remedy, broken=False)


def _age_text(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.0f} s ago"


def _table(findings: list[Finding]) -> Table:
    table = Table.grid(padding=(0, 2))
    for finding in findings:
        if finding.fine:
            mark = Text("✓", style="green")
        else:
            mark = Text("✗", style="red") if finding.broken else Text("·", style="yellow")
        message = Text(finding.told, overflow="fold")
        if not finding.fine:
            message.append(f"; {finding.remedy}", style="bold")
        table.add_row(mark, finding.check, message)
    return table
