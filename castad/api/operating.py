"""Routes of an operator: vendors paused and resumed, keys listed and revoked."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi import Request as HttpRequest
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from castad.api.auth import AdminScopedKey
from castad.api.bodies import reply_json
from castad.api.forms import BODY, read_body
from castad.api.problems import describe_problems
from castad.api.state import Api, ApiDep
from castad.orders.acts import parse_pause_seconds, pause_by_hand, resume_by_hand
from castad.orders.order_fields import parse_json, require_object
from pipeline_defs.fields import find_first_input_error
from resources.ledger.queries.access import ApiKey, list_keys
from resources.ledger.queries.money import read_pauses
from resources.ledger.transitions.access import revoke_key
from resources.views.statistics import PausedProvider
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example

_LARGEST_BODY = 4096
_PROBLEMS = describe_problems(401, 403, 404, 422, 429, 503)
_WITH_BODY = {**_PROBLEMS, **describe_problems(408, 413)}
Provider = Annotated[str, Path(max_length=64, description="The vendor, such as `suno`")]

router = APIRouter(tags=["operate"])


class Pause(BaseModel):
    """How long a vendor is paused, and why."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"for": "2h", "reason": "the account is being changed"}]},
    )

    length: str = Field("1h", alias="for", description="Such as `30m`, `2h` or `1d`")
    reason: str = Field("", description="Shown to whoever looks why orders wait")


@router.post(
    "/providers/{provider}/pause",
    response_model=PausedProvider,
    responses=_WITH_BODY,
    openapi_extra={
        "requestBody": {
            "required": False,
            "content": {"application/json": {"schema": Pause.model_json_schema()}},
        }
    },
    summary="Pause a vendor",
)
async def pause(
    request: HttpRequest, provider: Provider, api: ApiDep, key: AdminScopedKey
) -> Response:
    """Send nothing new to the vendor for this long; orders wait meanwhile. A pause is never made shorter."""
    body = await read_body(request, _LARGEST_BODY)
    given = require_object(parse_json(body, BODY), BODY) if body.strip() else {}
    return reply_json(await run_in_threadpool(partial(_pause, api, provider, key, given)))


def _pause(api: Api, provider: str, key: ApiKey, body: Mapping[str, Any]) -> PausedProvider:
    try:
        given = Pause.model_validate(body)
    except ValidationError as error:
        raise find_first_input_error(error, ["for", "reason"]) from None
    seconds = parse_pause_seconds("for", given.length)
    pause_by_hand(api.db, provider, seconds, key.name, given.reason)
    paused = next(each for each in read_pauses(api.db) if each.provider == provider)
    return PausedProvider(**vars(paused))


class ResumedProvider(BaseModel):
    """The vendor takes orders again."""

    model_config = example(provider="suno", was_paused=True)

    provider: str
    was_paused: bool


@router.post(
    "/providers/{provider}/resume",
    response_model=ResumedProvider,
    responses=_PROBLEMS,
    summary="Resume a vendor",
)
def resume(provider: Provider, api: ApiDep, key: AdminScopedKey) -> Response:
    """End the vendor's pause, or that of the `budget`; the orders that waited for it continue."""
    was_paused = resume_by_hand(api.db, provider, key.name)
    return reply_json(ResumedProvider(provider=provider, was_paused=was_paused))


class KeyBody(BaseModel):
    """A key, without its secret."""

    id: str
    name: LedgerText
    owner: LedgerText
    scopes: list[str]
    rate_per_minute: int | None = Field(description="Calls a minute; null without a limit")
    created_at: Timestamp
    revoked_at: Timestamp | None


class KeysBody(BaseModel):
    """All keys, revoked ones too."""

    model_config = example(
        keys=[
            {
                "id": "1a2b3c4d5e6f",
                "name": "shop-frontend",
                "owner": "shop",
                "scopes": ["order", "read"],
                "rate_per_minute": None,
                "created_at": EXAMPLE_TIMESTAMP,
                "revoked_at": None,
            }
        ]
    )

    keys: list[KeyBody]


class RevokedKey(BaseModel):
    """The key is refused from now on."""

    model_config = example(id="1a2b3c4d5e6f", revoked=True)

    id: str
    revoked: bool = True


@router.get(
    "/keys",
    response_model=KeysBody,
    responses=describe_problems(401, 403, 429, 503),
    summary="List keys",
)
def list_all_keys(api: ApiDep, key: AdminScopedKey) -> Response:
    """List all keys. A new one is made on castad's machine alone (`castad key create`)."""
    found = [KeyBody(**vars(each) | {"scopes": sorted(each.scopes)}) for each in list_keys(api.db)]
    return reply_json(KeysBody(keys=found))


@router.delete(
    "/keys/{key_id}", response_model=RevokedKey, responses=_PROBLEMS, summary="Revoke a key"
)
def revoke(
    key_id: Annotated[str, Path(max_length=64, description="The key's `id`")],
    api: ApiDep,
    key: AdminScopedKey,
) -> Response:
    """Revoke the key: within a second it opens nothing, and its streams end. A second call changes nothing."""
    revoke_key(api.db, key_id)
    return reply_json(RevokedKey(id=key_id))
