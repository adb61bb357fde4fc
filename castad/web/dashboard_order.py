"""One order on the dashboard: everything that is known about it, and what an operator may do with it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.auth import build_visible_status, require_task_id
from castad.api.state import Api, ApiDep
from castad.orders.acts import resolve_submission
from castad.views.snapshot import read_snapshot
from castad.views.status_body import StatusBody, build_run_url
from castad.web.asking import Question, build_question, describe_done_act, do_once
from castad.web.dashboard import AdminDep, NumbersDep, build_labels, lead_to
from castad.web.pages import (
    PageRoute,
    Visitor,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import Translator, find_operators_remedy, find_remedy, get_translator
from castad.web.work_acts import ACTS, Call, parse_seen_if_given
from castad.web.work_view import build_stage_lines
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.money import list_submissions
from resources.ledger.queries.status import EventView, get_request, list_event_views
from resources.ledger.request import Request as Order
from resources.ledger.schema.tables import AT_WORK, Status
from resources.views.text import format_details, readable, shorten_to_line

_SHOWN_APART = ("by", "stage")


@dataclass(frozen=True)
class EventShown:
    """One event: what happened, to which stage, by whom; `details` are English."""

    at: datetime
    what: str
    stage: str | None
    new_status: str | None
    details: str
    by: str | None
    run_url: str | None


def build_event_lines(
    events: Sequence[EventView], ui_url: str, translate: Translator
) -> list[EventShown]:
    """Build the lines of the events in order; link each run once, at its first event."""
    runs = [None, *(event.run_id for event in events)]
    return [
        _show_event(
            event,
            translate,
            None if event.run_id == before else build_run_url(ui_url, event.run_id),
        )
        for before, event in zip(runs, events, strict=False)
    ]


def _show_event(event: EventView, translate: Translator, url: str | None) -> EventShown:
    by, stage = (_convert_to_text(event.data.get(name)) for name in _SHOWN_APART)
    rest = {name: value for name, value in event.data.items() if name not in _SHOWN_APART}
    return EventShown(
        at=event.at,
        what=translate.find(f"event_{event.type}", event.type),
        stage=stage and translate.find(f"stage_{stage}", stage),
        new_status=None
        if event.before == event.after
        else translate.find(f"status_{event.after}", event.after),
        details=shorten_to_line(", ".join(format_details(rest))),
        by=by,
        run_url=url,
    )


def _convert_to_text(value: object) -> str | None:
    """Convert a value to text; an operator may have written any type by SQL."""
    return None if value is None else str(readable(value))


router = APIRouter(route_class=PageRoute, include_in_schema=False)
_MOST_EVENTS = 500
_RETRIED = (Status.FAILED, Status.DEAD, Status.CANCELED)


@router.get("/dashboard/{task_id}")
def show_order(request: Request, task_id: str, api: ApiDep, visitor: AdminDep) -> Response:
    """Show the order's page; the dashboard's script puts it beside the table."""
    return _show_order(request, api, visitor, task_id)


@router.get("/dashboard/{task_id}/{verb}")
def return_to_order(request: Request, task_id: str, verb: str, visitor: AdminDep) -> Response:
    """Redirect a browser that opens a form's address."""
    return lead_to(request, f"/dashboard/{require_task_id(task_id)}")


@router.post("/dashboard/{task_id}/{verb}")
async def perform_act(
    request: Request,
    task_id: str,
    verb: str,
    api: ApiDep,
    numbers: NumbersDep,
    visitor: AdminDep,
) -> Response:
    """Perform the act and redirect to the order; ask first if it costs money or cannot be undone."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    if verb not in _ACTS:
        raise InvalidInputError("verb", f"expected one of {', '.join(_ACTS)}")
    order = await run_in_threadpool(get_request, api.db, require_task_id(task_id))
    call = Call(api, visitor, order, form)
    if "confirmed" not in form:
        translate = get_translator(request, order.pipeline)
        question = await run_in_threadpool(build_question, call, verb, translate)
        if question is not None:
            return await run_in_threadpool(
                _show_order, request, api, visitor, order.task_id, question
            )
    did = await run_in_threadpool(do_once, call, verb, _ACTS[verb])
    numbers.forget()
    after = "/dashboard" if did == "delete" else f"/dashboard/{task_id}?{urlencode({'did': did})}"
    return guard(RedirectResponse(after, 303))


def _resolve(call: Call) -> None:
    choice: Any = call.form.get("choice")
    if choice not in ("attach", "resubmit", "give_up"):
        raise InvalidInputError("choice", "expected attach, resubmit or give_up")
    external_id = call.form.get("external_id") if choice == "attach" else None
    seen = parse_seen_if_given(call.form, "attempt")
    name, settings = call.order.task_id, call.api.settings
    resolve_submission(call.api.db, name, choice, external_id, settings, call.by, attempt=seen)


_ACTS: Mapping[str, Callable[[Call], None]] = {
    **{verb: ACTS[verb] for verb in ("retry", "cancel", "redo", "delete")},
    "resolve": _resolve,
}


def _show_order(
    request: Request, api: Api, visitor: Visitor, task_id: str, question: Question | None = None
) -> Response:
    snapshot = read_snapshot(api.db, require_task_id(task_id), api.store.root)
    known = snapshot.request
    status = build_visible_status(visitor.key, snapshot, api.settings.ui_url)
    translate = get_translator(request, None if snapshot.pipeline is None else known.pipeline)
    submissions = list_submissions(api.db, known)
    main = choose_main_act(status, translate, is_in_doubt=submissions.in_doubt is not None)
    return render_page(
        request,
        "dashboard_order.html",
        visitor,
        pipeline=snapshot.pipeline,
        order=status,
        held=known.held_stage,
        brief=build_brief_lines(status.brief or known.order() or {}, translate),
        stages=build_stage_lines(status, snapshot.pipeline, translate),
        events=build_event_lines(
            list_event_views(api.db, known, _MOST_EVENTS), api.settings.ui_url, translate
        ),
        submissions=submissions,
        remedy=find_operators_remedy(translate, status.error.code) if status.error else "",
        labels=build_labels(translate),
        main=main,
        verbs=list_allowed_verbs(known) - ({"retry"} if main == "resolve" else set()),
        redo_from=[stage.stage for stage in snapshot.stages if stage.attempts],
        question=question,
        did=describe_done_act(request.query_params.get("did"), translate),
    )


def choose_main_act(status: StatusBody, translate: Translator, *, is_in_doubt: bool) -> str:
    """Return what helps this order: resolve, order_again or retry; "" where nothing is needed. Pure."""
    if is_in_doubt:
        return "resolve"
    remedy = find_remedy(status, translate, is_admin=False)
    if remedy is not None:
        return remedy.act
    return "retry" if status.overall_status is Status.FAILED else ""


def list_allowed_verbs(order: Order) -> frozenset[str]:
    """Return the acts that the order's state allows an operator."""
    at_work = order.status in AT_WORK
    allowed = {
        "retry": order.status in _RETRIED,
        "cancel": not order.is_terminal and not order.cancel_requested,
        "redo": not at_work and (order.status is not Status.PENDING or bool(order.held_stage)),
        "delete": order.is_terminal,
    }
    return frozenset(verb for verb, is_allowed in allowed.items() if is_allowed)


def build_brief_lines(brief: Mapping[str, Any], translate: Translator) -> list[tuple[str, str]]:
    """Build label and text of the order's fields; omit empty ones."""
    return [
        (translate.find(f"field_{name}", name), _format_value(value, translate))
        for name, value in brief.items()
        if value not in (None, "", [], {})
    ]


def _format_value(value: Any, translate: Translator) -> str:
    if isinstance(value, bool):
        return translate("dashboard_yes" if value else "dashboard_no")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    if isinstance(value, str):
        return translate.find(f"choice_{value}", value)
    return json.dumps(value, ensure_ascii=False)
