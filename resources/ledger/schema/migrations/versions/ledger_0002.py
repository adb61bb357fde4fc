"""What a request waits for besides its time, and indexes for submissions."""

import sqlalchemy as sa
from alembic import op

revision = "ledger_0002"
down_revision = "ledger_0001"


def upgrade() -> None:
    """Add `requests.waits_for`, and indexes on submissions that are running and that have a cost."""
    op.add_column("requests", sa.Column("waits_for", sa.String(64)))
    _create_index("provider_jobs_running", "provider", "status = 'submitted'")
    _create_index("provider_jobs_spending", "created_at", "cost > 0")


def _create_index(name: str, column: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "provider_jobs", [column], postgresql_where=where, sqlite_where=where)
