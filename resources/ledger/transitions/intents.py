"""The intent of a submission: committed before it is sent, and within the budgets."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, insert

from resources.ledger.db.advisory_locks import AdvisoryLock
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.ledger_errors import CancelRequestedError, DailyBudgetError, OverMaxCostError
from resources.ledger.queries.spent_today import spent_of_day, sum_of_jobs
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import JobStatus, provider_jobs
from resources.ledger.transitions.core import Lease, transition_leased
from resources.ledger.transitions.jobs import Job
from resources.ledger.transitions.stages import StageEntry


@dataclass(frozen=True)
class Budget:
    """The limits on spending, in micro-dollars: per order, and for all orders of one day (UTC)."""

    order: int | None = None
    day: int | None = None


@retry_transient
def save_intent(
    db: Database,
    lease: Lease,
    entry: StageEntry,
    *,
    provider: str,
    token: str,
    request_hash: str,
    cost: int,
    budget: Budget,
) -> Job:
    """The submission is saved before anything is sent.

    A unique index on live jobs refuses a second one for the same stage and generation. Raises LeaseLostError,
    CancelRequestedError, and OverMaxCostError or DailyBudgetError where the cost exceeds a limit.
    """
    with db.writing() as tx:
        request = transition_leased(
            tx, lease, "submission_intended", stage=entry.stage, provider=provider, cost=cost
        )
        if request.cancel_requested:
            raise CancelRequestedError(f"request {request.task_id} was canceled")
        _refuse_over_budget(tx, request, entry.stage, cost, budget)
        values = {
            "request_id": request.id,
            "stage": entry.stage,
            "generation": entry.generation,
            "attempt": lease.attempt,
            "provider": provider,
            "token": token,
            "request_hash": request_hash,
            "cost": cost,
        }
        key = tx.execute(_INTENDED, values).scalar_one()
    return Job(key, provider, JobStatus.INTENT, token, None, request_hash, None, cost)


def _refuse_over_budget(
    tx: Connection, request: Request, stage: str, cost: int, budget: Budget
) -> None:
    if not cost:
        return
    if budget.order is not None:
        spent = sum_of_jobs(tx, provider_jobs.c.request_id == request.id)
        if spent + cost > budget.order:
            raise OverMaxCostError(stage, spent, cost, budget.order)
    if budget.day is not None:
        if cost > budget.day:
            raise OverMaxCostError(stage, 0, cost, budget.day, "CASTAD_DAILY_BUDGET")
        # Two concurrent orders would not see each other's cost.
        AdvisoryLock.BUDGET.take(tx)
        spent, at, midnight = spent_of_day(tx)
        if spent + cost > budget.day:
            wait = (midnight + timedelta(days=1) - at).total_seconds()
            raise DailyBudgetError(stage, spent, cost, budget.day, wait)


_INTENDED = (
    insert(provider_jobs)
    .values(status=JobStatus.INTENT, created_at=now())
    .returning(provider_jobs.c.id)
)
