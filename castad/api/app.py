"""The API's application: its routes, its shared state and its OpenAPI description."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from itertools import chain
from typing import Any, cast, get_args

import anyio.to_thread
from fastapi import APIRouter, FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from castad.api import (
    access,
    actions,
    approval,
    files,
    operating,
    orders,
    reading,
    streams,
    webhooks,
)
from castad.api.broadcaster import Broadcaster
from castad.api.direct import build_direct_routers
from castad.api.keys import ApiKeyCache, KnownKeys
from castad.api.order_schema import build_order_schemas
from castad.api.problems import VERSION, AccessLog, Problem, install_problem_handlers
from castad.api.reading import render_openapi
from castad.api.records import build_pipeline_routers
from castad.api.state import Api, OpenReads, UploadQuota
from castad.direct.pool import DirectService
from pipeline_defs.catalog import Catalog, get_catalog
from resources.files.artifacts import get_signed_links, open_artifact_store
from resources.ledger.db.database import open_database, with_short_timeouts
from resources.process.settings import Settings
from resources.views.text import get_example

# One per connection of the database's pool; further threads would only wait for a connection.
_THREADS = 16
_DESCRIPTION = """Submit orders, follow them live, and repair them.

Every call needs a key, sent as `Authorization: Bearer …`, or a session's cookie in its place, unless it says that
it needs none. A key reaches the orders of its owner; an admin's key reaches all orders. Every error is a `Problem`
with a stable `code` and, where it is about one, the `field`.
"""
_TAGS = [
    {
        "name": "order",
        "description": "Submit orders. The call only stores them; workers make them afterwards.",
    },
    {"name": "record", "description": "Order and read what a pipeline keeps a record of."},
    {"name": "job", "description": "Order at a pipeline's own path, and read what to choose from."},
    {
        "name": "direct",
        "description": "Order and be answered at once: no database is asked before the answer.",
    },
    {"name": "look", "description": "Read the status of orders, and fetch their files."},
    {
        "name": "live",
        "description": "Follow events as they happen, each once, across reconnects and restarts.",
    },
    {
        "name": "approval",
        "description": "Approve, change, choose or reject what an order that waits for a person has made.",
    },
    {"name": "repair", "description": "Cancel, retry, or make stages again."},
    {
        "name": "webhooks",
        "description": "What castad told to orders' `callback_url`, or is to tell.",
    },
    {"name": "session", "description": "Log in with a key, so that a cookie takes its place."},
    {"name": "share", "description": "Links that show one result to anybody, without a key."},
    {"name": "operate", "description": "Pause and resume vendors, list and revoke keys."},
    {
        "name": "callbacks",
        "description": "For the vendors; a token in the URL takes the place of a key.",
    },
    {"name": "service", "description": "The service's health, statistics and metrics."},
]


_ROUTERS = (
    orders.router,
    approval.profile_router,
    actions.router,
    approval.router,
    reading.router,
    streams.router,
    files.router,
    webhooks.router,
    webhooks.callback_router,
    operating.router,
    reading.report_router,
    access.session_router,
    access.share_router,
    reading.service_router,
)


_UNVERSIONED = (
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/artifacts/",
    "/callbacks/",
    "/s/",
)
"""Probes and this description, and the links that castad hands out."""
_OF_SOURCE = (
    *("/pipeline/start", "/pipeline/status/{task_id}", "/pipeline/retry/{task_id}"),
    *("/scan/classify/completion", "/admin/stream"),
)
"""Paths that the clients of the source's API call: these work without a version too."""


def create_app(settings: Settings) -> FastAPI:
    """Create the application over the ledger of these settings. The ledger may be unavailable."""
    app = build_app(get_catalog())
    db = open_database(with_short_timeouts(settings.ledger_url), at_once=False)
    app.state.api = Api(
        settings=settings,
        db=db,
        key_cache=ApiKeyCache(db),
        broadcaster=Broadcaster(db),
        store=open_artifact_store(settings),
        links=get_signed_links(settings),
        known_keys=KnownKeys(db, settings),
        direct=DirectService(settings, get_catalog()),
        open_reads=OpenReads(settings),
        upload_quota=UploadQuota(settings.upload_bytes_per_day),
    )
    return app


def build_app(pipelines: Catalog) -> FastAPI:
    """Build the application with every route and no state, enough for its OpenAPI description."""
    app = FastAPI(
        title="castad",
        version=version("castad"),
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        # The route of the description is in `reading.py`: its text is made once.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    install_problem_handlers(app)
    of_pipelines = (
        *build_pipeline_routers(pipelines),
        *build_direct_routers(pipelines),
    )
    versioned, unversioned, of_source = APIRouter(), APIRouter(), APIRouter()
    routers = (*_ROUTERS, *of_pipelines)
    routes = cast(list[APIRoute], [*chain.from_iterable(each.routes for each in routers)])
    for route in routes:
        path = route.path
        (unversioned if path.startswith(_UNVERSIONED) else versioned).routes.append(route)
        if path in _OF_SOURCE:
            of_source.routes.append(route)
    app.include_router(versioned, prefix=VERSION)
    app.include_router(unversioned)
    app.include_router(of_source, include_in_schema=False)
    app.add_middleware(AccessLog)
    app.openapi = lambda: _describe(app, pipelines, routes)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    api: Api = app.state.api
    anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
    # Created here, so that counters start with the process and not with the first scrape.
    await run_in_threadpool(lambda: api.metrics)
    api.known_keys.start()
    await run_in_threadpool(api.direct.start, api.db)
    yield
    await run_in_threadpool(api.close)


def _describe(app: FastAPI, pipelines: Catalog, routes: Sequence[APIRoute]) -> dict[str, object]:
    """Build the OpenAPI description, with the request bodies that routes parse without FastAPI."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        schemas = schema["components"]["schemas"]
        _restore_examples(routes, schemas)
        schemas |= build_order_schemas(pipelines)
        schemas[Problem.__name__] = Problem.model_json_schema()
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema


def _restore_examples(routes: Sequence[APIRoute], schemas: dict[str, Any]) -> None:
    """Put the examples of the answers' models back: FastAPI leaves out their members that are null."""
    for route in routes:
        for field in (route.response_field, *route.response_fields.values()):
            kind = None if field is None else field.field_info.annotation
            for model in get_args(kind) or (kind,):
                found = get_example(model) if hasattr(model, "model_config") else {}
                if found:
                    schemas[model.__name__]["examples"] = [found]


def describe_openapi() -> str:
    """Render the OpenAPI description as JSON text; open neither ledger nor files."""
    return render_openapi(build_app(get_catalog()))
