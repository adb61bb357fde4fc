"""What is still looked at is ordered anew where its source has changed."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import (
    MOST,
    Rule,
    moment_rule,
    name_rule,
    number_rule,
    text_rule,
)
from resources.ledger.schema.sqltime import Moment

revision = "ledger_0024"
down_revision = "ledger_0023"

_TABLE = "recurring_orders"
_NAMES = {"pipeline": 64, "subject": 200, "part": 300}
_TEXTS = ("payload", "found", "mark")
_MOMENTS = ("looked_at", "due_at")


def upgrade() -> None:
    """Create `recurring_orders`."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    key = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        _TABLE,
        sa.Column("id", key, primary_key=True, autoincrement=True),
        *(sa.Column(name, sa.String(most), nullable=False) for name, most in _NAMES.items()),
        *(sa.Column(name, sa.Text, nullable=False) for name in _TEXTS),
        *(sa.Column(name, Moment, nullable=False) for name in _MOMENTS),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("task_id", sa.String(128)),
        sa.UniqueConstraint(*_NAMES, name="recurring_orders_once"),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in _rules(is_sqlite)),
        sqlite_autoincrement=True,
    )
    op.create_index("recurring_orders_due", _TABLE, ["due_at"])
    has_order = sa.text("task_id IS NOT NULL")
    op.create_index(
        "recurring_orders_task_id",
        _TABLE,
        ["task_id"],
        sqlite_where=has_order,
        postgresql_where=has_order,
    )


def _rules(is_sqlite: bool) -> list[Rule]:
    return [
        *(name_rule(name) for name in (*_NAMES, "task_id") if is_sqlite),
        *(text_rule(is_sqlite, name) for name in _TEXTS),
        *(moment_rule(is_sqlite, name, is_needed=True) for name in _MOMENTS),
        number_rule(is_sqlite, "failures", 0, MOST),
    ]
