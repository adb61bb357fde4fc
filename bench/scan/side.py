"""What is measured: a running system that answers scans."""

from collections.abc import Sequence
from typing import Protocol

from bench.scan.lines import Scan

SOURCE, STATELESS, RUN = "source", "stateless", "run"
TITLES = {
    SOURCE: "source design",
    STATELESS: "castad, answered directly",
    RUN: "castad, as an order",
}


class Side(Protocol):
    """One system, each with a broker and, where it has one, a database of its own."""

    broker_port: int | None
    database_port: int | None

    def start(self) -> None:
        """Start to answer scans; raise RuntimeError if a process fails."""
        ...

    async def scan(self, task_id: str, patience: float) -> Scan:
        """Send one scan and read its stream to the end."""
        ...

    def list_serving_pids(self) -> Sequence[int]:
        """Return the ids of the processes that hold the clients' streams."""
        ...

    def check_alive(self) -> None:
        """Raise RuntimeError if a process has ended by itself."""
        ...

    def stop(self) -> None:
        """Stop all processes."""
        ...
