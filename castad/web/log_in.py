"""Logging in and out: with a key, or with a link that works once."""

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from castad.api.problems import ApiError
from castad.api.sessions import log_in, log_in_by_link, log_out, log_out_everywhere, session_of
from castad.api.state import ApiDep
from castad.web.page_route import PageRoute
from castad.web.rendering import page
from castad.web.security_headers import guard

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_LARGEST_FORM = 8_000


@router.get("/login")
def ask_for_key(request: Request, next: str = "/") -> Response:  # noqa: A002 - the parameter's name
    """The form that takes a key."""
    return page(request, "login.html", link=None, next=own_path(next), error="")


@router.get("/login/{token}")
def ask_for_tap(request: Request, token: str) -> Response:
    """The page of a link: only its button uses the link up, so that no preview of the link can."""
    return page(request, "login.html", link=token, next="/", error="")


def own_path(given: str) -> str:
    """The path to go to after the log-in, where it is one of this site; else the start."""
    is_own = given.startswith("/") and given.isprintable() and given[1:2] not in ("/", "\\")
    return given if is_own and "\\" not in given else "/"
