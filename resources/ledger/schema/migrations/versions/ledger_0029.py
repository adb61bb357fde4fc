"""What was paid for answers that wait in a machine's spool counts before it is recorded."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import Rule, name_rule, number_rule

revision = "ledger_0029"
down_revision = "ledger_0028"

_MOST_SUM = 2**62


def upgrade() -> None:
    """Create `spool_costs`."""
    op.create_table(
        "spool_costs",
        sa.Column("answer", sa.String(64), primary_key=True),
        sa.Column("spool", sa.String(64), primary_key=True),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("cost", sa.BigInteger, nullable=False),
        *(
            sa.CheckConstraint(rule.condition, name=rule.name)
            for rule in _rules(op.get_bind().dialect.name == "sqlite")
        ),
    )


def _rules(is_sqlite: bool) -> list[Rule]:
    names = [name_rule(name) for name in ("answer", "spool", "day") if is_sqlite]
    return [*names, number_rule(is_sqlite, "cost", 0, _MOST_SUM)]
