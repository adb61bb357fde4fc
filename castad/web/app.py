"""The site: the API's application, and the pages beside it."""

from fastapi import FastAPI

from castad.api.app import create_app
from castad.web import batches, gallery, log_in, ordering, reference_page, sharing, works
from castad.web.static_files import KeptStaticFiles, pipeline_script_folders, static_path
from resources.process.settings import Settings

_SCREENS = (ordering, gallery, batches, log_in, reference_page, sharing, works)


def create_site(settings: Settings) -> FastAPI:
    """The API and the pages, over the ledger of these settings."""
    app = create_app(settings)
    for screen in _SCREENS:
        app.include_router(screen.router)
    for name, folder in pipeline_script_folders().items():
        app.mount(f"{static_path()}/{name}", KeptStaticFiles(folder))
    app.mount(static_path(), KeptStaticFiles())
    return app
