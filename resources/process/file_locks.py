"""Locks of files that are waited for, but not for ever: who holds one may have been stopped."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from resources.contract.errors import StateUnavailableError
from resources.process.lock_holders import find_file_lock_holder

_LONGEST_WAIT = 30.0
_RETRY_SECONDS = 0.01


@contextmanager
def exclusive_file_lock(path: Path, seconds: float = _LONGEST_WAIT) -> Iterator[None]:
    """The block runs while no other process is in one of this file, which is made where it is missing.

    Raises StateUnavailableError where another stays in it for longer than `seconds`, and names it.
    """
    with path.open("a") as lock:
        deadline = time.monotonic() + seconds
        while not _try_lock(lock.fileno()):
            if time.monotonic() > deadline:
                by = find_file_lock_holder(path) or "another process"
                raise StateUnavailableError(f"{path} is locked by {by}", code="database_locked")
            time.sleep(_RETRY_SECONDS)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
