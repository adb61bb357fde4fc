"""File locks that are waited for up to a time limit: a process that holds one may be suspended."""

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
    """The block holds the exclusive lock of this file, which is created where it is missing.

    Raises StateUnavailableError, naming the holder, where another process keeps the lock longer than `seconds`.
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
