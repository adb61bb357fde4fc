"""On SQLite no event id is reused: a reader that continues after the highest id would miss the new event."""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.requests_trigger import trigger_statements
from resources.ledger.schema.sqltime import SQLITE_NOW, Moment

revision = "ledger_0008"
down_revision = "ledger_0007"

_COLUMNS = 'id, request_id, seq, type, "from", "to", data, at, mirrored'


def upgrade() -> None:
    """Rebuild `events` with AUTOINCREMENT; on Postgres the ids come from a sequence anyway."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return
    # The triggers name the table, and SQLite cannot rename a table that a trigger names.
    for trigger in ("requests_created", "requests_edited"):
        connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
    _create_counted()
    connection.exec_driver_sql(
        f"INSERT INTO events_counted ({_COLUMNS}) SELECT {_COLUMNS} FROM events"
    )
    op.drop_table("events")
    op.rename_table("events_counted", "events")
    op.create_index("events_unmirrored", "events", ["id"], sqlite_where=sa.text("NOT mirrored"))
    for statement in trigger_statements("sqlite"):
        connection.exec_driver_sql(statement)


def _create_counted() -> None:
    op.create_table(
        "events_counted",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column(
            "request_id",
            sa.Integer,
            sa.ForeignKey("requests.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("from", sa.String(16)),
        sa.Column("to", sa.String(16), nullable=False),
        sa.Column("data", sa.Text, nullable=False, server_default="{}"),
        sa.Column("at", Moment, nullable=False, server_default=sa.text(f"({SQLITE_NOW})")),
        sa.Column("mirrored", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.UniqueConstraint("request_id", "seq", name="events_one_per_seq"),
        sqlite_autoincrement=True,
    )
