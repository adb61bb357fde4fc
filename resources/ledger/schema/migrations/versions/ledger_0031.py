"""A request that an operator's SQL has ended says so, and when: no face shows a missing reason."""

from alembic import op

from resources.ledger.schema.migrations.requests_trigger import edited_trigger, trigger_statements

revision = "ledger_0031"
down_revision = "ledger_0030"

_HOLD = ("hold", "hold_seconds", "hold_then")


def upgrade() -> None:
    """Make the triggers of `requests` anew, and give the rows without a reason one."""
    connection = op.get_bind()
    dialect = connection.dialect.name
    of_table = "" if dialect == "sqlite" else " ON requests"
    for trigger in ("requests_created", "requests_edited"):
        connection.exec_driver_sql(f"DROP TRIGGER {trigger}{of_table}")
    *made, _ = trigger_statements(dialect)
    for statement in (*made, edited_trigger(dialect, *_HOLD)):
        connection.exec_driver_sql(statement)
    # The trigger gives the reason, and the event says that this was done.
    connection.exec_driver_sql(
        """UPDATE requests SET error_code = 'edited' WHERE status IN ('dead', 'failed') AND error_code IS NULL"""
    )
    connection.exec_driver_sql(
        """UPDATE requests SET error_message = 'set by an operator''s SQL'
        WHERE status IN ('dead', 'failed') AND error_message IS NULL"""
    )
