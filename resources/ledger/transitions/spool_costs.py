"""What was paid for answers that wait in a machine's spool: every process counts it before it is imported."""

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.spent_today import day_of
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import spool_costs


@retry_transient
def publish_spool_costs(db: Database, spool: str, costs: Mapping[str, int]) -> None:
    """Store what this spool's answers of today cost, in micro-dollars by answer, and nothing else of it.

    Remove what spools of other days have left.
    """
    with db.writing() as tx:
        day = day_of(tx.execute(select(now())).scalar_one())
        is_old = (spool_costs.c.spool == spool) | (spool_costs.c.day != day)
        tx.execute(delete(spool_costs).where(is_old))
        rows = [
            {"spool": spool, "answer": answer, "day": day, "cost": cost}
            for answer, cost in costs.items()
        ]
        if rows:
            tx.execute(insert(spool_costs), rows)


def forget_spool_cost(tx: Connection, answer: str) -> None:
    """Remove what a spool says of this answer: it is imported now."""
    tx.execute(delete(spool_costs).where(spool_costs.c.answer == answer))
