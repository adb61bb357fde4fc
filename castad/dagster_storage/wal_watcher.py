"""A callback after each write to a SQLite database, by any process."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_log = logging.getLogger("castad.engine")
# A write is visible to others only after its fsync, for which file systems have no notification.
_NOTIFY_AFTER_SECONDS = (0.05, 0.2, 1.0, 4.0)


class WalWatcher(FileSystemEventHandler):
    """Calls `on_change` after each write to the write-ahead log, repeatedly until the write must be visible."""

    def __init__(self, database: Path, on_change: Callable[[], None]) -> None:
        self._folder = database.parent
        self._written = f"{database}-wal"
        self._on_change = on_change
        self._observer = Observer()
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._start_once = threading.Lock()
        self._thread = threading.Thread(target=self._follow, name="castad-log-watch", daemon=True)

    def start(self) -> None:
        """Start watching. Idempotent."""
        if not self._start_once.acquire(blocking=False):
            return
        self._observer.schedule(self, str(self._folder))
        self._observer.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        if not self._start_once.locked():
            return
        self._stopped.set()
        self._changed.set()
        self._observer.stop()
        self._observer.join()

    def on_modified(self, event: FileSystemEvent) -> None:
        """Handle the observer's event of any file in the folder."""
        if event.src_path == self._written:
            self._changed.set()

    def _follow(self) -> None:
        while not self._stopped.is_set():
            self._changed.wait()
            self._changed.clear()
            for pause in _NOTIFY_AFTER_SECONDS:
                if self._stopped.wait(pause):
                    return
                self._notify()
                if self._changed.is_set():
                    break

    def _notify(self) -> None:
        try:
            self._on_change()
        except Exception:  # noqa: BLE001 - watchers of other runs still need the next call
            # Dagster's list of watchers is not safe against one that is removed meanwhile.
            _log.exception("event log callback failed")
