"""`make bench-api`: half requests, status reads, orders and live clients against one API process on Postgres."""

import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import psutil
import pytest

from bench.api.following import Follower, report
from bench.api.half_open import ask_beside_half_open
from bench.api.load import call_steadily
from bench.api.wire import get, post
from bench.engine.machine import describe
from bench.engine.servers import run_postgres
from castad.stack.processes import find_free_port, start_group, stop_groups
from resources.ledger.db.database import Database
from resources.ledger.queries.access import Scope, Secret
from resources.ledger.transitions.access import create_key
from resources.ledger.transitions.core import Lease
from tests.conftest import forget_foreign_settings
from tests.eventually import eventually
from tests.ledger_steps import STAGES, Steps

_READS, _ORDERS, _CLIENTS, _SECONDS = 300, 50, 500, 15.0
_FOLLOWED = 20
_HALF_OPEN = 5000
_BRIEF = {"customer_name": "봄날 베이커리", "region": "전주"}


@dataclass(frozen=True)
class Stand:
    """An API process over a ledger, and a key without a limit."""

    port: int
    key: str
    db: Database
    process: psutil.Process


def main() -> int:
    """Measure and print; return 1 if a live client missed an event."""
    for name, value in describe().items():
        _say(f"{name}: {value}")
    with _run_stand() as stand:
        _say(f"API process at rest: {stand.process.memory_info().rss / 1e6:.0f} MB")
        asyncio.run(_measure_half_requests(stand))
        asyncio.run(_measure_calls(stand))
        return asyncio.run(_measure_streams(stand))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def _run_stand() -> Iterator[Stand]:
    with (
        run_postgres() as postgres,
        tempfile.TemporaryDirectory() as home,
        pytest.MonkeyPatch.context() as patch,
    ):
        forget_foreign_settings(patch)
        url, port, secret = postgres.create("api"), find_free_port(), Secret.new()
        db = Database(url)
        create_key(db, secret, name="bench", owner="bench", scopes=[Scope.ADMIN])
        environment = {
            **os.environ,
            "CASTAD_HOME": home,
            "CASTAD_DATABASE_URL": url,
            # All clients have one key.
            "CASTAD_STREAMS_PER_KEY": str(2 * _CLIENTS),
        }
        command = [sys.executable, "-m", "castad", "api", "--port", str(port)]
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a file object for a child
            process = start_group(command, environment, nowhere)
        try:
            eventually(lambda: _is_answering(port))
            yield Stand(port, secret.text, db, psutil.Process(process.pid))
        finally:
            stop_groups([process], 5)
            db.close()


def _is_answering(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).is_success
    except httpx.HTTPError:
        return False


async def _measure_half_requests(stand: Stand) -> None:
    answers = await ask_beside_half_open(stand.port, _HALF_OPEN, _SECONDS)
    _say(f"health beside {_HALF_OPEN} clients with half a request: {answers.format_line()}")


async def _measure_calls(stand: Stand) -> None:
    """Measure reads and orders separately, then both at the same time."""
    names = [f"known-{number}" for number in range(200)]
    for name in names:
        Steps(stand.db).order(name, _BRIEF)

    def read(number: int) -> bytes:
        return get(f"/v1/pipeline/status/{names[number % len(names)]}", stand.key)

    def order(round_: str) -> Callable[[int], bytes]:
        def make(number: int) -> bytes:
            fields = {**_BRIEF, "task_id": f"{round_}-{number}"}
            return post("/v1/pipeline/start", stand.key, json.dumps(fields).encode())

        return make

    await call_steadily(stand.port, read, rate=100, seconds=2, connections=20)
    cpu = _read_cpu(stand)
    reads = await call_steadily(stand.port, read, rate=_READS, seconds=_SECONDS, connections=40)
    _say(
        f"{reads.format_line('status reads')}; "
        f"{1000 * (_read_cpu(stand) - cpu) / len(reads.seconds):.2f} ms CPU each"
    )
    cpu = _read_cpu(stand)
    orders = await call_steadily(
        stand.port, order("a"), rate=_ORDERS, seconds=_SECONDS, connections=20
    )
    _say(
        f"{orders.format_line('orders')}; {1000 * (_read_cpu(stand) - cpu) / len(orders.seconds):.2f} ms CPU each"
    )
    both = await asyncio.gather(
        call_steadily(stand.port, read, rate=_READS, seconds=_SECONDS, connections=40),
        call_steadily(stand.port, order("b"), rate=_ORDERS, seconds=_SECONDS, connections=20),
    )
    for what, answers in zip(
        ("status reads beside orders", "orders beside reads"), both, strict=True
    ):
        _say(answers.format_line(what))


def _read_cpu(stand: Stand) -> float:
    times = stand.process.cpu_times()
    return float(times.user + times.system)


async def _measure_streams(stand: Stand) -> int:
    steps = Steps(stand.db)
    names = [f"followed-{number}" for number in range(_FOLLOWED)]
    leases = [steps.working(name) for name in names]
    behind = [steps.row(name).seq for name in names]
    followers = [
        Follower(names[number % _FOLLOWED], behind[number % _FOLLOWED])
        for number in range(_CLIENTS)
    ]
    cpu, began = _read_cpu(stand), time.perf_counter()
    reading = [asyncio.create_task(each.follow(stand.port, stand.key)) for each in followers]
    await asyncio.gather(*(each.is_live.wait() for each in followers))
    _say(f"{_CLIENTS} clients were live after {time.perf_counter() - began:.1f} s")
    cpu, began = _read_cpu(stand), time.perf_counter()
    await asyncio.sleep(5)
    idle = (_read_cpu(stand) - cpu) / (time.perf_counter() - began)
    _say(f"silence: {100 * idle:.0f} % of a core, {stand.process.memory_info().rss / 1e6:.0f} MB")
    work = threading.Thread(target=_make_all, args=(steps, leases))
    work.start()
    await asyncio.gather(*reading)
    work.join()
    last = steps.row(names[0]).seq
    _say(report(followers, last))
    return int(any(each.seqs != [*range(1, last + 1)] for each in followers))


def _make_all(steps: Steps, leases: Sequence[Lease]) -> None:
    """Complete one stage of one order every 50 ms, as a worker would."""
    pause = threading.Event()
    for stage in STAGES:
        for lease in leases:
            steps.make_stage(lease, stage)
            pause.wait(0.05)


if __name__ == "__main__":
    sys.exit(main())
