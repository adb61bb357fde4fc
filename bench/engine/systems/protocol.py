"""What the benchmark asks of every system; nothing here says how it works."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from bench.engine.timeline import Timeline


class System(Protocol):
    """Requests of three empty stages, each of which calls a stub that sleeps so many seconds."""

    def start(self) -> None:
        """It takes requests; everything it needs is in a folder and a database of its own."""
        ...

    def submit(self, task_ids: Sequence[str], seconds: float) -> None:
        """The requests are in the database, in one transaction."""
        ...

    def count_done(self, task_ids: Sequence[str]) -> int:
        """How many of these are done."""
        ...

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """How many of these have ever begun this stage."""
        ...

    def timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """What happened to these so far."""
        ...

    def kill_workers(self) -> None:
        """Every process that executes work is dead by SIGKILL."""
        ...

    def start_workers(self) -> None:
        """Workers as before run again."""
        ...

    def worker_pids(self) -> list[int]:
        """The processes that execute work."""
        ...

    def pids(self) -> list[int]:
        """All of its processes, without the shared database and broker."""
        ...

    def refuse_dead(self) -> None:
        """Return while all of its processes live; raises RuntimeError."""
        ...

    def stop(self) -> None:
        """None of its processes runs any more."""
        ...
