"""The figures of each closed hour are kept."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import (
    MOST,
    MOST_MONEY,
    Rule,
    moment_rule,
    name_rule,
    number_rule,
    seconds_rule,
    text_rule,
)
from resources.ledger.schema.sqltime import Moment

revision = "ledger_0019"
down_revision = "ledger_0018"

_NAMES = ("pipeline", "stage")
_COUNTS = ("position", "completed", "failed", "retries")
_SECONDS = ("p50", "p95", "longest")
_TEXTS = ("codes", "unusual")


def upgrade() -> None:
    """Create `reports`."""
    rules = _rules(op.get_bind().dialect.name == "sqlite")
    op.create_table(
        "reports",
        sa.Column("hour", Moment, primary_key=True),
        *(sa.Column(name, sa.String(64), primary_key=True) for name in _NAMES),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _COUNTS),
        *(sa.Column(name, sa.Float) for name in _SECONDS),
        sa.Column("cost", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in _TEXTS),
        sa.Column("made_at", Moment, nullable=False),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules),
    )


def _rules(is_sqlite: bool) -> list[Rule]:
    return [
        *(moment_rule(is_sqlite, name, is_needed=True) for name in ("hour", "made_at")),
        *(name_rule(name) for name in _NAMES if is_sqlite),
        *(number_rule(is_sqlite, name, 0, MOST) for name in _COUNTS),
        *(seconds_rule(is_sqlite, name) for name in _SECONDS),
        number_rule(is_sqlite, "cost", 0, MOST_MONEY),
        *(text_rule(is_sqlite, name) for name in _TEXTS),
    ]
