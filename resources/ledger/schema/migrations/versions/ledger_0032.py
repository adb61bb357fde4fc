"""An impossible value of an operator's is refused with one sentence, and not with the raw row."""

from alembic import op

from resources.ledger.schema.migrations.refused_values import value_statements

revision = "ledger_0032"
down_revision = "ledger_0031"


def upgrade() -> None:
    """Create the triggers."""
    connection = op.get_bind()
    for statement in value_statements(connection.dialect.name):
        connection.exec_driver_sql(statement)
