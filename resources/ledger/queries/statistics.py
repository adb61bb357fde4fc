"""All statistics together: the workload, the last hour, stuck requests, spending. Read-only."""

from dataclasses import dataclass

from sqlalchemy import func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.last_hour import LastHour, last_hour
from resources.ledger.queries.orphan_list import orphan_costs
from resources.ledger.queries.spent_days import deleted_costs
from resources.ledger.queries.stuck import StuckList, stuck_requests
from resources.ledger.queries.workload import Workload, WorkloadScope, workload
from resources.ledger.schema.tables import provider_jobs, requests

STUCK_AFTER = 900.0
"""Seconds without a worker after which a request counts as stuck."""


@dataclass(frozen=True)
class Statistics:
    """The statistics of one scope; `spent` in micro-dollars is the possible cost of all its orders."""

    scope: WorkloadScope
    work: Workload
    hour: LastHour
    stuck_after: float
    stuck: StuckList
    spent: int


def statistics(db: Database, scope: WorkloadScope, stuck_after: float = STUCK_AFTER) -> Statistics:
    """The statistics of this scope; requests without a worker for `stuck_after` seconds count as stuck."""
    work = workload(db, scope)
    return Statistics(
        scope=scope,
        work=work,
        hour=last_hour(db, scope),
        stuck_after=stuck_after,
        stuck=stuck_requests(db, scope, stuck_after, work.worker_pool),
        spent=spent_in_all(db, scope),
    )


@retry_transient
def spent_in_all(db: Database, scope: WorkloadScope) -> int:
    """What all submissions were or may have been charged, in micro-dollars."""
    query = select(func.sum(provider_jobs.c.cost)).where(provider_jobs.c.cost > 0)
    if scope.owner is not None:
        query = query.select_from(provider_jobs.join(requests)).where(
            requests.c.owner == scope.owner
        )
    with db.reading() as tx:
        orphaned = tx.execute(orphan_costs()).scalar() if scope.owner is None else 0
        deleted = tx.execute(deleted_costs(owner=scope.owner)).scalar()
        return sum(int(cost or 0) for cost in (tx.execute(query).scalar(), orphaned, deleted))
