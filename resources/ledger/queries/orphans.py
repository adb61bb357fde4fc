"""Submissions that were or may have been paid for and belong to nothing any more. Nothing here writes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, exists, func, select

from resources.ledger.schema.tables import orphans, provider_jobs

_MOST_LISTED = 100


@dataclass(frozen=True)
class Orphan:
    """One of them; `cost` in micro-dollars, `task_id` the request that it was for."""

    provider: str
    external_id: str | None
    task_id: str
    stage: str
    cost: int
    at: datetime
    why: str


@dataclass(frozen=True)
class OrphanList:
    """The newest of them, and how many there are in all and what they cost, in micro-dollars."""

    count: int
    cost: int
    newest: tuple[Orphan, ...]


def orphan_list(tx: Connection, limit: int = _MOST_LISTED) -> OrphanList:
    """What there is on record."""
    count, cost = tx.execute(select(func.count(), func.sum(orphans.c.cost))).one()
    columns = [orphans.c[name] for name in Orphan.__dataclass_fields__]
    rows = tx.execute(select(*columns).order_by(orphans.c.id.desc()).limit(limit))
    return OrphanList(count, int(cost or 0), tuple(Orphan(*row) for row in rows))


def orphan_costs(*grouped: Any) -> Select[Any]:
    """The sum of what no submission of a request counts already, for each of these columns."""
    counted = exists().where(provider_jobs.c.token == orphans.c.token)
    query = select(*grouped, func.sum(orphans.c.cost)).where(orphans.c.cost > 0, ~counted)
    return query.group_by(*grouped) if grouped else query
