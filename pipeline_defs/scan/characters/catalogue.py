"""The snapshot of the characters that this process has, and how it is kept new.

A match reads memory only. A thread looks every half second whether the catalogue's version has changed, and every
fifth second at the characters themselves. The last snapshot of a database is kept in a file: a process that starts
while the database is away uses it.
"""

import hashlib
import logging
import os
import threading
from pathlib import Path

from pipeline_defs.scan.characters.store import (
    Character,
    Snapshot,
    read_catalogue,
    read_snapshot,
    read_version,
    shipped_snapshot,
    sqlite_url,
)
from resources.process.settings import Settings, settings

MATCH_SECONDS = 10.0
"""How long a match may take; after that the scan has no reward (S2)."""
_LOOK_SECONDS = 0.5
_FIRST_SECONDS = 1.0
_LOOKS_PER_READING = 10
"""Every fifth second the characters are read whatever their version says: a restored database has an old one."""

_log = logging.getLogger("castad.scan")


def character_url(settings: Settings) -> str:
    """The character database."""
    return settings.character_database_url or sqlite_url(settings.home, "character")


def my_url(settings: Settings) -> str:
    """The "my" database."""
    return settings.my_database_url or sqlite_url(settings.home, "my")


class Catalogue:
    """The newest snapshot that is known. Thread-safe: a snapshot is replaced as a whole."""

    def __init__(self, url: str, file: Path) -> None:
        self._url = url
        self._file = file
        self._snapshot: Snapshot | None = None
        self._looked = threading.Event()
        self._loaded = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, name="castad-characters", daemon=True)
        self._thread.start()

    def snapshot(self, seconds: float = MATCH_SECONDS) -> Snapshot | None:
        """Return the snapshot, or None where it could not be loaded in so many seconds.

        Until the database was asked once it is waited for, for a second at most.
        """
        self._looked.wait(min(seconds, _FIRST_SECONDS))
        return self._snapshot if self._loaded.wait(seconds) else None

    def stop(self) -> None:
        """The thread ends."""
        self._stopping.set()
        self._thread.join(5)

    def refresh(self, *, whole: bool = True) -> None:
        """Take the characters of the database; unless `whole`, only where their version differs.

        Raises SQLAlchemyError.
        """
        known = self._snapshot
        if not whole and known is not None and known.version == read_version(self._url):
            return
        found = read_catalogue(self._url) or shipped_snapshot()
        if found != known:
            self._snapshot = found
            self._keep(found)

    def _look(self) -> None:
        self._snapshot = self._last_known()
        self._loaded.set()
        is_up, looks = True, 0
        while not self._stopping.is_set():
            try:
                self.refresh(whole=looks % _LOOKS_PER_READING == 0)
                is_up, looks = True, looks + 1
            except Exception as error:  # noqa: BLE001 - nothing may end the look at the catalogue for good
                if is_up:
                    _log.warning("characters not read: %s", type(error).__name__)
                is_up = False
            self._looked.set()
            self._stopping.wait(_LOOK_SECONDS)

    def _last_known(self) -> Snapshot:
        try:
            found = read_snapshot(self._file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            found = None
        return found or shipped_snapshot()

    def _keep(self, snapshot: Snapshot) -> None:
        partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            partial.write_text(snapshot.as_json(), "utf-8")
            partial.replace(self._file)
        except OSError as error:
            _log.warning("characters not kept: %s", error.strerror)


_opening = threading.Lock()
_of_process: dict[tuple[str, Path], Catalogue] = {}
"""One at most: that of other settings is stopped when it is replaced."""


def catalogue() -> Catalogue:
    """The catalogue of this process' settings; one thread a process."""
    now = settings()
    url = character_url(now)
    # What is kept of one database is nothing to another.
    of = (url, now.home / f"characters-{hashlib.sha256(url.encode()).hexdigest()[:12]}.json")
    with _opening:
        if of not in _of_process:
            _stop_all()
            _of_process[of] = Catalogue(*of)
        return _of_process[of]


def stop_catalogue() -> None:
    """No thread of this process looks at the catalogue any more; the next match begins one."""
    with _opening:
        _stop_all()


def _stop_all() -> None:
    while _of_process:
        _of_process.popitem()[1].stop()


def character_match(label: str) -> Character | None:
    """`character.match`: the character that a thing of this middle class wins.

    It reads memory. None where no snapshot is there within MATCH_SECONDS.
    """
    snapshot = catalogue().snapshot()
    return None if snapshot is None else snapshot.match(label)
