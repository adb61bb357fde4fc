"""One act on many orders: which they would be, and the act on each of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from castad.orders.retry import retry_order
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.listing import RequestFilter, count_requests, list_oldest_task_ids
from resources.ledger.transitions.orders import cancel_request

MOST_AT_ONCE = 500


@dataclass(frozen=True)
class BulkAct:
    """What became of the oldest matching orders; `skipped` counts those that others changed meanwhile.

    `more` is whether further orders match, because a call acts on so many at most.
    """

    task_ids: list[str]
    skipped: int
    more: bool


def to_retry(wanted: RequestFilter, before: datetime) -> RequestFilter:
    """Those of the orders that a retry as of this moment is about: none that has changed since then."""
    return replace(wanted, before=before)


def to_cancel(wanted: RequestFilter, before: datetime) -> RequestFilter:
    """Those of the orders that a cancel as of this moment is about.

    Neither those that were made since then, nor those whose attempts are being stopped already.
    """
    return replace(wanted, created_until=before, cancel_requested=False)


def count_matching(db: Database, wanted: RequestFilter) -> int:
    """How many orders an act would be about; nothing is changed."""
    return count_requests(db, wanted)


def retry_matching(db: Database, wanted: RequestFilter, before: datetime, by: str) -> BulkAct:
    """The oldest of these orders are pending again, unless they have changed since `before`."""
    chosen = to_retry(wanted, before)
    return _act(db, chosen, lambda task_id: retry_order(db, task_id, before, by=by))


def cancel_matching(db: Database, wanted: RequestFilter, before: datetime, by: str) -> BulkAct:
    """The oldest of these orders are canceled, or their attempts are asked to stop, if created before `before`."""
    return _act(db, to_cancel(wanted, before), lambda task_id: cancel_request(db, task_id, by))


def _act(db: Database, wanted: RequestFilter, act: Callable[[str], object]) -> BulkAct:
    names = list_oldest_task_ids(db, wanted, MOST_AT_ONCE + 1)
    return act_on(names[:MOST_AT_ONCE], act, more=len(names) > MOST_AT_ONCE)


def act_on(names: Sequence[str], act: Callable[[str], object], *, more: bool) -> BulkAct:
    """Do the act on each of these orders, and return what became of them."""
    done = [name for name in names if _is_done(act, name)]
    return BulkAct(done, len(names) - len(done), more=more)


def _is_done(act: Callable[[str], object], task_id: str) -> bool:
    """False where another caller has changed it or ordered it again in the meantime."""
    try:
        act(task_id)
    except (IllegalTransitionError, DuplicateOrderError, UnknownRequestError):
        return False
    return True
