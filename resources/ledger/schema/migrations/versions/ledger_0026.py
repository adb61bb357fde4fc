"""A person logs in at the page with a key, and shows one result by a link."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import Rule, moment_rule, name_rule
from resources.ledger.schema.sqltime import Moment

revision = "ledger_0026"
down_revision = "ledger_0025"


def upgrade() -> None:
    """Create `sessions`, `login_links` and `share_links`."""
    for table in ("sessions", "login_links"):
        op.create_table(
            table,
            sa.Column("token_hash", sa.String(64), primary_key=True),
            sa.Column(
                "key_id",
                sa.String(16),
                sa.ForeignKey("api_keys.id", ondelete="CASCADE"),
                nullable=False,
            ),
            *_moments(),
            *_checks("token_hash", "key_id"),
        )
    op.create_index("sessions_of_key", "sessions", ["key_id", "created_at"])
    op.create_index("sessions_expiry", "sessions", ["expires_at"])
    _create_share_links()


def _create_share_links() -> None:
    key = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "share_links",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column(
            "request_id", key, sa.ForeignKey("requests.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("created_by", sa.String(128), nullable=False),
        *_moments(),
        sa.Column("revoked_at", Moment),
        *_checks("id", "token_hash", "created_by", others=("revoked_at",)),
    )
    op.create_index("share_links_of_request", "share_links", ["request_id"])
    op.create_index("share_links_expiry", "share_links", ["expires_at"])


def _moments() -> list[sa.Column[object]]:
    return [sa.Column(name, Moment, nullable=False) for name in ("created_at", "expires_at")]


def _checks(*names: str, others: Sequence[str] = ()) -> list[sa.CheckConstraint]:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    rules: list[Rule] = [
        *(name_rule(name) for name in names if is_sqlite),
        *(moment_rule(is_sqlite, name, is_needed=True) for name in ("created_at", "expires_at")),
        *(moment_rule(is_sqlite, name, is_needed=False) for name in others),
    ]
    return [sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules]
