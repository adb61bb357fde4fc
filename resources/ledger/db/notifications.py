"""Wait until something in the ledger may have changed, without asking it over and over."""

import random
import select
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Protocol

import psycopg2  # type: ignore[import-untyped]
from sqlalchemy import URL

from resources.ledger.db.connections import KEEPALIVE_OPTIONS
from resources.ledger.db.database import Database
from resources.ledger.db.file_errors import DatabaseFileError
from resources.ledger.db.sqlite_file import Inodes, SqliteFile
from resources.ledger.schema.tables import WAKE_CHANNEL

# Twice as often costs twice the CPU and saves 10 ms of a hand-over that takes hundreds on SQLite.
_SQLITE_POLL_SECONDS = 0.02
_FIRST_BACKOFF = 0.1
_LONGEST_BACKOFF = 5.0
_NAME = "castad waiting"


class ChangeWatcher(Protocol):
    """One who waits; for one thread.

    Nothing that is committed after a call of `wait` has returned is missed by the next call; the first
    one returns at once. So: wait, look, wait, look.
    """

    def wait(self, seconds: float) -> None:
        """The ledger may have changed since the last call, or so many seconds are over."""


@contextmanager
def watch_changes(db: Database) -> Iterator[ChangeWatcher]:
    """A watch over this ledger, with a connection of its own that is closed at the end."""
    with closing(_SqliteWatcher(db.file) if db.file else _PostgresWatcher(db.url)) as watch:
        yield watch


class _SqliteWatcher:
    """SQLite counts the commits of others for every connection; asking for the count writes nothing."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._inodes: Inodes = ()
        self._seen: int | None = None

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (version := self._version()) == self._seen and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SQLITE_POLL_SECONDS))
        self._seen = version

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _version(self) -> int | None:
        try:
            count = self._current().execute("PRAGMA data_version")
            return int(count.fetchone()[0])
        except (sqlite3.Error, DatabaseFileError):  # whoever looks next is told what is wrong
            return None

    def _current(self) -> sqlite3.Connection:
        """A connection to what is in the file's place now; another counts for itself."""
        if self._connection is not None and self._file.inodes() != self._inodes:
            self.close()
            self._seen = None
        if self._connection is None:
            self._connection = self._file.open(isolation_level=None)
            self._connection.execute("PRAGMA data_version").fetchone()
            self._inodes = self._file.inodes()
        return self._connection


class _PostgresWatcher:
    """LISTENs on a connection of its own; while the server is away it is only a pause."""

    def __init__(self, url: URL) -> None:
        _, self._arguments = url.get_dialect()().create_connect_args(url)
        self._connection: psycopg2.extensions.connection | None = None
        self._backoff = _FIRST_BACKOFF

    def wait(self, seconds: float) -> None:
        try:
            if self._connection is None:
                self._connection = self._listening()
                self._backoff = _FIRST_BACKOFF
            else:
                _wait_for_notification(self._connection, seconds)
        except (psycopg2.OperationalError, psycopg2.InterfaceError):
            self.close()
            time.sleep(min(seconds, self._backoff * (0.5 + random.random())))  # noqa: S311
            self._backoff = min(self._backoff * 2, _LONGEST_BACKOFF)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _listening(self) -> psycopg2.extensions.connection:
        connection = psycopg2.connect(
            **{"application_name": _NAME, **KEEPALIVE_OPTIONS, **self._arguments}
        )
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"LISTEN {WAKE_CHANNEL}")
        return connection


def _wait_for_notification(connection: psycopg2.extensions.connection, seconds: float) -> None:
    # Not select(): it knows no descriptor above 1023.
    poller = select.poll()
    poller.register(connection, select.POLLIN)
    if not connection.notifies:
        poller.poll(seconds * 1000)
    connection.poll()
    connection.notifies.clear()
