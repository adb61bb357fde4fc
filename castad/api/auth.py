"""Authentication and authorization: the key of a call, its scope, its rate, and the orders it reaches."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from castad.api.problems import ApiError
from castad.api.state import Api, ApiDep
from resources.ledger.errors import UnknownRequestError
from resources.ledger.queries.api_keys import ApiKey, Scope, Secret
from resources.ledger.request import Request as Order
from resources.ledger.request import is_task_id


class UnauthorizedError(ApiError):
    """The call has no key, or one that is unknown or revoked."""

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthorized"


class ForbiddenError(ApiError):
    """The key lacks the scope of this call."""

    status = HTTPStatus.FORBIDDEN
    code = "missing_scope"


class TooManyCallsError(ApiError):
    """The key has used up its rate."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "rate_limited"


_bearer = HTTPBearer(
    auto_error=False,
    description="A key that `castad key create` made, or the admin's key in the file that `castad api` names",
)
BearerToken = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def require_scope(scope: Scope) -> Callable[..., Awaitable[ApiKey]]:
    """A FastAPI dependency: the caller's key, which has `scope` and is within its rate.

    Raises UnauthorizedError, ForbiddenError, TooManyCallsError.
    """

    async def caller(request: Request, api: ApiDep, given: BearerToken) -> ApiKey:
        key = await _authenticate(api, given)
        request.state.key_id = key.id
        if not key.allows(scope):
            raise ForbiddenError(f"this key lacks the scope {scope}; use one that has it")
        if key.rate_per_minute is not None:
            wait = api.rate_limiter.seconds_to_wait(key.id, key.rate_per_minute)
            if wait:
                raise TooManyCallsError(
                    f"this key allows {key.rate_per_minute} calls a minute; call again in {wait} s",
                    headers={"Retry-After": str(wait)},
                )
        return key

    return caller


async def _authenticate(api: Api, given: HTTPAuthorizationCredentials | None) -> ApiKey:
    secret = None if given is None else Secret.read(given.credentials)
    key = None
    if secret is not None:
        is_known, key = api.key_cache.cached(secret)
        if not is_known:
            key = await run_in_threadpool(api.key_cache.fetch, secret)
    if key is None:
        raise UnauthorizedError(
            "Authorization: expected `Bearer` and a key that `castad key create` made",
            field="Authorization",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return key


OrderScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.ORDER))]
ReadScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.READ))]
AdminScopedKey = Annotated[ApiKey, Depends(require_scope(Scope.ADMIN))]


def authorize(key: ApiKey, order: Order) -> Order:
    """The order, which the key may reach; raises UnknownRequestError for another owner's order."""
    if not key.is_admin and order.owner != key.owner:
        raise UnknownRequestError(order.task_id)
    return order


def validated_task_id(task_id: str) -> str:
    """The task_id of a path; raises UnknownRequestError where it cannot be one."""
    if not is_task_id(task_id):
        raise UnknownRequestError(task_id)
    return task_id
