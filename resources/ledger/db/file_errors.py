"""Errors of a SQLite file that an operator can fix. All are transient: they end as soon as the file is back."""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import OperationalError

from resources.process.lock_holders import find_write_lock_holder


class DatabaseFileError(OperationalError):
    """The database could not be used, and nothing was written. `error_code` is stable, `sentence` is for users."""

    error_code = "state_unavailable"

    def __init__(self, sentence: str) -> None:
        super().__init__(None, None, sqlite3.OperationalError(sentence))
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class DatabaseLockedError(DatabaseFileError):
    """Another process held the write lock for the whole busy timeout."""

    error_code = "database_locked"

    def __init__(self, file: Path) -> None:
        holder = find_write_lock_holder(file)
        by = f"locked by {holder}" if holder else "locked by another process"
        super().__init__(f"database: {file} is {by}")


class FileMissingError(DatabaseFileError):
    """The file that this process has opened, or in which a ledger was created, is not at its path."""

    error_code = "ledger_missing"

    def __init__(self, file: Path, else_advice: str = "castad continues then") -> None:
        super().__init__(
            f"database: {file} was moved away or deleted, so nothing is written and no order is accepted; "
            f"put it back, {else_advice}"
        )


class FileReplacedError(DatabaseFileError):
    """The file at the path is not the database that this process has opened."""

    error_code = "ledger_replaced"

    def __init__(self, file: Path, what: str) -> None:
        super().__init__(f"database: {file} {what}; nothing is written and no order is accepted")
