"""One act on many orders: the plan of what it does with each, and the act itself."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from castad.orders.acts import retry_order
from castad.orders.submit import list_prices, sum_prices
from pipeline_defs.capabilities import can_settle_shared_key
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import (
    DuplicateOrderError,
    IllegalTransitionError,
    UnknownRequestError,
)
from resources.ledger.queries.listing import RequestFilter, list_oldest_task_ids
from resources.ledger.queries.money import list_submissions
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request
from resources.ledger.schema.tables import StageStatus
from resources.ledger.transitions.callbacks import give_up_submission, resubmit_request
from resources.ledger.transitions.orders import cancel_request
from resources.process.settings import Settings

MOST_AT_ONCE = 500
_MOST_LOOKED_AT = 5000
"""The most orders of which one plan decides what they need."""


@dataclass(frozen=True)
class BulkAct:
    """The orders that were acted on, the oldest matching ones.

    `skipped` counts those that other callers changed meanwhile. `more` is whether further orders match, because a
    call acts on MOST_AT_ONCE at most.
    """

    task_ids: list[str]
    skipped: int
    more: bool


def select_to_retry(wanted: RequestFilter, before: datetime) -> RequestFilter:
    """Narrow the filter to the orders that a retry as of `before` acts on: those unchanged since then."""
    return replace(wanted, before=before)


def select_to_cancel(wanted: RequestFilter, before: datetime) -> RequestFilter:
    """Narrow the filter to the orders that a cancel as of `before` acts on.

    It leaves out orders that were created since then, and those whose attempts are already being stopped.
    """
    return replace(wanted, created_until=before, cancel_requested=False)


def cancel_matching(db: Database, wanted: RequestFilter, before: datetime, by: str) -> BulkAct:
    """Cancel the oldest matching orders that were created before `before`, or ask their attempts to stop."""
    names = list_oldest_task_ids(db, select_to_cancel(wanted, before), MOST_AT_ONCE + 1)
    return _act_on(names, lambda name: cancel_request(db, name, by))


def _act_on(names: Sequence[str], act: Callable[[str], object], *, more: bool = False) -> BulkAct:
    """Do the act on each of these orders, at most MOST_AT_ONCE; `more` is whether others match too."""
    tried = names[:MOST_AT_ONCE]
    done = [name for name in tried if _is_done(act, name)]
    return BulkAct(done, len(tried) - len(done), more=more or len(names) > MOST_AT_ONCE)


def _is_done(act: Callable[[str], object], task_id: str) -> bool:
    """Do the act; return False if another caller has changed the order in the meantime."""
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
class PlanGroup:
    """Orders with the same error code or provider (`of`) and the same need; `price` in micro-dollars."""

    of: str
    needs: str
    task_ids: Sequence[str]
    price: int


@dataclass(frozen=True)
class Plan:
    """A plan for the oldest matching orders; `more` is whether further orders match."""

    groups: Sequence[PlanGroup]
    more: bool

    def list_task_ids(self, needs: str) -> list[str]:
        """List the orders that need this."""
        return [name for each in self.groups if each.needs == needs for name in each.task_ids]

    def sum_price(self, needs: str) -> int:
        """Sum the price of all that need this, in micro-dollars."""
        return sum(each.price for each in self.groups if each.needs == needs)


def plan_retry(db: Database, wanted: RequestFilter, before: datetime, settings: Settings) -> Plan:
    """Plan which orders a retry would try, and which need to be resolved or corrected first."""
    return _make_plan(
        db, select_to_retry(wanted, before), partial(_plan_retry_of, db, settings), TRIED
    )


def plan_resolve(db: Database, wanted: RequestFilter, before: datetime) -> Plan:
    """Plan the submissions in doubt of these orders by their provider."""

    def decide(order: Request) -> tuple[str, str, int] | None:
        lost = list_submissions(db, order).in_doubt
        return None if lost is None else (lost.provider, RESOLVE, lost.cost)

    return _make_plan(db, select_to_retry(wanted, before), decide, RESOLVE)


def retry_planned(db: Database, plan: Plan, before: datetime, by: str) -> BulkAct:
    """Retry the orders that the plan tries, unless they have changed since `before`."""
    return _act_on(
        plan.list_task_ids(TRIED), lambda name: retry_order(db, name, before, by=by), more=plan.more
    )


def resolve_planned(db: Database, plan: Plan, choice: str, provider: str, by: str) -> BulkAct:
    """Resolve the submissions that are in doubt at this provider; `choice` is resubmit or give_up."""
    names = [name for each in plan.groups if each.of == provider for name in each.task_ids]
    return _act_on(names, lambda name: _RESOLVED_BY[choice](db, name, by), more=plan.more)


def _make_plan(
    db: Database,
    wanted: RequestFilter,
    decide: Callable[[Request], tuple[str, str, int] | None],
    act: str,
) -> Plan:
    """Plan the oldest matching orders until MOST_AT_ONCE of them need what the act does."""
    names = list_oldest_task_ids(db, wanted, _MOST_LOOKED_AT + 1)
    found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    looked_at = counted = 0
    for name in names[:_MOST_LOOKED_AT]:
        if counted == MOST_AT_ONCE:
            break
        looked_at += 1
        try:
            decided = decide(get_request(db, name))
        except UnknownRequestError:
            continue
        if decided is not None:
            of, needs, price = decided
            found[of, needs].append((name, price))
            counted += needs == act
    groups = [
        PlanGroup(of, needs, [name for name, _ in each], sum(price for _, price in each))
        for (of, needs), each in sorted(found.items(), key=lambda entry: -len(entry[1]))
    ]
    return Plan(groups, len(names) > looked_at)


def _plan_retry_of(db: Database, settings: Settings, order: Request) -> tuple[str, str, int]:
    """Return the order's code, what it needs, and the price of its remaining stages."""
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
        prices = list_prices(pipeline, payload, settings)
    except InvalidInputError:
        return code, CORRECT, 0
    return code, TRIED, sum_prices([each for each in prices if each.stage not in done])
