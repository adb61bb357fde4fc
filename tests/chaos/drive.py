"""Order, break, wait until all is quiet, and read what happened."""

import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from castad.stack.processes import StopFlag
from tests.chaos.customers import Customers
from tests.chaos.history import History
from tests.chaos.plan import POSTGRES, SQLITE, Break, breaks, wishes
from tests.chaos.progress import Progress
from tests.chaos.reading import Quiet
from tests.chaos.stalls import Stalls
from tests.chaos.stand import Stand

WORKERS = ("one", "two")
_LOOK_EVERY = 0.1
_COUNT_EVERY = 1.0
_RESTART_AFTER = 1.0
_CALM_AT = 0.05
_QUIET_SECONDS = 180.0


@dataclass(frozen=True)
class Wanted:
    """How much chaos: `pace` is the seconds between two orders on average, `limit` ends it all."""

    seed: int
    orders: int
    pace: float
    limit: float


@dataclass
class Chaos:
    """One run of it on one stand. Call from the main thread: what it starts ends with the thread."""

    stand: Stand
    wanted: Wanted
    progress: Progress
    stop: StopFlag
    _later: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.wanted.seed + 2)

    def run(self) -> tuple[History, Mapping[str, int]]:
        """What happened, and how often each vendor fault really did. Raises Stopped."""
        planned = wishes(self.wanted.seed, self.wanted.orders, self.wanted.pace)
        customers = Customers(
            planned, self.stand.ledger_url, self.stand.vendors, self.stand.journal
        )
        quiet = Quiet(self.stand.ledger_url, self.stand.home("one"), self.stand.database_url)
        stalls = Stalls(self.stand.folder, self.stand.journal)
        self._start_castad()
        stalls.start()
        customers.start()
        try:
            self._disturb(customers, quiet)
            self.progress.tell("[bold]calm: nothing more is broken[/bold]")
            self._wait_for_quiet(customers, quiet)
        finally:
            customers.stop()
            customers.join()
            quiet.close()
            stalls.stop()
        if customers.failed is not None:
            raise customers.failed
        self.stand.stop()
        met = Counter(f"{wish.vendor} {wish.fault.kind}" for wish in planned if wish.fault)
        for vendor, fake in self.stand.vendors.items():
            met.subtract(f"{vendor} {fault.kind}" for fault in fake.unused())
        return self.stand.read(), dict(sorted(met.items()))

    def _start_castad(self) -> None:
        if self.stand.database_url is not None:
            for name in WORKERS:
                self.stand.start_worker(name)
        self.stand.start_daemon()

    def _disturb(self, customers: Customers, quiet: "Quiet") -> None:
        began = time.monotonic()
        planned = breaks(self.wanted.seed, SQLITE if self.stand.postgres is None else POSTGRES)
        following = next(planned)
        counted = 0.0
        while not self._may_calm_down(customers, quiet):
            now = time.monotonic() - began
            if now > self.wanted.limit:
                self.progress.tell("[red]the limit of time is reached[/red]")
                break
            if now >= following.at:
                self._do(following)
                following = next(planned)
            counted = self._look(customers, quiet, counted)
        self._finish_restarts()

    def _look(self, customers: Customers, quiet: "Quiet", counted: float) -> float:
        """One look at what is due and how all stands; returns when it was last counted."""
        for due, work in [each for each in self._later if each[0] <= time.monotonic()]:
            self._later.remove((due, work))
            work()
        if time.monotonic() - counted > _COUNT_EVERY:
            counted = time.monotonic()
            ordered = len({placed.task_id for placed in self.stand.journal.placed})
            self.progress.count(ordered, quiet.states())
        self.stop.pause(_LOOK_EVERY)
        return counted

    def _may_calm_down(self, customers: Customers, quiet: "Quiet") -> bool:
        if customers.is_alive():
            return False
        still = quiet.open_requests()
        return still is not None and still <= _CALM_AT * self.wanted.orders

    def _wait_for_quiet(self, customers: Customers, quiet: "Quiet") -> None:
        deadline = time.monotonic() + _QUIET_SECONDS
        counted = 0.0
        while not quiet.is_quiet():
            if time.monotonic() > deadline:
                self.progress.tell("[red]it did not become quiet[/red]")
                return
            counted = self._look(customers, quiet, counted)

    def _do(self, planned: Break) -> None:
        since = datetime.now(UTC)
        detail = _BREAKERS[planned.kind](self, planned.seconds)
        self.stand.journal.broke(planned.kind, since, detail)
        self.progress.tell(f"{planned.kind} {detail}")

    def kill_worker(self, seconds: float) -> str:
        if self.stand.database_url is None:
            return self._kill_on_demand()
        name = self._dice.choice(WORKERS)
        self.stand.kill_worker(name)
        self._after(_RESTART_AFTER, lambda: self.stand.start_worker(name))
        return name

    def _kill_on_demand(self) -> str:
        living = self.stand.on_demand()
        for process in living:
            process.kill()
        return ", ".join(str(process.pid) for process in living) or "none lived"

    def kill_daemon(self, seconds: float) -> str:
        self.stand.kill_daemon()
        self._after(_RESTART_AFTER, self.stand.start_daemon)
        return ""

    def restart_broker(self, seconds: float) -> str:
        began = time.monotonic()
        assert self.stand.broker is not None
        self.stand.broker.restart()
        return f"(down {time.monotonic() - began:.1f} s)"

    def take_database_down(self, seconds: float) -> str:
        assert self.stand.postgres is not None
        began = time.monotonic()
        self.stand.postgres.kill()
        try:
            self.stop.pause(seconds)
        finally:
            self.stand.postgres.start_again()
        return f"(down {time.monotonic() - began:.1f} s)"

    def lock_database(self, seconds: float) -> str:
        holder = sqlite3.connect(
            self.stand.home("one") / "castad.db", timeout=30, isolation_level=None
        )
        try:
            holder.execute("BEGIN IMMEDIATE")
            self.stop.pause(seconds)
        finally:
            holder.close()
        return f"(for {seconds:.1f} s)"

    def _after(self, seconds: float, work: Callable[[], None]) -> None:
        self._later.append((time.monotonic() + seconds, work))

    def _finish_restarts(self) -> None:
        for _, work in self._later:
            work()
        self._later.clear()


_BREAKERS: Mapping[str, Callable[[Chaos, float], str]] = {
    "worker killed": Chaos.kill_worker,
    "daemon killed": Chaos.kill_daemon,
    "broker restarted": Chaos.restart_broker,
    "database down": Chaos.take_database_down,
    "database locked": Chaos.lock_database,
}
