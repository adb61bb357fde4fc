"""A look whenever somebody, in whatever process, may have written to a SQLite database."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_log = logging.getLogger("castad.engine")
# What was written is seen by others only after its fsync, of which no file system tells.
_LOOK_AFTER_SECONDS = (0.05, 0.2, 1.0, 4.0)


class WatchedLog(FileSystemEventHandler):
    """Looks shortly after each write to the database's write-ahead log, and again until it must be visible."""

    def __init__(self, database: Path, look: Callable[[], None]) -> None:
        self._folder = database.parent
        self._written = f"{database}-wal"
        self._look = look
        self._observer = Observer()
        self._changed = threading.Event()
        self._over = threading.Event()
        self._started = threading.Lock()
        self._looking = threading.Thread(target=self._follow, name="castad-log-watch", daemon=True)

    def start(self) -> None:
        """From now on it looks; nothing happens where it does already."""
        if not self._started.acquire(blocking=False):
            return
        self._observer.schedule(self, str(self._folder))
        self._observer.start()
        self._looking.start()

    def stop(self) -> None:
        """It looks no more."""
        if not self._started.locked():
            return
        self._over.set()
        self._changed.set()
        self._observer.stop()
        self._observer.join()

    def on_modified(self, event: FileSystemEvent) -> None:
        """Called by the observer for every file in the folder."""
        if event.src_path == self._written:
            self._changed.set()

    def _follow(self) -> None:
        while not self._over.is_set():
            self._changed.wait()
            self._changed.clear()
            for pause in _LOOK_AFTER_SECONDS:
                if self._over.wait(pause):
                    return
                self._look_once()
                if self._changed.is_set():
                    break

    def _look_once(self) -> None:
        try:
            self._look()
        except Exception:  # noqa: BLE001 - whatever it was, who watches other runs waits for the next look
            # Dagster's own bookkeeping of watchers is not safe against one that goes meanwhile.
            _log.exception("a look at the event log failed; the next one follows")
