"""The measures: what a system is asked to do, how long it is waited for, and what came out."""

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from bench.engine.counts import Counts
from bench.engine.figures import Figure, Found
from bench.engine.statistics import median, percentile
from bench.engine.stub import read_calls
from bench.engine.systems.protocol import System
from bench.engine.timeline import STAGES, Timeline, compute_rate
from bench.engine.usage import measure_cpu_seconds, measure_memory_mb

_LOOK_EVERY = 0.1
_PATIENCE = 180.0
_BACK_WITHIN = 60.0
_ELSEWHERE_WITHIN = 90.0
_CRASH_SLEEP = 10.0
_INTO_SONG = 3.0
_RESTART_AFTER = 1.0
_LONG_SLEEP = 600.0
_SETTLE = 3.0


class Movable(System, Protocol):
    """A system whose worker can go away with its machine while another lives elsewhere."""

    def start_worker_elsewhere(self) -> None:
        """Start a worker with its own home."""
        ...

    def take_worker_away(self) -> None:
        """Kill the first worker and remove its home."""
        ...


class TooSlowError(Exception):
    """Something did not happen while it was waited for."""


def name_request(number: int) -> str:
    """Return the name of the trial's request with this number, from 0 on."""
    return f"r-{number}"


class Trial:
    """One running system under measurement; its requests get names of their own."""

    def __init__(self, system: System, folder: Path, shared_pids: Sequence[int]) -> None:
        self.system = system
        self._calls = folder / "calls"
        self._shared = shared_pids
        self._named = 0
        self._open: list[str] = []
        self._random = random.Random(2026)  # noqa: S311 - arrivals, the same in every run

    def submit(self, count: int, seconds: float = 0.0) -> list[str]:
        """Submit `count` new requests; return their names."""
        names = [name_request(self._named + index) for index in range(count)]
        self._named += count
        self._open += names
        self.system.submit(names, seconds)
        return names

    def wait(self, ready: Callable[[], bool], what: str, patience: float = _PATIENCE) -> None:
        """Wait until `ready` returns true; raise TooSlowError after `patience` seconds."""
        deadline = time.monotonic() + patience
        while not ready():
            self.system.check_alive()
            if time.monotonic() > deadline:
                raise TooSlowError(f"{what}: not in {patience:.0f} s")
            time.sleep(_LOOK_EVERY)

    def is_done(self) -> bool:
        """Return whether every request so far is done."""
        if self.system.count_done(self._open) < len(self._open):
            return False
        self._open.clear()
        return True

    def pause(self, mean: float) -> None:
        """Wait a random time, exponentially distributed."""
        time.sleep(self._random.expovariate(1 / mean))

    def read_cpu(self) -> float:
        """Return the CPU seconds of the system, the database and the broker so far."""
        return measure_cpu_seconds([*self.system.list_pids(), *self._shared])

    def count_calls(self, names: Sequence[str]) -> Counter[tuple[str, str]]:
        """Count the calls of each stage of these requests."""
        wanted = set(names)
        return Counter({key: n for key, n in read_calls(self._calls).items() if key[0] in wanted})


def warm_up(trial: Trial, count: int) -> None:
    """Run `count` requests one after the other, so that all code is loaded."""
    for _ in range(count):
        trial.submit(1)
        trial.wait(trial.is_done, "the first request")


def measure_arrivals(trial: Trial, counts: Counts, count: int) -> Found:
    """Submit requests at random moments; measure the first op, the hand-overs and the overhead.

    Each is a median over all requests; the samples are returned too.
    """
    names = []
    for _ in range(count):
        trial.pause(counts.gap)
        names += trial.submit(1)
        if not counts.overlap:
            trial.wait(trial.is_done, "a request")
    trial.wait(trial.is_done, "the requests")
    lines = list(trial.system.read_timelines(names).values())
    first = [line.to_first_op for line in lines if line.to_first_op is not None]
    overhead = [cost for line in lines if (cost := line.compute_overhead(0)) is not None]
    handovers = [seconds for line in lines for seconds in line.handovers]
    of = f"{len(lines)} requests"
    figures = {
        "first_op": Figure(median(first), of),
        "first_op_p95": Figure(percentile(first, 0.95), of),
        "overhead": Figure(median(overhead), of),
        "handover": Figure(median(handovers), of),
    }
    return Found(figures, {"first_op": first, "overhead": overhead, "handover": handovers})


def measure_bursts(trial: Trial, counts: Counts) -> Found:
    """Submit many requests at once, in rounds; measure the requests a second and the CPU time of each."""
    rates, costs = [], []
    for _ in range(counts.rounds):
        before = trial.read_cpu()
        names = trial.submit(counts.burst)
        trial.wait(trial.is_done, "the burst")
        costs.append((trial.read_cpu() - before) / counts.burst)
        rates.append(compute_rate(list(trial.system.read_timelines(names).values())))
    of = f"{counts.rounds} × {counts.burst} requests"
    figures = {"burst": Figure(median(rates), of), "cpu": Figure(median(costs), of)}
    return Found(figures, {"burst": rates, "cpu": costs})


def measure_memory_asleep(trial: Trial, count: int) -> Found:
    """Measure the workers' memory a request while `count` requests wait for the provider."""
    names = trial.submit(count, _LONG_SLEEP)
    trial.wait(lambda: len(trial.count_calls(names)) >= count, f"{count} asleep at once")
    time.sleep(_SETTLE)
    total = measure_memory_mb(trial.system.list_worker_pids())
    figure = Figure(total / count, f"{count} at once", f"{total:.0f} MB in all")
    return Found({"memory": figure})


def measure_worker_loss(trial: Trial, counts: Counts) -> Found:
    """Kill the workers in the middle of `song` and restart them; measure the seconds until all work resumes."""
    names = _bring_into_song(trial, counts.crashing)
    figures = dict(_measure_memory_while_crashing(trial, counts))
    killed = time.time()
    trial.system.kill_workers()
    time.sleep(_RESTART_AFTER)
    trial.system.start_workers()
    figures["killed"] = _wait_until_running(trial, names, killed, _BACK_WITHIN)
    figures["calls"] = _count_calls_after(trial, names, figures["killed"])
    return Found(figures)


def measure_machine_loss(trial: Trial, system: Movable, counts: Counts) -> Found:
    """Remove a worker and its home, start another elsewhere; measure the seconds until all work resumes."""
    names = _bring_into_song(trial, counts.crashing)
    system.start_worker_elsewhere()
    time.sleep(_INTO_SONG)
    gone = time.time()
    system.take_worker_away()
    back = _wait_until_running(trial, names, gone, _ELSEWHERE_WITHIN)
    return Found({"gone": back, "calls": _count_calls_after(trial, names, back)})


def _bring_into_song(trial: Trial, count: int) -> list[str]:
    names = trial.submit(count, _CRASH_SLEEP)
    trial.wait(lambda: trial.system.count_begun(names, STAGES[1]) == count, "all in `song`")
    time.sleep(_INTO_SONG)
    return names


def _measure_memory_while_crashing(trial: Trial, counts: Counts) -> Mapping[str, Figure]:
    if not counts.sharing:
        return {}
    total = measure_memory_mb(trial.system.list_worker_pids())
    of = f"{counts.sharing} at once"
    return {"memory": Figure(total / counts.sharing, of, f"{total:.0f} MB in all")}


def _wait_until_running(
    trial: Trial, names: Sequence[str], since: float, patience: float
) -> Figure:
    def begun() -> list[float]:
        lines: Sequence[Timeline] = list(trial.system.read_timelines(names).values())
        moments = [line.find_begin_since(since) for line in lines]
        return [moment for moment in moments if moment is not None]

    of = f"{len(names)} requests, the last"
    try:
        trial.wait(lambda: len(begun()) == len(names), "running again", patience)
    except TooSlowError:
        return Figure(None, of, f"not in {patience:.0f} s", beyond=patience)
    return Figure(max(begun()) - since, of)


def _count_calls_after(trial: Trial, names: Sequence[str], back: Figure) -> Figure:
    of = f"{len(names)} requests"
    if back.value is None:
        return Figure(None, of, "not back")
    trial.wait(trial.is_done, "the requests that were hit")
    return Figure(max(trial.count_calls(names).values()), of)
