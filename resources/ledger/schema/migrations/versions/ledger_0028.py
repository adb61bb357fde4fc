"""An operator who changes what an order waits for is on record, as with every other edit."""

from alembic import op

from resources.ledger.schema.migrations.requests_trigger import edited_trigger

revision = "ledger_0028"
down_revision = "ledger_0027"


def upgrade() -> None:
    """The trigger on edits watches the columns of a hold too."""
    connection = op.get_bind()
    dialect = connection.dialect.name
    of_table = "" if dialect == "sqlite" else " ON requests"
    connection.exec_driver_sql(f"DROP TRIGGER requests_edited{of_table}")
    connection.exec_driver_sql(edited_trigger(dialect, "hold", "hold_seconds", "hold_then"))
