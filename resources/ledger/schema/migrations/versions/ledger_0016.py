"""An order may have a unique key besides its task_id, held by the request that is alive or completed.

On SQLite REPLACE must not delete a request by its key either while money may be under way for it: see ledger_0013.
"""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.migrations.row_rules import name_rule
from resources.ledger.schema.tables import SCRATCH_TABLE

revision = "ledger_0016"
down_revision = "ledger_0015"

_HOLDS_KEY = "unique_key IS NOT NULL AND status NOT IN ('dead', 'canceled')"
_PAID = """SELECT 1 FROM provider_jobs WHERE request_id = requests.id
    AND provider_jobs.status IN ('intent', 'submitted', 'unknown')"""
_REPLACED = f"""CREATE TRIGGER requests_replaced BEFORE INSERT ON requests BEGIN
    DELETE FROM {SCRATCH_TABLE};
    INSERT INTO {SCRATCH_TABLE} SELECT NEW.task_id WHERE EXISTS (
        SELECT 1 FROM requests WHERE task_id = NEW.task_id AND id IS NOT NEW.id AND EXISTS ({_PAID})
    ) OR EXISTS (
        SELECT 1 FROM requests WHERE pipeline = NEW.pipeline AND unique_key = NEW.unique_key
        AND {_HOLDS_KEY} AND id IS NOT NEW.id AND EXISTS ({_PAID})
    );
END"""


def upgrade() -> None:
    """Add `requests.unique_key` and its partial unique index."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    rule = name_rule("unique_key")
    check = f" CONSTRAINT {rule.name} CHECK ({rule.condition})" if is_sqlite else ""
    connection.exec_driver_sql(f"ALTER TABLE requests ADD COLUMN unique_key VARCHAR(200){check}")
    where = sa.text(_HOLDS_KEY)
    op.create_index(
        *("requests_unique_key", "requests", ["pipeline", "unique_key"]),
        unique=True,
        postgresql_where=where,
        sqlite_where=where,
    )
    if is_sqlite:
        connection.exec_driver_sql("DROP TRIGGER requests_replaced")
        connection.exec_driver_sql(_REPLACED)
