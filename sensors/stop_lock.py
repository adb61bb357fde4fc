"""How ticks that wait inside a code server end before it does: a lock that a stack holds until it stops.

Nothing else reaches them: a code server that is told to stop cuts its ticks off, and Dagster's daemon puts each
on record as failed. The kernel frees the lock however the stack ends.
"""

import fcntl
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

STOP_LOCK_VARIABLE = "CASTAD_STOP_LOCK"
"""The environment variable that tells a code server where the lock is."""


class StopLock:
    """Held from now on until `release`; a file of its own in the folder."""

    def __init__(self, folder: Path) -> None:
        self._descriptor, self.path = tempfile.mkstemp(".lock", "stop-", folder)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def release(self) -> None:
        """Ticks that wait end now, and later ones do not wait. Called again it does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            Path(self.path).unlink(missing_ok=True)


def call_on_release(call: Callable[[], None]) -> None:
    """`call` is made once the lock that the environment names is released, in a thread of its own.

    Never where the environment names none, as under `dagster dev`.
    """
    path = os.environ.get(STOP_LOCK_VARIABLE)
    if path is not None:
        threading.Thread(target=_wait, args=(path, call), name="castad-stop", daemon=True).start()


def _wait(path: str, call: Callable[[], None]) -> None:
    try:
        with Path(path).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
    except FileNotFoundError:
        """The stack that held it has stopped."""
    call()
