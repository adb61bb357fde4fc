"""The ASGI wrapper of the Dagster UI: it applies the guard's rules and authentication."""

import logging
from collections.abc import Mapping, Set

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from castad.api.dagster_ui.authenticator import UiAuthenticator
from castad.api.dagster_ui.guard import Refusal, refusal_of
from castad.api.problems import problem, problem_for

_log = logging.getLogger("castad.ui")
_UNAUTHORIZED = Refusal(
    401,
    "unauthorized",
    "Authorization: expected CASTAD_UI_PASSWORD or an admin's key as the password",
)
_CHALLENGE = {"WWW-Authenticate": 'Basic realm="castad", charset="UTF-8"'}
_SECURITY_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_FRAMED_BY_ITSELF = "frame-ancestors 'self'"


class GuardedUi:
    """ASGI: `app`, for requests to `hosts` that pass the guard and, if `credentials` is set, authenticate."""

    def __init__(self, app: ASGIApp, hosts: Set[str], credentials: UiAuthenticator | None) -> None:
        self._app = app
        self._hosts = hosts
        self._credentials = credentials

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The request is passed on, or refused with one sentence; other origins cannot embed the response."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        send = _with_security_headers(send)
        try:
            refusal = refusal_of(scope, self._hosts) or await self._authentication_refusal(scope)
        except SQLAlchemyError as error:
            await problem_for(error)(scope, receive, send)
            return
        if refusal is None:
            await self._app(scope, receive, send)
            return
        _log.info("request refused: %s [%s]", scope.get("method", "WebSocket"), refusal.code)
        headers = {"Cache-Control": "no-store", **(_CHALLENGE if refusal is _UNAUTHORIZED else {})}
        answer = problem(refusal.status, refusal.code, refusal.sentence, headers=headers)
        await answer(scope, receive, send)

    async def _authentication_refusal(self, scope: Scope) -> Refusal | None:
        if self._credentials is None:
            return None
        given = [value for key, value in scope["headers"] if key == b"authorization"]
        is_known = len(given) == 1 and await self._credentials.accepts(given[0].decode("latin-1"))
        return None if is_known else _UNAUTHORIZED


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            # Added to the page's own policy: browsers apply both.
            headers.append("content-security-policy", _FRAMED_BY_ITSELF)
        await send(message)

    return send_with_headers
