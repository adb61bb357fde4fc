"""One memory of compiled statements for every engine of the suite.

An engine keeps what it has compiled under its own dialect object. Nearly every test opens a ledger of its own,
and would compile again what the test before it has compiled: a twelfth of all time.
"""

from collections.abc import MutableMapping
from typing import Any

from sqlalchemy import Dialect, Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg2 import PGDialect_psycopg2
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

_compiled: MutableMapping[Any, Any] = {}


class _OneOfItsKind(Dialect):
    """A dialect that is the same to a cache as every other of its class."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=_compiled)


class SharingSqlite(_OneOfItsKind, SQLiteDialect_pysqlite):
    """SQLAlchemy's dialect for sqlite3, with the shared cache."""

    supports_statement_cache = True


class SharingPostgres(_OneOfItsKind, PGDialect_psycopg2):
    """SQLAlchemy's dialect for psycopg2, with the shared cache."""

    supports_statement_cache = True


def share_compiled_statements() -> None:
    """Every engine that is made from now on has what another has compiled for the same kind of database."""
    for name in ("sqlite", "sqlite.pysqlite"):
        registry.register(name, __name__, SharingSqlite.__name__)
    for name in ("postgresql", "postgresql.psycopg2"):
        registry.register(name, __name__, SharingPostgres.__name__)
