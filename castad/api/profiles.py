"""Routes of profiles: what an owner's orders of a pipeline have in common, for forms and for clients."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from starlette.responses import Response

from castad.api.auth import OrderScopedKey, ReadScopedKey
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.request_body import BODY, read_body
from castad.api.state import ApiDep
from castad.orders.order_fields import parse_json, require_object
from castad.orders.profiles import checked_profile, profile_name, sought_name
from pipeline_defs.catalog import get_catalog
from resources.ledger.queries.access import list_profiles
from resources.ledger.transitions.access import delete_profile, save_profile
from resources.views.text import LedgerText, example

_LARGEST = 100_000
Pipeline = Annotated[str, Path(max_length=64, description="The pipeline")]
Name = Annotated[
    str, Path(max_length=320, description="The profile's name, without / and not of dots alone")
]

router = APIRouter(prefix="/profiles", tags=["order"])


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


@router.get(
    "/{pipeline}",
    response_model=ProfileList,
    responses=problem_responses(401, 403, 422, 429, 503),
    summary="List profiles",
)
def profiles(pipeline: Pipeline, api: ApiDep, key: ReadScopedKey) -> Response:
    """The profiles of the key's owner, by name."""
    found = list_profiles(api.db, key.owner, get_catalog().get_pipeline(pipeline).name)
    bodies = [ProfileBody(name=each.name, fields=dict(each.fields)) for each in found]
    return json_reply(ProfileList(profiles=bodies))


@router.put(
    "/{pipeline}/{name}",
    response_model=ProfileBody,
    responses=problem_responses(401, 403, 408, 409, 413, 422, 429, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
    summary="Keep a profile",
)
async def keep(
    request: Request, pipeline: Pipeline, name: Name, api: ApiDep, key: OrderScopedKey
) -> Response:
    """The profile has these fields of the pipeline's order; they are checked when an order is made of them."""
    given = require_object(parse_json(await read_body(request, _LARGEST), BODY), BODY)
    wanted = get_catalog().get_pipeline(pipeline)
    fields, kept = checked_profile(wanted, given), profile_name(name)
    await run_in_threadpool(save_profile, api.db, key.owner, wanted.name, kept, fields)
    return json_reply(ProfileBody(name=kept, fields=fields))


@router.delete(
    "/{pipeline}/{name}",
    status_code=204,
    responses=problem_responses(401, 403, 404, 422, 429, 503),
    summary="Remove a profile",
)
def remove(pipeline: Pipeline, name: Name, api: ApiDep, key: OrderScopedKey) -> Response:
    """The owner has no profile of this name."""
    delete_profile(api.db, key.owner, get_catalog().get_pipeline(pipeline).name, sought_name(name))
    return Response(status_code=204)
