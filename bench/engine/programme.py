"""What each system goes through, step by step; a step that fails is said and the next one goes on."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path

from bench.engine.counts import Counts
from bench.engine.figures import POSTGRES, SQLITE, Figure, Found
from bench.engine.history import fill_dagster, fill_ledger, read_template
from bench.engine.lookups import look_up
from bench.engine.machine import read_load
from bench.engine.measures import (
    Trial,
    measure_arrivals,
    measure_bursts,
    measure_machine_loss,
    measure_memory_asleep,
    measure_worker_loss,
    name_request,
    warm_up,
)
from bench.engine.outcome import Outcome
from bench.engine.servers import DurablePostgres, Servers, run_servers
from bench.engine.systems.castad import Castad
from bench.engine.systems.chain import CeleryChain
from bench.engine.systems.plain_dagster import PlainDagster
from bench.engine.systems.protocol import System
from bench.engine.systems.source_design import SourceDesign

Tell = Callable[[str], None]
Make = Callable[[Path, Servers, int | None], System]

TITLES = {
    POSTGRES: "castad, Postgres + Redis",
    SQLITE: "castad, SQLite + files",
    "chain": "Celery chain",
    "source-1s": "source design, 1 s poll",
    "source-10s": "source design, 10 s poll",
    "dagster": "plain Dagster",
}
FIRST = name_request(0)
_MAKE: Mapping[str, Make] = {
    POSTGRES: lambda folder, servers, slots: Castad(folder, servers, slots),
    SQLITE: lambda folder, servers, slots: Castad(folder, None, slots),
    "chain": lambda folder, servers, slots: CeleryChain(folder, servers),
    "source-1s": lambda folder, servers, slots: SourceDesign(folder, servers, 1.0),
    "source-10s": lambda folder, servers, slots: SourceDesign(folder, servers, 10.0),
    "dagster": lambda folder, servers, slots: PlainDagster(folder, servers),
}


class Programme:
    """The steps of one system, in a folder that is emptied after each of its lives."""

    def __init__(
        self, name: str, counts: Counts, folder: Path, postgres: DurablePostgres, tell: Tell
    ) -> None:
        self._counts = counts
        self._folder = folder
        self._postgres = postgres
        self._tell = tell
        self._outcome = Outcome(name, TITLES[name])
        self._failed = False

    def run(self) -> Outcome:
        """Run all steps; return the results, including those of a system that failed."""
        began, busy = time.monotonic(), read_load()
        with self._run_system("main", None) as (system, trial, servers):
            self._run_steps(system, trial, servers)
        if self._counts.asleep:
            with self._run_system("asleep", self._counts.asleep) as (_, trial, _):
                self._run_step("memory", lambda: measure_memory_asleep(trial, self._counts.asleep))
        self._outcome.seconds = time.monotonic() - began
        self._outcome.load = (busy, read_load())
        return self._outcome

    def _run_steps(self, system: System, trial: Trial, servers: Servers) -> None:
        counts = self._counts
        self._run_step(
            "requests at random moments", lambda: measure_arrivals(trial, counts, counts.arrivals)
        )
        self._run_step("burst", lambda: measure_bursts(trial, counts))
        if isinstance(system, Castad):
            self._run_step("look-ups", lambda: self._measure_look_ups(system, servers))
        if counts.crashing:
            self._run_step("workers killed", lambda: measure_worker_loss(trial, counts))
        if isinstance(system, Castad) and self._outcome.name == POSTGRES:
            self._run_step("machine gone", lambda: measure_machine_loss(trial, system, counts))
            self._run_step(
                "first op after a long history", lambda: self._measure_aged(system, trial)
            )

    def _measure_look_ups(self, system: Castad, servers: Servers) -> Found:
        shared = servers if self._outcome.name == POSTGRES else None
        template = read_template(system.ledger, FIRST)
        return look_up(self._folder, shared, template, self._counts.history)

    def _measure_aged(self, system: Castad, trial: Trial) -> Found:
        template = read_template(system.ledger, FIRST)
        count = self._counts.history[-1]
        fill_ledger(system.ledger, template, count)
        fill_dagster(system.database_url, template, count)
        found = measure_arrivals(trial, self._counts, max(self._counts.arrivals // 2, 1))
        samples = {"old_first_op": found.samples["first_op"]}
        return Found({"old_first_op": found.figures["first_op"]}, samples)

    @contextmanager
    def _run_system(self, life: str, slots: int | None) -> Iterator[tuple[System, Trial, Servers]]:
        folder = self._folder / life
        folder.mkdir(parents=True)
        name = self._outcome.name
        self._failed = False
        with run_servers(self._postgres, f"{name}-{life}") as servers:
            system = _MAKE[name](folder, servers, slots)
            try:
                trial = Trial(system, folder, servers.pids)
                self._run_step("start", lambda: _start_system(system, trial, self._counts.warming))
                yield system, trial, servers
            finally:
                system.stop()
                shutil.rmtree(folder, ignore_errors=True)

    def _run_step(self, title: str, measure: Callable[[], Found]) -> None:
        """Store the figures of the measure; skip it after a failure in the same life of the system."""
        if self._failed:
            return
        self._tell(f"{self._outcome.title}: {title}")
        try:
            found = measure()
        except Exception as error:  # noqa: BLE001 - whatever breaks one system, the others are measured
            self._failed = True
            self._outcome.troubles.append(f"{title}: {error}")
            self._tell(f"{self._outcome.title}: {title} failed: {error}")
            return
        for key, figure in found.figures.items():
            self._keep(key, figure)
        self._outcome.samples.update(found.samples)

    def _keep(self, key: str, figure: Figure) -> None:
        """Store the figure; of several crashes, keep the worst, and None is worse than any value."""
        found = [self._outcome.figures.get(key, figure), figure]
        self._outcome.figures[key] = max(
            found, key=lambda one: inf if one.value is None else one.value
        )


def _start_system(system: System, trial: Trial, warming: int) -> Found:
    system.start()
    warm_up(trial, warming)
    return Found({})
