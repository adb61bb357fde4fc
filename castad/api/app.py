"""The API: what it is made of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.openapi.utils import get_openapi

from castad.api import actions, callbacks, files, orders, queries, service, streams
from castad.api.access_log import AccessLog
from castad.api.bodies import NewOrder
from castad.api.broadcaster import Broadcaster
from castad.api.key_cache import ApiKeyCache
from castad.api.problems import Problem, install_problem_handlers
from castad.api.state import Api
from resources.files.signed_links import signed_links
from resources.ledger.db.connections import with_short_timeouts
from resources.ledger.db.database import Database, open_database
from resources.process.settings import Settings
from resources.providers.registry import artifact_store

# As many as the database has connections for; more would wait for each other, and for one interpreter.
_THREADS = 16
_DESCRIPTION = """Orders of song videos: placed, followed live, and repaired.

Every call needs a key, as `Authorization: Bearer …`. It reaches the orders of its owner; an admin's reaches all.
What is not done is said in one way everywhere: a `Problem` with a stable `code`, and the `field` it is about.
"""
_TAGS = [
    {
        "name": "order",
        "description": "Place orders. They are only written down; the rest follows by itself.",
    },
    {"name": "look", "description": "How orders stand, and what was made."},
    {"name": "live", "description": "Follow along, over reconnects and restarts, each event once."},
    {"name": "repair", "description": "Stop, bring back, make anew."},
    {
        "name": "callbacks",
        "description": "For the vendors; a token in the address stands for a key.",
    },
    {"name": "service", "description": "How the service does."},
]


def create_app(settings: Settings) -> FastAPI:
    """The application, over the ledger that is set."""
    app = described_app()
    app.state.api = _api(settings, open_database(with_short_timeouts(settings.ledger_url)))
    return app


def described_app() -> FastAPI:
    """Every route, for who wants to know what there is; nothing is opened."""
    app = FastAPI(
        title="castad",
        version=_version(),
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        # Who has no key is told nothing; `castad api --openapi` writes it down.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=_life,
    )
    install_problem_handlers(app)
    for module in (orders, actions, queries, streams, files, callbacks, service):
        app.include_router(module.router)
    app.add_middleware(AccessLog)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


def _api(settings: Settings, db: Database) -> Api:
    return Api(
        settings=settings,
        db=db,
        key_cache=ApiKeyCache(db),
        broadcaster=Broadcaster(db),
        store=artifact_store(settings),
        links=signed_links(settings),
    )


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    api: Api = app.state.api
    anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
    # Counters begin with the process.
    await run_in_threadpool(lambda: api.metrics)
    yield
    await run_in_threadpool(api.close)


def _described(app: FastAPI) -> dict[str, object]:
    """The OpenAPI description; bodies that a route reads by itself are in it too."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        schemas = schema["components"]["schemas"]
        for model in (NewOrder, Problem):
            schemas[model.__name__] = model.model_json_schema(
                ref_template="#/components/schemas/{model}"
            )
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema


def _version() -> str:
    from importlib.metadata import version

    return version("castad")
