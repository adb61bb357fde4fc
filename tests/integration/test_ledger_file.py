"""The file of a SQLite ledger: locked by another process, moved away, brought back."""

import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from castad.api.app import create_app
from castad.dagster_storage.pooled_sqlite import open_sqlite
from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import Database, open_database
from resources.ledger.db.notifications import watch_changes
from resources.ledger.db.sqlite_file import DatabaseFileError, DatabaseLockedError, FileMissingError
from resources.ledger.queries.status import get_request, list_requests, read_clock
from resources.process.file_locks import exclusive_file_lock
from resources.process.settings import settings
from tests.command_line import castad
from tests.one_order import submit_order

HOLDS = """
import fcntl, sqlite3, sys
from pathlib import Path
if sys.argv[1] == "write":
    connection = sqlite3.connect(sys.argv[2], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
else:
    lock = open(sys.argv[2], "a")
    fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""

READS_AND_CLOSES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM requests").fetchone()
connection.close()
"""


@contextmanager
def stopped_holder(what: str, file: Path) -> Iterator[int]:
    """A process holds a lock and is stopped; yields its id."""
    command = [sys.executable, "-c", HOLDS, what, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        process.send_signal(signal.SIGSTOP)
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.fixture
def file(sqlite_ledger_url: str) -> Path:
    return Path(sqlite_ledger_url.removeprefix("sqlite:///"))


@pytest.fixture
def db(file: Path) -> Iterator[Database]:
    """An open ledger that waits for nobody's lock, with one order."""
    database = Database(f"sqlite:///{file}?timeout=0.05")
    order(database, "first")
    yield database
    database.close()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere.db"


def order(db: Database, task_id: str) -> None:
    submit_order(db, task_id, {}, pipeline="p", source="test", same_order=lambda a, b: True)


def read(db: Database) -> None:
    read_clock(db)


def write(db: Database) -> None:
    order(db, "another")


# Locked


def test_error_names_the_stopped_process_that_holds_the_write_lock(db, file):
    with stopped_holder("write", file) as pid, pytest.raises(DatabaseLockedError) as raised:
        write(db)
    assert f"process {pid} ({sys.executable}" in raised.value.sentence
    assert f"is stopped; `kill -CONT {pid}` resumes it" in raised.value.sentence


def test_doctor_names_the_process_that_holds_the_write_lock(file):
    with stopped_holder("write", file) as pid:
        done = castad("doctor")
    assert done.returncode == 1
    assert f"locked by process {pid}" in " ".join(done.stdout.split())


def test_reading_waits_for_no_writer(db, file):
    with stopped_holder("write", file):
        assert [request.task_id for request in list_requests(db)] == ["first"]


def test_opening_a_ledger_that_is_made_waits_for_no_stopped_process(db, file):
    with stopped_holder("flock", file.with_name(f"{file.name}.opening")):
        Database(f"sqlite:///{file}").close()


def test_opening_a_ledger_again_releases_no_lock_of_its_process(db, file):
    log = file.with_name(f"{file.name}-wal")
    log_of_the_process = log.stat().st_ino
    Database(f"sqlite:///{file}").close()
    # The last process to close a file deletes its WAL; without this process' locks, that would be this one.
    subprocess.run([sys.executable, "-c", READS_AND_CLOSES, str(file)], check=True)
    assert log.stat().st_ino == log_of_the_process


def test_lock_of_a_file_that_is_not_freed_is_refused_and_its_holder_named(tmp_path):
    with (
        stopped_holder("flock", tmp_path / "lock") as pid,
        pytest.raises(StateUnavailableError, match=f"locked by process {pid} .*stopped") as raised,
        exclusive_file_lock(tmp_path / "lock", 0.05),
    ):
        pass
    assert raised.value.code == "database_locked"


@pytest.mark.parametrize(
    "call",
    [
        lambda: socket.getaddrinfo("127.0.0.1", 9),
        lambda: subprocess.run(["true"], check=True),
        lambda: shutil.copyfile("/dev/null", "/dev/null"),
        lambda: sqlite3.connect(":memory:"),
    ],
)
def test_call_inside_of_a_write_transaction_fails_the_suite(db, call):
    with pytest.raises(AssertionError, match="inside of a write transaction"), db.writing():
        call()


# Moved away


@pytest.mark.parametrize("ask", [read, write])
def test_ledger_that_was_moved_away_is_missed_until_it_is_back(db, file, elsewhere, ask):
    file.rename(elsewhere)
    with pytest.raises(FileMissingError, match="was moved away or deleted"):
        ask(db)
    assert not file.exists()
    elsewhere.rename(file)
    ask(db)
    assert "first" in {request.task_id for request in list_requests(db)}


def test_nothing_is_written_to_a_log_that_nobody_else_can_see(db, file):
    file.with_name(f"{file.name}-wal").unlink()
    order(db, "later")
    with closing(Database(f"sqlite:///{file}")) as other:
        assert get_request(other, "later").task_id == "later"


def test_watch_over_a_ledger_that_was_moved_away_makes_no_file_and_wakes_when_it_is_back(
    db, file, elsewhere
):
    with watch_changes(db) as watch:
        watch.wait(0)
        file.rename(elsewhere)
        watch.wait(0.05)
        assert not file.exists()
        elsewhere.rename(file)
        order(db, "later")
        watch.wait(60)


# What is said of it


def test_command_of_a_process_that_has_the_ledger_open_says_that_it_is_missing(file, elsewhere):
    open_database(settings().ledger_url)
    file.rename(elsewhere)
    assert castad("dead").stderr.endswith("[ledger_missing]\n")


def test_api_answers_503_while_the_ledger_is_missing(file, elsewhere):
    with TestClient(create_app(settings())) as client:
        file.rename(elsewhere)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["code"]) == (503, "ledger_missing")
        assert str(file) not in answer.text
        elsewhere.rename(file)
        assert client.get("/readyz").status_code == 200


# Dagster's


@pytest.mark.parametrize(
    "name", ["history/runs.db", "history/event_log.db", "schedules/schedules.db"]
)
def test_file_of_dagsters_that_was_moved_away_is_missed_and_not_made_again(
    tmp_path, elsewhere, name
):
    log, runs, ticks = open_sqlite(tmp_path)
    asks: dict[str, Callable[[], Any]] = {
        "history/runs.db": runs.get_runs_count,
        "history/event_log.db": log.all_asset_keys,
        "schedules/schedules.db": ticks.all_instigator_state,
    }
    asks[name]()
    (tmp_path / name).rename(elsewhere)
    with pytest.raises(DatabaseFileError):
        asks[name]()
    assert not (tmp_path / name).exists()
    elsewhere.rename(tmp_path / name)
    asks[name]()
