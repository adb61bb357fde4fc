"""How long a process waits for the rest of what a vendor has half delivered."""

import time
from collections.abc import Callable
from threading import Lock

_MOST_TASKS = 1000


class PerTaskDeadline:
    """So many seconds for each task, counted from when this process first asked about it.

    Of more tasks than a process ever waits for, the oldest is forgotten. Several threads may share one.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._since: dict[str, float] = {}
        self._lock = Lock()

    def has_passed(self, task_id: str) -> bool:
        """Whether the time has passed; it begins to run with the first question."""
        now = self._clock()
        with self._lock:
            first = self._since.setdefault(task_id, now)
            if len(self._since) > _MOST_TASKS:
                del self._since[next(iter(self._since))]
        return now - first >= self._seconds
