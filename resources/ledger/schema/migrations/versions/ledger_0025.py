"""A request may wait for a person: which stages need an approval, for how long, and who approved which."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import Rule, moment_rule, name_rule, number_rule

revision = "ledger_0025"
down_revision = "ledger_0024"

_LONGEST_SECONDS = 2_592_000
_WAITS_FOR_APPROVAL = "substr(waits_for, 1, 9) = 'approval:'"
# Nobody serves this queue: what is in it neither is counted as waiting for capacity, nor wakes a dispatcher.
_IN_LINE = (
    "status = 'pending' AND asked_at IS NOT NULL AND waits_for IS NOT NULL "
    f"AND NOT {_WAITS_FOR_APPROVAL}"
)
_HELD = f"status = 'pending' AND {_WAITS_FOR_APPROVAL}"


def upgrade() -> None:
    """Add three columns to `requests` and two to `stages`; held requests have an index of their own."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    then = Rule("hold_then", "hold_then_exists", "hold_then IN ('continue', 'cancel')", "NULL")
    seconds = number_rule(is_sqlite, "hold_seconds", 1, _LONGEST_SECONDS)
    approved = moment_rule(is_sqlite, "approved_at", is_needed=False)
    _add_column("requests", "hold", "VARCHAR(500)", name_rule("hold") if is_sqlite else None)
    _add_column("requests", "hold_seconds", "INTEGER", seconds)
    _add_column("requests", "hold_then", "VARCHAR(16)", then)
    _add_column("stages", "approved_at", "TEXT" if is_sqlite else "TIMESTAMPTZ", approved)
    by = name_rule("approved_by") if is_sqlite else None
    _add_column("stages", "approved_by", "VARCHAR(200)", by)
    op.drop_index("requests_in_line", "requests")
    in_line: list[str | sa.TextClause] = ["waits_for", sa.text("priority DESC"), "asked_at", "id"]
    _create_index("requests_in_line", in_line, _IN_LINE)
    _create_index("requests_held", ["not_before"], _HELD)


def _add_column(table: str, name: str, kind: str, rule: Rule | None) -> None:
    """On SQLite a CHECK can only be added together with its column."""
    check = "" if rule is None else f" CONSTRAINT {rule.name} CHECK ({rule.condition})"
    op.get_bind().exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {name} {kind}{check}")


def _create_index(name: str, columns: list[str | sa.TextClause], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "requests", columns, postgresql_where=where, sqlite_where=where)
