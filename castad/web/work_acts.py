"""Share a work, and what a visitor may do with one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import segno
from fastapi import APIRouter, Request
from starlette.responses import Response

from castad.api.auth import authorize, ensure_scope, find_readable_order, is_own
from castad.api.state import Api, ApiDep
from castad.orders.acts import delete_order, redo_order, resume_by_hand, retry_order
from castad.orders.approval import apply_choice, approve_order, reject_order, revise_order
from castad.views.snapshot import read_shared_snapshot
from castad.views.status_body import build_status_body
from castad.web.pages import PageRoute, Visitor, render_page
from castad.web.words import get_translator
from castad.web.work_view import build_finished, list_own_files
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.queries.access import Scope, list_share_links
from resources.ledger.request import Request as Order
from resources.ledger.request import Token
from resources.ledger.transitions.access import (
    MOST_DAYS,
    USUAL_DAYS,
    revoke_share_link,
    share_request,
)
from resources.ledger.transitions.orders import cancel_request

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PUBLIC = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}


@dataclass(frozen=True)
class NewLink:
    """The address of a share link, and its QR code as an address of a picture."""

    address: str
    code: str


def share_work(api: Api, visitor: Visitor, task_id: str, days: str, base: str) -> NewLink:
    """Create a link to the result of the visitor's own work, valid for `days`.

    Raises UnknownRequestError, InvalidInputError `days`, and what `share_request` raises.
    """
    order = authorize(visitor.key, find_readable_order(api, visitor.key, task_id))
    if not (days.isascii() and days.isdigit() and 1 <= int(days[:4]) <= MOST_DAYS):
        raise InvalidInputError("days", f"expected a whole number from 1 to {MOST_DAYS}")
    token = Token.new()
    share_request(api.db, order.task_id, token, days=int(days), created_by=visitor.name)
    address = f"{base}s/{token.text}"
    return NewLink(address, segno.make(address).svg_data_uri(border=2, scale=4, light="#fff"))


def revoke_link(api: Api, order: Order, link: str) -> None:
    """Revoke the link; raise UnknownShareLinkError."""
    if not link.isalnum():
        raise UnknownShareLinkError
    revoke_share_link(api.db, order.id, link)


def build_link_values(
    api: Api, visitor: Visitor, order: Order, new: NewLink | None
) -> Mapping[str, Any]:
    """Build the values about links on a work's page; only the owner sees the links."""
    return {
        "shared": new,
        "links": list_share_links(api.db, order.id) if is_own(visitor.key, order) else [],
        "most_days": MOST_DAYS,
        "usual_days": USUAL_DAYS,
    }


@router.get("/s/{token}")
def show_shared_result(request: Request, token: str, api: ApiDep) -> Response:
    """Show the result and its files only, or a page which says that the link has ended."""
    try:
        snapshot = read_shared_snapshot(api.db, token, api.store.root)
    except UnknownShareLinkError:
        return _add_public_headers(render_page(request, "share_gone.html", status=404))
    request.state.task_id = snapshot.request.task_id
    pipeline = snapshot.pipeline
    translate = get_translator(request, pipeline.name if pipeline else None)
    body = build_status_body(snapshot, api.settings.ui_url)
    finished = build_finished(
        snapshot, body, translate, url=lambda name: f"/s/{token}/files/{quote(name, safe='')}"
    )
    view = finished.view or {}
    kind = translate.find("kind", "castad")
    return _add_public_headers(
        render_page(
            request,
            "share.html",
            pipeline=pipeline,
            heading=view.get("title") or kind,
            about=f"{view['name']} · {kind}" if view.get("name") else kind,
            origin=str(request.base_url).rstrip("/"),
            address=str(request.url.replace(query="")),
            finished=finished,
            own=list_own_files(pipeline),
            is_shared=True,
        )
    )


def _add_public_headers(response: Response) -> Response:
    response.headers.update(_PUBLIC)
    return response


Form = Mapping[str, str]
_MOST_DIGITS = 10


@dataclass(frozen=True)
class Call:
    """A form of this person's about an order of theirs."""

    api: Api
    visitor: Visitor
    order: Order
    form: Form

    @property
    def by(self) -> str:
        """Who does it, as events say."""
        return self.visitor.name


def read_edited_fields(pipeline: Pipeline | None, stage: str, form: Form) -> dict[str, str]:
    """Return the product's fields in the form, with line ends as in the ledger."""
    found = None if pipeline is None else pipeline.find_stage(stage)
    if found is None or found.revision is None:
        return {}
    return {
        name: form[name].replace("\r\n", "\n")
        for name in found.revision.model.model_fields
        if name in form
    }


def _save_held(call: Call) -> None:
    """Store the edits and the choice, then approve if the form says so.

    Each is of what the person has seen, or has just written.
    """
    db, task_id, stage = call.api.db, call.order.task_id, call.form.get("stage", "")
    seen = _parse_seen(call.form.get("generation", ""))
    fields = read_edited_fields(get_catalog().find_pipeline(call.order.pipeline), stage, call.form)
    if fields:
        seen = revise_order(db, task_id, stage, fields, call.by, seen).generation
    choice = call.form.get("choice")
    if choice:
        seen = apply_choice(db, task_id, stage, choice, call.by, seen).generation
    if call.form.get("act") == "approve":
        approve_order(db, task_id, stage, call.by, seen)


def _parse_seen(text: str, field: str = "generation") -> int:
    """Parse the generation or attempt that the form was about; raise InvalidInputError."""
    if not (text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS):
        raise InvalidInputError(field, "expected the number that the form had")
    return int(text)


def parse_seen_if_given(form: Form, field: str) -> int | None:
    """Return the number that the form was about, None where it has none; raises InvalidInputError."""
    given = form.get(field)
    return None if given is None else _parse_seen(given, field)


def _reject(call: Call) -> None:
    reject_order(call.api.db, call.order.task_id, call.by)


def _redo(call: Call) -> None:
    field, value = call.form.get("field", ""), call.form.get("value", "")
    changes = {field: value} if field else {}
    stage, db, seen = (
        call.form.get("stage", ""),
        call.api.db,
        parse_seen_if_given(call.form, "generation"),
    )
    redo_order(db, call.order.task_id, stage, changes, call.api.settings, call.by, seen)


def _retry(call: Call) -> None:
    seen = parse_seen_if_given(call.form, "attempt")
    retry_order(call.api.db, call.order.task_id, by=call.by, attempt=seen)


def _cancel(call: Call) -> None:
    cancel_request(call.api.db, call.order.task_id, call.by)


def _delete(call: Call) -> None:
    api = call.api
    delete_order(api.db, api.store, api.get_dagster(), call.order.task_id, call.by)


def _resume(call: Call) -> None:
    ensure_scope(call.visitor.key, Scope.ADMIN)
    resume_by_hand(call.api.db, call.form.get("provider", ""), call.by)


def _unshare(call: Call) -> None:
    revoke_link(call.api, call.order, call.form.get("link", ""))


ACTS: Mapping[str, Callable[[Call], None]] = {
    "held": _save_held,
    "reject": _reject,
    "redo": _redo,
    "retry": _retry,
    "cancel": _cancel,
    "delete": _delete,
    "resume": _resume,
    "unshare": _unshare,
}
