"""Routes that decide on orders waiting for approval, and routes of brand profiles."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, ReadScopedKey, find_own_order
from castad.api.bodies import OrderState, RevisedOrder, reply_json
from castad.api.forms import BODY, read_body
from castad.api.problems import describe_problems
from castad.api.state import ApiDep
from castad.orders.approval import (
    LONGEST_REASON,
    apply_choice,
    approve_order,
    reject_order,
    revise_order,
)
from castad.orders.order_fields import (
    check_profile,
    check_profile_name,
    check_sought_name,
    parse_json,
    require_object,
)
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.access import list_profiles
from resources.ledger.request import Request
from resources.ledger.transitions.access import delete_profile, save_profile
from resources.ledger.transitions.approval import Revised
from resources.views.text import LedgerText, example

_LARGEST_BODY = 100_000
_PROBLEMS = describe_problems(401, 403, 404, 409, 422, 429, 503)
_WITH_BODY = {**_PROBLEMS, **describe_problems(408, 413)}
Stage = Annotated[
    str | None,
    Query(max_length=64, description="The stage that is meant; that which the order waits for"),
]
Generation = Annotated[
    int | None,
    Query(
        ge=1,
        le=2**31 - 1,
        description="The stage's generation that was seen, as the status has it; 409 where there is a newer one",
    ),
]

router = APIRouter(prefix="/pipeline", tags=["approval"])


def _describe_fields(*, required: bool = True, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = [*properties]
    return _describe_body(schema, required=required)


def _describe_body(schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": required, "content": content}}


def _describe_revisions() -> dict[str, Any]:
    """Describe the fields that some stage of some pipeline lets a person change; each is optional."""
    models = [
        stage.revision.model.model_json_schema()
        for pipeline in get_catalog()
        for stage in pipeline.stages
        if stage.revision is not None
    ]
    return {"anyOf": [{**model, "required": []} for model in models] or [{"type": "object"}]}


@router.post(
    "/approve/{task_id}", response_model=OrderState, responses=_PROBLEMS, summary="Approve a stage"
)
def approve_one(
    task_id: str,
    api: ApiDep,
    key: OrderScopedKey,
    stage: Stage = None,
    generation: Generation = None,
) -> Response:
    """Approve the stage, so that the order continues. A named stage may be approved again: nothing changes.

    An order that waits for no approval, or for that of another stage, is refused (409, `not_held`), and so is a
    `generation` of the named stage that is not its newest (409, `changed_meanwhile`).
    """
    find_own_order(api, key, task_id)
    return reply_json(OrderState.build(approve_order(api.db, task_id, stage, key.name, generation)))


@router.post(
    "/reject/{task_id}",
    response_model=OrderState,
    responses=_WITH_BODY,
    openapi_extra=_describe_fields(
        required=False, reason={"type": "string", "maxLength": LONGEST_REASON}
    ),
    summary="Reject what a stage has made",
)
async def reject_one(
    request: HttpRequest, task_id: str, api: ApiDep, key: OrderScopedKey
) -> Response:
    """Cancel the order with the reason. A retry waits for the approval again; a redo makes new products."""
    body = await read_body(request, _LARGEST_BODY)
    fields = _parse_fields(body) if body.strip() else {}
    _ensure_only(fields, "reason")

    def transition() -> Request:
        find_own_order(api, key, task_id)
        return reject_order(api.db, task_id, key.name, fields.get("reason"))

    return reply_json(OrderState.build(await run_in_threadpool(transition)))


@router.patch(
    "/product/{task_id}/{stage}",
    response_model=RevisedOrder,
    responses=_WITH_BODY,
    openapi_extra=_describe_body(_describe_revisions(), required=True),
    summary="Change what a stage has made",
)
async def revise_one(
    request: HttpRequest,
    task_id: str,
    stage: str,
    api: ApiDep,
    key: OrderScopedKey,
    generation: Generation = None,
) -> Response:
    """Change these fields of the product; the others stay. The order still waits for the approval.

    Nothing is bought. `editable` of the status has the fields and their present values.
    """
    fields = _parse_fields(await read_body(request, _LARGEST_BODY))

    def transition() -> Revised:
        find_own_order(api, key, task_id)
        return revise_order(api.db, task_id, stage, fields, key.name, generation)

    return reply_json(RevisedOrder.of(await run_in_threadpool(transition), stage))


@router.post(
    "/choose/{task_id}/{stage}",
    response_model=RevisedOrder,
    responses=_WITH_BODY,
    openapi_extra=_describe_fields(choice={"type": "string", "examples": ["b"]}),
    summary="Choose among what was paid for",
)
async def choose_one(
    request: HttpRequest,
    task_id: str,
    stage: Annotated[str, Path(examples=["song"])],
    api: ApiDep,
    key: OrderScopedKey,
    generation: Generation = None,
) -> Response:
    """Choose one of the status' `choices`; once approved, the order continues with it. Nothing is bought."""
    fields = _parse_fields(await read_body(request, _LARGEST_BODY))
    _ensure_only(fields, "choice")

    def transition() -> Revised:
        find_own_order(api, key, task_id)
        return apply_choice(api.db, task_id, stage, fields.get("choice"), key.name, generation)

    return reply_json(RevisedOrder.of(await run_in_threadpool(transition), stage))


def _parse_fields(body: bytes) -> Mapping[str, Any]:
    return require_object(parse_json(body, BODY), BODY)


def _ensure_only(fields: Mapping[str, Any], known: str) -> None:
    for name in fields:
        if name != known:
            raise InvalidInputError(
                ascii(name)[1:-1][:80], f"is not a field here; expected {known}"
            )


Pipeline = Annotated[str, Path(max_length=64, description="The pipeline")]
Name = Annotated[
    str, Path(max_length=320, description="The profile's name, without / and not of dots alone")
]

profile_router = APIRouter(prefix="/profiles", tags=["order"])


class ProfileBody(BaseModel):
    """A profile: fields that orders of the pipeline have in common."""

    model_config = example(name="Bluebird", fields={"customer_name": "Bluebird Bakery"})

    name: LedgerText
    fields: dict[str, Any]


class ProfileList(BaseModel):
    """The profiles of one pipeline."""

    model_config = example(
        profiles=[{"name": "Bluebird", "fields": {"customer_name": "Bluebird Bakery"}}]
    )

    profiles: list[ProfileBody]


@profile_router.get(
    "/{pipeline}",
    response_model=ProfileList,
    responses=describe_problems(401, 403, 422, 429, 503),
    summary="List profiles",
)
def list_own_profiles(pipeline: Pipeline, api: ApiDep, key: ReadScopedKey) -> Response:
    """List the profiles of the key's owner, by name."""
    found = list_profiles(api.db, key.owner, get_catalog().get_pipeline(pipeline).name)
    bodies = [ProfileBody(name=each.name, fields=dict(each.fields)) for each in found]
    return reply_json(ProfileList(profiles=bodies))


@profile_router.put(
    "/{pipeline}/{name}",
    response_model=ProfileBody,
    responses=describe_problems(401, 403, 408, 409, 413, 422, 429, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"type": "object"},
                    "example": {"region": "전주", "genre": "pop"},
                }
            },
        }
    },
    summary="Keep a profile",
)
async def keep(
    request: HttpRequest, pipeline: Pipeline, name: Name, api: ApiDep, key: OrderScopedKey
) -> Response:
    """Save the profile with these fields of the pipeline's order; an order made of them checks them."""
    given = require_object(parse_json(await read_body(request, _LARGEST_BODY), BODY), BODY)
    wanted = get_catalog().get_pipeline(pipeline)
    fields, kept = check_profile(wanted, given), check_profile_name(name)
    await run_in_threadpool(save_profile, api.db, key.owner, wanted.name, kept, fields)
    return reply_json(ProfileBody(name=kept, fields=fields))


@profile_router.delete(
    "/{pipeline}/{name}",
    status_code=204,
    responses=describe_problems(401, 403, 404, 422, 429, 503),
    summary="Remove a profile",
)
def remove(pipeline: Pipeline, name: Name, api: ApiDep, key: OrderScopedKey) -> Response:
    """Remove the owner's profile of this name."""
    delete_profile(
        api.db, key.owner, get_catalog().get_pipeline(pipeline).name, check_sought_name(name)
    )
    return Response(status_code=204)
