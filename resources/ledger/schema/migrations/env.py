"""Alembic's entry: runs inside the transaction that `Database` holds while it upgrades."""

from alembic import context

from resources.ledger.schema.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=False,
)
context.run_migrations()
