"""The process's snapshot of the characters, and the thread that refreshes it.

A match reads memory only. Every half second a thread compares the catalogue's version; every fifth second it reads
the characters themselves. The last snapshot of a database is stored in a file: a process that starts during an
outage of the database uses it.
"""

import hashlib
import logging
import os
import threading
from pathlib import Path

from pipeline_defs.scan.characters.store import (
    Character,
    CharacterSnapshot,
    build_sqlite_url,
    load_shipped_snapshot,
    read_catalogue,
    read_snapshot,
    read_version,
)
from resources.process.settings import Settings, settings

MATCH_SECONDS = 10.0
"""The time limit of a match; after it the scan has no reward (S2)."""
_CHECK_SECONDS = 0.5
_FIRST_SECONDS = 1.0
_CHECKS_PER_READING = 10
"""Every fifth second the characters are read regardless of their version: a restored database has an old one."""

_log = logging.getLogger("castad.scan")


def get_character_url(settings: Settings) -> str:
    """Return the URL of the character database."""
    return settings.character_database_url or build_sqlite_url(settings.home, "character")


def get_my_url(settings: Settings) -> str:
    """Return the URL of the "my" database."""
    return settings.my_database_url or build_sqlite_url(settings.home, "my")


class Catalogue:
    """The newest known snapshot. Thread-safe: a snapshot is replaced as a whole."""

    def __init__(self, url: str, file: Path) -> None:
        self._url = url
        self._file = file
        self._snapshot: CharacterSnapshot | None = None
        self._checked = threading.Event()
        self._loaded = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="castad-characters", daemon=True)
        self._thread.start()

    def get_snapshot(self) -> CharacterSnapshot | None:
        """Return the snapshot; None if it could not be loaded within MATCH_SECONDS.

        Wait at most a second for the first answer of the database.
        """
        self._checked.wait(_FIRST_SECONDS)
        return self._snapshot if self._loaded.wait(MATCH_SECONDS) else None

    def stop(self) -> None:
        """Stop the thread and wait for it, at most 5 seconds."""
        self._stopping.set()
        self._thread.join(5)

    def refresh(self, *, whole: bool) -> None:
        """Read the characters from the database; unless `whole`, only if their version has changed.

        Raise SQLAlchemyError.
        """
        known = self._snapshot
        if not whole and known is not None and known.version == read_version(self._url):
            return
        found = read_catalogue(self._url) or load_shipped_snapshot()
        if found != known:
            self._snapshot = found
            self._save(found)

    def _watch(self) -> None:
        try:
            last = read_snapshot(self._file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            last = None
        self._snapshot = last or load_shipped_snapshot()
        self._loaded.set()
        is_up, checks = True, 0
        while not self._stopping.is_set():
            try:
                self.refresh(whole=checks % _CHECKS_PER_READING == 0)
                is_up, checks = True, checks + 1
            except Exception as error:  # noqa: BLE001 - an error must not end the thread
                if is_up:
                    _log.warning("characters not read: %s", type(error).__name__)
                is_up = False
            self._checked.set()
            self._stopping.wait(_CHECK_SECONDS)

    def _save(self, snapshot: CharacterSnapshot) -> None:
        partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            partial.write_text(snapshot.to_json(), "utf-8")
            partial.replace(self._file)
        except OSError as error:
            _log.warning("characters not kept: %s", error.strerror)


_opening = threading.Lock()
_of_process: dict[tuple[str, Path], Catalogue] = {}
"""At most one: the catalogue of other settings is stopped when it is replaced."""


def get_catalogue() -> Catalogue:
    """Return the catalogue of this process's settings; start its thread if it is not running."""
    now = settings()
    url = get_character_url(now)
    # Each database has its own file.
    of = (url, now.home / f"characters-{hashlib.sha256(url.encode()).hexdigest()[:12]}.json")
    with _opening:
        if of not in _of_process:
            _stop_all()
            _of_process[of] = Catalogue(*of)
        return _of_process[of]


def stop_catalogue() -> None:
    """Stop this process's thread; the next match starts another."""
    with _opening:
        _stop_all()


def _stop_all() -> None:
    while _of_process:
        _of_process.popitem()[1].stop()


def match_character(label: str) -> Character | None:
    """Answer `character.match`: return the character that a thing of this middle class wins.

    Return None if no snapshot is loaded within MATCH_SECONDS.
    """
    snapshot = get_catalogue().get_snapshot()
    return None if snapshot is None else snapshot.match(label)
