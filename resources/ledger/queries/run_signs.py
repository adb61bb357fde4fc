"""What the ledger knows of a Dagster run: whether somebody works on its behalf."""

from dataclasses import dataclass
from enum import Enum

from sqlalchemy import select

from resources.ledger.db.database import Database
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import Status, attempts, requests

_TAKEN_AWAY = ("worker_lost", "superseded")


@dataclass(frozen=True)
class RunSign:
    """A run's newest attempt.

    `ended_ago` in seconds, None while it is open; `taken_away` tells whether it ended without its worker.
    """

    worker: str
    ended_ago: float | None
    taken_away: bool


class Health(Enum):
    """What a sign, or the lack of one, means for a run that Dagster believes to be running."""

    ALIVE = "alive"
    LOST = "its worker was lost"
    ENDED = "its attempt ended, and it did not"
    UNCLAIMED = "it claimed nothing"


def health_of(sign: RunSign | None, *, age: float, slack: float) -> Health:
    """Judge a run. An open attempt is alive whatever its lease says: a rescue ends it, or it is renewed.

    Args:
        sign: what the ledger knows of it.
        age: seconds since it was taken by a worker.
        slack: seconds that a run may take from its start to its claim, and from its attempt's end to its own.
    """
    if sign is None:
        return Health.ALIVE if age < slack else Health.UNCLAIMED
    if sign.ended_ago is None:
        return Health.ALIVE
    if sign.taken_away:
        return Health.LOST
    return Health.ALIVE if sign.ended_ago < slack else Health.ENDED


def working_runs(db: Database) -> frozenset[str]:
    """The ids of the runs whose attempts are open."""
    with db.reading() as tx:
        held = select(requests.c.run_id).where(requests.c.status == Status.PROCESSING)
        return frozenset(tx.execute(held).scalars())


def sign_of(db: Database, run_id: str) -> RunSign | None:
    """What the ledger knows of a run; None where it never claimed anything."""
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
    return RunSign(row.worker, ended_ago, row.error_code in _TAKEN_AWAY)
