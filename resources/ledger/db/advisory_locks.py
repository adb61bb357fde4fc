"""castad's Postgres advisory locks. The numbers are arbitrary and unique, and the same in every castad."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """Work that only one process does at a time."""

    MIGRATION = 0x0CA57AD
    DISPATCH = 0x0CA57AE
    BUDGET = 0x0CA57AF
    DAGSTER_TABLES = 0x0CA57B0
    EXTERNAL_ID = 0x0CA57B1
    PLACES = 0x0CA57B2
