"""`castad doctor`: checks of everything that castad needs, with a remedy for each problem."""

import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path

from rich.table import Table
from rich.text import Text
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from castad.cli.finding import Finding, run_check
from castad.cli.ledger_findings import ledger_findings, queue_findings, workers_finding
from castad.dagster_storage.home import make_dagster_home
from castad.engine.app import ping_broker
from castad.engine.broker import get_broker_name
from castad.stack.local_daemon import DaemonHealth, age_text, open_instance, read_daemon_health
from castad.stack.output import print_json, print_result
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import BoughtStage, Pipeline
from resources.contract.errors import CastadError
from resources.delivery.spool import open_spool
from resources.ledger.db.database import open_database, with_short_timeouts
from resources.ledger.db.retry import describe_db_error
from resources.process.settings import PROJECT_ROOT, Settings, settings
from resources.providers.vendor import VENDORS, NeededProgram, load_vendor

_LEAST_FREE = 1_000_000_000


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
    stages = run_check("settings", lambda: _stages(config, source), "correct it there")
    yield stages
    yield run_check(
        "state folder",
        lambda: str(_state_folder(config)),
        "set CASTAD_HOME to a folder of your own",
    )
    remedy = "check CASTAD_DATABASE_URL and CASTAD_HOME"
    database = run_check("database", lambda: _database(config), remedy)
    yield database
    yield run_check(
        "broker", lambda: _broker(config), "check CASTAD_BROKER_URL; orders wait until it answers"
    )
    if config.intake_url is not None:
        remedy = "check CASTAD_INTAKE_URL, or start `castad intake`"
        yield run_check("intake", partial(_intake, config.intake_url), remedy)
    yield run_check("saves", partial(_saves, config), "check CASTAD_HOME and its disk")
    yield run_check("ffmpeg", _ffmpeg, "`make install` installs it")
    yield _disk(config)
    if stages.fine:
        yield from map(check_program, _needed_programs())
        for name in VENDORS:
            if account := load_vendor(name).account:
                yield run_check(name, partial(account, config), "check its key and base URL")
        for pipeline in get_catalog():
            yield run_check(f"{pipeline.name}: job", partial(_job, pipeline), "correct its stages")
            yield from _makers(pipeline, config)
        location = run_check("code location", _code_location, "correct the folder that it names")
        yield location
    if database.fine:
        is_loadable = stages.fine and location.fine
        yield from _daemon(config, _scheduled_names() if is_loadable else frozenset())
    if database.fine and stages.fine:
        yield from _ledger(config)


def _ledger(config: Settings) -> Iterator[Finding]:
    """Yield what the ledger says; stop where it does not answer within a short timeout."""
    try:
        yield from ledger_findings(config)
        yield workers_finding(config)
        yield from queue_findings(config, get_catalog())
    except SQLAlchemyError as error:
        message = (
            f"the ledger does not answer ({describe_db_error(error)}), so nothing is dispatched"
        )
        remedy = "end the transaction that has locked its tables, such as one of psql"
        yield Finding("requests", False, message, remedy)


def _state_folder(config: Settings) -> Path:
    probe = make_dagster_home(config) / f".doctor-{os.getpid()}"
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
    return get_broker_name(config)


def _intake(url: str) -> str:
    from castad.intake.stream import describe_stream

    return describe_stream(url)


def _saves(config: Settings) -> str:
    """The spool can be read; how many saves wait, and how many are tried no more."""
    counts = open_spool(config.home).counts()
    waiting, dead = (
        sum(count for (_, is_dead), count in counts.items() if is_dead is state)
        for state in (False, True)
    )
    return f"{waiting} waiting on this machine, {dead} dead (`castad dead --saves`)"


def _ffmpeg() -> str:
    from studio.ffmpeg import find_ffmpeg

    return find_ffmpeg()


def _stages(config: Settings, source: str) -> str:
    """The settings of all stages can be used too."""
    get_catalog().resolve_stage_settings(config)
    return f"the environment and {source}"


def _needed_programs() -> Iterator[NeededProgram]:
    """What the vendors that can make a stage need on this machine."""
    stages = [stage for pipeline in get_catalog() for stage in pipeline.stages]
    makers = (stage.makers for stage in stages if isinstance(stage, BoughtStage))
    for maker in dict.fromkeys(chain.from_iterable(makers)):
        yield from load_vendor(maker).needs


def check_program(needed: NeededProgram) -> Finding:
    """Look for a program; without an optional one nothing is broken."""
    finding = run_check(needed.name, needed.find, needed.remedy)
    return replace(finding, broken=not needed.is_optional)


def _job(pipeline: Pipeline) -> str:
    """Build its job; return how many ops that has."""
    from pipeline_defs.build import make_job

    return f"{len(make_job(pipeline).nodes)} ops"


def _code_location() -> str:
    """Dagster loads all jobs together."""
    from dagster import Definitions

    from pipeline_defs.definitions import defs

    Definitions.validate_loadable(defs())
    return f"Dagster loads its jobs: {', '.join(get_catalog().names)}"


def _makers(pipeline: Pipeline, config: Settings) -> Iterator[Finding]:
    """Each bought stage's provider answers."""
    for stage in pipeline.stages:
        if isinstance(stage, BoughtStage):
            yield run_check(
                f"{pipeline.name}: {stage.name} by",
                partial(_check_provider, pipeline, stage.name, config),
                "check its key and base URL",
            )


def _check_provider(pipeline: Pipeline, stage: str, config: Settings) -> str:
    provider = get_catalog().make_stage_provider(pipeline, stage, config)
    return "this machine" if provider is None else f"{provider.name}: {provider.account_status()}"


def _disk(config: Settings) -> Finding:
    folder = next(path for path in (config.home, *config.home.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    return Finding(
        "disk", free > _LEAST_FREE, f"{free / 1e9:.1f} GB free", "free some space: 1 GB is needed"
    )


def _daemon(config: Settings, scheduled: Collection[str]) -> Iterator[Finding]:
    try:
        with open_instance(config) as instance:
            daemon_health = read_daemon_health(instance)
    except Exception as error:  # noqa: BLE001 - every error is a finding
        message = f"{type(error).__name__}: {error}"[:200]
        yield Finding("Dagster", False, message, "check dagster.yaml")
        return
    yield daemon_finding(daemon_health)
    yield from tick_findings(daemon_health, scheduled)


def _scheduled_names() -> frozenset[str]:
    """Return the sensors and schedules of this release; storage may also know removed ones."""
    from pipeline_defs.definitions import defs

    known = defs().get_repository_def()
    sensors = {each.name for each in known.sensor_defs}
    return frozenset(sensors | {each.name for each in known.schedule_defs})


def tick_findings(daemon_health: DaemonHealth, names: Collection[str]) -> Iterator[Finding]:
    """Yield each of these sensors and schedules whose last ticks failed; a notice without a daemon."""
    for failure in daemon_health.failures:
        if failure.name in names:
            remedy = "Automation in the Dagster UI shows its ticks, and the daemon's log the trace"
            yield Finding(
                failure.name, False, failure.sentence, remedy, broken=daemon_health.is_running
            )


def daemon_finding(daemon_health: DaemonHealth) -> Finding:
    """The finding about the Dagster daemon."""
    if daemon_health.is_switched_off:
        remedy = "switch it on in the Dagster UI, Automation"
        return Finding("daemon", False, "requests_sensor is switched off", remedy)
    tick, heartbeat = age_text(daemon_health.tick_age), age_text(daemon_health.heartbeat_age)
    message = f"last tick {tick}, last heartbeat {heartbeat}"
    remedy = "`castad up` starts one; `castad make` starts its own"
    if daemon_health.is_running:
        return Finding("daemon", True, message)
    return Finding("daemon", False, f"not running, or blocked ({message})", remedy, broken=False)


def _table(findings: list[Finding]) -> Table:
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
