"""Routes of pages: an error is a page too, and who is not logged in is led to the log-in.

A script of a page gets a Problem in both cases, as of the API.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse, Response

from castad.api.problems import problem, problem_for
from castad.web.refusals import operators_remedy, refusal
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import translator_of
from castad.web.visitor import LogInNeededError

_TITLED = (403, 404, 409, 429, 503)
_KEPT_HEADERS = ("retry-after", "connection")


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler that answers each error with a page."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except LogInNeededError:
                return _to_log_in(request)
            except Exception as error:  # noqa: BLE001 - each becomes an answer; the unexpected are logged
                return problem_for(error) if is_script(request) else error_page(request, error)

        return answer


def is_script(request: Request) -> bool:
    """Whether a script of the page asks, by a header that browsers set."""
    return request.headers.get("sec-fetch-mode", "navigate") != "navigate"


def is_desk(request: Request) -> bool:
    """Return whether the request is for a page of operators."""
    return request.url.path == "/desk" or request.url.path.startswith("/desk/")


def _to_log_in(request: Request) -> Response:
    """The log-in, or the same page once more: a link on another site's page brings no cookie with it."""
    if is_script(request):
        return problem(401, "unauthorized", "the session has ended; log in again")
    if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site":
        return page(request, "arrived.html")
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    after = f"?next={quote(here, safe='')}" if request.method == "GET" and here != "/" else ""
    return guard(RedirectResponse(f"/login{after}", 303))


def error_page(request: Request, error: Exception) -> Response:
    """The page of an error: one sentence and its stable code."""
    answer = problem_for(error)
    body = json.loads(bytes(answer.body))
    translate = translator_of(request)
    name = str(answer.status_code) if answer.status_code in _TITLED else "other"
    response = page(
        request,
        "error.html",
        status=answer.status_code,
        title=translate(f"error_title_{name}"),
        refusal=refusal(translate, body["code"], body["detail"]),
        remedy=operators_remedy(translate, body["code"]) if is_desk(request) else "",
    )
    response.headers.update(
        {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    )
    return response
