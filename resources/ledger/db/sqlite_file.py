"""The file behind a SQLite engine: made once, and from then on never another in its place."""

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

_IDENTITY = "PRAGMA application_id"
_LARGEST_IDENTITY = 2**31 - 1

Inodes = tuple[int | None, ...]


class SqliteFile:
    """What a process knows of a SQLite file that it has opened.

    Its `identity` is a number that was drawn when it was made and goes with every copy: a backup that is put
    in place is the same ledger, any other file is not. Dagster's files have 0. None as long as this process
    has opened none, and may make one.
    """

    def __init__(self, path: Path, identity: int | None = None) -> None:
        self.path = path
        self.identity = identity
        self._parts = tuple(Path(f"{path}{ending}") for ending in ("", "-wal", "-shm"))
        self._last: Inodes | None = None

    def guard(self, engine: Engine) -> None:
        """Every connection of the engine, of a pool or new, is to this file as long as it is in its place."""
        event.listen(engine, "do_connect", self._connect)
        # After what else prepares a connection: only then do all its files exist.
        event.listen(engine, "connect", self._remember)
        event.listen(engine, "checkout", self._refuse_moved)
        event.listen(engine, "handle_error", self._name_holder, retval=True)

    @property
    def is_there(self) -> bool:
        """Whether there is a database at the path; SQLite's own tools make an empty file of nothing."""
        try:
            return self.path.stat().st_size > 0
        except OSError:
            return False

    def inodes(self) -> Inodes:
        """What lies at the path at this moment, and beside it."""
        return tuple(_inode(part) for part in self._parts)

    def open(self, **options: Any) -> sqlite3.Connection:
        """A connection to the file. Raises FileMissingError, FileReplacedError."""
        if self.identity is None:
            return sqlite3.connect(self.path, **options)
        inode = _inode(self.path)
        if inode is None:
            raise FileMissingError(self.path)
        self._refuse_foreign_wal(inode)
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=rw", uri=True, **options
            )
        except sqlite3.OperationalError:
            if _inode(self.path) is None:
                raise FileMissingError(self.path) from None
            raise
        if connection.execute(_IDENTITY).fetchone()[0] != self.identity:
            connection.close()
            raise FileReplacedError(self.path, "is not the database that was opened; put that back")
        return connection

    def _refuse_foreign_wal(self, inode: int) -> None:
        """A log of another file would be played into this one."""
        if self._last is None or inode == self._last[0]:
            return
        wal = _inode(self._parts[1])
        if wal is not None and wal == self._last[1] and self._parts[1].stat().st_size:
            raise FileReplacedError(
                self.path,
                f"was replaced while the log of the former one lies beside it; stop castad and move "
                f"{self._parts[1]} to where the former one is",
            )

    def _connect(
        self, dialect: Any, record: Any, arguments: Sequence[Any], options: dict[str, Any]
    ) -> sqlite3.Connection:
        return self.open(**options)

    def _remember(self, connection: sqlite3.Connection, record: Any) -> None:
        connection.execute(_IDENTITY)
        record.info["inodes"] = self._last = self.inodes()

    def _refuse_moved(self, connection: Any, record: Any, proxy: Any) -> None:
        """What is written to a file that is elsewhere by now would be lost to everybody else."""
        if self.inodes() == record.info["inodes"]:
            return
        if self.identity is not None and _inode(self.path) is None:
            raise FileMissingError(self.path)
        raise DisconnectionError("the file was moved or replaced")

    def _name_holder(self, context: ExceptionContext) -> BaseException | None:
        name = getattr(context.original_exception, "sqlite_errorname", "")
        return DatabaseLockedError(self.path) if str(name).startswith("SQLITE_BUSY") else None


class LedgerMarker:
    """A note beside a ledger's file that outlives it: a ledger was made here, of this identity."""

    def __init__(self, file: Path) -> None:
        self.path = Path(f"{file}.opening")

    @property
    def identity(self) -> int:
        """The ledger's, 0 where none was made."""
        try:
            return int(self.path.read_text() or 0)
        except (FileNotFoundError, ValueError):
            return 0

    def remember(self, identity: int) -> None:
        """Whoever opens the file from now on knows that it was made."""
        if self.identity != identity:
            self.path.write_text(str(identity))


def identity_of(connection: Connection) -> int:
    """The number of the file that is open, 0 where none was drawn."""
    return int(connection.exec_driver_sql(_IDENTITY).scalar_one())


def ensure_identity(connection: Connection) -> int:
    """The number of the file, drawn now where it has none; of a transaction that writes."""
    identity = identity_of(connection)
    if not identity:
        identity = 1 + secrets.randbelow(_LARGEST_IDENTITY)
        connection.exec_driver_sql(f"{_IDENTITY} = {identity:d}")
    return identity


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
