"""Alembic's entry: runs inside the transaction that `database.migrate` holds."""

from alembic import context

from resources.ledger.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,
)
context.run_migrations()
