"""Routes of the pipelines that have their own paths, or records.

They only write orders, as POST /v1/pipeline/start does; workers write the records. An order is JSON or, at a job's
path, a form whose files are pictures.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from castad.api.auth import OrderScopedKey, ReadScopedKey, require_task_id
from castad.api.bodies import (
    AskedPage,
    OrderReceipt,
    read_page_query,
    reply_json,
    require_plain_text,
)
from castad.api.forms import BODY, is_form, read_body, read_form, store_pictures
from castad.api.order_schema import describe_order_body
from castad.api.orders import submit_fields
from castad.api.problems import ApiError, describe_problems
from castad.api.reading import read_status
from castad.api.state import Api, ApiDep
from castad.orders.order_fields import parse_json, require_object
from castad.orders.submit import LARGEST_ORDER
from castad.views.record_body import (
    RecordBody,
    RecordsPage,
    build_record_body,
    find_named_projection,
    find_order_projection,
)
from castad.views.status_body import StatusBody
from pipeline_defs.capabilities import Jobs, Projection, SourceCheck
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey
from resources.ledger.queries.projections import (
    ProjectionFilter,
    ProjectionView,
    find_newest_projection,
    list_projections,
)
from resources.ledger.transitions.source_checks import save_source_use

_READING = describe_problems(401, 403, 404, 422, 429, 503)


def build_pipeline_routers(pipelines: Catalog) -> list[APIRouter]:
    """Build the routes of each pipeline that has a projection, or paths of its own."""
    routers = []
    for pipeline in pipelines:
        projection, jobs = pipeline.find_extra(Projection), pipeline.find_extra(Jobs)
        if projection is not None:
            routers.append(_build_record_router(pipeline, projection))
        if jobs is not None:
            routers.append(_build_job_router(pipeline, jobs))
    return routers


def _build_record_router(pipeline: Pipeline, projection: Projection) -> APIRouter:
    router = APIRouter(prefix=projection.path, tags=["record"])
    for add in (_add_order, _add_list, _add_one, _add_newest):
        add(router, pipeline, projection)
    return router


def _build_job_router(pipeline: Pipeline, jobs: Jobs) -> APIRouter:
    router = APIRouter(prefix=jobs.path, tags=["job"])
    _add_job_order(router, pipeline, jobs)
    _add_job(router, pipeline)
    for name, listing in jobs.listings.items():
        _add_listing(router, pipeline, name, listing)
    return router


def _add_order(router: APIRouter, pipeline: Pipeline, projection: Projection) -> None:
    @router.post(
        "",
        status_code=202,
        response_model=OrderReceipt,
        responses={
            200: {"model": OrderReceipt, "description": "The order already existed"},
            **describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
        },
        openapi_extra=describe_order_body(pipeline),
        summary=f"Order: {pipeline.title}",
    )
    async def order(request: Request, api: ApiDep, key: OrderScopedKey) -> Response:
        """Submit an order as POST /v1/pipeline/start does; `pipeline` may be left out."""
        fields = require_object(parse_json(await read_body(request, LARGEST_ORDER), BODY), BODY)
        return await _submit(request, api, key, pipeline, fields, f"/v1{projection.path}")


async def _submit(
    request: Request,
    api: Api,
    key: ApiKey,
    pipeline: Pipeline,
    fields: Mapping[str, Any],
    folder: str,
) -> Response:
    """Submit the order; its `Location` is below this path. Raises what `submit_fields` does."""
    if fields.get("pipeline", pipeline.name) != pipeline.name:
        raise InvalidInputError("pipeline", f"expected {pipeline.name}, or none")
    named = {**fields, "pipeline": pipeline.name}
    submitted = await run_in_threadpool(submit_fields, api, key, named)
    request.state.task_id = submitted.task_id
    location = {"Location": f"{folder}/{submitted.task_id}"}
    return reply_json(submitted, 202 if submitted.created else 200, headers=location)


def _add_list(router: APIRouter, pipeline: Pipeline, projection: Projection) -> None:
    @router.get("", response_model=RecordsPage, responses=_READING, summary="List records")
    def list_records(
        api: ApiDep,
        key: ReadScopedKey,
        page: Annotated[AskedPage, read_page_query("Records")],
    ) -> Response:
        """List a page of the records that the key may read, the newest first."""
        wanted = _build_filter(pipeline, projection, key)
        found = list_projections(api.db, wanted, before=page.before, limit=page.limit + 1)
        shown, more = page.split(found, lambda each: each.request_id)
        return reply_json(
            RecordsPage(records=[build_record_body(each) for each in shown], next=more)
        )


def _add_one(router: APIRouter, pipeline: Pipeline, projection: Projection) -> None:
    @router.get("/{id}", response_model=RecordBody, responses=_READING, summary="Read a record")
    def read_record(id: str, api: ApiDep, key: ReadScopedKey) -> Response:
        """Read the record of an order by its `task_id`; the order's status while it is not done."""
        wanted = _build_filter(pipeline, projection, key)
        found = find_order_projection(api.db, pipeline, projection, wanted, require_task_id(id))
        if found is None:
            raise UnknownRequestError(id)
        _save_use(api, pipeline, found)
        return reply_json(build_record_body(found))


def _add_newest(router: APIRouter, pipeline: Pipeline, projection: Projection) -> None:
    first, second = projection.names

    @router.get(
        f"/{{{first}}}/{{{second}}}",
        response_model=RecordBody,
        responses=_READING,
        summary=f"Read the newest record by {first} and {second}",
        openapi_extra={
            "parameters": [
                *(_describe_parameter(name, "path", f"Its {name}") for name in projection.names),
                _describe_parameter(
                    projection.version, "query", f"Only the record with this {projection.version}"
                ),
            ]
        },
    )
    def read_newest_record(request: Request, api: ApiDep, key: ReadScopedKey) -> Response:
        """Read the newest completed record, else the newest that is made or waits; ignores case."""
        return _newest(api, key, pipeline, projection, request)


def _describe_parameter(name: str, place: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "schema": {"type": "string", "maxLength": 255},
        "description": description,
    }


def _newest(
    api: Api, key: ApiKey, pipeline: Pipeline, projection: Projection, request: Request
) -> Response:
    names = [request.path_params[name] for name in projection.names]
    version = request.query_params.get(projection.version)
    for field, value in (*zip(projection.names, names, strict=True), (projection.version, version)):
        require_plain_text(field, value)
    name_key = "/".join(names).lower()
    known = None if version is None else (projection.version, version.lower())
    wanted = _build_filter(pipeline, projection, key, name_key=name_key, version=known)
    found = find_newest_projection(api.db, wanted)
    if found is None:
        of_key = _build_filter(pipeline, projection, key)
        found = find_named_projection(api.db, pipeline, projection, of_key, name_key, known)
    if found is None:
        about = "/".join(names)[:200]
        message = f"{about}: this key has ordered no record of it; POST /v1{projection.path} does"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown_record", message)
    _save_use(api, pipeline, found)
    return reply_json(build_record_body(found))


def _save_use(api: Api, pipeline: Pipeline, found: ProjectionView) -> None:
    """Save that the record was read: its subject is submitted again sooner."""
    subject = found.columns["name_key"]
    if pipeline.find_extra(SourceCheck) is not None and subject is not None:
        save_source_use(api.db, pipeline.name, subject)


def _build_filter(
    pipeline: Pipeline, projection: Projection, key: ApiKey, **about: Any
) -> ProjectionFilter:
    reader = None if key.is_admin else key.owner
    return ProjectionFilter(pipeline.name, projection.table, reader, **about)


def _add_job_order(router: APIRouter, pipeline: Pipeline, jobs: Jobs) -> None:
    @router.post(
        "/jobs",
        status_code=202,
        response_model=OrderReceipt,
        responses={
            200: {"model": OrderReceipt, "description": "The order already existed"},
            **describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
        },
        openapi_extra=describe_order_body(pipeline, form=True),
        summary=f"Order: {pipeline.title}",
    )
    async def order(request: Request, api: ApiDep, key: OrderScopedKey) -> Response:
        """Submit an order as POST /v1/pipeline/start does; `pipeline` may be left out.

        A form has a field for each member of the order, those that are no text as JSON, and its files are the
        order's pictures.
        """
        fields = await _read_fields(request, api, key, pipeline)
        return await _submit(request, api, key, pipeline, fields, f"/v1{jobs.path}/jobs")


async def _read_fields(
    request: Request, api: Api, key: ApiKey, pipeline: Pipeline
) -> dict[str, Any]:
    if not is_form(request):
        return {**require_object(parse_json(await read_body(request, LARGEST_ORDER), BODY), BODY)}
    return await store_pictures(api, key, await read_form(request, pipeline))


def _add_job(router: APIRouter, pipeline: Pipeline) -> None:
    @router.get(
        "/jobs/{task_id}",
        response_model=StatusBody,
        responses=describe_problems(401, 403, 404, 422, 429, 503),
        summary="Read a job",
    )
    def read_job(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
        """Read an order of this pipeline as GET /v1/pipeline/status/{task_id} does."""
        body = read_status(api, key, require_task_id(task_id))
        if body.pipeline != pipeline.name:
            raise UnknownRequestError(task_id)
        return reply_json(body)


def _add_listing(
    router: APIRouter, pipeline: Pipeline, name: str, listing: Callable[[], Any]
) -> None:
    found = listing()
    content = {
        "schema": {"type": "object", "required": [name], "properties": {name: {}}},
        "example": {name: found[:1] if isinstance(found, list) else found},
    }
    answer = {"description": f"The {name}", "content": {"application/json": content}}

    @router.get(
        f"/{name}",
        responses={200: answer, **describe_problems(401, 403, 429, 503)},
        summary=f"List the {name}",
        operation_id=f"{pipeline.name}_{name}",
    )
    def list_choices(api: ApiDep, key: ReadScopedKey) -> Response:
        """List what an order may choose from."""
        return JSONResponse({name: listing()})
