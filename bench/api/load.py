"""Calls at a steady rate, whatever the answers take: latency counts from when a call was due."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.api.wire import Connection
from bench.engine.statistics import percentile


@dataclass
class Answers:
    """What came of calls at `rate` a second: seconds from due to answered, and their statuses."""

    rate: float
    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    lasted: float = 0.0

    def add(self, status: int, seconds: float) -> None:
        """Add one answer."""
        self.seconds.append(seconds)
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def format_line(self, what: str) -> str:
        """Format the figures as one line."""
        told = [f"{share} {1000 * percentile(self.seconds, q):.1f} ms" for share, q in _SHARES]
        done = len(self.seconds) / self.lasted
        return (
            f"{what}: {done:.0f}/s of {self.rate:.0f}/s asked, {', '.join(told)}, {self.statuses}"
        )


_SHARES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))


async def call_steadily(
    port: int, make: Callable[[int], bytes], *, rate: float, seconds: float, connections: int
) -> Answers:
    """Call `make(0)`, `make(1)`, … at `rate` a second for `seconds`, over a pool of `connections`."""
    answers = Answers(rate)
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(connections):
        free.put_nowait(await Connection.open(port))
    began, tasks = time.perf_counter(), []
    for number in range(int(rate * seconds)):
        due = began + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(_call(free, make(number), due, answers)))
    await asyncio.gather(*tasks)
    answers.lasted = time.perf_counter() - began
    return answers


async def _call(
    free: "asyncio.Queue[Connection]", request: bytes, due: float, answers: Answers
) -> None:
    connection = await free.get()
    try:
        status = await connection.ask(request)
        answers.add(status, time.perf_counter() - due)
    finally:
        free.put_nowait(connection)
