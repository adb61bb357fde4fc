"""For the API: keys, callbacks, indexes by owner and by end, and an index for cost sums."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW, Moment

revision = "ledger_0007"
down_revision = "ledger_0006"

_ENDED = "status IN ('completed', 'dead', 'canceled')"


def upgrade() -> None:
    """Add `api_keys`, `requests.callbacks`, `provider_jobs.heard_id` and indexes; one covers the costs."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    now = sa.text(f"({SQLITE_NOW if sqlite else POSTGRES_NOW})")
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("scopes", sa.String(64), nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("rate_per_minute", sa.Integer),
        sa.Column("created_at", Moment, nullable=False, server_default=now),
        sa.Column("revoked_at", Moment),
    )
    callbacks = sa.Column("callbacks", sa.Integer, nullable=False, server_default="0")
    op.add_column("requests", callbacks)
    op.add_column("provider_jobs", sa.Column("heard_id", sa.String(200)))
    op.create_index("requests_of_owner", "requests", ["owner", "id"])
    ended = sa.text(_ENDED)
    op.create_index(
        "requests_ended", "requests", ["status", "id"], postgresql_where=ended, sqlite_where=ended
    )
    costs = sa.text("cost > 0")
    op.drop_index("provider_jobs_spending", "provider_jobs")
    op.create_index(
        "provider_jobs_spending",
        "provider_jobs",
        ["created_at", "cost"],
        postgresql_where=costs,
        sqlite_where=costs,
    )
