"""The operators' desk: tiles that filter one table of all orders, which its script keeps live."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from castad.api.auth import ensure_scope
from castad.api.state import Api, ApiDep
from castad.readmodels.order_list import Page, read_page
from castad.web.desk_filter import STATES, TILES, DeskFilter
from castad.web.desk_numbers import NumbersReader, midnight_of
from castad.web.page_route import PageRoute
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import Translator, translator_of
from castad.web.visitor import Visitor, VisitorDep
from castad.web.work_view import stage_label
from pipeline_defs.catalog import get_catalog
from resources.ledger.queries.access import Scope
from resources.ledger.queries.status import count_current_statuses, read_clock
from resources.ledger.schema.tables import Status

_ROWS_OF_PAGE = 40
"""So that the first screen stays small; the script asks for more at once."""
_ROWS_OF_SCRIPT = 100
router = APIRouter(route_class=PageRoute, include_in_schema=False)
Cursor = Annotated[str | None, Query(pattern="^[0-9]{1,18}$")]


async def _admin(visitor: VisitorDep) -> Visitor:
    ensure_scope(visitor.key, Scope.ADMIN)
    return visitor


AdminDep = Annotated[Visitor, Depends(_admin)]
"""Who is logged in with an admin's key; others are refused."""


async def _numbers(request: Request) -> NumbersReader:
    numbers: NumbersReader = request.app.state.desk_numbers
    return numbers


NumbersDep = Annotated[NumbersReader, Depends(_numbers)]


@router.get("/admin")
def also_here(request: Request, visitor: AdminDep) -> Response:
    """The desk's other name."""
    return lead_to(request, "/desk")


def lead_to(request: Request, path: str) -> Response:
    """A browser goes on there, with the same query: a language is chosen at the address of a form too."""
    query = request.url.query
    return guard(RedirectResponse(f"{path}?{query}" if query else path, 303))


@router.get("/desk")
def desk(
    request: Request, api: ApiDep, numbers: NumbersDep, visitor: AdminDep, cursor: Cursor = None
) -> Response:
    """The tiles, and a page of the orders that match."""
    chosen = DeskFilter.read(request.query_params)
    found = read_rows(api, chosen, cursor, _ROWS_OF_PAGE)
    translate = translator_of(request)
    return page(
        request,
        "desk.html",
        visitor,
        filter=chosen,
        numbers=numbers.read(),
        tiles=TILES,
        states=STATES,
        orders=found.orders,
        older=found.next and chosen.address(cursor=found.next),
        is_first=cursor is None,
        labels=labels_of(translate),
        settings=api.settings,
        did=_act_of(api, request, translate),
    )


@router.get("/desk/-/rows")
def rows(request: Request, api: ApiDep, visitor: AdminDep, cursor: Cursor = None) -> Response:
    """A page of the orders that match, as JSON."""
    found = read_rows(api, DeskFilter.read(request.query_params), cursor, _ROWS_OF_SCRIPT)
    return guard(JSONResponse(found.model_dump(mode="json")))


@router.get("/desk/-/numbers")
def show_tile_numbers(numbers: NumbersDep, visitor: AdminDep) -> Response:
    """The number of each tile, as JSON."""
    return guard(JSONResponse(dict(numbers.read().tiles)))


def read_rows(api: Api, chosen: DeskFilter, cursor: str | None, limit: int) -> Page:
    """A page of the orders that match, the newest first."""
    wanted = chosen.request_filter(midnight_of(read_clock(api.db)))
    after = None if cursor is None else int(cursor)
    return read_page(api.db, wanted, words=chosen.words, after=after, limit=limit)


def labels_of(translate: Translator) -> Mapping[str, Any]:
    """What rows say, by what they are about; for templates and the script alike."""
    of_pipeline = [(each, Translator(translate.language, each.name)) for each in get_catalog()]
    return {
        "status": {
            **{each.value: translate(f"status_{each.value}") for each in Status},
            "held": translate("status_held"),
            "paused": translate("desk_paused"),
        },
        "pipeline": {each.name: texts.find("kind", each.title) for each, texts in of_pipeline},
        "stage": {
            each.name: {name: stage_label(each, name, texts) for name in each.stage_names}
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


def _act_of(api: Api, request: Request, translate: Translator) -> str | None:
    """What a bulk act has done, as its address says, and what has become of those orders since."""
    given = request.query_params
    verb = given.get("did", "")
    names = ("n", "skipped", "after", "until")
    if verb not in _EVENT_OF or not all(_is_count(given.get(name, "0")) for name in names):
        return None
    number, skipped, after, until = (int(given.get(name, "0")) for name in names)
    said = [translate(f"desk_did_{verb}", n=number)]
    if skipped:
        said.append(translate("desk_skipped", n=skipped))
    became = count_current_statuses(api.db, _EVENT_OF[verb], after, until)
    now = ", ".join(
        f"{translate(f'status_{each.value}')} {became[each]}" for each in Status if each in became
    )
    return " ".join([*said, translate("desk_became", now=now)] if now else said)
