"""The catalogue of characters and who owns which, in the character database and in the "my" database.

Source of the two saves: `character.save_ownership` and `my.save_character` of the source system (S2).
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError, ProgrammingError
from sqlalchemy.schema import CreateTable

from pipeline_defs.scan.characters.snapshot import Character, Snapshot, read_csv

_CONNECT_SECONDS = 3
_STATEMENT_MS = 5_000
_ONLY = 1
_SHIPPED = Path(__file__).with_name("characters.csv")

_character = MetaData()
characters = Table(
    "characters",
    _character,
    Column("code", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_en", Text, nullable=False),
    Column("type", String(40), nullable=False),
    Column("dialog", Text, nullable=False),
    Column("dialog_en", Text, nullable=False),
    Column("match", Text, nullable=False),
)
catalog_version = Table(
    "catalog_version",
    _character,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)
"""One row, whose version rises with every change."""
ownerships = Table(
    "character_ownerships",
    _character,
    Column("user_id", String(128), primary_key=True),
    Column("code", String(64), primary_key=True),
    Column("task_id", String(128), nullable=False),
    Column("won_at", Float, nullable=False),
)
_my = MetaData()
my_characters = Table(
    "my_characters",
    _my,
    Column("user_id", String(128), primary_key=True),
    Column("code", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("type", String(40), nullable=False),
    Column("task_id", String(128), nullable=False),
    Column("won_at", Float, nullable=False),
)


def save_ownership(url: str, body: Mapping[str, Any]) -> None:
    """The user owns the character; owning it already is success."""
    _insert_once(_engine(url, "character"), ownerships, body)


def save_character(url: str, body: Mapping[str, Any]) -> None:
    """The character is among the user's own; being there already is success."""
    _insert_once(_engine(url, "my"), my_characters, body)


def _insert_once(engine: Engine, table: Table, body: Mapping[str, Any]) -> None:
    row = {column.name: body[column.name] for column in table.columns}
    with engine.begin() as tx:
        tx.execute(_insert(engine, table).values(row).on_conflict_do_nothing())


def _insert(engine: Engine, table: Table) -> postgresql.Insert | sqlite.Insert:
    is_postgres = engine.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgres else sqlite.insert(table)


@cache
def shipped_snapshot() -> Snapshot:
    """Return the characters that castad brings."""
    return Snapshot(0, read_csv(_SHIPPED.read_text("utf-8")))


def read_version(url: str) -> int | None:
    """The version of the catalogue; None where none was ever stored."""
    with _engine(url, "character").connect() as tx:
        return tx.execute(select(catalog_version.c.version)).scalar()


def read_catalogue(url: str) -> Snapshot | None:
    """The stored catalogue; None where none was ever stored."""
    with _engine(url, "character").begin() as tx:
        version = tx.execute(select(catalog_version.c.version)).scalar()
        rows = tx.execute(select(characters).order_by(characters.c.code)).mappings().all()
    if version is None or not rows:
        return None
    return Snapshot(version, tuple(Character(**row) for row in rows))


def replace_catalogue(url: str, listed: Sequence[Character]) -> int:
    """The catalogue has exactly these characters; returns its new version."""
    engine = _engine(url, "character")
    raised = _insert(engine, catalog_version).values(id=_ONLY, version=1)
    raised = raised.on_conflict_do_update(
        index_elements=["id"], set_={"version": catalog_version.c.version + 1}
    )
    with engine.begin() as tx:
        version = tx.execute(raised.returning(catalog_version.c.version)).scalar_one()
        tx.execute(delete(characters))
        tx.execute(insert(characters), [asdict(each) for each in listed])
    return int(version)


def owned(url: str, user_id: str) -> list[str]:
    """The codes of the characters that the user owns."""
    with _engine(url, "character").connect() as tx:
        query = select(ownerships.c.code).where(ownerships.c.user_id == user_id)
        return sorted(tx.execute(query).scalars())


def won_body(user_id: str, task_id: str, code: str, won: Mapping[str, Any]) -> dict[str, Any]:
    """The message of both saves."""
    return {
        "user_id": user_id,
        "code": code,
        "name": won["name"],
        "type": won["type"],
        "task_id": task_id,
        "won_at": time.time(),
    }


def sqlite_url(home: Path, name: str) -> str:
    """The database that serves where no other is named."""
    return f"sqlite:///{home / f'{name}.db'}"


_engines: dict[tuple[str, str], Engine] = {}
_opening: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)


def _engine(url: str, name: str) -> Engine:
    """The database with its tables; one pool a process. A connection is refused, not waited for, in an outage."""
    known = _engines.get((url, name))
    if known is not None:
        return known
    # A database that hangs delays whoever needs it, and nobody else.
    with _opening[url, name]:
        if (url, name) not in _engines:
            _engines[url, name] = _opened(url, name)
        return _engines[url, name]


def _opened(url: str, name: str) -> Engine:
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(url, connect_args={"timeout": 5.0})
        event.listen(engine, "connect", _prepare_sqlite)
    else:
        options = f"-c statement_timeout={_STATEMENT_MS}"
        engine = create_engine(
            url,
            pool_size=2,
            max_overflow=2,
            pool_pre_ping=True,
            connect_args={"connect_timeout": _CONNECT_SECONDS, "options": options},
        )
    # Where this fails, nothing is kept: the next call tries again.
    try:
        _make_tables(engine, name)
    except (IntegrityError, ProgrammingError):
        # On Postgres another process may make the same table at this moment, which IF NOT EXISTS does not see.
        _make_tables(engine, name)
    return engine


def _make_tables(engine: Engine, name: str) -> None:
    with engine.begin() as tx:
        for table in (_character if name == "character" else _my).sorted_tables:
            tx.execute(CreateTable(table, if_not_exists=True))
        if name == "character":
            _fill(engine, tx)


def _fill(engine: Engine, tx: Connection) -> None:
    """Store the shipped characters in new tables, so that SQL finds what it is to change."""
    shipped = shipped_snapshot()
    version = _insert(engine, catalog_version).values(id=_ONLY, version=shipped.version)
    is_new = tx.execute(version.on_conflict_do_nothing()).rowcount == 1
    if is_new and tx.execute(select(characters.c.code).limit(1)).first() is None:
        tx.execute(insert(characters), [asdict(each) for each in shipped.characters])


def _prepare_sqlite(connection: Any, record: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
