"""A provider's progress note."""

import sqlalchemy as sa
from alembic import op

revision = "ledger_0003"
down_revision = "ledger_0002"


def upgrade() -> None:
    """Add `provider_jobs.progress_note`."""
    op.add_column("provider_jobs", sa.Column("progress_note", sa.Text))
