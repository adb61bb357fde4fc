"""Alembic's entry point, run inside the transaction of `Database._upgrade`."""

from alembic import context

from resources.ledger.schema.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=False,
)
context.run_migrations()
