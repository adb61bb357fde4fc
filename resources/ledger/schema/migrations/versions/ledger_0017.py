"""A worker may serve some lanes only."""

from alembic import op

from resources.ledger.schema.migrations.row_rules import text_rule

revision = "ledger_0017"
down_revision = "ledger_0016"


def upgrade() -> None:
    """Add `workers.lanes`: names with commas between them, NULL for all lanes."""
    connection = op.get_bind()
    rule = text_rule(connection.dialect.name == "sqlite", "lanes")
    connection.exec_driver_sql(
        f"ALTER TABLE workers ADD COLUMN lanes TEXT CONSTRAINT {rule.name} CHECK ({rule.condition})"
    )
