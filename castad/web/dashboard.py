"""The operators' dashboard: tiles that filter a table of all orders, and acts on all that the filter finds."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from castad.api.auth import ensure_scope
from castad.api.bodies import parse_timestamp, require_plain_text
from castad.api.state import Api, ApiDep
from castad.orders.bulk import (
    MOST_AT_ONCE,
    TRIED,
    BulkAct,
    Plan,
    cancel_matching,
    plan_resolve,
    plan_retry,
    resolve_planned,
    retry_planned,
    select_to_cancel,
    select_to_retry,
)
from castad.views.order_list import Page, count_found_codes, parse_search_words, read_page
from castad.views.scope import make_workload_scope
from castad.web.pages import (
    PageRoute,
    Visitor,
    VisitorDep,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import Language, Translator, find_code_sentence, get_translator
from castad.web.work_view import find_stage_label
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.db.database import Database
from resources.ledger.limits import APPROVAL_PREFIX
from resources.ledger.queries.access import Scope
from resources.ledger.queries.feed import find_newest_event_id
from resources.ledger.queries.listing import Group, RequestFilter, count_requests, is_paused
from resources.ledger.queries.status import count_current_statuses, read_clock
from resources.ledger.queries.workload import Workload, WorkloadScope, read_workload
from resources.ledger.schema.tables import AT_WORK, Status

TILES = ("waiting", "working", "retry", "dead", "in_doubt", "paused", "held", "done_today")
"""The states that have a tile, in their order."""
STATES = (*TILES, "completed", "canceled")
_STATUSES = {
    "retry": Status.FAILED,
    "done_today": Status.COMPLETED,
    "completed": Status.COMPLETED,
    "canceled": Status.CANCELED,
}
_RETRIED = ("retry", "dead", "canceled")
_CANCELED = ("waiting", "working", "retry", "paused", "held")
BulkVerb = Literal["retry", "cancel", "resubmit", "give_up"]


@dataclass(frozen=True)
class DashboardFilter:
    """A filter of orders; a field of None matches all. `status` is one of `STATES`, `q` has words."""

    status: str | None = None
    pipeline: str | None = None
    stage: str | None = None
    owner: str | None = None
    code: str | None = None
    q: str | None = None

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Read the filter from an address or a form; raise InvalidInputError for wrong values."""
        found = {each.name: str(given.get(each.name) or "").strip() or None for each in fields(cls)}
        for name, value in found.items():
            if value is not None:
                require_plain_text(name, value)
        if found["status"] not in (None, *STATES):
            raise InvalidInputError("status", f"expected one of {', '.join(STATES)}")
        if found["q"] is not None:
            parse_search_words(found["q"])
        return cls(**found)

    @property
    def words(self) -> list[str]:
        """The words that orders must have."""
        return [] if self.q is None else parse_search_words(self.q)

    @property
    def given(self) -> dict[str, str]:
        """What is not None."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def verbs(self) -> list[BulkVerb]:
        """What may be done with all matching orders at once; a search finds too little for that."""
        allowed: dict[BulkVerb, tuple[str, ...]] = {
            "retry": _RETRIED,
            "cancel": _CANCELED,
            "resubmit": ("in_doubt",),
            "give_up": ("in_doubt",),
        }
        if self.q is not None:
            return []
        return [verb for verb, states in allowed.items() if self.status in states]

    def build_address(self, **extra: str | None) -> str:
        """Build the dashboard's address with this filter."""
        query = urlencode({**self.given, **{k: v for k, v in extra.items() if v is not None}})
        return f"/dashboard?{query}" if query else "/dashboard"

    def build_status_address(self, status: str | None) -> str:
        """Build the address of the same filter with another state."""
        return replace(self, status=status).build_address()

    def build_request_filter(self, midnight: datetime) -> RequestFilter:
        """Build the ledger's filter; `midnight` is when today began."""
        status = self.status or ""
        return RequestFilter(
            owner=self.owner,
            pipeline=self.pipeline,
            stage=self.stage,
            code=self.code,
            status=_STATUSES.get(status),
            group=Group(status) if status in list(Group) else None,
            completed_from=midnight if status == "done_today" else None,
        )


_FRESH_SECONDS = 2.0


@dataclass(frozen=True)
class DashboardNumbers:
    """The workload, and the number of each tile."""

    work: Workload
    tiles: Mapping[str, int]

    @property
    def spent_today(self) -> int:
        """What was or may have been charged today (UTC), in micro-dollars."""
        return sum(self.work.spent_today.values())


class NumbersReader:
    """A cache of the numbers for two seconds, safe for threads."""

    def __init__(self, api: Api) -> None:
        self._db = api.db
        self._scope = make_workload_scope(get_catalog(), api.settings.lease_seconds)
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._numbers: DashboardNumbers | None = None

    def read(self) -> DashboardNumbers:
        """Return numbers that are at most two seconds old."""
        with self._lock:
            if self._numbers is None or time.monotonic() - self._read_at > _FRESH_SECONDS:
                self._numbers = read_numbers(self._db, self._scope)
                self._read_at = time.monotonic()
            return self._numbers

    def forget(self) -> None:
        """Discard the numbers after a change, so that the next call reads them again."""
        self._read_at = float("-inf")


def read_numbers(db: Database, scope: WorkloadScope) -> DashboardNumbers:
    """Read the current numbers."""
    work = read_workload(db, scope)
    done = RequestFilter(status=Status.COMPLETED, completed_from=find_midnight(work.at))
    counted = {
        "dead": count_requests(db, RequestFilter(group=Group.DEAD)),
        "in_doubt": count_requests(db, RequestFilter(group=Group.IN_DOUBT)),
        "done_today": count_requests(db, done),
    }
    return DashboardNumbers(work, count_tiles(work, counted))


def find_midnight(at: datetime) -> datetime:
    """Return when the UTC day of this moment began; spending is counted by the same days."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def count_tiles(work: Workload, of_tiles: Mapping[str, int]) -> dict[str, int]:
    """Count the orders of each tile; `of_tiles` are those that the workload has not.

    A pending order is waiting, paused or held. One whose submission is in doubt is not dead.
    """
    counted = dict.fromkeys(Status, 0)
    for (status, _), count in work.requests.items():
        counted[status] += count
    waiting = work.waiting.items()
    paused = sum(count for name, count in waiting if is_paused(name))
    held = sum(count for name, count in waiting if name.startswith(APPROVAL_PREFIX))
    return {
        "waiting": counted[Status.PENDING] - paused - held,
        "working": sum(counted[status] for status in AT_WORK),
        "retry": counted[Status.FAILED],
        "dead": of_tiles["dead"],
        "in_doubt": of_tiles["in_doubt"],
        "paused": paused,
        "held": held,
        "done_today": of_tiles["done_today"],
    }


_ROWS_OF_PAGE = 40
"""Few, to keep the first screen small; the script loads more."""
_ROWS_OF_SCRIPT = 100
_MOST_CODES = 100
router = APIRouter(route_class=PageRoute, include_in_schema=False)
Cursor = Annotated[str | None, Query(pattern="^[0-9]{1,18}$")]


async def _require_admin(visitor: VisitorDep) -> Visitor:
    ensure_scope(visitor.key, Scope.ADMIN)
    return visitor


AdminDep = Annotated[Visitor, Depends(_require_admin)]
"""A visitor with an admin's key; others are refused."""


async def _get_numbers_reader(request: Request) -> NumbersReader:
    numbers: NumbersReader = request.app.state.dashboard_numbers
    return numbers


NumbersDep = Annotated[NumbersReader, Depends(_get_numbers_reader)]


@router.get("/admin")
def lead_to_dashboard(request: Request, visitor: AdminDep) -> Response:
    """Redirect to the dashboard."""
    return lead_to(request, "/dashboard")


@router.get("/desk")
@router.get("/desk/{rest:path}")
def redirect_from_desk(request: Request) -> Response:
    """Redirect the dashboard's former address, and any below it, with path and query kept."""
    path = quote(request.scope["path"].replace("/desk", "/dashboard", 1))
    query = request.scope["query_string"].decode("latin-1")
    return guard(RedirectResponse(f"{path}?{query}" if query else path, 308))


def lead_to(request: Request, path: str) -> Response:
    """Redirect to the path with the same query, which may choose a language."""
    query = request.url.query
    return guard(RedirectResponse(f"{path}?{query}" if query else path, 303))


@router.get("/dashboard")
def show_dashboard(
    request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep, cursor: Cursor = None
) -> Response:
    """Show the tiles and a page of matching orders."""
    chosen = DashboardFilter.read(request.query_params)
    counted = numbers.read()
    wanted = chosen.build_request_filter(find_midnight(counted.work.at))
    found = read_rows(api, wanted, chosen.words, cursor, _ROWS_OF_PAGE)
    translate = get_translator(request)
    codes, is_more = read_codes(api, wanted, chosen.words)
    return render_page(
        request,
        "dashboard.html",
        visitor,
        filter=chosen,
        numbers=counted,
        tiles=TILES,
        states=STATES,
        orders=found.orders,
        older=found.next and chosen.build_address(cursor=found.next),
        is_first=cursor is None,
        codes=[(code, count, find_code_sentence(code, translate)) for code, count in codes],
        is_more=is_more,
        labels=build_labels(translate),
        settings=api.settings,
        did=_describe_bulk_act(api, request, translate),
    )


@router.get("/dashboard/-/rows")
def list_rows(
    request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep, cursor: Cursor = None
) -> Response:
    """Return a page of matching orders as JSON."""
    chosen = DashboardFilter.read(request.query_params)
    wanted = chosen.build_request_filter(find_midnight(numbers.read().work.at))
    found = read_rows(api, wanted, chosen.words, cursor, _ROWS_OF_SCRIPT)
    return guard(JSONResponse(found.model_dump(mode="json")))


@router.get("/dashboard/-/numbers")
def show_tile_numbers(numbers: NumbersDep, visitor: AdminDep) -> Response:
    """Return the number of each tile as JSON."""
    return guard(JSONResponse(dict(numbers.read().tiles)))


def read_rows(
    api: Api, wanted: RequestFilter, words: Sequence[str], cursor: str | None, limit: int
) -> Page:
    """Read a page of matching orders, newest first."""
    after = None if cursor is None else int(cursor)
    return read_page(api.db, wanted, words=words, after=after, limit=limit)


def read_codes(
    api: Api, wanted: RequestFilter, words: Sequence[str]
) -> tuple[list[tuple[str, int]], bool]:
    """Count by error code the orders that match without the chosen code; also return whether there may be more."""
    counted, is_more = count_found_codes(api.db, replace(wanted, code=None), words)
    missing = {wanted.code} - {None, *(code for code, _ in counted)}
    return [*counted[:_MOST_CODES], *((str(code), 0) for code in missing)], is_more


def build_labels(translate: Translator) -> Mapping[str, Any]:
    """Build the labels of statuses, pipelines and stages, for templates and the script."""
    return _build_labels(translate.language, translate.pipeline)


@lru_cache(maxsize=100)
def _build_labels(language: Language, pipeline: str | None) -> Mapping[str, Any]:
    translate = Translator(language, pipeline)
    of_pipeline = [(each, Translator(language, each.name)) for each in get_catalog()]
    return {
        "status": {
            **{each.value: translate(f"status_{each.value}") for each in Status},
            "held": translate("status_held"),
            "paused": translate("dashboard_paused"),
            "in_doubt": translate("dashboard_tile_in_doubt"),
        },
        "pipeline": {each.name: texts.find("kind", each.title) for each, texts in of_pipeline},
        "stage": {
            each.name: {name: find_stage_label(each, name, texts) for name in each.stage_names}
            for each, texts in of_pipeline
        },
    }


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


_EVENT_OF: Mapping[str, str] = {
    "retry": "retried",
    "cancel": "canceled",
    "resubmit": "resolved",
    "give_up": "resolved",
}


def _describe_bulk_act(api: Api, request: Request, translate: Translator) -> str | None:
    """Describe the bulk act named in the address, and the current state of its orders."""
    given = request.query_params
    verb = given.get("did", "")
    names = ("n", "skipped", "after", "until")
    if verb not in _EVENT_OF or not all(_is_count(given.get(name, "0")) for name in names):
        return None
    number, skipped, after, until = (int(given.get(name, "0")) for name in names)
    said = [translate(f"dashboard_did_{verb}", n=number)]
    if skipped:
        said.append(translate("dashboard_skipped", n=skipped))
    became = count_current_statuses(api.db, _EVENT_OF[verb], after, until)
    now = ", ".join(
        f"{translate(f'status_{each.value}')} {became[each]}" for each in Status if each in became
    )
    return " ".join([*said, translate("dashboard_became", now=now)] if now else said)


_SHOWN = 10
_VERBS = get_args(BulkVerb)


@router.get("/dashboard/-/bulk")
def return_to_dashboard(request: Request, visitor: AdminDep) -> Response:
    """Redirect a browser that opens the form's address."""
    return lead_to(request, "/dashboard")


@router.post("/dashboard/-/bulk")
async def run_bulk_act(
    request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep
) -> Response:
    """Run the bulk act if `before` is given; otherwise show how many orders it would affect.

    `before` is the moment of the dry run: the act ignores later orders.
    """
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    verb, chosen = _read_bulk_form(form)
    if not form.get("before"):
        return await run_in_threadpool(_show_dry_run, request, api, visitor, verb, chosen)
    began = await run_in_threadpool(find_newest_event_id, api.db)
    done = await run_in_threadpool(_run_bulk_act, api, verb, chosen, form, visitor.name)
    ended = await run_in_threadpool(find_newest_event_id, api.db)
    numbers.forget()
    told = {
        "did": verb,
        "n": str(len(done.task_ids)),
        "skipped": str(done.skipped),
        "after": str(began),
        "until": str(ended),
    }
    return guard(RedirectResponse(chosen.build_address(**told), 303))


def _read_bulk_form(form: dict[str, str]) -> tuple[BulkVerb, DashboardFilter]:
    chosen = DashboardFilter.read(form)
    verb: Any = form.get("verb")
    if verb not in _VERBS:
        raise InvalidInputError("verb", f"expected one of {', '.join(_VERBS)}")
    if verb not in chosen.verbs:
        raise InvalidInputError("status", f"expected orders of a state that allows a {verb}")
    return verb, chosen


def _show_dry_run(
    request: Request, api: Api, visitor: Visitor, verb: BulkVerb, chosen: DashboardFilter
) -> Response:
    before = read_clock(api.db)
    wanted = chosen.build_request_filter(find_midnight(before))
    plan = None if verb == "cancel" else _plan(api, verb, wanted, before)
    matching = select_to_cancel(wanted, before) if plan is None else select_to_retry(wanted, before)
    count = count_requests(api.db, matching)
    tried = count if plan is None else len(plan.list_task_ids(TRIED))
    return render_page(
        request,
        "dashboard_bulk.html",
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


def _run_bulk_act(
    api: Api, verb: BulkVerb, chosen: DashboardFilter, form: dict[str, str], by: str
) -> BulkAct:
    before = parse_timestamp("before", form["before"])
    if before is None:
        raise InvalidInputError("before", "expected the moment of the dry run")
    wanted = chosen.build_request_filter(find_midnight(before))
    if verb == "cancel":
        return cancel_matching(api.db, wanted, before, by)
    plan = _plan(api, verb, wanted, before)
    if verb == "retry":
        return retry_planned(api.db, plan, before, by)
    return resolve_planned(api.db, plan, verb, form.get("provider", ""), by)
