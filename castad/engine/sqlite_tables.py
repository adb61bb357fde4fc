"""Dagster's SQLite files, each made whole at once, and opened without a look at Dagster's revisions."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import NullPool, create_engine

from castad.engine.dagster_tables import Tables, make_tables

_MAKING = ".making-"


def ensure_file(file: Path, tables: Tables, stock: Callable[[str], object]) -> None:
    """The file is there with its tables; one that lacks some of them is up to the stock storage.

    SQLite would play a write-ahead log that a removed file has left into any other of its name.
    """
    if not file.exists():
        for left in ("wal", "shm"):
            file.with_name(f"{file.name}-{left}").unlink(missing_ok=True)
        _make_at_once(file, tables)
        return
    held = _tables_in(file)
    if held == set():
        # The stock event log takes every file that is there for one that is made.
        _make(file, tables)
    elif (
        held is None
        or not held >= {*tables.metadata.tables, "alembic_version"}
        or not _is_stamped(file)
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


def _tables_in(file: Path) -> set[str] | None:
    """None where the file cannot be read."""
    try:
        with _reading(file) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {name for (name,) in found}
    except sqlite3.Error:
        return None


def _is_stamped(file: Path) -> bool:
    """Whether the file names exactly one revision of Dagster's."""
    with _reading(file) as connection:
        stamps = connection.execute("SELECT count(*) FROM alembic_version").fetchone()
        return bool(stamps == (1,))


def _reading(file: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(f"file:{quote(str(file))}?mode=rw", uri=True))
