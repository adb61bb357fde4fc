"""One order in the ledger, as plain arguments."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from resources.ledger.db.database import Database
from resources.ledger.request import Request
from resources.ledger.transitions.orders import NewRequest, SameOrder, submit_orders


def submit_order(
    db: Database,
    task_id: str,
    payload: Mapping[str, Any],
    *,
    pipeline: str,
    source: str,
    same_order: SameOrder,
    max_retries: int | None = None,
    priority: int | None = None,
    not_before: datetime | None = None,
    **owned: Any,
) -> tuple[Request, bool]:
    """One order is submitted: see `submit_orders`."""
    options = (max_retries, priority, not_before)
    order = NewRequest(task_id, payload, pipeline, source, same_order, *options, **owned)
    [submitted] = submit_orders(db, [order])
    return submitted.request, submitted.created
