"""An order that was scheduled says for when, also after it has begun."""

from alembic import op

from resources.ledger.schema.migrations.row_rules import moment_rule

revision = "ledger_0030"
down_revision = "ledger_0029"


def upgrade() -> None:
    """Add `requests.scheduled_at`."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    kind = "TEXT" if is_sqlite else "TIMESTAMPTZ"
    rule = moment_rule(is_sqlite, "scheduled_at", is_needed=False)
    check = f"CONSTRAINT {rule.name} CHECK ({rule.condition})"
    connection.exec_driver_sql(f"ALTER TABLE requests ADD COLUMN scheduled_at {kind} {check}")
