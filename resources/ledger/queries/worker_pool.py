"""The living workers and their slots. Read-only."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.dispatch_snapshot import read_dispatch_snapshot
from resources.ledger.queries.due import Capacity
from resources.ledger.queries.reads import columns_of
from resources.ledger.schema.sqltime import after
from resources.ledger.schema.tables import workers
from resources.ledger.worker_queues import QueueCapacity


@dataclass(frozen=True)
class WorkerPool:
    """The living workers, their slots for runs, and how many of these are free.

    `queues` is None where all pipelines share the default queue; `unserved` are queues with a due request that no
    living worker serves.
    """

    workers: int
    slots: int
    free: int
    queues: QueueCapacity | None = None
    unserved: tuple[str, ...] = ()

    def serves(self, queue: str) -> bool:
        """Whether a living worker serves the queue."""
        return self.queues is None or self.queues.is_served(queue)

    def free_in(self, queue: str) -> int:
        """How many slots are free for requests of the queue."""
        return self.free if self.queues is None else self.queues.free(queue)


@dataclass(frozen=True)
class WorkerView:
    """A living worker; it serves every queue where `queues` is None."""

    name: str
    slots: int
    beat_at: datetime
    queues: str | None


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
def read_worker_pool(db: Database, slots: Capacity) -> WorkerPool:
    """The living workers and their slots."""
    alive = select(func.count()).where(workers.c.beat_at > after(-slots.lease_seconds))
    with db.reading() as tx:
        count = tx.execute(alive).scalar_one()
    snapshot = read_dispatch_snapshot(db, slots, at_most=1)
    return WorkerPool(count, snapshot.offered, snapshot.free, snapshot.queues, snapshot.unserved)
