"""What keeps a SQLite file from being used, said to people; it passes as soon as they have mended it."""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import OperationalError

from resources.process.lock_holders import find_write_lock_holder


class DatabaseFileError(OperationalError):
    """The database did not answer, and nothing was written; `trouble` is a stable code, `sentence` says why."""

    error_code = "state_unavailable"

    def __init__(self, sentence: str) -> None:
        super().__init__(None, None, sqlite3.OperationalError(sentence))
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class DatabaseLockedError(DatabaseFileError):
    """Another process holds the write lock, and held it for as long as one waits for it."""

    error_code = "database_locked"

    def __init__(self, file: Path) -> None:
        holder = find_write_lock_holder(file)
        by = f"locked by {holder}" if holder else "locked by another process"
        super().__init__(f"database: {file} is {by}")


class FileMissingError(DatabaseFileError):
    """A file that this process has opened, or that a ledger was made as, is not in its place."""

    error_code = "ledger_missing"

    def __init__(self, file: Path, else_advice: str = "the work goes on then") -> None:
        super().__init__(
            f"database: {file} was moved away or deleted, so nothing is written and no order is taken; "
            f"put it back, {else_advice}"
        )


class FileReplacedError(DatabaseFileError):
    """Another database was put in the place of the one that this process has opened."""

    error_code = "ledger_replaced"

    def __init__(self, file: Path, what: str) -> None:
        super().__init__(f"database: {file} {what}, so nothing is written and no order is taken")
