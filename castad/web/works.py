"""The page of one work, and the actions on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from castad.api.auth import authorize, build_visible_status, find_readable_order, is_own
from castad.api.problems import ApiError
from castad.api.state import Api, ApiDep
from castad.orders.acts import choose_frame, parse_moment
from castad.views.snapshot import Snapshot, read_snapshot
from castad.views.status_body import StatusBody
from castad.web.asking import build_question, describe_done_act, do_once
from castad.web.pages import (
    PageRoute,
    Visitor,
    VisitorDep,
    guard,
    read_plain_form,
    render_page,
    require_order_scope,
)
from castad.web.words import Refusal, Translator, build_refusal, find_remedy, get_translator
from castad.web.work_acts import (
    ACTS,
    Call,
    NewLink,
    build_link_values,
    read_edited_fields,
    share_work,
)
from castad.web.work_held import build_held, build_held_view, list_stored_fields
from castad.web.work_view import (
    build_finished,
    build_live,
    find_scene,
    list_own_files,
    list_priced_offers,
    read_results,
    split_files,
)
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import ChangedMeanwhileError, UnknownRequestError
from resources.ledger.queries.status import get_request


@dataclass(frozen=True)
class Beside:
    """What a form has left on the page: a new link, or what was given and is wrong in it.

    `is_conflict` says that the product was changed after the person had seen it: both versions are shown.
    """

    new_link: NewLink | None = None
    is_conflict: bool = False
    given: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, Sequence[Refusal]] = field(default_factory=dict)


NOTHING = Beside()


def build_scene_values(
    api: Api,
    visitor: Visitor,
    snapshot: Snapshot,
    body: StatusBody,
    translate: Translator,
    beside: Beside,
) -> dict[str, Any]:
    """Build the values of the scene's template, and the files of scenes without a result."""
    scene = find_scene(snapshot.request)
    made, earlier = split_files(snapshot, body, translate)
    values: dict[str, Any] = {"scene": scene, "earlier": earlier, "made": made}
    if scene == "result":
        offers = list_priced_offers(api, snapshot, body.brief, translate)
        links = build_link_values(api, visitor, snapshot.request, beside.new_link)
        finished = build_finished(snapshot, body, translate, offers=offers)
        return {**values, **links, "finished": finished, "made": ()}
    if scene == "held":
        held = build_held(api, snapshot, body, translate, beside.given, beside.errors)
        stored = list_stored_fields(snapshot, translate, beside.given) if beside.is_conflict else ()
        heard = [take.file for take in held.takes]
        values |= {"held": held, "stored": stored, "is_conflict": beside.is_conflict}
        return {**values, "made": [each for each in made if each not in heard]}
    if scene == "live":
        return {**values, "live": build_live(api, snapshot, body, translate)}
    return {**values, "remedy": find_remedy(body, translate, is_admin=visitor.is_admin)}


router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/works/{task_id}")
def show_work(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Show the scene for the work's state, and the last act."""
    order = find_readable_order(api, visitor.key, task_id)
    request.state.task_id = order.task_id
    return _show_work(request, api, visitor, order.task_id)


def _show_work(
    request: Request,
    api: Api,
    visitor: Visitor,
    task_id: str,
    beside: Beside = NOTHING,
) -> Response:
    snapshot = read_snapshot(api.db, task_id, api.store.root)
    body = build_visible_status(visitor.key, snapshot, api.settings.ui_url)
    pipeline = snapshot.pipeline
    translate = get_translator(request, pipeline.name if pipeline else None)
    return render_page(
        request,
        "work.html",
        visitor,
        pipeline=pipeline,
        status=409 if beside.is_conflict else 422 if beside.errors else 200,
        work=body,
        heading=body.summary or body.task_id,
        did=describe_done_act(request.query_params.get("did"), translate),
        own=list_own_files(pipeline),
        is_shared=False,
        may_change=visitor.may_order and is_own(visitor.key, snapshot.request),
        **build_scene_values(api, visitor, snapshot, body, translate, beside),
    )


@router.post("/works/{task_id}/share")
async def share(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Create a link to the result and show the page; the address is shown only now."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    link = await run_in_threadpool(
        share_work, api, visitor, task_id, form.get("days", ""), str(request.base_url)
    )
    return await run_in_threadpool(
        _show_work, request, api, visitor, task_id, Beside(new_link=link)
    )


@router.post("/works/{task_id}/cover")
async def choose_cover(
    request: Request, task_id: str, api: ApiDep, visitor: VisitorDep
) -> Response:
    """Choose the frame at this second of the video as the cover."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    await run_in_threadpool(_get_own_order, api, visitor, task_id)
    seconds = _parse_seconds(form.get("seconds", ""))
    choice = partial(choose_frame, api.db, api.store, task_id, seconds, visitor.name)
    await to_thread.run_sync(choice, limiter=api.frame_threads)
    return _redirect_to_work(task_id)


def _parse_seconds(text: str) -> float:
    try:
        return parse_moment(float(text))
    except ValueError:
        return parse_moment(None)


@router.post("/works/{task_id}/draft")
async def draft(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """Return the pipeline's view of a product with these words as JSON; store nothing."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    values = await run_in_threadpool(_draft, api, visitor, task_id, form)
    return guard(JSONResponse(values))


def _draft(
    api: Api, visitor: Visitor, task_id: str, form: Mapping[str, str]
) -> Mapping[str, Any] | None:
    order = _get_own_order(api, visitor, task_id)
    snapshot = read_snapshot(api.db, order.task_id, api.store.root)
    stage = order.held_stage or ""
    result = {
        **read_results(snapshot).get(stage, {}),
        **read_edited_fields(snapshot.pipeline, stage, form),
    }
    return build_held_view(snapshot.pipeline, stage, order.order() or {}, result)


@router.get("/works/{task_id}/{act}")
def return_to_work(request: Request, task_id: str, act: str) -> Response:
    """Redirect a browser that opens a form's address, for example to change the language."""
    return _redirect_to_work(task_id, request.url.query)


@router.post("/works/{task_id}/{act}")
async def perform_act(
    request: Request, task_id: str, act: str, api: ApiDep, visitor: VisitorDep
) -> Response:
    """Perform the act and redirect to the work; or ask about it, or show the page with the error."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    if act not in ACTS:
        raise UnknownRequestError(task_id)
    order = await run_in_threadpool(_get_own_order, api, visitor, task_id)
    call = Call(api, visitor, order, form)
    if "confirmed" not in form:
        asked = await run_in_threadpool(_ask, request, call, act)
        if asked is not None:
            return asked
    try:
        did = await run_in_threadpool(do_once, call, act, ACTS[act])
    except InvalidInputError as error:
        if order.held_stage is None or isinstance(error, ApiError):
            raise
        said = build_refusal(get_translator(request), error.code, error.message)
        beside = Beside(given=form, errors={error.field: [said]})
        return await run_in_threadpool(_show_work, request, api, visitor, task_id, beside)
    except ChangedMeanwhileError:
        now = await run_in_threadpool(_get_own_order, api, visitor, task_id)
        if act != "held" or now.held_stage != form.get("stage"):
            raise
        beside = Beside(given=form, is_conflict=True)
        return await run_in_threadpool(_show_work, request, api, visitor, task_id, beside)
    if act == "delete":
        return guard(RedirectResponse("/works", 303))
    if act == "held" and form.get("act") == "save":
        did = "saved"
    is_said = "confirmed" in form or did == "saved"
    return _redirect_to_work(task_id, urlencode({"did": did}) if is_said else "")


def _ask(request: Request, call: Call, act: str) -> Response | None:
    """Show the page that asks before the act; return None for an act without a question."""
    order = call.order
    pipeline = get_catalog().find_pipeline(order.pipeline)
    question = build_question(
        call, act, get_translator(request, pipeline.name if pipeline else None)
    )
    if question is None:
        return None
    heading = order.task_id if pipeline is None else pipeline.summarize_order(order.order() or {})
    address = f"/works/{quote(order.task_id, safe='')}"
    return render_page(
        request,
        "asked_page.html",
        call.visitor,
        pipeline=pipeline,
        question=question,
        address=address,
        back=address,
        about=heading or order.task_id,
    )


def _get_own_order(api: Api, visitor: Visitor, task_id: str) -> Any:
    order = find_readable_order(api, visitor.key, task_id)
    return authorize(visitor.key, get_request(api.db, order.task_id))


def _redirect_to_work(task_id: str, query: str = "") -> Response:
    address = f"/works/{quote(task_id, safe='')}"
    return guard(RedirectResponse(f"{address}?{query}" if query else address, 303))
