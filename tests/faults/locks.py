"""Whether a process that stands still holds what everybody else needs."""

import sqlite3
from contextlib import closing
from pathlib import Path

_FOR_A_MOMENT = 0.5


def is_locked(home: Path) -> bool:
    """Whether somebody holds a write lock of this folder's databases, Dagster's too, and not just for a moment."""
    return any(map(_is_file_locked, home.rglob("*.db")))


def _is_file_locked(file: Path) -> bool:
    with closing(sqlite3.connect(file, timeout=_FOR_A_MOMENT)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False
