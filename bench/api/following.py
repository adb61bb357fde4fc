"""Hundreds of clients that follow orders live, and when each event reached each of them."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bench.api.wire import Connection, get
from bench.engine.statistics import percentile

_DATA = b"data: {"


@dataclass
class Follower:
    """One client of an order that has `behind` events; `lags`: seconds from an event's own time to here."""

    task_id: str
    behind: int
    seqs: list[int] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    is_live: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self, port: int, key: str) -> None:
        """Read until the stream ends by itself."""
        connection = await Connection.open(port)
        connection.writer.write(get(f"/v1/pipeline/events/{self.task_id}", key))
        kind = b""
        while line := await connection.reader.readline():
            if line.startswith(b"event: "):
                kind = line.strip()
            elif line.startswith(_DATA):
                if not kind:
                    self._note(json.loads(line[6:]))
                elif kind == b"event: end":
                    break
                kind = b""
        connection.writer.close()

    def _note(self, event: dict[str, str]) -> None:
        self.seqs.append(int(event["seq"]))
        if self.is_live.is_set():
            at = datetime.fromisoformat(event["at"]).timestamp()
            self.lags.append(time.time() - at)
        if self.seqs[-1] >= self.behind:
            self.is_live.set()


def report(followers: Sequence[Follower], last: int) -> str:
    """Report whether each client saw every event once and in order, and how long the events took."""
    whole = sum(each.seqs == [*range(1, last + 1)] for each in followers)
    lags = [1000 * lag for each in followers for lag in each.lags]
    return (
        f"{len(followers)} live clients: {whole} saw every event once and in order; from written to "
        f"arrived p50 {percentile(lags, 0.5):.1f} ms, p95 {percentile(lags, 0.95):.1f} ms, "
        f"p99 {percentile(lags, 0.99):.1f} ms, {len(lags)} arrivals"
    )
