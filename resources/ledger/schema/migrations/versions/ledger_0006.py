"""Queries for one request's submissions do not slow down as finished requests accumulate."""

from alembic import op

revision = "ledger_0006"
down_revision = "ledger_0005"


def upgrade() -> None:
    """Add an index on `provider_jobs` by request."""
    op.create_index("provider_jobs_of_request", "provider_jobs", ["request_id"])
