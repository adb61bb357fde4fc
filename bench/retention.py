"""`make bench-retention`: a cycle of retention over a long history, under load; docs/retention-figures.md.

A third of the history is older than all times, a third older than those of Dagster's rows, a third is young.
"""
# ruff: noqa: E501, S608

import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy import create_engine

from bench.engine.counts import Counts
from bench.engine.crew import clean_environment
from bench.engine.history import fill_dagster, fill_ledger, name_copy, read_template, vacuum
from bench.engine.machine import describe, read_load
from bench.engine.measures import Trial, measure_arrivals, name_request, warm_up
from bench.engine.servers import Servers, run_postgres, run_servers
from bench.engine.statistics import median, percentile
from bench.engine.systems.castad import Castad
from castad.views.snapshot import read_snapshot
from resources.ledger.queries.status import list_event_views
from resources.process.settings import PROJECT_ROOT

_PAGE = PROJECT_ROOT / "docs" / "retention-figures.md"
_COUNTS = Counts(arrivals=40, gap=0.3, burst=0)
_LOOKS = 200
_AGES = ("401 days", "60 days", "1 day")


@dataclass
class Figures:
    """What was measured at one time: seconds from a row to the first op, and of a look-up."""

    first_op: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    bytes: int = 0


def bench_retention(
    history: Annotated[int, typer.Option(help="Finished requests")] = 300_000,
    keep: Annotated[bool, typer.Option("--keep", help="Write docs/retention-figures.md")] = False,
) -> None:
    """Measure before, during and after one retention cycle, on Postgres and Redis."""
    folder = Path(tempfile.mkdtemp(prefix="castad-bench-"))
    try:
        with run_postgres() as postgres, run_servers(postgres, "retention") as servers:
            page = _measure(folder, servers, history)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    typer.echo(page)
    if keep:
        _PAGE.write_text(page)


def _measure(folder: Path, servers: Servers, history: int) -> str:
    system = Castad(folder, servers, None)
    trial = Trial(system, folder, servers.pids)
    try:
        system.start()
        warm_up(trial, 5)
        template = read_template(system.ledger, name_request(0))
        fill_ledger(system.ledger, template, history)
        fill_dagster(system.database_url, template, history)
        _age(system.database_url, history)
        before = _measure_figures(system, trial, history)
        during = Figures()
        began, ends = time.monotonic(), list[float]()
        with _run_retention(folder, system) as process:
            threading.Thread(target=_note_end, args=(process, ends)).start()
            # Until it has ended: more than one round, where the history is long.
            while process.poll() is None:
                _add(during, _measure_figures(system, trial, history))
        seconds = ends[0] - began
        removed = json.loads((folder / "retention.json").read_text())
        vacuum(system.database_url)
        after = _measure_figures(system, trial, history)
    finally:
        system.stop()
    began = time.monotonic()
    command = [sys.executable, "-m", "castad", "retention", "--shrink", "--json"]
    shrunk = json.loads(subprocess.check_output(command, env=_build_environment(folder, system)))
    shrinking = (time.monotonic() - began, shrunk["bytes_after"])
    found = {"before": before, "during": during, "after": after}
    return _format_page(history, seconds, removed, found, shrinking)


def _age(url: str, history: int) -> None:
    """Move the end of the copies and their runs into the past, with a different age for each third."""
    engine = create_engine(url)
    number = "CAST(substr({0}, 5) AS INTEGER)"
    with engine.begin() as tx:
        tx.exec_driver_sql("SET LOCAL session_replication_role = replica")
        for third, age in enumerate(_AGES):
            past = f"now() - interval '{age}'"
            share = f"LIKE 'old-%%' AND {number} * 3 BETWEEN {third * history + 1} AND {(third + 1) * history}"
            task, run = (share.format(name) for name in ("task_id", "run_id"))
            moments = ("created_at", "updated_at", "completed_at")
            aged = ", ".join(f"{name} = {past}" for name in moments)
            tx.exec_driver_sql(f"UPDATE requests SET {aged} WHERE task_id {task}")
            ended = f"create_timestamp = {past}, end_time = extract(epoch FROM {past})"
            tx.exec_driver_sql(f"UPDATE runs SET {ended} WHERE run_id {run}")
    engine.dispose()
    vacuum(url)


@contextmanager
def _run_retention(folder: Path, system: Castad) -> Iterator[subprocess.Popen[bytes]]:
    """Run `castad retention` beside the system until it has nothing left to remove."""
    command = [sys.executable, "-m", "castad", "retention", "--gently", "--json"]
    with (folder / "retention.json").open("wb") as out:
        process = subprocess.Popen(command, env=_build_environment(folder, system), stdout=out)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _build_environment(folder: Path, system: Castad) -> dict[str, str]:
    return {
        **clean_environment(),
        "CASTAD_HOME": str(folder / "home"),
        "CASTAD_DATABASE_URL": system.database_url,
    }


def _note_end(process: subprocess.Popen[bytes], ends: list[float]) -> None:
    process.wait()
    ends.append(time.monotonic())


def _measure_figures(system: Castad, trial: Trial, history: int) -> Figures:
    """Measure orders one after the other, and look-ups of the young third beside them."""
    looks: list[float] = []
    looking = threading.Thread(target=_look, args=(system, history, looks))
    looking.start()
    found = measure_arrivals(trial, _COUNTS, _COUNTS.arrivals)
    looking.join()
    return Figures([*found.samples["first_op"]], looks, _read_bytes(system.database_url))


def _look(system: Castad, history: int, looks: list[float]) -> None:
    chance = random.Random(2026)  # noqa: S311 - which requests are looked at, the same in every run
    for _ in range(_LOOKS):
        name = name_copy(chance.randint(history * 2 // 3 + 1, history))
        began = time.perf_counter()
        list_event_views(system.ledger, read_snapshot(system.ledger, name, Path()).request)
        looks.append(time.perf_counter() - began)
        time.sleep(0.02)


def _read_bytes(url: str) -> int:
    engine = create_engine(url)
    with engine.connect() as connection:
        size = connection.exec_driver_sql(
            "SELECT pg_database_size(current_database())"
        ).scalar_one()
    engine.dispose()
    return int(size)


def _add(figures: Figures, more: Figures) -> None:
    figures.first_op += more.first_op
    figures.looks += more.looks
    figures.bytes = more.bytes


def _format_page(
    history: int,
    seconds: float,
    removed: dict[str, Any],
    found: dict[str, Figures],
    shrinking: tuple[float, int],
) -> str:
    before = found["before"]
    rows = [
        f"| {when} | {_format_spread(each.first_op, before.first_op)} | {_format_spread(each.looks, before.looks)} "
        f"| {each.bytes / 1e6:.0f} MB |"
        for when, each in found.items()
        if each.first_op
    ]
    machine = describe()
    counts = ", ".join(
        f"{name.replace('_', ' ')} {count:,}" for name, count in removed.items() if count
    )
    return f"""# Retention: what one cycle costs

Written by `make bench-retention`. Postgres {machine["Postgres"]}, Redis, {machine["processor"]}; load average at the end {read_load():.1f}.
{history:,} finished orders, a third of them older than 400 days, a third 60 days old, a third young; the event logs of 10,000 runs. `castad retention --gently`, which rests five sixths of its time as the hourly schedule does, removed what was
old in {seconds:.0f} s ({history / 3 / seconds:.0f} orders a second): {counts}.

| | row inserted → first op: p50 (p95), ratio of the p50 | look-up of an order: p50 (p95), ratio of the p50 | database |
|---|---|---|---|
{chr(10).join(rows)}

"after" is after a VACUUM: Postgres gives the room of deleted rows to new rows, and rarely back to the disk. `castad retention --shrink` then
made the database {shrinking[1] / 1e6:.0f} MB, in {shrinking[0]:.0f} s.
"""


def _format_spread(seconds: list[float], before: list[float]) -> str:
    p50, p95 = median(seconds) * 1000, percentile(seconds, 0.95) * 1000
    return f"{p50:.1f} ({p95:.1f}) ms, {median(seconds) / median(before):.2f}"


if __name__ == "__main__":
    typer.run(bench_retention)
