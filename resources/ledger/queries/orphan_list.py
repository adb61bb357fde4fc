"""Orphans: submissions, possibly paid for, whose request or row was deleted. Read-only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, exists, func, select

from resources.ledger.queries.reads import columns_of
from resources.ledger.schema.tables import orphans, provider_jobs

_MOST_LISTED = 100
# The submission may still be there, with what it has cost in the end.
_KNOWN_COST = func.coalesce(
    select(provider_jobs.c.cost).where(provider_jobs.c.token == orphans.c.token).scalar_subquery(),
    orphans.c.cost,
)


@dataclass(frozen=True)
class Orphan:
    """One orphan; `cost` in micro-dollars as far as it is known, `task_id` that of its former request."""

    provider: str
    external_id: str | None
    task_id: str
    stage: str
    cost: int
    at: datetime
    why: str


@dataclass(frozen=True)
class OrphanList:
    """The newest orphans, and the count and cost (micro-dollars) of all."""

    count: int
    cost: int
    newest: tuple[Orphan, ...]


def orphan_list(tx: Connection, limit: int = _MOST_LISTED) -> OrphanList:
    """The saved orphans."""
    count, cost = tx.execute(select(func.count(), func.sum(_KNOWN_COST))).one()
    columns = (
        _KNOWN_COST if each is orphans.c.cost else each for each in columns_of(orphans, Orphan)
    )
    rows = tx.execute(select(*columns).order_by(orphans.c.id.desc()).limit(limit))
    return OrphanList(count, int(cost or 0), tuple(Orphan(*row) for row in rows))


def orphan_costs(*grouped: Any) -> Select[Any]:
    """The cost of orphans that no submission counts already, grouped by these columns."""
    counted = exists().where(provider_jobs.c.token == orphans.c.token)
    query = select(*grouped, func.sum(orphans.c.cost)).where(orphans.c.cost > 0, ~counted)
    return query.group_by(*grouped) if grouped else query
