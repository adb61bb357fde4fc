"""Serve the guarded Dagster UI.

Dagster's web application is made as by its command (dagster-webserver 1.13.27).
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

from dagster import DagsterInstance
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__
from starlette.types import ASGIApp

from castad.api.dagster_ui.authenticator import UiAuthenticator
from castad.api.dagster_ui.guard import own_hosts
from castad.api.dagster_ui.guarded_ui import GuardedUi
from castad.api.key_cache import ApiKeyCache
from castad.api.server.serve import Limits, address_of, guarded_config, serve
from castad.dagster_storage.home import make_dagster_home
from castad.stack.admin_key import ensure_admin_key
from castad.stack.processes import ensure_port_free
from resources.dagster.internals import WorkspaceFileTarget, WorkspaceProcessContext
from resources.ledger.db.database import open_database, with_short_timeouts
from resources.process.configure_logging import configure_logging
from resources.process.settings import Settings

_STOP_SECONDS = 1
_STATEMENT_MILLISECONDS = 15_000
_RECYCLE_SECONDS = 3600
_OVERFLOW = 20
_LIVE_MILLISECONDS = 2000


def run_ui(settings: Settings, host: str, port: int, workspace: Path) -> int:
    """The UI was served until a signal stopped this process; returns the exit code. Raises PortTakenError."""
    ensure_port_free(host, port)
    configure_logging()
    logging.getLogger("uvicorn.error").addFilter(_is_no_refusal)
    hosts = own_hosts(host, port, frozenset(settings.ui_hosts))
    credentials = _credentials(settings) if asks_for_credentials(settings, host) else None
    hint = "a password is required" if credentials else "no password is required"
    with _open_webserver(settings, workspace) as stock:
        config = guarded_config(
            GuardedUi(stock, hosts, credentials),
            host,
            port,
            Limits(settings.connections_per_address, trusted_proxies=settings.trusted_proxies),
            stop_seconds=_STOP_SECONDS,
            websockets=True,
        )
        return serve(config, f"the Dagster UI answers on {address_of(host, port)}; {hint}")


@contextmanager
def _open_webserver(settings: Settings, workspace: Path) -> Iterator[ASGIApp]:
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


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """False for uvicorn's error about a WebSocket that the guard refused, which is no error."""
    return "without completing handshake" not in record.getMessage()


def asks_for_credentials(settings: Settings, host: str) -> bool:
    """Whether a password is set, or an address or a name of the UI is not loopback's."""
    reached_by = (host, *(_without_port(name) for name in settings.ui_hosts))
    return settings.ui_password is not None or not all(map(_is_loopback, reached_by))


def _credentials(settings: Settings) -> UiAuthenticator:
    ensure_admin_key(open_database(settings.ledger_url), settings.home)
    return UiAuthenticator(
        settings.ui_password, ApiKeyCache(open_database(with_short_timeouts(settings.ledger_url)))
    )


def _without_port(name: str) -> str:
    return name if name.endswith("]") else name.rpartition(":")[0] or name


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"
