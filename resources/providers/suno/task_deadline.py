"""A time limit per task, for songs whose links are missing."""

import time
from collections.abc import Callable
from threading import Lock

_MOST_TASKS = 1000


class PerTaskDeadline:
    """A time limit for each task, in seconds since this process first asked about it.

    It remembers the last 1000 tasks. Several threads may share one instance.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._since: dict[str, float] = {}
        self._lock = Lock()

    def has_passed(self, task_id: str) -> bool:
        """Whether the time limit has passed since the first call for this task."""
        now = self._clock()
        with self._lock:
            first = self._since.setdefault(task_id, now)
            if len(self._since) > _MOST_TASKS:
                del self._since[next(iter(self._since))]
        return now - first >= self._seconds
