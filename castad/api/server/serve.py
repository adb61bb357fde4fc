"""An ASGI application as a process."""

import gc
import resource
import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from castad.api.server.connection_limiter import ConnectionLimiter
from castad.api.server.protocol import ConnectionGate, GuardedProtocol
from castad.stack.output import print_line

_LARGEST_HEAD = 64 * 1024
# Who finds the queue full tries again after a second.
_BACKLOG = 4096
# Databases, logs and files to send need some of the descriptors too.
_RESERVED_DESCRIPTORS = 500
_FEWEST_CONNECTIONS = 100


@dataclass(frozen=True)
class Limits:
    """What one client may take: seconds for a request's head, seconds of keep-alive, connections of an address."""

    connections_per_source: int
    connections: int = 10_000
    head_seconds: float = 10
    idle_seconds: int = 15


def serve(config: uvicorn.Config, line: str) -> int:
    """Requests were answered until this process was told to stop; returns the exit code.

    `line` is printed once it listens.
    """
    server = _AnnouncingServer(config, line)
    server.run()
    return 0 if server.started else 1


def guarded_config(
    app: ASGIApp,
    host: str,
    port: int,
    limits: Limits,
    *,
    stop_seconds: int,
    websockets: bool = False,
) -> uvicorn.Config:
    """A server within these limits, and with no more connections than this process has descriptors for.

    Told to stop, it leaves `stop_seconds` to what is being answered.
    """
    room = max(_allowed_descriptors() - _RESERVED_DESCRIPTORS, _FEWEST_CONNECTIONS)
    connection_limiter: ConnectionLimiter[GuardedProtocol] = ConnectionLimiter(
        min(limits.connections, room), min(limits.connections_per_source, room)
    )
    protocol = partial(
        GuardedProtocol, gate=ConnectionGate(connection_limiter), head_seconds=limits.head_seconds
    )
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol,  # type: ignore[arg-type] # it is called, and nothing else
        ws="auto" if websockets else "none",
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        backlog=_BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=stop_seconds,
    )


def address_of(host: str, port: int) -> str:
    """The URL of who listens there."""
    written = f"[{host}]" if ":" in host else host
    return f"http://{written}:{port}"


def _allowed_descriptors() -> int:
    """As many open files as the system lets this process have; it may have them from now on."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if allowed == resource.RLIM_INFINITY else allowed


class _AnnouncingServer(uvicorn.Server):
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
        print_line(self._line)
