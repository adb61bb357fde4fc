"""What was or may have been charged today (UTC), in micro-dollars."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.orphan_list import orphan_costs
from resources.ledger.queries.spent_days import deleted_costs
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import orphans, provider_jobs, spool_costs


@retry_transient
def spent_today(db: Database, but_spool: str | None = None) -> int:
    """Return the sum of all submissions since midnight, those of deleted orders and of no order among them.

    What spools hold that is not imported yet counts too, but for the spool of this name.
    """
    with db.reading() as tx:
        return spent_of_day(tx, but_spool)[0]


def spent_of_day(tx: Connection, but_spool: str | None = None) -> tuple[int, datetime, datetime]:
    """Return the sum, the database's clock, and the midnight since which it counts."""
    at = tx.execute(select(now())).scalar_one()
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    orphaned = tx.execute(orphan_costs().where(orphans.c.at >= midnight)).scalar()
    deleted = tx.execute(deleted_costs(since=midnight)).scalar()
    kept = sum_of_jobs(tx, provider_jobs.c.created_at >= midnight)
    spooled = tx.execute(_SPOOLED, {"day": day_of(at), "but_spool": but_spool or ""}).scalar()
    return kept + int(orphaned or 0) + int(deleted or 0) + int(spooled or 0), at, midnight


def day_of(moment: datetime) -> str:
    """Return the day as tables of sums have it."""
    return f"{moment:%Y-%m-%d}"


_SPOOLED = select(func.sum(spool_costs.c.cost)).where(
    spool_costs.c.day == bindparam("day"), spool_costs.c.spool != bindparam("but_spool")
)


def sum_of_jobs(tx: Connection, condition: ColumnElement[bool]) -> int:
    """What these submissions cost."""
    costs = select(func.sum(provider_jobs.c.cost)).where(condition, provider_jobs.c.cost > 0)
    return int(tx.execute(costs).scalar() or 0)
