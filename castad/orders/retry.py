"""The retry of an order, as every face does it."""

from datetime import datetime
from functools import partial

from pipeline_defs.catalog import get_catalog
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import DuplicateOrderError
from resources.ledger.request import Request
from resources.ledger.transitions.orders import retry_request


def retry_order(
    db: Database,
    task_id: str,
    before: datetime | None = None,
    *,
    by: str | None = None,
    attempt: int | None = None,
) -> Request:
    """Make the order pending again; where another one makes or has made the same, it takes that one's result over.

    Parameters and errors are those of `transitions.orders.retry`.
    """
    over = get_catalog().product_reusing_pipelines
    again = partial(retry_request, db, task_id, before, by=by, attempt=attempt, taking_over=over)
    try:
        return again()
    except DuplicateOrderError:
        # Another request may have taken the key after it was looked up.
        return again()
