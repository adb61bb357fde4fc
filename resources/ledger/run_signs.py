"""What the ledger knows of a Dagster run: whether somebody works on its behalf."""

from dataclasses import dataclass
from enum import Enum

from sqlalchemy import select

from resources.ledger.database import Database
from resources.ledger.sqltime import now
from resources.ledger.tables import Status, attempts, requests


@dataclass(frozen=True)
class RunSign:
    """A run's newest attempt.

    `holds` tells whether its lease holds, `ended_ago` how many seconds ago it ended (None while it is open).
    """

    worker: str
    holds: bool
    ended_ago: float | None


class Health(Enum):
    """What a sign, or the lack of one, means for a run that Dagster believes to be running."""

    ALIVE = "alive"
    LOST = "its lease ran out"
    ENDED = "its attempt ended, and it did not"
    UNCLAIMED = "it claimed nothing"


def health_of(sign: RunSign | None, *, age: float, slack: float) -> Health:
    """Judge a run.

    Args:
        sign: what the ledger knows of it.
        age: seconds since it was taken by a worker.
        slack: seconds that a run may take from its start to its claim, and from its attempt's end to its own.
    """
    if sign is None:
        return Health.ALIVE if age < slack else Health.UNCLAIMED
    if sign.ended_ago is None:
        return Health.ALIVE if sign.holds else Health.LOST
    return Health.ALIVE if sign.ended_ago < slack else Health.ENDED


def working_runs(db: Database) -> frozenset[str]:
    """The ids of the runs whose leases hold."""
    with db.reading() as tx:
        held = select(requests.c.run_id).where(
            requests.c.status == Status.PROCESSING, requests.c.lease_until > now()
        )
        return frozenset(tx.execute(held).scalars())


def sign_of(db: Database, run_id: str) -> RunSign | None:
    """What the ledger knows of a run; None where it never claimed anything."""
    with db.reading() as tx:
        newest = (
            select(attempts, requests.c.run_id.label("holder"), requests.c.lease_until, now())
            .join(requests, requests.c.id == attempts.c.request_id)
            .where(attempts.c.run_id == run_id)
            .order_by(attempts.c.id.desc())
            .limit(1)
        )
        row = tx.execute(newest).one_or_none()
    if row is None:
        return None
    at = row[-1]
    holds = row.holder == run_id and row.lease_until is not None and at < row.lease_until
    ended_ago = None if row.ended_at is None else (at - row.ended_at).total_seconds()
    return RunSign(row.worker, holds, ended_ago)
