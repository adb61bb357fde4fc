"""Share links: made and revoked on the page of a work, and the page that they show to anybody."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import segno
from fastapi import APIRouter, Request
from starlette.responses import Response

from castad.api.auth import authorize, is_own, readable_order
from castad.api.state import Api, ApiDep
from castad.readmodels.snapshot import shared_snapshot
from castad.readmodels.status_body import status_body
from castad.web.page_route import PageRoute
from castad.web.pipeline_views import own_files
from castad.web.rendering import page
from castad.web.texts import translator_of
from castad.web.visitor import Visitor
from castad.web.work_finished import finished_of
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.queries.access import list_share_links
from resources.ledger.request import Request as Order
from resources.ledger.request import Token
from resources.ledger.transitions.access import (
    MOST_DAYS,
    USUAL_DAYS,
    revoke_share_link,
    share_request,
)

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PUBLIC = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}


@dataclass(frozen=True)
class NewLink:
    """The address of a share link, and its QR code as an address of a picture."""

    address: str
    code: str


def share_work(api: Api, visitor: Visitor, task_id: str, days: str, base: str) -> NewLink:
    """A new link to the result of this person's own work, for so many days.

    Raises UnknownRequestError, InvalidInputError `days`, and what `share_request` raises.
    """
    order = authorize(visitor.key, readable_order(api, visitor.key, task_id))
    if not (days.isascii() and days.isdigit() and 1 <= int(days[:4]) <= MOST_DAYS):
        raise InvalidInputError("days", f"expected a whole number from 1 to {MOST_DAYS}")
    token = Token.new()
    share_request(api.db, order.task_id, token, days=int(days), created_by=visitor.name)
    address = f"{base}s/{token.text}"
    return NewLink(address, segno.make(address).svg_data_uri(border=2, scale=4, light="#fff"))


def revoke_link(api: Api, order: Order, link: str) -> None:
    """The link shows nothing any more; raises UnknownShareLinkError."""
    if not link.isalnum():
        raise UnknownShareLinkError
    revoke_share_link(api.db, order.id, link)


def link_values(api: Api, visitor: Visitor, order: Order, new: NewLink | None) -> Mapping[str, Any]:
    """What the page of a work shows of its links; they are its owner's only."""
    return {
        "shared": new,
        "links": list_share_links(api.db, order.id) if is_own(visitor.key, order) else [],
        "most_days": MOST_DAYS,
        "usual_days": USUAL_DAYS,
    }


@router.get("/s/{token}")
def shared_result(request: Request, token: str, api: ApiDep) -> Response:
    """The result and its files alone; a page that says so where the link shows nothing any more."""
    try:
        snapshot = shared_snapshot(api.db, token, api.store.root)
    except UnknownShareLinkError:
        return _public(page(request, "share_gone.html", status=404))
    request.state.task_id = snapshot.request.task_id
    pipeline = snapshot.pipeline
    translate = translator_of(request, pipeline.name if pipeline else None)
    body = status_body(snapshot, api.settings.ui_url)
    finished = finished_of(
        snapshot, body, translate, url=lambda name: f"/s/{token}/files/{quote(name, safe='')}"
    )
    title = (finished.view or {}).get("title")
    return _public(
        page(
            request,
            "share.html",
            pipeline=pipeline,
            heading=title or translate.find("kind", "castad"),
            finished=finished,
            own=own_files(pipeline),
            is_shared=True,
        )
    )


def _public(response: Response) -> Response:
    response.headers.update(_PUBLIC)
    return response
