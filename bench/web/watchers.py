"""Dashboards without a browser, as a process of their own: `python -m bench.web.watchers PORT COUNT`.

The cookie comes on stdin. Each asks what the dashboard's script asks: the rows once, the stream, and the tiles'
numbers every few seconds.
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from bench.api.wire import Connection

LAST = "the-last-order"
LIVE = "live"
_NUMBERS_SECONDS = 4.0
_EVENT = b'data: {"task_id"'
_PROGRESS = b"event: progress"
_AT = b'"at": "'
_AT_LENGTH = 24


@dataclass
class Watcher:
    """One open dashboard; `lags` has the seconds from an event's own time to here, of the oldest in each read."""

    port: int
    cookie: str
    events: int = 0
    lags: list[float] = field(default_factory=list)
    is_live: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self) -> None:
        """Read until the last order's event is there."""
        connection = await Connection.open(self.port)
        connection.writer.write(self._get("/v1/admin/stream"))
        rest = b""
        is_over = False
        while not is_over and (data := await connection.reader.read(1 << 20)):
            whole, end, rest = (rest + data).rpartition(b"\n\n")
            self._note(whole + end)
            is_over = LAST.encode() in whole
        connection.writer.close()

    def _note(self, frames: bytes) -> None:
        if b"event: begun" in frames:
            self.is_live.set()
        self.events += frames.count(_EVENT) - frames.count(_PROGRESS)
        first = frames.find(_AT, max(0, frames.find(_EVENT)))
        if first >= 0:
            at = frames[first + len(_AT) : first + len(_AT) + _AT_LENGTH].decode()
            self.lags.append(time.time() - datetime.fromisoformat(at).timestamp())

    async def ask(self) -> None:
        """Request the rows once and the numbers repeatedly, until the task is canceled."""
        await self.is_live.wait()
        connection = await Connection.open(self.port)
        await connection.ask(self._get("/dashboard/-/rows"))
        while True:
            await asyncio.sleep(_NUMBERS_SECONDS)
            await connection.ask(self._get("/dashboard/-/numbers"))

    def _get(self, path: str) -> bytes:
        head = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n\r\n"
        )
        return head.encode()


async def main(port: int, count: int, cookie: str) -> None:
    """Print when all are live, and at the end what they have seen."""
    watchers = [Watcher(port, cookie) for _ in range(count)]
    asking = [asyncio.create_task(each.ask()) for each in watchers]
    watching = [asyncio.create_task(each.watch()) for each in watchers]
    await asyncio.gather(*(each.is_live.wait() for each in watchers))
    sys.stdout.write(f"{LIVE}\n")
    sys.stdout.flush()
    await asyncio.gather(*watching)
    for task in asking:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    lags = [lag for each in watchers for lag in each.lags]
    sys.stdout.write(json.dumps({"events": [each.events for each in watchers], "lags": lags}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.stdin.readline().strip()))
