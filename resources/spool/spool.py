"""A spool of messages on this machine's disk: appended before an answer is given, delivered afterwards.

One SQLite file a state folder, in WAL mode; an append is on the disk when it returns (synchronous=FULL). Any
number of threads and processes may use it.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from resources.contract.errors import StateUnavailableError
from resources.spool.entry import DEAD_KEPT_SECONDS, EXPIRES_SECONDS, Entry, Waiting

_FILE = "spool.db"
_BUSY_SECONDS = 1.0
_TURN_SECONDS = 2.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  appended_at REAL NOT NULL,
  due_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  last_error TEXT,
  dead_reason TEXT,
  dead_at REAL
);
CREATE UNIQUE INDEX IF NOT EXISTS entries_waiting ON entries (target, key) WHERE dead_reason IS NULL;
CREATE INDEX IF NOT EXISTS entries_due ON entries (target, due_at, id) WHERE dead_reason IS NULL;
"""
_COLUMNS = ", ".join(Waiting.__dataclass_fields__)
Clock = Callable[[], float]


class Spool:
    """The spool in this folder. Where it cannot be used, methods raise StateUnavailableError."""

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        self.path = folder / _FILE
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._inode: int | None = None
        self._lock = threading.Lock()

    def append(self, entries: Sequence[Entry]) -> None:
        """The entries are on the disk, all of them or none; one that waits already is not added again."""
        now = self._clock()
        rows = [
            (
                each.target,
                each.key,
                json.dumps(each.body, ensure_ascii=False),
                now,
                now,
                now + EXPIRES_SECONDS,
            )
            for each in entries
        ]
        with self._writing() as tx:
            tx.executemany(_APPEND, rows)

    def due(self, target: str, limit: int = 100) -> list[Waiting]:
        """The oldest entries of this target that are due."""
        return self._read(_DUE, (target, self._clock(), limit))

    def waiting(self, limit: int = 1_000) -> list[Waiting]:
        """The entries that are still tried, oldest first."""
        return self._read(_WAITING, (limit,))

    def dead(self, limit: int = 1_000) -> list[Waiting]:
        """The entries that are tried no more, the newest first."""
        return self._read(_DEAD, (limit,))

    def find(self, target: str, beginning: str, limit: int = 20) -> list[Waiting]:
        """The newest entries whose key begins so, dead ones among them."""
        return self._read(_OF_KEY, (target, beginning, f"{beginning}\U0010ffff", limit))

    def counts(self) -> dict[tuple[str, bool], int]:
        """How many entries each target has: waiting (False) and dead (True)."""
        with self._using() as connection:
            rows = connection.execute(_COUNTS).fetchall()
        return {(target, bool(is_dead)): count for target, is_dead, count in rows}

    def delivered(self, entry: Waiting) -> None:
        """The entry is gone."""
        with self._writing() as tx:
            tx.execute("DELETE FROM entries WHERE id = ?", (entry.id,))

    def failed(self, entry: Waiting, error: str, wait: float) -> None:
        """The entry is due again after so many seconds; where it expires before, it is dead."""
        now = self._clock()
        if now + wait >= entry.expires_at:
            self.give_up(entry, f"not delivered in {EXPIRES_SECONDS / 3600:g} hours: {error}")
            return
        with self._writing() as tx:
            tx.execute(_FAILED, (now + wait, error, entry.id))

    def give_up(self, entry: Waiting, reason: str) -> None:
        """The entry is dead for this reason, and kept for a while."""
        with self._writing() as tx:
            tx.execute(_GIVEN_UP, (reason, reason, self._clock(), entry.id))

    def replay(self, entry_id: int | None = None) -> int:
        """The dead entry of this id, or all, are due at once with a fresh time to expire; returns how many.

        One whose key waits again meanwhile stays as it is.
        """
        now = self._clock()
        only = "" if entry_id is None else " AND id = ?"
        given = (now, now + EXPIRES_SECONDS, *(() if entry_id is None else (entry_id,)))
        with self._writing() as tx:
            count = tx.execute(f"{_REPLAY}{only}", given).rowcount
        return int(count)

    def purge(self) -> int:
        """Entries that have been dead for seven days are removed; returns how many."""
        with self._writing() as tx:
            before = self._clock() - DEAD_KEPT_SECONDS
            return int(tx.execute("DELETE FROM entries WHERE dead_at < ?", (before,)).rowcount)

    def _read(self, query: str, given: Sequence[Any]) -> list[Waiting]:
        with self._using() as connection:
            rows = connection.execute(query, given).fetchall()
        return [_entry(row) for row in rows]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        if not self._lock.acquire(timeout=_TURN_SECONDS):
            raise self._unavailable("another thread waits for it")
        try:
            yield self._open()
        except (sqlite3.Error, OSError) as error:
            self._forget()
            raise self._unavailable(str(error)) from None
        finally:
            self._lock.release()

    def _unavailable(self, why: str) -> StateUnavailableError:
        return StateUnavailableError(
            f"CASTAD_HOME: the spool {self.path} cannot be used ({why})", code="spool_unavailable"
        )

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._inode != _inode_of(self.path):
            self._forget()
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                opened.execute("PRAGMA journal_mode=WAL")
                opened.execute("PRAGMA synchronous=FULL")
                opened.executescript(_SCHEMA)
            except BaseException:
                opened.close()
                raise
            self._connection, self._inode = opened, _inode_of(self.path)
        return self._connection

    def _forget(self) -> None:
        """A connection that failed is not used again: its file may have been replaced."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _inode_of(path: Path) -> int | None:
    """The file's number, None where it is gone: what is written to a file that was replaced is lost."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _entry(row: Sequence[Any]) -> Waiting:
    stored = dict(zip(Waiting.__dataclass_fields__, row, strict=True))
    return Waiting(**{**stored, "body": _body(stored["body"])})


def _body(text: Any) -> Mapping[str, Any]:
    """What was appended; nothing where somebody has written what cannot be read: its target refuses it."""
    try:
        body = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


_APPEND = """
INSERT INTO entries (target, key, body, appended_at, due_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (target, key) WHERE dead_reason IS NULL DO NOTHING"""
_ALIVE = f"SELECT {_COLUMNS} FROM entries WHERE dead_reason IS NULL"  # noqa: S608
_DUE = f"{_ALIVE} AND target = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?"
_WAITING = f"{_ALIVE} ORDER BY id LIMIT ?"
_DEAD = f"SELECT {_COLUMNS} FROM entries WHERE dead_reason IS NOT NULL ORDER BY id DESC LIMIT ?"  # noqa: S608
_OF_KEY = f"SELECT {_COLUMNS} FROM entries WHERE target = ? AND key >= ? AND key < ? ORDER BY id DESC LIMIT ?"  # noqa: S608
_COUNTS = "SELECT target, dead_reason IS NOT NULL, count(*) FROM entries GROUP BY 1, 2"
_FAILED = "UPDATE entries SET attempts = attempts + 1, due_at = ?, last_error = ? WHERE id = ?"
_GIVEN_UP = "UPDATE entries SET attempts = attempts + 1, last_error = ?, dead_reason = ?, dead_at = ? WHERE id = ?"
_REPLAY = """
UPDATE OR IGNORE entries SET dead_reason = NULL, dead_at = NULL, attempts = 0, due_at = ?, expires_at = ?
WHERE dead_reason IS NOT NULL"""


@cache
def spool_in(folder: Path) -> Spool:
    """This process' spool in this state folder."""
    return Spool(folder)
