"""Profiles: what an owner's orders of a pipeline have in common, kept for the next form."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import moment_rule, name_rule, text_rule
from resources.ledger.schema.sqltime import Moment

revision = "ledger_0027"
down_revision = "ledger_0026"

_NAMES = ("owner", "pipeline", "name")


def upgrade() -> None:
    """Create `profiles`."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    rules = [
        text_rule(is_sqlite, "fields"),
        moment_rule(is_sqlite, "updated_at", is_needed=True),
        *(name_rule(name) for name in _NAMES if is_sqlite),
    ]
    op.create_table(
        "profiles",
        sa.Column("owner", sa.String(128), primary_key=True),
        sa.Column("pipeline", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("fields", sa.Text, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules),
    )
