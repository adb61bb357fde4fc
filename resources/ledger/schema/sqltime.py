"""Time by the database's clock, the same on SQLite and Postgres.

On SQLite a moment is the text `YYYY-MM-DD HH:MM:SS.mmm` in UTC, which sorts correctly against an operator's
`datetime('now', '+1 hour')`; on Postgres it is a timestamptz.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

SQLITE_NOW = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
POSTGRES_NOW = "clock_timestamp()"


class Moment(TypeDecorator[datetime]):
    """A column type for times, which are aware UTC datetimes in Python."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the column's type: text on SQLite, timestamptz elsewhere."""
        native = Text() if dialect.name == "sqlite" else DateTime(timezone=True)
        return dialect.type_descriptor(native)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Return the value to store: UTC text with milliseconds on SQLite, else the datetime; None stays None."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return the stored value as an aware UTC datetime; None stays None."""
        return moment_of(value)


def moment_of(value: datetime | str | None) -> datetime | None:
    """Parse a stored time to an aware UTC datetime; None stays None.

    A time without a time zone, as an operator may type it, counts as UTC.
    """
    if value is None:
        return None
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class now(FunctionElement[datetime]):
    """The SQL expression of the database's current time, at this statement and not at the transaction's start."""

    type = Moment()
    inherit_cache = True


class after(FunctionElement[datetime]):
    """The SQL expression of the database's current time plus a number of seconds, which may be negative."""

    type = Moment()
    inherit_cache = True


@compiles(now, "sqlite")
def _now_sqlite(element: now, compiler: SQLCompiler, **kw: Any) -> str:
    """Render `now` for SQLite."""
    return SQLITE_NOW


@compiles(now)
def _now(element: now, compiler: SQLCompiler, **kw: Any) -> str:
    """Render `now` for Postgres."""
    return POSTGRES_NOW


@compiles(after, "sqlite")
def _after_sqlite(element: after, compiler: SQLCompiler, **kw: Any) -> str:
    """Render `after` for SQLite."""
    seconds = compiler.process(element.clauses, **kw)
    return f"strftime('%Y-%m-%d %H:%M:%f', 'now', {seconds} || ' seconds')"


@compiles(after)
def _after(element: after, compiler: SQLCompiler, **kw: Any) -> str:
    """Render `after` for Postgres."""
    seconds = compiler.process(element.clauses, **kw)
    return f"{POSTGRES_NOW} + make_interval(secs => {seconds})"
