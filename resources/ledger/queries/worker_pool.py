"""The living workers and their places. Read-only."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.lanes import LaneCapacity
from resources.ledger.queries.due import Capacity
from resources.ledger.queries.queue_snapshot import read_queue_snapshot
from resources.ledger.queries.reads import columns_of
from resources.ledger.schema.sqltime import after
from resources.ledger.schema.tables import workers


@dataclass(frozen=True)
class WorkerPool:
    """The living workers, their places for runs, and how many of these are free.

    `lanes` is None where all pipelines share the default lane; `unserved` are lanes with a due request that no
    living worker serves.
    """

    workers: int
    places: int
    free: int
    lanes: LaneCapacity | None = None
    unserved: tuple[str, ...] = ()

    def serves(self, lane: str) -> bool:
        """Whether a living worker serves the lane."""
        return self.lanes is None or self.lanes.is_served(lane)

    def free_in(self, lane: str) -> int:
        """How many places are free for requests of the lane."""
        return self.free if self.lanes is None else self.lanes.free(lane)


@dataclass(frozen=True)
class WorkerView:
    """A living worker; it serves every lane where `lanes` is None."""

    name: str
    places: int
    beat_at: datetime
    lanes: str | None


@retry_transient
def living_workers(db: Database, lease_seconds: float) -> list[WorkerView]:
    """The workers that have renewed their leases lately."""
    query = select(*columns_of(workers, WorkerView)).where(
        workers.c.beat_at > after(-lease_seconds)
    )
    with db.reading() as tx:
        rows = tx.execute(query.order_by(workers.c.name)).mappings()
        return [WorkerView(**row) for row in rows]


@retry_transient
def read_worker_pool(db: Database, places: Capacity) -> WorkerPool:
    """The living workers and their places."""
    alive = select(func.count()).where(workers.c.beat_at > after(-places.lease_seconds))
    with db.reading() as tx:
        count = tx.execute(alive).scalar_one()
    snapshot = read_queue_snapshot(db, places, at_most=1)
    return WorkerPool(count, snapshot.offered, snapshot.free, snapshot.lanes, snapshot.unserved)
