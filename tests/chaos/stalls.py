"""Notices when the machine itself stood still: a lease of seconds tells nothing of a worker whose disk did."""

import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.chaos.history import MACHINE_STALLED
from tests.chaos.journal import Journal

_LOOK_EVERY = 0.2
_LONG = 1.0


class Stalls(threading.Thread):
    """While it runs, every write to the folder's disk, or turn on a core, that took long is in the journal."""

    def __init__(self, folder: Path, journal: Journal) -> None:
        super().__init__(name="stalls", daemon=True)
        self._folder = folder
        self._journal = journal
        self._over = threading.Event()

    def run(self) -> None:
        """Called by `start`."""
        while not self._over.is_set():
            since, began = datetime.now(UTC), time.monotonic()
            self._write()
            self._over.wait(_LOOK_EVERY)
            took = time.monotonic() - began
            if took > _LOOK_EVERY + _LONG:
                self._journal.broke(MACHINE_STALLED, since, f"(for {took:.1f} s)")

    def stop(self) -> None:
        """It has looked for the last time."""
        self._over.set()
        self.join()

    def _write(self) -> None:
        with (self._folder / "stalls").open("w") as file:
            file.write("still here")
            file.flush()
            os.fsync(file.fileno())
