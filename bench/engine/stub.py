"""The work that every system does: one call that sleeps, and leaves a line in a file that cannot be lost."""

import os
import time
from collections import Counter
from pathlib import Path

CALLS = "BENCH_CALLS"


def count_call(task_id: str, stage: str) -> None:
    """Append the call to the log: a vendor would have charged for it."""
    path = os.environ[CALLS]
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        # One write of a short line: lines of several processes never mix.
        os.write(descriptor, f"{task_id} {stage}\n".encode())
    finally:
        os.close(descriptor)


def call(task_id: str, stage: str, seconds: float) -> str:
    """Count the call, sleep, and return the provider's result."""
    count_call(task_id, stage)
    time.sleep(seconds)
    return f"{stage} of {task_id}"


def read_calls(path: Path) -> Counter[tuple[str, str]]:
    """Count the calls of each stage of each request."""
    if not path.exists():
        return Counter()
    lines = (line.split() for line in path.read_text().splitlines())
    return Counter((task_id, stage) for task_id, stage in lines)
