"""Sessions: a person logs in with a key or a login link, and a cookie takes the key's place.

What the cookie's holder changes needs the session's CSRF token too, which no page of another site knows.
"""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from castad.api.problems import ApiError
from castad.api.same_origin import header_values, is_followed_link, is_foreign
from castad.api.session_cookie import token_in
from castad.api.state import Api
from resources.ledger.ledger_errors import UnknownKeyError, UnknownLoginLinkError
from resources.ledger.queries.access import ApiKey, Secret, SessionKey, find_active_key
from resources.ledger.request import Token
from resources.ledger.transitions.access import (
    begin_session,
    end_session,
    end_sessions,
    use_login_link,
)

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


async def session_of(api: Api, request: Request) -> Session | None:
    """The session of the request's cookie, as of a second ago at most; None where there is none.

    Raises ApiError `cross_origin` where a page of another origin makes the browser send the cookie.
    """
    token = token_in(request)
    key = None if token is None else await api.key_cache.session_key_of(token)
    if token is None or key is None:
        return None
    _refuse_foreign(request)
    return Session(key, _csrf_token(token))


def ensure_csrf(session: Session, given: object) -> None:
    """Return if the CSRF token is this session's; raises ApiError `bad_csrf_token`."""
    text = given if isinstance(given, str) else ""
    if not hmac.compare_digest(session.csrf.encode(), text.encode("utf-8", "replace")):
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "bad_csrf_token",
            f"{CSRF_HEADER}: expected the `csrf_token` of this session; `GET /session` has it",
            field=CSRF_HEADER,
        )


async def log_in(api: Api, request: Request, secret: str) -> Token:
    """A new session of the key with this secret; the one that the browser had has ended.

    `set_cookie` gives it to the browser. Raises ApiError `wrong_key`, `rate_limited` or `cross_origin`.
    """
    _refuse_foreign(request)
    token = Token.new()
    with api.login_tries.counted(_address_of(request)):
        key_id = await run_in_threadpool(_begin_by_key, api, secret, token)
    return await _begun(api, request, token, key_id)


async def log_in_by_link(api: Api, request: Request, link: str) -> Token:
    """A new session of the link's key; the link is used up.

    Raises UnknownLoginLinkError, and ApiError `rate_limited` or `cross_origin`.
    """
    _refuse_foreign(request)
    token = Token.new()
    with api.login_tries.counted(_address_of(request)):
        given = Token.read(link)
        if given is None:
            raise UnknownLoginLinkError
        key_id = await run_in_threadpool(use_login_link, api.db, given, token)
    return await _begun(api, request, token, key_id)


async def log_out(api: Api, request: Request) -> None:
    """The session of the request's cookie, if it has one, has ended."""
    token = token_in(request)
    if token is not None:
        await run_in_threadpool(end_session, api.db, token.hash)
        api.key_cache.forget_session(token)


async def log_out_everywhere(api: Api, key: ApiKey) -> None:
    """Every session of the key has ended: here at once, in other processes within a second."""
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


async def _begun(api: Api, request: Request, token: Token, key_id: str) -> Token:
    request.state.key_id = key_id
    await log_out(api, request)
    return token


def _refuse_foreign(request: Request) -> None:
    hosts = header_values(request.scope, b"host")
    is_foreign_page = len(hosts) != 1 or is_foreign(request.scope, hosts[0])
    if is_foreign_page and not is_followed_link(request.scope):
        raise ApiError(
            HTTPStatus.FORBIDDEN,
            "cross_origin",
            "Origin: expected this site's own; a session serves no page of another one",
            field="Origin",
        )


def _csrf_token(token: Token) -> str:
    """Derived, so that it needs no place in the ledger; the session's stored hash does not lead to it."""
    return hmac.new(token.text.encode(), b"csrf", hashlib.sha256).hexdigest()


def _address_of(request: Request) -> str | None:
    return None if request.client is None else request.client.host
