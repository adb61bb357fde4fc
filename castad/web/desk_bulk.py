"""Retry and cancel of all orders that the desk's filter finds: first how many they would be, then the act."""

from datetime import datetime
from typing import Any, get_args

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.params import parse_timestamp
from castad.api.state import Api, ApiDep
from castad.orders.bulk import (
    MOST_AT_ONCE,
    TRIED,
    BulkAct,
    Plan,
    cancel_matching,
    count_matching,
    plan_resolve,
    plan_retry,
    resolve_planned,
    retry_planned,
    to_cancel,
    to_retry,
)
from castad.readmodels.order_list import read_page
from castad.web.desk import AdminDep, NumbersDep, lead_to
from castad.web.desk_filter import BulkVerb, DeskFilter
from castad.web.desk_numbers import midnight_of
from castad.web.page_route import PageRoute
from castad.web.plain_form import read_plain_form
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.visitor import Visitor, require_order_scope
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.feed import find_newest_event_id
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.status import read_clock

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_SHOWN = 10
_VERBS = get_args(BulkVerb)


@router.get("/desk/-/bulk")
def back_to_desk(request: Request, visitor: AdminDep) -> Response:
    """Where a browser goes that opens the form's address."""
    return lead_to(request, "/desk")


@router.post("/desk/-/bulk")
async def bulk(request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep) -> Response:
    """Without `before` the page that says how many orders it would be; with it the act, and the desk again.

    `before` is the moment of the dry run: no order that came later is retried or canceled.
    """
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    verb, chosen = _read(form)
    if not form.get("before"):
        return await run_in_threadpool(_dry_run, request, api, visitor, verb, chosen)
    began = await run_in_threadpool(find_newest_event_id, api.db)
    done = await run_in_threadpool(_act, api, verb, chosen, form, visitor.name)
    ended = await run_in_threadpool(find_newest_event_id, api.db)
    numbers.forget()
    told = {
        "did": verb,
        "n": str(len(done.task_ids)),
        "skipped": str(done.skipped),
        "after": str(began),
        "until": str(ended),
    }
    return guard(RedirectResponse(chosen.address(**told), 303))


def _read(form: dict[str, str]) -> tuple[BulkVerb, DeskFilter]:
    chosen = DeskFilter.read(form)
    verb: Any = form.get("verb")
    if verb not in _VERBS:
        raise InvalidInputError("verb", f"expected one of {', '.join(_VERBS)}")
    if verb not in chosen.verbs:
        raise InvalidInputError("status", f"expected orders of a state that allows a {verb}")
    return verb, chosen


def _dry_run(
    request: Request, api: Api, visitor: Visitor, verb: BulkVerb, chosen: DeskFilter
) -> Response:
    before = read_clock(api.db)
    wanted = chosen.request_filter(midnight_of(before))
    plan = None if verb == "cancel" else _plan(api, verb, wanted, before)
    matching = to_cancel(wanted, before) if plan is None else to_retry(wanted, before)
    count = count_matching(api.db, matching)
    tried = count if plan is None else len(plan.ids(TRIED))
    return page(
        request,
        "desk_bulk.html",
        visitor,
        verb=verb,
        filter=chosen,
        count=count,
        tried=tried,
        plan=plan,
        most=MOST_AT_ONCE,
        newest=read_page(api.db, matching, limit=_SHOWN).orders,
        before=before.isoformat(),
    )


def _plan(api: Api, verb: BulkVerb, wanted: RequestFilter, before: datetime) -> Plan:
    if verb == "retry":
        return plan_retry(api.db, wanted, before, api.settings)
    return plan_resolve(api.db, wanted, before)


def _act(api: Api, verb: BulkVerb, chosen: DeskFilter, form: dict[str, str], by: str) -> BulkAct:
    before = parse_timestamp("before", form["before"])
    if before is None:
        raise InvalidInputError("before", "expected the moment of the dry run")
    wanted = chosen.request_filter(midnight_of(before))
    if verb == "cancel":
        return cancel_matching(api.db, wanted, before, by)
    plan = _plan(api, verb, wanted, before)
    if verb == "retry":
        return retry_planned(api.db, plan, before, by)
    return resolve_planned(api.db, plan, verb, form.get("provider", ""), by)
