"""Whoever asked for it is told when a request ends: the outbox of webhooks, and the secrets that sign them."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import Rule, moment_rule, name_rule, text_rule
from resources.ledger.schema.migrations.webhooks_trigger import webhook_statements

revision = "ledger_0020"
down_revision = "ledger_0019"

_TABLE = "webhook_deliveries"
_STATUSES = "status IN ('pending', 'delivered', 'dead', 'disabled')"


def upgrade() -> None:
    """Create `webhook_deliveries` with its trigger; add the webhook's secrets to `api_keys`."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    op.create_table(_TABLE, *_columns(is_sqlite), *_checks(is_sqlite), sqlite_autoincrement=True)
    op.create_index("webhook_deliveries_due", _TABLE, ["status", "due_at", "id"])
    op.create_index("webhook_deliveries_status", _TABLE, ["status", "id"])
    for statement in webhook_statements(connection.dialect.name):
        connection.exec_driver_sql(statement)
    _add_secrets(is_sqlite)


def _columns(is_sqlite: bool) -> list[sa.Column[object]]:
    key = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    moment = sa.Text() if is_sqlite else sa.DateTime(timezone=True)
    request = sa.ForeignKey("requests.id", ondelete="CASCADE")
    return [
        sa.Column("id", key, primary_key=True, autoincrement=True),
        sa.Column("request_id", key, request, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False, server_default="pending"),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due_at", moment, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_until", moment),
        sa.Column("last_code", sa.String(64)),
        sa.Column("last_error", sa.Text),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
    ]


def _checks(is_sqlite: bool) -> list[sa.Constraint]:
    needed = ("due_at", "created_at", "updated_at")
    # On SQLite any column holds text, and a text is larger than every number.
    counts = " AND ".join(f"typeof({name}) = 'integer'" for name in ("seq", "attempt", "fence"))
    in_range = "seq >= 1 AND attempt >= 0 AND fence >= 0"
    rules: list[Rule] = [
        *(moment_rule(is_sqlite, column, is_needed=True) for column in needed),
        moment_rule(is_sqlite, "lease_until", is_needed=False),
        text_rule(is_sqlite, "last_error"),
        *((name_rule("type"), name_rule("last_code")) if is_sqlite else ()),
    ]
    return [
        sa.UniqueConstraint("request_id", "seq", name="webhook_deliveries_one_per_end"),
        sa.CheckConstraint(_STATUSES, name="status_exists"),
        sa.CheckConstraint(
            f"{counts} AND {in_range}" if is_sqlite else in_range, name="counts_in_range"
        ),
        *(sa.CheckConstraint(rule.condition, name=rule.name) for rule in rules),
    ]


def _add_secrets(is_sqlite: bool) -> None:
    """On SQLite a CHECK can only be added together with its column."""
    rotated = moment_rule(is_sqlite, "webhook_rotated_at", is_needed=False)
    columns = (
        ("webhook_secret", "VARCHAR(128)", name_rule("webhook_secret")),
        ("webhook_secret_before", "VARCHAR(128)", name_rule("webhook_secret_before")),
        ("webhook_rotated_at", "TEXT" if is_sqlite else "TIMESTAMPTZ", rotated),
    )
    for name, kind, rule in columns:
        has_check = is_sqlite or rule is rotated
        check = f" CONSTRAINT {rule.name} CHECK ({rule.condition})" if has_check else ""
        op.get_bind().exec_driver_sql(f"ALTER TABLE api_keys ADD COLUMN {name} {kind}{check}")
