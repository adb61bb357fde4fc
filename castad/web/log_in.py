"""Logging in and out: with a key, or with a link that works once."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from castad.api.problems import ApiError
from castad.api.session_cookie import clear_cookie, set_cookie
from castad.api.sessions import ensure_csrf, log_in, log_in_by_link, log_out, log_out_everywhere
from castad.api.state import ApiDep
from castad.web.page_route import PageRoute
from castad.web.plain_form import read_plain_form
from castad.web.rendering import page
from castad.web.security_headers import guard
from castad.web.texts import translator_of
from castad.web.visitor import AnyVisitorDep
from resources.ledger.ledger_errors import UnknownLoginLinkError
from resources.ledger.queries.access import is_login_link_open
from resources.ledger.request import Token

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/login")
def ask_for_key(request: Request, next: str = "/") -> Response:
    """The form that takes a key."""
    return page(request, "login.html", link=None, next=own_path(next), error="")


@router.get("/login/{token}")
def ask_for_tap(request: Request, token: str, api: ApiDep) -> Response:
    """The page of a link: only its button uses the link up, so that no preview of the link can.

    Raises UnknownLoginLinkError for one that was used, has expired or never was.
    """
    given = Token.read(token)
    if given is None or not is_login_link_open(api.db, given.hash):
        raise UnknownLoginLinkError
    return page(request, "login.html", link=token, next="/", error="")


@router.post("/login")
async def log_in_by_key(request: Request, api: ApiDep) -> Response:
    """A session has begun, and the page follows that was asked for; or the form again, with what is wrong."""
    form = await read_plain_form(request)
    after = own_path(form.get("next", "/"))
    try:
        token = await log_in(api, request, form.get("key", "").strip())
    except ApiError as error:
        name = {"wrong_key": "wrong_key", "rate_limited": "tried_too_often"}.get(error.code)
        if name is None:
            raise
        sentence = translator_of(request)(name)
        return page(
            request, "login.html", status=error.status, link=None, next=after, error=sentence
        )
    response = guard(RedirectResponse(after, 303))
    set_cookie(request, response, token)
    return response


@router.post("/login/{token}")
async def log_in_by_tap(request: Request, token: str, api: ApiDep) -> Response:
    """A session has begun, and the link is used up."""
    session = await log_in_by_link(api, request, token)
    response = guard(RedirectResponse("/", 303))
    set_cookie(request, response, session)
    return response


@router.post("/logout")
async def leave(request: Request, api: ApiDep, visitor: AnyVisitorDep) -> Response:
    """The session has ended; where that is asked for, all sessions of its key."""
    form = await read_plain_form(request)
    ensure_csrf(visitor.session, form.get("csrf"))
    if form.get("everywhere"):
        await log_out_everywhere(api, visitor.key)
    else:
        await log_out(api, request)
    response = guard(RedirectResponse("/login", 303))
    clear_cookie(request, response)
    return response


def own_path(given: str) -> str:
    """The path to go to after the log-in, where it is one of this site; else the start."""
    is_own = given.startswith("/") and given.isprintable() and given[1:2] not in ("/", "\\")
    return given if is_own and "\\" not in given else "/"
