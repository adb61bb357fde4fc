"""Whether a process that stands still holds what everybody else needs."""

import sqlite3
from contextlib import closing
from pathlib import Path

_FOR_A_MOMENT = 0.5


def is_locked(home: Path) -> bool:
    """Whether somebody holds the write lock of this state folder's ledger, and not just for a moment."""
    with closing(sqlite3.connect(home / "castad.db", timeout=_FOR_A_MOMENT)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False
