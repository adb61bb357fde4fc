"""The advisory locks of castad on Postgres: any numbers, each its own, the same in every castad."""

from enum import IntEnum, unique


@unique
class AdvisoryLock(IntEnum):
    """What is done by one at a time, over all processes."""

    MIGRATION = 0x0CA57AD
    DISPATCH = 0x0CA57AE
    BUDGET = 0x0CA57AF
    DAGSTER_TABLES = 0x0CA57B0
    EXTERNAL_ID = 0x0CA57B1
    PLACES = 0x0CA57B2
