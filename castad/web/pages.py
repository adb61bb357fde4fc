"""Shared parts of pages: route, template, visitor, headers, static files and log-in.

An error is shown as a page, and a visitor without a session is redirected to the log-in.
A page's script gets a Problem in both cases.
"""

import gzip
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    select_autoescape,
)
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope as HttpScope

import pipeline_defs
from castad.api.auth import (
    Session,
    clear_cookie,
    ensure_csrf,
    ensure_scope,
    ensure_within_rate,
    find_session,
    log_in,
    log_in_by_link,
    log_out,
    log_out_everywhere,
    read_session_token,
    set_cookie,
)
from castad.api.forms import BODY, read_body
from castad.api.problems import ApiError, reply_problem, reply_to_error
from castad.api.state import ApiDep
from castad.web.words import (
    FILTERS,
    LANGUAGES,
    Translator,
    build_refusal,
    find_operators_remedy,
    get_page_folder,
    get_translator,
    read_language,
    remember_choice,
)
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.files import markup
from resources.ledger.ledger_errors import UnknownLoginLinkError
from resources.ledger.queries.access import ApiKey, Scope, is_login_link_open
from resources.ledger.request import Token
from resources.views import report


class LogInNeededError(Exception):
    """The page needs a logged-in visitor."""


@dataclass(frozen=True)
class Visitor:
    """A logged-in visitor."""

    session: Session

    @property
    def key(self) -> ApiKey:
        """The key of the session."""
        return self.session.key

    @property
    def csrf(self) -> str:
        """The CSRF token that forms of this session must have."""
        return self.session.csrf

    @property
    def name(self) -> str:
        """The name of the key."""
        return self.key.name

    @property
    def owner(self) -> str:
        """The owner whose orders the key reaches."""
        return self.key.owner

    @property
    def may_order(self) -> bool:
        """Whether the key may change its orders."""
        return self.key.allows(Scope.ORDER)

    @property
    def is_admin(self) -> bool:
        """Whether the visitor sees all orders and the dashboard."""
        return self.key.is_admin


async def _read_session_visitor(request: Request, api: ApiDep) -> Visitor:
    session = await find_session(api, request)
    if session is None:
        raise LogInNeededError
    request.state.key_id = session.key.id
    ensure_within_rate(api, session.key)
    api.open_reads.count(request, session.key.id)
    return Visitor(session)


AnyVisitorDep = Annotated[Visitor, Depends(_read_session_visitor)]
"""Any logged-in visitor, whatever the scopes of the key."""


async def _require_reader(visitor: AnyVisitorDep) -> Visitor:
    ensure_scope(visitor.key, Scope.READ)
    return visitor


VisitorDep = Annotated[Visitor, Depends(_require_reader)]
"""A logged-in visitor whose key may read, as every page requires."""


def require_order_scope(visitor: Visitor, csrf: object) -> None:
    """Check that this form of the session may change its orders.

    Raises ApiError `bad_csrf_token` or `missing_scope`.
    """
    ensure_csrf(visitor.session, csrf)
    ensure_scope(visitor.key, Scope.ORDER)


_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)


def guard(response: Response) -> Response:
    """Add the security headers of a page, and forbid caching."""
    response.headers.update(
        {
            "Content-Security-Policy": _POLICY,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
            "Cache-Control": "no-store",
        }
    )
    return response


_FOLDER = Path(__file__).parent / "static"
_PIPELINES = Path(pipeline_defs.__file__).parent
_FOR_GOOD = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def get_static_path() -> str:
    """Return the path of this release's static files."""
    digest = sha256()
    for folder in (_FOLDER, *find_script_folders().values()):
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            digest.update(file.name.encode() + file.read_bytes())
    return f"/static/{digest.hexdigest()[:12]}"


@lru_cache(maxsize=1)
def find_script_folders() -> dict[str, Path]:
    """Return the folder of each pipeline that has styles or scripts."""
    folders = {each.name: _PIPELINES / each.name / "page" / "static" for each in get_catalog()}
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def find_static_file(pipeline: str | None, name: str) -> str | None:
    """Return the address of a file in the pipeline's folder, or None if it does not exist."""
    folder = find_script_folders().get(pipeline or "")
    is_there = folder is not None and (folder / name).is_file()
    return f"{get_static_path()}/{pipeline}/{name}" if is_there else None


@lru_cache
def _compress(file: str) -> bytes:
    """Compress a script or a style, which holds no secret, once."""
    return gzip.compress(Path(file).read_bytes(), mtime=0)


class KeptStaticFiles(StaticFiles):
    """Files that never change under their path."""

    def __init__(self, directory: Path = _FOLDER) -> None:
        super().__init__(directory=directory)

    async def get_response(self, path: str, scope: HttpScope) -> Response:
        """Return the file with headers for permanent caching, or a Problem if there is none."""
        response = await super().get_response(path, scope)
        accepted = Headers(scope=scope).get("accept-encoding", "")
        if path.endswith((".js", ".css")) and response.status_code == 200 and "gzip" in accepted:
            file, _ = self.lookup_path(path)
            kind = response.headers["content-type"]
            response = Response(_compress(file), headers={"content-type": kind})
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = _FOR_GOOD
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


_TEMPLATES = Path(__file__).parent / "templates"
_OF_REPORTS = [Path(str(each.__file__)).parent for each in (report, markup)]


@lru_cache(maxsize=1)
def _load_environment() -> Environment:
    """Load the screens' templates by name, those of a pipeline as `<pipeline>/<name>`, and the report's."""
    folders = {each.name: FileSystemLoader(get_page_folder(each)) for each in get_catalog()}
    own = FileSystemLoader(_TEMPLATES)
    environment = Environment(
        loader=ChoiceLoader([PrefixLoader({"": own, **folders}), FileSystemLoader(_OF_REPORTS)]),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


@lru_cache
def has_template(name: str) -> bool:
    """Return whether the template exists."""
    return name in _load_environment().list_templates()


def render_page(
    request: Request,
    template: str,
    visitor: Visitor | None = None,
    *,
    pipeline: Pipeline | None = None,
    status: int = 200,
    **values: Any,
) -> Response:
    """Render the template in the language of the request; `visitor` is the logged-in user."""
    language = read_language(request)
    translate = Translator(language, pipeline.name if pipeline else None)
    shown = _load_environment().get_template(f"/{template}")
    text = shown.render(
        t=translate,
        language=language,
        other_languages={
            each: f"{request.url.path}?{request.url.include_query_params(lang=each).query}"
            for each in LANGUAGES
            if each != language
        },
        visitor=visitor,
        static=get_static_path(),
        path=request.url.path,
        script_texts=json.dumps(translate.list_script_texts(), ensure_ascii=False),
        pipeline=pipeline,
        **values,
    )
    response = HTMLResponse(text, status)
    remember_choice(request, response)
    return guard(response)


_TITLED = (403, 404, 409, 429, 503)
_KEPT_HEADERS = ("retry-after", "connection")


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler so that it answers each error with a page."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except LogInNeededError:
                return _redirect_to_log_in(request)
            except Exception as error:  # noqa: BLE001 - each becomes an answer; the unexpected are logged
                return (
                    reply_to_error(error)
                    if is_script(request)
                    else render_error_page(request, error)
                )

        return answer


def is_script(request: Request) -> bool:
    """Return whether a script sent the request, by a header that browsers set."""
    return request.headers.get("sec-fetch-mode", "navigate") != "navigate"


def is_dashboard(request: Request) -> bool:
    """Return whether the request is for a page of operators."""
    return request.url.path == "/dashboard" or request.url.path.startswith("/dashboard/")


def _redirect_to_log_in(request: Request) -> Response:
    """Redirect to the log-in; reload once after a link from another site, which sends no cookie."""
    if is_script(request):
        return reply_problem(401, "unauthorized", "the session has ended; log in again")
    if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site":
        return render_page(request, "arrived.html")
    # What was sent with an ended session is lost to the server; its form is where it was sent from.
    shown = urlsplit(
        str(request.url if request.method == "GET" else request.headers.get("referer", ""))
    )
    here = shown.path + (f"?{shown.query}" if shown.query else "")
    given = {"next": here} if here not in ("", "/") else {}
    if read_session_token(request) is not None:
        given["ended"] = "yes"
    return guard(RedirectResponse(f"/login?{urlencode(given)}" if given else "/login", 303))


def render_error_page(request: Request, error: Exception) -> Response:
    """Render an error as one sentence and its stable code."""
    answer = reply_to_error(error)
    body = json.loads(bytes(answer.body))
    translate = get_translator(request)
    name = str(answer.status_code) if answer.status_code in _TITLED else "other"
    response = render_page(
        request,
        "error.html",
        status=answer.status_code,
        title=translate(f"error_title_{name}"),
        refusal=build_refusal(translate, body["code"], body["detail"]),
        remedy=find_operators_remedy(translate, body["code"]) if is_dashboard(request) else "",
    )
    response.headers.update(
        {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    )
    return response


_LARGEST = 1_000_000
_MOST_FIELDS = 200


async def read_plain_form(request: Request) -> dict[str, str]:
    """Read the fields by name; the last value of a repeated name counts.

    Raises InvalidInputError, and ApiError `too_large` or `too_slow`.
    """
    body = await read_body(request, _LARGEST)
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            max_num_fields=_MOST_FIELDS,
            errors="strict",
        )
    except ValueError:
        expected = f"expected a form of at most {_MOST_FIELDS} fields in UTF-8"
        raise InvalidInputError(BODY, expected) from None
    return dict(pairs)


router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/login")
def ask_for_key(request: Request, next: str = "/", ended: str = "") -> Response:
    """Show the form that takes a key."""
    return render_page(
        request,
        "login.html",
        link=None,
        next=ensure_own_path(next),
        error="",
        has_ended=bool(ended),
    )


@router.get("/login/{token}")
def ask_for_tap(request: Request, token: str, api: ApiDep) -> Response:
    """Show the page of a login link; only its button uses the link, so a preview cannot.

    Raises UnknownLoginLinkError for one that was used, has expired or never was.
    """
    given = Token.read(token)
    if given is None or not is_login_link_open(api.db, given.hash):
        raise UnknownLoginLinkError
    return render_page(request, "login.html", link=token, next="/", error="", has_ended=False)


@router.post("/login")
async def log_in_by_key(request: Request, api: ApiDep) -> Response:
    """Begin a session and redirect to the requested page, or show the form again with the error."""
    form = await read_plain_form(request)
    after = ensure_own_path(form.get("next", "/"))
    try:
        token = await log_in(api, request, form.get("key", "").strip())
    except ApiError as error:
        name = {"wrong_key": "wrong_key", "rate_limited": "tried_too_often"}.get(error.code)
        if name is None:
            raise
        sentence = get_translator(request)(name)
        return render_page(
            request,
            "login.html",
            status=error.status,
            link=None,
            next=after,
            error=sentence,
            has_ended=False,
        )
    response = guard(RedirectResponse(after, 303))
    set_cookie(request, response, token)
    return response


@router.post("/login/{token}")
async def log_in_by_tap(request: Request, token: str, api: ApiDep) -> Response:
    """Begin a session with the link, which cannot be used again."""
    session = await log_in_by_link(api, request, token)
    response = guard(RedirectResponse("/", 303))
    set_cookie(request, response, session)
    return response


@router.post("/logout")
async def leave(request: Request, api: ApiDep, visitor: AnyVisitorDep) -> Response:
    """End the session, or all sessions of its key if `everywhere` is set."""
    form = await read_plain_form(request)
    ensure_csrf(visitor.session, form.get("csrf"))
    if form.get("everywhere"):
        await log_out_everywhere(api, visitor.key)
    else:
        await log_out(api, request)
    response = guard(RedirectResponse("/login", 303))
    clear_cookie(request, response)
    return response


def ensure_own_path(given: str) -> str:
    """Return the path to open after the log-in if it belongs to this site, else the start page."""
    is_own = given.startswith("/") and given.isprintable() and given[1:2] not in ("/", "\\")
    return given if is_own and "\\" not in given else "/"
