"""The CHECKs of the ledger's columns: each follows from the column's type, its limits or its values.

Every table has them, so that no statement, an operator's SQL included, writes a value that castad could not read.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Integer,
    MetaData,
    String,
    Text,
)

from resources.ledger.schema.sqltime import Moment

MOST = 2**31 - 1
MOST_MONEY = 10**12
# A sum of many costs, each of which is limited.
MOST_SUM = 2**62
UNCHECKED = {"unchecked": True}
"""The mark of a column that takes whatever its type does, such as a vendor's whole answer."""
NAME = {"name": True}
"""The mark of a text that is as short as a name."""
TASK_ID_FORM = (
    "task_id GLOB '[A-Za-z0-9]*' AND task_id NOT GLOB '*[^A-Za-z0-9_.:-]*' AND length(task_id) <= 128",
    "task_id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$'",
)
"""The form of a task_id, for SQLite and for Postgres."""
_MOST_SECONDS = 10**12
_MOST_TEXT = 2**20
_MOST_NAME = 2**13
# SQLite stores any text as a moment, and Postgres allows years that Python does not.
_SQLITE_MOMENT = (
    "{0} IS NULL OR ({0} >= '0001' AND datetime({0}, '+0 seconds') IS substr({0}, 1, 19) "
    "AND substr({0}, 20) NOT GLOB '*[^0-9.:+]*' AND {0} NOT GLOB '*.')"
)
_POSTGRES_MOMENT = "{0} IS NULL OR {0} BETWEEN '0001-01-02 00:00Z' AND '9999-12-30 00:00Z'"
# SQLite's length() of a text ends at the first NUL.
_SQLITE_OCTETS = 'length(CAST("{0}" AS BLOB))'


def make_number_column(
    name: str, least: int, most: int, kind: type[Integer | Float[Any]] = Integer, **options: Any
) -> Column[Any]:
    """Make a column of numbers from `least` to `most`; it is NOT NULL unless it is `nullable`.

    `options` are those of Column.
    """
    return Column(name, kind, **{"nullable": False, **options, "info": {"limits": (least, most)}})


def make_count_column(name: str, **options: Any) -> Column[Any]:
    """Make an integer column whose values begin at 0; `options` are as in `make_number_column`."""
    return make_number_column(name, 0, MOST, **options)


def make_ordinal_column(name: str, **options: Any) -> Column[Any]:
    """Make an integer column whose values begin at 1; `options` are as in `make_number_column`."""
    return make_number_column(name, 1, MOST, **options)


def make_money_column(name: str, most: int = MOST_MONEY, **options: Any) -> Column[Any]:
    """Make an integer column of micro-dollars, from 0 to `most`; `options` are as in `make_number_column`."""
    return make_number_column(name, 0, most, BigInteger, **options)


def make_seconds_column(name: str) -> Column[Any]:
    """Make a nullable column of seconds, a finite number from 0."""
    return make_number_column(name, 0, _MOST_SECONDS, Float, nullable=True)


def one_of(name: str, values: Sequence[str], **options: Any) -> Column[Any]:
    """Make a text column that takes only these values; it is NOT NULL unless it is `nullable`.

    `options` are those of Column.
    """
    return Column(name, String(16), **{"nullable": False, **options, "info": {"values": values}})


def with_checks(tables: MetaData) -> MetaData:
    """Return copies of the tables that have their CHECK constraints.

    They are needed to create the tables; queries use the tables without them.
    """
    complete = MetaData()
    for table in tables.sorted_tables:
        copy = table.to_metadata(complete)
        for column in table.columns:
            for check in _build_checks(column):
                copy.append_constraint(check)
    return complete


def _build_checks(column: Column[Any]) -> list[CheckConstraint]:
    """Build the CHECK constraints of a column; keys have none, since the database assigns them."""
    name, kind, info = column.name, column.type, column.info
    if "limits" in info:
        within = "{} BETWEEN {} AND {}".format(name, *info["limits"])
        typed = "IN ('integer', 'real')" if isinstance(kind, Float) else "= 'integer'"
        on_sqlite = f"{name} IS NULL OR (typeof({name}) {typed} AND {within})"
        return _either(f"{name}_in_range", on_sqlite, within)
    if "values" in info:
        listed = ", ".join(f"'{value}'" for value in info["values"])
        return [CheckConstraint(f"{name} IN ({listed})", name=f"{name}_exists")]
    if isinstance(kind, Moment):
        conditions = (rule.format(name) for rule in (_SQLITE_MOMENT, _POSTGRES_MOMENT))
        return _either(f"{name}_is_a_moment", *conditions)
    if isinstance(kind, Boolean):
        return [_check(f"{name}_is_a_flag", f"{name} IN (0, 1)", "sqlite")]
    if info == UNCHECKED or not isinstance(kind, String):
        return []
    octets = _SQLITE_OCTETS.format(name)
    if isinstance(kind, Text) and info != NAME:
        lengths = (octets, f"octet_length({name})")
        return _either(f"{name}_is_short", *(f"{length} <= {_MOST_TEXT}" for length in lengths))
    # On SQLite a column's length limits nothing.
    named = f"""typeof("{name}") <> 'blob' AND coalesce({octets}, 0) <= {_MOST_NAME}"""
    form = _either(f"{name}_form", *info["form"]) if "form" in info else []
    return [_check(f"{name}_is_text", named, "sqlite"), *form]


def _either(name: str, sqlite: str, postgres: str) -> list[CheckConstraint]:
    """Build the CHECK constraints of this name for SQLite and for Postgres; each applies to one database only."""
    return [_check(name, sqlite, "sqlite"), _check(name, postgres, "postgresql")]


def _check(name: str, condition: str, dialect: str) -> CheckConstraint:
    """Build a CHECK constraint that applies only to this SQL dialect."""
    return CheckConstraint(condition, name=name).ddl_if(dialect=dialect)
