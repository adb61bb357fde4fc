"""A long history in no time: finished requests, copied in bulk SQL from one that was really made.

The SQL is made of this module's own names and of the tables' columns; nothing in it comes from outside.
"""
# ruff: noqa: S608

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, create_engine, insert, inspect, select, text

from resources.ledger.db.database import Database
from resources.ledger.schema.tables import attempts, events, provider_jobs, requests, stages

_CHILDREN = (stages, provider_jobs, attempts, events)
_DAGSTER_EVENTS_OF = 10_000
_PREFIX = "old-"
_PLANTED = f"{_PREFIX}0"
_UNIQUE_OF_A_JOB = ("token", "external_id")
_OWN = {
    "provider_jobs": dict.fromkeys(_UNIQUE_OF_A_JOB, "o.task_id || '-' || t.stage"),
    "attempts": {"run_id": "o.task_id"},
    "events": {"mirrored": "TRUE"},
}


@dataclass(frozen=True)
class Template:
    """The rows of one finished request, by table, without their keys."""

    request: Mapping[str, Any]
    children: Mapping[str, Sequence[Mapping[str, Any]]]

    @property
    def run_id(self) -> str:
        """The Dagster run that made it."""
        return str(self.children[attempts.name][-1]["run_id"])


def name_copy(number: int) -> str:
    """Return the name of the copy with this number, from 1 on."""
    return f"{_PREFIX}{number}"


def read_template(db: Database, task_id: str) -> Template:
    """Read the request and its children from the ledger."""
    with db.reading() as tx:
        row = tx.execute(select(requests).where(requests.c.task_id == task_id)).one()
        children = {table.name: _read_rows(tx, table, row.id) for table in _CHILDREN}
    return Template(_drop_columns(row._mapping, "id"), children)


def _read_rows(tx: Connection, table: Table, key: int) -> list[dict[str, Any]]:
    found = tx.execute(select(table).where(table.c.request_id == key).order_by(table.c.id))
    return [_drop_columns(row._mapping, "id", "request_id") for row in found]


def _drop_columns(row: Mapping[Any, Any], *names: str) -> dict[str, Any]:
    return {str(name): value for name, value in row.items() if name not in names}


def fill_ledger(db: Database, template: Template, count: int) -> None:
    """Insert `count` copies of the finished request and its children into the ledger."""
    with db.writing() as tx, _disable_triggers(db, tx):
        key = _plant(tx, template)
        name = {"task_id": f"'{_PREFIX}' || n.i"}
        _copy_numbered(tx, requests.name, f"t.id = {key}", name, count)
        for table in _CHILDREN:
            _copy_children(tx, table, key)


@contextmanager
def _disable_triggers(db: Database, tx: Connection) -> Iterator[None]:
    """Disable triggers, and on Postgres foreign keys: two million of them are correct by construction."""
    if not db.is_sqlite:
        _run(tx, "SET LOCAL session_replication_role = replica")
        yield
        return
    triggers = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    found = tx.execute(triggers).all()
    for trigger in found:
        _run(tx, f"DROP TRIGGER {trigger.name}")
    yield
    for trigger in found:
        tx.exec_driver_sql(trigger.sql)


def fill_dagster(url: str, template: Template, count: int) -> None:
    """Insert the runs of `count` copies into Dagster's Postgres, and the event logs of the first ones."""
    run = f"'{template.run_id}'"
    name = f"'{_PREFIX}' || n.i"
    body = {"run_id": name, "run_body": f"replace(t.run_body, {run}, {name})"}
    task = {
        "run_id": name,
        "value": f"CASE t.key WHEN 'castad/task_id' THEN {name} ELSE t.value END",
    }
    told = {"run_id": name, "event": f"replace(t.event, {run}, {name})"}
    mine = f"t.run_id = {run}"
    engine = create_engine(url)
    with engine.begin() as tx:
        _copy_numbered(tx, "runs", mine, body, count)
        _copy_numbered(tx, "run_tags", mine, task, count)
        _copy_numbered(tx, "event_logs", mine, told, min(count, _DAGSTER_EVENTS_OF))
    engine.dispose()
    vacuum(url)


def vacuum(url: str) -> None:
    """Vacuum and analyse the tables, as autovacuum does long before they grow so large."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
    engine.dispose()


def _plant(tx: Connection, template: Template) -> int:
    order = {**template.request, "task_id": _PLANTED}
    key = int(tx.execute(insert(requests).values(order).returning(requests.c.id)).scalar_one())
    for table in _CHILDREN:
        for row in template.children[table.name]:
            own = _build_unique_values(table, row)
            tx.execute(insert(table).values({**row, **own, "request_id": key}))
    return key


def _build_unique_values(table: Table, row: Mapping[str, Any]) -> dict[str, str]:
    """Return the planted row's values for the columns that must be unique."""
    if table is not provider_jobs:
        return {}
    return dict.fromkeys(_UNIQUE_OF_A_JOB, f"{_PLANTED}-{row['stage']}")


def _copy_numbered(
    tx: Connection, table: str, match: str, own: Mapping[str, str], count: int
) -> None:
    """Copy the matching rows once for each number from 1 to `count`; `own` columns are SQL expressions of it."""
    names, chosen = _list_columns(tx, table, own)
    _run(
        tx,
        f"""INSERT INTO {table} ({names})
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
        SELECT {chosen} FROM {table} AS t CROSS JOIN n WHERE {match}""",
    )


def _copy_children(tx: Connection, table: Table, key: int) -> None:
    """Copy the rows of the request with this key once for each of its copies."""
    names, chosen = _list_columns(
        tx, table.name, {"request_id": "o.id", **_OWN.get(table.name, {})}
    )
    _run(
        tx,
        f"""INSERT INTO {table.name} ({names}) SELECT {chosen}
        FROM {table.name} AS t CROSS JOIN requests AS o
        WHERE t.request_id = {key} AND o.id <> {key} AND o.task_id LIKE '{_PREFIX}%'""",
    )


def _list_columns(tx: Connection, table: str, own: Mapping[str, str]) -> tuple[str, str]:
    names = [column["name"] for column in inspect(tx).get_columns(table) if column["name"] != "id"]
    chosen = [own.get(name, f't."{name}"') for name in names]
    return ", ".join(f'"{name}"' for name in names), ", ".join(chosen)


def _run(tx: Connection, statement: str) -> None:
    tx.execute(text(statement))
