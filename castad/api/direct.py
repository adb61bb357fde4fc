"""Routes and streams of the orders that the API answers itself: no database is asked before the answer.

An order is JSON or a form with a picture. Its answer is a stream of steps, at once or at its own address.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Header, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field, TypeAdapter, create_model
from sqlalchemy.exc import SQLAlchemyError
from sse_starlette import EventSourceResponse
from starlette.responses import JSONResponse, Response

from castad.api.auth import (
    AdminScopedKey,
    KnownOrderKey,
    KnownReadKey,
    authorize_reading,
    require_task_id,
)
from castad.api.bodies import reply_json
from castad.api.direct_orders import RETRY_AFTER, begin_job
from castad.api.forms import BODY, decode_text, read_body
from castad.api.order_schema import describe_order_body, get_order_model_name
from castad.api.problems import describe_problems
from castad.api.state import Api, ApiDep
from castad.api.streams import KEEP_ALIVE_SECONDS, respond_with
from castad.direct.ledger_import import (
    KEEP_ALIVE,
    STARTED,
    DirectJob,
    build_import_prefix,
    format_frame,
    make_completed_body,
    make_step_completed,
    make_step_started,
    make_substitute_id,
)
from castad.direct.pool import DirectPool, find_spooled_result, find_stored_result
from castad.orders.order_fields import parse_json
from pipeline_defs.capabilities import Listing, Stateless
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError, StateUnavailableError
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey, SessionKey
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request as Order
from resources.views.order_body import ErrorBody
from resources.views.text import example, get_example


def translate_error(
    pipeline: Pipeline, payload: Mapping[str, Any], said: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return an event or a result with its error worded for clients; others unchanged."""
    error = said.get("error")
    stateless = pipeline.find_extra(Stateless)
    if stateless is None or not error:
        return said
    message = stateless.failure(payload, error["code"], error["message"])
    return {**said, "error": {**error, "message": message}}


_LAST_EVENT_SECONDS = 5.0


def stream_job(
    api: Api, pipeline: Pipeline, key: ApiKey, job: DirectJob, after: int, *, with_ids: bool
) -> Response:
    """Stream the job's events after the first `after`; ids let a client continue after a disconnect."""
    # Its job ends before the process does, and with it the stream.
    seconds = api.settings.stop_grace + _LAST_EVENT_SECONDS
    return respond_with(
        _stream_frames(api, pipeline, key, job, after, with_ids), anyio.Event(), seconds
    )


async def _stream_frames(
    api: Api, pipeline: Pipeline, key: ApiKey, job: DirectJob, sent: int, with_ids: bool
) -> AsyncIterator[bytes]:
    """Yield the events after the first `sent` as they happen, without a thread or a database."""
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is ending
            loop.call_soon_threadsafe(changed.set)

    stop_listening = job.listen(wake)
    try:
        while await _is_valid(api, key):
            changed.clear()
            new = job.events[sent:]
            if new:
                worded = (translate_error(pipeline, job.payload, each) for each in new)
                numbered = enumerate(worded, sent + 1)
                yield b"".join(
                    format_frame(each, number if with_ids else None) for number, each in numbered
                )
                sent += len(new)
            if job.has_ended and sent >= len(job.events):
                return
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await changed.wait()
            except TimeoutError:
                yield KEEP_ALIVE
    finally:
        stop_listening()


async def _is_valid(api: Api, key: ApiKey) -> bool:
    """Return whether the key is valid: from memory, for a session from the ledger now and then."""
    if isinstance(key, SessionKey):
        return await api.key_cache.is_valid(key)
    return api.known_keys.is_valid(key)


_LARGEST_LISTING = 2_000_000


class ReplacedList(BaseModel):
    """The list was replaced; `version` is the new one's."""

    model_config = example(version=2)

    version: int


_EXAMPLE_ID = "shop-1"


def _describe_steps(pipeline: Pipeline, *, with_ids: bool) -> dict[int | str, dict[str, Any]]:
    """Describe the stream of the steps of a direct order, with an example."""
    stateless = pipeline.find_extra(Stateless)
    after = () if stateless is None else stateless.after
    steps = tuple(each for each in pipeline.stage_names if each not in after)
    result = get_example(build_answer_model(pipeline))
    events: list[Mapping[str, Any]] = [{"status": STARTED, "task_id": _EXAMPLE_ID}]
    for step in steps:
        events += [make_step_started(step, steps), make_step_completed(step, steps)]
    events[-1] = {**events[-1], "result": result}
    frames = (
        format_frame(each, number if with_ids else None) for number, each in enumerate(events, 1)
    )
    content = {
        "schema": {"type": ["object", "string"]},
        "example": b"".join(frames).decode(),
    }
    return {
        200: {
            "description": "The steps as Server-Sent Events; the data of each is a JSON object",
            "content": {"text/event-stream": content},
        }
    }


IdempotencyKey = Annotated[
    str | None, Header(description="The order's task_id, where the body has none")
]
LastEventId = Annotated[str | None, Header(description="The number of the last event received")]


def build_direct_routers(pipelines: Catalog) -> list[APIRouter]:
    """Build the routes of each pipeline that answers directly."""
    routers = []
    for pipeline in pipelines:
        stateless = pipeline.find_extra(Stateless)
        if stateless is None:
            continue
        router, path = APIRouter(tags=["direct"]), stateless.path
        _add_answer(router, pipeline, stateless.answer_path)
        _add_order(router, pipeline, path)
        for name, listing in stateless.listings.items():
            _add_listing(router, pipeline, f"{path}/{name}", name, listing)
        _add_events(router, pipeline, path)
        _add_result(router, pipeline, path)
        routers.append(router)
    return routers


class JobReceipt(BaseModel):
    """A direct order that was taken, with the addresses of its steps and of its result."""

    model_config = example(
        job_id="shop-1",
        task_id="shop-1",
        status="queued",
        stream_url="/v1/scan/shop-1/events",
        result_url="/v1/scan/shop-1/result",
    )

    job_id: str
    task_id: str
    status: Literal["queued"] = "queued"
    stream_url: str
    result_url: str


class JobAtWork(BaseModel):
    """A direct order that is at work."""

    model_config = example(
        task_id="shop-1",
        status="processing",
        message="the order is at work",
        current_stage="rule",
        progress=25,
    )

    task_id: str
    status: Literal["processing"] = "processing"
    message: str = "the order is at work"
    current_stage: str | None
    progress: int = Field(description="Percent")


class JobFailure(BaseModel):
    """The result of a direct order that has failed."""

    model_config = example(
        task_id="shop-1",
        status="failed",
        error={"code": "invalid_image", "message": "the picture cannot be read"},
        kept=True,
    )

    task_id: str
    status: Literal["failed"] = Field(
        description="Final: nothing tries it again by itself, as an order of workers is when it is `failed`"
    )
    error: ErrorBody
    kept: bool = Field(description="Whether it is on the disk")


def build_answer_model(pipeline: Pipeline) -> type[BaseModel]:
    """Build the model of the result of the pipeline's direct orders that are completed."""
    kept = Field(description="Whether saves and import are on the disk")
    fields: dict[str, Any] = {
        "task_id": (str, ...),
        "status": (Literal["completed"], ...),
        "error": (None, ...),
        "kept": (bool, kept),
    }
    of_result = pipeline.result_model or BaseModel
    config = example(**make_completed_body(_EXAMPLE_ID, get_example(of_result), is_kept=True))
    name = get_order_model_name(pipeline).removesuffix("Order") + "Answer"
    members = {"model_config": config, "__doc__": "A direct order's result that is completed."}
    return create_model(name, __base__=type(name, (of_result,), members), **fields)


def _add_answer(router: APIRouter, pipeline: Pipeline, path: str) -> None:
    @router.post(
        path,
        response_class=EventSourceResponse,
        responses={
            **_describe_steps(pipeline, with_ids=False),
            **describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
        },
        openapi_extra=describe_order_body(pipeline, form=True),
        summary=f"Answer at once: {pipeline.title}",
        operation_id=f"{pipeline.name}_answer",
    )
    async def answer(
        request: Request,
        api: ApiDep,
        key: KnownOrderKey,
        idempotency_key: IdempotencyKey = None,
        x_idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Stream `started`, each step's start and end with its progress, and the result in the last event.

        A comment is sent in every silent second. The same order under the same task_id has the same answer for an
        hour. A failure ends the stream with the step and its error.
        """
        job, _ = await begin_job(request, api, key, pipeline, idempotency_key or x_idempotency_key)
        request.state.task_id = job.task_id
        return stream_job(api, pipeline, key, job, 0, with_ids=False)


def _add_order(router: APIRouter, pipeline: Pipeline, path: str) -> None:
    @router.post(
        path,
        status_code=202,
        response_model=JobReceipt,
        responses={
            200: {"model": JobReceipt, "description": "The order was sent before"},
            **describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
        },
        openapi_extra=describe_order_body(pipeline, form=True),
        summary=f"Order an answer: {pipeline.title}",
        operation_id=f"{pipeline.name}_order",
    )
    async def order(
        request: Request,
        api: ApiDep,
        key: KnownOrderKey,
        idempotency_key: IdempotencyKey = None,
        x_idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Start the order and return links to the stream of its steps and to its result."""
        job, is_new = await begin_job(
            request, api, key, pipeline, idempotency_key or x_idempotency_key
        )
        request.state.task_id = job.task_id
        at = f"/v1{path}/{job.task_id}"
        body = JobReceipt(
            job_id=job.task_id,
            task_id=job.task_id,
            stream_url=f"{at}/events",
            result_url=f"{at}/result",
        )
        return reply_json(body, 202 if is_new else 200)


def _add_events(router: APIRouter, pipeline: Pipeline, path: str) -> None:
    @router.get(
        f"{path}/{{task_id}}/events",
        response_class=EventSourceResponse,
        responses={
            **_describe_steps(pipeline, with_ids=True),
            204: {
                "description": "The answer has ended, and `Last-Event-ID` is that of its last event"
            },
            **describe_problems(401, 403, 404, 422, 429, 503),
        },
        summary="Follow an answer",
        operation_id=f"{pipeline.name}_events",
    )
    async def follow(
        task_id: str, api: ApiDep, key: KnownReadKey, last_event_id: LastEventId = None
    ) -> Response:
        """Stream the steps from the first, or after `Last-Event-ID`; for an hour after the end."""
        job = _find_own_job(api.direct.pools[pipeline.name], key, require_task_id(task_id))
        if job is None:
            raise UnknownRequestError(task_id)
        after = _parse_event_number(last_event_id, job)
        if job.has_ended and after == len(job.events):
            return Response(status_code=204)
        return stream_job(api, pipeline, key, job, after, with_ids=True)


def _parse_event_number(given: str | None, job: DirectJob) -> int:
    if not given:
        return 0
    if not given.isascii() or not given.isdigit() or len(given) > 9 or int(given) > len(job.events):
        raise InvalidInputError("Last-Event-ID", "expected the id of an event of this stream")
    return int(given)


def _add_result(router: APIRouter, pipeline: Pipeline, path: str) -> None:
    @router.get(
        f"{path}/{{task_id}}/result",
        response_model=build_answer_model(pipeline) | JobFailure,
        responses={
            202: {
                "model": JobAtWork,
                "description": "It is at work; ask again after `Retry-After` seconds",
            },
            **describe_problems(401, 403, 404, 422, 429, 503),
        },
        summary="Read an answer's result",
        operation_id=f"{pipeline.name}_result",
    )
    async def read_result(task_id: str, api: ApiDep, key: KnownReadKey) -> Response:
        """Read the result once it is there: from memory for an hour, then from the ledger."""
        job = _find_own_job(api.direct.pools[pipeline.name], key, require_task_id(task_id))
        if job is None:
            body = await run_in_threadpool(_find_result, api, key, pipeline, task_id)
            return JSONResponse(body) if body is not None else _reply_working(task_id, None, 0)
        if job.body is None:
            return _reply_working(task_id, job.current_step, job.progress)
        return JSONResponse(translate_error(pipeline, job.payload, job.body))


def _reply_working(task_id: str, step: str | None, progress: int) -> Response:
    body = JobAtWork(task_id=task_id, current_stage=step, progress=progress)
    return reply_json(body, 202, headers=RETRY_AFTER)


def _find_result(
    api: Api, key: ApiKey, pipeline: Pipeline, task_id: str
) -> Mapping[str, Any] | None:
    """Return the body of a result in the spool or the ledger, None while it is at work.

    Raises UnknownRequestError. An admin's key finds any owner's.
    """
    of_key = f"{task_id}/" if key.is_admin else build_import_prefix(task_id, key.owner)
    spool = api.direct.spool
    with suppress(UnknownRequestError, StateUnavailableError):
        return find_spooled_result(spool, pipeline, of_key)
    try:
        request = _find_own_request(api, key, pipeline, task_id)
        return find_stored_result(api.db, pipeline, request, task_id)
    except (UnknownRequestError, SQLAlchemyError):
        with suppress(UnknownRequestError, StateUnavailableError):
            return find_spooled_result(spool, pipeline, of_key, is_dead=True)
        raise


def _find_own_request(api: Api, key: ApiKey, pipeline: Pipeline, task_id: str) -> Order:
    """Find the request of this task_id, or the answer sent under it while another order has it."""
    with suppress(UnknownRequestError):
        request = authorize_reading(api, key, get_request(api.db, task_id))
        if request.pipeline == pipeline.name:
            return request
    try:
        request = authorize_reading(
            api, key, get_request(api.db, make_substitute_id(task_id, key.owner))
        )
    except UnknownRequestError:
        raise UnknownRequestError(task_id) from None
    return request


def _add_listing(
    router: APIRouter, pipeline: Pipeline, path: str, name: str, listing: Listing
) -> None:
    row = {"type": "object"} if listing.row is None else TypeAdapter(listing.row).json_schema()
    content = {"application/json": {"schema": {"type": "array", "items": row}}}
    answer = {"description": f"The {name}", "content": content}

    @router.get(
        path,
        responses={200: answer, **describe_problems(401, 403, 429, 503)},
        summary=f"List the {name}",
        operation_id=f"{pipeline.name}_{name}",
    )
    async def list_values(api: ApiDep, key: KnownReadKey) -> Response:
        """Read the list from memory."""
        return JSONResponse(await run_in_threadpool(listing.read))

    replace = listing.replace
    if replace is None:
        return

    @router.put(
        path,
        response_model=ReplacedList,
        responses=describe_problems(401, 403, 408, 413, 422, 429, 503),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "text/csv": {"schema": {"type": "string"}},
                    "application/json": {"schema": {"type": "array", "items": row}},
                },
            }
        },
        summary=f"Replace the {name}",
        operation_id=f"{pipeline.name}_replace_{name}",
    )
    async def replace_values(request: Request, api: ApiDep, key: AdminScopedKey) -> Response:
        """Replace the list by the body, CSV or a JSON list; every process uses it within a second."""
        body = await read_body(request, _LARGEST_LISTING)
        is_csv = "csv" in request.headers.get("content-type", "")
        given = decode_text(body) if is_csv else parse_json(body, BODY)
        if not is_csv and not isinstance(given, list):
            raise InvalidInputError(
                BODY, "expected a JSON list, or CSV with Content-Type: text/csv"
            )
        return reply_json(ReplacedList(version=await run_in_threadpool(replace, given)))


def _find_own_job(pool: DirectPool, key: ApiKey, task_id: str) -> DirectJob | None:
    """Find the job in memory; None if there is none that the key may read."""
    job = pool.find(task_id)
    is_own = job is not None and (key.is_admin or job.owner == key.owner)
    return job if is_own else None
