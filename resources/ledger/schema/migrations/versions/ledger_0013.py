"""On SQLite REPLACE deletes no request and no submission while money may be under way for it.

REPLACE fires no delete trigger, and only an AFTER INSERT trigger can tell that a row was replaced, when it is
gone. So a BEFORE trigger notes the row that would be replaced, and an INSERT that replaces a noted row is refused.
"""

import sqlalchemy as sa
from alembic import op

from resources.ledger.schema.tables import SCRATCH_TABLE

revision = "ledger_0013"
down_revision = "ledger_0012"

_IN_DOUBT = "('intent', 'submitted', 'unknown')"
_SENTENCE = (
    "money may be under way for this request; cancel it (castad cancel TASK_ID) and delete it, "
    "instead of replacing it"
)
_PAID = f"""SELECT 1 FROM requests JOIN provider_jobs ON request_id = requests.id
    WHERE provider_jobs.status IN {_IN_DOUBT}"""
_OF_REQUEST = f"EXISTS ({_PAID} AND task_id = NEW.task_id AND requests.id IS NOT NEW.id)"
_OF_STAGE = (
    f"EXISTS ({_PAID} AND (token = NEW.token OR provider_jobs.request_id = NEW.request_id"
    " AND provider_jobs.stage = NEW.stage AND generation = NEW.generation AND NEW.status <> 'failed'))"
)
_REFUSED = f"SELECT RAISE(ABORT, '{_SENTENCE}');"
_TRIGGERS = (
    f"""CREATE TRIGGER requests_replaced BEFORE INSERT ON requests BEGIN
        DELETE FROM {SCRATCH_TABLE};
        INSERT INTO {SCRATCH_TABLE} SELECT NEW.task_id WHERE {_OF_REQUEST};
    END""",
    f"""CREATE TRIGGER requests_not_replaced AFTER INSERT ON requests
    WHEN EXISTS (SELECT 1 FROM {SCRATCH_TABLE} WHERE task_id = NEW.task_id)
    BEGIN {_REFUSED} END""",
    f"""CREATE TRIGGER requests_not_renamed_over BEFORE UPDATE OF task_id ON requests
    WHEN {_OF_REQUEST} BEGIN {_REFUSED} END""",
    f"""CREATE TRIGGER provider_jobs_not_replaced BEFORE INSERT ON provider_jobs
    WHEN {_OF_STAGE} BEGIN {_REFUSED} END""",
)


def upgrade() -> None:
    """Add the triggers, and on SQLite the table for their notes."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        op.create_table(SCRATCH_TABLE, sa.Column("task_id", sa.Text))
        for statement in _TRIGGERS:
            connection.exec_driver_sql(statement)
