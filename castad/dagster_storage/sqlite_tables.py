"""Dagster's SQLite files, each made whole at once, and opened without a look at Dagster's revisions."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import NullPool, create_engine

from castad.dagster_storage.dagster_tables import Tables, make_tables

_MAKING = ".making-"


class _FileContents(NamedTuple):
    """What is in a file: its tables, and how many revisions of Dagster's it names."""

    tables: set[str]
    revisions: int


_NOTHING = _FileContents(set(), 0)


def ensure_file(file: Path, tables: Tables, stock: Callable[[str], object]) -> None:
    """The file is there with its tables; one that lacks some of them is up to the stock storage.

    SQLite would play a write-ahead log that a removed file has left into any other of its name.
    """
    if not file.exists():
        for left in ("wal", "shm"):
            file.with_name(f"{file.name}-{left}").unlink(missing_ok=True)
        _make_at_once(file, tables)
        return
    contents = _contents_of(file)
    if contents == _NOTHING:
        # The stock event log takes every file that is there for one that is made.
        _make(file, tables)
    elif (
        contents is None
        or not contents.tables >= set(tables.metadata.tables)
        or contents.revisions != 1
    ):
        stock(str(file.parent))


def _make_at_once(file: Path, tables: Tables) -> None:
    """The file appears whole; what a process that died here has left is gone."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for left in file.parent.glob(f"{_MAKING}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=_MAKING) as folder:
        made = Path(folder) / file.name
        _make(made, tables)
        made.replace(file)


def _make(file: Path, tables: Tables) -> None:
    engine = create_engine(f"sqlite:///{file}", poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.exec_driver_sql("BEGIN")
        make_tables(connection, tables)
        connection.commit()


def _contents_of(file: Path) -> _FileContents | None:
    """None where the file cannot be read."""
    uri = f"file:{quote(str(file))}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = {name for (name,) in found}
            if "alembic_version" not in names:
                return _FileContents(names, 0)
            [revisions] = connection.execute("SELECT count(*) FROM alembic_version").fetchone()
            return _FileContents(names, revisions)
    except sqlite3.Error:
        return None
