"""Dagster's web application on this project's state, made as by its command (dagster-webserver 1.13.27)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dagster import DagsterInstance
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__
from starlette.types import ASGIApp

from castad.dagster_storage.home import make_dagster_home
from resources.dagster.internals import WorkspaceFileTarget, WorkspaceProcessContext
from resources.process.settings import Settings

_STATEMENT_MILLISECONDS = 15_000
_RECYCLE_SECONDS = 3600
_OVERFLOW = 20
_LIVE_MILLISECONDS = 2000


@contextmanager
def open_webserver(settings: Settings, workspace: Path) -> Iterator[ASGIApp]:
    """Open Dagster's application for the block. It has no authentication: every client may do everything."""
    with DagsterInstance.from_config(str(make_dagster_home(settings))) as instance:
        instance.optimize_for_webserver(_STATEMENT_MILLISECONDS, _RECYCLE_SECONDS, _OVERFLOW)
        with WorkspaceProcessContext(
            instance,
            version=__version__,
            workspace_load_target=WorkspaceFileTarget([str(workspace)]),
            code_server_log_level="warning",
        ) as context:
            yield create_app_from_workspace_process_context(context, "", _LIVE_MILLISECONDS)
