"""Dagster's SQLite files: made as Dagster makes them, and mended or refused as Dagster does it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.util import CommandError
from dagster._core.storage.event_log.sqlite.consolidated_sqlite_event_log import (
    ConsolidatedSqliteEventLogStorage,
)
from dagster._core.storage.runs.sqlite import SqliteRunStorage
from dagster._core.storage.schedules.sqlite import SqliteScheduleStorage
from sqlalchemy import Engine, event

from castad.dagster_storage.pooled_sqlite import PooledSqliteStorage

FILES = ("history/event_log.db", "history/runs.db", "schedules/schedules.db")
UNSTAMPED = "DELETE FROM alembic_version"
_STRUCTURE = (
    "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2",
    "SELECT name FROM secondary_indexes WHERE migration_completed IS NOT NULL ORDER BY 1",
    "SELECT version_num FROM alembic_version",
    "PRAGMA journal_mode",
)
Structure = list[list[Any]]


def make_stock(folder: Path) -> None:
    """What Dagster's own storages leave in the folder, whatever was there."""
    history = str(folder / "history")
    SqliteRunStorage.from_local(history)
    ConsolidatedSqliteEventLogStorage(history)
    SqliteScheduleStorage.from_local(str(folder / "schedules"))


def ask(file: Path, *statements: str) -> Structure:
    with closing(sqlite3.connect(file)) as connection, connection:
        return [connection.execute(statement).fetchall() for statement in statements]


def structures(folder: Path) -> dict[str, Structure]:
    return {name: ask(folder / name, *_STRUCTURE) for name in FILES}


def made_of(folder: Path, tmp_path: Path) -> dict[str, Structure]:
    """What Dagster makes of a copy of the folder."""
    copied = shutil.copytree(folder, tmp_path / "copied")
    make_stock(copied)
    return structures(copied)


@contextmanager
def dying_over(statement: str) -> Iterator[None]:
    def die(connection: Any, cursor: Any, sql: str, *rest: Any) -> None:
        if statement in sql:
            raise KeyboardInterrupt

    event.listen(Engine, "after_cursor_execute", die)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        event.remove(Engine, "after_cursor_execute", die)


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Dagster makes of nothing."""
    folder = tmp_path_factory.mktemp("stock")
    make_stock(folder)
    # Dagster stamps its event log too, but does not commit it.
    (((revision,),),) = ask(folder / "history/runs.db", "SELECT version_num FROM alembic_version")
    ask(folder / "history/event_log.db", f"INSERT INTO alembic_version VALUES ('{revision}')")
    return folder


@pytest.fixture
def folder(stock: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(stock, tmp_path / "dagster")


def test_tables_in_sqlite_are_those_that_dagster_makes(stock: Path, tmp_path: Path) -> None:
    PooledSqliteStorage(tmp_path)
    assert structures(tmp_path) == structures(stock)


@pytest.mark.parametrize("table", ["event_logs", "runs", "jobs", "alembic_version"])
def test_tables_in_sqlite_are_made_whole_after_the_one_who_made_them_died(
    stock: Path, tmp_path: Path, table: str
) -> None:
    with dying_over(f"CREATE TABLE {table} "):
        PooledSqliteStorage(tmp_path)
    PooledSqliteStorage(tmp_path)
    assert structures(tmp_path) == structures(stock)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("history/runs.db", UNSTAMPED),
        ("history/runs.db", "DROP TABLE instance_info"),
        ("history/runs.db", "UPDATE alembic_version SET version_num = '5771160a95ad'"),
        ("history/event_log.db", UNSTAMPED),
        ("schedules/schedules.db", UNSTAMPED),
    ],
)
def test_file_that_lacks_something_becomes_what_dagster_makes_of_it(
    folder: Path, tmp_path: Path, name: str, damage: str
) -> None:
    ask(folder / name, damage)
    expected = made_of(folder, tmp_path)
    PooledSqliteStorage(folder)
    assert structures(folder) == expected


@pytest.mark.parametrize("name", FILES)
def test_empty_file_is_made_whole(folder: Path, stock: Path, name: str) -> None:
    (folder / name).write_bytes(b"")
    PooledSqliteStorage(folder)
    assert structures(folder) == structures(stock)


@pytest.mark.parametrize("name", ["history/runs.db", "schedules/schedules.db"])
def test_file_of_two_revisions_is_refused(folder: Path, name: str) -> None:
    ask(folder / name, "INSERT INTO alembic_version VALUES ('5771160a95ad')")
    with pytest.raises(CommandError, match="more than one head"):
        PooledSqliteStorage(folder)


@pytest.mark.parametrize("name", FILES)
def test_write_ahead_log_of_a_file_that_is_gone_is_not_played_into_the_next(
    folder: Path, stock: Path, name: str
) -> None:
    file = folder / name
    log = file.with_name(f"{file.name}-wal")
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("CREATE TABLE of_the_one_that_is_gone (x)")
        kept = log.read_bytes()
    file.unlink()
    log.write_bytes(kept)
    PooledSqliteStorage(folder)
    assert structures(folder) == structures(stock)


def test_what_was_left_half_made_is_swept_away(tmp_path: Path) -> None:
    left = tmp_path / "history" / ".making-left"
    left.mkdir(parents=True)
    (left / "runs.db").touch()
    PooledSqliteStorage(tmp_path)
    assert list(tmp_path.rglob(".making-*")) == []
