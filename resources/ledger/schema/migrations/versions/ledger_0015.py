"""The progress of any stage is in `stages`, no longer that of a submission only."""

from alembic import op

from resources.ledger.schema.migrations.row_rules import share_rule, text_rule
from resources.ledger.schema.migrations.sqlite_rebuild import drop_columns

revision = "ledger_0015"
down_revision = "ledger_0014"

_COLUMNS = ("progress", "progress_note")
_OF_SUBMISSION = """(SELECT {column} FROM provider_jobs WHERE provider_jobs.status = 'submitted'
    AND provider_jobs.request_id = stages.request_id AND provider_jobs.stage = stages.stage
    AND provider_jobs.generation = stages.generation)"""


def upgrade() -> None:
    """Move `progress` and `progress_note` from `provider_jobs` to `stages`, with their CHECKs."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    kinds = (
        ("FLOAT", share_rule(is_sqlite, "progress")),
        ("TEXT", text_rule(is_sqlite, "progress_note")),
    )
    for kind, rule in kinds:
        connection.exec_driver_sql(
            f"ALTER TABLE stages ADD COLUMN {rule.column} {kind} "
            f"CONSTRAINT {rule.name} CHECK ({rule.condition})"
        )
    moved = ", ".join(f"{name} = {_OF_SUBMISSION.format(column=name)}" for name in _COLUMNS)
    connection.exec_driver_sql(f"UPDATE stages SET {moved} WHERE status <> 'completed'")
    if is_sqlite:
        drop_columns(connection, "provider_jobs", _COLUMNS)
    else:
        dropped = ", ".join(f"DROP COLUMN {name}" for name in _COLUMNS)
        connection.exec_driver_sql(f"ALTER TABLE provider_jobs {dropped}")
