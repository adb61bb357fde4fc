"""Dagster's SQLite files: made as Dagster makes them, completely or not at all."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from dagster._core.storage.event_log.sqlite.consolidated_sqlite_event_log import (
    ConsolidatedSqliteEventLogStorage,
)
from dagster._core.storage.runs.sqlite import SqliteRunStorage
from dagster._core.storage.schedules.sqlite import SqliteScheduleStorage
from sqlalchemy import Engine, event

from castad.dagster_storage.pooled_sqlite import open_sqlite

FILES = ("history/event_log.db", "history/runs.db", "schedules/schedules.db")
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
    return folder


def test_tables_in_sqlite_are_those_that_dagster_makes(stock, tmp_path):
    open_sqlite(tmp_path)
    assert structures(tmp_path) == structures(stock)


@pytest.mark.parametrize("table", ["event_logs", "runs", "jobs", "alembic_version"])
def test_tables_in_sqlite_are_made_whole_after_the_one_who_made_them_died(stock, tmp_path, table):
    with dying_over(f"CREATE TABLE {table} "):
        open_sqlite(tmp_path)
    open_sqlite(tmp_path)
    assert structures(tmp_path) == structures(stock)


def test_what_was_left_half_made_is_swept_away(tmp_path):
    left = tmp_path / ".making" / "history"
    left.mkdir(parents=True)
    (left / "runs.db").touch()
    open_sqlite(tmp_path)
    assert list(tmp_path.rglob(".making")) == []
