"""What is broken on a stand, each with a line in its journal, so that the laws know of it."""

import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
from sqlalchemy import NullPool, create_engine, text

from resources.process.setting_types import CrashPlan
from tests.chaos.history import WORKER_KILLED, WORKER_STOPPED
from tests.chaos.stand import Stand
from tests.faults.locks import is_locked
from tests.faults.standing import DAEMON, WORKER
from tests.postgres_server import PostgresServer

_STOP_SECONDS = 60.0
_LOOK_EVERY = 0.05
_CUT = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@contextmanager
def breaking(stand: Stand, kind: str, detail: str = "") -> Iterator[None]:
    """The journal tells that this was broken for the block."""
    since = datetime.now(UTC)
    try:
        yield
    finally:
        stand.journal.broke(kind, since, detail)


def kill_worker(stand: Stand, name: str) -> None:
    """It is gone without a last word."""
    with breaking(stand, WORKER_KILLED, name):
        stand.kill_worker(name)


def tell_worker_to_stop(stand: Stand, name: str) -> None:
    """It hears of it when it next runs."""
    with breaking(stand, "worker told to stop", name):
        stand.workers[name].terminate()


def unregister_worker(stand: Stand, name: str) -> None:
    """It was told to stop, and did."""
    tell_worker_to_stop(stand, name)
    stand.workers[name].wait(_STOP_SECONDS)


@contextmanager
def worker_stopped(stand: Stand, name: str) -> Iterator[None]:
    """It stands still for the block, and holds no lock over it that everybody else needs."""
    pid = stand.workers[name].pid
    with breaking(stand, WORKER_STOPPED, name):
        os.kill(pid, signal.SIGSTOP)
        try:
            while stand.database_url is None and is_locked(stand.home(WORKER)):
                os.kill(pid, signal.SIGCONT)
                threading.Event().wait(_LOOK_EVERY)
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            os.kill(pid, signal.SIGCONT)


def kill_daemon(stand: Stand) -> None:
    """The daemon is gone; its code server is not."""
    with breaking(stand, "daemon killed"):
        stand.kill_daemon(DAEMON)


def kill_code_server(stand: Stand) -> None:
    """The code server is gone in the middle of whatever it was asked."""
    with breaking(stand, "code server killed"):
        stand.kill_code_server()


def code_server_that_stops(stand: Stand, point: str) -> psutil.Process:
    """The code server is another one, which stands still as soon as it passes the crash point."""
    plan = f"{CrashPlan.parse(f'{point}:STOP').point}:STOP"
    passed = stand.home("code") / f"crash-{plan.replace(':', '-')}"
    passed.unlink(missing_ok=True)
    kill_code_server(stand)
    stand.start_code_server(CASTAD_CRASH=plan)
    assert stand.code_server is not None
    return psutil.Process(stand.code_server.pid)


def lose_messages(stand: Stand) -> None:
    """The broker was killed and is back without a message; of a folder, the messages are deleted."""
    with breaking(stand, "broker lost"):
        if stand.broker is None:
            for message in _folder(stand).glob("*.msg"):
                message.unlink(missing_ok=True)
            return
        stand.broker.kill()
        stand.broker.start()
        stand.broker.flush()


@contextmanager
def broker_down(stand: Stand) -> Iterator[None]:
    """The broker was killed before the block and is back after it; a folder cannot be used meanwhile."""
    with breaking(stand, "broker down"):
        if stand.broker is None:
            with _file_in_place_of(_folder(stand)):
                yield
            return
        stand.broker.kill()
        try:
            yield
        finally:
            stand.broker.start()


@contextmanager
def _file_in_place_of(folder: Path) -> Iterator[None]:
    """Nothing can be put into the folder for the block: one that is only moved away is made again."""
    away = folder.with_name(f"{folder.name}-away")
    folder.rename(away)
    folder.touch()
    try:
        yield
    finally:
        folder.unlink()
        away.rename(folder)


@contextmanager
def broker_hanging(stand: Stand) -> Iterator[None]:
    """The broker takes connections and answers nothing for the block."""
    assert stand.broker is not None
    with breaking(stand, "broker hangs"):
        stand.broker.pause()
        try:
            yield
        finally:
            stand.broker.resume()


@contextmanager
def database_down(stand: Stand) -> Iterator[PostgresServer]:
    """The journal tells that the database was down; the block does it."""
    assert stand.postgres is not None
    with breaking(stand, "database down"):
        yield stand.postgres


def cut_connections(stand: Stand) -> int:
    """Every connection to the stand's database is ended by the server; returns how many there were."""
    engine = create_engine(stand.ledger_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        return int(connection.execute(_CUT).scalar_one())


@contextmanager
def ledger_locked(stand: Stand) -> Iterator[None]:
    """Nobody can write to the SQLite ledger for the block."""
    file = stand.home(WORKER) / "castad.db"
    with (
        breaking(stand, "database locked"),
        closing(sqlite3.connect(file, timeout=_STOP_SECONDS, isolation_level=None)) as holder,
    ):
        holder.execute("BEGIN IMMEDIATE")
        yield


def _folder(stand: Stand) -> Path:
    return stand.home(WORKER) / "broker"
