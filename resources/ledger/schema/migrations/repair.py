"""Repair rows that break a new rule: each value is replaced by a legal one, and the old value is logged.

A row that would become a duplicate is removed.
"""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from resources.ledger.schema.migrations.row_rules import MOST, Rule
from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW

_log = logging.getLogger("castad.ledger")
_MAX_LOGGED_VALUE = 80
_RECORD_ORPHAN = text(
    """INSERT INTO orphans (token, provider, external_id, task_id, stage, cost, why)
    SELECT token, provider, coalesce(external_id, heard_id), task_id, provider_jobs.stage, cost,
        'its row was another one''s' FROM provider_jobs JOIN requests ON requests.id = request_id
    WHERE provider_jobs.id = :key ON CONFLICT (token) DO NOTHING"""
)


def repair(connection: Connection, rules: Mapping[str, Iterable[Rule]]) -> None:
    """Every row keeps the rules, and no request's seq is below one of its events.

    Triggers must have been dropped. A repaired request has one more event, which names the repaired columns.
    """
    connection.execute(text(f"DELETE FROM events WHERE seq NOT BETWEEN 1 AND {MOST - 2}"))
    repaired: dict[int, list[str]] = {}
    for table, of_table in rules.items():
        for rule in of_table:
            for key in _repair_column(connection, table, rule):
                if table == "requests":
                    repaired.setdefault(int(key), []).append(rule.column)
    for key in _behind(connection):
        repaired.setdefault(key, []).append("seq")
    for key, columns in repaired.items():
        _write_event(connection, key, f"its row was repaired: {', '.join(sorted(set(columns)))}")


def _repair_column(connection: Connection, table: str, rule: Rule) -> list[Any]:
    key = {"workers": "name", "providers": "name"}.get(table, "id")
    quoted = f'"{rule.column}"'
    broken = f"NOT ({rule.condition})"
    rows = connection.exec_driver_sql(f"SELECT {key}, {quoted} FROM {table} WHERE {broken}").all()
    statement = text(f"UPDATE {table} SET {quoted} = {rule.mended} WHERE {key} = :key")
    for row_key, value in rows:
        was = repr(value)[:_MAX_LOGGED_VALUE]
        try:
            with connection.begin_nested():
                connection.execute(statement, {"key": row_key})
            _log.warning(
                "row repaired: table=%s key=%s column=%s was=%s", table, row_key, rule.column, was
            )
        except IntegrityError:
            _remove(connection, table, key, row_key)
            removed = "row removed, a duplicate once repaired: table=%s key=%s column=%s was=%s"
            _log.warning(removed, table, row_key, rule.column, was)
    return [row[0] for row in rows]


def _remove(connection: Connection, table: str, key: str, row_key: Any) -> None:
    """Remove the row; a submission's cost is recorded as an orphan."""
    if table == "provider_jobs":
        connection.execute(_RECORD_ORPHAN, {"key": row_key})
    connection.execute(text(f"DELETE FROM {table} WHERE {key} = :key"), {"key": row_key})


def _behind(connection: Connection) -> list[int]:
    query = """SELECT id FROM requests WHERE seq <
        (SELECT max(seq) FROM events WHERE events.request_id = requests.id)"""
    return list(connection.exec_driver_sql(query).scalars())


def _write_event(connection: Connection, key: int, message: str) -> None:
    """Add an event, and raise the request's seq to it."""
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
