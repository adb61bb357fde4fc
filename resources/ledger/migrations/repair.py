"""Rows that break a rule which is new: each value is made one that keeps it, and what was there is logged."""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, text

from resources.ledger.migrations.row_rules import MOST, Rule
from resources.ledger.sqltime import POSTGRES_NOW, SQLITE_NOW

_log = logging.getLogger("castad.ledger")
_LONGEST_TOLD = 80


def repair(connection: Connection, rules: Mapping[str, Iterable[Rule]]) -> None:
    """Every row keeps the rules, and no request has a seq that one of its events goes beyond.

    No trigger may be at work. A request that was mended has an event more, which says what was wrong.
    """
    connection.execute(text(f"DELETE FROM events WHERE seq NOT BETWEEN 1 AND {MOST - 2}"))
    mended: dict[int, list[str]] = {}
    for table, of_table in rules.items():
        for rule in of_table:
            for key in _mend(connection, table, rule):
                if table == "requests":
                    mended.setdefault(int(key), []).append(rule.column)
    for key in _behind(connection):
        mended.setdefault(key, []).append("seq")
    for key, columns in mended.items():
        _note(connection, key, f"its row was mended: {', '.join(sorted(set(columns)))}")


def _mend(connection: Connection, table: str, rule: Rule) -> list[Any]:
    key = {"workers": "name", "providers": "name"}.get(table, "id")
    quoted = f'"{rule.column}"'
    broken = f"NOT ({rule.condition})"
    rows = connection.exec_driver_sql(f"SELECT {key}, {quoted} FROM {table} WHERE {broken}").all()
    if rows:
        mend = f"UPDATE {table} SET {quoted} = {rule.mended} WHERE {broken}"
        connection.exec_driver_sql(mend)
    for row_key, value in rows:
        told = repr(value)[:_LONGEST_TOLD]
        _log.warning("%s %s: %s was %s, and is mended", table, row_key, rule.column, told)
    return [row[0] for row in rows]


def _behind(connection: Connection) -> list[int]:
    query = """SELECT id FROM requests WHERE seq <
        (SELECT max(seq) FROM events WHERE events.request_id = requests.id)"""
    return list(connection.exec_driver_sql(query).scalars())


def _note(connection: Connection, key: int, message: str) -> None:
    """One event more, with which the request's seq is right again."""
    clock = SQLITE_NOW if connection.dialect.name == "sqlite" else POSTGRES_NOW
    newest = "SELECT max(seq) FROM events WHERE request_id = :key"
    of = {"key": key, "data": json.dumps({"message": message, "set": {}})}
    connection.execute(
        text(
            'INSERT INTO events (request_id, seq, type, "from", "to", data) '
            f"SELECT id, coalesce(({newest}), 0) + 1, 'edited', status, status, :data "
            "FROM requests WHERE id = :key"
        ),
        of,
    )
    connection.execute(
        text(f"UPDATE requests SET seq = ({newest}), updated_at = {clock} WHERE id = :key"), of
    )
