"""One act on many orders: what it would do with each, and the act."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from castad.orders.acts import retry_order
from castad.orders.submit import prices_of, total_price
from pipeline_defs.capabilities import can_settle_shared_key
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.health import build_overview
from resources.ledger.queries.listing import RequestFilter, count_requests, list_oldest_task_ids
from resources.ledger.queries.money import list_submissions
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import StageStatus
from resources.ledger.transitions.callbacks import give_up_submission, resubmit_request
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import Settings

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


TRIED, RESOLVE, CORRECT = "tried", "resolve", "correct"
_RESOLVED_BY: Mapping[str, Callable[..., Request]] = {
    "resubmit": resubmit_request,
    "give_up": give_up_submission,
}


@dataclass(frozen=True)
class Alike:
    """Orders of one code, or in doubt at one provider (`of`), that need the same; `price` in micro-dollars."""

    of: str
    needs: str
    task_ids: Sequence[str]
    price: int


@dataclass(frozen=True)
class Plan:
    """What becomes of the oldest matching orders; `more` is whether further orders match."""

    groups: Sequence[Alike]
    more: bool

    def ids(self, needs: str) -> list[str]:
        """Return the orders that need this."""
        return [name for each in self.groups if each.needs == needs for name in each.task_ids]

    def price(self, needs: str) -> int:
        """Return the price of all that need this, in micro-dollars."""
        return sum(each.price for each in self.groups if each.needs == needs)


def plan_retry(db: Database, wanted: RequestFilter, before: datetime, settings: Settings) -> Plan:
    """Return which orders a retry would try, and which need to be resolved or corrected first."""
    return _planned(db, to_retry(wanted, before), partial(_retried, db, settings))


def plan_resolve(db: Database, wanted: RequestFilter, before: datetime) -> Plan:
    """Return the submissions in doubt of these orders by their provider."""
    return _planned(db, to_retry(wanted, before), partial(_in_doubt, db))


def retry_planned(db: Database, plan: Plan, before: datetime, by: str) -> BulkAct:
    """Retry what the plan tries, unless it has changed since `before`."""
    return act_on(
        plan.ids(TRIED), lambda name: retry_order(db, name, before, by=by), more=plan.more
    )


def resolve_planned(db: Database, plan: Plan, choice: str, provider: str, by: str) -> BulkAct:
    """Resolve the submissions that are in doubt at this provider; `choice` is resubmit or give_up."""
    names = [name for each in plan.groups if each.of == provider for name in each.task_ids]
    return act_on(names, lambda name: _RESOLVED_BY[choice](db, name, by), more=plan.more)


def _planned(
    db: Database,
    wanted: RequestFilter,
    decide: Callable[[Request], tuple[str, str, int] | None],
) -> Plan:
    names = list_oldest_task_ids(db, wanted, MOST_AT_ONCE + 1)
    found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for name in names[:MOST_AT_ONCE]:
        try:
            decided = decide(get_request(db, name))
        except UnknownRequestError:
            continue
        if decided is not None:
            of, needs, price = decided
            found[of, needs].append((name, price))
    groups = [
        Alike(of, needs, [name for name, _ in each], sum(price for _, price in each))
        for (of, needs), each in sorted(found.items(), key=lambda entry: -len(entry[1]))
    ]
    return Plan(groups, len(names) > MOST_AT_ONCE)


def _retried(db: Database, settings: Settings, order: Request) -> tuple[str, str, int]:
    """Return the order's code, what it needs, and what the rest of it costs."""
    code = order.error_code or str(order.status)
    if list_submissions(db, order).in_doubt is not None:
        return code, RESOLVE, 0
    pipeline, payload = get_catalog().find_pipeline(order.pipeline), order.order()
    if pipeline is None or payload is None:
        return code, CORRECT, 0
    if code == DuplicateOrderError.code and not can_settle_shared_key(pipeline):
        return code, CORRECT, 0
    done = {
        each.stage
        for each in build_overview(db, order.task_id).stages
        if each.status == StageStatus.COMPLETED
    }
    try:
        prices = prices_of(pipeline, payload, settings)
    except InvalidInputError:
        return code, CORRECT, 0
    return code, TRIED, total_price([each for each in prices if each.stage not in done])


def _in_doubt(db: Database, order: Request) -> tuple[str, str, int] | None:
    lost = list_submissions(db, order).in_doubt
    return None if lost is None else (lost.provider, RESOLVE, lost.cost)
