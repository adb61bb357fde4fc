"""Authentication by key or session, and the caller's rights.

A person logs in with a key or a login link, and a cookie takes the key's place. Changes by cookie also need the
session's CSRF token, which no page of another site knows.
"""

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.responses import Response
from starlette.types import Scope as HttpScope

from castad.api.problems import ApiError
from castad.api.state import Api, ApiDep
from castad.views.snapshot import Snapshot
from castad.views.status_body import StatusBody, build_status_body
from resources.contract.errors import InvalidInputError
from resources.ledger.ledger_errors import (
    UnknownKeyError,
    UnknownLoginLinkError,
    UnknownRequestError,
)
from resources.ledger.queries.access import ApiKey, Scope, Secret, SessionKey, find_active_key
from resources.ledger.queries.status import get_request, may_read
from resources.ledger.request import Request as Order
from resources.ledger.request import Token, is_task_id
from resources.ledger.transitions.access import (
    SESSION_SECONDS,
    begin_session,
    end_session,
    end_sessions,
    use_login_link,
)

COOKIE = "castad_session"


def read_session_token(request: Request) -> Token | None:
    """Read the session's token from the request's cookie; None without one."""
    text = request.cookies.get(_get_cookie_name(request))
    return None if text is None else Token.read(text)


def set_cookie(request: Request, response: Response, token: Token) -> None:
    """Set the session's cookie in the response."""
    response.set_cookie(
        _get_cookie_name(request),
        token.text,
        max_age=SESSION_SECONDS,
        path="/",
        secure=_is_by_tls(request),
        httponly=True,
        samesite="strict",
    )


def clear_cookie(request: Request, response: Response) -> None:
    """Remove the session's cookie from the browser."""
    response.delete_cookie(
        _get_cookie_name(request),
        path="/",
        secure=_is_by_tls(request),
        httponly=True,
        samesite="strict",
    )


def _get_cookie_name(request: Request) -> str:
    """Return the cookie's name; by TLS one that no other host of the domain can set (RFC 6265bis)."""
    return f"__Host-{COOKIE}" if _is_by_tls(request) else COOKIE


def _is_by_tls(request: Request) -> bool:
    # A proxy's X-Forwarded-Proto is in it where the server trusts the proxy.
    return request.url.scheme == "https"


_OWN_SITES = ("same-origin", "none")


def is_foreign(scope: HttpScope, host: str) -> bool:
    """Return whether a page of another origin than `host` sent it; only browsers send these headers."""
    sites = list_header_values(scope, b"sec-fetch-site")
    own = (f"http://{host}", f"https://{host}")
    return any(site not in _OWN_SITES for site in sites) or any(
        origin not in own for origin in list_header_values(scope, b"origin")
    )


def is_followed_link(scope: HttpScope) -> bool:
    """Return whether a person followed a link to a page; the linking site cannot read the page."""
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not list_header_values(scope, b"origin")
        and list_header_values(scope, b"sec-fetch-mode") == ["navigate"]
        and list_header_values(scope, b"sec-fetch-dest") == ["document"]
    )


def list_header_values(scope: HttpScope, name: bytes) -> list[str]:
    """List the values of the header, in lower case where case means nothing."""
    texts = [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]
    return texts if name in (b"accept", b"content-type") else [text.lower() for text in texts]


CSRF_HEADER = "X-CSRF-Token"


@dataclass(frozen=True)
class Session:
    """Who is logged in. `csrf` is what a change has to bring: in the header, or in a form's field."""

    key: SessionKey
    csrf: str = field(repr=False)

    @property
    def expires_at(self) -> datetime:
        """When it ends by itself."""
        return self.key.session_expires_at


async def find_session(api: Api, request: Request) -> Session | None:
    """Find the session of the request's cookie, as of a second ago at most; None without one.

    Raises ApiError `cross_origin` if a page of another origin makes the browser send the cookie.
    """
    token = read_session_token(request)
    key = None if token is None else await api.key_cache.find_key_of_session(token)
    if token is None or key is None:
        return None
    _ensure_not_foreign(request)
    return Session(key, _derive_csrf_token(token))


def ensure_csrf(session: Session, given: object) -> None:
    """Raise ApiError `bad_csrf_token` unless the CSRF token is this session's."""
    text = given if isinstance(given, str) else ""
    if not hmac.compare_digest(session.csrf.encode(), text.encode("utf-8", "replace")):
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "bad_csrf_token",
            f"{CSRF_HEADER}: expected the `csrf_token` of this session; `GET /v1/session` has it",
            field=CSRF_HEADER,
        )


async def log_in(api: Api, request: Request, secret: str) -> Token:
    """Begin a session of the key with this secret, and end the browser's previous one.

    `set_cookie` gives it to the browser. Raises ApiError `wrong_key`, `rate_limited` or `cross_origin`.
    """
    _ensure_not_foreign(request)
    token = Token.new()
    with api.login_tries.count_failures(_get_address(request)):
        key_id = await run_in_threadpool(_begin_by_key, api, secret, token)
    return await _replace_session(api, request, token, key_id)


async def log_in_by_link(api: Api, request: Request, link: str) -> Token:
    """Begin a session of the link's key; the link is used up.

    Raises UnknownLoginLinkError, and ApiError `rate_limited` or `cross_origin`.
    """
    _ensure_not_foreign(request)
    token = Token.new()
    with api.login_tries.count_failures(_get_address(request)):
        given = Token.read(link)
        if given is None:
            raise UnknownLoginLinkError
        key_id = await run_in_threadpool(use_login_link, api.db, given, token)
    return await _replace_session(api, request, token, key_id)


async def log_out(api: Api, request: Request) -> None:
    """End the session of the request's cookie, if it has one."""
    token = read_session_token(request)
    if token is not None:
        await run_in_threadpool(end_session, api.db, token.hash)
        api.key_cache.forget_session(token)


async def log_out_everywhere(api: Api, key: ApiKey) -> None:
    """End every session of the key: here at once, in other processes within a second."""
    await run_in_threadpool(end_sessions, api.db, key.id)
    api.key_cache.forget_sessions()


def _begin_by_key(api: Api, text: str, token: Token) -> str:
    secret = Secret.read(text)
    key = None if secret is None else find_active_key(api.db, secret)
    try:
        if key is not None:
            begin_session(api.db, token, key.id)
            return key.id
    except UnknownKeyError:
        # It was revoked in the meantime, and is as unknown as any other.
        pass
    raise ApiError(
        HTTPStatus.UNAUTHORIZED,
        "wrong_key",
        "key: expected a valid key, as `castad key create` printed it",
        field="key",
        headers={"WWW-Authenticate": "Bearer"},
    )


async def _replace_session(api: Api, request: Request, token: Token, key_id: str) -> Token:
    request.state.key_id = key_id
    await log_out(api, request)
    return token


def _ensure_not_foreign(request: Request) -> None:
    hosts = list_header_values(request.scope, b"host")
    is_foreign_page = len(hosts) != 1 or is_foreign(request.scope, hosts[0])
    if is_foreign_page and not is_followed_link(request.scope):
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "cross_origin",
            "Origin: expected this site's own; a session serves no page of another one",
            field="Origin",
        )


def _derive_csrf_token(token: Token) -> str:
    """Derive the CSRF token from the session's token, so that it is not stored.

    The session's stored hash does not lead to it.
    """
    return hmac.new(token.text.encode(), b"csrf", hashlib.sha256).hexdigest()


def _get_address(request: Request) -> str | None:
    return None if request.client is None else request.client.host


_bearer = HTTPBearer(
    auto_error=False,
    description="A key that `castad key create` made, or the admin's key in the file that `castad api` names",
)
# Read by `find_session`; here it only stands in the OpenAPI description.
_cookie = APIKeyCookie(
    name=COOKIE,
    auto_error=False,
    description="A session, which `POST /v1/session` begins; by TLS its name begins with `__Host-`. Methods other "
    f"than GET and HEAD need its CSRF token in the header `{CSRF_HEADER}`",
)


async def _get_bearer(
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    cookie: Annotated[str | None, Depends(_cookie)],
) -> HTTPAuthorizationCredentials | None:
    return bearer


BearerToken = Annotated[HTTPAuthorizationCredentials | None, Depends(_get_bearer)]
_READING = ("GET", "HEAD")

FindKey = Callable[[Api, Secret], Awaitable[ApiKey | None]]


async def _find_cached_key(api: Api, secret: Secret) -> ApiKey | None:
    return await api.key_cache.find_key(secret)


async def _find_known_key(api: Api, secret: Secret) -> ApiKey | None:
    """Find the key in memory; ask the ledger for a new key, or one that it no longer has."""
    key = api.known_keys.find_key(secret)
    if key is None:
        key = await api.key_cache.find_key(secret)
        if key is not None:
            api.known_keys.note(secret, key)
    return key


def require_scope(
    scope: Scope | None, find_key: FindKey = _find_cached_key
) -> Callable[..., Awaitable[ApiKey]]:
    """Build a FastAPI dependency that returns the caller's key, with this scope and within its rate.

    Without a key it uses the session's. Raises ApiError `unauthorized`, `missing_scope`,
    `rate_limited` or `too_many_streams`, and for a session `bad_csrf_token` or `cross_origin`. Raises
    InvalidInputError for a query parameter that the call does not know.
    """

    async def caller(request: Request, api: ApiDep, given: BearerToken) -> ApiKey:
        key = await _authenticate(request, api, given, find_key)
        request.state.key_id = key.id
        if scope is not None:
            ensure_scope(key, scope)
        ensure_within_rate(api, key)
        api.open_reads.count(request, key.id)
        _refuse_unknown_parameters(request)
        return key

    return caller


def _refuse_unknown_parameters(call: Request) -> None:
    """Refuse a call with a query parameter that its route does not know: an act without it may be another act.

    Raises InvalidInputError naming the parameter.
    """
    if not call.query_params:
        return
    known = _list_parameters(call.scope["route"])
    for name in call.query_params:
        if name not in known:
            expected = f"expected one of {', '.join(known)}" if known else "this call has none"
            raise InvalidInputError(
                ascii(name)[1:-1][:80], f"is no parameter of this call; {expected}"
            )


def _list_parameters(route: APIRoute) -> tuple[str, ...]:
    """List the query parameters that the route declares, itself or for its description."""
    described = (route.openapi_extra or {}).get("parameters", ())
    return (
        *_list_declared_parameters(route.dependant),
        *(each["name"] for each in described if each["in"] == "query"),
    )


def _list_declared_parameters(dependant: Dependant) -> Iterator[str]:
    yield from (str(each.alias) for each in dependant.query_params)
    for each in dependant.dependencies:
        yield from _list_declared_parameters(each)


def ensure_scope(key: ApiKey, scope: Scope) -> None:
    """Raise ApiError `missing_scope` unless the key has the scope."""
    if not key.allows(scope):
        message = f"this key lacks the scope {scope}; use one that has it"
        raise ApiError(HTTPStatus.FORBIDDEN, "missing_scope", message)


def ensure_within_rate(api: Api, key: ApiKey) -> None:
    """Count this call of the key; raise ApiError `rate_limited` if it is one too many."""
    if key.rate_per_minute is None:
        return
    wait = api.rate_limiter.count_call(key.id, key.rate_per_minute)
    if wait:
        raise ApiError(
            HTTPStatus.TOO_MANY_REQUESTS,
            "rate_limited",
            f"this key allows {key.rate_per_minute} calls a minute; call again in {wait} s",
            headers={"Retry-After": str(wait)},
        )


async def _authenticate(
    request: Request, api: Api, given: HTTPAuthorizationCredentials | None, find_key: FindKey
) -> ApiKey:
    key: ApiKey | None
    if given is None:
        session = await find_session(api, request)
        key = None if session is None else session.key
        if session is not None and request.method not in _READING:
            ensure_csrf(session, request.headers.get(CSRF_HEADER))
    else:
        secret = Secret.read(given.credentials)
        key = None if secret is None else await find_key(api, secret)
    if key is None:
        raise ApiError(
            HTTPStatus.UNAUTHORIZED,
            "unauthorized",
            "Authorization: expected `Bearer` and a key that `castad key create` made, or a session's cookie",
            field="Authorization",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return key


AnyKey = Annotated[ApiKey, Depends(require_scope(None))]
OrderScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.ORDER))]
ReadScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.READ))]
AdminScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.ADMIN))]
KnownOrderKey = Annotated[ApiKey, Depends(require_scope(Scope.ORDER, _find_known_key))]
"""As OrderScopedKey, from memory: no database is asked."""
KnownReadKey = Annotated[ApiKey, Depends(require_scope(Scope.READ, _find_known_key))]


def is_own(key: ApiKey, order: Order) -> bool:
    """Return whether the key has the access of the order's owner."""
    return key.is_admin or order.owner == key.owner


def authorize(key: ApiKey, order: Order) -> Order:
    """Return the order if the key may change it; raise UnknownRequestError for another owner's order."""
    if not is_own(key, order):
        raise UnknownRequestError(order.task_id)
    return order


def find_own_order(api: Api, key: ApiKey, task_id: str) -> Order:
    """Find the order of a path that the key may change; raise UnknownRequestError otherwise."""
    return authorize(key, get_request(api.db, require_task_id(task_id)))


def authorize_reading(api: Api, key: ApiKey, order: Order) -> Order:
    """Return the order if the key may read it; raise UnknownRequestError otherwise.

    Its owner may, and another owner whose order shares its request.
    """
    if not is_own(key, order) and not may_read(api.db, order.id, key.owner):
        raise UnknownRequestError(order.task_id)
    return order


def find_readable_order(api: Api, key: ApiKey, task_id: str) -> Order:
    """Find the order of a path that the key may read; raise UnknownRequestError otherwise."""
    return authorize_reading(api, key, get_request(api.db, require_task_id(task_id)))


def build_visible_status(key: ApiKey, snapshot: Snapshot, ui_url: str) -> StatusBody:
    """Build the order's status; hide owner and callbacks from other owners who may read it."""
    body = build_status_body(snapshot, ui_url)
    if is_own(key, snapshot.request):
        return body
    return body.model_copy(update={"owner": None, "callback_url": None, "webhooks": []})


def require_task_id(task_id: str) -> str:
    """Return the task_id of a path; raise UnknownRequestError if it cannot be one."""
    if not is_task_id(task_id):
        raise UnknownRequestError(task_id)
    return task_id
