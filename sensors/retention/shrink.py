"""Gives the room of removed rows back to the disk. Every table is locked while it is written again."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, text

from resources.ledger.db.database import Database

_LOCK_SECONDS = 30.0


def shrink_database(db: Database, files: Iterable[Path]) -> tuple[int, int]:
    """The bytes of the database before and after; on SQLite those of the ledger's file and of these `files`.

    Raises sqlite3.OperationalError where another process holds a lock for 30 s, and SQLAlchemyError.
    """
    if not db.is_sqlite:
        return _shrink_postgres(db)
    found = [Path(str(db.url.database)), *files]
    before = sum(_size(file) for file in found)
    for file in found:
        # Outside of a transaction, and without the driver's own.
        with closing(sqlite3.connect(file, _LOCK_SECONDS, isolation_level=None)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before, sum(_size(file) for file in found)


def _size(file: Path) -> int:
    """The bytes of the file and of its log of writes."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def _shrink_postgres(db: Database) -> tuple[int, int]:
    # The pool's connections have statement timeouts, and VACUUM runs in no transaction.
    engine = create_engine(db.url, isolation_level="AUTOCOMMIT")
    size = text("SELECT pg_database_size(current_database())")
    try:
        with engine.connect() as connection:
            before = int(connection.execute(size).scalar_one())
            connection.execute(text("VACUUM (FULL, ANALYZE)"))
            return before, int(connection.execute(size).scalar_one())
    finally:
        engine.dispose()
