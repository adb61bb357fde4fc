"""Dagster's SQLite files, each made atomically, and opened without reading Dagster's revisions."""

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
    """A file's tables, and the number of rows in its `alembic_version`."""

    tables: set[str]
    revisions: int


_NOTHING = _FileContents(set(), 0)


def ensure_file(file: Path, tables: Tables, stock: Callable[[str], object]) -> None:
    """The file exists with its tables; `stock` completes a file that lacks some of them.

    A left-over write-ahead log is removed first: SQLite would replay it into a new file of that name.
    """
    if not file.exists():
        for left in ("wal", "shm"):
            file.with_name(f"{file.name}-{left}").unlink(missing_ok=True)
        _make_at_once(file, tables)
        return
    contents = _contents_of(file)
    if contents == _NOTHING:
        # The stock event log treats every existing file as complete.
        _make(file, tables)
    elif (
        contents is None
        or not contents.tables >= set(tables.metadata.tables)
        or contents.revisions != 1
    ):
        stock(str(file.parent))


def _make_at_once(file: Path, tables: Tables) -> None:
    """The complete file appears by a rename; remains of a process that died here are removed."""
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
    """The file's contents; None where it cannot be read."""
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
