"""The API as a process."""

import gc
import json
import resource
import socket
from contextlib import suppress

import uvicorn

from castad.api.app import create_app, described_app
from castad.first_key import ensure_admin_key
from castad.logs import log_lines
from castad.output import put_line
from castad.ports import refuse_taken
from resources.ledger.database import open_database
from resources.settings import Settings

_STOP_SECONDS = 5
_LARGEST_HEAD = 64 * 1024
_MOST_CONNECTIONS = 4000


def run_api(settings: Settings, host: str, port: int) -> int:
    """Calls were answered until this process was told to stop; returns the exit code. Raises PortTakenError."""
    refuse_taken(host, port)
    log_lines()
    _allow_connections()
    key_file = ensure_admin_key(open_database(settings.ledger_url), settings.home)
    told = f"an admin's key is in {key_file}" if key_file else "`castad key list` names its keys"
    config = uvicorn.Config(
        create_app(settings),
        host=host,
        port=port,
        # The other parser reads heads of any length.
        http="h11",
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        limit_concurrency=_MOST_CONNECTIONS,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    server = _Announced(config, f"the API answers on {_url(host, port)}; {told}")
    server.run()
    return 0 if server.started else 1


def _allow_connections() -> None:
    """As many open files as the system lets this process have, and no more connections than that."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _Announced(uvicorn.Server):
    """Says a line once it listens."""

    def __init__(self, config: uvicorn.Config, line: str) -> None:
        super().__init__(config)
        self._line = line

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """It listens."""
        await super().startup(sockets)
        # What is there by now stays: to walk over it now and then would hold up every call.
        gc.collect()
        gc.freeze()
        put_line(self._line)


def _url(host: str, port: int) -> str:
    written = f"[{host}]" if ":" in host else host
    return f"http://{written}:{port}"


def openapi_text() -> str:
    """The OpenAPI description, for programs that write clients."""
    return json.dumps(described_app().openapi(), ensure_ascii=False, indent=2)
