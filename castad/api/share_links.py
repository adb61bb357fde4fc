"""Routes of share links: an owner makes, lists and revokes them, and anybody reads one order's files by one."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from starlette.responses import FileResponse, Response

from castad.api.auth import OrderScopedKey, ReadScopedKey, authorize, validated_task_id
from castad.api.files import FILE_RESPONSES, serve_artifact
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.request_body import BODY, read_body
from castad.api.state import Api, ApiDep
from castad.orders.order_fields import parse_json, require_object
from castad.readmodels.snapshot import newest_files, shared_snapshot
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.queries.access import ApiKey, ShareLink, list_share_links
from resources.ledger.queries.status import get_request
from resources.ledger.request import Request as Order
from resources.ledger.request import Token
from resources.ledger.transitions.access import (
    MOST_DAYS,
    USUAL_DAYS,
    revoke_share_link,
    share_request,
)
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example

_LARGEST_BODY = 1024
_PUBLIC = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}
_DAYS_BODY: Mapping[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "days": {
                            "type": "integer",
                            "minimum": 1,
                            "maximum": MOST_DAYS,
                            "default": USUAL_DAYS,
                            "description": "After so many days the link shows nothing any more",
                        }
                    },
                    "additionalProperties": False,
                }
            }
        },
    }
}

router = APIRouter(tags=["share"])


class ShareLinkBody(BaseModel):
    """A share link; its address is shown once, when it is made."""

    model_config = example(
        id="1a2b3c4d5e6f",
        created_by="shop",
        created_at=EXAMPLE_TIMESTAMP,
        expires_at=EXAMPLE_TIMESTAMP,
        revoked_at=None,
    )

    id: str
    created_by: LedgerText
    created_at: Timestamp
    expires_at: Timestamp
    revoked_at: Timestamp | None


class NewShareLinkBody(BaseModel):
    """A new share link. Whoever has its address sees the result."""

    model_config = example(id="1a2b3c4d5e6f", url="/s/…", expires_at=EXAMPLE_TIMESTAMP)

    id: str
    url: str = Field(description="The path of the page that shows the result")
    expires_at: Timestamp


class ShareLinksBody(BaseModel):
    """An order's share links that have not expired, the newest first."""

    model_config = example(links=[])

    links: Sequence[ShareLinkBody]


@router.post(
    "/pipeline/share/{task_id}",
    status_code=201,
    response_model=NewShareLinkBody,
    responses=problem_responses(401, 403, 404, 408, 409, 413, 422, 429, 503),
    openapi_extra=dict(_DAYS_BODY),
    summary="Share a result",
)
async def share(request: Request, task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """A link that shows this completed order's result and files, and nothing else, to whoever has its address."""
    days = _days_in(await read_body(request, _LARGEST_BODY))
    token = Token.new()
    link = await run_in_threadpool(_share, api, key, task_id, token, days)
    body = NewShareLinkBody(id=link.id, url=f"/s/{token.text}", expires_at=link.expires_at)
    return json_reply(body, 201, {"Cache-Control": "no-store"})


def _days_in(body: bytes) -> int:
    given = require_object(parse_json(body, BODY), BODY) if body else {}
    days = given.get("days", USUAL_DAYS)
    if type(days) is not int or not 1 <= days <= MOST_DAYS or given.keys() - {"days"}:
        raise InvalidInputError(
            "days", f"expected a whole number from 1 to {MOST_DAYS}, and no other member"
        )
    return days


def _share(api: Api, key: ApiKey, task_id: str, token: Token, days: int) -> ShareLink:
    own = _own_order(api, key, task_id)
    return share_request(api.db, own.task_id, token, days=days, created_by=key.name)


def _own_order(api: Api, key: ApiKey, task_id: str) -> Order:
    return authorize(key, get_request(api.db, validated_task_id(task_id)))


@router.get(
    "/pipeline/share/{task_id}",
    response_model=ShareLinksBody,
    responses=problem_responses(401, 403, 404, 422, 429, 503),
    summary="List share links",
)
def shares(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
    """The links of one's own order, revoked ones too, without their addresses."""
    found = list_share_links(api.db, _own_order(api, key, task_id).id)
    return json_reply(ShareLinksBody(links=[_body(link) for link in found]))


@router.delete(
    "/pipeline/share/{task_id}/{id}",
    response_model=ShareLinkBody,
    responses=problem_responses(401, 403, 404, 422, 429, 503),
    summary="Revoke a share link",
)
def revoke(task_id: str, id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """The link shows nothing any more. A second call changes nothing."""
    order = _own_order(api, key, task_id)
    if not id.isalnum():
        raise UnknownShareLinkError
    return json_reply(_body(revoke_share_link(api.db, order.id, id)))


def _body(link: ShareLink) -> ShareLinkBody:
    return ShareLinkBody(**vars(link))


@router.head("/s/{token}/files/{name}", include_in_schema=False)
@router.get(
    "/s/{token}/files/{name}",
    response_class=FileResponse,
    responses={**FILE_RESPONSES, **problem_responses(400, 404, 410, 416, 422, 502, 503)},
    summary="Fetch a shared file",
)
def shared_file(request: Request, token: str, name: str, api: ApiDep) -> Response:
    """A file of the result that the link shows, or the `Range` of it. Needs no key.

    The result is the one that was shared, also after a redo: its main files, its cover and its captions.
    """
    shared = shared_snapshot(api.db, token, api.store.root)
    request.state.task_id = shared.request.task_id
    cover = None if shared.pipeline is None else shared.pipeline.cover
    files = newest_files(shared.overview.artifacts, cover)
    found = next((each for each in files if each.name == name), None)
    response = serve_artifact(api, found)
    response.headers.update(_PUBLIC)
    return response
