"""What hundreds of streams cost while they last: connections to broker and database, and memory.

Connections are counted in the kernel's table, at the port of the server: that asks the server nothing, and is the
same for RabbitMQ, Valkey and Postgres.
"""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.scan.side import Side

_TABLE = Path("/proc/net/tcp")
_ESTABLISHED = "01"
_LOOK_EVERY = 0.5


@dataclass(frozen=True)
class Cost:
    """Connections, and megabytes (RSS) of the serving processes."""

    broker: int
    database: int
    memory: float

    def take_larger(self, other: "Cost") -> "Cost":
        """Return the larger of each figure."""
        broker, database = max(self.broker, other.broker), max(self.database, other.database)
        return Cost(broker, database, max(self.memory, other.memory))


class Watched:
    """The cost before, and the highest since."""

    def __init__(self, before: Cost) -> None:
        self.before = before
        self.highest = before


@contextmanager
def watch_cost(side: Side) -> Iterator[Watched]:
    """Measure the cost twice a second while the block runs."""
    watched, ended = Watched(measure_cost(side)), threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_EVERY):
            watched.highest = watched.highest.take_larger(measure_cost(side))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield watched
    finally:
        ended.set()
        looking.join()


def measure_cost(side: Side) -> Cost:
    """Measure the cost at this moment."""
    lines = _TABLE.read_text().splitlines()[1:]
    ports = (side.broker_port, side.database_port)
    broker, database = (0 if port is None else count_connections(port, lines) for port in ports)
    return Cost(broker, database, _sum_megabytes(side.list_serving_pids()))


def count_connections(port: int, lines: Iterable[str]) -> int:
    """Count the connections of the server at this port in the lines of /proc/net/tcp."""
    ending = f":{port:04X}"
    fields = (line.split() for line in lines)
    return sum(each[1].endswith(ending) and each[3] == _ESTABLISHED for each in fields)


def _sum_megabytes(pids: Iterable[int]) -> float:
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            total += psutil.Process(pid).memory_info().rss
    return total / 1e6
