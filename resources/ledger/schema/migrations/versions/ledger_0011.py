"""Illegal values are refused, ids are never reused, and paid submissions stay on record."""

from collections.abc import Iterable

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.guards import COUNTED, guard_statements
from resources.ledger.schema.migrations.repair import repair
from resources.ledger.schema.migrations.requests_trigger import trigger_statements
from resources.ledger.schema.migrations.row_rules import rules_of
from resources.ledger.schema.migrations.sqlite_rebuild import keep_counter, make_anew
from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW, Moment

revision = "ledger_0011"
down_revision = "ledger_0010"

_PARENT_FIRST = (
    *("requests", "stages", "provider_jobs", "events", "attempts", "artifacts"),
    *("workers", "providers", "api_keys"),
)
_CHILDREN = ("stages", "provider_jobs", "events", "attempts", "artifacts")
_MADE_WITH_AN_EVENT = ("stages", "provider_jobs", "attempts", "artifacts")
_EDITS = ("requests_created", "requests_edited")


def upgrade() -> None:
    """Add `orphans`, CHECKs on every table, and guards; rows that break a CHECK are repaired first."""
    connection = op.get_bind()
    sqlite = connection.dialect.name == "sqlite"
    _create_orphans(sqlite)
    rules = {table: rules_of(table, connection.dialect.name) for table in _PARENT_FIRST}
    if sqlite:
        for trigger in _EDITS:
            connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
        _keep_of_the_deleted(connection)
        repair(connection, rules)
        checks = {
            table: [(rule.name, rule.condition) for rule in of_table]
            for table, of_table in rules.items()
        }
        make_anew(connection, checks, COUNTED)
        _keep_known_ids(connection)
        for statement in trigger_statements("sqlite"):
            connection.exec_driver_sql(statement)
    else:
        connection.exec_driver_sql("ALTER TABLE requests DISABLE TRIGGER USER")
        repair(connection, rules)
        connection.exec_driver_sql("ALTER TABLE requests ENABLE TRIGGER USER")
        for table, of_table in rules.items():
            _add_checks(table, [(rule.name, rule.condition) for rule in of_table])
        for table in COUNTED:
            _always_counted(connection, table)
    for statement in guard_statements(connection.dialect.name):
        # psycopg2 reads a % as a parameter.
        connection.exec_driver_sql(statement if sqlite else statement.replace("%", "%%"))


def _create_orphans(sqlite: bool) -> None:
    now = sa.text(f"({SQLITE_NOW if sqlite else POSTGRES_NOW})")
    op.create_table(
        "orphans",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=True,
        ),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("provider", sa.String(64), nullable=False),
        sa.Column("external_id", sa.String(200)),
        sa.Column("task_id", sa.String(128), nullable=False),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("cost", sa.BigInteger, nullable=False),
        sa.Column("at", Moment, nullable=False, server_default=now),
        sa.Column("why", sa.Text, nullable=False),
        *(
            sa.CheckConstraint(rule.condition, name=rule.name)
            for rule in rules_of("orphans", "sqlite" if sqlite else "postgresql")
        ),
        sqlite_autoincrement=True,
    )


def _keep_of_the_deleted(connection: sa.Connection) -> None:
    """Delete rows whose request was deleted in the sqlite3 shell; their cost is recorded as orphans."""
    gone = "request_id NOT IN (SELECT id FROM requests)"
    connection.exec_driver_sql(
        f"""INSERT OR IGNORE INTO orphans (token, provider, external_id, task_id, stage, cost, why)
        SELECT token, provider, coalesce(external_id, heard_id), 'unknown', stage, cost,
            'its request was deleted' FROM provider_jobs WHERE cost > 0 AND {gone}"""
    )
    for table in _CHILDREN:
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE {gone}")


def _keep_known_ids(connection: sa.Connection) -> None:
    """Each of these rows was written with an event or two, whose ids were counted before theirs."""
    query = "SELECT seq FROM sqlite_sequence WHERE name = 'events'"
    events = connection.exec_driver_sql(query).scalar() or 0
    for table in _MADE_WITH_AN_EVENT:
        keep_counter(connection, table, events)


def _add_checks(table: str, checks: Iterable[tuple[str, str]]) -> None:
    added = [f"ADD CONSTRAINT {name} CHECK ({rule})" for name, rule in checks]
    if added:
        op.get_bind().exec_driver_sql(f"ALTER TABLE {table} {', '.join(added)}")


def _always_counted(connection: sa.Connection, table: str) -> None:
    """Only the database assigns ids; the next one is above every id so far."""
    sequence = connection.exec_driver_sql(
        f"SELECT pg_get_serial_sequence('{table}', 'id')"
    ).scalar_one()
    last = connection.exec_driver_sql(
        f"SELECT greatest(last_value, (SELECT max(id) FROM {table}), 0) FROM {sequence}"
    ).scalar_one()
    connection.exec_driver_sql(f"ALTER TABLE {table} ALTER id DROP DEFAULT")
    connection.exec_driver_sql(f"DROP SEQUENCE {sequence}")
    connection.exec_driver_sql(
        f"ALTER TABLE {table} ALTER id ADD GENERATED ALWAYS AS IDENTITY (START WITH {last + 1})"
    )
