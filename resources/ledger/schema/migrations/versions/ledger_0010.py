"""A provider's id of a job belongs to one submission for ever."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "ledger_0010"
down_revision = "ledger_0009"

_LONGEST_KEPT = 180
_NAMED = """
    SELECT id, provider, external_id AS called FROM provider_jobs WHERE external_id IS NOT NULL
    UNION SELECT id, provider, heard_id FROM provider_jobs WHERE heard_id IS NOT NULL"""
_LATER = sa.text(
    f"""SELECT named.id, named.called, first.id AS owner FROM ({_NAMED}) AS named
    JOIN (SELECT provider, called, min(id) AS id FROM ({_NAMED}) AS every
        GROUP BY provider, called HAVING count(*) > 1) AS first
    ON first.provider = named.provider AND first.called = named.called AND first.id < named.id"""
)
_jobs = sa.table(
    "provider_jobs",
    *(sa.column(name) for name in ("id", "status", "external_id", "heard_id")),
    *(sa.column(name) for name in ("error_code", "error_message")),
)


def upgrade() -> None:
    """Add the unique indexes; of submissions with the same id the first one keeps it, and the others note that.

    A duplicate that still waits for its verdict becomes `unknown`; a settled one keeps the id with its own number
    appended.
    """
    connection = op.get_bind()
    for row in connection.execute(_LATER).all():
        _take_away(connection, row)
    for column in ("external_id", "heard_id"):
        where = sa.text(f"{column} IS NOT NULL")
        op.create_index(
            f"provider_jobs_one_per_{column}",
            "provider_jobs",
            ["provider", column],
            unique=True,
            postgresql_where=where,
            sqlite_where=where,
        )


def _take_away(connection: sa.Connection, row: sa.Row[Any]) -> None:
    note = f"its id {row.called} is that of submission {row.owner} too, which keeps it"
    of_row = sa.update(_jobs).where(_jobs.c.id == row.id)
    connection.execute(of_row.where(_jobs.c.heard_id == row.called).values(heard_id=None))
    named = of_row.where(_jobs.c.external_id == row.called)
    lost = {"status": "unknown", "external_id": None, "error_code": "submission_unknown"}
    waits = named.where(_jobs.c.status == "submitted")
    connection.execute(waits.values(**lost, error_message=note))
    own = f"{row.called[:_LONGEST_KEPT]}#{row.id}"
    connection.execute(named.values(external_id=own, error_message=note))
