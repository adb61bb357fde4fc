"""What was or may have been charged today (UTC), in micro-dollars."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.orphans import orphan_costs
from resources.ledger.queries.spent_days import deleted_costs
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import orphans, provider_jobs


@retry_transient
def spent_today(db: Database) -> int:
    """The sum of all submissions since midnight, those of deleted orders and of no order among them."""
    with db.reading() as tx:
        return spent_of_day(tx)[0]


def spent_of_day(tx: Connection) -> tuple[int, datetime, datetime]:
    """The sum, the database's clock, and the midnight since which it counts."""
    at = tx.execute(select(now())).scalar_one()
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    orphaned = tx.execute(orphan_costs().where(orphans.c.at >= midnight)).scalar()
    deleted = tx.execute(deleted_costs(since=midnight)).scalar()
    kept = sum_of_jobs(tx, provider_jobs.c.created_at >= midnight)
    return kept + int(orphaned or 0) + int(deleted or 0), at, midnight


def sum_of_jobs(tx: Connection, condition: ColumnElement[bool]) -> int:
    """What these submissions cost."""
    costs = select(func.sum(provider_jobs.c.cost)).where(condition, provider_jobs.c.cost > 0)
    return int(tx.execute(costs).scalar() or 0)
