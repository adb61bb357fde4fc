"""Routes of the pipelines whose orders have paths of their own: order one, read one, and what may be chosen.

An order is JSON, or a form whose files are pictures; either becomes an order as POST /pipeline/start takes it.
"""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, ReadScopedKey, validated_task_id
from castad.api.bodies import OrderReceipt
from castad.api.forms import fields_with_pictures, is_form, read_form
from castad.api.order_schema import order_model_name
from castad.api.problems import problem_responses
from castad.api.queries import read_status
from castad.api.replies import json_reply
from castad.api.request_body import BODY, read_body
from castad.api.state import Api, ApiDep
from castad.api.submission import submit_fields
from castad.orders.order_fields import parse_json, require_object
from castad.orders.submit import LARGEST_ORDER
from castad.readmodels.status_body import StatusBody
from pipeline_defs.capabilities import Jobs
from pipeline_defs.catalog import Catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey


def job_routers(pipelines: Catalog) -> list[APIRouter]:
    """The routes of each pipeline that has some of its own."""
    found = ((each, each.find_extra(Jobs)) for each in pipelines)
    return [_router(each, jobs) for each, jobs in found if jobs is not None]


def _router(pipeline: Pipeline, jobs: Jobs) -> APIRouter:
    router = APIRouter(prefix=jobs.path, tags=["job"])
    _add_order(router, pipeline, jobs)
    _add_one(router, pipeline)
    for name, listing in jobs.listings.items():
        _add_listing(router, pipeline, name, listing)
    return router


def _add_order(router: APIRouter, pipeline: Pipeline, jobs: Jobs) -> None:
    schema = {"schema": {"$ref": f"#/components/schemas/{order_model_name(pipeline)}"}}
    content = {"application/json": schema, "multipart/form-data": {"schema": {"type": "object"}}}

    @router.post(
        "/jobs",
        status_code=202,
        response_model=OrderReceipt,
        responses={
            200: {"model": OrderReceipt, "description": "The order already existed"},
            **problem_responses(401, 403, 408, 409, 413, 422, 429, 503),
        },
        openapi_extra={"requestBody": {"required": True, "content": content}},
        summary=f"Order: {pipeline.title}",
    )
    async def order(request: Request, api: ApiDep, key: OrderScopedKey) -> Response:
        """As POST /pipeline/start does; `pipeline` may be left out.

        A form has a field for each member of the order, those that are no text as JSON, and its files are the
        order's pictures.
        """
        fields = await _fields(request, api, key, pipeline)
        if fields.get("pipeline", pipeline.name) != pipeline.name:
            raise InvalidInputError("pipeline", f"expected {pipeline.name}, or none")
        named = {**fields, "pipeline": pipeline.name}
        submitted = await run_in_threadpool(submit_fields, api, key, named)
        request.state.task_id = submitted.task_id
        location = {"Location": f"{jobs.path}/jobs/{submitted.task_id}"}
        return json_reply(submitted, 202 if submitted.created else 200, headers=location)


async def _fields(request: Request, api: Api, key: ApiKey, pipeline: Pipeline) -> dict[str, Any]:
    if not is_form(request):
        return {**require_object(parse_json(await read_body(request, LARGEST_ORDER), BODY), BODY)}
    return await fields_with_pictures(api, key, await read_form(request, pipeline))


def _add_one(router: APIRouter, pipeline: Pipeline) -> None:
    @router.get(
        "/jobs/{task_id}",
        response_model=StatusBody,
        responses=problem_responses(401, 403, 404, 422, 429, 503),
        summary="Read a job",
    )
    def one(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
        """As GET /pipeline/status/{task_id}, for an order of this pipeline."""
        body = read_status(api, key, validated_task_id(task_id))
        if body.pipeline != pipeline.name:
            raise UnknownRequestError(task_id)
        return json_reply(body)


def _add_listing(
    router: APIRouter, pipeline: Pipeline, name: str, listing: Callable[[], Any]
) -> None:
    from starlette.responses import JSONResponse

    @router.get(
        f"/{name}",
        responses=problem_responses(401, 403, 429, 503),
        summary=f"List the {name}",
        operation_id=f"{pipeline.name}_{name}",
    )
    def listed(api: ApiDep, key: ReadScopedKey) -> Response:
        """What an order may choose from."""
        return JSONResponse({name: listing()})
