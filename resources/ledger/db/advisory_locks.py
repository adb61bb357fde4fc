"""castad's Postgres advisory locks. The numbers are arbitrary and unique, and the same in every castad."""

from enum import IntEnum, unique

from sqlalchemy import Connection, func, select


@unique
class AdvisoryLock(IntEnum):
    """Work that only one process does at a time."""

    MIGRATION = 0x0CA57AD
    DISPATCH = 0x0CA57AE
    BUDGET = 0x0CA57AF
    DAGSTER_TABLES = 0x0CA57B0
    EXTERNAL_ID = 0x0CA57B1
    SLOTS = 0x0CA57B2
    REPORT = 0x0CA57B3
    RETENTION = 0x0CA57B4
    PROFILES = 0x0CA57B5

    def take(self, tx: Connection, name: str | None = None) -> None:
        """The transaction holds the lock, or that of the `name`, until it ends; SQLite has one writer anyway."""
        if tx.dialect.name != "sqlite":
            of_name = () if name is None else (func.hashtext(name),)
            tx.execute(select(func.pg_advisory_xact_lock(self, *of_name)))
