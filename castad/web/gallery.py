"""The gallery: one's works, newest first, found again by words; profiles of one's shops, and batches."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.state import ApiDep
from castad.readmodels.order_list import filled_page
from castad.readmodels.order_search import search_words
from castad.web.page_route import PageRoute
from castad.web.plain_form import read_plain_form
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import pipeline_kinds, translator_of
from castad.web.visitor import VisitorDep, require_order_scope
from pipeline_defs.catalog import catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.moves.profiles import remove_profile
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.profiles import profiles_of
from resources.ledger.schema.tables import Status

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PER_PAGE = 24
_SEARCHES = 5
"""Calls of the search for one page: they look at up to 100,000 orders, which takes about a second."""


@router.get("/works")
def gallery(
    request: Request,
    api: ApiDep,
    visitor: VisitorDep,
    q: Annotated[str, Query(max_length=200)] = "",
    pipeline: Annotated[str, Query(max_length=64)] = "",
    status: Annotated[str, Query(max_length=16)] = "",
    cursor: Annotated[str | None, Query(pattern="^[0-9]{1,18}$")] = None,
) -> Response:
    """A page of works with all these words."""
    error, words = "", []
    try:
        words = search_words(q) if q.strip() else []
    except InvalidInputError as refusal:
        error = refusal.message
    wanted = RequestFilter(
        owner=None if visitor.is_admin else visitor.owner,
        pipeline=pipeline if catalog().find(pipeline) else None,
        status=next((each for each in Status if each == status), None),
    )
    after = None if cursor is None else int(cursor)
    found = filled_page(api.db, wanted, words=words, after=after, limit=_PER_PAGE, calls=_SEARCHES)
    return page(
        request,
        "gallery.html",
        visitor,
        works=found.orders,
        next_page=_next(request, found.next),
        q=q,
        error=error,
        chosen=pipeline,
        chosen_status=status,
        statuses=list(Status),
        kinds=pipeline_kinds(translator_of(request).language),
        profiles=[
            each for kind in catalog() for each in profiles_of(api.db, visitor.owner, kind.name)
        ],
    )


def _next(request: Request, cursor: str | None) -> str | None:
    """The address of the next page."""
    if cursor is None:
        return None
    return f"/works?{request.url.include_query_params(cursor=cursor).query}"


@router.post("/profiles/{pipeline}/{name:path}/remove")
async def forget_profile(
    request: Request, pipeline: str, name: str, api: ApiDep, visitor: VisitorDep
) -> Response:
    """The profile is gone; the gallery follows."""
    form: dict[str, Any] = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    await run_in_threadpool(remove_profile, api.db, visitor.owner, pipeline, name)
    return guard(RedirectResponse("/works", 303))
