"""The catalogue of characters and their owners, in the character database and in the "my" database."""

import csv
import io
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    Column,
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

from resources.contract.errors import InvalidInputError

MOST_CHARACTERS = 1_000
_LONGEST = {"code": 64, "name": 80, "name_en": 80, "type": 40}
_LONGEST |= {"dialog": 300, "dialog_en": 300, "match": 80}


@dataclass(frozen=True)
class Character:
    """A character. `match` is the middle class whose scans win it; it is empty for the default character."""

    code: str
    name: str
    name_en: str
    type: str
    dialog: str
    dialog_en: str
    match: str


COLUMNS = tuple(field.name for field in fields(Character))


@dataclass(frozen=True)
class CharacterSnapshot:
    """All characters of a version of the catalogue; version 0 is the shipped one."""

    version: int
    characters: tuple[Character, ...]

    @cached_property
    def by_label(self) -> Mapping[str, Character]:
        """The character of each middle class."""
        return MappingProxyType({each.match: each for each in self.characters if each.match})

    @cached_property
    def default(self) -> Character | None:
        """The character of all classes without a character."""
        return next((each for each in self.characters if not each.match), None)

    def match(self, label: str) -> Character | None:
        """Return the character that a thing of this middle class wins."""
        return self.by_label.get(label, self.default)

    def to_json(self) -> str:
        """Serialize the snapshot for `read_snapshot`."""
        listed = [asdict(each) for each in self.characters]
        return json.dumps({"version": self.version, "characters": listed}, ensure_ascii=False)


def read_snapshot(text: str) -> CharacterSnapshot | None:
    """Parse a stored snapshot; return None if it is invalid."""
    try:
        stored = json.loads(text)
        return CharacterSnapshot(int(stored["version"]), parse_rows(stored["characters"]))
    except (ValueError, KeyError, TypeError, OverflowError, InvalidInputError):
        return None


def read_csv(text: str) -> tuple[Character, ...]:
    """Parse a CSV text with the columns COLUMNS. Raise InvalidInputError, which names the row."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InvalidInputError("characters", f"expected CSV: {error}") from None
    if sorted(reader.fieldnames or ()) != sorted(COLUMNS):
        raise InvalidInputError("characters", f"expected the columns {', '.join(COLUMNS)}")
    return parse_rows(rows)


def parse_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[Character, ...]:
    """Parse rows into characters, each code and class at most once.

    Raise InvalidInputError, which names row and column.
    """
    if not 0 < len(rows) <= MOST_CHARACTERS:
        raise InvalidInputError("characters", f"expected 1 to {MOST_CHARACTERS:,} characters")
    found = tuple(_parse_row(row, number) for number, row in enumerate(rows, 1))
    for column in ("code", "match"):
        seen: set[str] = set()
        for value in (getattr(each, column) for each in found):
            if value in seen:
                expected = f"expected each once; {value or 'the empty one'} is there twice"
                raise InvalidInputError(f"characters: {column}", expected)
            seen.add(value)
    return found


def _parse_row(row: Mapping[str, Any], number: int) -> Character:
    if not isinstance(row, Mapping):
        raise InvalidInputError(f"characters: row {number}", "expected an object")
    for column in COLUMNS:
        value, longest = row.get(column), _LONGEST[column]
        if not isinstance(value, str) or not value.isprintable() or len(value) > longest:
            expected = f"expected printable text of at most {longest} characters"
            raise InvalidInputError(f"characters: row {number}: {column}", expected)
        if not value.strip() and column != "match":
            raise InvalidInputError(f"characters: row {number}: {column}", "expected a text")
    return Character(**{column: str(row[column]).strip() for column in COLUMNS})


_CONNECT_SECONDS = 3
_STATEMENT_MS = 5_000
_ONLY = 1
_SHIPPED = Path(__file__).with_name("characters.csv")

_character_metadata = MetaData()
characters = Table(
    "characters",
    _character_metadata,
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
    _character_metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)
"""One row, whose version rises with every change."""
ownerships = Table(
    "character_ownerships",
    _character_metadata,
    Column("user_id", String(128), primary_key=True),
    Column("code", String(64), primary_key=True),
    Column("task_id", String(128), nullable=False),
    Column("won_at", Float, nullable=False),
)
_my_metadata = MetaData()
my_characters = Table(
    "my_characters",
    _my_metadata,
    Column("user_id", String(128), primary_key=True),
    Column("code", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("type", String(40), nullable=False),
    Column("task_id", String(128), nullable=False),
    Column("won_at", Float, nullable=False),
)


def save_ownership(url: str, body: Mapping[str, Any]) -> None:
    """Store that the user owns the character; do nothing if it is stored already."""
    _insert_once(_get_engine(url, "character"), ownerships, body)


def save_character(url: str, body: Mapping[str, Any]) -> None:
    """Store the character among the user's own; do nothing if it is stored already."""
    _insert_once(_get_engine(url, "my"), my_characters, body)


def _insert_once(engine: Engine, table: Table, body: Mapping[str, Any]) -> None:
    row = {column.name: body[column.name] for column in table.columns}
    with engine.begin() as tx:
        tx.execute(_build_insert(engine, table).values(row).on_conflict_do_nothing())


def _build_insert(engine: Engine, table: Table) -> postgresql.Insert | sqlite.Insert:
    is_postgres = engine.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgres else sqlite.insert(table)


@cache
def load_shipped_snapshot() -> CharacterSnapshot:
    """Load the characters that castad ships."""
    return CharacterSnapshot(0, read_csv(_SHIPPED.read_text("utf-8")))


def read_version(url: str) -> int | None:
    """Return the version of the catalogue; None if none was ever stored."""
    with _get_engine(url, "character").connect() as tx:
        return tx.execute(select(catalog_version.c.version)).scalar()


def read_catalogue(url: str) -> CharacterSnapshot | None:
    """Return the stored catalogue; None if none was ever stored."""
    with _get_engine(url, "character").begin() as tx:
        version = tx.execute(select(catalog_version.c.version)).scalar()
        rows = tx.execute(select(characters).order_by(characters.c.code)).mappings().all()
    if version is None or not rows:
        return None
    return CharacterSnapshot(version, tuple(Character(**row) for row in rows))


def replace_catalogue(url: str, listed: Sequence[Character]) -> int:
    """Replace all characters of the catalogue; return its new version."""
    engine = _get_engine(url, "character")
    raised = _build_insert(engine, catalog_version).values(id=_ONLY, version=1)
    raised = raised.on_conflict_do_update(
        index_elements=["id"], set_={"version": catalog_version.c.version + 1}
    )
    with engine.begin() as tx:
        version = tx.execute(raised.returning(catalog_version.c.version)).scalar_one()
        tx.execute(delete(characters))
        tx.execute(insert(characters), [asdict(each) for each in listed])
    return int(version)


def list_owned(url: str, user_id: str) -> list[str]:
    """Return the codes of the characters that the user owns."""
    with _get_engine(url, "character").connect() as tx:
        query = select(ownerships.c.code).where(ownerships.c.user_id == user_id)
        return sorted(tx.execute(query).scalars())


def build_save_body(
    user_id: str, task_id: str, code: str, won: Mapping[str, Any]
) -> dict[str, Any]:
    """Build the body that both saves send."""
    owned = {"user_id": user_id, "code": code, "name": won["name"], "type": won["type"]}
    return {**owned, "task_id": task_id, "won_at": time.time()}


def build_sqlite_url(home: Path, name: str) -> str:
    """Build the URL of the default database of this name."""
    return f"sqlite:///{home / f'{name}.db'}"


_engines: dict[tuple[str, str], Engine] = {}
_opening: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)


def _get_engine(url: str, name: str) -> Engine:
    """Return the engine, one pool per process, with its tables. A connection fails fast in an outage."""
    known = _engines.get((url, name))
    if known is not None:
        return known
    # A database that hangs delays only its own users.
    with _opening[url, name]:
        if (url, name) not in _engines:
            _engines[url, name] = _open_engine(url, name)
        return _engines[url, name]


def _open_engine(url: str, name: str) -> Engine:
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
    # After a failure nothing is stored: the next call tries again.
    try:
        _make_tables(engine, name)
    except (IntegrityError, ProgrammingError):
        # On Postgres another process may create the table at the same time; IF NOT EXISTS does not see that.
        _make_tables(engine, name)
    return engine


def _make_tables(engine: Engine, name: str) -> None:
    """Create missing tables; new ones get the shipped characters, so that SQL finds rows to change."""
    metadata = _character_metadata if name == "character" else _my_metadata
    with engine.begin() as tx:
        for table in metadata.sorted_tables:
            tx.execute(CreateTable(table, if_not_exists=True))
        if name != "character":
            return
        shipped = load_shipped_snapshot()
        version = _build_insert(engine, catalog_version).values(id=_ONLY, version=shipped.version)
        is_new = tx.execute(version.on_conflict_do_nothing()).rowcount == 1
        if is_new and tx.execute(select(characters.c.code).limit(1)).first() is None:
            tx.execute(insert(characters), [asdict(each) for each in shipped.characters])


def _prepare_sqlite(connection: Any, record: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
