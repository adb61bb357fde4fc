"""Remember since when something has not been there."""

import time
from collections.abc import Callable
from threading import Lock

_MOST_REMEMBERED = 10_000

Clock = Callable[[], float]


class Absences:
    """Since when something has not been there, by its name, in seconds of the clock; the last 10,000 names."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}
        self._lock = Lock()

    def note(self, name: str) -> float:
        """Record that it is missing now; return for how many seconds that has been so."""
        with self._lock:
            if len(self._since) >= _MOST_REMEMBERED and name not in self._since:
                self._since.pop(next(iter(self._since)))
            now = self._clock()
            return now - self._since.setdefault(name, now)

    def clear(self, name: str) -> None:
        """Record that it is there."""
        with self._lock:
            self._since.pop(name, None)
