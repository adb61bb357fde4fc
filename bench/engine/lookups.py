"""What `castad status` reads of one request, timed on ledgers of several sizes in turn."""

import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.engine.figures import Figure, Found
from bench.engine.history import Template, fill_ledger, name_copy, vacuum
from bench.engine.servers import Servers
from bench.engine.statistics import median
from castad.views.snapshot import read_snapshot
from resources.ledger.db.database import Database
from resources.ledger.queries.status import list_event_views

_TIMES = 200


def look_up(
    folder: Path, servers: Servers | None, template: Template, sizes: Sequence[int]
) -> Found:
    """Compare look-ups in the largest and the smallest ledger; return the difference and all durations.

    The ledgers are queried in turn, so that a change in the machine's speed affects all of them alike.
    """
    urls = {size: _build_url(folder, servers, size) for size in sizes}
    ledgers = {size: Database(url) for size, url in urls.items()}
    try:
        for size, ledger in ledgers.items():
            fill_ledger(ledger, template, size)
            if servers is not None:
                vacuum(urls[size])
        seconds = _ask(ledgers, folder)
    finally:
        for ledger in ledgers.values():
            ledger.close()
        _drop(folder, servers, sizes)
    smallest, largest = median(seconds[sizes[0]]), median(seconds[sizes[-1]])
    growth = Figure(
        largest / smallest,
        f"{_TIMES} looks each",
        f"{smallest * 1000:.2f} → {largest * 1000:.2f} ms",
    )
    samples = {f"look_{size}": found for size, found in seconds.items()}
    return Found({"look_growth": growth}, samples)


def _ask(ledgers: Mapping[int, Database], artifacts: Path) -> dict[int, list[float]]:
    chance = random.Random(2026)  # noqa: S311 - which requests are looked at, the same in every run
    seconds: dict[int, list[float]] = {size: [] for size in ledgers}
    for turn in range(_TIMES + 1):
        for size, ledger in ledgers.items():
            began = time.perf_counter()
            seen = read_snapshot(ledger, name_copy(chance.randint(1, size)), artifacts)
            list_event_views(ledger, seen.request)
            if turn > 0:
                seconds[size].append(time.perf_counter() - began)
    return seconds


def _build_url(folder: Path, servers: Servers | None, size: int) -> str:
    if servers is None:
        return f"sqlite:///{folder / f'history-{size}.db'}"
    return servers.postgres.create(_name_database(size))


def _drop(folder: Path, servers: Servers | None, sizes: Sequence[int]) -> None:
    for size in sizes:
        if servers is not None:
            servers.postgres.drop(_name_database(size))
    for file in folder.glob("history-*"):
        file.unlink()


def _name_database(size: int) -> str:
    return f"history-{size}"
