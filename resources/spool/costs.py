"""What was spent today, as one machine knows it: the ledger's sum as it was read last, and what its spool adds.

A cost counts from its intent on: with the entry while that is in the spool, dead ones too, and after its delivery
until the ledger's sum was read again. The day is that of the intent (UTC, by this machine's clock).
"""

import sqlite3

from resources.spool.entry import Waiting

_DAY = 86_400

COST_SCHEMA = """
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
"""


def note_delivered(tx: sqlite3.Connection, entry: Waiting, now: float) -> None:
    """Keep the cost of an entry that the ledger has by now."""
    tx.execute("INSERT INTO delivered_costs VALUES (?, ?, ?)", (entry.cost, entry.appended_at, now))


def forget_delivered(tx: sqlite3.Connection, before: float) -> None:
    """Remove the costs that were delivered before this time."""
    tx.execute("DELETE FROM delivered_costs WHERE delivered_at < ?", (before,))


def note_ledger_sum(tx: sqlite3.Connection, cost: int, read_at: float) -> None:
    """Keep the ledger's sum of today without this spool's; `read_at` is when the reading began."""
    tx.execute(_NOTE_SUM, (cost, read_at))


def pending_costs(tx: sqlite3.Connection, now: float) -> dict[str, int]:
    """Return what the entries of today cost, by their keys."""
    return dict(tx.execute(_BY_KEY, (_midnight(now),)).fetchall())


def spent_today(tx: sqlite3.Connection, now: float, but_key: str) -> int:
    """Return what was spent today by all that is known here, but for the entries of this key."""
    midnight = _midnight(now)
    read = tx.execute("SELECT cost, read_at FROM ledger_sum").fetchone()
    ledger, read_at = read if read is not None and read[1] >= midnight else (0, midnight)
    since = tx.execute(_DELIVERED, (midnight, read_at)).fetchone()[0]
    pending = tx.execute(_PENDING, (midnight, but_key)).fetchone()[0]
    return int(ledger) + int(since) + int(pending)


def name_of(tx: sqlite3.Connection) -> str:
    """Return the spool's own name, which it has for as long as its file exists."""
    return str(tx.execute("SELECT name FROM names").fetchone()[0])


def _midnight(now: float) -> float:
    return now // _DAY * _DAY


_NOTE_SUM = """
INSERT INTO ledger_sum VALUES (1, ?, ?)
ON CONFLICT (id) DO UPDATE SET cost = excluded.cost, read_at = excluded.read_at"""
_BY_KEY = """
SELECT key, sum(cost) FROM entries WHERE cost > 0 AND appended_at >= ? GROUP BY key"""
_PENDING = """
SELECT coalesce(sum(cost), 0) FROM entries WHERE cost > 0 AND appended_at >= ? AND key IS NOT ?"""
_DELIVERED = """
SELECT coalesce(sum(cost), 0) FROM delivered_costs WHERE appended_at >= ? AND delivered_at >= ?"""
