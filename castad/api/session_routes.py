"""Routes of sessions: log in, log out, and who is logged in."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from castad.api.auth import AnyKey
from castad.api.problems import problem_responses
from castad.api.replies import json_reply
from castad.api.request_body import BODY, read_body
from castad.api.session_cookie import clear_cookie, set_cookie
from castad.api.sessions import (
    CSRF_HEADER,
    ensure_csrf,
    log_in,
    log_out,
    log_out_everywhere,
    session_of,
)
from castad.api.state import ApiDep
from castad.orders.order_fields import parse_json, require_object
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.access import ApiKey, Scope, SessionKey
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

router = APIRouter(tags=["session"])


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


def _body(key: ApiKey, csrf: str | None, expires_at: datetime | None) -> SessionBody:
    return SessionBody(
        key=key.name,
        owner=key.owner,
        scopes=sorted(key.scopes),
        csrf_token=csrf,
        expires_at=expires_at,
    )


@router.post(
    "/session",
    status_code=204,
    responses=problem_responses(401, 403, 408, 413, 422, 429, 503),
    openapi_extra=dict(_KEY_BODY),
    summary="Log in",
)
async def begin(request: Request, api: ApiDep) -> Response:
    """The answer sets the cookie of a new session of this key, which lasts 30 days.

    Only a few wrong keys a minute are looked at from one address (429).
    """
    content = require_object(parse_json(await read_body(request, _LARGEST_BODY), BODY), BODY)
    secret = content.get("key")
    if not isinstance(secret, str) or len(content) > 1:
        raise InvalidInputError("key", "expected an API key as text, and nothing else")
    token = await log_in(api, request, secret)
    response = Response(status_code=204, headers=_NO_STORE)
    set_cookie(request, response, token)
    return response


@router.get(
    "/session",
    response_model=SessionBody,
    responses=problem_responses(401, 403, 429, 503),
    summary="Read who is logged in",
)
async def read(request: Request, api: ApiDep, key: AnyKey) -> Response:
    """The session's key and its CSRF token."""
    session = await session_of(api, request) if isinstance(key, SessionKey) else None
    csrf, ends = (None, None) if session is None else (session.csrf, session.expires_at)
    return json_reply(_body(key, csrf, ends), headers=_NO_STORE)


@router.delete(
    "/session",
    status_code=204,
    responses=problem_responses(403, 503),
    summary="Log out",
)
async def end(request: Request, api: ApiDep) -> Response:
    """The session of the cookie has ended; without one nothing changes."""
    session = await session_of(api, request)
    if session is not None:
        request.state.key_id = session.key.id
        ensure_csrf(session, request.headers.get(CSRF_HEADER))
        await log_out(api, request)
    return _logged_out(request)


@router.delete(
    "/sessions",
    status_code=204,
    responses=problem_responses(401, 403, 429, 503),
    summary="Log out everywhere",
)
async def end_all(request: Request, api: ApiDep, key: AnyKey) -> Response:
    """Every session of this key has ended, and its unused login links begin none. The key stays valid."""
    await log_out_everywhere(api, key)
    return _logged_out(request)


def _logged_out(request: Request) -> Response:
    response = Response(status_code=204)
    clear_cookie(request, response)
    return response
