"""The site: the API's application, and the pages beside it."""

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from castad.api.app import create_app
from castad.web import (
    batches,
    desk,
    desk_bulk,
    desk_order,
    desk_system,
    gallery,
    log_in,
    ordering,
    reference_page,
    sharing,
    works,
)
from castad.web.desk_numbers import NumbersReader
from castad.web.page_route import error_page, is_script
from castad.web.static_files import KeptStaticFiles, pipeline_script_folders, static_path
from resources.process.settings import Settings

_DESK = (desk, desk_bulk, desk_system, desk_order)
"""An order's paths come last: no order is named `-`."""
_SCREENS = (ordering, gallery, batches, log_in, reference_page, sharing, works, *_DESK)


def create_site(settings: Settings) -> FastAPI:
    """The API and the pages, over the ledger of these settings."""
    app = create_app(settings)
    app.state.desk_numbers = NumbersReader(app.state.api)
    for screen in _SCREENS:
        app.include_router(screen.router)
    for name, folder in pipeline_script_folders().items():
        app.mount(f"{static_path()}/{name}", KeptStaticFiles(folder))
    app.mount(static_path(), KeptStaticFiles())
    _answer_browsers_with_pages(app)
    return app


def _answer_browsers_with_pages(app: FastAPI) -> None:
    """Who opens an address that there is not in a browser sees a page; everybody else a Problem."""
    answer = app.exception_handlers[HTTPException]

    async def answer_either(request: Request, error: HTTPException) -> Response:
        is_browser = "text/html" in request.headers.get("accept", "")
        if is_browser and not is_script(request):
            return error_page(request, error)
        response: Response = await answer(request, error)  # type: ignore[misc]
        return response

    app.add_exception_handler(HTTPException, answer_either)  # type: ignore[arg-type]
