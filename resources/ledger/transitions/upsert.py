"""An INSERT that may meet its row, which SQLAlchemy has for each database apart."""

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(tx: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT into the table; the caller says what happens on a conflict."""
    if tx.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
