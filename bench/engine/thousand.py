"""`python -m bench.engine.thousand`: so many orders at once against the stand-ins, each vendor at its own pace.

Exit code 0: all were completed, nothing was counted as a failure, and the vendor's window was filled.
"""

import shutil
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from sqlalchemy import func, select, text

from bench.engine.machine import describe, read_load
from bench.engine.rush import Rush, keep
from bench.engine.servers import run_postgres, run_servers
from bench.engine.systems.castad import Castad
from resources.ledger.db.database import Database
from resources.ledger.schema.tables import attempts, events, provider_jobs, requests
from resources.process.settings import PROJECT_ROOT
from tests.fakes.creatomate import FakeCreatomate
from tests.fakes.openai import FakeOpenAI
from tests.fakes.suno import FakeSuno

_ORDER = '{"customer_name": "봄날", "region": "전주", "duration_seconds": 10}'
_INSERT = text("INSERT INTO requests (task_id, payload) VALUES (:task_id, :order)")
_SONG_SECONDS = 20.0
_VIDEO_SECONDS = 10.0
_LYRIC_SECONDS = 1.0
_LOOK_SECONDS = 5.0
_LONGEST = 4 * 3600.0
_FULL = 0.95


class TimedSuno(FakeSuno):
    """Suno, with the moments at which it was called."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.taken: list[float] = []
        self.refused = 0

    def _wait(self) -> float | None:
        wait = super()._wait()
        if wait is None:
            self.taken.append(time.time())
        else:
            self.refused += 1
        return wait


def bench_thousand(
    orders: Annotated[int, typer.Option(help="Orders at once")] = 1000,
    calls: Annotated[int, typer.Option(help="Calls that Suno allows in 10 s")] = 20,
    on_postgres: Annotated[bool, typer.Option("--postgres", help="Not SQLite and files")] = False,
    is_kept: Annotated[bool, typer.Option("--keep", help="Into docs/performance.md")] = False,
) -> None:
    """Place the orders, wait for the last video and print the figures."""
    console = Console(highlight=False)
    folder = Path(tempfile.mkdtemp(prefix="castad-thousand-"))
    try:
        rush = _run_rush(folder, orders, calls, on_postgres, console)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, value in vars(rush).items():
        console.print(f"{name}: {value}")
    if is_kept:
        keep(rush, PROJECT_ROOT / "docs" / "performance.md")
    fine = rush.completed == orders and rush.retries == rush.failures == 0 and rush.filled >= _FULL
    raise typer.Exit(0 if fine else 1)


def _run_rush(folder: Path, orders: int, calls: int, on_postgres: bool, console: Console) -> Rush:
    with ExitStack() as held:
        openai = held.enter_context(FakeOpenAI(folder))
        suno = held.enter_context(TimedSuno(folder))
        creatomate = held.enter_context(FakeCreatomate(folder))
        for fake in (openai, suno, creatomate):
            fake.set(credits=1_000_000)
        openai.set(delay=_LYRIC_SECONDS)
        suno.set(delay=_SONG_SECONDS, rate=(calls, 10.0))
        creatomate.set(delay=_VIDEO_SECONDS, rate=(2 * calls, 10.0))
        environment = {
            f"{fake.name.upper()}_{what}": value
            for fake in (openai, suno, creatomate)
            for what, value in (("API_KEY", fake.key), ("BASE_URL", fake.url))
        }
        environment["SUNO_CALLS_PER_10_SECONDS"] = str(calls)
        environment["CREATOMATE_CALLS_PER_10_SECONDS"] = str(2 * calls)
        servers = None
        if on_postgres:
            postgres = held.enter_context(run_postgres())
            servers = held.enter_context(run_servers(postgres, "thousand"))
        module = "pipeline_defs.definitions"
        castad = Castad(folder, servers, None, module=module, environment=environment)
        held.callback(castad.stop)
        castad.start()
        began = time.time()
        with castad.ledger.writing() as tx:
            tx.execute(_INSERT, [{"task_id": f"o{n}", "order": _ORDER} for n in range(orders)])
        _wait_until_all_ended(castad, orders, console)
        system = "on Postgres and Redis" if on_postgres else "on SQLite and files"
        return _read_rush(castad.ledger, suno, orders, calls, system, began)


def _wait_until_all_ended(castad: Castad, orders: int, console: Console) -> None:
    deadline, pause = time.monotonic() + _LONGEST, threading.Event()
    while time.monotonic() < deadline:
        castad.check_alive()
        query = select(requests.c.status, requests.c.stage, requests.c.waits_for, func.count())
        kinds = (requests.c.status, requests.c.stage, requests.c.waits_for)
        with castad.ledger.reading() as tx:
            rows = tx.execute(query.group_by(*kinds)).all()
        console.print(f"{datetime.now(UTC):%H:%M:%S}  {[tuple(row) for row in rows]}")
        if sum(row[3] for row in rows if row[0] in ("completed", "dead", "canceled")) == orders:
            return
        pause.wait(_LOOK_SECONDS)


def _read_rush(
    ledger: Database, suno: TimedSuno, orders: int, calls: int, system: str, began: float
) -> Rush:
    of_suno = (provider_jobs.c.provider == "suno", provider_jobs.c.submitted_at.is_not(None))
    with ledger.reading() as tx:
        rows = tx.execute(select(requests.c.status, requests.c.retry_count)).all()
        kinds = {str(kind): int(count) for kind, count in tx.execute(_KINDS)}
        sent = tx.execute(select(provider_jobs.c.submitted_at).where(*of_suno)).scalars().all()
        done = tx.execute(select(func.max(requests.c.completed_at))).scalar_one()
        tries = tx.execute(select(func.count()).select_from(attempts)).scalar_one()
        lyrics = _read_lyrics(tx.execute(_LYRICS))
    moments = sorted(moment.timestamp() for moment in sent)
    between = [at for at in suno.taken if moments[0] - 1 <= at <= moments[-1]]
    span = moments[-1] - moments[0]
    return Rush(
        measured=f"{datetime.now(UTC):%Y-%m-%d}",
        system=system,
        machine=_describe_machine(),
        orders=orders,
        completed=sum(row.status == "completed" for row in rows),
        retries=sum(row.retry_count for row in rows) + kinds.get("failed", 0),
        failures=kinds.get("failed", 0) + kinds.get("dead", 0) + kinds.get("worker_lost", 0),
        refused=suno.refused,
        calls_in_10_seconds=calls,
        filled=min(len(between) / (span * calls / 10), 1.0),
        calls=len(suno.taken),
        lyrics_idle=_sum_idle(lyrics),
        lyrics_seconds=max(end for _, end in lyrics) - began,
        songs_ordered_seconds=span,
        seconds=done.timestamp() - began,
        attempts=tries / orders,
    )


_KINDS = select(events.c.type, func.count()).group_by(events.c.type)
_LYRICS = select(events.c.request_id, events.c.type, events.c.at, events.c.data).where(
    events.c.type.in_(("stage_started", "stage_completed"))
)


def _describe_machine() -> str:
    described = describe()
    hardware = ", ".join(described[name] for name in ("processor", "memory", "system"))
    return f"{hardware}; load average at the end {read_load():.1f}"


def _read_lyrics(rows: Iterable[Any]) -> list[tuple[float, float]]:
    """Return when each lyric was begun and done, sorted."""
    began: dict[int, float] = {}
    spans = []
    for request, kind, at, data in rows:
        if '"stage": "lyric"' not in data:
            continue
        if kind == "stage_started":
            began.setdefault(request, at.timestamp())
        elif request in began:
            spans.append((began[request], at.timestamp()))
    return sorted(spans)


def _sum_idle(spans: list[tuple[float, float]]) -> float:
    """Return the seconds between the first and the last begin in which no lyric was made."""
    idle, until = 0.0, spans[0][1]
    for began, ended in spans:
        idle += max(began - until, 0.0)
        until = max(until, ended)
    return idle


if __name__ == "__main__":
    typer.run(bench_thousand)
