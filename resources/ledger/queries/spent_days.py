"""What deleted submissions have cost, summed by day. Read-only; triggers write it."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select

from resources.ledger.schema.tables import spent_days


def deleted_costs(
    *grouped: Any, since: datetime | None = None, owner: str | None = None
) -> Select[Any]:
    """The cost of deleted submissions, grouped by these columns; since this midnight (UTC), of this owner."""
    query = select(*grouped, func.sum(spent_days.c.cost))
    if since is not None:
        query = query.where(spent_days.c.day >= f"{since:%Y-%m-%d}")
    if owner is not None:
        query = query.where(spent_days.c.owner == owner)
    return query.group_by(*grouped) if grouped else query
