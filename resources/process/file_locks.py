"""Locks of whole files, which the kernel releases however their holder ends."""

import fcntl
import os
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

    Raises StateUnavailableError, naming the holder, where another process keeps the lock longer than `seconds`: it
    may be suspended.
    """
    with path.open("a") as lock:
        deadline = time.monotonic() + seconds
        while not try_lock(lock.fileno()):
            if time.monotonic() > deadline:
                by = find_file_lock_holder(path) or "another process"
                raise StateUnavailableError(f"{path} is locked by {by}", code="database_locked")
            time.sleep(_RETRY_SECONDS)
        yield


def open_lock(path: Path) -> int:
    """A descriptor of the lock file, which is made where it is missing; children do not inherit it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def lock_if_free(path: Path) -> int | None:
    """The descriptor that holds the file's exclusive lock; None where another process has the lock."""
    descriptor = open_lock(path)
    try:
        if try_lock(descriptor):
            return descriptor
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def try_lock(descriptor: int) -> bool:
    """Whether the descriptor holds the exclusive lock of its file now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
