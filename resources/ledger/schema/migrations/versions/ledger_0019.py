"""The figures of each closed hour are kept."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.sqltime import Moment

revision = "ledger_0019"
down_revision = "ledger_0018"


def upgrade() -> None:
    """Create `reports`."""
    op.create_table(
        "reports",
        sa.Column("hour", Moment, primary_key=True),
        sa.Column("pipeline", sa.String(64), primary_key=True),
        sa.Column("stage", sa.String(64), primary_key=True),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("position", "completed", "failed", "retries")
        ),
        *(sa.Column(name, sa.Float) for name in ("p50", "p95", "longest")),
        sa.Column("cost", sa.BigInteger, nullable=False),
        sa.Column("codes", sa.Text, nullable=False),
        sa.Column("unusual", sa.Text, nullable=False),
        sa.Column("made_at", Moment, nullable=False),
    )
