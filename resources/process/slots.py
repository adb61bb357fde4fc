"""How many jobs run at once on this machine, in all processes together."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from resources.process.file_locks import lock_if_free


class Slots:
    """So many slots in a folder, each a lock on a file: a process that dies frees its own."""

    def __init__(self, folder: Path, count: int, look_again: float = 0.2) -> None:
        self.count = count
        self._folder = folder
        self._look_again = look_again

    @contextmanager
    def one(self, stop: Event) -> Iterator[bool]:
        """Hold a slot inside the block; yield False where `stop` was set before one was free.

        Raises OSError where the folder cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        slot = self._take()
        while slot is None and not stop.wait(self._look_again):
            slot = self._take()
        try:
            yield slot is not None
        finally:
            if slot is not None:
                os.close(slot)

    def _take(self) -> int | None:
        """Return the descriptor that locks a free slot; None where each is taken."""
        slots = (lock_if_free(self._folder / f"slot-{number}") for number in range(self.count))
        return next((slot for slot in slots if slot is not None), None)
