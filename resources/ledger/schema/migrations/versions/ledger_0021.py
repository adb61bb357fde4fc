"""What was spent stays on record when requests are deleted: sums by day, kept for ever."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import MOST, Rule, name_rule, number_rule
from resources.ledger.schema.migrations.spent_trigger import spent_statements

revision = "ledger_0021"
down_revision = "ledger_0020"

_KEY = {"day": 10, "owner": 128, "pipeline": 64, "stage": 64, "provider": 64}
# A sum of many costs, each of which is limited.
_MOST_SUM = 2**62


def upgrade() -> None:
    """Create `spent_days` with its triggers."""
    connection = op.get_bind()
    rules = _rules(connection.dialect.name == "sqlite")
    op.create_table(
        "spent_days",
        *(sa.Column(name, sa.String(length), primary_key=True) for name, length in _KEY.items()),
        sa.Column("cost", sa.BigInteger, nullable=False),
        sa.Column("submissions", sa.Integer, nullable=False),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules),
    )
    for statement in spent_statements(connection.dialect.name):
        connection.exec_driver_sql(statement)


def _rules(is_sqlite: bool) -> list[Rule]:
    return [
        *(name_rule(name) for name in _KEY if is_sqlite),
        number_rule(is_sqlite, "cost", 0, _MOST_SUM),
        number_rule(is_sqlite, "submissions", 0, MOST),
    ]
