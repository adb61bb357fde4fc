"""An owner may read a request that another owner ordered first."""

import sqlalchemy as sa
from alembic import op

revision = "ledger_0018"
down_revision = "ledger_0017"


def upgrade() -> None:
    """Create `readers`."""
    op.create_table(
        "readers",
        sa.Column(
            "request_id",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            sa.ForeignKey("requests.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("owner", sa.String(128), primary_key=True),
    )
