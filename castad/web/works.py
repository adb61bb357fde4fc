"""The screen of one work: its words, its takes, how far it is and what has come of it; and what is done there."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from castad.api.auth import authorize, is_own, readable_order, status_for
from castad.api.problems import ApiError
from castad.api.state import Api, ApiDep
from castad.orders.cover import choose_frame, moment
from castad.readmodels.snapshot import Snapshot, read_snapshot
from castad.readmodels.status_body import StatusBody
from castad.web.page_route import PageRoute
from castad.web.pipeline_views import own_files
from castad.web.plain_form import read_plain_form
from castad.web.remedies import remedy_of
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.sharing import NewLink, link_values, share_work
from castad.web.texts import Translator, translator_of
from castad.web.visitor import Visitor, VisitorDep, require_order_scope
from castad.web.work_acts import ACTS, Call, edited
from castad.web.work_finished import finished_of
from castad.web.work_held import held_of, held_view
from castad.web.work_live import live_of
from castad.web.work_offers import priced_offers
from castad.web.work_view import file_views, own_url, results_of, scene_of
from resources.contract.errors import InvalidInputError
from resources.ledger.errors import UnknownRequestError
from resources.ledger.queries.reads import get_request

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_NO_CHANGE: Mapping[str, str] = {}


@router.get("/works/{task_id}")
def work(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """What fits the state of the work."""
    order = readable_order(api, visitor.key, task_id)
    request.state.task_id = order.task_id
    return _shown(request, api, visitor, order.task_id)


def _shown(
    request: Request,
    api: Api,
    visitor: Visitor,
    task_id: str,
    *,
    new_link: NewLink | None = None,
    given: Mapping[str, str] = _NO_CHANGE,
    errors: Mapping[str, str] = _NO_CHANGE,
    status: int = 200,
) -> Response:
    snapshot = read_snapshot(api.db, task_id, api.store.root)
    body = status_for(visitor.key, snapshot, api.settings.ui_url)
    name = None if snapshot.pipeline is None else snapshot.pipeline.name
    translate = translator_of(request, name)
    scene = scene_of(snapshot.request)
    values: dict[str, Any]
    if scene == "held":
        values = {"held": held_of(api, snapshot, body, translate, given, errors)}
    elif scene == "live":
        values = {"live": live_of(api, snapshot, body, translate)}
    elif scene == "stopped":
        values = _stopped(visitor, body, translate)
    else:
        values = _result(api, visitor, snapshot, body, translate, new_link)
    return page(
        request,
        "work.html",
        visitor,
        pipeline=snapshot.pipeline,
        status=status,
        work=body,
        scene=scene,
        heading=body.summary or body.task_id,
        own=own_files(snapshot.pipeline),
        is_shared=False,
        may_change=is_own(visitor.key, snapshot.request),
        **values,
    )


def _stopped(visitor: Visitor, body: StatusBody, translate: Translator) -> dict[str, Any]:
    return {
        "remedy": remedy_of(body, translate, is_admin=visitor.is_admin),
        "files": file_views(body.artifacts, own_url(body), translate),
    }


def _result(
    api: Api,
    visitor: Visitor,
    snapshot: Snapshot,
    body: StatusBody,
    translate: Translator,
    new_link: NewLink | None,
) -> dict[str, Any]:
    return {
        "finished": finished_of(
            snapshot, body, translate, offers=priced_offers(api, snapshot, body.brief, translate)
        ),
        **link_values(api, visitor, snapshot.request, new_link),
    }


@router.post("/works/{task_id}/share")
async def share(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """The page with a new link to the result; its address is shown this once."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    link = await run_in_threadpool(
        share_work, api, visitor, task_id, form.get("days", ""), str(request.base_url)
    )
    return await run_in_threadpool(_shown, request, api, visitor, task_id, new_link=link)


@router.post("/works/{task_id}/cover")
async def cover(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """The frame at this second of the video is the cover."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    await run_in_threadpool(_own, api, visitor, task_id)
    seconds = _seconds(form.get("seconds", ""))
    choice = partial(choose_frame, api.db, api.store, task_id, seconds, visitor.name)
    await to_thread.run_sync(choice, limiter=api.frame_threads)
    return _back(task_id)


def _seconds(text: str) -> float:
    try:
        return moment(float(text))
    except ValueError:
        return moment(None)


@router.post("/works/{task_id}/draft")
async def draft(request: Request, task_id: str, api: ApiDep, visitor: VisitorDep) -> Response:
    """What the pipeline shows of a product with these words, as JSON; nothing is stored."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    values = await run_in_threadpool(_drafted, api, visitor, task_id, form)
    return guard(JSONResponse(values))


def _drafted(
    api: Api, visitor: Visitor, task_id: str, form: Mapping[str, str]
) -> Mapping[str, Any] | None:
    order = _own(api, visitor, task_id)
    snapshot = read_snapshot(api.db, order.task_id, api.store.root)
    stage = order.held_stage or ""
    result = {**results_of(snapshot).get(stage, {}), **edited(snapshot.pipeline, stage, form)}
    return held_view(snapshot.pipeline, stage, order.order() or {}, result)


@router.get("/works/{task_id}/{act}")
def back_to_work(task_id: str, act: str) -> Response:
    """Where a browser goes again that has stopped at a form's address."""
    return _back(task_id)


@router.post("/works/{task_id}/{act}")
async def act(
    request: Request, task_id: str, act: str, api: ApiDep, visitor: VisitorDep
) -> Response:
    """The act is done, and the work's page follows; or the page with what is wrong in its form."""
    form = await read_plain_form(request)
    require_order_scope(visitor, form.get("csrf"))
    if act not in ACTS:
        raise UnknownRequestError(task_id)
    order = await run_in_threadpool(_own, api, visitor, task_id)
    try:
        await run_in_threadpool(ACTS[act], Call(api, visitor, order, form))
    except InvalidInputError as error:
        if order.held_stage is None or isinstance(error, ApiError):
            raise
        errors = {error.field: error.message}
        shown = partial(_shown, given=form, errors=errors, status=422)
        return await run_in_threadpool(shown, request, api, visitor, task_id)
    return _back(task_id)


def _own(api: Api, visitor: Visitor, task_id: str) -> Any:
    order = readable_order(api, visitor.key, task_id)
    return authorize(visitor.key, get_request(api.db, order.task_id))


def _back(task_id: str) -> Response:
    return guard(RedirectResponse(f"/works/{quote(task_id, safe='')}", 303))
