"""Routes of sessions and of share links."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from starlette.responses import FileResponse, Response

from castad.api.auth import (
    CSRF_HEADER,
    AnyKey,
    OrderScopedKey,
    ReadScopedKey,
    clear_cookie,
    ensure_csrf,
    find_own_order,
    find_session,
    log_in,
    log_out,
    log_out_everywhere,
    set_cookie,
)
from castad.api.bodies import reply_json
from castad.api.files import FILE_RESPONSES, serve_artifact
from castad.api.forms import BODY, read_body
from castad.api.problems import describe_problems
from castad.api.state import Api, ApiDep
from castad.orders.order_fields import parse_json, require_object
from castad.views.snapshot import read_shared_snapshot, select_newest_files
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import UnknownShareLinkError
from resources.ledger.queries.access import ApiKey, Scope, SessionKey, ShareLink, list_share_links
from resources.ledger.request import Token
from resources.ledger.transitions.access import (
    MOST_DAYS,
    USUAL_DAYS,
    revoke_share_link,
    share_request,
)
from resources.views.text import EXAMPLE_TIMESTAMP, LedgerText, Timestamp, example

_LARGEST_BODY = 4096
_NO_STORE = {"Cache-Control": "no-store"}
_KEY_BODY: Mapping[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"key": {"type": "string", "description": "An API key"}},
                    "required": ["key"],
                    "additionalProperties": False,
                }
            }
        },
    }
}

session_router = APIRouter(tags=["session"])


class SessionBody(BaseModel):
    """Who is logged in; without a session, whose key was sent."""

    model_config = example(
        key="shop",
        owner="shop",
        scopes=["order", "read"],
        csrf_token="9f86d081884c7d65…",  # noqa: S106 - an example
        expires_at=EXAMPLE_TIMESTAMP,
    )

    key: LedgerText = Field(description="The key's name")
    owner: LedgerText = Field(description="Whose orders it reaches, unless its scopes have admin")
    scopes: list[Scope]
    csrf_token: str | None = Field(
        description=f"What methods other than GET and HEAD need in `{CSRF_HEADER}`; null without a session"
    )
    expires_at: Timestamp | None = Field(description="When the session ends by itself")


@session_router.post(
    "/session",
    status_code=204,
    responses=describe_problems(401, 403, 408, 413, 422, 429, 503),
    openapi_extra=dict(_KEY_BODY),
    summary="Log in",
)
async def begin(request: Request, api: ApiDep) -> Response:
    """Begin a session of this key, which lasts 30 days, and set its cookie.

    Only a few wrong keys a minute are checked from one address (429).
    """
    content = require_object(parse_json(await read_body(request, _LARGEST_BODY), BODY), BODY)
    secret = content.get("key")
    if not isinstance(secret, str) or len(content) > 1:
        raise InvalidInputError("key", "expected an API key as text, and nothing else")
    token = await log_in(api, request, secret)
    response = Response(status_code=204, headers=_NO_STORE)
    set_cookie(request, response, token)
    return response


@session_router.get(
    "/session",
    response_model=SessionBody,
    responses=describe_problems(401, 403, 429, 503),
    summary="Read who is logged in",
)
async def read(request: Request, api: ApiDep, key: AnyKey) -> Response:
    """Read the session's key and its CSRF token; without a session, the key that was sent."""
    session = await find_session(api, request) if isinstance(key, SessionKey) else None
    csrf, ends = (None, None) if session is None else (session.csrf, session.expires_at)
    body = SessionBody(
        key=key.name,
        owner=key.owner,
        scopes=sorted(key.scopes),
        csrf_token=csrf,
        expires_at=ends,
    )
    return reply_json(body, headers=_NO_STORE)


@session_router.delete(
    "/session",
    status_code=204,
    responses=describe_problems(403, 503),
    summary="Log out",
)
async def end(request: Request, api: ApiDep) -> Response:
    """End the session of the cookie. Without one nothing changes."""
    session = await find_session(api, request)
    if session is not None:
        request.state.key_id = session.key.id
        ensure_csrf(session, request.headers.get(CSRF_HEADER))
        await log_out(api, request)
    return _reply_logged_out(request)


@session_router.delete(
    "/sessions",
    status_code=204,
    responses=describe_problems(401, 403, 429, 503),
    summary="Log out everywhere",
)
async def end_all(request: Request, api: ApiDep, key: AnyKey) -> Response:
    """End every session of this key; its unused login links begin none. The key stays valid."""
    await log_out_everywhere(api, key)
    return _reply_logged_out(request)


def _reply_logged_out(request: Request) -> Response:
    response = Response(status_code=204)
    clear_cookie(request, response)
    return response


_LARGEST_LINK_BODY = 1024
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

share_router = APIRouter(tags=["share"])


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


@share_router.post(
    "/pipeline/share/{task_id}",
    status_code=201,
    response_model=NewShareLinkBody,
    responses=describe_problems(401, 403, 404, 408, 409, 413, 422, 429, 503),
    openapi_extra=dict(_DAYS_BODY),
    summary="Share a result",
)
async def share(request: Request, task_id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """Create a link that shows this completed order's result and files, and nothing else, to anyone who has it."""
    text = await read_body(request, _LARGEST_LINK_BODY)
    given = require_object(parse_json(text, BODY), BODY) if text else {}
    days = given.get("days", USUAL_DAYS)
    if type(days) is not int or not 1 <= days <= MOST_DAYS or given.keys() - {"days"}:
        raise InvalidInputError(
            "days", f"expected a whole number from 1 to {MOST_DAYS}, and no other member"
        )
    token = Token.new()
    link = await run_in_threadpool(_share, api, key, task_id, token, days)
    body = NewShareLinkBody(id=link.id, url=f"/s/{token.text}", expires_at=link.expires_at)
    return reply_json(body, 201, {"Cache-Control": "no-store"})


def _share(api: Api, key: ApiKey, task_id: str, token: Token, days: int) -> ShareLink:
    own = find_own_order(api, key, task_id)
    return share_request(api.db, own.task_id, token, days=days, created_by=key.name)


@share_router.get(
    "/pipeline/share/{task_id}",
    response_model=ShareLinksBody,
    responses=describe_problems(401, 403, 404, 422, 429, 503),
    summary="List share links",
)
def list_links(task_id: str, api: ApiDep, key: ReadScopedKey) -> Response:
    """List the share links of the order, revoked ones too, without their addresses. Only its owner may."""
    found = list_share_links(api.db, find_own_order(api, key, task_id).id)
    return reply_json(ShareLinksBody(links=[ShareLinkBody(**vars(link)) for link in found]))


@share_router.delete(
    "/pipeline/share/{task_id}/{id}",
    response_model=ShareLinkBody,
    responses=describe_problems(401, 403, 404, 422, 429, 503),
    summary="Revoke a share link",
)
def revoke(task_id: str, id: str, api: ApiDep, key: OrderScopedKey) -> Response:
    """Revoke the link, so that it shows nothing any more. A second call changes nothing."""
    order = find_own_order(api, key, task_id)
    if not id.isalnum():
        raise UnknownShareLinkError
    return reply_json(ShareLinkBody(**vars(revoke_share_link(api.db, order.id, id))))


@share_router.head("/s/{token}/files/{name}", include_in_schema=False)
@share_router.get(
    "/s/{token}/files/{name}",
    response_class=FileResponse,
    responses={**FILE_RESPONSES, **describe_problems(400, 404, 410, 416, 422, 502, 503)},
    summary="Fetch a shared file",
)
def fetch_shared_file(request: Request, token: str, name: str, api: ApiDep) -> Response:
    """Fetch a file of the result that the link shows, or the `Range` of it. Needs no key.

    The result is the one that was shared, also after a redo: its main files, its cover and its captions.
    """
    shared = read_shared_snapshot(api.db, token, api.store.root)
    request.state.task_id = shared.request.task_id
    cover = None if shared.pipeline is None else shared.pipeline.cover
    files = select_newest_files(shared.overview.artifacts, cover)
    found = next((each for each in files if each.name == name), None)
    response = serve_artifact(api, found)
    response.headers.update(_PUBLIC)
    return response
