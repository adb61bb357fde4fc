"""Wait until something in the ledger may have changed, without polling its tables."""

import random
import select
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Protocol

import psycopg2  # type: ignore[import-untyped]
from sqlalchemy import URL

from resources.ledger.db.database import KEEPALIVE_OPTIONS, Database
from resources.ledger.db.sqlite_file import DatabaseFileError, Inodes, SqliteFile
from resources.ledger.schema.tables import WAKE_CHANNEL

# Polling twice as often costs twice the CPU and saves 10 ms of a dispatch that takes hundreds on SQLite.
_SQLITE_POLL_SECONDS = 0.02
_FIRST_BACKOFF = 0.1
_LONGEST_BACKOFF = 1.0
_NAME = "castad waiting"


class ChangeWatcher(Protocol):
    """A watcher that waits for changes of the ledger; for one thread.

    The first call of `wait` returns at once. A commit after a call has returned ends the next call, so a
    caller that alternates between waiting and reading misses no change.
    """

    def wait(self, seconds: float) -> None:
        """Wait until the ledger may have changed since the last call, for `seconds` at most."""


@contextmanager
def watch_changes(db: Database) -> Iterator[ChangeWatcher]:
    """Open a watcher with its own connection, which is closed at the end of the block."""
    with closing(_SqliteWatcher(db.file) if db.file else _PostgresWatcher(db.url)) as watch:
        yield watch


class _SqliteWatcher:
    """A watcher that polls `PRAGMA data_version`, SQLite's count of the commits by other connections."""

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
        """Read the count of commits; None if the file cannot be read."""
        try:
            count = self._current().execute("PRAGMA data_version")
            return int(count.fetchone()[0])
        except (sqlite3.Error, DatabaseFileError):  # the caller's next read raises the error
            return None

    def _current(self) -> sqlite3.Connection:
        """Return a connection to the file at the path, a new one if the file was replaced.

        Each connection counts commits on its own, so that a new one also forgets the count seen last.
        """
        if self._connection is not None and self._file.inodes() != self._inodes:
            self.close()
            self._seen = None
        if self._connection is None:
            self._connection = self._file.open(isolation_level=None)
            self._connection.execute("PRAGMA data_version").fetchone()
            self._inodes = self._file.inodes()
        return self._connection


class _PostgresWatcher:
    """A watcher that LISTENs on its own connection; while it cannot connect, `wait` sleeps."""

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
            time.sleep(min(seconds, self._backoff * random.uniform(0.5, 1)))  # noqa: S311
            self._backoff = min(self._backoff * 2, _LONGEST_BACKOFF)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _listening(self) -> psycopg2.extensions.connection:
        """Open a connection that listens to the ledger's channel."""
        connection = psycopg2.connect(
            **{"application_name": _NAME, **KEEPALIVE_OPTIONS, **self._arguments}
        )
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"LISTEN {WAKE_CHANNEL}")
        return connection


def _wait_for_notification(connection: psycopg2.extensions.connection, seconds: float) -> None:
    """Wait for a notification, for `seconds` at most, and drop all that have arrived."""
    # Not select(), which accepts no descriptor above 1023.
    poller = select.poll()
    poller.register(connection, select.POLLIN)
    if not connection.notifies:
        poller.poll(seconds * 1000)
    connection.poll()
    connection.notifies.clear()
