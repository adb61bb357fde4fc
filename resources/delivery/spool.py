"""Store messages on this machine's disk: appended before an answer is given, delivered afterwards.

One SQLite file a state folder, in WAL mode; an append is on the disk when it returns (synchronous=FULL). Any
number of threads and processes may use it. A file lock decides which process delivers to a target: it ends with
its process, so that no lease has to expire.

The spool also knows what was spent today: the ledger's sum as last read, plus its own entries. A cost counts
from its intent on: with the entry, dead ones too, and after its delivery until the ledger's sum was read again.
The day is that of the intent (UTC, by this machine's clock).
"""

import json
import math
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from resources.contract.errors import CastadError, PermanentError, StateUnavailableError
from resources.delivery.engine import (
    Decision,
    DeliveryFailure,
    DeliveryLoop,
    Schedule,
    Shares,
    deliver_due,
)
from resources.ledger.schema.tables import DeliveryStatus
from resources.process.file_locks import lock_if_free

EXPIRES_SECONDS = 24 * 3600.0
"""A message that was not delivered by then is dead."""
DEAD_KEPT_SECONDS = 7 * 24 * 3600.0
SCHEDULE = Schedule((1, 2, 4, 8, 16, 32, 64, 128, 256, 300), lifetime=EXPIRES_SECONDS)
_BATCH = 500
_PURGE_SECONDS = 3_600.0
_LOOK_SECONDS = 0.5
_LONGEST_ERROR = 300
_DAY = 86_400
_FILE = "spool.db"
_BUSY_SECONDS = 1.0
_TURN_SECONDS = 2.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS holders (name TEXT PRIMARY KEY, body TEXT NOT NULL, learnt_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS delivered_costs (
  cost INTEGER NOT NULL,
  appended_at REAL NOT NULL,
  delivered_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS ledger_sum (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  cost INTEGER NOT NULL,
  read_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS names (name TEXT NOT NULL);
INSERT INTO names SELECT lower(hex(randomblob(12))) WHERE NOT EXISTS (SELECT 1 FROM names);
CREATE TABLE IF NOT EXISTS entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  target TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  cost INTEGER NOT NULL DEFAULT 0,
  is_intent INTEGER NOT NULL DEFAULT 0,
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
CREATE INDEX IF NOT EXISTS entries_paid ON entries (appended_at) WHERE cost > 0;
-- A file of an earlier version calls its imports so.
UPDATE entries SET target = 'import' WHERE target = 'record';
"""
_ADDED = ("cost", "is_intent")
"""Columns that a file of an earlier version lacks."""
Clock = Callable[[], float]
Target = Callable[[Mapping[str, Any]], None]
"""Delivers a body. Raises PermanentError if it never can be delivered, and anything else to be called again."""


@dataclass(frozen=True)
class Entry:
    """A message to append to the spool. While an entry with its target and key is waiting, it is not stored again.

    `cost` is the known or possible cost of what it reports, in micro-dollars.
    """

    target: str
    key: str
    body: Mapping[str, Any]
    cost: int = 0


@dataclass(frozen=True)
class Waiting:
    """A stored entry of the spool, waiting or dead.

    Times are seconds since the epoch. `dead_reason` and `dead_at` are None while the entry is still tried. An
    intent is a placeholder for an entry with the same key that is expected later; it is delivered if that never
    comes.
    """

    id: int
    target: str
    key: str
    body: Mapping[str, Any]
    cost: int
    is_intent: bool
    attempts: int
    appended_at: float
    due_at: float
    expires_at: float
    last_error: str | None
    dead_reason: str | None
    dead_at: float | None

    @property
    def attempt(self) -> int:
        """The number of tries that have ended."""
        return self.attempts


class Spool:
    """The spool in a folder: an SQLite file of entries.

    All methods raise StateUnavailableError if it is unusable.
    """

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        self.path = folder / _FILE
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._inode: int | None = None
        self._lock = threading.Lock()

    @property
    def now(self) -> float:
        """The current time of the spool's clock in seconds since the epoch."""
        return self._clock()

    def append(self, entries: Sequence[Entry]) -> None:
        """Store all entries on the disk, or none.

        An entry replaces an intent of its target and key, and is skipped if another such entry is waiting.
        """
        now = self.now
        with self.writing() as tx:
            for each in entries:
                append_entry(tx, each, now)

    def due(self, target: str, limit: int = 100) -> list[Waiting]:
        """List the target's entries that are due now, the oldest first."""
        return self._read(_DUE, (target, self.now, limit))

    def waiting(self, limit: int = 1_000) -> list[Waiting]:
        """List the entries that are not dead, the oldest first."""
        return self._read(_WAITING, (limit,))

    def dead(self, limit: int = 1_000) -> list[Waiting]:
        """List the dead entries, which are no longer tried, the newest first."""
        return self._read(_DEAD, (limit,))

    def find(
        self, target: str, beginning: str, limit: int = 20, *, is_dead: bool = False
    ) -> list[Waiting]:
        """List the target's newest entries with this key prefix: the waiting ones, or with `is_dead` the dead."""
        query = _DEAD_OF_KEY if is_dead else _OF_KEY
        return self._read(query, (target, beginning, _after(beginning), limit))

    def counts(self) -> dict[tuple[str, bool], int]:
        """Count the entries by target and by whether they are dead; a pair without entries is left out."""
        with self.using() as connection:
            rows = connection.execute(_COUNTS).fetchall()
        return {(target, bool(is_dead)): count for target, is_dead, count in rows}

    def record(self, entry: Waiting, decision: Decision) -> None:
        """Save the decision after a try: remove a delivered entry, make it due again later, or mark it as dead.

        The cost of a delivered entry counts until the ledger's sum was read again.
        """
        now, why = self.now, decision.message
        with self.writing() as tx:
            if decision.status is DeliveryStatus.PENDING:
                tx.execute(_FAILED, (now + decision.wait, why, entry.id))
            elif decision.status is not DeliveryStatus.DELIVERED:
                tx.execute(_GIVEN_UP, (why, why, now, entry.id))
            # Another process may have replaced an intent since it was read: that is delivered by itself.
            elif tx.execute(_DELIVERED, (entry.id, entry.is_intent)).rowcount and entry.cost:
                tx.execute(_NOTE_DELIVERED, (entry.cost, entry.appended_at, now))

    def replay(self, entry_id: int | None = None) -> int:
        """Make the dead entry of this id due at once with a new lifetime; None: all dead entries.

        Return their number.

        An entry is skipped if another one with its target and key is waiting by now.
        """
        now = self.now
        only = "" if entry_id is None else " AND id = ?"
        given = (now, now + EXPIRES_SECONDS, *(() if entry_id is None else (entry_id,)))
        with self.writing() as tx:
            count = tx.execute(f"{_REPLAY}{only}", given).rowcount
        return int(count)

    def purge(self) -> int:
        """Remove the entries that have been dead for seven days and return their number.

        Also remove delivered costs and holders that are older.
        """
        with self.writing() as tx:
            before = self.now - DEAD_KEPT_SECONDS
            tx.execute("DELETE FROM delivered_costs WHERE delivered_at < ?", (before,))
            tx.execute("DELETE FROM holders WHERE learnt_at < ?", (before,))
            return int(tx.execute("DELETE FROM entries WHERE dead_at < ?", (before,)).rowcount)

    def _read(self, query: str, given: Sequence[Any]) -> list[Waiting]:
        """Execute a query of entries and return them."""
        with self.using() as connection:
            rows = connection.execute(query, given).fetchall()
        return [_read_entry(row) for row in rows]

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a write transaction for the block, which is on the disk once the block has ended.

        Roll back on an error.
        """
        with self.using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """Lend this process' connection to the block, to one thread at a time.

        Raises StateUnavailableError if the file is unusable, or if another thread holds the connection for over 2
        s.
        """
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
        """Make the error for a spool that cannot be used."""
        return StateUnavailableError(
            f"CASTAD_HOME: the spool {self.path} cannot be used ({why})", code="spool_unavailable"
        )

    def _open(self) -> sqlite3.Connection:
        """Return the connection; open it first if there is none or if the file was replaced."""
        if self._inode != _get_inode(self.path):
            self._forget()
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                opened.execute("PRAGMA journal_mode=WAL")
                opened.execute("PRAGMA synchronous=FULL")
                _create_tables(opened)
            except BaseException:
                opened.close()
                raise
            self._connection, self._inode = opened, _get_inode(self.path)
        return self._connection

    def _forget(self) -> None:
        """Close the connection if there is one.

        The next use opens the file, which may have been replaced, again.
        """
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class SpoolStore:
    """The due entries of a spool for these targets, claimed in batches with one target each."""

    kind = "save"

    def __init__(self, spool: Spool, targets: Collection[str]) -> None:
        self._spool, self._targets = spool, targets
        self._locks: dict[str, int] = {}
        self._purge_at = 0.0

    def claim(self, busy: Collection[str]) -> list[Waiting]:
        """Claim the oldest due entries of one target that is not busy and that no other process delivers to.

        Return an empty list if there is none. Purge old entries once an hour.
        """
        if time.monotonic() >= self._purge_at:
            self._spool.purge()
            self._purge_at = time.monotonic() + _PURGE_SECONDS
        for target in self._targets:
            if target in busy or not self._spool.due(target, 1):
                continue
            lock = lock_if_free(self._spool.path.with_name(f"spool-{target}.lock"))
            if lock is None:
                continue
            self._locks[target] = lock
            try:
                found = self._spool.due(target, _BATCH)
            except BaseException:
                self.release(target)
                raise
            if found:
                return found
            self.release(target)
        return []

    def record(self, entry: Waiting, failure: DeliveryFailure | None) -> Decision:
        """Save how the try ended (failure None: delivered) and return what follows by the spool's schedule."""
        jitter = random.random()  # noqa: S311 - jitter needs no secrecy
        left = entry.expires_at - self._spool.now
        decision = SCHEDULE.decide(failure, entry.attempts, jitter, left)
        self._spool.record(entry, decision)
        return decision

    def release(self, target: str) -> None:
        """Unlock the target, so that other processes may deliver to it."""
        os.close(self._locks.pop(target))


def make_sender(targets: Mapping[str, Target]) -> Callable[[Waiting], DeliveryFailure | None]:
    """Return a function that sends an entry to its target and returns the failure, or None if it succeeded."""

    def send(entry: Waiting) -> DeliveryFailure | None:
        try:
            targets[entry.target](entry.body)
        except CastadError as error:
            ends = DeliveryStatus.DEAD if isinstance(error, PermanentError) else None
            return DeliveryFailure(f"{error.message} [{error.code}]"[:_LONGEST_ERROR], ends=ends)
        except Exception as error:  # noqa: BLE001 - a target may raise anything
            # A driver's message may hold an address with its password.
            return DeliveryFailure(type(error).__name__)
        return None

    return send


def make_spool_loop(
    spool: Spool,
    targets: Mapping[str, Target],
    seconds_idle: Callable[[], float] = lambda: math.inf,
) -> DeliveryLoop[Waiting]:
    """Make the loop that delivers the spool's entries to the targets, one batch per target at a time."""
    shares = Shares(total=len(targets), per_target=1, for_slow=len(targets))
    store = SpoolStore(spool, targets)
    return DeliveryLoop(store, make_sender(targets), shares, _LOOK_SECONDS, seconds_idle)


def deliver_spool(spool: Spool, targets: Mapping[str, Target], seconds: float = math.inf) -> int:
    """Deliver the spool's due entries for up to `seconds`; return the number of delivered entries."""
    return deliver_due(SpoolStore(spool, targets), make_sender(targets), seconds)


@cache
def open_spool(folder: Path) -> Spool:
    """Return the spool of this state folder, the same object at every call. Its file is opened at first use."""
    return Spool(folder)


def _create_tables(connection: sqlite3.Connection) -> None:
    has = {row[1] for row in connection.execute("PRAGMA table_info(entries)")}
    for column in _ADDED if has else ():
        if column not in has:
            connection.execute(
                f"ALTER TABLE entries ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0"
            )
    connection.executescript(_SCHEMA)


def append_entry(
    tx: sqlite3.Connection, entry: Entry, now: float, intent_seconds: float = 0
) -> None:
    """Store the entry in the transaction, due at once.

    With `intent_seconds` it is an intent, which is due after these seconds. `now` is in seconds since the epoch.
    """
    due = now + intent_seconds
    body = json.dumps(entry.body, ensure_ascii=False)
    kind = (entry.cost, intent_seconds > 0, now, due, due + EXPIRES_SECONDS)
    tx.execute(_APPEND, (entry.target, entry.key, body, *kind))


def blank_dead(tx: sqlite3.Connection, target: str, beginning: str) -> None:
    """Replace the bodies of the target's dead entries with this key prefix by empty ones; their costs stay."""
    tx.execute(_BLANK, (target, beginning, _after(beginning)))


def _after(beginning: str) -> str:
    """Return the smallest text that sorts after all texts with this prefix."""
    return f"{beginning[:-1]}{chr(ord(beginning[-1]) + 1)}"


def _get_inode(path: Path) -> int | None:
    """Return the file's inode number; None if there is no file. It shows whether the file was replaced."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _read_entry(row: Sequence[Any]) -> Waiting:
    stored = dict(zip(Waiting.__dataclass_fields__, row, strict=True))
    read = {"body": _parse_body(stored["body"]), "is_intent": bool(stored["is_intent"])}
    return Waiting(**{**stored, **read})


def _parse_body(text: Any) -> Mapping[str, Any]:
    """Parse the stored body; return an empty one if it is no JSON object, which the target then refuses."""
    try:
        body = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def note_holder(
    tx: sqlite3.Connection, name: str, body: Mapping[str, Any] | None, now: float
) -> None:
    """Store the body as the holder of the name, or with None delete the name's holder."""
    if body is None:
        tx.execute("DELETE FROM holders WHERE name = ?", (name,))
        return
    text = json.dumps(body, ensure_ascii=False)
    tx.execute("INSERT OR REPLACE INTO holders VALUES (?, ?, ?)", (name, text, now))


def find_holder_of(tx: sqlite3.Connection, name: str) -> Mapping[str, Any] | None:
    """Return the stored holder of the name; None if there is none."""
    row = tx.execute("SELECT body FROM holders WHERE name = ?", (name,)).fetchone()
    return None if row is None else dict(json.loads(row[0]))


def note_ledger_sum(tx: sqlite3.Connection, cost: int, read_at: float) -> None:
    """Store today's cost sum of the ledger, without the costs of this spool, in micro-dollars.

    `read_at` is the time at which reading the sum began.
    """
    tx.execute(_NOTE_SUM, (cost, read_at))


def sum_pending_costs(tx: sqlite3.Connection, now: float) -> dict[str, int]:
    """Sum the costs of today's entries in micro-dollars, by key."""
    return dict(tx.execute(_BY_KEY, (_get_midnight(now),)).fetchall())


def spent_today(tx: sqlite3.Connection, now: float, but_key: str) -> int:
    """Sum all known costs of today in micro-dollars, without the entries of the key `but_key`."""
    midnight = _get_midnight(now)
    read = tx.execute("SELECT cost, read_at FROM ledger_sum").fetchone()
    ledger, read_at = read if read is not None and read[1] >= midnight else (0, midnight)
    since = tx.execute(_SINCE, (midnight, read_at)).fetchone()[0]
    pending = tx.execute(_PENDING, (midnight, but_key)).fetchone()[0]
    return int(ledger) + int(since) + int(pending)


def name_of(tx: sqlite3.Connection) -> str:
    """Read the spool's random name, which lasts as long as its file."""
    return str(tx.execute("SELECT name FROM names").fetchone()[0])


def _get_midnight(now: float) -> float:
    """Return the begin of the UTC day of `now`, in seconds since the epoch."""
    return now // _DAY * _DAY


_COLUMNS = ", ".join(Waiting.__dataclass_fields__)
_APPEND = """
INSERT INTO entries (target, key, body, cost, is_intent, appended_at, due_at, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (target, key) WHERE dead_reason IS NULL DO UPDATE SET
body = excluded.body, cost = excluded.cost, is_intent = excluded.is_intent, due_at = excluded.due_at,
expires_at = excluded.expires_at WHERE is_intent"""
_ALIVE = f"SELECT {_COLUMNS} FROM entries WHERE dead_reason IS NULL"  # noqa: S608
_DUE = f"{_ALIVE} AND target = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?"
_WAITING = f"{_ALIVE} ORDER BY id LIMIT ?"
_DEAD = f"SELECT {_COLUMNS} FROM entries WHERE dead_reason IS NOT NULL ORDER BY id DESC LIMIT ?"  # noqa: S608
_OF_KEY = f"{_ALIVE} AND target = ? AND key >= ? AND key < ? ORDER BY id DESC LIMIT ?"
_DEAD_OF_KEY = _OF_KEY.replace("dead_reason IS NULL", "dead_reason IS NOT NULL")
_BLANK = """
UPDATE entries SET body = '{}' WHERE target = ? AND key >= ? AND key < ? AND dead_reason IS NOT NULL"""
_COUNTS = "SELECT target, dead_reason IS NOT NULL, count(*) FROM entries GROUP BY 1, 2"
_DELIVERED = "DELETE FROM entries WHERE id = ? AND is_intent = ?"
_NOTE_DELIVERED = "INSERT INTO delivered_costs VALUES (?, ?, ?)"
_FAILED = "UPDATE entries SET attempts = attempts + 1, due_at = ?, last_error = ? WHERE id = ?"
_GIVEN_UP = "UPDATE entries SET attempts = attempts + 1, last_error = ?, dead_reason = ?, dead_at = ? WHERE id = ?"
_REPLAY = """
UPDATE OR IGNORE entries SET dead_reason = NULL, dead_at = NULL, attempts = 0, due_at = ?, expires_at = ?
WHERE dead_reason IS NOT NULL"""
_NOTE_SUM = """
INSERT INTO ledger_sum VALUES (1, ?, ?)
ON CONFLICT (id) DO UPDATE SET cost = excluded.cost, read_at = excluded.read_at"""
_BY_KEY = """
SELECT key, sum(cost) FROM entries WHERE cost > 0 AND appended_at >= ? GROUP BY key"""
_PENDING = """
SELECT coalesce(sum(cost), 0) FROM entries WHERE cost > 0 AND appended_at >= ? AND key IS NOT ?"""
_SINCE = """
SELECT coalesce(sum(cost), 0) FROM delivered_costs WHERE appended_at >= ? AND delivered_at >= ?"""
