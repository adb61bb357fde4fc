"""The stop lock: a stack holds it while it runs, and ticks that wait in a code server end when it is released.

A code server that is stopped aborts its ticks, and Dagster's daemon marks each of them as failed. The kernel
releases the lock however the stack ends.
"""

import fcntl
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from resources.process.variable_names import STOP_LOCK_VARIABLE


class StopLock:
    """A new lock file in the folder, locked until `release`."""

    def __init__(self, folder: Path) -> None:
        self._descriptor, self.path = tempfile.mkstemp(".lock", "stop-", folder)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def release(self) -> None:
        """Waiting ticks end now, and later ones do not wait. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            Path(self.path).unlink(missing_ok=True)


def call_on_release(call: Callable[[], None]) -> None:
    """`call` runs, in a thread of its own, once the lock that the environment names is released.

    Without a lock in the environment, as under `dagster dev`, it never runs.
    """
    path = os.environ.get(STOP_LOCK_VARIABLE)
    if path is not None:
        threading.Thread(target=_wait, args=(path, call), name="castad-stop", daemon=True).start()


def _wait(path: str, call: Callable[[], None]) -> None:
    try:
        with Path(path).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
    except FileNotFoundError:
        pass  # the stack that held it has stopped
    call()
