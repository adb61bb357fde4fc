"""What is submitted again by itself, and which of it is due. Read-only."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import exists, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import OPEN_STATUSES, Status, requests, source_checks

is_due = source_checks.c.due_at <= now()
is_open = requests.c.status.in_(OPEN_STATUSES)


@dataclass(frozen=True)
class DueCheck:
    """One that is due: the order as text, what it last came to, and the time since the last use.

    `is_dead` is whether the last request that was made of it has failed for good.
    """

    id: int
    payload: str
    found: str
    mark: str
    failures: int
    idle: timedelta
    task_id: str | None
    is_dead: bool

    @classmethod
    def of(cls, row: Any, status: str | None) -> "DueCheck":
        """By its row, and the status of its last request."""
        return cls(
            id=row.id,
            payload=row.payload,
            found=row.found,
            mark=row.mark,
            failures=row.failures,
            idle=row.at - row.used_at,
            task_id=row.task_id,
            is_dead=status == Status.DEAD,
        )


@retry_transient
def due_pipelines(db: Database) -> set[str]:
    """The pipelines of which something is due, and no request is open that was made of the like."""
    other = source_checks.alias()
    at_work = exists().where(
        other.c.pipeline == source_checks.c.pipeline,
        other.c.task_id == requests.c.task_id,
        is_open,
    )
    query = select(source_checks.c.pipeline).where(is_due, ~at_work).distinct()
    with db.reading() as tx:
        return set(tx.execute(query).scalars())
