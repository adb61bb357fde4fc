"""Serve the site: the API's application with the pages beside it."""

import sys

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from castad.api.app import create_app
from castad.api.keys import has_known_keys
from castad.api.server.serve import ConnectionLimits, build_guarded_config, format_address, serve
from castad.stack.admin_key import ensure_admin_key
from castad.stack.processes import ensure_port_free
from castad.web import (
    dashboard,
    dashboard_order,
    dashboard_reports,
    dashboard_system,
    gallery,
    ordering,
    pages,
    reference,
    work_acts,
    works,
)
from castad.web.dashboard import NumbersReader
from castad.web.pages import (
    KeptStaticFiles,
    find_script_folders,
    get_static_path,
    is_script,
    render_error_page,
)
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import StateUnavailableError
from resources.ledger.db.database import open_database
from resources.process.configure_logging import configure_logging
from resources.process.settings import Settings

_SCREENS = (
    ordering,
    gallery,
    pages,
    reference,
    work_acts,
    works,
    dashboard,
    dashboard_system,
    dashboard_reports,
    dashboard_order,
)
"""The paths of one order on the dashboard come last: no order is named `-`."""


def create_site(settings: Settings) -> FastAPI:
    """Create the application with API and pages on the ledger of these settings."""
    app = create_app(settings)
    app.state.dashboard_numbers = NumbersReader(app.state.api)
    for screen in _SCREENS:
        app.include_router(screen.router)
    for name, folder in find_script_folders().items():
        app.mount(f"{get_static_path()}/{name}", KeptStaticFiles(folder))
    app.mount(get_static_path(), KeptStaticFiles())
    _show_pages_to_browsers(app)
    return app


def _show_pages_to_browsers(app: FastAPI) -> None:
    """Answer unknown addresses with a page in a browser, and with a Problem elsewhere."""
    answer = app.exception_handlers[HTTPException]

    async def answer_either(request: Request, error: HTTPException) -> Response:
        is_browser = "text/html" in request.headers.get("accept", "")
        if is_browser and not is_script(request):
            return render_error_page(request, error)
        response: Response = await answer(request, error)  # type: ignore[misc]
        return response

    app.add_exception_handler(HTTPException, answer_either)  # type: ignore[arg-type]


WITH_ROOM = ("/healthz", "/readyz", "/metrics", "/login", "/v1/session")
"""Paths of probes and the log-in, which are served even to an address at its connection limit."""
_STOP_SECONDS = 5
_SWITCH_SECONDS = 0.001
"""With Python's default of 5 ms the event loop waits too long for worker threads."""


def run_api(settings: Settings, host: str, port: int) -> int:
    """Serve API and pages until a signal stops this process; return the exit code.

    Without a ledger scans are answered, if this machine knows the keys; all else is once the ledger answers.
    Raises PortTakenError and StateUnavailableError.
    """
    ensure_port_free(host, port)
    configure_logging()
    key_hint = _key_hint(settings)
    get_catalog().resolve_stage_settings(settings)
    sys.setswitchinterval(_SWITCH_SECONDS)
    limits = ConnectionLimits(
        settings.connections_per_address,
        trusted_proxies=settings.trusted_proxies,
        with_room=WITH_ROOM,
    )
    site = create_site(settings)
    config = build_guarded_config(site, host, port, limits, stop_seconds=_STOP_SECONDS)
    line = f"the API answers on {format_address(host, port)}; {key_hint}"
    return serve(config, line, site.state.api.direct.begin_stop)


def _key_hint(settings: Settings) -> str:
    try:
        key_file = ensure_admin_key(open_database(settings.ledger_url), settings.home)
    except StateUnavailableError as error:
        if not has_known_keys(settings):
            raise
        return f"{error.message}; until then only scans are answered"
    return f"an admin's key is in {key_file}" if key_file else "`castad key list` lists its keys"
