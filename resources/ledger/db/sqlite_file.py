"""Open a SQLite file, and refuse one that was moved away while a process had it open.

Without the check SQLite keeps writing into the moved file: intents of paid submissions would be lost.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DisconnectionError, OperationalError

from resources.process.file_locks import describe_write_lock_holder, get_inode

Inodes = tuple[int | None, ...]


class DatabaseFileError(OperationalError):
    """The SQLite file was unusable, and nothing was written; `error_code` is stable, `sentence` is for users."""

    error_code = "state_unavailable"

    def __init__(self, sentence: str) -> None:
        super().__init__(None, None, sqlite3.OperationalError(sentence))
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class DatabaseLockedError(DatabaseFileError):
    """Another process held the write lock of the SQLite file for the whole busy timeout."""

    error_code = "database_locked"

    def __init__(self, file: Path) -> None:
        super().__init__(f"database: {file} is locked by {describe_write_lock_holder(file)}")


class FileMissingError(DatabaseFileError):
    """The SQLite file that this process had opened is no longer at its path."""

    error_code = "ledger_missing"

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"database: {file} was moved away or deleted, so nothing is written and no order is accepted; "
            "put it back, castad continues then"
        )


class SqliteFile:
    """The path of a SQLite file; unless it `may_create` the file, a missing file is an error."""

    def __init__(self, path: Path, *, may_create: bool = False) -> None:
        self.path = path
        self.may_create = may_create
        self._parts = tuple(Path(f"{path}{ending}") for ending in ("", "-wal", "-shm"))

    def guard(self, engine: Engine) -> None:
        """Let the engine connect to this file only, and use a connection only while its file is at the path."""
        event.listen(engine, "do_connect", self._connect)
        # Registered after the other listeners that prepare a connection: only then do all files exist.
        event.listen(engine, "connect", self._remember)
        event.listen(engine, "checkout", self._refuse_moved)
        event.listen(engine, "handle_error", self._name_holder, retval=True)

    def is_made(self) -> bool:
        """Return whether a database in WAL mode is at the path; False while another process has it to itself.

        Asks SQLite: closing a descriptor of the file would release the locks of this process' other connections.
        """
        try:
            with closing(sqlite3.connect(self._address("rw"), uri=True, timeout=0)) as connection:
                return bool(connection.execute("PRAGMA journal_mode").fetchone() == ("wal",))
        except sqlite3.Error:
            return False

    def inodes(self) -> Inodes:
        """Return the inodes of the database, its WAL and its shared memory file; None for a missing file."""
        return tuple(get_inode(part) for part in self._parts)

    def open(self, **options: Any) -> sqlite3.Connection:
        """Connect to the file, with these options of sqlite3.connect; create a missing one if it `may_create`.

        Raises FileMissingError if the file is missing and may not be created.
        """
        address = self._address("rwc" if self.may_create else "rw")
        try:
            opened: sqlite3.Connection = sqlite3.connect(address, uri=True, **options)
        except sqlite3.OperationalError:
            self._ensure_there()
            raise
        return opened

    def _address(self, mode: str) -> str:
        return f"file:{quote(str(self.path))}?mode={mode}"

    def _ensure_there(self) -> None:
        """Raise FileMissingError if the file is missing and may not be created."""
        if not self.may_create and get_inode(self.path) is None:
            raise FileMissingError(self.path)

    def _connect(
        self, dialect: Any, record: Any, arguments: Sequence[Any], options: dict[str, Any]
    ) -> sqlite3.Connection:
        return self.open(**options)

    def _remember(self, connection: sqlite3.Connection, record: Any) -> None:
        """Store the file's inodes with its new connection."""
        connection.execute("PRAGMA schema_version").fetchone()
        record.info["inodes"] = self.inodes()

    def _refuse_moved(self, connection: Any, record: Any, proxy: Any) -> None:
        """Raise FileMissingError or DisconnectionError if the connection's file is no longer at the path."""
        if self.inodes() != record.info["inodes"]:
            self._ensure_there()
            raise DisconnectionError("the file was moved or replaced")

    def _name_holder(self, context: ExceptionContext) -> BaseException | None:
        """Build the error that names the holder of the write lock if the file was busy; None for other errors."""
        name = getattr(context.original_exception, "sqlite_errorname", "")
        return DatabaseLockedError(self.path) if str(name).startswith("SQLITE_BUSY") else None
