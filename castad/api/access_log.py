"""The access log: every HTTP call is answered, kept by no cache, logged in one line and counted."""

import logging
import time

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from castad.api.problems import problem_for
from resources.ledger.request import is_task_id
from resources.process.configure_logging import LOG_FIELDS

_log = logging.getLogger("castad.api")
_CLIENT_CLOSED_REQUEST = 499  # nginx's status for a client that left before the response


class AccessLog:
    """ASGI middleware; the outermost of the application's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The call is answered, and logged with its task_id and the id of its key."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0

        async def observe_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _forbid_keeping(scope, message)
            await send(message)

        try:
            await self._app(scope, receive, observe_status)
        except ClientDisconnect:
            status = _CLIENT_CLOSED_REQUEST
        except Exception as error:
            if status:
                raise
            await problem_for(error)(scope, receive, observe_status)
        finally:
            scope["app"].state.api.open_reads.end(scope)
            _log_request(scope, status, time.monotonic() - started)


def _forbid_keeping(scope: Scope, started: Message) -> None:
    """Let no cache keep what a key or a cookie has opened, nor what says nothing of caches."""
    headers = MutableHeaders(raw=started["headers"])
    is_kept = headers.get("cache-control", "no-store") != "no-store"
    if "key_id" in scope.get("state", {}) or not is_kept:
        headers["Cache-Control"] = "private, no-store"


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """By the route and not the path: text that a client chose belongs in no log and no metric's label."""
    route = getattr(scope.get("route"), "path", "-")
    scope["app"].state.api.metrics.observe(scope["method"], route, status, seconds)
    known = scope.get("state", {})
    task_id = known.get("task_id") or scope.get("path_params", {}).get("task_id")
    fields = {"key": known.get("key_id"), "task_id": task_id if is_task_id(task_id) else None}
    _log.info(
        "request answered: %s %s %d in %.0f ms",
        scope["method"],
        route,
        status,
        1000 * seconds,
        extra={LOG_FIELDS: fields},
    )
