"""An ASGI application as a process."""

import gc
import resource
import socket
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from castad.output import put_line

_LARGEST_HEAD = 64 * 1024
_MOST_CONNECTIONS = 4000


def serve_app(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    stop_seconds: int,
    websockets: bool = False,
    line: str | None = None,
) -> int:
    """Requests were answered until this process was told to stop; returns the exit code.

    `line` is printed once it listens. Told to stop, it leaves `stop_seconds` to what is being answered.
    """
    _allow_connections()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        # The other parser reads heads of any length.
        http="h11",
        ws="auto" if websockets else "none",
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        limit_concurrency=_MOST_CONNECTIONS,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=stop_seconds,
    )
    server = _Announced(config, line)
    server.run()
    return 0 if server.started else 1


def address_of(host: str, port: int) -> str:
    """The URL of who listens there."""
    written = f"[{host}]" if ":" in host else host
    return f"http://{written}:{port}"


def _allow_connections() -> None:
    """As many open files as the system lets this process have, and no more connections than that."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _Announced(uvicorn.Server):
    """Says a line once it listens."""

    def __init__(self, config: uvicorn.Config, line: str | None) -> None:
        super().__init__(config)
        self._line = line

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """It listens."""
        await super().startup(sockets)
        # What is there by now stays: to walk over it now and then would hold up every call.
        gc.collect()
        gc.freeze()
        if self._line:
            put_line(self._line)
