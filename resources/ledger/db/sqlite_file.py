"""Open a SQLite ledger's file, and refuse one that was moved, replaced or deleted.

Without these checks SQLite keeps writing into a deleted file, or replays the WAL of a former file into a
restored backup. Either loses intents of submissions that cost money.
"""

import secrets
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DisconnectionError, OperationalError

from resources.process.file_locks import find_write_lock_holder, inode_of


class DatabaseFileError(OperationalError):
    """The database was unusable and nothing was written. `error_code` is stable, `sentence` is for users."""

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


_IDENTITY = "PRAGMA application_id"
_LARGEST_IDENTITY = 2**31 - 1

Inodes = tuple[int | None, ...]


class SqliteFile:
    """A SQLite file as a process has opened it.

    `identity` is a random number stored in the file when the ledger is created, and copied with it: a restored
    backup is the same ledger, and any other file is not. It is None until the process has opened the file, and
    may create it; Dagster's own files have 0.
    """

    def __init__(self, path: Path, identity: int | None = None) -> None:
        self.path = path
        self.identity = identity
        self._parts = tuple(Path(f"{path}{ending}") for ending in ("", "-wal", "-shm"))
        self._last: Inodes | None = None

    def guard(self, engine: Engine) -> None:
        """Connect the engine to this file only, and only while it is at its path."""
        event.listen(engine, "do_connect", self._connect)
        # Registered after the other listeners that prepare a connection: only then do all files exist.
        event.listen(engine, "connect", self._remember)
        event.listen(engine, "checkout", self._refuse_moved)
        event.listen(engine, "handle_error", self._name_holder, retval=True)

    @property
    def is_there(self) -> bool:
        """Whether a database is at the path. An empty file is none: SQLite's own tools create one."""
        try:
            return self.path.stat().st_size > 0
        except OSError:
            return False

    def inodes(self) -> Inodes:
        """Return the present inodes of the database, its WAL and its shared memory file."""
        return tuple(inode_of(part) for part in self._parts)

    def open(self, **options: Any) -> sqlite3.Connection:
        """Connect to the file. Raises FileMissingError, FileReplacedError."""
        if self.identity is None:
            unknown: sqlite3.Connection = sqlite3.connect(self.path, **options)
            return unknown
        inode = inode_of(self.path)
        if inode is None:
            raise FileMissingError(self.path)
        self._refuse_foreign_wal(inode)
        try:
            connection: sqlite3.Connection = sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=rw", uri=True, **options
            )
        except sqlite3.OperationalError:
            if inode_of(self.path) is None:
                raise FileMissingError(self.path) from None
            raise
        if connection.execute(_IDENTITY).fetchone()[0] != self.identity:
            connection.close()
            raise FileReplacedError(self.path, "is not the database that was opened; put that back")
        return connection

    def _refuse_foreign_wal(self, inode: int) -> None:
        """Refuse a WAL that belongs to the former file: SQLite would replay it into this one."""
        if self._last is None or inode == self._last[0]:
            return
        wal = inode_of(self._parts[1])
        if wal is not None and wal == self._last[1] and self._parts[1].stat().st_size:
            raise FileReplacedError(
                self.path,
                "was replaced while the WAL of the former file is still beside it; stop castad and move "
                f"{self._parts[1]} to the former file",
            )

    def _connect(
        self, dialect: Any, record: Any, arguments: Sequence[Any], options: dict[str, Any]
    ) -> sqlite3.Connection:
        return self.open(**options)

    def _remember(self, connection: sqlite3.Connection, record: Any) -> None:
        connection.execute(_IDENTITY)
        record.info["inodes"] = self._last = self.inodes()

    def _refuse_moved(self, connection: Any, record: Any, proxy: Any) -> None:
        """Refuse a file that was moved away: other processes would not see what is written to it."""
        if self.inodes() == record.info["inodes"]:
            return
        if self.identity is not None and inode_of(self.path) is None:
            raise FileMissingError(self.path)
        raise DisconnectionError("the file was moved or replaced")

    def _name_holder(self, context: ExceptionContext) -> BaseException | None:
        name = getattr(context.original_exception, "sqlite_errorname", "")
        return DatabaseLockedError(self.path) if str(name).startswith("SQLITE_BUSY") else None


class LedgerMarker:
    """A file beside the ledger that stores its identity and survives the ledger's deletion."""

    def __init__(self, file: Path) -> None:
        self.path = Path(f"{file}.opening")

    @property
    def identity(self) -> int:
        """The saved identity; 0 if no ledger was created."""
        try:
            return int(self.path.read_text() or 0)
        except (FileNotFoundError, ValueError):
            return 0

    def remember(self, identity: int) -> None:
        """Save the identity of the ledger."""
        if self.identity != identity:
            self.path.write_text(str(identity))


def identity_of(connection: Connection) -> int:
    """Read the identity stored in the open file; 0 if it has none."""
    return int(connection.exec_driver_sql(_IDENTITY).scalar_one())


def ensure_identity(connection: Connection) -> int:
    """Return the identity stored in the file; draw one if it has none. Needs a writing transaction."""
    identity = identity_of(connection)
    if not identity:
        identity = 1 + secrets.randbelow(_LARGEST_IDENTITY)
        connection.exec_driver_sql(f"{_IDENTITY} = {identity:d}")
    return identity
