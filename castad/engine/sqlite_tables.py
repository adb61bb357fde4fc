"""Dagster's SQLite files, each made whole at once, and opened without a look at Dagster's revisions."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import NullPool, create_engine

from castad.engine.dagster_tables import Tables, make_tables


def ensure_file(file: Path, tables: Tables, stock: Callable[[str], object]) -> None:
    """The file is there with its tables; one that somebody else left half made is up to the stock storage.

    So is one that is gone while its log lies beside: SQLite throws that log away where it begins a file itself,
    and plays it into any other.
    """
    log = file.with_name(f"{file.name}-wal")
    if not file.exists() and not log.exists():
        _make_at_once(file, tables)
    elif not _is_whole(file, tables):
        stock(str(file.parent))


def _make_at_once(file: Path, tables: Tables) -> None:
    """One that was made half way might count as made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".making-") as folder:
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


def _is_whole(file: Path, tables: Tables) -> bool:
    """Whether the file holds all of these tables and is of one revision of Dagster's, whichever."""
    try:
        uri = f"file:{quote(str(file))}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            lacking = set(tables.metadata.tables) - {name for (name,) in found}
            stamps = connection.execute("SELECT count(*) FROM alembic_version").fetchone()
    except sqlite3.Error:
        return False
    return not lacking and stamps == (1,)
