"""Places per stage: when a stage asked for a place, and when it got one."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.sqltime import Moment

revision = "ledger_0005"
down_revision = "ledger_0004"


def upgrade() -> None:
    """Add `stages.asked_at` and `stages.placed_at`, and an index on processing stages."""
    op.add_column("stages", sa.Column("asked_at", Moment))
    op.add_column("stages", sa.Column("placed_at", Moment))
    where = sa.text("status = 'processing'")
    op.create_index(
        "stages_at_work", "stages", ["stage"], postgresql_where=where, sqlite_where=where
    )
