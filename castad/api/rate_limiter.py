"""The rate limit of a key: a number of calls per minute, which may come in one burst."""

import math
import threading
import time
from collections.abc import Callable

_FEW = 1000


def apply_gcra(due: float, now: float, per_minute: int) -> tuple[float, float]:
    """The new `due` after one more call, and the seconds that the call has to wait.

    The generic cell rate algorithm (ITU-T I.371): `due` is the time at which the full burst is allowed again;
    every call delays it by 60 / per_minute seconds. A call that has to wait leaves it unchanged.
    """
    share = 60.0 / per_minute
    after = max(due, now) + share
    wait = after - now - 60.0
    return (due, wait) if wait > 1e-9 else (after, 0.0)


class RateLimiter:
    """Counts the calls to this process of everyone who has a name, such as a key's id. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}
        self._most = _FEW
        self._lock = threading.Lock()

    def seconds_to_wait(self, name: str, per_minute: int) -> int:
        """0 where the call is within the rate and counted; else the whole seconds until it would be."""
        with self._lock:
            now = self._clock()
            self._due[name], wait = apply_gcra(self._due.get(name, now), now, per_minute)
            self._forget_idle(now)
        return math.ceil(wait)

    def uncount(self, name: str, per_minute: int) -> None:
        """The last call of this name does not count."""
        with self._lock:
            if name in self._due:
                self._due[name] -= 60.0 / per_minute

    def _forget_idle(self, now: float) -> None:
        """Names that may call in a burst again need no memory; they are sought when their number has doubled."""
        if len(self._due) > self._most:
            self._due = {name: due for name, due in self._due.items() if due > now}
            self._most = max(_FEW, 2 * len(self._due))
