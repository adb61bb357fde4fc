"""Rebuild SQLite tables: ALTER TABLE can add neither a CHECK nor AUTOINCREMENT.

https://www.sqlite.org/lang_altertable.html#otheralter
"""

import re
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

_NEW = "_anew"


def make_anew(
    connection: Connection, checks: Mapping[str, Iterable[tuple[str, str]]], counted: Iterable[str]
) -> None:
    """Rebuild the tables with these additional CHECKs (name and condition); `counted` ones never reuse an id.

    Rows, indexes and counters are kept. Triggers on the tables must have been dropped, every row must keep the
    CHECKs and reference an existing parent, and parents must come before their children.
    """
    counters = _counters(connection)
    indexes = [sql for table in checks for sql in _indexes(connection, table)]
    for table, wanted in checks.items():
        _copy(connection, table, list(checks), wanted, table in set(counted))
    # Dropping a parent before its children would delete their rows too.
    for table in reversed(list(checks)):
        connection.exec_driver_sql(f"DROP TABLE {table}")
    for table in checks:
        connection.exec_driver_sql(f"ALTER TABLE {table}{_NEW} RENAME TO {table}")
    for sql in indexes:
        connection.exec_driver_sql(sql)
    for table, highest in counters.items():
        keep_counter(connection, table, highest)


def keep_counter(connection: Connection, table: str, highest: int) -> None:
    """The next id of an AUTOINCREMENT table is above `highest`."""
    known = connection.exec_driver_sql(
        "SELECT count(*) FROM sqlite_sequence WHERE name = ?", (table,)
    ).scalar()
    if known:
        sql = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
    else:
        sql = "INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)"
    connection.exec_driver_sql(sql, (highest, table))


def _counters(connection: Connection) -> dict[str, int]:
    rows = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")
    return {row.name: row.seq for row in rows}


def _indexes(connection: Connection, table: str) -> list[str]:
    query = (
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
    )
    return list(connection.exec_driver_sql(query, (table,)).scalars())


def _copy(
    connection: Connection,
    table: str,
    tables: Iterable[str],
    checks: Iterable[tuple[str, str]],
    is_counted: bool,
) -> None:
    body = _definition(connection, table)
    if is_counted:
        body = _with_counter(body)
    for parent in tables:
        body = re.sub(rf'REFERENCES "?{parent}"?(?=[ (])', f"REFERENCES {parent}{_NEW}", body)
    constraints = "".join(f",\n\tCONSTRAINT {name} CHECK ({rule})" for name, rule in checks)
    connection.exec_driver_sql(f"CREATE TABLE {table}{_NEW} ({body}{constraints})")
    _copy_rows(connection, table, _columns(connection, table))


def drop_columns(connection: Connection, table: str, columns: Iterable[str]) -> None:
    """The table has these columns no more, nor their CHECKs; rows, indexes, triggers and the counter are kept.

    ALTER TABLE cannot drop a column that a CHECK names. The CHECKs are those of `row_rules`; no table refers to
    this one.
    """
    body = _definition(connection, table)
    for column in columns:
        body = re.sub(rf",\s*{column} [A-Z0-9()]+", "", body)
        body = re.sub(rf",\s*CONSTRAINT {column}_is_\w+ CHECK .*?(?=,\n|$)", "", body)
    counters, indexes = _counters(connection), _indexes(connection, table)
    # A table cannot be renamed while the trigger of another one names it.
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    triggers = connection.exec_driver_sql(query).all()
    for trigger in triggers:
        connection.exec_driver_sql(f"DROP TRIGGER {trigger.name}")
    connection.exec_driver_sql(f"CREATE TABLE {table}{_NEW} ({body})")
    _copy_rows(connection, table, _columns(connection, f"{table}{_NEW}"))
    connection.exec_driver_sql(f"DROP TABLE {table}")
    connection.exec_driver_sql(f"ALTER TABLE {table}{_NEW} RENAME TO {table}")
    for sql in (*indexes, *(trigger.sql for trigger in triggers)):
        connection.exec_driver_sql(sql)
    keep_counter(connection, table, counters.get(table, 0))


def _definition(connection: Connection, table: str) -> str:
    query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    return _body(connection.exec_driver_sql(query, (table,)).scalar_one())


def _columns(connection: Connection, table: str) -> str:
    rows = connection.exec_driver_sql(f"PRAGMA table_info({table})")
    return ", ".join(f'"{row.name}"' for row in rows)


def _copy_rows(connection: Connection, table: str, columns: str) -> None:
    connection.exec_driver_sql(
        f"INSERT INTO {table}{_NEW} ({columns}) SELECT {columns} FROM {table}"
    )


def _body(sql: str) -> str:
    return sql[sql.index("(") + 1 : sql.rindex(")")].rstrip()


def _with_counter(body: str) -> str:
    if "AUTOINCREMENT" in body:
        return body
    counted = re.sub(
        r"\bid INTEGER NOT NULL\b", "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", body, count=1
    )
    return re.sub(r",\s*PRIMARY KEY \(id\)", "", counted, count=1)
