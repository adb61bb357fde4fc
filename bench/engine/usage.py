"""What processes cost: memory that is theirs, and CPU time of everything they ever started."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

import psutil

_GONE = (psutil.NoSuchProcess, psutil.ZombieProcess, psutil.AccessDenied)


def measure_memory_mb(pids: Iterable[int]) -> float:
    """Return the memory of the process trees in MB: private pages and their share of shared ones (PSS)."""
    total = 0
    for process in _walk_trees(pids):
        with suppress(*_GONE):
            total += process.memory_full_info().pss
    return total / 1e6


def measure_cpu_seconds(pids: Iterable[int]) -> float:
    """Return user and system seconds of the process trees, with children that ended and were waited for."""
    total = 0.0
    for process in _walk_trees(pids):
        with suppress(*_GONE):
            spent = process.cpu_times()
            total += spent.user + spent.system + spent.children_user + spent.children_system
    return total


def count_processes(pids: Iterable[int]) -> int:
    """Count the processes that live in the trees."""
    return sum(1 for _ in _walk_trees(pids))


def _walk_trees(pids: Iterable[int]) -> Iterator[psutil.Process]:
    seen: set[int] = set()
    for pid in pids:
        with suppress(*_GONE):
            root = psutil.Process(pid)
            for process in (root, *root.children(recursive=True)):
                if process.pid not in seen:
                    seen.add(process.pid)
                    yield process
