"""Routes of pages: an error is a page too, and who is not logged in is led to the log-in."""

import json
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse, Response

from castad.api.problems import problem_for
from castad.web.language import language_of
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import Translator
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
            except Exception as error:  # noqa: BLE001 - each becomes a page; the unexpected are logged
                return error_page(request, error)

        return answer


def _to_log_in(request: Request) -> Response:
    """The log-in, or the same page once more: a link on another site's page brings no cookie with it."""
    if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site":
        return page(request, "arrived.html")
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    after = f"?next={quote(here, safe='')}" if request.method == "GET" and here != "/" else ""
    return guard(RedirectResponse(f"/login{after}", 303))


def error_page(request: Request, error: Exception) -> Response:
    """The page of an error: one sentence and its stable code."""
    problem = problem_for(error)
    body = json.loads(bytes(problem.body))
    translate = Translator(language_of(request))
    name = str(problem.status_code) if problem.status_code in _TITLED else "other"
    response = page(
        request,
        "error.html",
        status=problem.status_code,
        title=translate(f"error_title_{name}"),
        sentence=body["detail"],
        code=body["code"],
    )
    response.headers.update(
        {name: problem.headers[name] for name in _KEPT_HEADERS if name in problem.headers}
    )
    return response
