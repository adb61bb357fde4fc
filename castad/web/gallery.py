"""The gallery: one's works, newest first, found again by words; profiles of one's shops, and batches."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.state import ApiDep
from castad.orders.order_fields import check_sought_name
from castad.views.order_list import parse_search_words, read_full_page
from castad.web.asking import Question
from castad.web.pages import (
    PageRoute,
    Visitor,
    VisitorDep,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import build_refusal, get_translator, list_pipeline_kinds
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownProfileError
from resources.ledger.queries.access import list_profiles
from resources.ledger.queries.listing import Group, RequestFilter
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.access import delete_profile

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PER_PAGE = 24
_SEARCHES = 5
"""Searches per page: together they read up to 100,000 orders, in about a second."""


@dataclass(frozen=True)
class _Wanted:
    """What the gallery shows, as its address says it."""

    q: Annotated[str, Query(max_length=400)] = ""
    pipeline: Annotated[str, Query(max_length=64)] = ""
    status: Annotated[str, Query(max_length=16)] = ""
    cursor: Annotated[str | None, Query(pattern="^[0-9]{1,18}$")] = None

    @property
    def words(self) -> list[str]:
        """The words that a work must have; raises InvalidInputError."""
        return parse_search_words(self.q) if self.q.strip() else []

    def build_filter(self, visitor: Visitor) -> RequestFilter:
        """Build the filter for this visitor; ignore unknown values."""
        return RequestFilter(
            owner=None if visitor.is_admin else visitor.owner,
            pipeline=self.pipeline if get_catalog().find_pipeline(self.pipeline) else None,
            status=next((each for each in Status if each == self.status), None),
            group=Group.HELD if self.status == Group.HELD else None,
        )


@router.get("/works")
def show_gallery(
    request: Request, api: ApiDep, visitor: VisitorDep, wanted: Annotated[_Wanted, Depends()]
) -> Response:
    """Show a page of works that have all the words."""
    translate = get_translator(request)
    words, refused = [], None
    try:
        words = wanted.words
    except InvalidInputError as error:
        refused = build_refusal(translate, error.code, error.message)
    found = read_full_page(
        api.db,
        wanted.build_filter(visitor),
        words=words,
        after=None if wanted.cursor is None else int(wanted.cursor),
        limit=_PER_PAGE,
        calls=_SEARCHES,
    )
    next_page = None
    if found.next is not None:
        next_page = f"/works?{request.url.include_query_params(cursor=found.next).query}"
    return render_page(
        request,
        "gallery.html",
        visitor,
        works=found.orders,
        next_page=next_page,
        wanted=wanted,
        refused=refused,
        statuses=[Group.HELD, *Status],
        kinds=list_pipeline_kinds(translate.language),
        profiles=list_profiles(api.db, visitor.owner),
    )


def _ask(request: Request, visitor: Visitor, pipeline: str, name: str) -> Response:
    translate = get_translator(request)
    question = Question(
        "remove",
        translate("ask_forget", name=name),
        translate("ask_forget_means"),
        translate("ask_forget_now"),
        is_final=True,
        fields={"pipeline": pipeline, "name": name, "confirmed": "yes"},
    )
    return render_page(
        request,
        "asked_page.html",
        visitor,
        question=question,
        address="/works/profiles",
        back="/works",
        about="",
    )


@router.post("/works/profiles/remove")
async def forget_profile(request: Request, api: ApiDep, visitor: VisitorDep) -> Response:
    """Ask for confirmation, then delete the profile and redirect to the gallery."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    pipeline, name = (
        get_catalog().get_pipeline(form.get("pipeline", "")),
        check_sought_name(form.get("name", "")),
    )
    if "confirmed" not in form:
        kept = await run_in_threadpool(list_profiles, api.db, visitor.owner, pipeline.name)
        if name not in [each.name for each in kept]:
            raise UnknownProfileError(name)
        return _ask(request, visitor, pipeline.name, name)
    await run_in_threadpool(delete_profile, api.db, visitor.owner, pipeline.name, name)
    return guard(RedirectResponse("/works", 303))
