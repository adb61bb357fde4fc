"""Whose a name is, as this machine has learnt it from the ledger: another's order under it is refused at once."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

HOLDER_SCHEMA = """
CREATE TABLE IF NOT EXISTS holders (name TEXT PRIMARY KEY, body TEXT NOT NULL, learnt_at REAL NOT NULL);
"""


def note_holder(
    tx: sqlite3.Connection, name: str, body: Mapping[str, Any] | None, now: float
) -> None:
    """Store what the name belongs to; None where it is free again."""
    if body is None:
        tx.execute("DELETE FROM holders WHERE name = ?", (name,))
        return
    text = json.dumps(body, ensure_ascii=False)
    tx.execute("INSERT OR REPLACE INTO holders VALUES (?, ?, ?)", (name, text, now))


def holder_of(tx: sqlite3.Connection, name: str) -> Mapping[str, Any] | None:
    """Return what the name belongs to, None where that is not known."""
    row = tx.execute("SELECT body FROM holders WHERE name = ?", (name,)).fetchone()
    return None if row is None else dict(json.loads(row[0]))


def forget_holders(tx: sqlite3.Connection, before: float) -> None:
    """Remove what was learnt before this time."""
    tx.execute("DELETE FROM holders WHERE learnt_at < ?", (before,))
