"""On Postgres TRUNCATE, which fires no row trigger, is refused while money may be under way."""

from alembic import op

revision = "ledger_0014"
down_revision = "ledger_0013"

_STATEMENTS = (
    """CREATE FUNCTION castad_provider_jobs_not_truncated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM provider_jobs WHERE status IN ('intent', 'submitted', 'unknown')) THEN
            RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE =
                'money may be under way for a request; cancel it (castad cancel TASK_ID) and use DELETE';
        END IF;
        RETURN NULL;
    END $$""",
    """CREATE TRIGGER provider_jobs_not_truncated BEFORE TRUNCATE ON provider_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION castad_provider_jobs_not_truncated()""",
)


def upgrade() -> None:
    """Add the trigger; a TRUNCATE of requests must also truncate this table."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        for statement in _STATEMENTS:
            connection.exec_driver_sql(statement)
