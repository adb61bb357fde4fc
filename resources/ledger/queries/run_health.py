"""The health of a Dagster run by the ledger: whether an attempt is behind it."""

from dataclasses import dataclass
from enum import Enum

from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, attempts, requests

_LEASE_LOST_CODES = ("worker_lost", "superseded")


@dataclass(frozen=True)
class RunAttempt:
    """A run's newest attempt.

    `ended_ago` in seconds, None while it is open; `lost_lease` is whether its lease was taken from it.
    """

    worker: str
    ended_ago: float | None
    lost_lease: bool


class RunHealth(Enum):
    """The health of a run that Dagster believes to be running."""

    ALIVE = "alive"
    LOST = "its worker was lost"
    ENDED = "its attempt ended, and it did not"
    UNCLAIMED = "it claimed nothing"


def assess_run_health(attempt: RunAttempt | None, *, age: float, grace: float) -> RunHealth:
    """Assess a run. With an open attempt it is alive even if the lease has expired: a rescue would end it.

    Args:
        attempt: the run's newest attempt; None if it has claimed nothing.
        age: seconds since a worker started the run.
        grace: seconds allowed from the run's start to its claim, and from its attempt's end to its own.
    """
    if attempt is None:
        return RunHealth.ALIVE if age < grace else RunHealth.UNCLAIMED
    if attempt.ended_ago is None:
        return RunHealth.ALIVE
    if attempt.lost_lease:
        return RunHealth.LOST
    return RunHealth.ALIVE if attempt.ended_ago < grace else RunHealth.ENDED


def open_run_ids(db: Database) -> frozenset[str]:
    """The ids of the runs whose attempts are open."""
    with db.reading() as tx:
        held = select(requests.c.run_id).where(requests.c.status == Status.PROCESSING)
        return frozenset(tx.execute(held).scalars())


def newest_attempt_of(db: Database, run_id: str) -> RunAttempt | None:
    """The run's newest attempt; None if it has claimed nothing."""
    with db.reading() as tx:
        newest = (
            select(attempts, now().label("db_now"))
            .where(attempts.c.run_id == run_id)
            .order_by(attempts.c.id.desc())
            .limit(1)
        )
        row = tx.execute(newest).one_or_none()
    if row is None:
        return None
    ended_ago = None if row.ended_at is None else (row.db_now - row.ended_at).total_seconds()
    return RunAttempt(row.worker, ended_ago, row.error_code in _LEASE_LOST_CODES)
