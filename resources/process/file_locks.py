"""Locks of files that are waited for, but not for ever: who holds one may have been stopped."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from resources.contract.errors import StateUnavailableError
from resources.process.lock_holders import holder_of_lock

_LONGEST_WAIT = 30.0
_LOOK_EVERY = 0.01


@contextmanager
def one_at_a_time(path: Path, seconds: float = _LONGEST_WAIT) -> Iterator[None]:
    """The block runs while no other process is in one of this file, which is made where it is missing.

    Raises StateUnavailableError where another stays in it for longer than `seconds`, and names it.
    """
    with path.open("a") as lock:
        deadline = time.monotonic() + seconds
        while not _taken(lock.fileno()):
            if time.monotonic() > deadline:
                by = holder_of_lock(path) or "another process"
                raise StateUnavailableError(f"{path} is locked by {by}", code="database_locked")
            time.sleep(_LOOK_EVERY)
        yield


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
