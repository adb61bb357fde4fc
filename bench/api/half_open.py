"""Thousands of connections that never ask anything completely, and how soon others are answered beside them."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bench.engine.statistics import percentile

_HALF = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
_WHOLE = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
_PATIENCE = 5.0
_PAUSE = 0.02


@dataclass
class Answers:
    """Seconds until `/healthz` was answered on a new connection; `missed` were not within 5 s, or refused."""

    seconds: list[float] = field(default_factory=list)
    missed: int = 0

    def format_line(self) -> str:
        """Format the results as one line."""
        told = sorted(1000 * each for each in self.seconds) or [float("nan")]
        return (
            f"{len(self.seconds)} answers, {self.missed} missed; p50 {percentile(told, 0.5):.0f} ms, "
            f"p99 {percentile(told, 0.99):.0f} ms, longest {told[-1]:.0f} ms"
        )


async def ask_beside_half_open(port: int, count: int, seconds: float) -> Answers:
    """Request `/healthz` repeatedly for `seconds` while `count` half-open connections are held."""
    answers = Answers()
    until = time.perf_counter() + seconds
    async with _open_half_requests(port, count):
        while time.perf_counter() < until:
            began = time.perf_counter()
            if await _is_healthy(port):
                answers.seconds.append(time.perf_counter() - began)
            else:
                answers.missed += 1
            await asyncio.sleep(_PAUSE)
    return answers


async def _is_healthy(port: int) -> bool:
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(_WHOLE)
            said = await reader.read()
            writer.close()
            return b" 200 OK" in said
    return False


@asynccontextmanager
async def _open_half_requests(port: int, count: int) -> AsyncIterator[None]:
    """Hold `count` connections that each sent half a request head; open another for each that is closed."""
    clients = [asyncio.create_task(_hold(port)) for _ in range(count)]
    try:
        yield
    finally:
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)


async def _hold(port: int) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(_HALF)
                await reader.read()
            finally:
                writer.transport.abort()
        await asyncio.sleep(1)
