"""The identity of a SQLite file: a process never switches to another database at the same path."""

import secrets
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DisconnectionError

from resources.ledger.db.file_errors import DatabaseLockedError, FileMissingError, FileReplacedError
from resources.process.lock_holders import inode_of

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
        """Every connection of the engine, new or pooled, is to this file, and only while it is at its path."""
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
        """The inodes of the database, its WAL and its shared memory file at this moment."""
        return tuple(inode_of(part) for part in self._parts)

    def open(self, **options: Any) -> sqlite3.Connection:
        """A connection to the file. Raises FileMissingError, FileReplacedError."""
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
    """A file beside the ledger that stores its identity, and survives if the ledger is deleted."""

    def __init__(self, file: Path) -> None:
        self.path = Path(f"{file}.opening")

    @property
    def identity(self) -> int:
        """The saved identity, 0 where no ledger was created."""
        try:
            return int(self.path.read_text() or 0)
        except (FileNotFoundError, ValueError):
            return 0

    def remember(self, identity: int) -> None:
        """Save the identity of the ledger."""
        if self.identity != identity:
            self.path.write_text(str(identity))


def identity_of(connection: Connection) -> int:
    """The identity stored in the open file, 0 where it has none."""
    return int(connection.exec_driver_sql(_IDENTITY).scalar_one())


def ensure_identity(connection: Connection) -> int:
    """The identity stored in the file, drawn now if it has none. Needs a writing transaction."""
    identity = identity_of(connection)
    if not identity:
        identity = 1 + secrets.randbelow(_LARGEST_IDENTITY)
        connection.exec_driver_sql(f"{_IDENTITY} = {identity:d}")
    return identity
