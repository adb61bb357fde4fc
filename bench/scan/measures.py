"""What a system is asked to do, and what came of it."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence

from bench.engine.figures import Figure
from bench.engine.machine import read_load
from bench.engine.outcome import Outcome
from bench.scan.counting import Watched, watch_cost
from bench.scan.fake import FakeModel
from bench.scan.figures import (
    DELAYS,
    Timed,
    build_key,
    compute_alone_figures,
    compute_stream_figures,
    format_stage_note,
)
from bench.scan.lines import Scan
from bench.scan.side import TITLES, Side

_CLIENTS = 8
_WARM_UPS = 3
_SCAN_SECONDS = 30.0
_STREAM_SECONDS = 120.0

Tell = Callable[[str], None]


class IncompleteError(Exception):
    """A scan that nothing else disturbs did not come to its end."""


class Measurement:
    """One system: both passes, then the streams at once."""

    def __init__(self, name: str, side: Side, model: FakeModel, tell: Tell) -> None:
        self._side = side
        self._model = model
        self._say = tell
        self._named = 0
        self.outcome = Outcome(name, TITLES[name])

    def run(self, scans: int, streams: int) -> Outcome:
        """Run all measurements; an error becomes one of the outcome's troubles."""
        outcome, began = self.outcome, time.monotonic()
        outcome.load = (read_load(), 0.0)
        try:
            self._tell("starting")
            self._side.start()
            asyncio.run(self._measure(scans, streams))
        except Exception as error:  # noqa: BLE001 - the other systems are still to be measured
            outcome.troubles.append(f"{type(error).__name__}: {error}")
        finally:
            self._side.stop()
        outcome.load = (outcome.load[0], read_load())
        outcome.seconds = time.monotonic() - began
        return outcome

    async def _measure(self, scans: int, streams: int) -> None:
        for delay in DELAYS:
            self._model.set_delay(delay)
            self._tell(f"{scans} scans alone, the model after {delay * 1000:.0f} ms")
            for _ in range(_WARM_UPS):
                await self._scan_alone()
            timed = [await self._scan_alone() for _ in range(scans)]
            self._keep(timed, delay)
            self._tell(f"{_CLIENTS} clients")
            await self._measure_rate(scans, delay)
        self._tell(f"{streams} streams at once")
        await self._measure_streams(streams)

    async def _scan_alone(self) -> Timed:
        before = self._model.read_seen()
        scan = await self._side.scan(self._name(), _SCAN_SECONDS)
        self._check_complete([scan])
        seen = self._model.read_seen().subtract(before)
        return Timed(scan, seen.calls, seen.seconds)

    def _keep(self, timed: Sequence[Timed], delay: float) -> None:
        self.outcome.figures.update(compute_alone_figures(timed, delay))
        for name in ("reward", "overhead"):
            values = [getattr(each if name == "overhead" else each.scan, name) for each in timed]
            self.outcome.samples[build_key(name, delay)] = values
        self._tell(f"each step, p50: {format_stage_note(timed)}")

    async def _measure_rate(self, scans: int, delay: float) -> None:
        each = max(2, scans // _CLIENTS)

        async def client() -> list[Scan]:
            return [await self._side.scan(self._name(), _SCAN_SECONDS) for _ in range(each)]

        began = time.monotonic()
        found = await asyncio.gather(*(client() for _ in range(_CLIENTS)))
        seconds = time.monotonic() - began
        self._check_complete([scan for scans in found for scan in scans])
        count = each * _CLIENTS
        self.outcome.figures[build_key("rate", delay)] = Figure(count / seconds, f"{count} scans")

    async def _measure_streams(self, streams: int) -> None:
        names = [self._name() for _ in range(streams)]
        with watch_cost(self._side) as watched:
            scans = await asyncio.gather(
                *(self._side.scan(name, _STREAM_SECONDS) for name in names)
            )
        self.outcome.figures.update(compute_stream_figures(scans))
        self._keep_cost(watched, streams)
        failures = Counter(scan.failure for scan in scans if not scan.is_complete)
        for failure, count in failures.most_common(3):
            self._tell(f"{count} of {streams} streams: {failure or 'a step is missing'}")

    def _keep_cost(self, watched: Watched, streams: int) -> None:
        before, while_ = watched.before, watched.highest
        of = f"{streams} at once"
        figures = self.outcome.figures
        figures["broker_before"] = Figure(before.broker)
        figures["broker_while"] = Figure(while_.broker, of)
        figures["broker_each"] = Figure((while_.broker - before.broker) / streams, of)
        if self._side.database_port is not None:
            figures["database_before"] = Figure(before.database)
            figures["database_while"] = Figure(while_.database, of)
        figures["memory_each"] = Figure((while_.memory - before.memory) / streams, of)
        figures["memory_all"] = Figure(while_.memory, of)

    def _tell(self, what: str) -> None:
        self._say(f"{self.outcome.title}: {what}")

    def _check_complete(self, scans: Sequence[Scan]) -> None:
        for scan in scans:
            if not scan.is_complete:
                self._side.check_alive()
                raise IncompleteError(scan.failure or "a step is missing")

    def _name(self) -> str:
        self._named += 1
        return f"{self.outcome.name}-{self._named}"
