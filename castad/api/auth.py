"""Authentication and authorization: the key of a call, its scope, its rate, and the orders it reaches."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from castad.api.problems import ApiError
from castad.api.session_cookie import NAME as COOKIE
from castad.api.sessions import CSRF_HEADER, ensure_csrf, session_of
from castad.api.state import Api, ApiDep
from castad.readmodels.snapshot import Snapshot
from castad.readmodels.status_body import StatusBody, status_body
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.access import ApiKey, Scope, Secret
from resources.ledger.queries.status import get_request, may_read
from resources.ledger.request import Request as Order
from resources.ledger.request import is_task_id

_bearer = HTTPBearer(
    auto_error=False,
    description="A key that `castad key create` made, or the admin's key in the file that `castad api` names",
)
# Read by `session_of`; here it only stands in the OpenAPI description.
_cookie = APIKeyCookie(
    name=COOKIE,
    auto_error=False,
    description="A session, which `POST /session` begins; by TLS its name begins with `__Host-`. Methods other "
    f"than GET and HEAD need its CSRF token in the header `{CSRF_HEADER}`",
)


async def _bearer_token(
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    cookie: Annotated[str | None, Depends(_cookie)],
) -> HTTPAuthorizationCredentials | None:
    return bearer


BearerToken = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer_token)]
_READING = ("GET", "HEAD")

FindKey = Callable[[Api, Secret], Awaitable[ApiKey | None]]


async def _cached_key(api: Api, secret: Secret) -> ApiKey | None:
    return await api.key_cache.key_of(secret)


async def _known_key(api: Api, secret: Secret) -> ApiKey | None:
    """From memory. The ledger is asked for a key that was never seen, or that it no longer has."""
    key = api.known_keys.key_of(secret)
    if key is None:
        key = await api.key_cache.key_of(secret)
        if key is not None:
            api.known_keys.note(secret, key)
    return key


def require_scope(
    scope: Scope | None, find_key: FindKey = _cached_key
) -> Callable[..., Awaitable[ApiKey]]:
    """A FastAPI dependency: the caller's key, which has `scope`, if one is named, and is within its rate.

    Where no key is sent it is that of the session. Raises ApiError `unauthorized`, `missing_scope`,
    `rate_limited` or `too_many_streams`, and for a session `bad_csrf_token` or `cross_origin`.
    """

    async def caller(request: Request, api: ApiDep, given: BearerToken) -> ApiKey:
        key = await _authenticate(request, api, given, find_key)
        request.state.key_id = key.id
        if scope is not None:
            ensure_scope(key, scope)
        ensure_within_rate(api, key)
        api.open_reads.count(request, key.id)
        return key

    return caller


def ensure_scope(key: ApiKey, scope: Scope) -> None:
    """Return if the key has the scope; raises ApiError `missing_scope`."""
    if not key.allows(scope):
        message = f"this key lacks the scope {scope}; use one that has it"
        raise ApiError(HTTPStatus.FORBIDDEN, "missing_scope", message)


def ensure_within_rate(api: Api, key: ApiKey) -> None:
    """This call of the key is counted, and allowed; raises ApiError `rate_limited` where it is one too many."""
    if key.rate_per_minute is None:
        return
    wait = api.rate_limiter.seconds_to_wait(key.id, key.rate_per_minute)
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
    if given is None:
        key = await _session_key(request, api)
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


async def _session_key(request: Request, api: Api) -> ApiKey | None:
    session = await session_of(api, request)
    if session is None:
        return None
    if request.method not in _READING:
        ensure_csrf(session, request.headers.get(CSRF_HEADER))
    return session.key


AnyKey = Annotated[ApiKey, Depends(require_scope(None))]
OrderScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.ORDER))]
ReadScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.READ))]
AdminScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.ADMIN))]
KnownOrderKey = Annotated[ApiKey, Depends(require_scope(Scope.ORDER, _known_key))]
"""As OrderScopedKey, from memory: no database is asked."""
KnownReadKey = Annotated[ApiKey, Depends(require_scope(Scope.READ, _known_key))]


def is_own(key: ApiKey, order: Order) -> bool:
    """Whether the key has the access of the order's owner."""
    return key.is_admin or order.owner == key.owner


def authorize(key: ApiKey, order: Order) -> Order:
    """The order, which the key may change; raises UnknownRequestError for another owner's order."""
    if not is_own(key, order):
        raise UnknownRequestError(order.task_id)
    return order


def authorize_reading(api: Api, key: ApiKey, order: Order) -> Order:
    """The order, which the key may read: its owner's own, or one that an order of this owner is too.

    Raises UnknownRequestError.
    """
    if not is_own(key, order) and not may_read(api.db, order.id, key.owner):
        raise UnknownRequestError(order.task_id)
    return order


def readable_order(api: Api, key: ApiKey, task_id: str) -> Order:
    """The order of a path, which the key may read; raises UnknownRequestError."""
    return authorize_reading(api, key, get_request(api.db, validated_task_id(task_id)))


def status_for(key: ApiKey, snapshot: Snapshot, ui_url: str) -> StatusBody:
    """The status of an order; another owner who may read it sees neither whose it is nor whom it calls back."""
    body = status_body(snapshot, ui_url)
    if is_own(key, snapshot.request):
        return body
    return body.model_copy(update={"owner": None, "callback_url": None, "webhooks": []})


def validated_task_id(task_id: str) -> str:
    """The task_id of a path; raises UnknownRequestError where it cannot be one."""
    if not is_task_id(task_id):
        raise UnknownRequestError(task_id)
    return task_id
