"""How often a key may ask: so many calls a minute, all of them at once if it likes."""

import math
import threading
import time
from collections.abc import Callable


def apply_gcra(due: float, now: float, per_minute: int) -> tuple[float, float]:
    """When the allowance is whole again after one call more, and the seconds that call would have to wait.

    The generic cell rate algorithm (ITU-T I.371): `due` is the moment at which the allowance is whole again,
    which every call puts off by its share of a minute. A call that has to wait changes nothing.
    """
    share = 60.0 / per_minute
    after = max(due, now) + share
    wait = after - now - 60.0
    return (due, wait) if wait > 1e-9 else (after, 0.0)


class RateLimiter:
    """The calls of every key of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}
        self._lock = threading.Lock()

    def seconds_to_wait(self, key_id: str, per_minute: int) -> int:
        """0 where the call was counted; else after how many whole seconds it would be."""
        with self._lock:
            now = self._clock()
            self._due[key_id], wait = apply_gcra(self._due.get(key_id, now), now, per_minute)
        return math.ceil(wait)
