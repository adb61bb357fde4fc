"""What the benchmark asks of every system; nothing here says how it works."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from bench.engine.timeline import Timeline


class System(Protocol):
    """Requests of three empty stages, each of which calls a stub that sleeps so many seconds."""

    def start(self) -> None:
        """Start the system, with its own folder and database."""
        ...

    def submit(self, task_ids: Sequence[str], seconds: float) -> None:
        """Insert the requests into the database in one transaction."""
        ...

    def count_done(self, task_ids: Sequence[str]) -> int:
        """Count the requests among these that are done."""
        ...

    def count_begun(self, task_ids: Sequence[str], stage: str) -> int:
        """Count the requests among these that have ever begun this stage."""
        ...

    def read_timelines(self, task_ids: Sequence[str]) -> Mapping[str, Timeline]:
        """Return the moments of these requests so far."""
        ...

    def kill_workers(self) -> None:
        """Kill every process that executes work with SIGKILL."""
        ...

    def start_workers(self) -> None:
        """Start workers as before."""
        ...

    def list_worker_pids(self) -> list[int]:
        """Return the ids of the processes that execute work."""
        ...

    def list_pids(self) -> list[int]:
        """Return the ids of all its processes, without the shared database and broker."""
        ...

    def check_alive(self) -> None:
        """Raise RuntimeError if one of its processes has ended."""
        ...

    def stop(self) -> None:
        """Stop all its processes."""
        ...
